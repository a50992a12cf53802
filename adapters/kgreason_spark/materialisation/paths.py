"""Virtual tables as paths: what to go through, one closure or plain table after the other, from one end to the other.

A union has the paths of its parts, an inverse those of its base from behind, and a chain one for each way to be
continued or not at its ends. So every virtual table, of whatever it is made, is read in steps of one kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from kgreason.schemes.chain import ChainTable
from kgreason.schemes.equivalence import EquivalenceTable
from kgreason.schemes.inverse import InverseTable
from kgreason.schemes.scheme import Table
from kgreason.schemes.union import UnionTable


@dataclass(frozen=True, slots=True)
class Step:
    """A transitive closure, an equivalence or a plain table of pairs, read from its subjects or from its objects."""

    table: Table
    is_inverse: bool = False

    @property
    def reading(self) -> Table:
        """The table whose subjects the step starts from. The labels of an inverse closure are made when first asked."""
        return self.table.inverse() if self.is_inverse else self.table

    def turned(self) -> Step:
        """The same from the other end."""
        return self if isinstance(self.table, EquivalenceTable) else replace(self, is_inverse=not self.is_inverse)


Path: TypeAlias = tuple[Step, ...]


def paths_of(table: Table) -> list[Path]:
    """The paths from the subjects of a table of pairs to their objects; a pair may be at the ends of several."""
    if isinstance(table, InverseTable):
        return [turned(path) for path in paths_of(table.base)]
    if isinstance(table, UnionTable):
        return list(dict.fromkeys(path for part in table.parts for path in paths_of(part)))
    if isinstance(table, ChainTable):
        before, after = (_continuations(closure) for closure in (table.left, table.right))
        return [(*first, *inner, *last) for first, inner, last in product(before, paths_of(table.inner), after)]
    return [(Step(table),)]


def turned(path: Path) -> Path:
    """A path from its other end."""
    return tuple(step.turned() for step in reversed(path))


def fitting(tables: Mapping[int, Table], limit: int) -> dict[int, Table]:
    """As many of the tables as take no more bytes than `limit` together, what they share counted once; small ones
    first."""
    found: dict[int, Table] = {}
    counted: set[int] = set()
    room = limit
    for code, table in sorted(tables.items(), key=lambda item: _bytes_of(_leaves(item[1]))):
        leaves = [leaf for leaf in _leaves(table) if id(leaf) not in counted]
        room -= _bytes_of(leaves)
        if room < 0:
            break
        counted |= set(map(id, leaves))
        found[code] = table
    return found


def _continuations(closure: Table | None) -> list[Path]:
    return [(), *paths_of(closure)] if closure else [()]


def _leaves(table: Table) -> Iterator[Table]:
    """The closures, equivalences and plain tables that a table is made of, each once."""
    yield from {id(step.table): step.table for path in paths_of(table) for step in path}.values()


def _bytes_of(leaves: Iterable[Table]) -> int:
    return sum(leaf.nbytes + sum(kept.nbytes for kept in leaf.inputs()) for leaf in leaves)
