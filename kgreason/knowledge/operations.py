"""Built-ins on id columns: comparisons as columns of values, others once per distinct combination of terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.rules.bodies import Tick
from kgreason.engine.rules.shapes import Operation, Slot
from kgreason.errors import FunctionError
from kgreason.schemes.scheme import Ids, Mask
from kgreason.terms.column_comparison import COMPARISONS, compared_columns
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.functions import evaluate_lazily, holds
from kgreason.terms.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND
from kgreason.terms.model import Term
from kgreason.terms.value_columns import ValueColumn

_PIECE: Final = 1 << 16

_KINDS: Final = {"isliteral": LITERAL_KIND, "isblank": BLANK_KIND, "isiri": IRI_KIND, "isuri": IRI_KIND}


class Operations:
    """What the engine asks of terms (its `Terms` protocol), answered by a dictionary."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    def literal_mask(self) -> Mask:
        """For each id whether it is a literal."""
        return self._dictionary.literal_mask()

    def test(
        self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: Tick = lambda: None
    ) -> Mask:
        """For each row whether the operation is true; an error is false. `tick` is called before each evaluation."""
        if operation.function in COMPARISONS and not any(isinstance(a, Operation) for a in operation.arguments):
            left, right = (np.broadcast_to(columns[slot], length) for slot in operation.slots())
            return self._compared(operation.function, left, right)
        if operation.function in _KINDS and not isinstance(operation.arguments[0], Operation):
            kinds = self._dictionary.kinds(columns[operation.arguments[0]])
            return np.broadcast_to(kinds == _KINDS[operation.function], length)
        found = np.empty(length, dtype=np.bool_)
        for begin, piece, size in _pieces(columns, length):
            tuples, back = self._distinct(piece, size)
            results = np.fromiter((self._holds(operation, row, tick) for row in tuples), np.bool_, len(tuples))
            found[begin : begin + size] = results[back]
        return found

    def compute(
        self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: Tick = lambda: None
    ) -> tuple[Ids, Mask]:
        """For each row the id of the operation's value, and whether it has one."""
        values = np.zeros(length, dtype=np.uint32)
        defined = np.zeros(length, dtype=np.bool_)
        for begin, piece, size in _pieces(columns, length):
            tuples, back = self._distinct(piece, size)
            found = [self._value(operation, row, tick) for row in tuples]
            known = np.fromiter((value is not None for value in found), np.bool_, len(found))
            ids = np.fromiter((value or 0 for value in found), np.uint32, len(found))
            values[begin : begin + size], defined[begin : begin + size] = ids[back], known[back]
        return values, defined

    def _value(self, operation: Operation, row: Mapping[Slot, int], tick: Tick) -> int | None:
        """The id of the operation's value, None for an error."""
        tick()
        try:
            return self._dictionary.encode(self._evaluate(operation, row))
        except FunctionError:
            return None

    def _compared(self, symbol: str, left: Ids, right: Ids) -> Mask:
        """Two columns compared as filters do it; between other terms than two literals ids decide, without a look at
        values."""
        by_ids = symbol in ("=", "!=")
        result = (left == right) == (symbol == "=") if by_ids else np.zeros(len(left), dtype=np.bool_)
        literal = self.literal_mask()
        rows = np.flatnonzero(literal[left] & literal[right])
        if not len(rows):
            return np.asarray(result, dtype=np.bool_)
        mine, theirs = left[rows], right[rows]
        first, second = self.values_of(mine), self.values_of(theirs)
        truth = compared_columns(symbol, first, second, lambda some: (mine[some], theirs[some]), self)
        result[rows] = truth.true
        return np.asarray(result, dtype=np.bool_)

    def keys(self, identifiers: Ids) -> Sequence[str]:
        """The keys of ids."""
        return self._dictionary.keys(identifiers)

    def values_of(self, identifiers: Ids) -> ValueColumn:
        """The values of ids: O(n) once they were looked at."""
        return self._dictionary.values.of(identifiers)

    @staticmethod
    def _distinct(columns: Mapping[Slot, Ids], length: int) -> tuple[list[dict[Slot, int]], np.ndarray]:
        """The distinct combinations of ids, and for each row the number of its combination."""
        if not columns:
            return [{}], np.zeros(length, dtype=np.int64)
        spread = [np.broadcast_to(column, length) for column in columns.values()]
        _, first, back = np.unique(_codes(spread), return_index=True, return_inverse=True)
        rows = zip(*(column[first].tolist() for column in spread), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows], back

    def _holds(self, operation: Operation, row: Mapping[Slot, int], tick: Tick) -> bool:
        tick()
        try:
            return holds(self._evaluate(operation, row))
        except FunctionError:
            return False

    def _evaluate(self, operation: Operation, row: Mapping[Slot, int]) -> Term:
        arguments = [partial(self._argument, argument, row) for argument in operation.arguments]
        return evaluate_lazily(operation.function, arguments)

    def _argument(self, argument: Operation | Slot, row: Mapping[Slot, int]) -> Term:
        if isinstance(argument, Operation):
            return self._evaluate(argument, row)
        return self._dictionary.decode(row[argument])


def _codes(columns: Sequence[Ids]) -> NDArray[np.uint64]:
    """A number for each row, the same where all columns are the same."""
    codes = columns[0].astype(np.uint64)
    for column in columns[1:]:
        # The numbers of distinct codes, as two ids fill the 64 bits.
        codes = np.unique(codes, return_inverse=True)[1].astype(np.uint64)
        codes = codes << np.uint64(32) | column
    return codes


def _pieces(columns: Mapping[Slot, Ids], length: int) -> Iterator[tuple[int, dict[Slot, Ids], int]]:
    """Columns, so many rows at a time that the clock is looked at often enough: the first row, the columns, and how
    many rows."""
    for begin in range(0, length, _PIECE):
        size = min(_PIECE, length - begin)
        whole = ((slot, np.broadcast_to(column, length)) for slot, column in columns.items())
        yield begin, {slot: column[begin : begin + size] for slot, column in whole}, size
