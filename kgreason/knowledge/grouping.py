"""Columns of quads on their way into relations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgreason.columns import bitmaps
from kgreason.columns.sorted_sets import Column
from kgreason.loading.quads import Quads
from kgreason.schemes.binary import BinaryTable
from kgreason.schemes.relations import class_code, property_code
from kgreason.schemes.scheme import Ids, Index, Mask, Table
from kgreason.schemes.unary import UnaryTable

_MANY = 4096


def relations_of(quads: Quads, type_id: int, literals: Mask) -> Iterator[tuple[int, Table]]:
    """The triples of the quads as tables, by relation: one sort by relation, one by triple in each; neither where they
    come in order."""
    for identifier, rows in _grouped(quads.predicate):
        subjects, objects = quads.subject[rows], quads.object[rows]
        if identifier == type_id:
            typed = ~literals[objects]
            yield from _classes(subjects[typed], objects[typed])
            subjects, objects = subjects[~typed], objects[~typed]
        if len(subjects):
            yield property_code(identifier), BinaryTable.of((subjects, objects))


def _classes(subjects: Ids, classes: Ids) -> Iterator[tuple[int, Table]]:
    for identifier, rows in _grouped(classes):
        yield class_code(identifier), UnaryTable(bitmaps.from_ids(subjects[rows]))


def _grouped(names: Ids) -> Iterator[tuple[int, Index | slice]]:
    """Each distinct name with its rows."""
    borders = np.flatnonzero(names[1:] != names[:-1]) + 1
    if len(borders) < _MANY:
        starts = [0, *borders.tolist()][: len(names)]
        ends = [*starts[1:], len(names)]
        found = names[starts].tolist()
        if len(set(found)) == len(found):
            yield from zip(found, map(slice, starts, ends), strict=True)
            return
    yield from _sorted(names)


def _sorted(names: Ids) -> Iterator[tuple[int, Index]]:
    """Each distinct name with the numbers of its rows; few names sort fast as 16-bit numbers."""
    small: Column
    if len(names) < _MANY:
        distinct, numbers = np.unique(names, return_inverse=True)
        small = numbers.astype(np.uint16)
    else:
        distinct = bitmaps.distinct(names)
        table = np.zeros(int(distinct[-1]) + 1, dtype=np.uint16 if len(distinct) <= 0xFFFF else np.uint32)
        table[distinct] = np.arange(len(distinct))
        small = table[names]
    order = np.argsort(small, kind="stable")
    ends = np.cumsum(np.bincount(small, minlength=len(distinct)))
    begin = 0
    for identifier, end in zip(distinct.tolist(), ends.tolist(), strict=True):
        yield identifier, order[begin:end]
        begin = end
