"""Sets as sorted columns without duplicates; n and m are the lengths of the arguments.

The columns are uint64 keys (binary facts), uint32 ids, or byte strings (wide facts). Arguments are never
changed; a result may be an argument itself, so no caller may write into a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import near_pairs
from kgreason.columns.key_search import found_in_blocks, found_in_order, found_unordered
from kgreason.columns.masks import all_of
from kgreason.columns.sorted_columns import Column, firsts, in_order, is_sorted, is_worth_sorting, merged, sort


def unique(values: Column) -> Column:
    """The sorted set of `values` in any order: one sort, or one pass when they are sorted already."""
    if len(values) < 2:
        return values
    memory.check(3 * values.nbytes, "a column without duplicates")
    if is_worth_sorting(values):
        values = in_order(values)
    return unique_of_sorted(values)


def unique_of_own(values: Column) -> Column:
    """The same of a column that nothing else reads: it is sorted in its memory, where the set is left."""
    if len(values) > 1:
        memory.check(2 * values.nbytes, "a column without duplicates")
        if is_worth_sorting(values):
            sort(values)
    if len(values) > tuning.CACHED_ROWS and values.flags.owndata:
        return _keep(values, firsts(values))
    return unique_of_sorted(values)


def counted(values: Column) -> tuple[Column, NDArray[np.int64]]:
    """The sorted set of `values` in any order, and how often each is among them: one sort."""
    ordered = in_order(values)
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    return ordered[begins], np.diff(begins, append=len(ordered))


def unique_of_sorted(values: Column) -> Column:
    """The set of a sorted column with duplicates: O(n), and no copy when there are none."""
    if len(values) < 2:
        return values
    first = firsts(values)
    return values if all_of(first) else values[first]


def _keep(values: Column, kept: NDArray[np.bool_]) -> Column:
    """Some of the values of a column of which nothing else has a part, in the same memory; it gives back the rest."""
    if all_of(kept):
        return values
    end = 0
    for begin in range(0, len(values), tuning.CACHED_ROWS):
        some = values[begin : begin + tuning.CACHED_ROWS][kept[begin : begin + tuning.CACHED_ROWS]]
        values[end : end + len(some)] = some
        end += len(some)
    values.resize(end, refcheck=False)
    return values


def union(left: Column, right: Column) -> Column:
    """All members of both sets: O(m log n) plus one copy for a small right side, otherwise one merge."""
    if not len(left):
        return right
    if not len(right):
        return left
    if len(right) > len(left):
        left, right = right, left
    if len(right) * tuning.FEW_KEYS < len(left):
        return joined(left, right[~contains(left, right)])
    if len(left) + len(right) < tuning.INSERTED_APART:
        return unique_of_sorted(merged([left, right]))
    memory.check(left.nbytes + right.nbytes, "a union of columns")
    return _one_after_the_other(left, right)


def joined(left: Column, right: Column) -> Column:
    """The union of two sets that have no member in common: one merge, or an insertion of few."""
    if not len(left) or not len(right):
        return left if len(left) else right
    memory.check(2 * (left.nbytes + right.nbytes), "a union of columns")
    if len(right) * tuning.INSERTED_KEYS < len(left):
        return np.insert(left, left.searchsorted(right), right)
    if len(left) + len(right) < tuning.INSERTED_APART:
        return merged([left, right])
    return _one_after_the_other(left, right)


def _one_after_the_other(left: Column, right: Column) -> Column:
    """The union of two sets with members, merged a block after the other: 16 million members and as many take three
    quarters of the time of one merge of all, and no memory beside the result. Sets apart are copied, a third of
    that."""
    for first, second in ((left, right), (right, left)):
        if first[-1] < second[0]:
            return np.concatenate([first, second])
    whole = np.empty(len(left) + len(right), dtype=left.dtype)
    end = 0
    for sides in _side_by_side(left, right):
        both = unique_of_sorted(merged(sides))
        whole[end : end + len(both)] = both
        end += len(both)
    whole.resize(end, refcheck=False)
    return whole


def union_all(columns: Sequence[Column]) -> Column:
    """The union of several sets, at least one: one merge of all their members."""
    present = [column for column in columns if len(column)] or list(columns[:1])
    if len(present) <= 2:
        return present[0] if len(present) == 1 else union(present[0], present[1])
    memory.check(3 * sum(column.nbytes for column in present), "a union of columns")
    return unique_of_sorted(merged(present))


def union_of_parts(columns: list[Column]) -> Column:
    """The same of columns that nothing else needs: the list is emptied, so that they are not held beside the union."""
    present = [column for column in columns if len(column)] or columns[:1]
    columns.clear()
    if len(present) == 1:
        return present[0]
    memory.check(2 * sum(column.nbytes for column in present), "a union of columns")
    whole = np.concatenate(present)
    present.clear()
    whole.sort(kind="stable")
    return _keep(whole, firsts(whole))


def inserted(left: Column, right: Column) -> tuple[Column, Column]:
    """The union of two sets with members, and the members of `right` that are not in `left`, itself where all are:
    merges of a block after the other, so that little more than the results is held beside large sets."""
    if len(left) + len(right) < tuning.INSERTED_APART:
        return _inserted(left, right)
    memory.check(left.nbytes + 2 * right.nbytes, "a union of columns")
    whole, fresh = np.empty(len(left) + len(right), dtype=left.dtype), right
    end = count = 0
    for sides in _side_by_side(left, right):
        both, come = _inserted(*sides)
        whole[end : end + len(both)] = both
        if fresh is right and len(come) < len(sides[1]):
            fresh = np.empty_like(right)
            fresh[:count] = right[:count]
        if fresh is not right:
            fresh[count : count + len(come)] = come
        end, count = end + len(both), count + len(come)
    if fresh is not right:
        fresh.resize(count, refcheck=False)
    whole.resize(end, refcheck=False)
    return whole, fresh


def _inserted(left: Column, right: Column) -> tuple[Column, Column]:
    """The same, for few members: one merge."""
    whole = merged([left, right])
    first = firsts(whole)
    common = whole[~first]
    return _keep(whole, first), difference(right, common)


def _side_by_side(left: Column, right: Column) -> Iterator[tuple[Column, Column]]:
    """The members of two sets, those between the same values together: a block of the longer one at a time."""
    longer, other = (left, right) if len(left) >= len(right) else (right, left)
    bounds = other.searchsorted(longer[tuning.MOVED_ROWS::tuning.MOVED_ROWS]).tolist()
    for number, (begin, end) in enumerate(pairwise([0, *bounds, len(other)])):
        checkpoint()
        block = longer[number * tuning.MOVED_ROWS : (number + 1) * tuning.MOVED_ROWS]
        yield (block, other[begin:end]) if longer is left else (other[begin:end], block)


def difference(left: Column, right: Column) -> Column:
    """The members of `left` that are not in `right`: O(min(n, m) log max(n, m)), one merge where n and m are close, two
    passes where all pairs are."""
    if not len(left) or not len(right):
        return left
    if len(right) * tuning.FEW_KEYS < len(left):
        at = left.searchsorted(right)
        at = at[at < len(left)] if at[-1] == len(left) else at
        at = at[left[at] == right[: len(at)]]
        return np.delete(left, at) if len(at) else left
    if _is_small(left, right):
        kept = ~contains(right, left)
        return left if all_of(kept) else left[kept]
    if len(left) >= tuning.COMPARED_BLOCK << 2:
        differing = _differing_blocks(left, right)
        if differing is not None:
            return difference(*differing)
    is_member = _common(left, right)
    if is_member is not None:
        return left[~is_member]
    both, is_common = _compared(left, right)
    common = int(is_common.sum())
    if not common:
        return left
    if common == len(left):
        return left[:0]
    if 2 * common < len(both) - 2 * common:
        return np.delete(left, left.searchsorted(both[1:][is_common]))
    apart = np.ones(len(both), dtype=np.bool_)
    apart[1:][is_common] = False
    apart[:-1][is_common] = False
    found = both[apart]
    return found if common == len(right) else found[found_in_order(left, found)]


def _differing_blocks(left: Column, right: Column) -> tuple[Column, Column] | None:
    """The blocks of `left` that are not the same in `right`, as one set, and what is there of `right` in their place;
    None where these are most of them. A pass over both, without a sort."""
    size = tuning.COMPARED_BLOCK
    begins = right.searchsorted(left[::size])
    ends = np.append(begins[1:], len(right))
    lengths = np.full(len(begins), size)
    lengths[-1] = len(left) - size * (len(begins) - 1)
    differs = ends - begins != lengths
    if 2 * np.count_nonzero(differs) > len(differs):
        return None
    for block in np.flatnonzero(~differs).tolist():
        own = left[block * size : (block + 1) * size]
        differs[block] = not np.array_equal(own, right[begins[block] : ends[block]])
    blocks = np.flatnonzero(differs).tolist()
    if 2 * len(blocks) > len(differs):
        return None
    lefts = [left[:0], *(left[block * size : (block + 1) * size] for block in blocks)]
    return np.concatenate(lefts), np.concatenate([right[:0], *(right[begins[b] : ends[b]] for b in blocks)])


def intersection(left: Column, right: Column) -> Column:
    """The members of both sets: O(min(n, m) log max(n, m)), one merge where n and m are close."""
    if len(left) > len(right):
        left, right = right, left
    if not len(left) or _is_small(left, right):
        kept = contains(right, left)
        return left if all_of(kept) else left[kept]
    is_member = _common(left, right)
    if is_member is not None:
        return left if all_of(is_member) else left[is_member]
    both, is_common = _compared(left, right)
    return left if int(is_common.sum()) == len(left) else both[1:][is_common]


def _common(left: Column, right: Column) -> NDArray[np.bool_] | None:
    """For each key of pairs whether it is in the other set, None where these are not near each other."""
    return near_pairs.common(left, right) if left.dtype == np.uint64 == right.dtype else None


def _is_small(left: Column, right: Column) -> bool:
    """Whether each member of one set is better looked for in the other than both are merged."""
    return len(left) < tuning.MERGED_LEAST or len(left) * tuning.FEW_KEYS < len(right)


def _compared(left: Column, right: Column) -> tuple[Column, NDArray[np.bool_]]:
    """All members of both sets, sorted, and for each but the first whether it equals the one before."""
    memory.check(3 * (left.nbytes + right.nbytes), "a comparison of columns")
    checkpoint()
    both = merged([left, right])
    return both, both[1:] == both[:-1]


def contains(members: Column, values: Column) -> NDArray[np.bool_]:
    """For each of `values`, in any order, whether it is in the set: O(n log m) where they are sorted or few.

    For many in no order a table of hashes, or a sort, comes first.
    """
    count = len(members)
    if not count or not len(values):
        return np.zeros(len(values), dtype=np.bool_)
    if len(values) == 1:  # a column of one fact is most of what a single change asks for
        place = int(members.searchsorted(values[0]))
        return np.array([place < count and members[place] == values[0]], dtype=np.bool_)
    if len(values) >= tuning.HASHED_VALUES and values.dtype == np.uint64 and not is_sorted(values):
        return found_unordered(members, values)
    if len(values) >= tuning.SOUGHT_BLOCK << 1 and is_sorted(values):
        return found_in_blocks(members, values)
    return found_in_order(members, values)


def among(values: Column, members: Column) -> NDArray[np.bool_]:
    """For each value whether it is a member, both in any order: a sort of the members, and `contains`."""
    return contains(in_order(members), values)


def check(values: Column) -> None:
    """Raise AssertionError unless the column is strictly increasing."""
    assert all_of(values[1:] > values[:-1]), "column is not sorted or has duplicates"
