"""What graphs show by ids: in a state, and where changes that wait lie over one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from kgreason.store.overlays import Overlay
from kgreason.store.triple_view import View
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.triple_rows import Union

if TYPE_CHECKING:
    from kgreason.store.state import State

IdTriple: TypeAlias = tuple[int, int, int]


def view_of(shown: State | Overlay, graphs: frozenset[int] | None, inferred: bool) -> View:
    """What graphs, or all, show, with or without what is inferred."""
    if isinstance(shown, Overlay):
        return shown.view(graphs, inferred, _view_of_state(shown.state, graphs, inferred))
    return _view_of_state(shown, graphs, inferred)


def few_matches(view: View, s: int | None, p: int | None, o: int | None) -> Iterator[IdTriple] | None:
    """The triples that match a pattern; None where they are too many to be removed one by one."""
    if s is None and o is None:
        if view.count(s, p, o) > rdflib_tuning.REMOVED_SINGLY:
            return None
        rows = [zip(*(column.tolist() for column in chunk), strict=True) for chunk in view.match(s, p, o)]
        return chain.from_iterable(rows)
    found = view.few(s, p, o, rdflib_tuning.REMOVED_SINGLY)
    if found is None:
        return None
    return ((end if s is None else s, name, end if o is None else o) for name, ends in found for end in ends)


def _view_of_state(state: State, wanted: frozenset[int] | None, inferred: bool) -> View:
    if wanted is None or wanted.issuperset(state.graphs):
        return state.views.all() if inferred else state.views.explicit()
    views: list[View] = [state.views.graph(graph) for graph in wanted]
    if inferred:
        views.append(state.views.inferred())
    return views[0] if len(views) == 1 else Union(views, overlapping=len(wanted) > 1)
