"""What aggregates make of groups of terms: COUNT, SUM, AVG, MIN, MAX and GROUP_CONCAT of SPARQL 1.1, section 18.5.

Queries and rules share these. A group is a number for each member; ids and counts come with it, and what comes out is
a column of ids with one for each group, UNBOUND where the group is in error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.member_groups import GroupRuns, Groups, Number
from kgreason.algebra.row_keys import Ids, Index, distinct_ids
from kgreason.algebra.sums import Totals, averages, sums
from kgreason.columns.id_columns import repeated
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.value_classes import ValueClass
from kgreason.sorting import argsort

Part = TypeVar("Part")


class Summariser:
    """What a function makes of the members of groups, which come part by part: a function of the multiset of the terms
    of each group, independent of their ids and their order.

        summariser = Summariser("sum", "", terms)
        summariser.add(ids, groups)            # the members of some groups, one group after the other
        summariser.add(more_ids, others)       # those of others
        summariser.results()                   # an id for each group, UNBOUND for one in error

    Cost: some passes over the members, with a sort of them for floats and group_concat, and for the latter a sort of
    the distinct texts and a pass over all; for min and max a sort of those texts alone that begin as others of their
    group. The results of many groups are made together.
    """

    def __init__(self, function: str, separator: str, terms: LocalTerms) -> None:
        """Without members."""
        self._function, self._separator, self._terms = function, separator, terms
        self._found: list[Ids] = []
        self._clear()

    def _clear(self) -> None:
        self._sizes: list[Index] = []
        self._totals: list[Totals] = []
        self._members: list[tuple[Ids, Index]] = []
        self._count = self._waiting = 0

    def add(self, ids: Ids, groups: GroupRuns) -> None:
        """Take in the members of other groups. Counts need no ids."""
        match self._function:
            case "count" | "sum" | "avg":
                if self._function != "sum":
                    self._sizes.append(groups.sizes)
                if self._function != "count":
                    self._totals.append(self._totals_of(ids, groups))
                self._waiting += groups.count
            case "min" | "max" if self._terms.are_in_order(ids):
                self._wait(groups.best(self._function, ids), np.arange(groups.count))
            case "min" | "max":
                rows, _ = candidates(self._function, self._terms, ids, groups)
                found = ids[rows]
                is_one = len(found) == groups.count  # of each group, since each has a candidate
                self._wait(found, np.arange(groups.count) if is_one else groups.numbers_at(rows))
            case _:
                self._wait(ids, groups.numbers)
        self._count += groups.count
        if self._waiting >= tuning.WAITING_ROWS:
            self._make()

    def _wait(self, ids: Ids, groups: Index) -> None:
        self._members.append((ids, groups + self._count))
        self._waiting += len(ids)

    def results(self) -> Ids:
        """For each group the id of what the function makes of its members."""
        if self._count:
            self._make()
        return np.concatenate(self._found) if self._found else np.empty(0, dtype=np.uint32)

    def _make(self) -> None:
        """Make the results of the groups that wait."""
        count, sizes, totals, members = self._count, self._sizes, self._totals, self._members
        self._clear()
        match self._function:
            case "count":
                found = self._terms.encode_integers(np.concatenate(sizes))
            case "sum":
                found = sums(_taken(totals, Totals.joined), self._terms)
            case "avg":
                found = averages(_taken(totals, Totals.joined), _taken(sizes, np.concatenate), self._terms)
            case _:
                ids, groups = (np.concatenate(column) for column in zip(*members, strict=True))
                found = self._of_members(ids, groups, count)
        self._found.append(found)

    def _of_members(self, ids: Ids, groups: Index, count: int) -> Ids:
        if self._function in ("min", "max"):
            return _extremes(self._function, self._terms, ids, groups, count)
        from kgreason.algebra.concatenation import concatenated  # only where texts are made

        distinct, numbers = distinct_ids(ids)
        groups, numbers = _by_group(groups, numbers, argsort(_ranks(distinct, self._terms)))
        ones, broken = np.ones(len(ids), dtype=np.int64), np.zeros(count, dtype=np.bool_)
        return concatenated(self._terms, distinct[numbers], groups, ones, broken, self._separator)

    def _totals_of(self, ids: Ids, groups: GroupRuns) -> Totals:
        found = Totals.of_integers(self._terms, ids, groups)
        if found is not None:
            return found
        values = self._terms.values_of(ids)
        if ((values.classes == ValueClass.FLOAT) | (values.classes == ValueClass.DOUBLE)).any():
            ids, values = _ascending(ids, groups, self._terms)
        return Totals.of(self._terms, values, ids, groups, None)


def _ascending(ids: Ids, groups: GroupRuns, terms: LocalTerms) -> tuple[Ids, ValueColumn]:
    """The members of each group by their numbers, the smallest first, since sums of floats depend on it, and their
    values."""
    distinct, numbers = distinct_ids(ids)
    values = terms.values_of(distinct)
    _, numbers = _by_group(groups.numbers, numbers, argsort(values.numbers))
    return distinct[numbers], values.take(numbers)


def _by_group(groups: Index, numbers: Index, order: Index) -> tuple[Index, Index]:
    """The groups of members in ascending order, and in each group the numbers of their distinct terms in an `order` of
    these: one sort of the group of each member with the place of its term behind it, where a sort by two columns takes
    six times as long."""
    places = _inverse(order)
    bits = len(order).bit_length()
    keys = groups << bits
    keys |= places[numbers]
    keys.sort()
    return keys >> bits, order[keys & ((1 << bits) - 1)]


def _inverse(order: Index) -> Index:
    """For each row its place in an order."""
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places


def _taken(parts: list[Part], join: Callable[[list[Part]], Part]) -> Part:
    """Parts as one. The list is emptied, so that they are not held beside it."""
    found = join(parts)
    parts.clear()
    return found


def candidates(function: str, terms: LocalTerms, ids: Ids, groups: Groups) -> tuple[Index | slice, bool]:
    """The rows among which are the first or the last terms of all groups, in the order of terms: where all are numbers,
    those with the least or the greatest number of their group, and where all are texts, those that begin like the first
    or the last one. And whether those of a group are known to be equal in value. Some passes."""
    if terms.are_in_order(ids):
        return _best(function, ids, groups), True
    integers = terms.integers_of(ids)
    if integers is not None:
        return _best(function, integers, groups), True
    values = terms.values_of(ids)
    are_numbers = (values.classes >= ValueClass.INTEGER) & (values.classes <= ValueClass.DOUBLE)
    if are_numbers.all() and not np.isnan(values.numbers).any():
        return _best(function, values.numbers, groups), False
    from kgreason.algebra.term_order import beginnings  # only where some are no numbers

    texts = beginnings(ids, values.classes, terms)
    return (slice(None) if texts is None else _best(function, texts, groups)), False


def _best(function: str, values: NDArray[Number], groups: Groups) -> Index:
    """The rows with the least or the greatest value of their group."""
    return np.flatnonzero(values == groups.spread(groups.best(function, values)))


def _extremes(function: str, terms: LocalTerms, ids: Ids, groups: Index, count: int) -> Ids:
    """The first or the last term of each group: a pass, and a sort of the distinct terms of groups with several."""
    found = np.empty(count, dtype=np.uint32)
    found[groups] = ids
    if len(ids) == count:
        return found
    is_one_of_several = np.bincount(groups, minlength=count)[groups] > 1
    ids, groups = ids[is_one_of_several], groups[is_one_of_several]
    distinct, numbers = distinct_ids(ids)
    order = argsort(_ranks(distinct, terms))
    if function == "max":
        order = order[::-1]
    least = np.full(count, len(order), dtype=np.int64)
    np.minimum.at(least, groups, _inverse(order)[numbers])
    found[groups] = distinct[order[least[groups]]]
    return found


def _ranks(distinct: Ids, terms: LocalTerms) -> Index:
    """For each of some distinct terms its place among them; the keys decide between equal values."""
    from kgreason.algebra.term_order import key_ranks, ranks_of  # only where some are no numbers

    ranks = ranks_of(distinct, terms) if len(distinct) else distinct.astype(np.int64)
    shared = np.bincount(ranks)[ranks] > 1
    if shared.any():
        finer = np.zeros(len(ranks), dtype=np.int64)
        finer[shared] = key_ranks(distinct[shared], terms)
        ranks = (ranks << 32) + finer
    return ranks


def first_of(ids: Ids, groups: Index, order: Index, count: int) -> Ids:
    """The id of each group's first member in an order that keeps groups together."""
    found = repeated(UNBOUND, count)
    ordered = groups[order]
    begins = np.flatnonzero(np.diff(ordered, prepend=-1))
    found[ordered[begins]] = ids[order[begins]]
    return found
