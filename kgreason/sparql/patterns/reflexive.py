"""A relation with every node of the graph paired with itself as well: what paths of no step bring."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgreason.algebra.relation import Columns, Relation
from kgreason.columns import bitmaps, sorted_sets
from kgreason.columns.id_columns import repeated
from kgreason.relations.codes import CLASS, PROPERTY
from kgreason.sparql import query_tuning
from kgreason.sparql.patterns.bound import KnownPaths
from kgreason.sparql.patterns.pattern_relations import PatternRelation, pair_columns
from kgreason.sparql.solutions import Counts, Ids, Index, Mask
from kgreason.sparql.source import Source


class Nodes:
    """The subjects and objects of a graph, and constants of the query, which are terms of no step with themselves
    wherever they are (SPARQL 1.1, section 18.4, ZeroLengthPath)."""

    def __init__(self, source: Source, constants: Ids, known: KnownPaths) -> None:
        self._source = source
        self._constants = constants
        self._known = known

    @property
    def size(self) -> int:
        """About how many there are."""
        return self._known.size(self._source)

    def all(self) -> Ids:
        """All of them, sorted."""
        return sorted_sets.union(self._known.nodes(self._source), self._constants)

    def contain(self, identifiers: Ids) -> Mask:
        """For each id whether it is one of them: a few are looked for among the triples, of more the subjects are found
        first."""
        found = np.isin(identifiers, self._constants)
        rest = np.flatnonzero(~found)
        if not len(rest):
            return found
        wanted, of = np.unique(identifiers[rest], return_inverse=True)
        if self._known.has_nodes(self._source):
            is_used = sorted_sets.contains(self._known.nodes(self._source), wanted)
        else:
            are_few = len(wanted) <= query_tuning.FEW_NODES
            is_used = np.zeros(len(wanted), dtype=np.bool_) if are_few else self._are_subjects(wanted)
            left = np.flatnonzero(~is_used)
            if self._are_few(len(left)):
                is_used[left] = [*map(self._is_used, wanted[left].tolist())]
            else:
                is_used[left] = sorted_sets.contains(self._known.nodes(self._source), wanted[left])
        found[rest] = is_used[of.reshape(-1)]
        return found

    def _are_subjects(self, identifiers: Ids) -> Mask:
        """For each id whether it is the subject of a triple: a look-up in each relation, until all are found."""
        source, found = self._source, np.zeros(len(identifiers), dtype=np.bool_)
        codes = (*source.codes(PROPERTY), *source.codes(CLASS))
        tables = [table for code in codes if (table := source.table(code)) is not None]
        left = np.arange(len(identifiers))
        for table in sorted(tables, key=lambda table: -table.estimate):
            if not len(left):
                break
            found[left] = table.has_key(0, identifiers[left])
            left = left[~found[left]]
        return found

    def _are_few(self, count: int) -> bool:
        """Whether to look for so many ids costs less than all nodes."""
        return count <= 4 * query_tuning.FEW_NODES or count <= self._source.estimate // query_tuning.TRIPLES_FOR_A_NODE

    def _is_used(self, identifier: int) -> bool:
        source = self._source
        matches = (source.match(identifier, None, None), source.match(None, None, identifier))
        return any(len(chunk[0]) for chunks in matches for chunk in chunks)


class Reflexive(PatternRelation):
    """The pairs of `base`, and each node with itself."""

    def __init__(self, base: Relation, nodes: Nodes) -> None:
        self.base = base
        self.nodes = nodes

    @property
    def estimate(self) -> int:
        return self.base.estimate + self.nodes.size

    def distinct_estimate(self, position: int) -> int:
        return max(1, self.nodes.size)

    def __len__(self) -> int:
        return len(self.base) + len(self.nodes.all()) - len(self.base.loops())

    def chunks(self) -> Iterator[Columns]:
        every = self.nodes.all()
        yield every, every
        for subjects, objects in self.base.chunks():
            others = subjects != objects
            yield subjects[others], objects[others]

    def select(self, bound: dict[int, int]) -> Columns:
        if len(bound) != 1:
            return super().select(bound)
        ((position, identifier),) = bound.items()
        itself = np.array([identifier], dtype=np.uint32)
        found = self.base.select(bound)
        if not self.nodes.contain(itself)[0]:
            return found
        others = found[1 - position]
        others = np.concatenate((itself, others[others != identifier]))
        return pair_columns(position, repeated(identifier, len(others)), others)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        ((position, identifiers),) = bound.items()
        index, (subjects, objects) = self.base.lookup(bound)
        leads = np.zeros(len(identifiers), dtype=np.bool_)
        leads[index] = True
        itself = self._itself(position, identifiers, leads)
        same = identifiers[itself]
        new = subjects != objects
        columns = np.concatenate((same, subjects[new])), np.concatenate((same, objects[new]))
        return np.concatenate((itself, index[new])), columns

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        ((position, identifiers),) = bound.items()
        leads = np.zeros(len(identifiers), dtype=np.bool_)
        for index, (subjects, objects) in self.base.lookups(bound, most):
            leads[index] = True
            new = subjects != objects
            yield index[new], (subjects[new], objects[new])
        itself = self._itself(position, identifiers, leads)
        yield itself, (identifiers[itself], identifiers[itself])

    def _itself(self, position: int, identifiers: Ids, leads: Mask) -> Index:
        """The rows whose id is a node. One that leads somewhere is, and one that something leads to, such as a class
        without subclasses; the others are looked for."""
        found = leads.copy()
        rest = np.flatnonzero(~found)
        if len(rest):
            found[rest] = self.base.has_key(1 - position, identifiers[rest])
            rest = rest[~found[rest]]
        found[rest] = self.nodes.contain(identifiers[rest])
        return np.flatnonzero(found)

    def contains(self, columns: Columns) -> Mask:
        subjects, objects = columns
        found: Mask = np.equal(subjects, objects)
        found[found] = self.nodes.contain(subjects[found])
        rest = np.flatnonzero(~found)
        found[rest] = self.base.contains((subjects[rest], objects[rest]))
        return found

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return self.nodes.contain(identifiers)

    def distinct(self, position: int) -> Ids:
        return self.nodes.all()

    def fanout(self, position: int, identifiers: Ids) -> Counts:
        counts = self.base.fanout(position, identifiers)
        new = np.zeros(len(identifiers), dtype=np.bool_)
        new[self._itself(position, identifiers, counts > 0)] = True
        leading = np.flatnonzero(counts)
        new[leading] &= ~self.base.contains((identifiers[leading], identifiers[leading]))
        return counts + new

    def image(self, position: int, identifiers: Ids) -> Ids:
        itself = identifiers[self.nodes.contain(identifiers)]
        return bitmaps.distinct(np.concatenate((itself, self.base.image(position, identifiers))))

    def loops(self) -> Ids:
        return self.nodes.all()
