"""Ways around an edge, against naive closures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.relations.transitive import detours
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.removal import Removal
from tests.relations.table_reads import Pairs, edges_of, facts_of, naive_closure

nodes = st.integers(0, 6)
edge_sets = st.sets(st.tuples(nodes, nodes), max_size=14)


@given(edge_sets, nodes, nodes, st.integers(0, 20))
def test_detour_is_found_where_a_path_leads_there(edges: Pairs, source: int, target: int, limit: int) -> None:
    found = detours.has_detour(edges_of(edges), source, target, limit)
    if source != target:
        assert found in (None, (source, target) in naive_closure(edges))
    if limit == 20 and source != target:
        assert found is not None


@pytest.mark.parametrize("has_chord", [True, False])
def test_a_large_component_is_not_looked_at_where_there_is_a_way_around(
    has_chord: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = {(number, (number + 1) % 400) for number in range(400)}
    if has_chord:
        edges |= {(100, 500), (500, 101)}
    before = TransitiveTable.of(edges_of(edges))
    split: list[int] = []
    labels_of = Removal.labels_of
    monkeypatch.setattr(
        Removal, "labels_of", lambda self, components: (split.append(1), labels_of(self, components))[1]
    )
    after = before.changed(edges_of(set()), edges_of({(100, 101)}))
    assert bool(split) != has_chord
    after.closure._check()
    assert facts_of(after) == naive_closure(edges - {(100, 101)})
