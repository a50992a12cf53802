"""Built-ins on id columns: comparisons as columns of values, others once per distinct combination of terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from kgreason.engine.rules.shapes import Operation, Slot
from kgreason.errors import FunctionError
from kgreason.schemes.scheme import Ids, Mask
from kgreason.terms.column_comparison import COMPARISONS, compared_columns
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.functions import evaluate, holds
from kgreason.terms.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND
from kgreason.terms.model import Term
from kgreason.terms.value_columns import ValueColumn

_KINDS: Final = {"isliteral": LITERAL_KIND, "isblank": BLANK_KIND, "isiri": IRI_KIND, "isuri": IRI_KIND}


class Operations:
    """What the engine asks of terms (its `Terms` protocol), answered by a dictionary."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    def literal_mask(self) -> Mask:
        """For each id whether it is a literal."""
        return self._dictionary.literal_mask()

    def test(self, operation: Operation, columns: Mapping[Slot, Ids], length: int) -> Mask:
        """For each row whether the operation is true; an error is false."""
        if operation.function in COMPARISONS and not any(isinstance(a, Operation) for a in operation.arguments):
            left, right = (np.broadcast_to(columns[slot], length) for slot in operation.slots())
            return self._compared(operation.function, left, right)
        if operation.function in _KINDS and not isinstance(operation.arguments[0], Operation):
            kinds = self._dictionary.kinds(columns[operation.arguments[0]])
            return np.broadcast_to(kinds == _KINDS[operation.function], length)
        tuples, back = self._distinct(columns, length)
        results = np.fromiter((self._holds(operation, row) for row in tuples), np.bool_, len(tuples))
        return np.asarray(results[back], dtype=np.bool_)

    def compute(self, operation: Operation, columns: Mapping[Slot, Ids], length: int) -> tuple[Ids, Mask]:
        """For each row the id of the operation's value, and whether it has one."""
        tuples, back = self._distinct(columns, length)
        values = np.zeros(len(tuples), dtype=np.uint32)
        defined = np.zeros(len(tuples), dtype=np.bool_)
        for number, row in enumerate(tuples):
            try:
                values[number] = self._dictionary.encode(self._evaluate(operation, row))
                defined[number] = True
            except FunctionError:
                continue
        return values[back], defined[back]

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
        spread = np.stack([np.broadcast_to(column, length) for column in columns.values()], axis=1)
        rows, back = np.unique(spread, axis=0, return_inverse=True)
        return [dict(zip(columns, row, strict=True)) for row in rows.tolist()], back.reshape(-1)

    def _holds(self, operation: Operation, row: Mapping[Slot, int]) -> bool:
        try:
            return holds(self._evaluate(operation, row))
        except FunctionError:
            return False

    def _evaluate(self, operation: Operation, row: Mapping[Slot, int]) -> Term:
        if operation.function in ("&&", "||", "if", "coalesce"):
            return self._evaluate_lazily(operation, row)
        return evaluate(operation.function, [self._argument(argument, row) for argument in operation.arguments])

    def _argument(self, argument: Operation | Slot, row: Mapping[Slot, int]) -> Term:
        if isinstance(argument, Operation):
            return self._evaluate(argument, row)
        return self._dictionary.decode(row[argument])

    def _evaluate_lazily(self, operation: Operation, row: Mapping[Slot, int]) -> Term:
        """The functions of SPARQL that look at an argument only where they need it."""
        arguments = operation.arguments
        if operation.function == "if":
            chosen = arguments[1] if holds(self._argument(arguments[0], row)) else arguments[2]
            return self._argument(chosen, row)
        error: FunctionError | None = None
        for argument in arguments:
            try:
                value = self._argument(argument, row)
                if operation.function == "coalesce" or holds(value) == (operation.function == "||"):
                    return value if operation.function == "coalesce" else evaluate("boolean", [value])
            except FunctionError as caught:
                error = caught
        if error is not None:
            raise error
        return evaluate("boolean", [value])
