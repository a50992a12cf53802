"""Few triples are derived on the driver: would catch another closure than the cluster's, or an exceeded limit."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kgreason.errors import StratificationError
from kgreason.program.parser import parse_program
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_spark.materialisation.inferred_frames import Results
from kgreason_spark.materialisation.job import materialise
from kgreason_spark.materialisation.round_checkpoints import Round
from tests.engine.test_oracle import PREFIX, facts, programs, relaxed
from tests.facade import add
from tests.profiles import examples
from tests.spark.cases import CASES, local
from tests.spark.distributed import (
    encode,
    encode_base,
    fixpoint,
    inferred,
    keys,
    on_driver,
    on_driver_within,
    view_rows,
    written_rows,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TRANSITIVE = "e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z) . e:t(?x, ?y) :- e:p(?x, ?y) ."
UNION = "e:u(?x, ?y) :- e:t(?x, ?y) . e:u(?x, ?y) :- e:q(?x, ?y) . e:r(?y, ?x) :- e:q(?x, ?y) ."
DATA = "e:n1 e:p e:n2 . e:n2 e:p e:n3 . e:n3 e:q e:n1 ."
PATH = "".join(f"e:n{number} e:p e:n{number + 1} . " for number in range(20))


@pytest.mark.parametrize("name", CASES)
def test_the_triples_are_those_of_a_store(quick_spark: SparkSession, tmp_path: Path, name: str) -> None:
    base = local(*CASES[name])

    found = on_driver(quick_spark, tmp_path, base)

    assert inferred(Results(found, pairs=True)) == keys(base, base.inferred())


@pytest.mark.parametrize("name", CASES)
def test_a_store_takes_over_what_was_written(quick_spark: SparkSession, tmp_path: Path, name: str) -> None:
    base = local(*CASES[name])
    data = encode_base(tmp_path / "data", base)

    materialise(quick_spark, str(data), base.program, str(tmp_path / "out"))

    loaded = KnowledgeBase(base.program)
    assert not loaded.bulk_load(data, tmp_path / "out").notes
    assert keys(loaded, loaded.inferred()) == keys(base, base.inferred())


@given(text=programs, triples=st.lists(facts, min_size=1, max_size=14))
@settings(
    max_examples=examples(20),
    suppress_health_check=[*relaxed.suppress_health_check, HealthCheck.function_scoped_fixture],
)
def test_random_programs(quick_spark: SparkSession, text: str, triples: list) -> None:
    count = 0
    with suppress(StratificationError):
        base = KnowledgeBase(parse_program(PREFIX + text))
        add(base, *triples)
        count = base.inferred().count()
    assume(count)
    with TemporaryDirectory() as folder:
        data, output = encode_base(Path(folder) / "data", base), Path(folder) / "out"

        materialise(quick_spark, str(data), base.program, str(output), pairs=True)

        assert np.array_equal(written_rows(data, output, base), view_rows(base.inferred()))


def test_labels_and_triples_beside_them_are_those_of_the_cluster(quick_spark: SparkSession, tmp_path: Path) -> None:
    base = local(TRANSITIVE + UNION, DATA)

    found = on_driver(quick_spark, tmp_path, base)

    one = Results(found, pairs=False)
    other = Results(fixpoint(quick_spark, tmp_path / "data", tmp_path / "there", base.program), pairs=False)
    assert inferred(one) == inferred(other)
    members = [
        sorted((entry["members"][0]["relation"], entry["closure"]) for entry in json.loads(results.definitions))
        for results in (one, other)
    ]
    assert members[0] == members[1]
    assert one.labels.edges.num_rows == other.labels.edges.num_rows
    assert one.closed == other.closed


def test_more_triples_than_the_limit_are_the_cluster_s(quick_spark: SparkSession, tmp_path: Path) -> None:
    base = local(TRANSITIVE, PATH)

    assert on_driver_within(quick_spark, tmp_path / "20", base, 20) is not None
    assert on_driver_within(quick_spark, tmp_path / "19", base, 19) is None


def test_more_facts_than_the_limit_are_the_cluster_s(quick_spark: SparkSession, tmp_path: Path) -> None:
    base = local("e:t(?x, ?z) :- e:p(?x, ?y), e:p(?z, ?w) .", PATH)

    found = on_driver(quick_spark, tmp_path / "enough", base, 400)

    assert len(inferred(Results(found, pairs=True))) == 400
    assert on_driver_within(quick_spark, tmp_path / "less", base, 399) is None


def test_pairs_beyond_the_limit_are_written_by_the_cluster(quick_spark: SparkSession, tmp_path: Path) -> None:
    """The labels of 210 pairs count as nothing, but the pairs do."""
    base = local(TRANSITIVE, PATH + "e:n1 e:near e:n2 .")
    data = encode_base(tmp_path / "data", base)

    report = materialise(
        quick_spark, str(data), base.program, str(tmp_path / "out"), pairs=True, ntriples="none", local_facts=30
    )

    assert len(report.rounds) == 1
    assert np.array_equal(written_rows(data, tmp_path / "out", base), view_rows(base.inferred()))
    assert (report.inferred, report.lines) == (210, 231)


def test_a_job_that_the_cluster_began_goes_on_there(quick_spark: SparkSession, tmp_path: Path) -> None:
    """A store takes over what it writes, labels and what is made of them too."""
    base = local(TRANSITIVE + UNION, DATA)
    data, output = encode_base(tmp_path / "data", base), tmp_path / "out"

    def kill(number: int, done: Round) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        materialise(quick_spark, str(data), base.program, str(output), local_facts=0, report=kill)
    report = materialise(quick_spark, str(data), base.program, str(output))

    assert len(report.rounds) > 1
    loaded = KnowledgeBase(base.program)
    assert not loaded.bulk_load(data, output).notes
    assert keys(loaded, loaded.inferred()) == keys(base, base.inferred())


def test_rules_without_triples(quick_spark: SparkSession, tmp_path: Path) -> None:
    program = parse_program(PREFIX + "e:k(e:n1) . e:m(?x) :- e:k(?x) .")
    data = encode(tmp_path / "data", [])

    report = materialise(quick_spark, str(data), program, str(tmp_path / "out"))

    assert (report.explicit, report.inferred, len(report.terms)) == (0, 2, 4)
