"""GROUP BY and the aggregates (SPARQL 1.1, section 18.5), whole columns at a time.

An expression in error, such as an unbound variable, puts its group in error; only COUNT and SAMPLE pass over it
(ListEval and section 18.5.1). Of nothing, COUNT, SUM and AVG are 0, GROUP_CONCAT is empty, the others are in error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.concatenation import concatenated
from kgreason.algebra.distinct_rows import distinct
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.member_groups import groups_of
from kgreason.algebra.row_keys import distinct_ids, keys_of, numbered, summed
from kgreason.algebra.summaries import candidates, first_of
from kgreason.algebra.sums import Totals, averages, sums
from kgreason.algebra.term_order import ranks_of
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps, pairs
from kgreason.sorting import argsort, lexsort
from kgreason.sparql.algebra import Aggregate, Group
from kgreason.sparql.algebra_tree import own_expressions
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import variables_of
from kgreason.sparql.solution_expressions import Existence, Expressions, demand_of
from kgreason.sparql.solutions import Counts, Ids, Index, Solutions

_COUNTABLE = frozenset(("count", "sum", "avg", "min", "max", "sample"))
_IDEMPOTENT = frozenset(("min", "max", "sample"))


def group_demand(group: Group) -> Demand:
    """The solutions that a group needs."""
    found = [aggregate for _, aggregate in group.aggregates]
    all_matter = any(aggregate.argument is None and aggregate.distinct for aggregate in found)
    needed = variables_of(group.node) if all_matter else frozenset[str]()
    multiplicity = Multiplicity.EACH
    if all(aggregate.distinct or aggregate.function in _IDEMPOTENT for aggregate in found):
        multiplicity = Multiplicity.ANY
    elif all(aggregate.function in _COUNTABLE for aggregate in found):
        multiplicity = Multiplicity.WEIGHTED
    return demand_of(own_expressions(group), Demand(needed, multiplicity))


def grouped_solutions(group: Group, rows: Solutions, expressions: Expressions, exists: Existence) -> Solutions:
    """One solution for each group of solutions, which may have weights."""
    keys = {name: expressions.values(expression, rows, exists) for name, expression in group.keys}
    if keys:
        first, numbers = numbered(keys_of([*keys.values()], rows.length))
        count = len(first)
    else:
        # Most of one group never asks for the numbers, which take memory only where they are written to.
        first, numbers, count = np.zeros(1, dtype=np.int64), memory.lazy_zeros(rows.length, np.int64), 1
    columns = {name: column[first] for name, column in keys.items()}
    for name, aggregate in group.aggregates:
        if aggregate.argument is None:
            columns[name] = _all_counted(aggregate, group, rows, numbers, count, expressions)
        else:
            checkpoint()
            ids = expressions.values(aggregate.argument, rows, exists)
            members = _members(aggregate, ids, numbers, rows.weights, count)
            columns[name] = _FUNCTIONS[aggregate.function](members, aggregate, expressions)
    return Solutions(columns, count)


@dataclass(frozen=True, slots=True)
class _Members:
    """The values of an aggregate's argument that are bound: ids, the number of the group, and how often."""

    ids: Ids
    groups: Index
    counts: Counts | None
    """None for once each."""
    broken: NDArray[np.bool_]
    """For each group whether some value is in error."""

    @property
    def count(self) -> int:
        """How many groups there are, also those without members."""
        return len(self.broken)

    def sizes(self) -> Counts:
        """How many members each group has."""
        return _sizes(self.groups, self.counts, self.count)


def _sizes(groups: Index, counts: Counts | None, count: int) -> Counts:
    """How many rows each group has, which count once each or as often as is given."""
    return np.bincount(groups, minlength=count) if counts is None else summed(groups, counts, count)


def _members(aggregate: Aggregate, ids: Ids, groups: Index, counts: Counts | None, count: int) -> _Members:
    memory.check(64 * len(ids) + count, "groups of solutions")
    broken = np.zeros(count, dtype=np.bool_)
    known = ids != UNBOUND
    if not known.all():
        broken[groups[~known]] = True
        ids, groups, counts = ids[known], groups[known], None if counts is None else counts[known]
    if aggregate.distinct:
        ids, groups = _distinct_members(ids, groups, count, in_order=aggregate.function != "count")
        counts = None
    checkpoint()
    return _Members(ids, groups, counts, broken)


