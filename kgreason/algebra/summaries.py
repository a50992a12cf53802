"""What aggregates make of groups of terms: COUNT, SUM, AVG, MIN, MAX and GROUP_CONCAT of SPARQL 1.1, section 18.5.

Queries and rules share these. A group is a number for each member; ids and counts come with it, and what comes out is
a column of ids with one for each group, UNBOUND where the group is in error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from kgreason import tuning
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.member_groups import GroupRuns, Groups
from kgreason.algebra.row_keys import Ids, Index, distinct_ids
from kgreason.algebra.sums import Totals, averages, sums
from kgreason.columns.id_columns import repeated
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.value_classes import ValueClass
from kgreason.sorting import argsort, lexsort

Part = TypeVar("Part")


class Summariser:
    """What a function makes of the members of groups, which come part by part: a function of the multiset of the terms
    of each group, independent of their ids and their order.

        summariser = Summariser("sum", "", terms)
        summariser.add(ids, groups)            # the members of some groups, one group after the other
        summariser.add(more_ids, others)       # those of others
        summariser.results()                   # an id for each group, UNBOUND for one in error

    Cost: some passes over the members, with a sort of them for floats and group_concat, and a pass over the texts for
    the latter. The results of many groups are made together.
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
            if len(ids) == count:
                return ids  # one candidate in each group
            return _extremes(self._function, self._terms, ids, groups, count)
        from kgreason.algebra.concatenation import concatenated  # only where texts are made

        order = lexsort((_places(ids, self._terms), groups))
        ones, broken = np.ones(len(ids), dtype=np.int64), np.zeros(count, dtype=np.bool_)
        return concatenated(self._terms, ids[order], groups[order], ones, broken, self._separator)

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
    values: one sort of the group of each member with the place of its number behind it, where all by columns takes six
    times as long."""
    distinct, places = distinct_ids(ids)
    values = terms.values_of(distinct)
    order = argsort(values.numbers)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    bits = len(order).bit_length()
    keys = groups.numbers << bits
    keys |= ranks[places]
    keys.sort()
    keys &= (1 << bits) - 1
    rows = order[keys]
    return distinct[rows], values.take(rows)


def _taken(parts: list[Part], join: Callable[[list[Part]], Part]) -> Part:
    """Parts as one. The list is emptied, so that they are not held beside it."""
    found = join(parts)
    parts.clear()
    return found


def candidates(function: str, terms: LocalTerms, ids: Ids, groups: Groups) -> tuple[Index | slice, bool]:
    """The rows among which are the first or the last terms of all groups, in the order of terms: where all are numbers,
    those with the least or the greatest number of their group. And whether those of a group are known to be equal in
    value. Some passes."""
    if terms.are_in_order(ids):
        return np.flatnonzero(ids == groups.spread(groups.best(function, ids))), True
    numbers = terms.integers_of(ids)
    are_equal = numbers is not None
    if numbers is None:
        values = terms.values_of(ids)
        are_numbers = (values.classes >= ValueClass.INTEGER) & (values.classes <= ValueClass.DOUBLE)
        numbers = values.numbers
        if not are_numbers.all() or np.isnan(numbers).any():
            return slice(None), False
    return np.flatnonzero(numbers == groups.spread(groups.best(function, numbers))), are_equal


def _extremes(function: str, terms: LocalTerms, ids: Ids, groups: Index, count: int) -> Ids:
    """The first or the last term of each group: a sort of the distinct terms, and a pass."""
    distinct, numbers = distinct_ids(ids)
    order = argsort(_ranks(distinct, terms))
    if function == "max":
        order = order[::-1]
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    least = np.full(count, len(order), dtype=np.int64)
    np.minimum.at(least, groups, places[numbers])
    return distinct[order[least]]


def _places(ids: Ids, terms: LocalTerms) -> Index:
    """For each row the place of its term in the order of terms; of those that have one place, by their keys."""
    distinct, numbers = distinct_ids(ids)
    return _ranks(distinct, terms)[numbers]


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
