"""The columns that are required of a part of a query, so that it computes no others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kgreason.algebra.bindings import Multiplicity
from kgreason.sparql.algebra import Names


@dataclass(frozen=True, slots=True)
class Demand:
    """The variables that are needed, how often each solution is, and whether the first ones are wanted soon."""

    needed: Names
    multiplicity: Multiplicity = Multiplicity.EACH
    streaming: bool = False

    def also(self, names: Iterable[str]) -> Demand:
        """With more variables needed."""
        needed = self.needed.union(names)
        return self if needed == self.needed else Demand(needed, self.multiplicity, self.streaming)

    def only(self, names: Iterable[str]) -> Demand:
        """With these variables needed and no others."""
        return Demand(frozenset(names), self.multiplicity, self.streaming)

    def each(self) -> Demand:
        """With every solution in a row of its own."""
        is_each = self.multiplicity is Multiplicity.EACH
        return self if is_each else Demand(self.needed, Multiplicity.EACH, self.streaming)

    def at_once(self) -> Demand:
        """With all solutions wanted before any is used."""
        return Demand(self.needed, self.multiplicity) if self.streaming else self
