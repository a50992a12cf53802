"""Blank nodes that two graphs have in common, as whole components: exact.

Blank nodes that stand in one statement are of one component. A component of one graph is matched with an isomorphic one
of the other graph. Components are told apart by colours. Within a pair nodes of one colour are told apart by
individualisation: one of each graph gets a colour of its own, and refinement goes on. All pairs advance together, and
nodes of one colour whose neighbours are told apart already are twins, which are matched in any order. A pair that comes
out wrong is searched with backtracking, for as long as there are attempts left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from kgreason.checkpoints import checkpoint
from kgreason.columns import sorted_sets
from kgreason.columns.components import undirected_components
from kgreason.columns.mixing import Hashes, mixed
from kgreason.comparison.colours import Incidences, Mask, Nodes, Statements, paired, ranks, refined

ATTEMPTS: Final = 2_000
"""How often all hard pairs together are refined anew: a second or two for components of some hundred nodes."""
_ROUNDS: Final = 1 << 30
"""More rounds of refinement than any graph takes."""


@dataclass(slots=True)
class AttemptLimit:
    """How many attempts are left; `is_spent` where they did not suffice."""

    attempts: int = ATTEMPTS
    is_spent: bool = False

    def take(self) -> bool:
        """Whether there is one more attempt."""
        self.attempts -= 1
        self.is_spent |= self.attempts < 0
        return self.attempts >= 0


@dataclass(frozen=True, slots=True)
class Sides:
    """Blank nodes of two graphs in one numbering, those of the first graph first, and the statements of both."""

    statements: Statements
    count: int
    first: int

    @property
    def names(self) -> Hashes:
        """For each node a hash that only it has."""
        return mixed(np.arange(self.count, dtype=np.uint64) + np.uint64(1 << 40))


def isomorphic_components(sides: Sides, attempts: AttemptLimit) -> Nodes:
    """For each node of one graph its partner in the other graph, -1 without one: O(statements log statements) for each
    round of refinement, of which there are as many as the longest path needs that has to be followed."""
    partner = np.full(sides.count, -1, dtype=np.int64)
    is_free = np.ones(sides.count, dtype=np.bool_)
    incidences = Incidences.of(sides.statements, sides.names, is_free)
    colours = refined(incidences, np.zeros(sides.count, dtype=np.uint64), _ROUNDS)
    pair = _paired_components(sides, incidences, colours)
    keys = mixed(colours + mixed(pair.astype(np.uint64)))
    hard = _hard_pairs(sides, keys, pair)
    easy = (pair >= 0) & ~np.isin(pair, hard)
    _match(partner, keys, easy, sides.first)
    if len(hard):
        _match_hard(sides, np.isin(pair, hard), pair, keys, partner, attempts)
    return partner


def _paired_components(sides: Sides, incidences: Incidences, colours: Hashes) -> Nodes:
    """For each node the number of the pair of components that its own belongs to, -1 without."""
    component = undirected_components(sides.count, *incidences.edges())
    count = int(component.max()) + 1 if sides.count else 0
    signature = np.zeros(count, dtype=np.uint64)
    np.add.at(signature, component, mixed(colours))
    is_second = np.zeros(count, dtype=np.bool_)
    is_second[component[sides.first :]] = True
    keys = mixed(signature + mixed(ranks(signature, is_second).astype(np.uint64)))
    (first,), (second,) = np.nonzero(~is_second), np.nonzero(is_second)
    here, there = paired(keys[first], keys[second])
    number = np.full(count, -1, dtype=np.int64)
    number[first[here]] = number[second[there]] = np.arange(len(here))
    return number[component]


def _hard_pairs(sides: Sides, keys: Hashes, pair: Nodes) -> Nodes:
    """The pairs in which a colour is that of several nodes of one graph."""
    is_second = np.arange(sides.count) >= sides.first
    return sorted_sets.unique(pair[(ranks(keys, is_second) > 0) & (pair >= 0)])


def _match(partner: Nodes, keys: Hashes, wanted: Mask, first: int) -> None:
    """Match the wanted nodes by keys that each side has once."""
    (nodes,) = np.nonzero(wanted)
    left, right = nodes[nodes < first], nodes[nodes >= first]
    here, there = paired(keys[left], keys[right])
    partner[left[here]], partner[right[there]] = right[there], left[here]


def _match_hard(
    sides: Sides, is_free: Mask, pair: Nodes, colours: Hashes, partner: Nodes, attempts: AttemptLimit
) -> None:
    """Match the nodes of pairs whose colours do not tell all of them apart."""
    incidences = Incidences.of(sides.statements.touching(is_free), sides.names, is_free)
    (nodes,) = np.nonzero(is_free)
    is_second = nodes >= sides.first
    while True:
        checkpoint()
        colours = refined(incidences, colours, _ROUNDS)
        after = _told_apart(incidences, nodes, is_second, pair, colours)
        if after is None:
            break
        colours = after
    found = partner.copy()
    _match(found, mixed(colours + mixed(pair.astype(np.uint64))), is_free, sides.first)
    wrong = _wrong_pairs(sides, is_free, pair, found)
    right = is_free & ~np.isin(pair, wrong)
    partner[right] = found[right]
    if len(wrong):
        _search(sides, is_free & np.isin(pair, wrong), pair, partner, attempts)


def _told_apart(
    incidences: Incidences, nodes: Nodes, is_second: Mask, pair: Nodes, colours: Hashes
) -> Hashes | None:
    """Colours that tell more nodes apart, None where each side has each colour once."""
    own = colours[nodes]
    rank = ranks(own, is_second)
    several = np.zeros(len(colours), dtype=np.bool_)
    several[nodes[np.isin(own, own[rank > 0])]] = True
    if not several.any():
        return None
    loose = np.zeros(len(colours), dtype=np.bool_)
    here, there = incidences.edges()
    loose[here[several[here] & several[there]]] = True
    loose_nodes = nodes[np.isin(own, colours[loose])]
    after = colours.copy()
    twins = several[nodes] & ~np.isin(nodes, loose_nodes)
    after[nodes[twins]] = mixed(own[twins] + mixed(rank[twins].astype(np.uint64) + np.uint64(1)))
    if twins.any():
        return after
    # One node of each side in each pair, both of the least colour.
    order = np.lexsort((loose_nodes, colours[loose_nodes], loose_nodes >= nodes[is_second].min(), pair[loose_nodes]))
    ordered = loose_nodes[order]
    places = ranks(pair[ordered], ordered >= nodes[is_second].min())
    chosen = ordered[places == 0]
    after[chosen] = mixed(after[chosen] + np.uint64(1))
    return after


def _wrong_pairs(sides: Sides, is_free: Mask, pair: Nodes, partner: Nodes) -> Nodes:
    """The pairs of components whose statements differ under a matching."""
    statements = sides.statements.touching(is_free)
    owner = np.full(len(statements.predicate), -1, dtype=np.int64)
    is_second = np.zeros(len(owner), dtype=np.bool_)
    columns = [statements.predicate.astype(np.int64)]
    for node, term in zip(statements.nodes, statements.terms, strict=True):
        held = (node >= 0) & is_free[node]
        owner = np.where(held, pair[node], owner)
        is_second |= (node >= sides.first) & (node >= 0)
        # The nodes of the second graph as their partners in the first; an own one where there is none.
        renamed = np.where((node >= sides.first) & (partner[node] >= 0), partner[node], node)
        columns.append(np.where(node >= 0, -1 - renamed, term))
    unmatched = sorted_sets.unique(pair[is_free & (partner < 0)])
    order = np.lexsort((is_second, *columns))
    same = np.ones(max(len(order) - 1, 0), dtype=np.bool_)
    for column in columns:
        same &= column[order][1:] == column[order][:-1]
    twice = np.zeros(len(order), dtype=np.bool_)
    twice[1:] |= same
    twice[:-1] |= same
    return np.union1d(sorted_sets.unique(owner[order][~twice]), unmatched)


def _search(sides: Sides, is_free: Mask, pair: Nodes, partner: Nodes, attempts: AttemptLimit) -> None:
    """Match components with backtracking, each with any that is left."""
    numbers = sorted_sets.unique(pair[is_free])
    left = {number: np.nonzero(is_free & (pair == number))[0] for number in numbers.tolist()}
    waiting = {number: nodes[nodes >= sides.first] for number, nodes in left.items()}
    for number, nodes in left.items():
        here = nodes[nodes < sides.first]
        for other in sorted(waiting, key=lambda candidate: candidate != number):
            there = waiting[other]
            if len(there) != len(here):
                continue
            found = _isomorphism(sides, here, there, attempts)
            if found is not None:
                partner[here], partner[found] = found, here
                del waiting[other]
                break


def _isomorphism(sides: Sides, here: Nodes, there: Nodes, attempts: AttemptLimit) -> Nodes | None:
    """The partners of the nodes of one component in another one; None where there are none, or no attempts left."""
    nodes = np.concatenate([here, there])
    is_free = np.zeros(sides.count, dtype=np.bool_)
    is_free[nodes] = True
    incidences = Incidences.of(sides.statements.touching(is_free), sides.names, is_free)
    stack: list[Iterator[Hashes]] = [iter([np.zeros(sides.count, dtype=np.uint64)])]
    while stack:
        colours = next(stack[-1], None)
        if colours is None:
            stack.pop()
            continue
        if not attempts.take():
            return None
        colours = refined(incidences, colours, _ROUNDS)
        left, right = np.sort(colours[here]), np.sort(colours[there])
        if not np.array_equal(left, right):
            continue
        shared = left[1:][left[1:] == left[:-1]]
        if len(shared):
            stack.append(_choices(colours, here, there, shared[0]))
            continue
        found = there[np.argsort(colours[there])][np.argsort(np.argsort(colours[here]))]
        partner = np.full(sides.count, -1, dtype=np.int64)
        partner[here], partner[found] = found, here
        if not len(_wrong_pairs(sides, is_free, np.zeros(sides.count, dtype=np.int64), partner)):
            return found
    return None


def _choices(colours: Hashes, here: Nodes, there: Nodes, shared: np.uint64) -> Iterator[Hashes]:
    """One node of a colour in the first component, individualised with each one in the second."""
    node = here[colours[here] == shared][0]
    for other in there[colours[there] == shared].tolist():
        after = colours.copy()
        after[[node, other]] = mixed(after[[node, other]] + np.uint64(1))
        yield after
