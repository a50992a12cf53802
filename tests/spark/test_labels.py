"""Virtual tables as paths, and their labels as rows that no executor has all of."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyroaring import BitMap

from kgreason.relations.binary import BinaryTable
from kgreason.relations.chain import ChainTable
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.inverse import InverseTable
from kgreason.relations.paths import Path, reversed_path
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.union import UnionTable
from kgreason_spark import spark_tuning
from kgreason_spark.materialisation import label_frames as labels
from kgreason_spark.materialisation.shuffled import _contained, _spelled
from kgreason_spark.materialisation.virtual_paths import fitting

if TYPE_CHECKING:
    from kgreason.relations.table import Table

Pairs = set[tuple[int, int]]


def edges(*rows: tuple[int, int]) -> BinaryTable:
    return BinaryTable.of(tuple(np.array(column, dtype=np.uint32) for column in zip(*rows, strict=True)))


def pairs_of(table: Table) -> Pairs:
    return set(zip(*(column.tolist() for column in table.columns()), strict=True))


def followed(path: Path) -> Pairs:
    found = pairs_of(path[0].reading)
    for step in path[1:]:
        found = {(x, z) for (x, y), (other, z) in product(found, pairs_of(step.reading)) if y == other}
    return found


BELOW = TransitiveTable.of(edges((1, 2), (2, 3), (3, 2), (3, 4), (9, 1)))
SAME = EquivalenceTable.of(edges((4, 5), (7, 8)))
PLAIN = edges((2, 7), (5, 6), (4, 4))
CHAIN = ChainTable(UnionTable([PLAIN, SAME]), InverseTable(BELOW), SAME)
TABLES: dict[str, Table] = {
    "transitive": BELOW,
    "equivalence": SAME,
    "inverse": InverseTable(BELOW),
    "union": UnionTable([BELOW, PLAIN, InverseTable(CHAIN)]),
    "chain": CHAIN,
    "chain on one side": ChainTable(PLAIN, None, BELOW),
}


@pytest.mark.parametrize("name", TABLES)
def test_paths_lead_to_the_pairs(name: str) -> None:
    table = TABLES[name]
    paths = table.paths()
    assert set().union(*map(followed, paths)) == pairs_of(table)
    assert {(y, x) for path in paths for x, y in followed(reversed_path(path))} == pairs_of(table)


@pytest.mark.parametrize("bits", [0, 1, 16])
@pytest.mark.parametrize("table", [BELOW, SAME, PLAIN, BELOW.inverse()])
def test_rows_hold_the_pairs(table: Table, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "BLOCK_BITS", bits)
    monkeypatch.setattr(spark_tuning, "LABEL_SETS", 2)
    nodes, components = labels._labelled(table)
    reached: dict[int, list[int]] = {}
    for part in labels._sets(3, table):
        for row in part.to_pylist():
            members = [row["single"]] if row["labels"] is None else list(BitMap.deserialize(row["labels"]))
            assert row["step"] == 3
            assert {member >> bits for member in members} == {row["block"]}
            reached.setdefault(row["component"], []).extend(members)
    found = [
        (node, int(nodes[label]))
        for node, component in zip(nodes.tolist(), components.tolist(), strict=True)
        for label in reached.get(component, [])
    ]
    assert len(found) == len(set(found)) == len(table)
    assert set(found) == pairs_of(table)


SETS = [BitMap([1, 2, 70]), None, BitMap(range(5, 9)), BitMap([1, 2, 70]), BitMap([0])]
SINGLES = [None, 4, None, None, None]


def batch(**more: list[int]) -> pa.RecordBatch:
    columns = {"key": pa.array(range(10, 15), pa.int64())}
    columns |= {name: pa.array(values, pa.int64()) for name, values in more.items()}
    columns["single"] = pa.array(SINGLES, pa.int64())
    columns["labels"] = pa.array([None if s is None else s.serialize() for s in SETS], pa.binary())
    return pa.RecordBatch.from_pydict(columns)


@pytest.mark.parametrize(("sets", "at_once"), [(256, 1 << 20), (1, 1), (2, 3), (3, 4)])
def test_sets_are_spelled_out(sets: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_tuning, "SHUFFLED_SETS", sets)
    monkeypatch.setattr(spark_tuning, "SHUFFLED_LABELS", at_once)
    found = pa.Table.from_batches(_spelled(iter([batch(), batch().slice(0, 0)])))
    assert found.column_names == ["key", "single"]
    assert sorted(zip(*(column.to_pylist() for column in found.columns), strict=True)) == [
        (10, 1), (10, 2), (10, 70), (11, 4), (12, 5), (12, 6), (12, 7), (12, 8), (13, 1), (13, 2), (13, 70), (14, 0)
    ]  # fmt: skip


def test_labels_are_looked_up_in_sets() -> None:
    asked = batch(label=[2, 4, 9, 70, 0])
    found = pa.Table.from_batches(_contained(iter([asked, asked.slice(0, 0)])))
    assert found["key"].to_pylist() == [10, 11, 13, 14]


def test_what_is_sent_fits() -> None:
    tables: dict[int, Table] = {1: BELOW, 2: UnionTable([BELOW, SAME]), 3: SAME}
    sizes = {code: sum(t.nbytes for t in (table, table.edges)) for code, table in ((1, BELOW), (3, SAME))}
    everything = sum(sizes.values())
    assert fitting(tables, everything).keys() == {1, 2, 3}, "what is shared counts once"
    assert fitting(tables, everything - 1).keys() == {min(sizes, key=lambda code: sizes[code])}
    assert not fitting(tables, min(sizes.values()) - 1)
