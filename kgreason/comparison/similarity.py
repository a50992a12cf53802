"""Blank nodes that changed, matched with those that they most probably were: a heuristic.

What is matched already counts like terms that both graphs have. Again and again, until nothing is left to match:

1. Nodes that alone in their graphs have the same neighbourhood are matched, those with the largest one first: the
   colours of the last round of refinement, then those of the rounds before, down to a node's own statements.
2. Where there are none, nodes that share statements are: in each component the two that share most, rarer ones first.
3. Where there are none of these either, one of several nodes with the same neighbourhood in each component.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.checkpoints import checkpoint
from kgreason.columns.components import undirected_components
from kgreason.columns.mixing import Hashes, mixed
from kgreason.comparison.colours import Incidences, Mask, Nodes, paired, ranks
from kgreason.comparison.isomorphism import AttemptLimit, Sides

_DEEPEST: Final = 12
_PASSES: Final = 1_000
"""How often the nodes left are looked at. What is left then stays apart."""
_MOST_PAIRS: Final = 300_000
"""So many pairs of nodes with a statement in common are compared, those of the rarest statements first."""


def match_similar(sides: Sides, partner: Nodes, attempts: AttemptLimit) -> None:
    """Match more nodes: O(statements of what is left) for each pass, in place."""
    names = sides.names
    for number in range(_PASSES + 1):
        checkpoint()
        is_free = partner < 0
        if not is_free[: sides.first].any() or not is_free[sides.first :].any():
            return
        if number == _PASSES:
            attempts.is_spent = True
            return
        # Both nodes of a pair have one name.
        second = np.nonzero(~is_free)[0]
        second = second[second >= sides.first]
        names[second] = names[partner[second]]
        incidences = Incidences.of(sides.statements.touching(is_free), names, is_free)
        colours = [*incidences.rounds(np.zeros(sides.count, dtype=np.uint64), _DEEPEST)]
        is_done = (
            not any(_match_unique(found, is_free, sides.first, partner) for found in reversed(colours))
            and not _match_best(sides, incidences, partner, *_shared_statements(sides, incidences))
            and not any(
                _match_best(sides, incidences, partner, *_same_colours(found, is_free, sides.first))
                for found in reversed(colours)
            )
        )
        if is_done:
            return


def _match_unique(colours: Hashes, is_free: Mask, first: int, partner: Nodes) -> bool:
    """Match nodes that have a colour alone, one in each graph; whether there were some."""
    sides = []
    for nodes in (np.nonzero(is_free[:first])[0], np.nonzero(is_free[first:])[0] + first):
        _, places, counts = np.unique(colours[nodes], return_index=True, return_counts=True)
        sides.append(nodes[places[counts == 1]])
    left, right = sides
    here, there = paired(colours[left], colours[right])
    partner[left[here]], partner[right[there]] = right[there], left[here]
    return bool(len(here))


def _match_best(
    sides: Sides, incidences: Incidences, partner: Nodes, left: Nodes, right: Nodes, score: NDArray[np.float64]
) -> bool:
    """Match the pair of nodes with the highest score in each component; whether there were some."""
    component = undirected_components(sides.count, *incidences.edges())
    order = np.lexsort((right, left, -score))
    left, right = left[order], right[order]
    # The best pair of each component of the first graph, and of these that of each component of the second.
    for side in (0, 1):
        is_best = ranks(component[(left, right)[side]]) == 0
        left, right = left[is_best], right[is_best]
    partner[left], partner[right] = right, left
    return bool(len(left))


def _same_colours(colours: Hashes, is_free: Mask, first: int) -> tuple[Nodes, Nodes, NDArray[np.float64]]:
    """Pairs of nodes of one colour, the n-th of one graph with the n-th of the other; rare colours score more."""
    sides, keys = [], []
    for nodes in (np.nonzero(is_free[:first])[0], np.nonzero(is_free[first:])[0] + first):
        sides.append(nodes)
        keys.append(mixed(colours[nodes] + mixed(ranks(colours[nodes]).astype(np.uint64))))
    here, there = paired(*keys)
    left, right = sides[0][here], sides[1][there]
    _, inverse, counts = np.unique(colours[left], return_inverse=True, return_counts=True)
    return left, right, 1.0 / counts[inverse].astype(np.float64)


def _shared_statements(sides: Sides, incidences: Incidences) -> tuple[Nodes, Nodes, NDArray[np.float64]]:
    """Pairs of nodes, one of each graph, and how many statements they share; frequent statements are left out where
    there are too many."""
    is_linked = np.zeros(len(incidences.node), dtype=np.bool_)
    for linked, _ in incidences.links:
        is_linked[linked] = True
    keys, nodes = mixed(incidences.ground)[~is_linked], incidences.node[~is_linked]
    order = np.argsort(keys, kind="stable")
    keys, nodes = keys[order], nodes[order]
    is_second = nodes >= sides.first
    known, inverse = np.unique(keys, return_inverse=True)
    in_first = np.bincount(inverse[~is_second], minlength=len(known))
    in_second = np.bincount(inverse[is_second], minlength=len(known))
    products = in_first * in_second
    by_size = np.argsort(products, kind="stable")
    wanted = np.zeros(len(known), dtype=np.bool_)
    wanted[by_size[np.cumsum(products[by_size]) <= _MOST_PAIRS]] = True
    wanted &= products > 0
    first_nodes, first_keys = nodes[~is_second], inverse[~is_second]
    second_nodes, second_keys = nodes[is_second], inverse[is_second]
    chosen = wanted[first_keys]
    first_nodes, first_keys = first_nodes[chosen], first_keys[chosen]
    begins = np.searchsorted(second_keys, first_keys)
    counts = in_second[first_keys]
    rows = np.repeat(np.arange(len(first_keys)), counts)
    offsets = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    left, right = first_nodes[rows], second_nodes[begins[rows] + offsets]
    weight = 1 + 1 / (1 + products[first_keys[rows]])
    pairs, inverse = np.unique(left * sides.count + right, return_inverse=True)
    shared = np.bincount(inverse, weight, minlength=len(pairs)).astype(np.float64)
    return pairs // sides.count, pairs % sides.count, shared
