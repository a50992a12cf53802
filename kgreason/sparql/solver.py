"""The protocol of the evaluation, as its parts see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from kgreason.algebra.local_terms import LocalTerms
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.sparql.algebra import Exists, Expression, Node
from kgreason.sparql.limits import Limits
from kgreason.sparql.plan_trace import Journal
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.solutions import Ids, Mask, Solutions
from kgreason.sparql.source import Source

if TYPE_CHECKING:
    from kgreason.sparql.patterns.path_relations import Paths


class Solver(Protocol):
    """Solves nodes in the active graph."""

    @property
    def source(self) -> Source:
        """The active graph."""

    @property
    def terms(self) -> LocalTerms:
        """The terms of the query."""

    @property
    def paths(self) -> Paths:
        """The pairs that paths connect."""

    @property
    def limits(self) -> Limits:
        """The limits of the query."""

    @property
    def journal(self) -> Journal | None:
        """Where to record the steps of the plan; None to record nothing."""

    def solve(self, node: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        """The solutions of a node that agree with those of the seed, each extending one of these."""

    def all(self, node: Node, seed: Solutions, demand: Demand) -> Solutions:
        """The same in one piece."""

    def whole(self, node: Node, demand: Demand) -> Solutions:
        """All solutions of a node by itself."""

    def passing(self, conditions: Sequence[Expression], rows: Solutions) -> Solutions:
        """The solutions for which all conditions are true."""

    def values(self, expression: Expression, rows: Solutions) -> Ids:
        """For each solution the id of the value, UNBOUND where the expression is in error."""

    def columns(self, expression: Expression, rows: Solutions) -> ValueColumn:
        """For each solution the value as operators look at it."""

    def exists(self, expression: Exists, rows: Solutions) -> Mask:
        """For each solution whether the pattern of EXISTS has one that agrees with it."""
