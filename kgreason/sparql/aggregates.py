"""GROUP BY and the aggregates (SPARQL 1.1, section 18.5), whole columns at a time.

An expression in error, such as an unbound variable, puts its group in error; only COUNT and SAMPLE pass over it
(ListEval and section 18.5.1). Of nothing, COUNT, SUM and AVG are 0, GROUP_CONCAT is empty, the others are in error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.sparql.algebra import Aggregate, Group
from kgreason.sparql.algebra_tree import own_expressions
from kgreason.sparql.demand import Demand, Multiplicity
from kgreason.sparql.expressions.distinct import distinct_ids
from kgreason.sparql.expressions.evaluation import Existence, Expressions
from kgreason.sparql.expressions.fresh import demand_of
from kgreason.sparql.expressions.texts import literal_texts
from kgreason.sparql.limits import Limits
from kgreason.sparql.ordering import ranks_of
from kgreason.sparql.rows import distinct, keys_of, numbered, summed
from kgreason.sparql.scope import variables_of
from kgreason.sparql.solutions import UNBOUND, Counts, Ids, Index, Solutions
from kgreason.sparql.sums import averages, sums
from kgreason.terms.lengths import check_length
from kgreason.terms.vocabulary import XSD_INTEGER

_COUNTABLE = frozenset(("count", "sum", "avg", "min", "max", "sample"))
_IDEMPOTENT = frozenset(("min", "max", "sample"))


def group_demand(group: Group) -> Demand:
    """What a group needs of the solutions that it groups."""
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
        first, numbers, count = np.zeros(1, dtype=np.int64), np.zeros(rows.length, dtype=np.int64), 1
    columns = {name: column[first] for name, column in keys.items()}
    for name, aggregate in group.aggregates:
        if aggregate.argument is None:
            columns[name] = _all_counted(aggregate, group, rows, numbers, count, expressions)
        else:
            ids = expressions.values(aggregate.argument, rows, exists)
            members = _members(aggregate, ids, numbers, rows.counts(), count)
            columns[name] = _FUNCTIONS[aggregate.function](members, aggregate, expressions)
    return Solutions(columns, count)


@dataclass(frozen=True, slots=True)
class _Members:
    """The values of an aggregate's argument that are bound: ids, the number of the group, and how often."""

    ids: Ids
    groups: Index
    counts: Counts
    broken: NDArray[np.bool_]
    """For each group whether some value is in error."""

    @property
    def count(self) -> int:
        """How many groups there are, also those without members."""
        return len(self.broken)


def _members(aggregate: Aggregate, ids: Ids, groups: Index, counts: Counts, count: int) -> _Members:
    broken = np.zeros(count, dtype=np.bool_)
    rows = np.flatnonzero(ids != UNBOUND)
    broken[groups[ids == UNBOUND]] = True
    if aggregate.distinct:
        first, _ = numbered(keys_of([groups[rows].astype(np.uint32), ids[rows]], len(rows)))
        rows = rows[np.sort(first)]
        counts = np.ones(len(ids), dtype=np.int64)
    return _Members(ids[rows], groups[rows], counts[rows], broken)


def _all_counted(
    aggregate: Aggregate, group: Group, rows: Solutions, numbers: Index, count: int, expressions: Expressions
) -> Ids:
    """COUNT(*), or COUNT(DISTINCT *)."""
    if not aggregate.distinct:
        return _integers(summed(numbers, rows.counts(), count), expressions)
    inner = rows.only(sorted(variables_of(group.node)))
    each = distinct(inner.with_columns({"#group": numbers.astype(np.uint32)}))
    return _integers(np.bincount(each.columns["#group"], minlength=count), expressions)


def _integers(numbers: NDArray[np.int64], expressions: Expressions) -> Ids:
    """Ids for integers; each is made once."""
    values, places = np.unique(numbers, return_inverse=True)
    made = expressions.terms.encode_keys([f'"{value}"^^{XSD_INTEGER}' for value in values.tolist()])
    return np.asarray(made[places.reshape(-1)])


def _count(members: _Members, _: Aggregate, expressions: Expressions) -> Ids:
    return _integers(summed(members.groups, members.counts, members.count), expressions)


def _sum(members: _Members, _: Aggregate, expressions: Expressions) -> Ids:
    found = sums(expressions, members.ids, members.groups, members.counts, members.count)
    found[members.broken] = UNBOUND
    return found


def _average(members: _Members, _: Aggregate, expressions: Expressions) -> Ids:
    found = averages(expressions, members.ids, members.groups, members.counts, members.count)
    found[members.broken] = UNBOUND
    return found


def _extreme(members: _Members, aggregate: Aggregate, expressions: Expressions) -> Ids:
    """The first or last in the order of ORDER BY; of equal ones that which comes first."""
    ids, numbers = distinct_ids(members.ids)
    ranks = ranks_of(ids, expressions)[numbers] if len(ids) else numbers
    order = np.lexsort((-ranks if aggregate.function == "max" else ranks, members.groups))
    found = _first_of(members, order)
    found[members.broken] = UNBOUND
    return found


def _sample(members: _Members, _: Aggregate, expressions: Expressions) -> Ids:
    return _first_of(members, np.argsort(members.groups, kind="stable"))


def _first_of(members: _Members, order: Index) -> Ids:
    """The id of each group's first member in an order that keeps groups together."""
    found = np.full(members.count, UNBOUND, dtype=np.uint32)
    groups = members.groups[order]
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    found[groups[begins]] = members.ids[order[begins]]
    return found


def _concatenation(members: _Members, aggregate: Aggregate, expressions: Expressions) -> Ids:
    """GROUP_CONCAT, in the order of the solutions."""
    texts, errors = literal_texts(expressions, members.ids)
    broken = members.broken.copy()
    broken[members.groups[errors]] = True
    order = np.argsort(members.groups, kind="stable")
    order = np.repeat(order, members.counts[order])
    ends = np.searchsorted(members.groups[order], np.arange(members.count + 1))
    found = np.full(members.count, UNBOUND, dtype=np.uint32)
    ordered = [texts[row] for row in order.tolist()]
    known = np.flatnonzero(~broken)
    runs = (ordered[ends[group] : ends[group + 1]] for group in known.tolist())
    joined = (_joined(run, aggregate.separator, expressions.limits) for run in runs)
    found[known] = expressions.terms.encode_keys([f'"{text}"' for text in joined])
    return found


def _joined(texts: Sequence[str], separator: str, limits: Limits) -> str:
    limits.check()
    check_length(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


_FUNCTIONS: Final[dict[str, Callable[[_Members, Aggregate, Expressions], Ids]]] = {
    "count": _count,
    "sum": _sum,
    "avg": _average,
    "min": _extreme,
    "max": _extreme,
    "sample": _sample,
    "group_concat": _concatenation,
}
