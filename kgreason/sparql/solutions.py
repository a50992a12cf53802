"""Solutions of a query: bindings of the names of variables."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kgreason.algebra.bindings import Bindings, Mask
from kgreason.algebra.row_keys import Counts, Ids, Index

__all__ = ["Counts", "Ids", "Index", "Mask", "Solutions", "with_rows"]

if TYPE_CHECKING:
    Solutions: TypeAlias = Bindings[str]
else:
    Solutions = Bindings  # called as it is: an alias with arguments takes a microsecond more


def with_rows(rows: Solutions) -> tuple[str, Solutions]:
    """Solutions with a column of the numbers of their rows, and its name, which no variable has."""
    name = next(name for number in count() if (name := f"#{number}") not in rows.columns)
    return name, rows.with_columns({name: np.arange(rows.length, dtype=np.uint32)})
