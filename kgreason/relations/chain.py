"""The chain scheme: pairs continued at either end by closures of other relations, never written out.

``R(x, y), S(y, z) -> R(x, z)`` makes of a relation R, whose own pairs are the *inner* ones, the composition of these
with the reflexive-transitive closure of S; ``L(x, y), R(y, z) -> R(x, z)`` continues it at the other end. A document
has the subjects above its own, a part is where the whole is. The next module after those of Hu et al. 2019.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from kgreason import tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.pairs import Keys
from kgreason.relations.paths import Path
from kgreason.relations.stored import Part, PartReader, PartWriter
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Mask, Table
from kgreason.relations.virtual_pairs import VirtualPairs

_MANY = 1 << 12
"""What the ends of a subject reach is united, not sorted, where it is so much in all: a set takes some microseconds."""

_ONE_BY_ONE = 4
"""So many ends are looked at one by one, since one on a large cycle reaches what most of the others do."""


class ChainTable(VirtualPairs):
    """``left* . inner . right*``, where `left` and `right` are transitively closed, or None for no continuation."""

    scheme = "chain"
    stored_as = "chain"

    def __init__(self, inner: Table, left: Table | None, right: Table | None, owned: Iterable[Table] = ()) -> None:
        """`owned` are those of the closures that are there for this table alone."""
        self.inner = inner
        self.left = left
        self.right = right
        self.owned = tuple(owned)
        self._subjects: Ids | None = None

    @property
    def nbytes(self) -> int:
        return sum(table.nbytes for table in self.owned)

    @property
    def estimate(self) -> int:
        found = self.inner.estimate
        for closure in (self.left, self.right):
            if closure:
                found *= 1 + closure.estimate // max(1, len(closure.distinct(0)))
        return found

    def subjects(self) -> Ids:
        if self._subjects is None:
            subjects = self.inner.distinct(0)
            if self.left:
                _, before = _continued(self.left.inverse(), subjects)
                subjects = sorted_sets.unique(before)
            self._subjects = subjects
        return self._subjects

    def objects_of(self, subject: int) -> Ids:
        return self.expand_subjects(np.array([subject], dtype=np.uint32))[1]

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        index, ends = self._inner_ends(subjects)
        keys = pairs.distinct(index.astype(np.uint32), ends)
        keys = _with_reached(keys, self.right) if self.right else keys
        return pairs.subjects(keys).astype(np.int64), pairs.objects(keys)

    def contains(self, columns: Columns) -> Mask:
        """Whether pairs are there: O(ways inwards), from an end that no closure continues, or from the other one where
        that has fewer ways."""
        end = 0 if self.left is None else 1
        ways = self._ways(end, columns[end])
        if ways.sum() > tuning.JOIN_ROWS:
            others = self._ways(1 - end, columns[1 - end])
            if others.sum() < ways.sum():
                end, ways = 1 - end, others
        runs = pairs.runs_within(ways, tuning.JOIN_ROWS)
        found = [self._leads_to(end, columns[end][a:b], columns[1 - end][a:b]) for a, b in runs]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.bool_)

    def _ways(self, end: int, nodes: Ids) -> Index:
        """About how many rows `_leads_to` makes for each node at an end."""
        near, far = self._closures(end)
        reached = 1 + near.fanout(end, nodes) if near else np.ones(len(nodes), dtype=np.int64)
        if far is None:
            return reached
        if near is None:
            return reached + self.inner.fanout(end, nodes)
        return reached * (1 + self.inner.estimate // max(1, self.inner.distinct_estimate(end)))

    def _closures(self, end: int) -> tuple[Table | None, Table | None]:
        """The closure at an end, and that at the other one."""
        return (self.left, self.right) if end == 0 else (self.right, self.left)

    def _leads_to(self, end: int, nodes: Ids, others: Ids) -> Mask:
        """Whether each node at an end leads to one at the other: through the closure at its end, an inner pair, and the
        closure at the other end."""
        near, far = self._closures(end)
        index, inward = _continued(near.inverse() if near and end else near, nodes)
        wanted = others[index]
        if far is None:
            reached = self.inner.contains(_turned(end, inward, wanted))
        else:
            onward, columns = self.inner.lookup({end: inward})
            index, wanted, inward = index[onward], wanted[onward], columns[1 - end]
            reached = inward == wanted
            open_ = np.flatnonzero(~reached)
            reached[open_] = far.contains(_turned(end, inward[open_], wanted[open_]))
        found = np.zeros(len(nodes), dtype=np.bool_)
        found[index[reached]] = True
        return found

    def inverse(self) -> ChainTable:
        left, right = (closure.inverse() if closure else None for closure in (self.right, self.left))
        return ChainTable(self.inner.inverse(), left, right)

    def _changed_subjects(self, other: Table) -> Ids | None:
        if not isinstance(other, ChainTable):
            return None
        middle = self.inner.changed_subjects(other.inner)
        further = _gained(self.right, other.right)
        nearer = _gained(self.left, other.left)
        if middle is None or further is None or nearer is None:
            return None
        if len(further):
            _, columns = self.inner.lookup({1: further})
            middle = sorted_sets.unique(np.concatenate((middle, columns[0])))
        if self.left and len(middle):
            middle = sorted_sets.union(middle, self.left.image(1, middle))
        return sorted_sets.unique(np.concatenate((middle, nearer)))

    def changed_objects(self, other: Table) -> Ids | None:
        """Those of the inner pairs and of the closures that have changed, and what they lead to."""
        return self.inverse().changed_subjects(other.inverse()) if isinstance(other, ChainTable) else None

    def paths(self) -> list[Path]:
        """One for each way to be continued or not at the ends."""
        before, after = (_continuations(closure) for closure in (self.left, self.right))
        return [(*first, *inner, *last) for first, inner, last in product(before, self.inner.paths(), after)]

    def write(self, to: PartWriter) -> list[Part]:
        """The inner pairs, the closures before and after, and those of them that are there for this table alone."""
        owned = [to.table(part) for part in self.owned]
        return [to.table(self.inner), to.optional(self.left), to.optional(self.right), owned]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> ChainTable:
        """A table of `write`; LoadError where they are damaged."""
        inner = of.table(parts[0], "its pairs", 2)
        left = of.optional(parts[1], "what comes before", 2)
        right = of.optional(parts[2], "what comes after", 2)
        owned = [of.table(part, "what it owns", 2) for part in of.entries(parts[3], None, "what it owns")]
        return cls(inner, left, right, owned)

    def _inner_ends(self, subjects: Ids) -> tuple[Index, Ids]:
        """For many subjects the index of the subject and the object of each inner pair that it leads to."""
        before, nodes = _continued(self.left, subjects)
        index, columns = self.inner.lookup({0: nodes})
        return before[index], columns[1]


def _continuations(closure: Table | None) -> list[Path]:
    return [(), *closure.paths()] if closure else [()]


def _continued(closure: Table | None, nodes: Ids) -> tuple[Index, Ids]:
    """Each node itself, and what it reaches, with the index of the node."""
    itself = np.arange(len(nodes))
    if not closure:
        return itself, nodes
    index, columns = closure.lookup({0: nodes})
    return np.concatenate((itself, index)), np.concatenate((nodes, columns[1]))


def _turned(end: int, nodes: Ids, others: Ids) -> Columns:
    """Nodes at one end, and those at the other, as pairs."""
    return (others, nodes) if end else (nodes, others)


def _with_reached(keys: Keys, closure: Table) -> Keys:
    """Sorted keys of the number of a row and a node: for each row its nodes, and what they reach. Rows that reach much
    in many ways are looked at one by one."""
    rows, nodes = pairs.subjects(keys), pairs.objects(keys)
    distinct = sorted_sets.unique(nodes)
    sizes = closure.fanout(0, distinct)[distinct.searchsorted(nodes)]
    begins = np.flatnonzero(np.diff(rows, prepend=np.uint32(0xFFFFFFFF))) if len(rows) else np.zeros(0, dtype=np.int64)
    ends = np.append(begins[1:], len(rows))
    many = np.add.reduceat(sizes, begins) > _MANY if len(begins) else np.zeros(0, dtype=np.bool_)
    few = np.flatnonzero(np.repeat(~many, ends - begins))
    index, columns = closure.lookup({0: nodes[few]})
    found = [keys, pairs.pack(rows[few][index], columns[1])]
    for begin, end in zip(begins[many].tolist(), ends[many].tolist(), strict=True):
        reached = _reached(closure, nodes[begin:end], sizes[begin:end])
        found.append(pairs.pack(np.full(len(reached), rows[begin]), reached))
    return sorted_sets.unique(np.concatenate(found))


def _reached(closure: Table, nodes: Ids, sizes: Index) -> Ids:
    """What nodes reach, given how many each does: from the one that reaches most on, of those that are not reached
    yet; from what is left after a few of them, all at once."""
    checkpoint()
    found: list[Ids] = []
    left = nodes[np.argsort(-sizes, kind="stable")]
    while len(left) and len(found) < _ONE_BY_ONE:
        reached = np.sort(closure.image_of(0, int(left[0])))
        found.append(reached)
        left = left[1:]
        left = left[~sorted_sets.contains(reached, left)]
    if len(left):
        found.append(closure.image(0, left))
    return bitmaps.distinct(np.concatenate(found))


def _gained(after: Table | None, before: Table | None) -> Ids | None:
    """The nodes that may reach something which they did not reach before."""
    if not after or after is before:
        return NO_IDS
    return after.changed_subjects(before) if before else after.distinct(0)
