"""The order of blank nodes by what is said of them and with them, which does not depend on their labels.

A signature is a hash of the triples of a node, refined until it tells no more nodes apart. Where nodes that are
connected have one signature, as those of a circle, one of them is made different, and the signatures of the others
follow from that; in all parts of the graph at once that are not connected with each other. Parts that are alike come in
any order, with all of their nodes.

Source: Hogan, "Canonical Forms for Isomorphic and Equivalent RDF Graphs" (2017), Algorithms 1 and 3, without the search
through all choices, which matters where nodes have one signature and are not alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.checkpoints import checkpoint
from kgreason.columns import sorted_sets
from kgreason.columns.components import undirected_components
from kgreason.columns.mixing import Hashes, mixed

Places: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]

_OUT, _IN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_CHOSEN: Final = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True, eq=False)
class BlankOrder:
    """For each node its signature, and the number of its part, which tells apart nodes with one signature."""

    signatures: Hashes
    parts: NDArray[np.int64]


def blank_order(signatures: Hashes, is_blank: Mask, places: Sequence[Places]) -> BlankOrder:
    """The order of the blank nodes among numbered terms.

    Args:
        signatures: those of the other terms; written into.
        is_blank: which terms are blank nodes.
        places: the subjects, predicates and objects of all triples.

    Cost: O(m log n) for m triples of n blank nodes, but for unusual graphs.
    """
    refinement = _Refinement(signatures, is_blank, places)
    refinement.refine(np.flatnonzero(is_blank))
    parts = _Parts(refinement, np.flatnonzero(is_blank))
    while len(chosen := parts.choices()):
        refinement.choose(chosen)
        refinement.tell_apart(parts.divided, parts.numbers)
    return BlankOrder(refinement.signatures, parts.numbers)


class _Parts:
    """The parts of a graph whose nodes are connected by way of such as are not told apart.

    `numbers` has the part of each node; a part of a part comes where that one was. `divided` are the nodes of those
    that have been divided last.
    """

    def __init__(self, refinement: _Refinement, nodes: Places) -> None:
        self.numbers = np.zeros(len(refinement.signatures), dtype=np.int64)
        self._refinement = refinement
        self.divided = self._nodes = self._active = nodes

    def choices(self) -> Places:
        """One node of each part in which some are not told apart, which is to be made different; none at the end."""
        signatures = self._refinement.signatures
        active = self._tied(self._active)
        while len(active):
            checkpoint()
            self._divide(active)
            self.divided = active
            before, active = active, self._tied(active)
            if len(active) == len(before):
                break
        self._active = active
        numbers = self.numbers[active]
        order = np.lexsort((signatures[active], numbers))
        firsts = np.append(True, numbers[order][1:] != numbers[order][:-1])[: len(active)]
        found: Places = active[order][firsts]
        return found

    def _tied(self, nodes: Places) -> Places:
        """Those of some nodes that have the signature of another one in their part."""
        numbers, signatures = self.numbers[nodes], self._refinement.signatures[nodes]
        order = np.lexsort((signatures, numbers))
        numbers, signatures = numbers[order], signatures[order]
        same = np.append(False, (numbers[1:] == numbers[:-1]) & (signatures[1:] == signatures[:-1]))[: len(nodes)]
        return np.sort(nodes[order[same | np.append(same[1:], False)[: len(nodes)]]])

    def _divide(self, active: Places) -> None:
        """Number parts anew by what is connected among the active nodes."""
        component = np.zeros(len(self.numbers), dtype=np.int64)
        component[active] = 1 + undirected_components(len(active), *self._refinement.links(active))
        keys = self.numbers[self._nodes] * (len(active) + 1) + component[self._nodes]
        self.numbers[self._nodes] = np.unique(keys, return_inverse=True)[1]


class _Refinement:
    """Splits classes of blank nodes with one signature until their triples tell no more of them apart.

    A class that splits leaves its signature to those that need not be looked at, or else to its largest part, and only
    what touches the others is looked at again (Hopcroft 1971): a chain of n alike takes n looks, not n * n.
    """

    def __init__(self, signatures: Hashes, is_blank: Mask, places: Sequence[Places]) -> None:
        self.signatures = signatures
        self._is_blank = is_blank
        subjects, predicates, objects = places
        out, into = is_blank[subjects], is_blank[objects]
        nodes = np.concatenate([subjects[out], objects[into]])
        order = np.argsort(nodes, kind="stable")
        self._others = np.concatenate([objects[out], subjects[into]])[order]
        self._predicates = signatures[np.concatenate([predicates[out], predicates[into]])][order]
        self._directions = np.repeat(np.array([_OUT, _IN]), [out.sum(), into.sum()])[order]
        self._starts = np.searchsorted(nodes[order], np.arange(len(is_blank) + 1))
        found, counts = np.unique(signatures[is_blank], return_counts=True)
        self._sizes = Counter(dict(zip(found.tolist(), counts.tolist(), strict=True)))

    def refine(self, asked: Places) -> None:
        """Split classes until no triples do, and begin with those of some nodes."""
        while len(asked):
            checkpoint()
            asked = self._beside(self._split(asked))

    def choose(self, nodes: Places) -> None:
        """Make nodes different from those that are like them, and split what follows from that."""
        self._sizes.subtract(self.signatures[nodes].tolist())
        self.signatures[nodes] = mixed(self.signatures[nodes] ^ _CHOSEN)
        self._sizes.update(self.signatures[nodes].tolist())
        self.refine(self._beside(nodes))

    def tell_apart(self, nodes: Places, parts: NDArray[np.int64]) -> None:
        """Give nodes whose parts differ in the signatures that they have different ones."""
        before = self.signatures[nodes]
        owners = np.unique(parts[nodes], return_inverse=True)[1]
        sums = np.zeros(len(nodes), dtype=np.uint64)
        np.add.at(sums, owners, mixed(before))
        self.signatures[nodes] = mixed(before + mixed(sums)[owners])
        self._sizes.subtract(before.tolist())
        self._sizes.update(self.signatures[nodes].tolist())

    def links(self, active: Places) -> tuple[Places, Places]:
        """The triples between some nodes, as pairs of places among them."""
        numbers = np.full(len(self.signatures), -1, dtype=np.intp)
        numbers[active] = np.arange(len(active))
        rows, owners = self._rows(active)
        others = numbers[self._others[rows]]
        return owners[others >= 0], others[others >= 0]

    def _beside(self, nodes: Places) -> Places:
        """The blank nodes that share a triple with some nodes, and are not alone with their signature."""
        others = sorted_sets.unique(self._others[self._rows(nodes)[0]])
        others = others[self._is_blank[others]]
        alone = [self._sizes[signature] == 1 for signature in self.signatures[others].tolist()]
        found: Places = others[~np.array(alone, dtype=np.bool_)]
        return found

    def _split(self, asked: Places) -> Places:
        """Give those of some blank nodes new signatures whose class their triples split; which these are."""
        rows, owners = self._rows(asked)
        sums = np.zeros(len(asked), dtype=np.uint64)  # sums over triples come in no order
        others = mixed(self.signatures[self._others[rows]] + self._directions[rows])
        np.add.at(sums, owners, mixed(self._predicates[rows] ^ others))
        before = self.signatures[asked]
        after = mixed(before + mixed(sums))
        found, firsts, counts = np.unique(after, return_index=True, return_counts=True)
        parts: dict[int, list[tuple[int, int]]] = {}
        for signature, old, count in zip(found.tolist(), before[firsts].tolist(), counts.tolist(), strict=True):
            parts.setdefault(old, []).append((count, signature))
        stays = [kept for old, each in parts.items() if (kept := self._largest(old, each)) is not None]
        # Another way is tried by NumPy 2.0 for numbers close to each other, and fails above 2 ** 63.
        is_changed = ~np.isin(after, np.array(stays, dtype=np.uint64), kind="sort")
        self.signatures[asked[is_changed]] = after[is_changed]
        return asked[is_changed]

    def _largest(self, old: int, parts: list[tuple[int, int]]) -> int | None:
        """Count what a class becomes; the part that keeps its signature, or None where nodes keep it that stay."""
        counted = sum(count for count, _ in parts)
        stays = None
        if counted == self._sizes[old]:
            self._sizes[old], stays = max(parts)
        else:
            self._sizes[old] -= counted
        self._sizes.update({signature: count for count, signature in parts if signature != stays})
        return stays

    def _rows(self, nodes: Places) -> tuple[Places, Places]:
        """The rows of triples of some nodes, and for each row the position of its node."""
        begins, ends = self._starts[nodes], self._starts[nodes + 1]
        counts = ends - begins
        owners = np.repeat(np.arange(len(nodes)), counts)
        first = np.cumsum(counts) - counts
        return np.arange(len(owners)) + (begins - first)[owners], owners
