"""Real data on Spark and in a store: the same inferred triples. Two sets always, all in the thorough profile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kgreason.io.readers import read_files
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_spark.materialisation.inferred_frames import Results
from tests.conformance.test_schemes_on_data import SETS
from tests.shared_data import shared, unpacked
from tests.spark.distributed import encode_base, fixpoint, inferred_rows, view_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES: dict[str, tuple[Callable[[], Sequence[Path]], Callable[[], str | Path]]] = {
    "LUBM(1,0) under program L": (
        lambda: [unpacked("lubm/lubm1.nt.bz2")],
        lambda: shared("lubm/rules/LUBM_L.rdfox.dlog"),
    ),
    "LUBM(1,0) under owl-rl": (
        lambda: [unpacked("lubm/lubm1.nt.bz2"), shared("lubm/univ-bench.owl")],
        lambda: "owl-rl",
    ),
    **{
        f"{name} under {rules}": (files, lambda rules=rules: rules)
        for name, (files, all_rules) in SETS.items()
        for rules in all_rules
    },
}


ALWAYS = ["LUBM(1,0) under program L", "physh under skos"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*ALWAYS, *(pytest.param(name, marks=pytest.mark.thorough) for name in CASES if name not in ALWAYS)]
)
def test_the_triples_are_the_same(
    quick_spark: SparkSession, compiling_spark: SparkSession, tmp_path: Path, name: str
) -> None:
    compare(quick_spark if name in ALWAYS else compiling_spark, tmp_path, name)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "most"), [("LUBM(1,0) under owl-rl", 2_000), ("physh under skos", 500)])
def test_closures_beyond_the_cap_are_the_same(
    compiling_spark: SparkSession, tmp_path: Path, name: str, most: int
) -> None:
    compare(compiling_spark, tmp_path, name, driver_facts=most)


def compare(spark: SparkSession, folder: Path, name: str, **limits: int) -> None:
    files, rules = CASES[name]
    base = KnowledgeBase(rules())
    base.add_quads(read_files(files(), base.dictionary))
    data = encode_base(folder / "data", base)
    run = fixpoint(spark, data, folder / "work", base.program, **limits)
    assert np.array_equal(inferred_rows(Results(run, pairs=True), base), view_rows(base.inferred()))
