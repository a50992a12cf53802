"""The quads that one set has and another one lacks, after blank nodes have been matched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason import progress
from kgreason.comparison.colours import Mask, Nodes, Statements
from kgreason.comparison.isomorphism import Budget, Sides, isomorphic_components
from kgreason.comparison.similarity import match_similar
from kgreason.io.quads import DEFAULT_GRAPH, Ids, Quads


@dataclass(frozen=True, slots=True)
class QuadDifference:
    """What a second set of quads has and a first one lacks, and the other way round, with the blank nodes of the first
    where they are matched.

    Args:
        added, removed: each quad once.
        is_approximate: blank nodes were given up as too hard to match; the difference is right but may be too large.
    """

    added: Quads
    removed: Quads
    is_approximate: bool = False


def quad_difference(
    before: Quads, after: Quads, is_blank: Callable[[Ids], Mask], fresh: Callable[[int], Ids]
) -> QuadDifference:
    """The difference of two sets of quads under the ids of one dictionary: O(n log n), and what matching blank nodes
    costs.

    Args:
        before, after: quads, in any order, perhaps with duplicates.
        is_blank: tells blank nodes from other terms.
        fresh: ids of so many new blank nodes, for those of the second set whose ids the first set has for other nodes.
    """
    budget = Budget()
    before_blank, after_blank = _blank_quads(before, is_blank), _blank_quads(after, is_blank)
    renamed = after
    if after_blank.any() and not (before_blank.any() and _same_rows(before, after, before_blank, after_blank)):
        renamed = _renamed(before, after, before_blank, after_blank, is_blank, fresh, budget)
    added, removed = _differing(before, renamed)
    return QuadDifference(added, removed, budget.is_spent)


def quads_without(quads: Quads, others: Quads) -> Quads:
    """The distinct quads that are none of others: O(n log n)."""
    if not len(others):
        return _distinct(quads)
    return _differing(others, quads)[0]


def _columns(quads: Quads) -> tuple[Ids, Ids, Ids]:
    """The columns in which blank nodes stand."""
    return quads.graph, quads.subject, quads.object


def _blank_quads(quads: Quads, is_blank: Callable[[Ids], Mask]) -> Mask:
    """Which quads have a blank node."""
    found = is_blank(quads.subject) | is_blank(quads.object)
    if len(quads) and (quads.graph != DEFAULT_GRAPH).any():
        found |= _is_blank_graph(quads.graph, is_blank)
    return found


def _is_blank_graph(graphs: Ids, is_blank: Callable[[Ids], Mask]) -> Mask:
    found: Mask = graphs != DEFAULT_GRAPH
    found[found] = is_blank(graphs[found])
    return found


def _same_rows(before: Quads, after: Quads, before_blank: Mask, after_blank: Mask) -> bool:
    """Whether the quads with blank nodes are the same, as in copies of one store."""
    return not any(map(len, _differing(before.where(before_blank), after.where(after_blank))))


def _renamed(
    before: Quads,
    after: Quads,
    before_blank: Mask,
    after_blank: Mask,
    is_blank: Callable[[Ids], Mask],
    fresh: Callable[[int], Ids],
    budget: Budget,
) -> Quads:
    """The second set with the blank nodes of the first where they are matched."""
    sets = [_distinct(before.where(before_blank)), _distinct(after.where(after_blank))]
    known = [_blank_nodes(quads, is_blank) for quads in sets]
    first, count = len(known[0]), len(known[0]) + len(known[1])
    statements = _joined(_statements(sets[0], known[0], 0, is_blank), _statements(sets[1], known[1], first, is_blank))
    sides = Sides(statements, count, first)
    progress.begin("matching blank nodes")
    partner = isomorphic_components(sides, budget)
    match_similar(sides, partner, budget)
    names = known[1].copy()
    matched = partner[first:] >= 0
    names[matched] = known[0][partner[first:][matched]]
    clashing = ~matched & np.isin(names, known[0])
    names[clashing] = fresh(int(clashing.sum()))

    def with_names(column: Ids) -> Ids:
        places = np.minimum(np.searchsorted(known[1], column), len(names) - 1)
        return np.where(known[1][places] == column, names[places], column)

    return Quads(with_names(after.graph), with_names(after.subject), after.predicate, with_names(after.object))


def _blank_nodes(quads: Quads, is_blank: Callable[[Ids], Mask]) -> Ids:
    """The distinct blank nodes, in ascending order."""
    found = [column[is_blank(column)] for column in (quads.subject, quads.object)]
    found.append(quads.graph[_is_blank_graph(quads.graph, is_blank)])
    return np.unique(np.concatenate(found))


def _statements(quads: Quads, known: Ids, start: int, is_blank: Callable[[Ids], Mask]) -> Statements:
    """Quads with the blank nodes numbered from `start` on."""

    def numbered(column: Ids, blank: Mask) -> Nodes:
        return np.where(blank, np.searchsorted(known, column) + start, -1)

    nodes = (
        numbered(quads.graph, _is_blank_graph(quads.graph, is_blank)),
        numbered(quads.subject, is_blank(quads.subject)),
        numbered(quads.object, is_blank(quads.object)),
    )
    return Statements(nodes, _columns(quads), quads.predicate)


def _joined(left: Statements, right: Statements) -> Statements:
    nodes = [np.concatenate(pair) for pair in zip(left.nodes, right.nodes, strict=True)]
    terms = [np.concatenate(pair) for pair in zip(left.terms, right.terms, strict=True)]
    predicate = np.concatenate([left.predicate, right.predicate])
    return Statements((nodes[0], nodes[1], nodes[2]), (terms[0], terms[1], terms[2]), predicate)


def _distinct(quads: Quads) -> Quads:
    return _first_of_runs(quads, *_sorted(quads))


def _sorted(quads: Quads) -> tuple[NDArray[np.int64], tuple[NDArray[np.uint64], NDArray[np.uint64]]]:
    """An order of quads, and in that order two keys that say all of each."""
    outer = quads.graph.astype(np.uint64) << np.uint64(32) | quads.predicate
    inner = quads.subject.astype(np.uint64) << np.uint64(32) | quads.object
    order = np.lexsort((inner, outer))
    return order, (outer[order], inner[order])


def _repeats(keys: tuple[NDArray[np.uint64], NDArray[np.uint64]]) -> Mask:
    """For each quad in order whether it is the same as the one before."""
    found = np.zeros(len(keys[0]), dtype=np.bool_)
    found[1:] = (keys[0][1:] == keys[0][:-1]) & (keys[1][1:] == keys[1][:-1])
    return found


def _first_of_runs(
    quads: Quads, order: NDArray[np.int64], keys: tuple[NDArray[np.uint64], NDArray[np.uint64]]
) -> Quads:
    kept = order[~_repeats(keys)]
    return Quads(quads.graph[kept], quads.subject[kept], quads.predicate[kept], quads.object[kept])


def _differing(before: Quads, after: Quads) -> tuple[Quads, Quads]:
    """What only `after` has, and what only `before` has."""
    before, after = _distinct(before), _distinct(after)
    both = Quads.concatenated([before, after])
    order, keys = _sorted(both)
    is_repeat = _repeats(keys)
    alone = ~is_repeat
    alone[:-1] &= ~is_repeat[1:]
    chosen = order[alone]
    is_added = chosen >= len(before)
    parts = [
        Quads(both.graph[rows], both.subject[rows], both.predicate[rows], both.object[rows])
        for rows in (chosen[is_added], chosen[~is_added])
    ]
    return parts[0], parts[1]
