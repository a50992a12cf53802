"""Closures taken over from labels: those of the edges, as if they had been closed, or refused with the reason.

Would catch labels that are believed though they are those of no closure, or of other edges, and sets that are read
wrongly because they are small, empty, in runs or in several containers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from kgreason.columns.components import undirected_components
from kgreason.relations.binary import BinaryTable
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.given_labels import GivenLabels, LabelsError
from kgreason.relations.transitive.closing import close
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.given_closure import closure_of
from kgreason.relations.transitive.label_closure import Closure
from tests.relations.table_reads import EXAMPLES, assert_reads, edges_of, naive_closure, naive_equivalence
from tests.thresholds import Tuned

graphs = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=30)


Change = Callable[[int, BitMap], BitMap | bytes]


def written(closure: Closure, change: Change = lambda _, members: members) -> GivenLabels:
    """The labels of a closure as a job writes them, each set changed."""
    numbers = np.unique(closure.component).astype(np.int64)
    sets = [change(number, closure.reached.get(number)) for number in numbers.tolist()]
    texts = [found if isinstance(found, bytes) else found.serialize() for found in sets]
    data = np.frombuffer(b"".join(texts), dtype=np.uint8)
    ends = np.concatenate(([0], np.cumsum([len(text) for text in texts]))).astype(np.int64)
    return GivenLabels(closure.labelling.nodes, closure.component.astype(np.int64), numbers, data, ends)


def in_runs(_: int, members: BitMap) -> BitMap:
    members.run_optimize()
    return members


@given(edges=graphs, is_optimised=st.booleans())
@settings(max_examples=EXAMPLES)
def test_the_closure_is_that_of_the_edges(edges: list, is_optimised: bool) -> None:
    table = edges_of(edges)
    found = TransitiveTable(closure_of(table, written(close(table), *([in_runs] if is_optimised else []))))
    assert_reads(found, naive_closure(edges))
    more = table.union(edges_of([(3, 14), (14, 0)]))
    grown = found.changed(edges_of([(3, 14), (14, 0)]).difference(table), edges_of([]))
    assert_reads(grown, naive_closure([*edges, (3, 14), (14, 0)]))
    assert_reads(found.changed(edges_of([]), edges_of(edges[:3])), naive_closure({*edges} - {*edges[:3]}))
    assert len(grown.edges) == len(more)


def test_large_sets_and_many_containers() -> None:
    """A node with 70,000 successors, one with a few of them far apart, and a circle."""
    first, last = np.zeros(70_000, dtype=np.uint32), np.arange(1, 70_001, dtype=np.uint32)
    more = np.array([[80_000, 3], [80_000, 69_999], [80_001, 80_002], [80_002, 80_001]], dtype=np.uint32)
    edges = BinaryTable.of((np.concatenate((first, more[:, 0])), np.concatenate((last, more[:, 1]))))
    expected = close(edges)
    found = closure_of(edges, written(expected))
    found._check()
    assert found.pairs == expected.pairs
    assert not found.reached.differing(expected.reached)


def test_an_equivalence_is_that_of_its_edges() -> None:
    edges = [(1, 2), (2, 3), (5, 5), (7, 6)]
    members, components = EquivalenceTable.of(edges_of(edges)).components()
    assert_reads(EquivalenceTable.given(edges_of(edges), members[::-1], components[::-1] * 7), naive_equivalence(edges))
    for wrong in (components * 0, np.arange(len(members)), components[::-1]):
        with pytest.raises(LabelsError, match="components are not those of the edges"):
            EquivalenceTable.given(edges_of(edges), members, wrong)
    with pytest.raises(LabelsError, match="nodes are not those"):
        EquivalenceTable.given(edges_of(edges), np.append(members[:-1], members[:1]), components)
    assert undirected_components(0, components[:0], components[:0]).size == 0
    assert not EquivalenceTable.given(edges_of([]), members[:0], components[:0])


EDGES = [(1, 2), (2, 3), (3, 4), (4, 3), (5, 1), (6, 6)]


def labels() -> GivenLabels:
    return written(close(edges_of(EDGES)))


def with_sets(change: Change) -> GivenLabels:
    return written(close(edges_of(EDGES)), change)


def without_one(number: int, members: BitMap) -> BitMap:
    return members - BitMap([members.max()]) if len(members) > 2 else members


WRONG = {
    "a label too few": (with_sets(without_one), "this is not a closure"),
    "a label too many": (with_sets(lambda n, m: m | BitMap([0, 1, 2, 3, 4, 5])), "this is not a closure"),
    "nothing": (with_sets(lambda n, m: BitMap()), "this is not a closure"),
    "a label that there is not": (with_sets(lambda n, m: m | BitMap([6])), "reaches the label 6, and there are 6"),
    "many labels that there are not": (
        with_sets(lambda n, m: BitMap(range(0, 99, 2))), "reaches the label 98, and there are 6"
    ),
    "no bitmap": (with_sets(lambda n, m: b"\xff" * 30), "not readable as a bitmap"),
    "no bytes": (with_sets(lambda n, m: b""), "not readable as a bitmap"),
    "labels in no order": (
        with_sets(lambda n, m: m.serialize()[:-4] + m.serialize()[-2:] + m.serialize()[-4:-2] if len(m) > 1 else m),
        "not in order",
    ),
    "a node twice": (replace(labels(), nodes=labels().nodes[[0, 0, 2, 3, 4, 5]]), "nodes are not those"),
    "one component": (replace(labels(), component=labels().component * 0), "components are not the strongly"),
    "a component too many": (replace(labels(), component=np.arange(6)), "components are not the strongly"),
    "a component that there is not": (replace(labels(), component=labels().component - 1), "components are not"),
    "a set twice": (replace(labels(), numbers=labels().numbers * 0), "one set of labels for each component"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_closure_is_refused(name: str) -> None:
    wrong, reason = WRONG[name]
    with pytest.raises(LabelsError, match=reason):
        closure_of(edges_of(EDGES), wrong)


def test_of_many_components_some_are_compared(tuned: Tuned) -> None:
    tuned(CHECKED_SETS=2)
    closure_of(edges_of(EDGES), labels())
    refused = 0
    for _ in range(100):
        try:
            closure_of(edges_of(EDGES), WRONG["a label too few"][0])
        except LabelsError:
            refused += 1
    assert 0 < refused < 100
