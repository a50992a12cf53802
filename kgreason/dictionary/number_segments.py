"""Literals of numbers that came together, frozen: their numbers under ids that follow each other, and no text.

A number is kept as a float, which is the only one of its segment that has this float; the text of a key is made when it
is read. A key is found by the float of its text, and is the one that is looked for where the text of that number is its
own. So a literal that is written otherwise, as ``"01"``, is never in a segment.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Final, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.arrow import pa, pc
from kgreason.dictionary.arrow_columns import mask_of
from kgreason.dictionary.decimal_texts import LARGEST_DIVISOR, integer_keys, quotient_keys
from kgreason.dictionary.digit_texts import numbers_of_digits
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.dictionary.value_forms import values_of_keys
from kgreason.rdf.hashing import text_buffers
from kgreason.rdf.keys import LITERAL_KIND
from kgreason.rdf.numbers import decimal_text
from kgreason.rdf.value_classes import ValueClass
from kgreason.rdf.vocabulary import XSD_DECIMAL, XSD_INTEGER
from kgreason.sorting import numbered

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.int64]

LARGEST_INTEGER: Final = (1 << 53) - 1
"""A float holds integers up to this, and no other integer has the same float."""
LARGEST_TERMS: Final = 1 << 51
"""Quotients that differ have different floats where the largest dividend times the largest divisor is below this: their
difference is 1 / (b * d) at least, and that of neighbouring floats one in 2**52 of them at most."""

EXACT_DIGITS: Final = 15
"""A float holds all integers of so many digits."""
_MINUS, _ZERO = b"-0"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NumberSegment(ABC):
    """The keys of the ids `first`, `first` + 1, ..., which are literals of one datatype, in the order of `numbers`.

    The defaults are those of a datatype of which each float is one literal.
    """

    suffix: ClassVar[str]
    """What all keys end with, the second quotation mark included."""

    value_class: ClassVar[ValueClass]
    """The class of the values of all literals."""

    text_cost: ClassVar[int]
    """A text of one takes so many times as long as that of an integer."""

    first: int
    numbers: Floats

    def __len__(self) -> int:
        return len(self.numbers)

    def taken(self, first: int, index: Rows | NDArray[np.bool_] | slice) -> Self:
        """Some of the literals in their order, under ids from `first` on."""
        return type(self)(first, self.numbers[index])

    @abstractmethod
    def keys_at(self, rows: Rows) -> pa.Array:
        """The keys of some rows, as a string column: some ten nanoseconds each, for quotients some hundred."""

    def listed(self) -> list[str]:
        """All keys as Python texts."""
        if len(self) <= tuning.FEW_TEXTS:
            return [self[row] for row in range(len(self))]
        found: list[str] = self.keys_at(np.arange(len(self))).to_pylist()
        return found

    def values_at(self, rows: Rows) -> ValueColumn:
        """The values of the literals of some rows."""
        found = ValueColumn.empty(len(rows))
        found.classes[:], found.numbers[:], found.exact[:] = self.value_class, self.numbers[rows], True
        return found

    def are_same(self, rows: Rows, other: Self, others: Rows) -> NDArray[np.bool_]:
        """Whether rows are the literals of rows of another segment that have the same floats."""
        return np.ones(len(rows), dtype=np.bool_)

    @property
    def integers(self) -> Floats | None:
        """The numbers where all are integers, otherwise None."""
        return None

    @abstractmethod
    def terms(self) -> tuple[Numbers, ...]:
        """The whole numbers of which each literal is made, one column for each: as `within` takes them."""

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.numbers.nbytes

    def prefix(self, count: int) -> Self:
        """The first `count` keys at most, in the same memory."""
        return self if count >= len(self) else self.taken(self.first, slice(count))

    @abstractmethod
    def __getitem__(self, row: int) -> str:
        """The key of a row."""

    def folded(self, identifier: int) -> str:
        """The folded key of an id."""
        return self[identifier - self.first]

    def kinds(self) -> NDArray[np.uint8]:
        """The kind of each key."""
        return np.full(len(self), LITERAL_KIND, dtype=np.uint8)

    def spelled_column(self, identifiers: NDArray[np.uint32]) -> pa.Array:
        """The keys of many ids of this segment."""
        return self.keys_at(identifiers.astype(np.int64) - self.first)

    def find(self, folded: str) -> int | None:
        """The row of a folded key, None when it has none: O(log n)."""
        if not folded.endswith(self.suffix):
            return None
        try:
            number = float(folded[1 : -len(self.suffix)])
        except ValueError:
            return None
        row = int(self.numbers.searchsorted(number))
        return row if row < len(self) and self.numbers[row] == number and self[row] == folded else None

    def common(self, other: Self) -> tuple[Rows, Rows]:
        """The rows here and there of the literals that both have: O(n log n) for those here between the least and the
        greatest there."""
        begin = int(self.numbers.searchsorted(other.numbers[0]))
        end = int(self.numbers.searchsorted(other.numbers[-1], side="right"))
        between = self.numbers[begin:end]
        at = other.numbers.searchsorted(between)
        shared = np.flatnonzero(other.numbers[at] == between)
        rows, others = shared + begin, at[shared]
        same = self.are_same(rows, other, others)
        return rows[same], others[same]

    def _check(self) -> None:
        assert (self.numbers[1:] > self.numbers[:-1]).all(), "numbers are not in order"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IntegerSegment(NumberSegment):
    """Literals of xsd:integer in their canonical form, as floats: 8 bytes each."""

    suffix: ClassVar[str] = f'"^^{XSD_INTEGER}'
    value_class: ClassVar[ValueClass] = ValueClass.INTEGER
    text_cost: ClassVar[int] = 1

    @classmethod
    def of(cls, numbers: Numbers) -> tuple[IntegerSegment, Rows]:
        """The literals of integers up to `LARGEST_INTEGER`, each once, and the row of each: a sort, or two passes where
        they are close together."""
        least = int(numbers.min(initial=LARGEST_INTEGER))
        if len(numbers) and int(numbers.max()) - least < len(numbers):
            places = numbers - least
            ascending = np.flatnonzero(np.bincount(places))
            by_place = np.empty(int(ascending[-1]) + 1, dtype=np.int64)
            by_place[ascending] = np.arange(len(ascending))
            return cls(0, (ascending + least).astype(np.float64)), by_place[places]
        ascending, rows = numbered(numbers)
        return cls(0, ascending.astype(np.float64)), rows

    @classmethod
    def within(cls, first: int, numbers: Numbers) -> IntegerSegment | None:
        """The segment of numbers that ascend, at least one; None of others, or where one is too large."""
        if int(numbers[0]) < -LARGEST_INTEGER or int(numbers[-1]) > LARGEST_INTEGER:
            return None
        return cls(first, numbers.astype(np.float64)) if bool((numbers[1:] > numbers[:-1]).all()) else None

    @classmethod
    def among(cls, keys: pa.Array, least: int) -> tuple[IntegerSegment, Rows, NDArray[np.bool_]] | None:
        """The literals of a string column of folded keys that are integers of up to 15 digits in their canonical form,
        each once, the row of each of them, and which keys are such; None where they are fewer than `least`: some
        nanoseconds for each key, some ten for each integer."""
        are_integers = mask_of(pc.ends_with(keys, cls.suffix))
        rows = np.flatnonzero(are_integers)
        if len(rows) < least:
            return None
        offsets, data = text_buffers(keys)
        begins, ends = offsets[rows] + np.int64(1), offsets[rows + 1] - np.int64(len(cls.suffix))
        is_negative = (data[begins] == _MINUS) & (ends - begins > 1)
        begins += is_negative
        first, lengths = data[begins], ends - begins
        numbers, usual = numbers_of_digits(data, begins, lengths)
        usual &= (lengths <= EXACT_DIGITS) & ((first != _ZERO) | ((lengths == 1) & ~is_negative))
        np.negative(numbers, out=numbers, where=is_negative)
        are_integers[rows] = usual
        segment, places = cls.of(numbers if usual.all() else numbers[usual])
        return None if len(segment) < least else (segment, places, are_integers)

    @property
    def integers(self) -> Floats | None:
        return self.numbers

    def terms(self) -> tuple[Numbers, ...]:
        return (self.numbers.astype(np.int64),)

    def __getitem__(self, row: int) -> str:
        return f'"{int(self.numbers[row])}{self.suffix}'

    def keys_at(self, rows: Rows) -> pa.Array:
        return integer_keys(self.numbers[rows].astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class QuotientSegment(NumberSegment):
    """Literals of xsd:decimal that are quotients of integers with 28 digits (`quotient_keys`): 8 bytes each, and what
    the dividends and divisors take as integers of as few bytes as hold all of either."""

    suffix: ClassVar[str] = f'"^^{XSD_DECIMAL}'
    value_class: ClassVar[ValueClass] = ValueClass.DECIMAL
    text_cost: ClassVar[int] = 5

    dividends: NDArray[np.signedinteger]
    divisors: NDArray[np.signedinteger]

    @classmethod
    def of(cls, dividends: Numbers, divisors: Numbers) -> tuple[QuotientSegment, Rows]:
        """The literals of quotients, each once, and the row of each: a sort. The largest of the dividends times that of
        the divisors, which are positive, is below `LARGEST_TERMS`."""
        numbers = dividends / divisors
        order = np.argsort(numbers)
        numbers = numbers[order]
        is_new = np.append(True, numbers[1:] != numbers[:-1])[: len(order)]
        rows = np.empty(len(order), dtype=np.int64)
        rows[order] = np.cumsum(is_new) - 1
        if not is_new.all():
            order, numbers = order[is_new], numbers[is_new]
        return cls(0, numbers, _narrowed(dividends)[order], _narrowed(divisors)[order]), rows

    @classmethod
    def within(cls, first: int, dividends: Numbers, divisors: Numbers) -> QuotientSegment | None:
        """The segment of quotients that ascend, at least one; None of others, or where terms are too large."""
        largest = max(int(dividends.max()), -int(dividends.min()))
        if int(divisors.min()) < 1 or largest * int(divisors.max()) >= LARGEST_TERMS:
            return None
        numbers = dividends / divisors
        is_right = int(divisors.max()) <= LARGEST_DIVISOR and bool((numbers[1:] > numbers[:-1]).all())
        return cls(first, numbers, _narrowed(dividends), _narrowed(divisors)) if is_right else None

    def terms(self) -> tuple[Numbers, ...]:
        return self.dividends.astype(np.int64), self.divisors.astype(np.int64)

    def taken(self, first: int, index: Rows | NDArray[np.bool_] | slice) -> QuotientSegment:
        return QuotientSegment(first, self.numbers[index], self.dividends[index], self.divisors[index])

    def __getitem__(self, row: int) -> str:
        return f'"{decimal_text(Decimal(int(self.dividends[row])) / int(self.divisors[row]))}{self.suffix}'

    def keys_at(self, rows: Rows) -> pa.Array:
        return quotient_keys(self.dividends[rows].astype(np.int64), self.divisors[rows].astype(np.int64))

    def values_at(self, rows: Rows) -> ValueColumn:
        return values_of_keys(self.keys_at(rows))

    def are_same(self, rows: Rows, other: QuotientSegment, others: Rows) -> NDArray[np.bool_]:
        # These are so near to each other that they are equal where their last 64 bits are.
        mine = self.dividends[rows] * other.divisors[others].astype(np.int64)
        return np.asarray(mine == other.dividends[others] * self.divisors[rows].astype(np.int64))

    @property
    def nbytes(self) -> int:
        return self.numbers.nbytes + self.dividends.nbytes + self.divisors.nbytes


def _narrowed(numbers: NDArray[np.signedinteger]) -> NDArray[np.signedinteger]:
    """The same integers in as few bytes each as hold all."""
    least, greatest = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= least and greatest <= np.iinfo(kind).max:
            return numbers.astype(kind)
    return numbers
