"""Which virtual tables fit together into some bytes, given the closures and plain tables of which they are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kgreason.relations.table import Table


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


def _leaves(table: Table) -> Iterator[Table]:
    """The closures, equivalences and plain tables that a table is made of, each once."""
    yield from {id(step.table): step.table for path in table.paths() for step in path}.values()


def _bytes_of(leaves: Iterable[Table]) -> int:
    return sum(leaf.nbytes + sum(kept.nbytes for kept in leaf.inputs()) for leaf in leaves)
