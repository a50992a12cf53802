"""Spark reads the tables of a third party's scheme: sent to executors, shuffled, or written as labels.

Would catch a way of reading virtual tables on the cluster that knows the classes of our own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_spark.materialisation.inferred_frames import Results
from kgreason_spark.materialisation.job import materialise
from tests.relations.sequences import SequenceScheme, catalogue
from tests.spark.cases import local
from tests.spark.distributed import encode_base, fixpoint, inferred, keys
from tests.spark.test_materialisation import LIMITS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULES = (
    "e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z) . e:t(?x, ?y) :- e:p(?x, ?y) . e:back(?y, ?x) :- e:t(?x, ?y) ."
    "e:u(?x, ?y) :- e:t(?x, ?y) . e:u(?x, ?y) :- e:m(?x, ?y) . e:c(?x, ?z) :- e:c(?x, ?y), e:t(?y, ?z) ."
    "e:c(?x, ?y) :- e:m(?x, ?y) . e:r1(?x, ?y) :- e:k(?x), e:u(?x, ?y) . e:r2(?x) :- e:k(?x), e:back(?x, e:n1) ."
    "e:r3(?x, ?y) :- e:k(?x), e:k(?y), ~e:t(?x, ?y) . e:r4(?x, ?y) :- e:k(?x), e:c(?y, ?x) ."
)
DATA = (
    "e:n1 e:p e:n2 . e:n2 e:p e:n3 . e:n3 e:p e:n4 . e:n5 e:p e:n6 . e:n4 e:m e:n5 . e:n7 e:m e:n1 ."
    + "".join(f"e:n{number} a e:k . " for number in range(1, 8))
)


@pytest.mark.parametrize("way", ["sent", pytest.param("shuffled", marks=pytest.mark.thorough)])
def test_triples_are_those_of_the_engine(quick_spark: SparkSession, tmp_path: Path, way: str) -> None:
    base, scheme = local(RULES, DATA), SequenceScheme()
    data = encode_base(tmp_path / "data", base)

    run = fixpoint(quick_spark, data, tmp_path / "work", base.program, **LIMITS[way], schemes=catalogue(scheme))

    assert scheme.made
    assert inferred(Results(run, pairs=True)) == keys(base, base.inferred())


def test_labels_of_a_scheme_without_any_are_written_and_loaded(quick_spark: SparkSession, tmp_path: Path) -> None:
    base, scheme = local(RULES, DATA), SequenceScheme()
    data = encode_base(tmp_path / "data", base)

    materialise(quick_spark, str(data), base.program, str(tmp_path / "out"), schemes=catalogue(scheme))

    assert scheme.made
    loaded = KnowledgeBase(base.program)
    loaded.bulk_load(data, tmp_path / "out")
    assert keys(loaded, loaded.inferred()) == keys(base, base.inferred())
