"""The next version of a closure: edges go, components split, edges come, components merge, sets follow.

Removal and addition visit the components that reach a changed edge, those that are reached first, and stop
where a set comes out as it was. Sets that they do not visit are shared with the version before. Zhang et
al. 2023 have the addition; they leave deletion open.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from kgreason.relations.binary import BinaryTable
from kgreason.relations.table import Columns
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.addition import Addition
from kgreason.relations.transitive.closing import close, close_again
from kgreason.relations.transitive.hub_versions import with_edges, with_known_edges, without_edges
from kgreason.relations.transitive.label_closure import Closure, with_hub
from kgreason.relations.transitive.region import CostlyError
from kgreason.relations.transitive.removal import Removal
from kgreason.relations.transitive.shift_estimate import coming, exchanging, going
from kgreason.relations.transitive.splitting import Split, relabelled


def changed(
    closure: Closure, added: BinaryTable, removed: BinaryTable, whole: BinaryTable | None = None
) -> Closure:
    """The closure after edges that were there are removed and edges that were not are added; `whole` are all that there
    are then, made from these if it is None.

    Closing from scratch is faster where the change is a large part of the edges, and for a batch already where it
    is a small part, since most sets then have to be made anew. (Measured on random graphs and categories.) So it is
    where a single edge has most sets made anew: that is seen on the way, and what was done until then is dropped.
    """
    edges = closure.edges.difference(removed)
    result = edges.union(added) if whole is None else whole
    is_large = (len(removed) + len(added)) * closure_tuning.CLOSE_FRACTION >= len(result)
    size = max(len(removed), len(added))
    if is_large or (size >= closure_tuning.CLOSE_BATCH and size * closure_tuning.CLOSE_BATCH_FRACTION >= len(result)):
        return _closed(closure, result, added, removed)
    if len(removed) and len(added) and _are_between_known(closure, added, removed):
        try:
            shift = partial(exchanging, closure, removed, added, result)
            found = Removal(closure, result, shift).exchange(removed, added)
        except CostlyError:
            return _closed(closure, result, added, removed)
        if found is not None:
            return found
    are_known = bool(len(removed) and len(added)) and _are_known(closure, added)
    try:
        known = _with_known(closure, closure.edges.union(added), added) if are_known else closure
        after = _without(known, result if are_known else edges, removed) if len(removed) else closure
    except CostlyError as costly:
        return _closed(closure, result, added, removed, costly.split)
    try:
        return after if are_known or not len(added) else _with(after, result, added)
    except CostlyError:
        return _closed(closure, result, added, removed)


def _without(closure: Closure, edges: BinaryTable, removed: BinaryTable) -> Closure:
    """After edges went, given those that are left."""
    if closure.hub is not None:
        return without_edges(closure, closure.hub, edges, removed)
    return Removal(closure, edges, partial(going, closure, removed, edges)).run(removed)


def _with(closure: Closure, edges: BinaryTable, added: BinaryTable) -> Closure:
    """After edges came, given all that there are then."""
    if closure.hub is not None:
        return with_edges(closure, closure.hub, edges, added)
    return Addition(closure, edges, partial(coming, closure, added)).run(added)


def _closed(
    closure: Closure, edges: BinaryTable, added: BinaryTable, removed: BinaryTable, split: Split | None = None
) -> Closure:
    """The closure of the edges after a change, from scratch; under the same labels where these are still in order, or
    can be put in order, given into which parts components come apart."""
    known: Closure | None = closure
    if split is not None:
        known = relabelled(closure, split)
    elif _within_components(closure, removed):
        known = None
    keeps_labels = known is not None and known.is_ordered and _lead_down(known, added)
    return close_again(known, edges) if known is not None and keeps_labels and len(edges) else close(edges)


def _are_between_known(closure: Closure, added: BinaryTable, removed: BinaryTable) -> bool:
    """Whether edges that go are all between components, and edges that come between nodes that there are."""
    if closure.hub is not None or _within_components(closure, removed):
        return False
    return all(bool((closure.labelling.labels(column) >= 0).all()) for column in added.columns())


def _are_known(closure: Closure, edges: BinaryTable) -> bool:
    """Whether the closure has the pairs of edges that come."""
    return bool(closure.contains(*map(closure.labelling.labels, edges.columns())).all())


def _with_known(closure: Closure, edges: BinaryTable, added: BinaryTable) -> Closure:
    """The closure with edges of which it has the pairs, given all edges with them: nothing else changes."""
    if closure.hub is None:
        return replace(closure, edges=edges)
    return with_hub(edges, with_known_edges(closure.hub, added), closure.is_ordered)


def _within_components(closure: Closure, edges: BinaryTable) -> bool:
    """Whether some of the edges stay within a component."""
    labels, component = closure.labelling.labels, closure.component
    return any(bool((component[labels(froms)] == component[labels(tos)]).any()) for froms, tos in edges.chunks())


def _lead_down(closure: Closure, edges: BinaryTable) -> bool:
    """Whether edges that come are between nodes with labels, and lead to lower ones as all others between components,
    or stay within one: those of some nodes are looked at before all are written out."""
    some = closure.labelling.nodes[:: len(closure.labelling) // closure_tuning.SAMPLED_NODES + 1]
    if not _lead_to_lower(closure, edges.lookup({0: some})[1]):
        return False
    return all(_lead_to_lower(closure, columns) for columns in edges.chunks())


def _lead_to_lower(closure: Closure, edges: Columns) -> bool:
    sources, targets = map(closure.labelling.labels, edges)
    known = bool((sources >= 0).all() and (targets >= 0).all())
    return known and bool((closure.component[sources] >= closure.component[targets]).all())
