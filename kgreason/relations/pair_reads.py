"""What a plain table of pairs is asked.

Reads by subject go to the sorted keys. Reads by object go to the mirror, the same pairs sorted the other way round. It
takes as long to make as a hundred scans, so that the first few objects are found by scans instead; from then on it is
kept up with small changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np

from kgreason import tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps, pair_scans, pairs, sorted_sets
from kgreason.columns.id_columns import repeated
from kgreason.columns.pairs import Keys
from kgreason.relations import blocks, default_reads, pair_blocks, table_tuning
from kgreason.relations.block_notes import BlockNotes
from kgreason.relations.block_table import BlockTable
from kgreason.relations.default_reads import row_blocks
from kgreason.relations.pair_blocks import NO_KEYS
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Mask


class PairReads(BlockTable):
    """The reads of an immutable set of pairs."""

    __slots__ = ("_columns", "_ends", "_mirror", "_notes", "_scanned", "_scans")

    arity = 2
    scheme = "pairs"

    def __init__(self, base: Keys, added: Keys = NO_KEYS, removed: Keys = NO_KEYS) -> None:
        """Take over sorted distinct keys, which must not change from now on."""
        super().__init__(base, added, removed)
        self._mirror: Self | None = None
        self._ends: dict[int, int] = {}
        self._notes = BlockNotes(base)
        self._scans = 0
        self._scanned: dict[int, Ids] = {}
        self._columns: Columns | None = None

    @property
    def nbytes(self) -> int:
        mirrored = self._mirror.nbytes if self._mirror is not None else 0
        scanned = sum(found.nbytes for found in [*self._scanned.values()])
        return sum(block.nbytes for block in self._blocks) + self._notes.nbytes + scanned + mirrored

    def columns(self) -> Columns:
        """Those of few pairs are kept, since each rule that reads a small change asks for them."""
        if self._columns is not None:
            return self._columns
        keys = self.keys()
        found = pairs.subjects(keys), pairs.objects(keys)
        if len(keys) <= table_tuning.KEPT_COLUMNS:
            self._columns = found
        return found

    def chunks(self) -> Iterator[Columns]:
        """Without a merge where facts were only removed since, as from what a difference gives."""
        base, added, removed = self._blocks
        if len(added):
            base, removed = self.keys(), NO_KEYS
        for begin in range(0, len(base), table_tuning.PLAIN_CHUNK):
            part = base[begin : begin + table_tuning.PLAIN_CHUNK]
            first, last = removed.searchsorted(part[0]), removed.searchsorted(part[-1], side="right")
            part = sorted_sets.difference(part, removed[first:last])
            if len(part):
                yield pairs.subjects(part), pairs.objects(part)

    def distinct(self, position: int) -> Ids:
        keys = self.keys()
        return pairs.distinct_subjects(keys) if position == 0 else bitmaps.distinct(pairs.objects(keys))

    def by_group(self, width: int, most: int) -> Iterator[tuple[Columns, Index, Columns]]:
        keys = self.keys()
        begins = pairs.run_begins(keys)
        bounds = np.append(begins, len(keys))
        counts = np.diff(bounds)
        for first, last in pairs.runs_within(counts, most):
            checkpoint()
            part, mine = keys[bounds[first] : bounds[last]], begins[first:last]
            # The subjects as a view: hardly any reader looks at them again.
            facts = pairs.subjects_within(part), pairs.objects(part)
            yield (pairs.subjects(keys[mine]),), mine - bounds[first], facts

    def fanouts(self) -> tuple[Ids, Index]:
        keys = self.keys()
        begins = pairs.run_begins(keys)
        return pairs.subjects(keys[begins]), np.diff(begins, append=len(keys))

    def inverse(self) -> Self:
        """The mirror: one sort when first asked for, then kept up with small changes."""
        if self._mirror is None:
            # Block by block: merged first, this would share no block any more with the version before.
            self._mirror = type(self)(*map(pairs.mirrored, self._blocks))
            self._scanned = {}
        return self._mirror._settled(self._mirror._limit())

    def _subjects_of(self, object: int) -> Ids:
        """The sorted subjects of one object: from the mirror, or while few are asked for by a scan."""
        if self._mirror is None and self._scans >= table_tuning.SCANS:
            self.inverse()
        if self._mirror is not None:
            return self._mirror.objects_of(object)
        known, (base, added, _) = self._scanned.get(object), self._blocks
        if known is not None:
            return known
        notes = self._notes_of(base)
        if self._scans >= table_tuning.NOTED_SCANS:
            notes.objects()
        if not notes.may_have_object(object):
            return pair_scans.subjects_of(added, object)
        self._scans += 1
        found = self._scanned[object] = pair_blocks.subjects_of(self._blocks, object)
        return found

    def _scans_for(self, objects: Ids) -> bool:
        """Whether the pairs of many objects are found by a scan: in a large table without a mirror, a few times, unless
        these are few beside their highest id."""
        if self._mirror is not None or self._size < table_tuning.SCANNED_PAIRS:
            return False
        if self._scans + table_tuning.MANY_OBJECTS_SCANS > table_tuning.SCANS:
            return False
        if int(objects.max(initial=0)) > tuning.DENSE_KEYS * self._size:
            return False
        self._scans += table_tuning.MANY_OBJECTS_SCANS
        return True

    def _mirror_for(self, objects: Ids) -> Self:
        """A table of the inverse pairs, at least of some objects: the mirror, or of a large table without one what a
        scan finds, where that is less than half."""
        found = pair_blocks.of_objects(self._blocks, objects) if self._scans_for(objects) else None
        return self.inverse() if found is None else type(self)(*map(pairs.mirrored, found))

    def has(self, fact: tuple[int, ...]) -> bool:
        return pair_blocks.has(self._blocks, fact[0] << 32 | fact[1])

    def contains(self, columns: Columns) -> Mask:
        if len(columns[0]) == 1:  # a change of one fact, or a constant in a query, also below
            return np.array([self.has((columns[0].item(), columns[1].item()))])
        return self.contains_keys(pairs.pack(columns[0], columns[1]))

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        if len(identifiers) == 1:
            return np.array([len(self.image_of(position, identifiers.item())) > 0])
        return pair_blocks.has_subjects((self if position == 0 else self.inverse())._blocks, identifiers)

    def has_id(self, position: int, identifier: int) -> bool:
        if position == 1 and self._mirror is None:
            return len(self._subjects_of(identifier)) > 0
        return pair_blocks.has_subject((self if position == 0 else self.inverse())._blocks, identifier)

    def fanout_of(self, position: int, identifier: int) -> int:
        return len(self.image_of(position, identifier))

    def fanout(self, position: int, identifiers: Ids) -> Index:
        if len(identifiers) == 1:
            return np.array([self.fanout_of(position, identifiers.item())])
        return pair_blocks.fanout((self if position == 0 else self.inverse())._blocks, identifiers)

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        if position == 1 and self._mirror is None and self._size > table_tuning.SAMPLED_KEYS:
            return pair_blocks.sampled_object_fanout(self._blocks, identifiers)
        return super().expected_fanout(position, identifiers)

    def distinct_estimate(self, position: int) -> int:
        # Versions that differ by little share what was found for one of them.
        if position not in self._ends:
            base, mirror = self._blocks[0], self._mirror
            if position == 0:
                self._ends[0] = pairs.estimated_subjects(base)
            else:
                self._ends[1] = mirror.distinct_estimate(0) if mirror else self._notes_of(base).objects().count
        return self._ends[position]

    def _merged_into(self, base: Keys) -> None:
        self._notes_of(base)

    def _notes_of(self, base: Keys) -> BlockNotes:
        self._notes = notes = self._notes.of(base)
        return notes

    def largest_fanout(self, position: int) -> int:
        if position == 1:
            return self.inverse().largest_fanout(0)
        base, added, _ = self._blocks
        return self._notes_of(base).longest_run() + len(added)

    def survey(self) -> None:
        super().survey()
        if self._mirror is not None:
            self._mirror.largest_fanout(0)

    def contains_keys(self, wanted: Keys) -> Mask:
        return blocks.contains(self._blocks, wanted, pairs.contains)

    def select(self, bound: dict[int, int]) -> Columns:
        if not bound:
            return self.columns()
        if len(bound) == 2:
            columns = (np.array([bound[0]], dtype=np.uint32), np.array([bound[1]], dtype=np.uint32))
            found = self.contains(columns)
            return columns[0][found], columns[1][found]
        ((position, wanted),) = bound.items()
        others = np.ascontiguousarray(self.image_of(position, wanted))
        same = repeated(wanted, len(others))
        return (same, others) if position == 0 else (others, same)

    def objects_of(self, subject: int) -> Ids:
        """The sorted objects of one subject: O(log n), as a view, where nothing has changed lately, else O(output)."""
        return pair_blocks.objects_of(self._blocks, subject)

    def image_of(self, position: int, identifier: int) -> Ids:
        return self.objects_of(identifier) if position == 0 else self._subjects_of(identifier)

    def image(self, position: int, identifiers: Ids) -> Ids:
        """No pairs are made. Without a mirror, many objects are looked for by a scan."""
        if len(identifiers) == 1:
            return np.ascontiguousarray(self.image_of(position, identifiers.item()))
        if position == 1 and self.merged_keys() is not None and self._scans_for(identifiers):
            return pair_scans.subjects_of_any(self.keys(), identifiers)
        table = self if position == 0 else self.inverse()
        members = NO_IDS
        for rows in row_blocks(self, position, identifiers):
            found = bitmaps.distinct(pair_blocks.image(table._blocks, identifiers[rows]))
            members = sorted_sets.union(members, found)
        return members

    def few_of(self, position: int, identifier: int, most: int) -> list[int] | None:
        table = self if position == 0 else self._mirror
        if table is None:
            return super().few_of(position, identifier, most)
        return pair_blocks.few_objects(table._blocks, identifier, most)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        ((position, wanted),) = bound.items()
        if position == 1:
            if len(wanted) == 1:
                found = np.ascontiguousarray(self._subjects_of(wanted.item()))
                return np.zeros(len(found), dtype=np.int64), (found, wanted.repeat(len(found)))
            index, (objects, subjects) = self._mirror_for(wanted).lookup({0: wanted})
            return index, (subjects, objects)
        if len(wanted) == 1:
            found = np.ascontiguousarray(self.objects_of(wanted.item()))
            return np.zeros(len(found), dtype=np.int64), (wanted.repeat(len(found)), found)
        index, keys = pair_blocks.lookup(self._blocks, wanted)
        return index, (pairs.subjects(keys), pairs.objects(keys))

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        ((position, wanted),) = bound.items()
        if position == 0 or len(wanted) == 1:
            return default_reads.lookups(self, bound, most)
        found = self._mirror_for(wanted).lookups({0: wanted}, most)
        return ((index, (subjects, objects)) for index, (objects, subjects) in found)
