"""What a conjunction asks of its rows beside the facts of its atoms, as its evaluation sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Protocol, Self

from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.conjunctions.membership import Membership
from kgreason.algebra.joins import Runs


class Conditions(Protocol[V]):
    """The conditions that are still to be asked: each once, as soon as its variables are bound."""

    def __bool__(self) -> bool:
        """Whether there are any."""

    @property
    def bind(self) -> bool:
        """Whether they bind variables, too."""

    def each(self) -> Iterable[frozenset[V]]:
        """The variables that each of them needs to be asked."""

    def beyond(self, variables: Set[V]) -> Self:
        """Those that need others than these variables, and those that bind some."""

    def within(self, variables: Set[V]) -> Self:
        """Those that need no others than these variables, and bind none."""

    def connect(self, bound: Set[V], variables: Set[V]) -> bool:
        """Whether one of them is for equal values of rows that bind some variables and of others that have others."""

    def compare(self, bound: Set[V], variables: Set[V]) -> bool:
        """Whether one of them compares the order of such values."""

    def beside(self, rows: Bindings[V], others: Bindings[V]) -> Iterator[Runs[V]]:
        """The rows beside others, of which no variable is in them, as far as such conditions may hold, or with the
        sides changed over; all conditions are still to be asked."""

    def asked(self, rows: Bindings[V], membership: Membership) -> tuple[Self, Bindings[V]]:
        """The conditions whose variables are not bound by now, and the rows that pass the others."""
