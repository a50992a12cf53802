"""Columns of quads, and their way into relations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from kgreason.columns import bitmaps
from kgreason.schemes.binary import BinaryTable
from kgreason.schemes.relations import class_code, property_code
from kgreason.schemes.scheme import Ids, Index, Mask, Table
from kgreason.schemes.unary import UnaryTable

DEFAULT_GRAPH: Final = 0xFFFFFFFF
_MANY = 4096


@dataclass(frozen=True, slots=True)
class Quads:
    """Four uint32 columns of one length; DEFAULT_GRAPH stands for the default graph."""

    graph: Ids
    subject: Ids
    predicate: Ids
    object: Ids

    def __len__(self) -> int:
        return len(self.subject)

    @classmethod
    def empty(cls) -> Quads:
        """No quads."""
        none = np.empty(0, dtype=np.uint32)
        return cls(none, none, none, none)

    def by_graph(self) -> Iterator[tuple[int, Quads]]:
        """The quads of each graph."""
        if not len(self):
            return
        if (self.graph == self.graph[0]).all():
            yield int(self.graph[0]), self
            return
        for graph in np.unique(self.graph).tolist():
            yield graph, self.where(self.graph == graph)

    def where(self, mask: Mask) -> Quads:
        """The quads for which the mask is true."""
        return Quads(self.graph[mask], self.subject[mask], self.predicate[mask], self.object[mask])


def relations_of(quads: Quads, type_id: int, literals: Mask) -> Iterator[tuple[int, Table]]:
    """The triples of the quads as tables, by relation: one sort by relation, one by triple in each."""
    typed = quads.predicate == type_id
    if typed.any():
        typed &= ~literals[quads.object]
        subjects, classes = quads.subject[typed], quads.object[typed]
        for identifier, rows in _grouped(classes):
            yield class_code(identifier), UnaryTable(bitmaps.from_ids(subjects[rows]))
        quads = quads.where(~typed)
    for identifier, rows in _grouped(quads.predicate):
        yield property_code(identifier), BinaryTable.of((quads.subject[rows], quads.object[rows]))


def _grouped(names: Ids) -> Iterator[tuple[int, Index]]:
    """Each distinct name with the numbers of its rows; few names sort fast as 16-bit numbers."""
    if not len(names):
        return
    if len(names) < _MANY:
        distinct, numbers = np.unique(names, return_inverse=True)
    else:
        distinct = bitmaps.distinct(names)
        table = np.zeros(int(distinct[-1]) + 1, dtype=np.uint32)
        table[distinct] = np.arange(len(distinct))
        numbers = table[names].astype(np.int64)
    small = numbers.astype(np.uint16) if len(distinct) <= 0xFFFF else numbers
    order = np.argsort(small, kind="stable")
    ends = np.cumsum(np.bincount(small, minlength=len(distinct)))
    begin = 0
    for identifier, end in zip(distinct.tolist(), ends.tolist(), strict=True):
        yield identifier, order[begin:end]
        begin = end
