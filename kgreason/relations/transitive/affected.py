"""The subjects whose pairs may differ between two closures, by what their edges are: the labels may have nothing in
common.

A pair that one closure has and the other lacks has a path along an edge that the other one does not connect. So its
subject is the source of such an edge, or reaches it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pyroaring import BitMap

from kgreason.checkpoints import passes
from kgreason.columns import bitmaps, sorted_sets
from kgreason.relations.table import NO_IDS, Ids
from kgreason.relations.transitive import closure_tuning

if TYPE_CHECKING:
    from kgreason.relations.transitive.closure_table import TransitiveTable


def affected_subjects(mine: TransitiveTable, theirs: TransitiveTable) -> Ids:
    """The subjects of one closure whose objects may differ in another one, sorted: a look at the edges that differ, and
    a microsecond or two for each component. No pair is looked at."""
    found = sorted_sets.union(_with_more(mine, theirs), _with_more(theirs, mine))
    return sorted_sets.intersection(found, mine.subjects())


def _with_more(one: TransitiveTable, other: TransitiveTable) -> Ids:
    """The subjects that may have a pair which another closure lacks."""
    found = [NO_IDS]
    for sources, targets in one.edges.difference(other.edges).chunks():
        found.append(sorted_sets.unique(sources[~other.contains((sources, targets))]))
    nodes = sorted_sets.unique(np.concatenate(found))
    return _leading_to(one, nodes) if len(nodes) else NO_IDS


def _leading_to(table: TransitiveTable, nodes: Ids) -> Ids:
    """Some of the nodes of a closure and all that reach one of them, sorted: by a search along the edges, and where
    that goes deep by one look at the set of each component, but for those that reach only labels before the first
    one."""
    closure = table.closure
    labels = closure.labelling.labels(nodes)
    members = BitMap(labels.astype(np.uint32))
    numbers = np.unique(closure.component)
    if closure.is_ordered:
        numbers = numbers[numbers >= closure.component[labels].min()]
    found = _searched(table, nodes, len(numbers))
    if found is not None:
        return found
    get = closure.reached.get
    leading = np.zeros(len(closure.component), dtype=np.bool_)
    leading[[number for number in passes(numbers.tolist()) if get(number).intersect(members)]] = True
    leads = np.flatnonzero(leading[closure.component])
    return bitmaps.distinct(np.concatenate((nodes, closure.labelling.nodes[leads])))


def _searched(table: TransitiveTable, nodes: Ids, sets: int) -> Ids | None:
    """The same by a search along the edges, layer by layer of components; None where that takes longer than to look at
    so many sets."""
    closure = table.closure
    labelling, component = closure.labelling, closure.component
    is_large = np.zeros(len(component), dtype=np.bool_)
    is_large[[*closure.groups]] = True
    seen = np.zeros(len(component), dtype=np.bool_)
    front, spent = labelling.labels(nodes), 0
    while spent <= sets:
        whole = component[front]
        large = sorted_sets.unique(whole[is_large[whole]]).tolist()
        front = np.concatenate([front[~is_large[whole]], *(closure.groups[number] for number in large)])
        seen[front] = True
        _, (sources, _) = table.edges.lookup({1: labelling.nodes[front]})
        found = labelling.labels(sources)
        front = sorted_sets.unique(found[~seen[found]])
        if not len(front):
            return np.sort(labelling.nodes[seen])
        spent += closure_tuning.LAYER_SETS + len(front) // closure_tuning.SEARCHED_EACH
    return None
