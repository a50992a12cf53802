"""Closures with a hub, beside naive closures: catches a set above the hub that does not follow as the hub comes apart,
grows, or is reached no more."""

from __future__ import annotations

from itertools import combinations, product
from random import Random

import numpy as np
import pytest
from pyroaring import BitMap

from kgreason.relations.binary import BinaryTable
from kgreason.relations.label_sets import LabelSets
from kgreason.relations.net_changes import net_change
from kgreason.relations.set_writers import SetWriter
from kgreason.relations.shared_sets import SharedSets
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.hub_versions import with_edges, without_edges
from kgreason.relations.transitive.label_closure import Hub
from tests.profiles import examples
from tests.relations.edge_histories import BESIDE, set_limits
from tests.relations.table_reads import Pair, edges_of, facts_of, naive_closure
from tests.thresholds import Tuned

HUB_NODES = range(10, 16)
"""The nodes of a circle; lower ones lead there, higher ones come behind."""


def hub_graph(random: Random) -> set[Pair]:
    """A circle with a few more edges inside, what leads there and what it leads to, and what does both by itself."""
    circle = {(node, 10 + (node - 9) % len(HUB_NODES)) for node in HUB_NODES}
    inner = {(random.choice(HUB_NODES), random.choice(HUB_NODES)) for _ in range(3)}
    above = {(random.randrange(10), random.randrange(1, 12)) for _ in range(12)}
    below = {(random.randrange(14, 24), random.randrange(16, 26)) for _ in range(12)}
    return circle | inner | {(9, 10), (8, 9)} | {pair for pair in above | below if pair[0] < pair[1]}


def random_change(random: Random, edges: set[Pair]) -> tuple[set[Pair], set[Pair]]:
    """Edges that come, mostly down, and edges that go, mostly of the circle."""
    pairs = [(random.randrange(28), random.randrange(28)) for _ in range(random.choice([0, 1, 1, 2, 4]))]
    came = {pair if random.random() < 0.2 else (min(pair), max(pair)) for pair in pairs} - edges
    inner = sorted(pair for pair in edges if {*pair} <= {*HUB_NODES})
    chosen = inner if inner and random.random() < 0.4 else sorted(edges)
    return came, {*random.sample(chosen, min(len(chosen), random.choice([0, 1, 1, 2, 3])))}


@pytest.mark.parametrize("seed", range(examples(12)))
def test_histories_of_a_hub_equal_naive_closures(seed: int, tuned: Tuned) -> None:
    set_limits(tuned, BESIDE)
    tuned(HUB_LEAST=2, HUB_SHARE=1 << 40)
    random = Random(seed)
    edges = hub_graph(random)
    version = TransitiveTable.of(edges_of(edges))
    assert version.closure.hub is not None
    for _ in range(30):
        came, gone = random_change(random, edges)
        before, known = version, naive_closure(edges)
        edges = edges - gone | came
        version = before.changed(edges_of(came), edges_of(gone)).compacted()
        version.closure._check()
        assert facts_of(version) == naive_closure(edges)
        assert_changed(before, version, known, naive_closure(edges))


def assert_changed(before: TransitiveTable, after: TransitiveTable, known: set[Pair], now: set[Pair]) -> None:
    """What the versions say that came and went, and what a reader of changes is told."""
    assert facts_of(after.difference(before)) == now - known
    assert facts_of(before.difference(after)) == known - now
    changes = net_change(before, after)
    assert [facts_of(table) if table else set() for table in changes] == [now - known, known - now]


def small_graphs() -> list[set[Pair]]:
    """A circle with something above, below and beside it, under names that give the labels different orders."""
    edges = {(0, 1), (1, 2), (2, 1), (2, 3), (4, 3), (5, 4), (6, 0)}
    orders = [range(7), range(6, -1, -1), (3, 5, 0, 6, 1, 4, 2)]
    return [{(order[source], order[target]) for source, target in edges} for order in orders]