def _distinct_members(ids: Ids, groups: Index, count: int, in_order: bool) -> tuple[Ids, Index]:
    """The distinct ids of each group: in the order in which they come first, or in any."""
    if in_order:
        first, _ = numbered(keys_of([groups.astype(np.uint32), ids], len(ids)))
        rows = np.sort(first)
        return ids[rows], groups[rows]
    if count == 1:
        ids = bitmaps.distinct(ids)
        return ids, np.zeros(len(ids), dtype=np.int64)
    keys = pairs.distinct(groups.astype(np.uint32), ids)
    return pairs.objects(keys), pairs.subjects(keys).astype(np.int64)


def _all_counted(
    aggregate: Aggregate, group: Group, rows: Solutions, numbers: Index, count: int, expressions: Expressions
) -> Ids:
    """COUNT(*), or COUNT(DISTINCT *)."""
    if not aggregate.distinct:
        sizes = _sizes(numbers, rows.weights, count) if group.keys else np.array([rows.total()])
        return expressions.terms.encode_integers(sizes)
    inner = rows.only(sorted(variables_of(group.node)))
    each = distinct(inner.with_columns({"#group": numbers.astype(np.uint32)}))
    return expressions.terms.encode_integers(np.bincount(each.columns["#group"], minlength=count))


def _count(members: _Members, _: Aggregate, expressions: Expressions) -> Ids:
    return expressions.terms.encode_integers(members.sizes())


def _totals(members: _Members, terms: LocalTerms) -> Totals:
    groups = groups_of(members.groups, members.count)
    counts = members.counts if members.counts is not None and bool((members.counts != 1).any()) else None
    found = Totals.of_integers(terms, members.ids, groups) if counts is None else None
    return found or Totals.of(terms, terms.values_of(members.ids), members.ids, groups, counts)


def _sum(members: _Members, _: Aggregate, expressions: Expressions) -> Ids:
    found = sums(_totals(members, expressions.terms), expressions.terms)
    found[members.broken] = UNBOUND
    return found


def _average(members: _Members, _: Aggregate, expressions: Expressions) -> Ids:
    found = averages(_totals(members, expressions.terms), members.sizes(), expressions.terms)
    found[members.broken] = UNBOUND
    return found


def _extreme(members: _Members, aggregate: Aggregate, expressions: Expressions) -> Ids:
    """The first or last in the order of ORDER BY; of equal ones that which comes first."""
    all_groups, function = groups_of(members.groups, members.count), aggregate.function
    rows, are_equal = candidates(function, expressions.terms, members.ids, all_groups)
    candidate_ids, groups = members.ids[rows], members.groups[rows]
    if are_equal:
        order = argsort(groups)
    else:
        ids, numbers = distinct_ids(candidate_ids)
        ranks = ranks_of(ids, expressions.terms)[numbers] if len(ids) else numbers
        order = lexsort((-ranks if function == "max" else ranks, groups))
    found = first_of(candidate_ids, groups, order, members.count)
    found[members.broken] = UNBOUND
    return found


def _sample(members: _Members, _: Aggregate, expressions: Expressions) -> Ids:
    return first_of(members.ids, members.groups, argsort(members.groups), members.count)


def _concatenation(members: _Members, aggregate: Aggregate, expressions: Expressions) -> Ids:
    """GROUP_CONCAT, in the order of the solutions."""
    counts = np.ones(len(members.ids), dtype=np.int64) if members.counts is None else members.counts
    columns = (members.ids, members.groups, counts, members.broken)
    return concatenated(expressions.terms, *columns, aggregate.separator)


_FUNCTIONS: Final[dict[str, Callable[[_Members, Aggregate, Expressions], Ids]]] = {
    "count": _count,
    "sum": _sum,
    "avg": _average,
    "min": _extreme,
    "max": _extreme,
    "sample": _sample,
    "group_concat": _concatenation,
}
