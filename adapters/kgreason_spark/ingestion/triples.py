"""Triples maps over one source, as one projection: each row makes an array of entries, in a single scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F

from kgreason.errors import MappingError
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason_mapping.documents.mapping_model import (
    Constant,
    Expression,
    Mapping,
    PredicateObjectMap,
    TermMap,
    TermType,
    TriplesMap,
)
from kgreason_spark.ingestion.columns import TermColumns
from kgreason_spark.ingestion.entries import DEFAULT_GRAPH, ENTRY_TYPE, problem_entry, quad_entry
from kgreason_spark.ingestion.reference_values import Many, Product, Term, Terms, Value, Values, many_terms, products
from kgreason_spark.ingestion.term_expressions import Row, constant_term, texts

_DEFAULT: Final[tuple[TermMap, ...]] = (TermMap(Constant(DEFAULT_GRAPH), TermType.IRI),)


@dataclass(frozen=True, slots=True)
class Compiled:
    """The entries of the rows of one source: the columns to add first, the entries over these, and for each
    triples map whether a row has no subject in it."""

    columns: TermColumns
    entries: Column
    without_subject: dict[str, Column]


def compile_source(mapping: Mapping, triples_maps: Sequence[TriplesMap], row: Row, base: str | None) -> Compiled:
    """Compile all triples maps over one source.

    Raises:
        MappingError: one of them cannot be with any data; names it.
    """
    columns = TermColumns(row, "__term")
    made: list[Product] = []
    without: dict[str, Column] = {}
    for triples_map in triples_maps:
        try:
            compiler = _Compiler(mapping, triples_map, columns, base)
            made += compiler.entries()
            without[triples_map.name] = ~_some_good(compiler.subject, bad_too=True)
        except MappingError as error:
            raise MappingError(error.reason, error.triples_map or triples_map.name) from None
    return Compiled(columns, columns.together(made, ENTRY_TYPE), without)


def graph_maps(triples_map: TriplesMap, pairs: PredicateObjectMap | None) -> tuple[TermMap, ...]:
    """The graphs that triples go to: those of the subject and of the predicate-object map, or the default graph."""
    own = pairs.graphs if pairs is not None else ()
    return tuple(dict.fromkeys(triples_map.graphs + own)) or _DEFAULT


def quads(subject: Terms, predicate: Terms, object_: Terms, graph: Terms, *, in_default: bool) -> list[Product]:
    """The quads of all combinations."""
    return products([subject, predicate, object_, graph], lambda chosen: quad_entry(chosen, in_default=in_default))


def is_default(term_map: TermMap) -> bool:
    """Whether a graph map means the default graph."""
    return term_map.expression == Constant(DEFAULT_GRAPH)


class _Compiler:
    """The entries of one triples map."""

    def __init__(self, mapping: Mapping, triples_map: TriplesMap, columns: TermColumns, base: str | None) -> None:
        self._mapping = mapping
        self._map = triples_map
        self._columns = columns
        self._base = triples_map.base or base
        self._default_base = base
        self._row = columns.row
        self.subject = self._place(triples_map.subject)

    def entries(self) -> list[Product]:
        made = self._problems([("subject", self.subject)], always=True)
        graphs = [(one, self._place(one)) for one in graph_maps(self._map, None)]
        for name in self._map.classes:
            for one, graph in graphs:
                type_, class_ = constant_term(RDF_TYPE), constant_term(name)
                made += quads(self.subject, type_, class_, graph, in_default=is_default(one))
        made += self._problems([("graph", graph) for _, graph in graphs])
        for pairs in self._map.predicate_objects:
            made += self._pairs(pairs)
        made += self._join_problems()
        return made

    def _pairs(self, pairs: PredicateObjectMap) -> Iterator[Product]:
        predicates = [self._place(one) for one in pairs.predicates]
        objects = [self._place(one) for one in pairs.objects]
        parents = [self._parent_subject(one.parent) for one in pairs.referencing if not one.conditions]
        graphs = [(one, self._place(one)) for one in graph_maps(self._map, pairs)]
        for predicate in predicates:
            for object_ in objects + parents:
                for one, graph in graphs:
                    yield from quads(self.subject, predicate, object_, graph, in_default=is_default(one))
        what = _described(pairs)
        yield from self._problems([(f"predicate {what}", one) for one in predicates])
        yield from self._problems([(f"object of {what}", one) for one in objects])
        own = [self._place(one) for one in pairs.graphs if one not in self._map.graphs]
        yield from self._problems([(f"graph of {what}", one) for one in own])

    def _parent_subject(self, name: str) -> Terms:
        parent = self._mapping.triples_map(name)
        return self._columns.place(parent.subject, parent.base or self._default_base)

    def _join_problems(self) -> list[Product]:
        """Malformed values that joins compare; those of the parent's side belong to the parent."""
        expressions: list[Expression] = []
        for triples_map in self._mapping.triples_maps:
            for one in (one for pairs in triples_map.predicate_objects for one in pairs.referencing):
                expressions += [side.child for side in one.conditions if triples_map is self._map]
                expressions += [side.parent for side in one.conditions if one.parent == self._map.name]
        made = []
        for expression in dict.fromkeys(expressions):
            values = texts(expression, self._row)
            made += self._problems([("join condition", _as_terms(values))])
        return made

    def _problems(self, parts: Sequence[tuple[str, Terms]], *, always: bool = False) -> list[Product]:
        """An entry for each part that is bad; where the subject is bad or there is none, only for that."""
        made = []
        gate = None if always else _some_good(self.subject)
        for part, found in parts:
            doubtful = tuple(one for one in found if isinstance(one, Many) or one.reason is not None)
            name = self._map.name

            def problem(chosen: Sequence[Term], part: str = part, name: str = name) -> Column:
                reason = chosen[0].reason
                assert reason is not None
                gated = reason if gate is None else F.when(gate, reason)
                return problem_entry(gated, name, part, chosen[0].key)

            made += products([doubtful], problem)
        return made

    def _place(self, term_map: TermMap) -> Terms:
        return self._columns.place(term_map, self._base)


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


def _described(pairs: PredicateObjectMap) -> str:
    named = [one.expression.key for one in pairs.predicates if isinstance(one.expression, Constant)]
    return ", ".join(f"<{name}>" for name in named) or "(computed predicate)"