@pytest.mark.parametrize("edges", small_graphs())
def test_every_edge_that_comes_and_every_two_that_go(edges: set[Pair], tuned: Tuned) -> None:
    set_limits(tuned, BESIDE)
    tuned(HUB_LEAST=2, HUB_SHARE=1 << 40)
    before = TransitiveTable.of(edges_of(edges))
    for came in sorted({*product(range(8), repeat=2)} - edges):
        after = before.changed(edges_of([came]), edges_of([]))
        after.closure._check()
        assert facts_of(after) == naive_closure(edges | {came}), came
        assert_changed(before, after, naive_closure(edges), naive_closure(edges | {came}))
    for gone in combinations(sorted(edges), 2):
        after = before.changed(edges_of([]), edges_of(gone))
        after.closure._check()
        assert facts_of(after) == naive_closure(edges - {*gone}), gone


def test_a_hub_that_an_edge_takes_apart_changes_few_sets(tuned: Tuned) -> None:
    """Three circles in a row, joined to one; 100 nodes lead to the first."""
    tuned(HUB_LEAST=8, REMADE_SETS_LEAST=4, REMADE_SETS_SHARE=1 << 40)
    circles = {(first + i, first + (i + 1) % 9) for first in (1000, 2000, 3000) for i in range(9)}
    edges = circles | {(1000, 2000), (2000, 3000), (3000, 1000)} | {(node, 1000 + node % 9) for node in range(100)}
    before = TransitiveTable.of(edges_of(edges))
    apart = without_edges(before.closure, *_hub_and_edges(before, edges - {(3000, 1000)}), edges_of([(3000, 1000)]))
    apart._check()
    assert facts_of(TransitiveTable(apart)) == naive_closure(edges - {(3000, 1000)})
    again = with_edges(apart, *_hub_and_edges(TransitiveTable(apart), edges), edges_of([(3000, 1000)]))
    again._check()
    assert facts_of(TransitiveTable(again)) == naive_closure(edges)


def _hub_and_edges(table: TransitiveTable, edges: set[Pair]) -> tuple[Hub, BinaryTable]:
    assert table.closure.hub is not None
    return table.closure.hub, edges_of(edges)


def test_shared_sets_read_as_sets_that_share_nothing() -> None:
    """Each read of each set, beside sets of Python."""
    random = Random(5)
    shared = {*random.sample(range(60), 25)}
    own = [{*random.sample(range(60), random.choice([0, 1, 5, 40]))} for _ in range(60)]
    is_sharing = np.array([random.random() < 0.6 for _ in range(60)])
    sets = SharedSets(_written(own), BitMap(shared), is_sharing)
    sets._check()
    whole = [each | shared if sharing else each for each, sharing in zip(own, is_sharing, strict=True)]
    numbers = np.arange(60)
    assert [{*sets.get(number)} for number in range(60)] == whole
    assert sets.sizes(numbers).tolist() == [*map(len, whole)]
    counts, members = sets.column(numbers)
    assert counts.tolist() == [*map(len, whole)]
    assert members.tolist() == [label for each in whole for label in sorted(each)]
    rows, labels = np.repeat(numbers, 60), np.tile(np.arange(60, dtype=np.uint32), 60)
    expected = [label in whole[number] for number, label in zip(rows, labels, strict=True)]
    assert sets.contains(rows, labels).tolist() == expected
    assert [sets.has(number, label) for number, label in zip(rows.tolist(), labels.tolist(), strict=True)] == expected
    assert [sets.is_empty(number) for number in range(60)] == [not each for each in whole]
    fewer = SharedSets(sets.own, BitMap(shared - {min(shared)}), is_sharing)
    assert sets.differing(fewer) == {*np.flatnonzero(is_sharing).tolist()}
    assert sets.differing(SharedSets(sets.own, BitMap(shared), is_sharing)) == set()


def _written(sets: list[set[int]]) -> LabelSets:
    writer = SetWriter(len(sets))
    for number, members in enumerate(sets):
        writer.put(number, BitMap(members))
    return writer.finish()
