"""Edges closed from scratch: condensed to components, in the order of a tree cover, and a set of labels for each.

The tree cover is the one that the depth-first search walks. The optimum cover of Agrawal et al. takes 5 to 10 %
fewer bytes on category graphs and 35 % fewer on random ones, but twice the time, since it needs the closure of
the inverse edges first; a random cover takes up to four times as many (``python -m tests.benchmarks.covers``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from kgreason import tuning
from kgreason.checkpoints import passes
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.components import topological_components
from kgreason.columns.graphs import Nodes, depth_first_order, edges_between, rows_of
from kgreason.columns.pairs import Keys
from kgreason.relations import table_tuning
from kgreason.relations.binary import BinaryTable
from kgreason.relations.label_sets import LabelSets
from kgreason.relations.set_writers import SetWriter
from kgreason.relations.table import Ids, Mask
from kgreason.relations.transitive.hub_choice import Rows, chosen_hub, reaching_below, without_shared
from kgreason.relations.transitive.label_closure import Closure, Hub, with_hub
from kgreason.relations.transitive.node_labels import Labelling, Labels

_MANY: Final = 256
"""From so many successors on a component has checkpoints of its own."""

Cover: TypeAlias = Callable[[Labels, NDArray[np.int32]], Labels]
"""From compressed rows of an acyclic graph to a post-order of its nodes."""


def close(edges: BinaryTable, cover: Cover = depth_first_order) -> Closure:
    """Close edges from scratch: two sorts of the edges, and a loop over components with one union per edge.

    `cover` gives the order of the components' labels: a post-order over a tree cover.
    """
    keys = edges.keys()
    identifiers = sorted_sets.union(pairs.distinct_subjects(keys), bitmaps.distinct(pairs.objects(keys)))
    numbers, sources, targets, looped = _numbered_ends(keys, identifiers)
    found = topological_components(int(numbers.max(initial=-1)) + 1, sources, targets)
    sources, targets = edges_between(found, sources, targets)
    found = found[numbers]
    sizes = np.bincount(found)
    rows = rows_of(len(sizes), sources, targets)
    order = cover(*rows)
    first = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes[order], out=first[1:])
    begin = np.empty(len(sizes), dtype=np.int64)
    begin[order] = first[:-1]
    by_label = np.argsort(begin[found], kind="stable")
    cyclic = sizes > 1
    cyclic[found[looped]] = True
    groups = {
        int(begin[number]): np.arange(begin[number], begin[number] + sizes[number])
        for number in np.flatnonzero(sizes > 1)
    }
    is_ordered = bool((begin[sources] > begin[targets]).all())
    component = begin[found[by_label]].astype(np.int32)
    labelling = Labelling(identifiers[by_label])
    condensed = _Condensed(rows, np.arange(len(sizes))[::-1], begin, sizes, cyclic)
    return _closed(edges, labelling, component, groups, is_ordered, condensed, found[by_label])


def _numbered_ends(keys: Keys, identifiers: Ids) -> tuple[Nodes, Nodes, Nodes, Nodes]:
    """Numbers of the sorted ids of all edges, and the ends of the edges by these, some at a time, but for edges that
    begin and end at one number; and the places of ids with an edge to themselves.

    Of very many edges a sample tells first what is a giant component, or much of one, which gets one number: what is
    left of the edges comes once.
    """
    labelling, count = Labelling(identifiers), len(identifiers)
    step = len(keys) // (tuning.GIANT_EDGES * count) if count else 0
    giant = None
    if step > 1:
        from kgreason.columns.contractions import busiest_node, giant_numbers  # most graphs are small

        some = (labelling.labels(pairs.subjects(keys[::step])), labelling.labels(pairs.objects(keys[::step])))
        giant = giant_numbers(count, *some, busiest_node(count, *some))
    numbers: Nodes = (np.arange(count) if giant is None else giant).astype(np.int32)
    found, looped = [(numbers[:0], numbers[:0])], [np.empty(0, dtype=np.int64)]
    for begin in range(0, len(keys), tuning.GRAPH_EDGES):
        part = keys[begin : begin + tuning.GRAPH_EDGES]
        nodes, others = labelling.labels(pairs.subjects(part)), labelling.labels(pairs.objects(part))
        looped.append(nodes[nodes == others])
        froms, tos = numbers[nodes], numbers[others]
        differ = froms != tos
        found.append(_each_once(froms[differ], tos[differ]) if giant is not None else (froms[differ], tos[differ]))
    sources, targets = (np.concatenate(ends) for ends in zip(*found, strict=True))
    return numbers, sources, targets, np.concatenate(looped)


def _each_once(sources: Nodes, targets: Nodes) -> tuple[Nodes, Nodes]:
    keys = pairs.distinct(sources.astype(np.uint32), targets.astype(np.uint32))
    return pairs.subjects(keys).view(np.int32), pairs.objects(keys).view(np.int32)


def close_again(closure: Closure, edges: BinaryTable) -> Closure:
    """Close other edges under the labels of an ordered closure: the components are as they were, and all edges between
    components lead to lower labels.

    As `close`, without the sorts and the search for components and labels.
    """
    count = len(closure.labelling)
    keys = edges.keys()
    # In this numbering, the labels read from behind, sources come before targets.
    sources, targets = (
        count - 1 - closure.component[closure.labelling.labels(column)].astype(np.int64)
        for column in (pairs.subjects(keys), pairs.objects(keys))
    )
    across = sources != targets
    rows = rows_of(count, sources[across], targets[across])
    sizes = np.bincount(count - 1 - closure.component, minlength=count)
    cyclic = sizes > 1
    cyclic[sources[~across]] = True
    begin = np.arange(count)[::-1]
    condensed = _Condensed(rows, begin, begin, sizes, cyclic)
    numbers = count - 1 - closure.component.astype(np.int64)
    return _closed(edges, closure.labelling, closure.component, closure.groups, True, condensed, numbers)


def compacted(closure: Closure) -> Closure:
    """The same closure, relabelled if its labels have fragmented, with its changed sets written together."""
    if closure.is_fragmented():
        return close(closure.edges)
    hub = closure.hub
    part = closure if hub is None else hub.rest
    reached = part.reached.compacted()
    if reached is part.reached:
        return closure
    part = replace(part, reached=reached)
    return part if hub is None else with_hub(closure.edges, replace(hub, rest=part), closure.is_ordered)


@dataclass(frozen=True, slots=True, eq=False)
class _Condensed:
    """The acyclic graph of components: their successors, an order with successors first, for each its first label, how
    many it has, and whether it reaches itself."""

    rows: Rows
    order: Labels
    begin: Labels
    sizes: Labels
    cyclic: Mask


def _closed(
    edges: BinaryTable,
    labelling: Labelling,
    component: NDArray[np.int32],
    groups: Mapping[int, Labels],
    is_ordered: bool,
    condensed: _Condensed,
    numbers: Labels,
) -> Closure:
    """The closure of edges whose components are known, given for each label the number of its component among the
    condensed ones."""
    choice = chosen_hub(condensed.rows, condensed.order, condensed.sizes)
    if choice is None:
        reached, total = _reach(condensed)
        return Closure(edges, labelling, component, groups, reached, total, reached.nbytes, is_ordered)
    condensed = replace(condensed, rows=without_shared(condensed.rows, choice))
    reached, total = _reach(condensed)
    above, below = choice.above[numbers], choice.below[numbers]
    sources, targets = (labelling.labels(column) for column in edges.columns())
    apart = edges.filter(~(above[sources] & below[targets]))
    rest = Closure(apart, labelling, component, groups, reached, total, reached.nbytes, is_ordered)
    shared = bitmaps.from_ids(np.flatnonzero(below).astype(np.uint32))
    hub = Hub(int(condensed.begin[choice.number]), above, below, shared, rest, 0)
    twice = reaching_below(condensed.rows, condensed.order, choice)[numbers]
    return with_hub(edges, replace(hub, overlap=hub.counted_twice(np.flatnonzero(twice))), is_ordered)


def _reach(condensed: _Condensed) -> tuple[LabelSets, int]:
    """The labels that each component reaches, and the number of pairs that they stand for."""
    rows, begin, sizes, cyclic = condensed.rows, condensed.begin, condensed.sizes, condensed.cyclic
    writer = SetWriter(int(sizes.sum()))
    is_written = _are_above_ends(condensed)
    total = _write_small(condensed, is_written, writer)
    order = condensed.order[~is_written[condensed.order]]
    # Each successor is read once or twice: a view of the array takes a ninth of the bytes of a list.
    offsets, successors = rows[0].tolist(), rows[1].data
    lows, highs = begin.tolist(), (begin + sizes).tolist()
    for number, has_cycle in passes(zip(order.tolist(), cyclic[order].tolist(), strict=True)):
        low, high = lows[number], highs[number]
        if offsets[number] == offsets[number + 1] and not has_cycle:
            continue
        below = successors[offsets[number] : offsets[number + 1]]
        members = BitMap()
        for successor in below if len(below) < _MANY else passes(below):
            # What leads to another successor comes before it, and brings what that one reaches.
            if lows[successor] not in members:
                members |= writer.get(lows[successor])
                members.add_range(lows[successor], highs[successor])
        if has_cycle:
            members.add_range(low, high)
        total += (high - low) * len(members)
        writer.put(low, members)
    return writer.finish(), total


def _are_above_ends(condensed: _Condensed) -> Mask:
    """The components that reach a few single nodes, where paths end, and nothing else: O(successors)."""
    (offsets, successors), cyclic = condensed.rows, condensed.cyclic
    counts = np.diff(offsets)
    leads_on = (condensed.sizes > 1) | cyclic | (counts > 0)
    before = np.append(0, np.cumsum(leads_on[successors]))
    is_above = (before[offsets[1:]] == before[offsets[:-1]]) & ~cyclic
    return np.asarray(is_above & (counts > 0) & (counts <= table_tuning.SMALL_SET))


def _write_small(condensed: _Condensed, chosen: Mask, writer: SetWriter) -> int:
    """Write what such components reach, and give the number of pairs: one sort."""
    (offsets, successors), numbers = condensed.rows, np.flatnonzero(chosen)
    index, positions = pairs.spread(offsets[numbers], offsets[numbers + 1])
    keys = pairs.pack(index.astype(np.uint32), condensed.begin[successors[positions]].astype(np.uint32))
    counts = np.diff(offsets)[numbers]
    writer.put_all_small(condensed.begin[numbers], counts, pairs.objects(np.sort(keys)))
    return int((counts * condensed.sizes[numbers]).sum())
