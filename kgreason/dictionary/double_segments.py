"""Literals of xsd:double that came together, frozen: as the numbers of `number_segments`, and no text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa
from kgreason.dictionary.arrow_columns import text_column
from kgreason.dictionary.number_segments import Floats, Numbers, NumberSegment, Rows
from kgreason.rdf.numbers import exponent_text
from kgreason.rdf.value_classes import ValueClass
from kgreason.rdf.vocabulary import XSD_DOUBLE


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DoubleSegment(NumberSegment):
    """Literals of xsd:double in their canonical form, finite and not zero: 8 bytes each. The two zeros differ as
    literals, but not in the order of numbers."""

    suffix: ClassVar[str] = f'"^^{XSD_DOUBLE}'
    value_class: ClassVar[ValueClass] = ValueClass.DOUBLE
    text_cost: ClassVar[int] = 10

    @classmethod
    def of(cls, numbers: Floats) -> tuple[DoubleSegment, Rows]:
        """The literals of numbers that are finite and not zero, each once, and the row of each: a sort."""
        ascending, rows = np.unique(numbers, return_inverse=True)
        return cls(0, ascending), rows.reshape(-1)

    @classmethod
    def within(cls, first: int, bits: Numbers) -> DoubleSegment | None:
        """The segment of numbers that ascend, by their bits, at least one; None of others, or of other numbers."""
        numbers = bits.view(np.float64)
        is_right = bool(are_usual(numbers).all()) and bool((numbers[1:] > numbers[:-1]).all())
        return cls(first, numbers) if is_right else None

    def terms(self) -> tuple[Numbers, ...]:
        return (self.numbers.view(np.int64),)

    def __getitem__(self, row: int) -> str:
        return double_key(float(self.numbers[row]))

    def keys_at(self, rows: Rows) -> pa.Array:
        return text_column([*map(double_key, self.numbers[rows].tolist())])


def are_usual(numbers: Floats) -> NDArray[np.bool_]:
    """Which numbers may be in a segment: those that are finite and not zero."""
    return np.asarray(np.isfinite(numbers) & (numbers != 0))


def double_key(number: float) -> str:
    """The key of a finite number in its canonical form."""
    return f'"{exponent_text(number)}{DoubleSegment.suffix}'
