"""What of a table over representatives another version of it may lack, without a look at all pairs of both.

A version has other pairs where the inner pairs differ, and where classes have other members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kgreason.columns import pairs, sorted_sets
from kgreason.relations import table_tuning
from kgreason.relations.pair_blocks import NO_KEYS
from kgreason.relations.table import NO_IDS, Columns, Ids, Table
from kgreason.relations.table_difference import DifferenceTable

if TYPE_CHECKING:
    from kgreason.relations.equality import EqualityTable
    from kgreason.relations.represented import RepresentedTable


def differing(mine: RepresentedTable, theirs: RepresentedTable) -> Columns | None:
    """The inner pairs of which another version may lack something: those that it does not have, and those of classes
    that have fewer members there. None where they stand for more pairs of members than `table_tuning.KEPT`."""
    found: list[Columns] = []
    if mine.inner is not theirs.inner:
        fresh = mine.fresh_inside(theirs)
        columns = _few(fresh, mine.equality) if fresh.is_virtual else fresh.columns()
        if columns is None:
            return None
        found.append(columns)
    ends = mine.equality.joined_classes(theirs.equality)
    if len(ends):
        found += [mine.inner.lookup({position: ends})[1] for position in (0, 1)]
    keys = pairs.distinct(*map(np.concatenate, zip(*found, strict=True))) if found else NO_KEYS
    columns = pairs.subjects(keys), pairs.objects(keys)
    return columns if int(mine.equality.pair_sizes(columns).sum()) <= table_tuning.KEPT else None


def _few(inner: Table, equality: EqualityTable) -> Columns | None:
    """All inner pairs, and perhaps others of the version. None where they stand for more pairs of members than
    `table_tuning.KEPT`, or where it takes long to see whether they do."""
    few = inner.superset(table_tuning.UNCOMPARED) if isinstance(inner, DifferenceTable) else None
    if few is not None or inner.is_dear:
        return few
    parts, count = [(NO_IDS, NO_IDS)], 0
    for subjects, objects in inner.chunks():
        count += int(equality.pair_sizes((subjects, objects)).sum())
        if count > table_tuning.KEPT:
            return None
        parts.append((subjects, objects))
    subjects, objects = map(np.concatenate, zip(*parts, strict=True))
    return subjects, objects


def changed_subjects(mine: RepresentedTable, theirs: RepresentedTable) -> Ids:
    """The subjects whose objects may differ between two versions, sorted, and perhaps some that neither has."""
    few, others = mine.differing(theirs), theirs.differing(mine)
    if few is not None and others is not None:
        found = [mine.equality.spread(few[0])[1], theirs.equality.spread(others[0])[1]]
        return sorted_sets.unique(np.concatenate(found))
    inner = _changed_inside(mine, theirs)
    found = []
    for one, other in ((mine, theirs), (theirs, mine)):
        ends = one.equality.joined_classes(other.equality)
        ends = sorted_sets.union(ends, one.inner.image(1, ends)) if len(ends) else ends
        representatives = one.equality.representatives(sorted_sets.union(inner, ends))
        found.append(one.equality.spread(sorted_sets.unique(representatives))[1])
    return sorted_sets.unique(np.concatenate(found))


def _changed_inside(mine: RepresentedTable, theirs: RepresentedTable) -> Ids:
    """The subjects of inner pairs whose objects may differ."""
    found = mine.inner.changed_subjects(theirs.inner) if mine.inner.is_virtual else None
    if found is not None:
        return found
    return sorted_sets.union(mine.fresh_inside(theirs).distinct(0), theirs.fresh_inside(mine).distinct(0))


def missing_keys(mine: RepresentedTable, theirs: RepresentedTable, position: int) -> Ids:
    """Representatives at a position, sorted, among them those of all members that another version does not have there:
    they are new in the inner pairs, or their class has more members."""
    fresh = mine.inner.keys_missing_from(theirs.inner, position)
    ends = mine.equality.joined_classes(theirs.equality)
    return sorted_sets.union(fresh, ends[mine.inner.has_key(position, ends)])
