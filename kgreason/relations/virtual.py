"""Virtual tables: all that a reader may ask of a table, from which ids are at a position, and which facts have an id
there.

A virtual table holds no facts. Its inverse and its difference from another table are views (`inverse`,
`table_difference`).
"""

from __future__ import annotations

from kgreason.relations.inverse import InverseTable
from kgreason.relations.table import Table
from kgreason.relations.table_difference import difference_view
from kgreason.relations.unwritten import UnwrittenTable


class VirtualTable(UnwrittenTable):
    """A table whose facts are not written out; immutable. `arity`, `scheme`, `distinct` and `lookup` are required."""

    def inverse(self) -> Table:
        """A view: the same table, asked for the other position."""
        return self if self.arity == 1 else InverseTable(self) if self.arity == 2 else self.materialised().inverse()

    def difference(self, other: Table) -> Table:
        """Of tables of pairs a view, which looks at facts when it is read; else a plain table."""
        if self.arity != 2 and other:
            return self.materialised().difference(other)
        return difference_view(self, other)
