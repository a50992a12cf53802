"""Budgets on Spark: would catch a limit that does not hold, on the driver or on the cluster, a job that leaves output
behind when it gives up, and rounds that are lost to a later job with more room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from typer.testing import CliRunner

from kgreason.cli.app import app
from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError
from kgreason.program.parser import parse_program
from kgreason_spark import as_triples, materialise, write_encoded
from kgreason_spark.budgets import within
from kgreason_spark.failures import clear_errors

E = "http://e/"
RULES = f"@prefix e: <{E}> . [?x, e:q, ?z] :- [?x, e:p, ?y], [?y, e:p, ?z] . [?x, e:r, ?y] :- [?x, e:q, ?y] ."
PROGRAM = parse_program(RULES)
FOLLOWING = 20 * 20 * 2


@pytest.fixture
def star(quick_spark: SparkSession) -> DataFrame:
    """Twenty edges into a node, and twenty out of it."""
    rows = [(f"{E}a{n}", f"{E}p", f"{E}m") for n in range(20)] + [(f"{E}m", f"{E}p", f"{E}b{n}") for n in range(20)]
    return as_triples(quick_spark.createDataFrame(rows, "s string, p string, o string"))


@pytest.mark.parametrize("local_facts", [0, 2_000_000])
@pytest.mark.parametrize(("limit", "less"), [("facts", 100), ("bytes", 500)])
def test_a_limit_holds(star: DataFrame, tmp_path: Path, local_facts: int, limit: str, less: int) -> None:
    with pytest.raises(BudgetError, match=f"exceeds the budget of {less} {limit}") as caught:
        materialise(
            star, PROGRAM, directory=tmp_path / "made", local_facts=local_facts, budget=Budget(**{limit: less})
        )

    assert caught.value.limit == limit
    assert not (tmp_path / "made" / "inferred").exists()


@pytest.mark.parametrize(("limit", "less"), [("facts", 100), ("bytes", 2_000), ("seconds", 0.0)])
def test_a_limit_holds_for_facts_about_the_schema(
    quick_spark: SparkSession, tmp_path: Path, limit: str, less: float
) -> None:
    rows = [(f"{E}p{n}", f"{E}domain", f"{E}c0") for n in range(20)] + [("http://e/a", f"{E}p0", "http://e/b")]
    rows += [(f"{E}c{n}", f"{E}below", f"{E}c{n + 1}") for n in range(20)]
    triples = as_triples(quick_spark.createDataFrame(rows, "s string, p string, o string"))
    rules = f"""@prefix e: <{E}> . [?x, a, ?c] :- [?p, e:domain, ?c], [?x, ?p, ?y] .
      [?p, e:domain, ?d] :- [?p, e:domain, ?c], [?c, e:below, ?d], [?c, e:below, ?e], [?e, e:below, ?f] .
      [?c, e:below, ?e] :- [?c, e:below, ?d], [?d, e:below, ?e] ."""

    with pytest.raises(BudgetError, match=f"exceeds the budget of {less:,g} {limit}") as caught:
        materialise(triples, rules, directory=tmp_path / "made", local_facts=0, budget=Budget(**{limit: less}))

    assert caught.value.limit == limit
    assert not (tmp_path / "made" / "inferred").exists()
    room = Budget(facts=421, bytes=20_000, seconds=600)
    made = materialise(triples, rules, directory=tmp_path / "other", local_facts=0, budget=room)
    assert made.count() == 400 + 190 + 21


def test_a_limit_holds_without_a_directory(star: DataFrame) -> None:
    with pytest.raises(BudgetError, match="exceeds the budget of 100 facts"):
        materialise(star, PROGRAM, budget=Budget(facts=100))
    assert materialise(star, PROGRAM, budget=Budget(FOLLOWING, 600.0, 1 << 30)).count() == FOLLOWING


def test_a_job_with_more_room_goes_on_after_the_rounds(star: DataFrame, tmp_path: Path) -> None:
    write_encoded(star, tmp_path / "encoded")
    from kgreason_spark.materialisation import job

    def run(facts: int) -> job.MaterialisationReport:
        spark, source, target = star.sparkSession, str(tmp_path / "encoded"), str(tmp_path / "made")
        return job.materialise(spark, source, PROGRAM, target, local_facts=0, budget=Budget(facts=facts))

    with pytest.raises(BudgetError, match="800 facts are derived after 3 rounds"):
        run(FOLLOWING - 1)
    begin = monotonic()
    done = run(FOLLOWING)

    assert done.inferred == FOLLOWING
    assert sum(one.seconds for one in done.rounds[:3]) > 0
    assert sum(one.seconds for one in done.rounds[3:]) <= monotonic() - begin


def test_time_ends_jobs_and_leaves_the_others_alone(quick_spark: SparkSession) -> None:
    slow = quick_spark.range(0, 8, 1, 8).mapInArrow(_slow, "id long")
    begin = monotonic()

    with (
        pytest.raises(BudgetError, match=r"reading exceeds the budget of 0\.5 seconds"),
        within(quick_spark, Budget(seconds=0.5), "reading"),
        clear_errors("reading"),
    ):
        slow.count()

    assert monotonic() - begin < 30
    assert quick_spark.range(5).count() == 5


def test_the_command_has_limits(star: DataFrame, tmp_path: Path) -> None:
    write_encoded(star, tmp_path / "encoded")
    command = ["spark", "materialise", str(tmp_path / "encoded"), "--rules", RULES, "-o", str(tmp_path / "made")]

    refused = CliRunner().invoke(app, [*command, "--max-facts", "100"])
    done = CliRunner().invoke(app, [*command, "--max-facts", "1000", "--max-seconds", "600"])

    assert refused.exit_code == 1
    assert "the budget of 100 facts" in refused.output
    assert done.exit_code == 0, done.output


def _slow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import time

    time.sleep(5)
    yield from batches
