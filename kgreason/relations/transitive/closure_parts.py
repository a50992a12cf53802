"""Transitive closures and their sets of labels, as columns.

The sets of labels that are bitmaps are looked at when one is first asked for (`LabelSets.get`): there may be a million.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from kgreason.columns import bitmaps, sorted_sets
from kgreason.errors import DamageError
from kgreason.relations import serialised_sets
from kgreason.relations.binary import BinaryTable
from kgreason.relations.label_sets import LabelSets
from kgreason.relations.stored import Part, PartReader, PartWriter, expect_kind
from kgreason.relations.transitive.label_closure import Closure, Hub, with_hub
from kgreason.relations.transitive.node_labels import Labelling, Labels

_MOST: Final = (1 << 63) - 1


def write_closure(closure: Closure, to: PartWriter) -> Part:
    """A closure without its edges."""
    groups = list(closure.groups.items())
    nothing = [np.empty(0, dtype=np.int64)]
    return [
        to.numbers(closure.labelling.nodes),
        to.numbers(closure.component),
        to.numbers(np.array([number for number, _ in groups], dtype=np.int64)),
        to.numbers(np.cumsum([0, *(len(labels) for _, labels in groups)], dtype=np.int64)),
        to.numbers(np.concatenate([*(labels for _, labels in groups), *nothing]).astype(np.int64)),
        _write_sets(closure.reached.stored(), to),
        [int(closure.pairs), int(closure.fresh_bytes), bool(closure.is_ordered)],
        None if closure.hub is None else _write_hub(closure.hub, to),
    ]


def read_closure(value: Part, edges: BinaryTable, of: PartReader) -> Closure:
    """A closure of edges; LoadError for an invalid label, component or group."""
    parts = of.entries(value, 8, "its closure")
    nodes = of.numbers(parts[0], np.uint32, "its nodes")
    component = of.numbers(parts[1], np.int32, "its components")
    count = len(nodes)
    of.check_ids(nodes, "its nodes")
    is_node = np.zeros(of.terms, dtype=np.bool_)
    is_node[nodes] = True
    if np.count_nonzero(is_node) != count:
        raise DamageError("a node has two labels", part="its nodes")
    if len(component) != count or (count and not 0 <= int(component.min()) <= int(component.max()) < count):
        raise DamageError("a label without a component", part="its components")
    if not bool((component[component] == component).all()):
        raise DamageError("the number of one is not that of itself", part="its components")
    numbers = of.numbers(parts[2], np.int64, "its groups")
    starts = of.numbers(parts[3], np.int64, "where its groups begin")
    labels = of.numbers(parts[4], np.int64, "its groups")
    groups = _groups(numbers, starts, labels, count)
    sizes = np.diff(starts)
    if len(labels) and not bool((component[labels] == np.repeat(numbers, sizes)).all()):
        raise DamageError("a label is in a group and not in its component", part="its groups")
    totals = of.entries(parts[6], 3, "its totals")
    total = of.number(totals[0], "its count of pairs", 0, _MOST)
    fresh = of.number(totals[1], "its count of bytes", 0, _MOST)
    is_ordered = of.flag(totals[2], "whether it is ordered")
    reached = _read_sets(parts[5], of, count)
    closure = Closure(edges, Labelling(nodes), component, groups, reached, total, fresh, is_ordered)
    return closure if parts[7] is None else _with_hub(parts[7], closure, of)


def _write_hub(hub: Hub, to: PartWriter) -> Part:
    above = bitmaps.from_ids(np.flatnonzero(hub.above).astype(np.uint32))
    totals = [int(hub.number), int(hub.rest.pairs), int(hub.overlap), bool(hub.rest.is_ordered)]
    return [to.table(hub.rest.edges), to.data(serialised_sets.write(above)), totals]


def _with_hub(value: Part, closure: Closure, of: PartReader) -> Closure:
    """A closure of which all parts are read but its hub; its sets are those of the rest."""
    count = len(closure.labelling)
    edges, sides, totals = of.entries(value, 3, "its hub")
    number, total, overlap, is_ordered = of.entries(totals, 4, "the totals of its hub")
    rest = replace(
        closure,
        edges=expect_kind(of.table(edges, "its edges beside the hub", 2), BinaryTable, "its edges beside the hub"),
        pairs=of.number(total, "its count of pairs beside the hub", 0, _MOST),
        is_ordered=of.flag(is_ordered, "whether it is ordered beside the hub"),
    )
    hub = int(closure.component[of.number(number, "the number of its hub", 0, count - 1)])
    shared = rest.reached.get(hub) | bitmaps.from_ids(rest.members(hub).astype(np.uint32))
    below, above = np.zeros((2, count), dtype=np.bool_)
    below[bitmaps.to_ids(shared)] = True
    above[bitmaps.to_ids(serialised_sets.read_foreign(of.data(sides, "what is above its hub"), count))] = True
    twice = of.number(overlap, "its count of labels in two sets", 0, _MOST)
    return with_hub(closure.edges, Hub(hub, above & ~below, below, shared, rest, twice), closure.is_ordered)


def _groups(numbers: Labels, starts: Labels, labels: Labels, count: int) -> dict[int, Labels]:
    is_whole = len(starts) == len(numbers) + 1 and starts[0] == 0 and starts[-1] == len(labels)
    if not is_whole or not bool((np.diff(starts) > 1).all()) or len(sorted_sets.unique(numbers)) != len(numbers):
        raise DamageError("its groups do not follow each other")
    for column in (numbers, labels):
        if len(column) and not 0 <= int(column.min()) <= int(column.max()) < count:
            raise DamageError("a label that does not exist", part="its groups")
    begins = starts.tolist()
    return {
        number: labels[begin:end] for number, begin, end in zip(numbers.tolist(), begins, begins[1:], strict=False)
    }


def _write_sets(sets: LabelSets, to: PartWriter) -> Part:
    buffer, small, begin, end, changed = sets.parts()
    numbers = np.array([*changed], dtype=np.int64)
    lengths = np.array([0, *map(len, changed.values())], dtype=np.int64)
    columns: list[Any] = [to.numbers(small), to.numbers(begin), to.numbers(end), to.numbers(numbers)]
    return [to.data(buffer), *columns, to.numbers(np.cumsum(lengths)), to.data(b"".join(changed.values()))]


def _read_sets(value: Part, of: PartReader, count: int) -> LabelSets:
    parts = of.entries(value, 7, "its sets")
    buffer = of.data(parts[0], "its sets")
    small = of.numbers(parts[1], np.uint32, "its small sets")
    begin, end = (of.numbers(part, np.int64, "where its sets lie") for part in parts[2:4])
    numbers = of.numbers(parts[4], np.int64, "its changed sets")
    starts = of.numbers(parts[5], np.int64, "where its changed sets begin")
    data = of.data(parts[6], "its changed sets")
    is_whole = len(starts) == len(numbers) + 1 and starts[0] == 0 and starts[-1] == len(data)
    if not is_whole or not bool((np.diff(starts) >= 0).all()):
        raise DamageError("its changed sets do not follow each other")
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < count:
        raise DamageError("the number of a set that does not exist", part="its changed sets")
    begins = starts.tolist()
    changed = {
        number: bytes(data[first:last])
        for number, first, last in zip(numbers.tolist(), begins, begins[1:], strict=False)
    }
    if len(begin) != count or len(end) != count:
        raise DamageError("not one for each label", part="its sets")
    return LabelSets.of_parts(buffer, small, begin, end, changed)
