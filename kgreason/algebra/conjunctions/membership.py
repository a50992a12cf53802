"""Whether rows are facts of a table, asked for one batch after the other: by a table of bits where the ids of a batch
are close to each other, else by a table of hashes, which is made once for all."""

from __future__ import annotations

import numpy as np

from kgreason import tuning
from kgreason.columns import near_pairs, pairs, sorted_columns, sorted_sets
from kgreason.columns.hash_sets import HashSet
from kgreason.columns.pairs import Ids, Keys
from kgreason.relations.plain import keys_of_table
from kgreason.relations.table import Columns, Mask, Table


class Membership:
    """What the evaluation of a conjunction keeps of the tables that it has asked; tables themselves keep nothing."""

    __slots__ = ("_asked", "_hashed")

    def __init__(self) -> None:
        self._asked: dict[int, int] = {}
        self._hashed: dict[int, tuple[Table, HashSet | None]] = {}

    def contains(self, table: Table, columns: Columns) -> Mask:
        """For each row whether it is a fact: as `Table.contains`."""
        count = len(columns[0])
        members = keys_of_table(table) if count >= tuning.HASHED_VALUES else None
        if members is None:
            return table.contains(columns)
        found = np.empty(count, dtype=np.bool_)
        for begin in range(0, count, tuning.HASH_ROWS):
            rows = slice(begin, begin + tuning.HASH_ROWS)
            found[rows] = self._contains(table, members, columns[0][rows], columns[1][rows])
        return found

    def _contains(self, table: Table, members: Keys, left: Ids, right: Ids) -> Mask:
        found = near_pairs.contains(members, left, right)
        if found is not None:
            return found
        self._asked[id(table)] = self._asked.get(id(table), 0) + len(left)
        found = np.empty(len(left), dtype=np.bool_)
        size = max(1, tuning.HASH_ROWS // 2)  # as many as `HashSet` looks up at once
        for begin in range(0, len(left), size):
            rows = slice(begin, begin + size)
            found[rows] = self._found(table, members, pairs.pack(left[rows], right[rows]))
        return found

    def _found(self, table: Table, members: Keys, wanted: Keys) -> Mask:
        """The same of some of the keys that are asked for."""
        if len(members) > tuning.HASHED_MEMBERS * self._asked[id(table)] or sorted_columns.is_sorted(wanted):
            return sorted_sets.contains(members, wanted)
        if id(table) not in self._hashed:
            # With the table, so that no other one gets its number.
            self._hashed[id(table)] = (table, HashSet.of(members))
        hashed = self._hashed[id(table)][1]
        return sorted_sets.contains(members, wanted) if hashed is None else hashed.contains(wanted)
