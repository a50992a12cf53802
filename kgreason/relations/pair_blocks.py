"""A set of pairs in blocks of keys (`blocks`), as it is asked for ids."""

from __future__ import annotations

from functools import partial

import numpy as np

from kgreason.columns import pair_scans, pairs, sorted_sets
from kgreason.columns.pairs import Keys
from kgreason.errors import DamageError
from kgreason.relations import blocks as any_blocks
from kgreason.relations import table_tuning
from kgreason.relations.blocks import Blocks
from kgreason.relations.stored import Part, PartReader, check_sorted
from kgreason.relations.table import Ids, Index, Mask

NO_KEYS: Keys = np.empty(0, dtype=np.uint64)


def has(blocks: Blocks, wanted: int) -> bool:
    """Whether one key is there: O(log n)."""
    base, added, removed = blocks
    if len(added) and pairs.has_key(added, wanted):
        return True
    return pairs.has_key(base, wanted) and not (len(removed) and pairs.has_key(removed, wanted))


def has_subjects(blocks: Blocks, subjects: Ids) -> Mask:
    """For each id, in any order, whether it is the subject of a pair: O(k log n)."""
    base, added, removed = blocks
    found = pairs.has_subjects(base, subjects)
    if len(removed):
        doubtful = np.flatnonzero(found & pairs.has_subjects(removed, subjects))
        (begin, end), (first, last) = (pairs.ranges(block, subjects[doubtful]) for block in (base, removed))
        found[doubtful] = end - begin > last - first
    return found | pairs.has_subjects(added, subjects) if len(added) else found


def has_subject(blocks: Blocks, subject: int) -> bool:
    """Whether one id is the subject of a pair: O(log n)."""
    base, added, removed = blocks
    if len(removed):
        return fanout_of(blocks, subject) > 0
    return pairs.has_subject(base, subject) or (len(added) > 0 and pairs.has_subject(added, subject))


def sampled_object_fanout(blocks: Blocks, objects: Ids) -> float:
    """About how many pairs have one of some ids, at least one, as their object, by `SAMPLED_KEYS` pairs."""
    step = len(blocks[0]) // table_tuning.SAMPLED_KEYS + 1
    return any_blocks.sampled_fanout(pairs.objects(blocks[0][::step]), step, objects)


def fanout(blocks: Blocks, subjects: Ids) -> Index:
    """For each id, in any order, how many pairs it is the subject of: O(k log n)."""
    return any_blocks.counts(any_blocks.runs_of(blocks, partial(pairs.ranges, wanted=subjects)))


def fanout_of(blocks: Blocks, subject: int) -> int:
    """How many pairs one subject has: O(log n)."""
    base, added, removed = blocks
    begin, end = pairs.run_of(base, subject)
    count = end - begin
    for block, sign in ((added, 1), (removed, -1)):
        if len(block):
            begin, end = pairs.run_of(block, subject)
            count += sign * (end - begin)
    return count


def objects_of(blocks: Blocks, subject: int) -> Ids:
    """The sorted objects of one subject, as a view of the large block where the small ones say nothing of it:
    O(log n), else O(output)."""
    base, added, removed = blocks
    found = pairs.objects_of(base, subject)
    if len(removed) and len(gone := pairs.objects_of(removed, subject)):
        found = sorted_sets.difference(found, gone)
    if len(added) and len(come := pairs.objects_of(added, subject)):
        found = sorted_sets.union(found, come)
    return found


def few_objects(blocks: Blocks, subject: int, most: int) -> list[int] | None:
    """The sorted objects of one subject as Python's integers, None where they are more than `most`: O(log n), and those
    of the small blocks."""
    base, added, removed = blocks
    gone = {*pairs.objects_of(removed, subject).tolist()} if len(removed) else ()
    found = pairs.few_objects(base, subject, most + len(gone))
    if gone and found:
        found = [each for each in found if each not in gone]
    if len(added) and found is not None:
        come = pairs.few_objects(added, subject, most)
        found = None if come is None else sorted(found + come) if come else found
    return found if found is None or len(found) <= most else None


def subjects_of(blocks: Blocks, object: int) -> Ids:
    """The sorted subjects of one object: O(n), a scan."""
    base, added, removed = blocks
    found = pair_scans.subjects_of(base, object)
    if len(removed) and len(gone := pair_scans.subjects_of(removed, object)):
        found = sorted_sets.difference(found, gone)
    if len(added) and len(come := pair_scans.subjects_of(added, object)):
        found = sorted_sets.union(found, come)
    return found


def of_objects(blocks: Blocks, objects: Ids) -> Blocks | None:
    """The pairs that have one of some objects, in any order, in blocks; None where a sample says that these are half of
    them or more: O(n + highest object), a scan."""
    base, added, removed = blocks
    found = pair_scans.keys_of_objects(base, objects)
    if found is None:
        return None
    added, removed = (block[sorted_sets.among(pairs.objects_within(block), objects)] for block in (added, removed))
    return found, added, removed


def lookup(blocks: Blocks, subjects: Ids) -> tuple[Index, Keys]:
    """The number of the row and the key of each pair of some subjects, in any order: O(k log n + output)."""
    base, added, removed = blocks
    if len(subjects) <= table_tuning.SUBJECTS_ONE_BY_ONE and not len(added) and not len(removed):
        few = pairs.keys_of_few(base, subjects.tolist(), table_tuning.PAIRS_ONE_BY_ONE)
        if few is not None:
            return np.array(few[0], dtype=np.int64), np.array(few[1], dtype=np.uint64)
    return any_blocks.found(blocks, any_blocks.runs_of(blocks, partial(pairs.ranges, wanted=subjects)))


def image(blocks: Blocks, subjects: Ids) -> Ids:
    """The objects of the pairs of some subjects, in any order, each once at least: O(k log n + output)."""
    base, added, removed = blocks
    if len(removed):
        return pairs.objects(lookup(blocks, subjects)[1])
    found = pair_scans.run_objects(base, subjects)
    return np.concatenate((found, pair_scans.run_objects(added, subjects))) if len(added) else found


def read_blocks(part: Part, of: PartReader) -> Blocks:
    """Blocks that were written as columns; LoadError where they are damaged."""
    entries = of.entries(part, 3, "its blocks")
    base, added, removed = (of.numbers(entry, np.uint64, "a block of pairs") for entry in entries)
    for block in (base, added, removed):
        check_sorted(block, "a block of pairs")
        of.check_ids(pairs.subjects(block[-1:]), "subjects")
        of.check_ids(pairs.objects_within(block), "objects")
    if bool(sorted_sets.contains(base, added).any()) or not bool(sorted_sets.contains(base, removed).all()):
        raise DamageError("a pair that came was there, or one that went was not")
    return base, added, removed
