"""What the parts of the evaluation ask of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from kgreason.sparql.algebra import Exists, Expression, Node
from kgreason.sparql.demand import Demand
from kgreason.sparql.journal import Journal
from kgreason.sparql.limits import Limits
from kgreason.sparql.patterns.paths import Paths
from kgreason.sparql.solutions import Mask, Solutions
from kgreason.sparql.source import Source
from kgreason.sparql.terms import QueryTerms


class Solver(Protocol):
    """Solves nodes in the active graph."""

    @property
    def source(self) -> Source:
        """The active graph."""

    @property
    def terms(self) -> QueryTerms:
        """The terms of the query."""

    @property
    def paths(self) -> Paths:
        """The pairs that paths connect."""

    @property
    def limits(self) -> Limits:
        """What the query may use."""

    @property
    def journal(self) -> Journal | None:
        """Where to note what happens, if somebody wants to know."""

    def solve(self, node: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        """The solutions of a node that agree with those of the seed, each extending one of these."""

    def all(self, node: Node, seed: Solutions, demand: Demand) -> Solutions:
        """The same in one piece."""

    def whole(self, node: Node, demand: Demand) -> Solutions:
        """All solutions of a node by itself."""

    def passing(self, conditions: Sequence[Expression], rows: Solutions) -> Solutions:
        """The solutions for which all conditions are true."""

    def exists(self, expression: Exists, rows: Solutions) -> Mask:
        """For each solution whether the pattern of EXISTS has one that agrees with it."""
