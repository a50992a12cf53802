"""What the sets of labels of a closure offer, however they are stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

if TYPE_CHECKING:
    from kgreason.relations.label_sets import LabelSets
    from kgreason.relations.serialised_sets import Written

Numbers: TypeAlias = NDArray[np.int64]
Labels: TypeAlias = NDArray[np.uint32]
Mask: TypeAlias = NDArray[np.bool_]


class NumberedSets(ABC):
    """An immutable sequence of sets; bitmaps that `get` gives must not be changed."""

    __slots__ = ()

    @abstractmethod
    def __len__(self) -> int:
        """How many sets there are."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes held."""

    @abstractmethod
    def get(self, number: int) -> BitMap:
        """One set: some microseconds; LoadError where a file has none there."""

    @abstractmethod
    def sizes(self, numbers: Numbers) -> Numbers:
        """How many members each of some sets has."""

    @abstractmethod
    def column(self, numbers: Numbers) -> tuple[Numbers, Labels]:
        """How many members each of some sets has, and the members, sorted within each, one set after the other."""

    @abstractmethod
    def has(self, number: int, label: int) -> bool:
        """Whether a label is in a set."""

    @abstractmethod
    def contains(self, numbers: Numbers, labels: Labels) -> Mask:
        """For each label whether it is in the set of its number; the numbers are sorted."""

    @abstractmethod
    def is_empty(self, number: int) -> bool:
        """Whether a set has no members."""

    @abstractmethod
    def differing(self, other: NumberedSets) -> set[int]:
        """The numbers whose sets may differ from those of another version, or that it does not have."""

    @abstractmethod
    def changed(self, sets: Mapping[int, Written], count: int) -> Self:
        """A version of `count` sets, some of them new."""

    @abstractmethod
    def compacted(self) -> Self:
        """The same sets; written together where many have changed."""

    @abstractmethod
    def stored(self) -> LabelSets:
        """The sets as far as they lie in buffers."""

    @abstractmethod
    def _check(self) -> None:
        """Assert what must hold of the sets."""
