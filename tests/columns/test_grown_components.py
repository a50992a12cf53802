"""Components of graphs that have grown against mutual reach in plain Python: a component that a new path joins with
another one and is not looked at, and an order that a new edge contradicts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgreason.columns.components import topological_components
from kgreason.columns.grown_components import grown_components
from tests.columns.test_components import assert_topological, columns

COUNT = 8
EDGES = st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)), max_size=12)


@given(EDGES, EDGES, st.sets(st.integers(0, COUNT - 1)))
def test_grown_components_are_those_of_the_whole_graph(
    before: list[tuple[int, int]], come: list[tuple[int, int]], new: set[int]
) -> None:
    before = [(source, target) for source, target in before if source not in new and target not in new]
    known = topological_components(COUNT, *columns(before))
    known[[*new]] = -1
    edges = [*before, *come]

    found, are_joined = grown_components(known, *columns(edges))

    assert_topological(COUNT, edges, found.tolist())
    old = np.flatnonzero(known >= 0)
    assert are_joined == (len({*found[old].tolist()}) < len({*known[old].tolist()}))
