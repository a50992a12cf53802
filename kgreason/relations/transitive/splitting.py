"""Components that lost inner edges, condensed again: into which parts they come apart, and labels for these.

Where much else must be made anew after that, all edges are closed from scratch; what was found out about the parts is
then half of the way: the members of each component get the labels of that component in another order, so that all edges
between parts, too, lead to lower labels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kgreason.columns.components import topological_components
from kgreason.columns.graphs import depth_first_order, rows_of
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labelling, Labels


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The parts of some components.

    `labels` are those of all members, sorted, and `part` gives for each the number of its part: no edge leads to a part
    with a lower one. `sources` and `targets` are the inner edges, as places among the labels.
    """

    labels: Labels
    part: Labels
    sources: Labels
    targets: Labels

    @classmethod
    def of(cls, labels: Labels, component: NDArray[np.int32], sources: Labels, targets: Labels) -> Split:
        """The parts of components, given the labels of all their members, sorted, and all edges that leave these."""
        inner = component[sources] == component[targets]
        begin, end = np.searchsorted(labels, sources[inner]), np.searchsorted(labels, targets[inner])
        return cls(labels, topological_components(len(labels), begin, end), begin, end)

    def __len__(self) -> int:
        return int(self.part.max(initial=-1)) + 1


def relabelled(closure: Closure, split: Split) -> Closure | None:
    """A closure as far as labels, components and groups go, whose components have come apart; None where labels are
    not in order, so that a component may be no run of them.

    Its sets are still those of the closure before.
    """
    labels, component = split.labels, closure.component
    if not closure.is_ordered or not len(split):
        return closure if closure.is_ordered else None
    whole = component[labels]
    first = np.flatnonzero(np.diff(whole, prepend=-1))
    sizes = np.diff(first, append=len(labels))
    if not np.array_equal(labels, np.repeat(labels[first] - first, sizes) + np.arange(len(labels))):
        return None
    # The parts of each component in the order in which a depth-first search leaves them: what a part reaches is mostly
    # a run of labels.
    across = split.part[split.sources] != split.part[split.targets]
    ends = split.part[split.sources[across]], split.part[split.targets[across]]
    order = depth_first_order(*rows_of(len(split), *ends))
    rank = np.empty(len(split), dtype=np.int64)
    rank[order] = np.arange(len(split))
    rank = rank[split.part]
    by_label = np.lexsort((rank, whole))
    nodes, rank = closure.labelling.nodes.copy(), rank[by_label]
    nodes[labels] = nodes[labels[by_label]]
    begin = np.flatnonzero(np.diff(rank, prepend=-1))
    sizes = np.diff(begin, append=len(labels))
    component = component.copy()
    component[labels] = np.repeat(labels[begin], sizes)
    groups = dict(closure.groups)
    for number in labels[first].tolist():
        groups.pop(number, None)
    for at in np.flatnonzero(sizes > 1).tolist():
        groups[int(labels[begin[at]])] = labels[begin[at] : begin[at] + sizes[at]]
    return replace(closure, labelling=Labelling(nodes), component=component, groups=groups)
