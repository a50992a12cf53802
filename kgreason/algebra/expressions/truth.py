"""Three-valued logic over whole columns (SPARQL 1.1, section 17.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Truth:
    """For each row whether it is true, and whether it is in error; never both."""

    true: Mask
    error: Mask

    @classmethod
    def known(cls, true: Mask) -> Truth:
        """Without errors."""
        return cls(true, np.zeros(len(true), dtype=np.bool_))

    @classmethod
    def all(cls, true: bool, length: int) -> Truth:
        """The same in every row."""
        return cls.known(np.full(length, true))

    def __invert__(self) -> Truth:
        """An error stays one."""
        return Truth(~self.true & ~self.error, self.error)

    def __and__(self, other: Truth) -> Truth:
        """False where one is false, even if the other is in error."""
        true = self.true & other.true
        false = ~(self.true | self.error) | ~(other.true | other.error)
        return Truth(true, ~true & ~false)

    def __or__(self, other: Truth) -> Truth:
        """True where one is true, even if the other is in error."""
        true = self.true | other.true
        return Truth(true, (self.error | other.error) & ~true)

    def take(self, index: np.ndarray) -> Truth:
        """The rows of an index."""
        return Truth(self.true[index], self.error[index])

    def put(self, rows: np.ndarray, other: Truth) -> None:
        """Write some rows."""
        self.true[rows] = other.true
        self.error[rows] = other.error
