"""The plan of a source as one projection: each row makes an array of entries, in a single scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F

from kgreason.errors import MappingError
from kgreason_mapping.plan.compilation import DEFAULT_GRAPH
from kgreason_mapping.plan.tree import ConstantTerm, ProblemRule, SourcePlan, TermRule, TextValue
from kgreason_spark.ingestion.columns import TermColumns
from kgreason_spark.ingestion.entries import ENTRY_TYPE, problem_entry, quad_entry
from kgreason_spark.ingestion.reference_values import Many, Product, Term, Terms, Value, Values, many_terms, products
from kgreason_spark.ingestion.term_expressions import Row, texts

_NO_GRAPH: Final = ConstantTerm(DEFAULT_GRAPH)


@dataclass(frozen=True, slots=True)
class Compiled:
    """The entries of the rows of one source: the columns to add first, the entries over these, and for each
    triples map whether a row has no subject in it."""

    columns: TermColumns
    entries: Column
    without_subject: dict[str, Column]


def compile_source(plan: SourcePlan, row: Row) -> Compiled:
    """Translate the plan of a source.

    Raises:
        MappingError: a reference does not exist; names the triples map.
    """
    columns = TermColumns(row, "__term")
    problems = [one for rule in plan.problems for one in _problems(rule, columns)]
    made = [
        one
        for rule in plan.quads
        for one in quads(columns, rule.subject, rule.predicate, columns.place(rule.object), rule.graph)
    ]
    without = {
        name: ~_some_good(columns.place(subject), bad_too=True) for name, subject in plan.subjects.items()
    }
    return Compiled(columns, columns.together([*made, *problems], ENTRY_TYPE), without)


def quads(
    columns: TermColumns, subject: TermRule, predicate: TermRule, objects: Terms, graph: TermRule | None
) -> list[Product]:
    """The quads of all combinations; the objects may be of another row."""
    items = [columns.place(subject), columns.place(predicate), objects, columns.place(graph or _NO_GRAPH)]
    return products(items, lambda chosen: quad_entry(chosen, in_default=graph is None))


def _problems(rule: ProblemRule, columns: TermColumns) -> list[Product]:
    """An entry where the rule makes a bad term."""
    try:
        if isinstance(rule.rule, TextValue):
            found = _as_terms(texts(rule.rule, columns.row))
        else:
            found = columns.place(rule.rule)
        gate = None if rule.only_with is None else _some_good(columns.place(rule.only_with))
    except MappingError as error:
        raise MappingError(error.reason, error.triples_map or rule.triples_map) from None
    doubtful = tuple(one for one in found if isinstance(one, Many) or one.reason is not None)

    def problem(chosen: Sequence[Term]) -> Column:
        reason = chosen[0].reason
        assert reason is not None
        gated = reason if gate is None else F.when(gate, reason)
        return problem_entry(gated, rule.triples_map, rule.part, chosen[0].key)

    return products([doubtful], problem)


def _as_terms(values: Values) -> Terms:
    """Values as terms that are bad where they are not values."""
    return tuple(
        Term(one.text, one.reason)
        if isinstance(one, Value)
        else many_terms(F.transform(one.column, lambda each: Term(each["text"], each["reason"]).packed()))
        for one in values
    )


def _some_good(found: Terms, *, bad_too: bool = False) -> Column:
    """Whether there is a term, with `bad_too` also a bad one."""

    def good(one: Term) -> Column:
        return one.key.isNotNull() if bad_too else one.is_good()

    def some(one: Term | Many[Term]) -> Column:
        if isinstance(one, Term):
            return good(one)
        return F.coalesce(F.exists(one.column, lambda each: good(one.unpack(each))), F.lit(False))

    return reduce(Column.__or__, map(some, found))
