"""Built-ins on id columns: evaluated once per distinct combination of terms, on the terms themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from kgreason.engine.rules.shapes import Operation, Slot
from kgreason.errors import FunctionError
from kgreason.schemes.scheme import Ids, Mask
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.functions import evaluate, holds
from kgreason.terms.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND
from kgreason.terms.model import Term

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
        if operation.function in ("=", "!=") and all(not isinstance(a, Operation) for a in operation.arguments):
            return self._test_equality(operation, columns, length)
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

    def _test_equality(self, operation: Operation, columns: Mapping[Slot, Ids], length: int) -> Mask:
        """Ids decide, except between two different literals, which may have the same value."""
        left, right = (np.broadcast_to(columns[slot], length) for slot in operation.arguments)  # type: ignore[index]
        same = left == right
        wanted = operation.function == "="
        result = same if wanted else ~same
        literal = self.literal_mask()
        open_rows = np.flatnonzero(literal[left] & literal[right])
        if len(open_rows):
            chosen = {slot: np.broadcast_to(column, length)[open_rows] for slot, column in columns.items()}
            tuples, back = self._distinct(chosen, len(open_rows))
            values = np.fromiter((self._holds(operation, row) for row in tuples), np.bool_, len(tuples))
            result[open_rows] = values[back]
        return np.asarray(result, dtype=np.bool_)

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
