"""Which classes and properties have been reached: those that could have facts at some time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import sorted_sets
from kgreason.relations.codes import CLASS, PROPERTY
from kgreason.relations.table import Ids

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """The classes and properties that could have facts at some time, by ids, sorted: int64 each."""

    classes: Numbers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    properties: Numbers = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def of(self, kind: int) -> Numbers:
        """Those of a kind."""
        return self.classes if kind == CLASS else self.properties

    @classmethod
    def of_codes(cls, codes: Numbers) -> Reached:
        """The classes and properties among sorted codes of relations."""
        return cls(codes[codes & 3 == CLASS] >> 2, codes[codes & 3 == PROPERTY] >> 2)

    def codes(self) -> Numbers:
        """Their codes, in no order."""
        return np.concatenate((self.classes << 2 | CLASS, self.properties << 2 | PROPERTY))

    @classmethod
    def among(cls, kind: int, identifiers: Ids) -> Reached:
        """Those of one kind alone, by sorted ids."""
        ids = identifiers.astype(np.int64)
        return cls(classes=ids) if kind == CLASS else cls(properties=ids)

    def with_more(self, more: Reached) -> Reached:
        """These and others."""
        classes = sorted_sets.union(self.classes, more.classes)
        return Reached(classes, sorted_sets.union(self.properties, more.properties))

    def without(self, known: Reached) -> Reached:
        """These, but for others."""
        classes = sorted_sets.difference(self.classes, known.classes)
        return Reached(classes, sorted_sets.difference(self.properties, known.properties))

    def __len__(self) -> int:
        return len(self.classes) + len(self.properties)
