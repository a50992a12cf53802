"""Virtual tables of pairs that say what their subjects lead to; the inverse says the same of the other end.

A table of pairs derives from `VirtualPairs` where it finds the objects of a subject, and its inverse is a table of its
own; from `VirtualTable` where an `InverseTable` does.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from kgreason.columns.id_columns import repeated
from kgreason.relations.table import Columns, Ids, Index, Mask
from kgreason.relations.virtual import VirtualTable


class VirtualPairs(VirtualTable):
    """A virtual table of pairs that says what its subjects lead to, and has an inverse that does the same."""

    arity = 2

    @abstractmethod
    def subjects(self) -> Ids:
        """The sorted set of subjects."""

    @abstractmethod
    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        """For many subjects, in any order and with duplicates, the index of the subject and the object of each pair."""

    @abstractmethod
    def objects_of(self, subject: int) -> Ids:
        """The objects of one subject, each once, in any order."""

    @abstractmethod
    def contains(self, columns: Columns) -> Mask:
        """For each row whether it is a pair."""

    @abstractmethod
    def inverse(self) -> VirtualTable:
        """The pairs the other way round."""

    def distinct(self, position: int) -> Ids:
        return self.subjects() if position == 0 else self.inverse().distinct(0)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        ((position, wanted),) = bound.items()
        if position == 1:
            index, columns = self.inverse().lookup({0: wanted})
            return index, columns[::-1]
        index, objects = self.expand_subjects(wanted)
        return index, (wanted[index], objects)

    def select(self, bound: dict[int, int]) -> Columns:
        if len(bound) != 1:
            return super().select(bound)
        ((position, wanted),) = bound.items()
        others = np.ascontiguousarray(self.image_of(position, wanted))
        same = repeated(wanted, len(others))
        return (same, others) if position == 0 else (others, same)

    def image_of(self, position: int, identifier: int) -> Ids:
        return (self if position == 0 else self.inverse()).objects_of(identifier)
