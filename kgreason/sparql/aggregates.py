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

from kgreason import memory, tuning
from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.distinct_rows import distinct
from kgreason.algebra.expressions.text_tests import literal_texts
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.row_keys import distinct_ids, keys_of, numbered, summed
from kgreason.checkpoints import checkpoint, passes
from kgreason.columns.pairs import runs_within
from kgreason.rdf.text_lengths import check_length
from kgreason.rdf.vocabulary import XSD_INTEGER
from kgreason.sorting import argsort, lexsort
from kgreason.sparql.algebra import Aggregate, Group
from kgreason.sparql.algebra_tree import own_expressions
from kgreason.sparql.order_keys import ranks_of
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import variables_of
from kgreason.sparql.solution_expressions import Existence, Expressions, demand_of
from kgreason.sparql.solutions import Counts, Ids, Index, Solutions
from kgreason.sparql.sums import averages, sums

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
        first, numbers, count = np.zeros(1, dtype=np.int64), np.zeros(rows.length, dtype=np.int64), 1
    columns = {name: column[first] for name, column in keys.items()}
    for name, aggregate in group.aggregates:
        if aggregate.argument is None:
            columns[name] = _all_counted(aggregate, group, rows, numbers, count, expressions)
        else:
            checkpoint()
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
    memory.check(64 * len(ids) + count, "groups of solutions")
    broken = np.zeros(count, dtype=np.bool_)
    rows = np.flatnonzero(ids != UNBOUND)
    broken[groups[ids == UNBOUND]] = True
    if aggregate.distinct:
        first, _ = numbered(keys_of([groups[rows].astype(np.uint32), ids[rows]], len(rows)))
        rows = rows[np.sort(first)]
        counts = np.ones(len(ids), dtype=np.int64)
    checkpoint()
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
    order = lexsort((-ranks if aggregate.function == "max" else ranks, members.groups))
    found = _first_of(members, order)
    found[members.broken] = UNBOUND
    return found


def _sample(members: _Members, _: Aggregate, expressions: Expressions) -> Ids:
    return _first_of(members, argsort(members.groups))


def _first_of(members: _Members, order: Index) -> Ids:
    """The id of each group's first member in an order that keeps groups together."""
    found = np.full(members.count, UNBOUND, dtype=np.uint32)
    groups = members.groups[order]
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    found[groups[begins]] = members.ids[order[begins]]
    return found


def _concatenation(members: _Members, aggregate: Aggregate, expressions: Expressions) -> Ids:
    """GROUP_CONCAT, in the order of the solutions."""
    distinct, numbers = distinct_ids(members.ids)
    texts, errors = literal_texts(expressions.terms, distinct)
    is_error = np.zeros(len(distinct), dtype=np.bool_)
    is_error[errors] = True
    broken = members.broken.copy()
    broken[members.groups[is_error[numbers]]] = True
    known = np.flatnonzero(~broken)
    checkpoint()
    sizes = np.fromiter(map(len, texts), np.int64, len(texts)) + len(aggregate.separator)
    totals = np.bincount(members.groups, weights=sizes[numbers] * members.counts, minlength=members.count)
    check_length(int(totals[known].max(initial=0)))
    checkpoint()
    order = argsort(members.groups)
    checkpoint()
    # What adds no character may come any number of times.
    order = order[sizes[numbers[order]] > 0]
    ends = np.searchsorted(members.groups[order], np.arange(members.count + 1))
    numbers, counts = numbers[order], members.counts[order]
    found = np.full(members.count, UNBOUND, dtype=np.uint32)
    runs = (slice(ends[group], ends[group + 1]) for group in known.tolist())
    joined = (_joined(texts, numbers[run], counts[run], aggregate.separator) for run in passes(runs))
    found[known] = expressions.terms.encode_keys([f'"{text}"' for text in joined])
    return found


def _joined(texts: Sequence[str], numbers: Index, counts: Counts, separator: str) -> str:
    """Texts by their numbers, each as often as it counts, in pieces."""
    found: list[str] = []
    for begin, end in runs_within(counts, tuning.TEXT_ROWS):
        checkpoint()
        each = np.repeat(numbers[begin:end], counts[begin:end]).tolist()
        found.append(separator.join(map(texts.__getitem__, each)))
    return separator.join(found)


_FUNCTIONS: Final[dict[str, Callable[[_Members, Aggregate, Expressions], Ids]]] = {
    "count": _count,
    "sum": _sum,
    "avg": _average,
    "min": _extreme,
    "max": _extreme,
    "sample": _sample,
    "group_concat": _concatenation,
}
