"""What a conjunction asks of its rows beside the facts of its atoms, as its evaluation sees it."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Protocol, Self

from kgreason.algebra.bindings import Bindings, Mask, V
from kgreason.algebra.conjunctions.membership import Membership


class Conditions(Protocol[V]):
    """The conditions that are still to be asked: each once, as soon as its variables are bound."""

    def __bool__(self) -> bool:
        """Whether there are any."""

    @property
    def bind(self) -> bool:
        """Whether they bind variables, too."""

    def variables(self) -> frozenset[V]:
        """Those that are needed to ask them."""

    def beyond(self, variables: Set[V]) -> Self:
        """Those that need others than these variables, and those that bind some."""

    def connect(self, bound: Set[V], variables: Set[V]) -> bool:
        """Whether one of them is for equal values of rows that bind some variables and of facts that have others."""

    def matched(self, rows: Bindings[V], facts: Bindings[V]) -> Iterator[Bindings[V]]:
        """The rows beside the facts of which such a condition may hold, in pieces; it is still to be asked."""

    def compare(self, bound: Set[V], variables: Set[V]) -> bool:
        """Whether one of them compares the order of such values."""

    def compared(self, rows: Bindings[V], others: Bindings[V]) -> Iterator[Bindings[V]]:
        """The rows beside others for which such conditions may hold, in pieces; these are still to be asked."""

    def decide(self, bound: Set[V], variables: Set[V]) -> bool:
        """Whether such an order mostly decides at once if a row goes with one of others, where nothing else asks for
        values of both, and nothing is denied of them."""

    def deciding(self, rows: Bindings[V], others: Bindings[V]) -> Mask:
        """For each row whether all that asks for values of both holds of it and one of the others."""

    def asked(self, rows: Bindings[V], membership: Membership) -> tuple[Self, Bindings[V]]:
        """The conditions whose variables are not bound by now, and the rows that pass the others."""
