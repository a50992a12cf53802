"""Tables of facts, each written once however often it is referred to: ``[word, part, ...]``, in an order in which a
table comes after those that it is made of.

So a table that is read cannot contain itself, and shared tables stay shared. The depth of tables of tables and the
number that they unfold to are limited: a chain of tables that refer twice to the one before would hardly ever be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kgreason.disk.codec import ColumnReader, ColumnWriter, Json, expect_list
from kgreason.disk.json_documents import expect, expect_number
from kgreason.disk.snapshot_format.bounds import Bounds
from kgreason.errors import DamageError, WriteError, located, one_line
from kgreason.relations.stored import ReadTable
from kgreason.relations.table import Table
from kgreason.relations.table_readers import TABLE_READERS

DEPTH: Final = 40
WEIGHT: Final = 1 << 20
"""The largest depth of tables of tables, and the largest number that they unfold to."""


class TableWriter:
    """Numbers tables in the order in which they are first asked for, those that they are made of first."""

    def __init__(self, columns: ColumnWriter) -> None:
        self.columns = columns
        self.written: list[Json] = []
        # The tables themselves are kept as well: as long as they are, no other one has their identity.
        self._numbers: dict[int, tuple[int, Table]] = {}

    def table(self, table: Table) -> int:
        """The number of a table; WriteError for one that has no stored form."""
        known = self._numbers.get(id(table))
        if known is not None:
            return known[0]
        kind = type(table)
        # A derived class would be read again as the one that it inherits the name from.
        if vars(kind).get("stored_as") is None:
            reason = f"tables of the scheme {table.scheme!r} ({kind.__name__}) cannot be written to a file"
            raise WriteError(reason, part="snapshot")
        parts = table.write(self)
        number = len(self.written)
        self.written.append([table.stored_as, *parts])
        self._numbers[id(table)] = number, table
        return number

    def optional(self, table: Table | None) -> int | None:
        """The number of a table, None for none."""
        return None if table is None else self.table(table)

    def numbers(self, column: NDArray[Any]) -> Json:
        """A reference to an array of one dimension."""
        return self.columns.numbers(column)

    def data(self, data: bytes | bytearray | memoryview) -> Json:
        """A reference to bytes."""
        return self.columns.data(data)


@dataclass(slots=True)
class TableReader:
    """Reads tables in their order, those of schemes that are not kgreason's own by `others`."""

    columns: ColumnReader
    bounds: Bounds
    others: Mapping[str, ReadTable] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    _depths: list[int] = field(default_factory=list)
    _weights: list[int] = field(default_factory=list)
    _used: list[int] = field(default_factory=list)

    def read(self, written: Json) -> None:
        """Read all tables; LoadError for anything else."""
        readers = {**self.others, **TABLE_READERS}
        for parts in expect(written, list, "tables"):
            what = f"table {len(self.tables)}"
            if not expect(parts, list, what) or type(parts[0]) is not str or parts[0] not in readers:
                raise DamageError("of an unknown kind", part=what)
            self._used = []
            try:
                reader = readers[parts[0]]
                with located(part=f"{what}, {parts[0]}"):
                    table = reader.read(expect_list(parts, reader.count + 1, what)[1:], self)
            except ValueError as error:
                raise DamageError(one_line(error), part=what) from error
            depth = 1 + max((self._depths[number] for number in self._used), default=0)
            weight = 1 + sum(self._weights[number] for number in self._used)
            if depth > DEPTH or weight > WEIGHT:
                raise DamageError("nested too deep, or too large", part=f"{what}, {parts[0]}")
            self.tables.append(table)
            self._depths.append(depth)
            self._weights.append(weight)

    # -- what tables are made of (kgreason.relations.stored.PartReader) ---------------------------------------------

    @property
    def terms(self) -> int:
        """How many terms there are."""
        return self.bounds.terms

    def table(self, number: Json, what: str, arity: int) -> Table:
        """A table that was read, of an arity; LoadError where it is not."""
        found = self.tables[expect_number(number, what, 0, len(self.tables) - 1)]
        if found.arity != arity:
            raise DamageError(f"a table of another kind, {found.scheme}", part=what)
        self._used.append(number)
        return found

    def optional(self, number: Json, what: str, arity: int) -> Table | None:
        """The same, or None for none."""
        return None if number is None else self.table(number, what, arity)

    def numbers(self, part: Json, dtype: DTypeLike, what: str) -> NDArray[Any]:
        """An array of a type, read-only; LoadError otherwise."""
        return self.columns.numbers(part, dtype, what)

    def data(self, part: Json, what: str) -> memoryview:
        """Bytes; LoadError otherwise."""
        return self.columns.data(part, what)

    def number(self, part: Json, what: str, least: int, most: int) -> int:
        """A whole number within bounds; LoadError otherwise."""
        return expect_number(part, what, least, most)

    def flag(self, part: Json, what: str) -> bool:
        """True or false; LoadError otherwise."""
        return bool(expect(part, bool, what))

    def entries(self, part: Json, length: int | None, what: str) -> list[Json]:
        """A list, of a length unless that is None; LoadError otherwise."""
        found: list[Json] = expect(part, list, what) if length is None else expect_list(part, length, what)
        return found

    def check_ids(self, identifiers: NDArray[np.integer], what: str) -> None:
        """Raise LoadError unless all are ids of terms: O(n)."""
        self.bounds.check_ids(identifiers, what)
