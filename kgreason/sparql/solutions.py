"""Solutions of a query: bindings of the names of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from kgreason.algebra.bindings import Bindings, Mask
from kgreason.algebra.row_keys import Counts, Ids, Index

__all__ = ["Counts", "Ids", "Index", "Mask", "Solutions"]

if TYPE_CHECKING:
    Solutions: TypeAlias = Bindings[str]
else:
    Solutions = Bindings  # called as it is: an alias with arguments takes a microsecond more
