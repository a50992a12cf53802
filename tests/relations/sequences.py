"""A third party's scheme: the order of sequences, as ``before`` follows from ``next``, by required methods alone.

Where the edges are those of sequences, so that each node has one edge to it and one from it at most and none leads
back, a node is before all that come later in its sequence. Other edges go to the transitive scheme.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kgreason.columns import pairs
from kgreason.relations.catalogue import TRANSITIVE, Catalogue, Input, present
from kgreason.relations.plain import empty_table, union_of
from kgreason.relations.schemes import TransitiveScheme, standard_catalogue
from kgreason.relations.stored import Part, PartReader, PartWriter, ReadTable
from kgreason.relations.table import Columns, Ids, Index, Table
from kgreason.relations.virtual import VirtualTable


class SequenceTable(VirtualTable):
    """Each node of a sequence with each later one."""

    arity = 2
    scheme = "sequence"

    def __init__(self, sequences: Iterable[Sequence[int]]) -> None:
        self.sequences = [np.array(each, dtype=np.uint32) for each in sequences]
        self._nodes = np.concatenate([np.empty(0, dtype=np.uint32), *self.sequences])
        lengths = np.array([*map(len, self.sequences)], dtype=np.int64)
        ends = np.cumsum(lengths)
        self._begin, self._end = np.repeat(ends - lengths, lengths), np.repeat(ends, lengths)
        self._order = np.argsort(self._nodes)

    def distinct(self, position: int) -> Ids:
        some = [each[:-1] if position == 0 else each[1:] for each in self.sequences]
        return np.sort(np.concatenate([np.empty(0, dtype=np.uint32), *some]))

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        ((position, wanted),) = bound.items()
        ranks = np.searchsorted(self._nodes[self._order], wanted)
        ranks[ranks == len(self._nodes)] = 0
        at = self._order[ranks] if len(self._nodes) else ranks
        known = np.flatnonzero(self._nodes[at] == wanted) if len(self._nodes) else np.empty(0, dtype=np.int64)
        at = at[known]
        index, found = pairs.spread(at + 1, self._end[at]) if position == 0 else pairs.spread(self._begin[at], at)
        rows = known[index]
        others = self._nodes[found]
        return rows, (wanted[rows], others) if position == 0 else (others, wanted[rows])


class StoredSequences(SequenceTable):
    """The same with a stored form."""

    stored_as = "sequence of tests"

    def write(self, to: PartWriter) -> list[Part]:
        return [[to.numbers(each) for each in self.sequences]]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> StoredSequences:
        found = [of.numbers(part, np.uint32, "a sequence") for part in of.entries(parts[0], None, "its sequences")]
        for each in found:
            of.check_ids(each, "a sequence")
        return cls(found)


class SequenceScheme:
    """Sequences where the edges are such, else labels."""

    def __init__(self, kind: type[SequenceTable] = SequenceTable) -> None:
        self.kind = kind
        self.made = 0

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        tables = present(each.after for each in inputs)
        edges = union_of([empty_table(2), *(edges for table in tables for edges in table.generators())])
        sequences = sequences_of(*(column.tolist() for column in edges.columns()))
        if sequences is None:
            return TransitiveScheme().derive(before, inputs)
        self.made += 1
        return self.kind(sequences)


def sequences_of(subjects: list[int], objects: list[int]) -> list[list[int]] | None:
    """The sequences that edges make, None where they make none."""
    following = dict(zip(subjects, objects, strict=True))
    if len(following) < len(subjects) or len({*objects}) < len(objects):
        return None
    found = []
    for first in following.keys() - {*objects}:
        sequence = [first]
        while sequence[-1] in following:
            sequence.append(following[sequence[-1]])
        found.append(sequence)
    return found if sum(map(len, found)) - len(found) == len(following) else None


def catalogue(scheme: SequenceScheme) -> Catalogue:
    """The standard catalogue with sequences for transitive relations."""
    readers = {StoredSequences.stored_as: ReadTable(1, StoredSequences.read)}
    return Catalogue({**standard_catalogue().schemes, TRANSITIVE: scheme}, readers=readers)
