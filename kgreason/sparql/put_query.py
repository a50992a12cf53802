"""A query put to graphs: what evaluates it, made for one moment and one query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kgreason import memory
from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.local_terms import LocalTerms
from kgreason.checkpoints import heeded
from kgreason.dictionary.dictionary import Dictionary
from kgreason.notebook_bar import shown
from kgreason.sparql import query_tuning
from kgreason.sparql.algebra import Node
from kgreason.sparql.limits import Limits, too_deep
from kgreason.sparql.node_evaluation import Evaluation
from kgreason.sparql.patterns.bound import KnownPaths
from kgreason.sparql.patterns.path_relations import Paths
from kgreason.sparql.plan_trace import Journal
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.solution_expressions import Expressions
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.source import Graphs


@dataclass(frozen=True, slots=True)
class Answer:
    """Solutions, batch by batch as they are read, and the terms that their ids stand for."""

    node: Node
    variables: tuple[str, ...]
    batches: Iterator[Solutions]
    terms: LocalTerms
    journal: Journal | None

    def at_once(self) -> Answer:
        """The same, evaluated by now."""
        return replace(self, batches=iter(tuple(self.batches)))

    def whole(self) -> Solutions:
        """All solutions in one piece."""
        found = [batch for batch in self.batches if batch.length]
        return Solutions.concatenated(found or [Solutions.none(self.variables)])

    def plan(self) -> list[str]:
        """The steps as an indented list, with the rows that were expected and those that were read so far."""
        return [] if self.journal is None else self.journal.lines(self.node)


def answer(
    node: Node,
    variables: Sequence[str],
    graphs: Graphs,
    dictionary: Dictionary,
    *,
    limits: Limits | None = None,
    explained: bool = False,
    multiplicity: Multiplicity = Multiplicity.EACH,
    known: KnownPaths | None = None,
    base: str | None = None,
) -> Answer:
    """The solutions of a rewritten node (`rewrites`), evaluated as they are read.

    Args:
        explained: keep a journal.
        multiplicity: how often each solution matters.
        base: what IRI() takes relative IRIs from.
        known: what earlier queries left that is of use for paths, and where this one leaves the like.
    """
    terms = LocalTerms(dictionary)
    journal = Journal() if explained else None
    limits = limits or Limits()
    expressions = Expressions(terms, base=base, limits=limits)
    evaluation = Evaluation(graphs, graphs.default, terms, expressions, Paths(terms, known), limits, journal)
    demand = Demand(frozenset(variables), multiplicity)
    batches = (batch.only(variables) for batch in _solved(evaluation, node, demand))
    made = _evaluated(shown("querying", heeded(limits.check, batches)))
    return Answer(node, tuple(variables), made if limits.rows is None else _counted(made, limits), terms, journal)


def _solved(evaluation: Evaluation, node: Node, demand: Demand) -> Iterator[Solutions]:
    """The solutions of a node by itself, of which none is looked for before the first is read."""
    yield from evaluation.solve(node, Solutions.unit(), demand)


def _counted(batches: Iterator[Solutions], limits: Limits) -> Iterator[Solutions]:
    """The batches as long as they have no more rows together than the answer may have."""
    rows = 0
    for batch in batches:
        rows += batch.total()
        limits.check_answer(rows)
        yield batch


def _evaluated(batches: Iterator[Solutions]) -> Iterator[Solutions]:
    """The batches; nested too deeply, a query has no others."""
    # Also before: what an earlier query took that failed was held by its error.
    memory.give_back_after(query_tuning.GIVEN_BACK_BYTES)
    try:
        yield from batches
    except RecursionError:
        raise too_deep() from None
    memory.give_back_after(query_tuning.GIVEN_BACK_BYTES)
