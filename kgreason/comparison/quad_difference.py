"""The quads that one set has and another one lacks, after blank nodes have been matched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason import progress
from kgreason.columns import sorted_sets
from kgreason.comparison.blank_terms import BlankTerms, with_names
from kgreason.comparison.colours import Mask, Nodes, Statements
from kgreason.comparison.isomorphism import AttemptLimit, Sides, isomorphic_components
from kgreason.comparison.similarity import match_similar
from kgreason.dictionary.dictionary import Dictionary
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


def quad_difference(before: Quads, after: Quads, dictionary: Dictionary) -> QuadDifference:
    """The difference of two sets of quads under the ids of a dictionary: O(n log n), and what matching blank nodes
    costs.

    Args:
        before, after: quads, in any order, perhaps with duplicates.
        dictionary: learns new blank nodes, for those of the second set whose ids the first set has for other nodes, and
            triple terms of them.
    """
    attempts, blank = AttemptLimit(), BlankTerms(dictionary)
    before_blank, after_blank = _blank_quads(before, blank), _blank_quads(after, blank)
    renamed = after
    if after_blank.any() and not (before_blank.any() and _same_rows(before, after, before_blank, after_blank)):
        sets = _with_parts(before.where(before_blank), blank), _with_parts(after.where(after_blank), blank)
        renamed = _renamed(after, *sets, blank, attempts)
    added, removed = _differing(before, renamed)
    return QuadDifference(added, removed, attempts.is_spent)


def quads_without(quads: Quads, others: Quads) -> Quads:
    """The distinct quads that are none of others: O(n log n)."""
    if not len(others):
        return _distinct(quads)
    return _differing(others, quads)[0]


def _columns(quads: Quads) -> tuple[Ids, Ids, Ids]:
    """The columns in which blank nodes stand."""
    return quads.graph, quads.subject, quads.object


def _blank_quads(quads: Quads, blank: BlankTerms) -> Mask:
    """Which quads have a node."""
    found = blank.are_nodes(quads.subject) | blank.are_nodes(quads.object)
    if len(quads) and (quads.graph != DEFAULT_GRAPH).any():
        found |= _is_blank_graph(quads.graph, blank)
    return found


def _is_blank_graph(graphs: Ids, blank: BlankTerms) -> Mask:
    found: Mask = graphs != DEFAULT_GRAPH
    found[found] = blank.are_nodes(graphs[found])
    return found


def _with_parts(quads: Quads, blank: BlankTerms) -> Quads:
    """Distinct quads, and the parts of the nodes in them that are triple terms."""
    quads = _distinct(quads)
    parts = blank.parts_of(_nodes_of(quads, blank))
    return Quads.concatenated([quads, parts]) if len(parts) else quads


def _same_rows(before: Quads, after: Quads, before_blank: Mask, after_blank: Mask) -> bool:
    """Whether the quads with blank nodes are the same, as in copies of one store."""
    return not any(map(len, _differing(before.where(before_blank), after.where(after_blank))))


def _renamed(quads: Quads, left: Quads, right: Quads, blank: BlankTerms, attempts: AttemptLimit) -> Quads:
    """Quads of the second set with the nodes of the first where they are matched, by the quads of both with nodes."""
    known = _nodes_of(left, blank), _nodes_of(right, blank)
    first = len(known[0])
    statements = _joined(_statements(left, known[0], 0, blank), _statements(right, known[1], first, blank))
    sides = Sides(statements, first + len(known[1]), first)
    progress.begin("matching blank nodes")
    partner = isomorphic_components(sides, attempts)
    match_similar(sides, partner, attempts)
    names = blank.renamed(known[1], _names(known[0], known[1], partner[first:], blank))
    graph, subject, object = (with_names(column, known[1], names) for column in _columns(quads))
    return Quads(graph, subject, quads.predicate, object)


def _names(first: Ids, second: Ids, partner: Nodes, blank: BlankTerms) -> Ids:
    """For each node of the second set its partner in the first, a new one where its id is there for another node, or
    itself. Those of triple terms follow from them."""
    names = second.copy()
    matched = (partner >= 0) & ~blank.are_triples(second)
    matched[matched] = ~blank.are_triples(first[partner[matched]])
    names[matched] = first[partner[matched]]
    clashing = ~matched & np.isin(names, first) & ~blank.are_triples(second)
    names[clashing] = blank.fresh(int(clashing.sum()))
    return names


def _nodes_of(quads: Quads, blank: BlankTerms) -> Ids:
    """The distinct nodes, in ascending order."""
    found = [column[blank.are_nodes(column)] for column in (quads.subject, quads.object)]
    found.append(quads.graph[_is_blank_graph(quads.graph, blank)])
    return sorted_sets.unique(np.concatenate(found))


def _statements(quads: Quads, known: Ids, start: int, blank: BlankTerms) -> Statements:
    """Quads with the nodes numbered from `start` on."""

    def numbered(column: Ids, is_node: Mask) -> Nodes:
        return np.where(is_node, np.searchsorted(known, column) + start, -1)

    nodes = (
        numbered(quads.graph, _is_blank_graph(quads.graph, blank)),
        numbered(quads.subject, blank.are_nodes(quads.subject)),
        numbered(quads.object, blank.are_nodes(quads.object)),
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
