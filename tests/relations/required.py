"""A table of a scheme with the required methods alone: all else are the defaults of the protocol."""

from __future__ import annotations

from kgreason.relations.table import Columns, Ids, Index, Table
from kgreason.relations.virtual import VirtualTable


class Required(VirtualTable):
    """The required methods alone, by those of a plain table of any arity."""

    scheme = "required"

    def __init__(self, plain: Table) -> None:
        self.plain = plain

    @property
    def arity(self) -> int:
        return self.plain.arity

    def distinct(self, position: int) -> Ids:
        return self.plain.distinct(position)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        return self.plain.lookup(bound)
