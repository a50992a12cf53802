"""Tables of facts, each written once however often it is referred to: ``[word, part, ...]``, in an order in which a
table comes after those that it is made of.

So what is read is no loop, and shares what was shared. How deep tables refer to tables, and how much they unfold to,
has limits: a table of tables of itself, twice each, would take for ever to be asked anything.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from kgreason.columns import rows, sorted_sets
from kgreason.durable.codec import ColumnReader, ColumnWriter, Json, expect_list
from kgreason.durable.documents import expect, expect_number
from kgreason.errors import KGReasonError, LoadError
from kgreason.knowledge.snapshot_format.bounds import Bounds
from kgreason.knowledge.snapshot_format.closures import read_closure, write_closure
from kgreason.schemes.binary import BinaryTable
from kgreason.schemes.chain import ChainTable
from kgreason.schemes.equivalence import EquivalenceTable
from kgreason.schemes.inverse import InverseTable
from kgreason.schemes.scheme import Table
from kgreason.schemes.transitive.table import TransitiveTable
from kgreason.schemes.unary import UnaryTable
from kgreason.schemes.union import UnaryUnion, UnionTable
from kgreason.schemes.virtual import VirtualPairs
from kgreason.schemes.wide import WideTable

DEPTH: Final = 40
WEIGHT: Final = 1 << 20
"""Tables of tables are so deep at most, and unfold to so many."""
WIDEST: Final = 1 << 10

# Which half of a pair is its object.
_LOW: Final = 0 if sys.byteorder == "little" else 1

Kind = TypeVar("Kind")


class TableWriter:
    """Numbers tables in the order in which they are first asked for, those that they are made of first."""

    def __init__(self, columns: ColumnWriter) -> None:
        self.columns = columns
        self.written: list[Json] = []
        # The tables themselves are kept as well: as long as they are, no other one has their identity.
        self._numbers: dict[int, tuple[int, Any]] = {}

    def number(self, table: Any) -> int:
        """The number of a table; KGReasonError for one of a class that is not registered."""
        known = self._numbers.get(id(table))
        if known is not None:
            return known[0]
        codec = _BY_CLASS.get(type(table))
        if codec is None:
            raise KGReasonError(f"something cannot be kept in a file: {type(table).__name__}")
        word, write = codec
        parts = write(table, self)
        number = len(self.written)
        self.written.append([word, *parts])
        self._numbers[id(table)] = number, table
        return number

    def optional(self, table: Any) -> int | None:
        """The number of a table, None for none."""
        return None if table is None else self.number(table)


@dataclass(slots=True)
class TableReader:
    """Reads tables in their order."""

    columns: ColumnReader
    bounds: Bounds
    tables: list[Table] = field(default_factory=list)
    _depths: list[int] = field(default_factory=list)
    _weights: list[int] = field(default_factory=list)
    _used: list[int] = field(default_factory=list)

    def read(self, written: Json) -> None:
        """Read all tables; LoadError for what is none."""
        for parts in expect(written, list, "tables"):
            what = f"table {len(self.tables)}"
            if not expect(parts, list, what) or type(parts[0]) is not str or parts[0] not in _BY_WORD:
                raise LoadError(f"damaged: {what} is of no kind that there is")
            count, read = _BY_WORD[parts[0]]
            self._used = []
            try:
                table = read(expect_list(parts, count + 1, what)[1:], self)
            except ValueError as error:
                raise LoadError(f"damaged: {what}: {error}") from error
            except LoadError as error:
                raise LoadError(str(error).replace("damaged: ", f"damaged: {what}, {parts[0]}: ", 1)) from None
            depth = 1 + max((self._depths[number] for number in self._used), default=0)
            weight = 1 + sum(self._weights[number] for number in self._used)
            if depth > DEPTH or weight > WEIGHT:
                raise LoadError(f"damaged: {what}, {parts[0]}: nested too deep, or too large")
            self.tables.append(table)
            self._depths.append(depth)
            self._weights.append(weight)

    def table(self, number: Json, kind: type[Kind], what: str, arity: int | None = None) -> Kind:
        """A table that was read, of some class; LoadError where it is not."""
        found = self.tables[expect_number(number, what, 0, len(self.tables) - 1)]
        if not isinstance(found, kind) or (arity is not None and found.arity != arity):
            raise LoadError(f"damaged: {what} is a table of another kind, {found.scheme}")
        self._used.append(number)
        return found

    def optional(self, number: Json, kind: type[Kind], what: str, arity: int | None = None) -> Kind | None:
        """The same, or None for none."""
        return None if number is None else self.table(number, kind, what, arity)

    def many(self, numbers: Json, what: str, arity: int) -> list[Table]:
        """Tables that were read, of an arity."""
        return [self.table(number, object, what, arity) for number in expect(numbers, list, what)]  # type: ignore[misc]


Write: TypeAlias = Callable[[Any, TableWriter], list[Json]]
Read: TypeAlias = Callable[[list[Json], TableReader], Table]


def _write_bitmap(table: UnaryTable, to: TableWriter) -> list[Json]:
    return [to.columns.data(table.members.serialize())]


def _read_bitmap(parts: list[Json], of: TableReader) -> Table:
    data = of.columns.data(parts[0], "its set")
    members = BitMap.deserialize(bytes(data)) if len(data) else BitMap()  # ValueError for what is no bitmap
    if not members or members.max() >= of.bounds.terms:
        raise LoadError("damaged: its set: empty, or with an id of no term")
    return UnaryTable(members)


def _write_pairs(table: BinaryTable, to: TableWriter) -> list[Json]:
    blocks, mirror, ends = table.parts()
    numbers = [[position, count] for position, count in ends.items()]
    return [[to.columns.numbers(block) for block in blocks], to.optional(mirror), numbers]


def _read_pairs(parts: list[Json], of: TableReader) -> Table:
    base, added, removed = (
        of.columns.numbers(part, np.uint64, "a block of pairs") for part in expect_list(parts[0], 3, "its blocks")
    )
    for block in (base, added, removed):
        check_sorted(block, "a block of pairs")
        if len(block):
            of.bounds.check_ids(block[-1:] >> np.uint64(32), "subjects")
            of.bounds.check_ids(block.view(np.uint32)[_LOW::2], "objects")
    if bool(sorted_sets.contains(base, added).any()) or not bool(sorted_sets.contains(base, removed).all()):
        raise LoadError("damaged: a pair that came was there, or one that went was not")
    mirror = of.optional(parts[1], BinaryTable, "its mirror")
    if mirror is not None and len(mirror) != len(base) + len(added) - len(removed):
        raise LoadError("damaged: its mirror has another length")
    ends: dict[int, int] = {}
    for entry in expect(parts[2], list, "its ends"):
        position, count = expect_list(entry, 2, "its ends")
        ends[expect_number(position, "an end", 0, 1)] = expect_number(count, "a count of ends", 0, 1 << 32)
    return BinaryTable.of_parts((base, added, removed), mirror, ends)


def _write_rows(table: WideTable, to: TableWriter) -> list[Json]:
    return [table.arity, to.columns.numbers(table.packed().view(np.uint8))]


def _read_rows(parts: list[Json], of: TableReader) -> Table:
    arity = expect_number(parts[0], "its arity", 3, WIDEST)
    packed = of.columns.numbers(parts[1], np.uint8, "its rows")
    if len(packed) % (4 * arity):
        raise LoadError("damaged: its rows are not whole")
    found = packed.view(f"S{4 * arity}")
    check_sorted(found, "its rows")
    for column in rows.unpack(found, arity):
        of.bounds.check_ids(column, "its rows")
    return WideTable(arity, found)


def _write_equivalence(table: EquivalenceTable, to: TableWriter) -> list[Json]:
    members, starts = table.parts()
    return [to.number(table.edges), to.columns.numbers(members), to.columns.numbers(starts)]


def _read_equivalence(parts: list[Json], of: TableReader) -> Table:
    edges = of.table(parts[0], BinaryTable, "its edges")
    members = of.columns.numbers(parts[1], np.uint32, "its members")
    starts = of.columns.numbers(parts[2], np.int64, "where its components begin")
    of.bounds.check_ids(members, "its members")
    check_starts(starts, len(members), "its components")
    table = EquivalenceTable(edges, members, starts)
    check_sorted(table.subjects(), "its members, in order")
    return table


def check_starts(starts: NDArray[np.int64], end: int, what: str) -> None:
    """Raise LoadError unless these are where parts of one element at least begin, and the end of the last one."""
    if not len(starts) or starts[0] != 0 or starts[-1] != end or not bool((starts[1:] > starts[:-1]).all()):
        raise LoadError(f"damaged: {what} do not follow each other")


def check_sorted(column: NDArray[Any], what: str) -> None:
    """Raise LoadError unless each element is greater than the one before: O(n)."""
    if not bool((column[1:] > column[:-1]).all()):
        raise LoadError(f"damaged: {what}: not in order, or twice the same")


def _write_transitive(table: TransitiveTable, to: TableWriter) -> list[Json]:
    mirror, behind = table.kept_mirror()
    edges = to.number(table.edges)
    later = None if behind is None else [to.number(part) for part in behind]
    return [edges, write_closure(table.closure, to.columns), to.optional(mirror), later]


def _read_transitive(parts: list[Json], of: TableReader) -> Table:
    edges = of.table(parts[0], BinaryTable, "its edges")
    closure = read_closure(parts[1], edges, of.columns, of.bounds)
    mirror = of.optional(parts[2], TransitiveTable, "its mirror")
    behind = None
    if parts[3] is not None:
        before, added, removed = expect_list(parts[3], 3, "what its mirror lacks")
        behind = (
            of.table(before, TransitiveTable, "its mirror before"),
            of.table(added, BinaryTable, "edges that came"),
            of.table(removed, BinaryTable, "edges that went"),
        )
    return TransitiveTable.with_mirror(closure, mirror, behind)


def _write_union(table: UnionTable, to: TableWriter) -> list[Json]:
    return [[to.number(source) for source in table.sources]]


def _write_unary_union(table: UnaryUnion, to: TableWriter) -> list[Json]:
    return [[to.number(part) for part in table.parts]]


def _read_unary_union(parts: list[Json], of: TableReader) -> Table:
    return UnaryUnion([of.table(part, UnaryTable, "its part") for part in expect(parts[0], list, "its parts")])


def _write_chain(table: ChainTable, to: TableWriter) -> list[Json]:
    owned = [to.number(part) for part in table.owned]
    return [to.number(table.inner), to.optional(table.left), to.optional(table.right), owned]


def _read_chain(parts: list[Json], of: TableReader) -> Table:
    inner: Any = of.table(parts[0], object, "its pairs", 2)
    left: Any = of.optional(parts[1], object, "what comes before", 2)
    right: Any = of.optional(parts[2], object, "what comes after", 2)
    return ChainTable(inner, left, right, of.many(parts[3], "what it owns", 2))


_CODECS: Final[dict[str, tuple[type, int, Write, Read]]] = {
    "bitmap": (UnaryTable, 1, _write_bitmap, _read_bitmap),
    "pairs": (BinaryTable, 3, _write_pairs, _read_pairs),
    "rows": (WideTable, 2, _write_rows, _read_rows),
    "equivalence": (EquivalenceTable, 3, _write_equivalence, _read_equivalence),
    "transitive": (TransitiveTable, 4, _write_transitive, _read_transitive),
    "inverse": (
        *(InverseTable, 1, lambda table, to: [to.number(table.base)]),
        lambda parts, of: InverseTable(of.table(parts[0], VirtualPairs, "its base")),  # type: ignore[type-abstract]
    ),
    "union": (UnionTable, 1, _write_union, lambda parts, of: UnionTable(of.many(parts[0], "its sources", 2))),
    "union of sets": (UnaryUnion, 1, _write_unary_union, _read_unary_union),
    "chain": (ChainTable, 4, _write_chain, _read_chain),
}
_BY_CLASS: Final[dict[type, tuple[str, Write]]] = {kind: (word, write) for word, (kind, _, write, _) in _CODECS.items()}
_BY_WORD: Final[dict[str, tuple[int, Read]]] = {word: (count, read) for word, (_, count, _, read) in _CODECS.items()}
