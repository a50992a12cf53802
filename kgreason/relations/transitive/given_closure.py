"""A transitive closure taken over from labels that were written elsewhere, instead of closed.

The labels are checked as far as that is cheap beside closing: the nodes are those of the edges, the components their
strongly connected ones, and every set has labels that there are. What a component reaches must be what its successors
are and reach; that is compared for up to `closure_tuning.CHECKED_SETS` components, since for all of them it takes as
long as closing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import SystemRandom
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from kgreason.columns import bitmaps, pairs
from kgreason.columns.components import topological_components
from kgreason.columns.graphs import Numbers, rows_of
from kgreason.relations import table_tuning
from kgreason.relations.binary import BinaryTable
from kgreason.relations.given_labels import GivenLabels, LabelsError
from kgreason.relations.label_sets import LabelSets
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labelling

_ARRAYS: Final = 12346
"""How a bitmap in the portable format begins that has no runs."""


def closure_of(edges: BinaryTable, given: GivenLabels) -> Closure:
    """The closure of edges by its labels: two microseconds for each component that reaches more than a few.

    Raises:
        LabelsError: they are not those of a closure, or of a closure of other edges.
    """
    if not np.array_equal(np.sort(given.nodes), bitmaps.distinct(np.concatenate(edges.columns()))):
        raise LabelsError("the nodes are not those of the edges, each once")
    labelling = Labelling(given.nodes)
    sources, targets = (labelling.labels(column) for column in edges.columns())
    component = _components(given, sources, targets)
    sizes = np.bincount(component, minlength=len(labelling))
    if not np.array_equal(np.sort(given.numbers), np.flatnonzero(sizes)):
        raise LabelsError("there is not one set of labels for each component")
    reached, counts = _sets(given)
    order, starts = np.argsort(component, kind="stable"), np.cumsum(sizes) - sizes
    large = np.flatnonzero(sizes > 1)
    groups = dict(zip(large.tolist(), (order[starts[at] : starts[at] + sizes[at]] for at in large), strict=True))
    sources, targets = component[sources].astype(np.int64), component[targets].astype(np.int64)
    _compare(reached, groups, given.numbers, sources, targets)
    total = int((sizes[given.numbers] * counts).sum())
    is_ordered = _is_ordered(groups, sources, targets)
    return Closure(edges, labelling, component, groups, reached, total, reached.nbytes, is_ordered)


def _components(given: GivenLabels, sources: Numbers, targets: Numbers) -> NDArray[np.int32]:
    """The component of each label, which is a strongly connected one, numbered by its least label."""
    count = len(given.nodes)
    found = topological_components(count, sources, targets)
    least = np.full(count, count, dtype=np.int64)
    np.minimum.at(least, found, np.arange(count))
    if not np.array_equal(least[found], given.component):
        raise LabelsError("the components are not the strongly connected ones of the edges")
    return given.component.astype(np.int32)


def _sets(given: GivenLabels) -> tuple[LabelSets, Numbers]:
    """The sets by the numbers of their components, and how many labels each has; large ones stay where they are."""
    begin, end = (np.zeros(len(given.nodes), dtype=np.int64) for _ in range(2))
    first, last = given.ends[:-1], given.ends[1:]
    counts = _small_counts(given)
    small = np.flatnonzero(counts >= 0)
    _, bytes_at = pairs.spread(last[small] - 2 * counts[small], last[small])
    keys = _numbers(given.data, first[small] + 8, "<u2", counts[small] > 0)
    members = given.data[bytes_at].view("<u2").astype(np.uint32) | np.repeat(keys << np.uint32(16), counts[small])
    columns = [members]
    until = np.cumsum(counts[small])
    owners = given.numbers[small]
    begin[owners], end[owners] = ~(until - counts[small]), ~until
    begin[owners[counts[small] == 0]] = end[owners[counts[small] == 0]] = 0
    written = len(members)
    others = np.flatnonzero(counts < 0)
    owners = given.numbers[others]
    begin[owners], end[owners] = first[others], last[others]
    sizes = []
    for number, found in zip(owners.tolist(), _bitmaps(given, others), strict=True):
        sizes.append(len(found))
        if sizes[-1] > table_tuning.SMALL_SET:
            _check_labels(number, found.max(), len(given.nodes))
        else:
            columns.append(bitmaps.to_ids(found))
            begin[number], end[number] = (~written, ~(written + sizes[-1])) if found else (0, 0)
            written += sizes[-1]
    counts[others] = sizes
    labels = np.concatenate(columns)
    if len(labels):
        _check_labels(-1, int(labels.max()), len(given.nodes))
    sets = LabelSets(given.data.data, labels, begin, end)
    if len(labels) and not _ascend(sets, given.numbers[(counts > 0) & (counts <= table_tuning.SMALL_SET)]):
        raise LabelsError("the labels of a set are not in order")
    return sets, counts


def _small_counts(given: GivenLabels) -> Numbers:
    """How many labels each set has that is empty, or one array of a few; -1 for all others."""
    first, lengths = given.ends[:-1], np.diff(given.ends)
    counts = np.full(len(first), -1, dtype=np.int64)
    readable = lengths >= 8
    heads = _numbers(given.data, first, "<u4", readable)
    containers = _numbers(given.data, first + 4, "<u4", readable)
    counts[readable & (heads == _ARRAYS) & (containers == 0) & (lengths == 8)] = 0
    single = readable & (heads == _ARRAYS) & (containers == 1) & (lengths > 16)
    size = _numbers(given.data, first + 10, "<u2", single).astype(np.int64) + 1
    chosen = single & (size <= table_tuning.SMALL_SET) & (lengths == 16 + 2 * size)
    counts[chosen] = size[chosen]
    return counts


def _numbers(data: NDArray[np.uint8], at: Numbers, kind: str, wanted: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """The little-endian numbers that begin at some bytes; 0 where none is wanted."""
    width = np.dtype(kind).itemsize
    found = np.zeros(len(at), dtype=np.uint32)
    rows = data[at[wanted, np.newaxis] + np.arange(width)]
    found[wanted] = rows.view(kind).reshape(-1)
    return found


def _bitmaps(given: GivenLabels, rows: Numbers) -> Iterator[BitMap]:
    """The sets of some rows, read one by one."""
    data = given.data.data
    for first, last, at in zip(given.ends[rows].tolist(), given.ends[rows + 1].tolist(), rows.tolist(), strict=True):
        try:
            yield BitMap.deserialize(data[first:last].tobytes())
        except (ValueError, IndexError) as error:
            reason = f"what component {given.numbers[at]} reaches is not readable as a bitmap"
            raise LabelsError(reason) from error


def _check_labels(number: int, highest: int, count: int) -> None:
    if highest >= count:
        where = f"component {number}" if number >= 0 else "a component"
        raise LabelsError(f"{where} reaches the label {highest}, and there are {count}")


def _ascend(sets: LabelSets, numbers: Numbers) -> bool:
    """Whether the labels of each of some small sets ascend."""
    counts, members = sets.column(numbers)
    falls = np.flatnonzero(np.diff(members.astype(np.int64)) <= 0) + 1
    return bool(np.isin(falls, np.cumsum(counts)).all())


def _compare(
    sets: LabelSets, groups: Mapping[int, Numbers], numbers: Numbers, sources: Numbers, targets: Numbers
) -> None:
    """What components reach is what they lead to, with all that these reach; and themselves if they have a cycle."""
    cyclic = {*sources[sources == targets].tolist()}
    # What is reached last comes first, and often brings the others.
    order = np.argsort(-targets, kind="stable")
    order = order[sources[order] != targets[order]]
    offsets, successors = rows_of(len(sets), sources[order], targets[order])
    places: Sequence[int] = range(len(numbers))
    if len(places) > closure_tuning.CHECKED_SETS:
        # Others each time, so that an author cannot know which sets are not looked at.
        places = SystemRandom().sample(places, closure_tuning.CHECKED_SETS)
    for number in numbers[places].tolist():
        members = BitMap()
        for successor in successors[offsets[number] : offsets[number + 1]].tolist():
            if successor not in members:
                members |= sets.get(successor)
                members.update(groups.get(successor, (successor,)))
        if number in cyclic:
            members.update(groups.get(number, (number,)))
        if members != sets.get(number):
            raise LabelsError(f"component {number} reaches other labels than what it leads to: this is not a closure")


def _is_ordered(groups: Mapping[int, Numbers], sources: Numbers, targets: Numbers) -> bool:
    """Whether labels are in post-order: those of a component follow each other, and edges lead to lower components."""
    together = all(int(labels[-1]) - number + 1 == len(labels) for number, labels in groups.items())
    across = sources != targets
    return together and bool((sources[across] > targets[across]).all())
