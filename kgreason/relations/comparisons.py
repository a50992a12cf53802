"""What a comparison of a table with others has found, so that it is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from kgreason.relations.table import Ids, Table


class Comparisons(WeakKeyDictionary["Table", "Ids | None"]):
    """The subjects that may differ, by the table that one is compared with, as long as that is there. What is sent to
    another process has none."""

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        return type(self), ()
