"""What the driver reads by itself is what Spark would have read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from kgreason.rdf.model import Literal
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.codes import CLASS, PROPERTY
from kgreason_spark import spark_tuning
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.fact_columns import RELATION, frame_of, gathered
from tests.facade import ex
from tests.spark.distributed import encode

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TRIPLES = [
    (ex("a"), ex("p"), Literal("colour", None, "en-GB")),
    (ex("a"), ex("p"), ex("b")),
    (ex("b"), ex("q"), ex("a")),
]


@pytest.fixture
def places(quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Dataset, Dataset]:
    """The same encoded triples, read here and by Spark."""
    path = str(encode(tmp_path / "data", TRIPLES))
    here, there = Dataset(quick_spark, path), Dataset(quick_spark, path)
    assert here.local_dictionary is not None
    assert here.local_triples is not None
    monkeypatch.setattr(spark_tuning, "SMALL_TABLE_BYTES", -1)
    assert there.local_dictionary is None
    assert there.local_triples is None
    return here, there


def test_terms(places: tuple[Dataset, Dataset]) -> None:
    keys = ['"colour"@EN-gb', "http://example.org/p", "http://example.org/nothing", RDF_TYPE]
    here, there = (dataset.ids(keys) for dataset in places)
    assert here == there
    assert here.keys() == {*keys[:2]}
    ids = np.array(sorted(here.values()), dtype=np.int64)
    spelled = [dict(zip(found.tolist(), names, strict=True)) for found, names in (one.keys(ids) for one in places)]
    assert spelled[0] == spelled[1]
    assert '"colour"@en-GB' in spelled[0].values()


def test_facts(places: tuple[Dataset, Dataset]) -> None:
    """With p in the place of rdf:type: an IRI is a class then, and a literal is none."""
    here, there = (
        dataset.facts(dataset.ids(["http://example.org/p"])["http://example.org/p"], 3) for dataset in places
    )
    assert here.counts() == there.counts()
    codes = np.array([code for code in here.counts() if code & 3 in (CLASS, PROPERTY)], dtype=np.int64)
    for some in (codes, codes[:1]):
        local = here.gathered(some)
        assert local is not None
        found = gathered(there.of(some), some)
        assert sorted(map(tuple, (row.values() for row in local.to_pylist()))) == sorted(
            map(tuple, (row.values() for row in found.to_pylist()))
        )
    assert len(codes) == 3


def test_rows_after_an_empty_chunk(quick_spark: SparkSession) -> None:
    chunks = [pa.table({RELATION: pa.array(numbers, pa.int64())}) for numbers in ([1], [], [2])]
    assert frame_of(quick_spark, pa.concat_tables(chunks)).count() == 2
