"""Columns that a plan makes, for many rules at once: expressions where all rules agree, else looked up by the rule.

For each rule a column is one of those that are there, or a constant. Where that differs from rule to rule, a list
by the numbers of rules says which: within the expression where it is short, which spares Spark a broadcast, and in a
table otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa

from kgreason_spark import spark_tuning
from kgreason_spark.materialisation.parameter_frames import Codes

RULE: Final = "rule"
"""The column with the number of a rule in its chain."""

Source: TypeAlias = "str | Codes"
"""What a column is for the rules of a walk: a column that is there, or a constant for each rule."""


_CONSTANT: Final = -1


def is_short(count: int) -> bool:
    """Whether so many numbers are written into an expression."""
    return count <= spark_tuning.INLINE_NUMBERS


def listed(numbers: Codes, index: str) -> str:
    """The number at an index, as an expression of Spark."""
    return f"from_json('{numbers.tolist()}', 'array<bigint>')[CAST({index} AS INT)]"


def each_of(relations: Codes, column: str, *, outer: bool = False) -> str:
    """The positions of a relation among some, as an expression of Spark that gives a row for each; `outer` gives one
    row, null, for a relation that is not among them."""
    distinct, numbers = np.unique(relations, return_inverse=True)
    positions = [np.flatnonzero(numbers.reshape(-1) == number).tolist() for number in range(len(distinct))]
    keys = f"from_json('{distinct.tolist()}', 'array<bigint>')"
    values = f"from_json('{positions}', 'array<array<bigint>>')"
    exploded = "explode_outer" if outer else "explode"
    return f"{exploded}(try_element_at(map_from_arrays({keys}, {values}), {column}))"


@dataclass(slots=True)
class ChainTable:
    """The columns to make: their expressions, and the columns of the table that these read."""

    count: int
    expressions: dict[str, str] = field(default_factory=dict)
    columns: dict[str, Codes] = field(default_factory=dict)

    def add(self, name: str, sources: Sequence[Source], sizes: Sequence[int]) -> None:
        """A column with its source for each walk; `sizes` are the numbers of their rules."""
        constants = [0 if isinstance(source, str) else source for source in sources]
        constant = _concatenated(constants, sizes)
        named = list(dict.fromkeys(source for source in sources if isinstance(source, str)))
        if not named:
            self.expressions[name] = self._constant(f"constant_{name}", constant)
            return
        if len(named) == 1 and all(isinstance(source, str) for source in sources):
            self.expressions[name] = named[0]
            return
        numbers = [named.index(source) if isinstance(source, str) else _CONSTANT for source in sources]
        chosen = _concatenated(numbers, sizes)
        last = named[-1]
        if _CONSTANT in numbers:
            last = self._constant(f"constant_{name}", constant)
        else:
            named = named[:-1]
        source = self._constant(f"source_{name}", chosen)
        cases = " ".join(f"WHEN {number} THEN {column}" for number, column in enumerate(named))
        self.expressions[name] = f"CASE {source} {cases} ELSE {last} END"

    def table(self) -> pa.Table:
        """A row for each rule."""
        return pa.table({RULE: pa.array(np.arange(self.count)), **{n: pa.array(c) for n, c in self.columns.items()}})

    def _constant(self, name: str, values: Codes) -> str:
        if len(values) and (values == values[0]).all():
            return f"{int(values[0])}L"
        if is_short(self.count):
            return listed(values, RULE)
        self.columns[name] = values
        return name


def _concatenated(values: Sequence[int | Codes], sizes: Sequence[int]) -> Codes:
    """One value, or one for each rule, for each walk."""
    both = zip(values, sizes, strict=True)
    return np.concatenate([np.broadcast_to(np.asarray(value, dtype=np.int64), (size,)) for value, size in both])
