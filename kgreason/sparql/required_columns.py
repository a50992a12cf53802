"""The columns that are required of a part of a query, so that it computes no others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kgreason.algebra.bindings import Multiplicity
from kgreason.sparql.scope import Names


@dataclass(frozen=True, slots=True)
class Demand:
    """The variables that are needed, how often each solution is, and whether the first ones are wanted soon."""

    needed: Names
    multiplicity: Multiplicity = Multiplicity.EACH
    streaming: bool = False

    def also(self, names: Iterable[str]) -> Demand:
        """With more variables needed."""
        return replace(self, needed=self.needed.union(names))

    def only(self, names: Iterable[str]) -> Demand:
        """With these variables needed and no others."""
        return replace(self, needed=frozenset(names))

    def each(self) -> Demand:
        """With every solution in a row of its own."""
        return replace(self, multiplicity=Multiplicity.EACH)

    def at_once(self) -> Demand:
        """With all solutions wanted before any is used."""
        return replace(self, streaming=False)
