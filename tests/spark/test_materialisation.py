"""Spark derives the same triples as the engine of every store: each way that a rule can take, and random programs."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from kgreason.errors import SparkError, StratificationError
from kgreason.program.parser import parse_program
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_spark import spark_tuning
from kgreason_spark.materialisation import label_frames as labels
from kgreason_spark.materialisation.fact_columns import facts_schema
from kgreason_spark.materialisation.inferred_frames import Results
from kgreason_spark.materialisation.round_checkpoints import Checkpoints, Round
from tests.engine.test_oracle import PREFIX, facts, programs, relaxed
from tests.facade import EX, add
from tests.profiles import IS_THOROUGH, examples
from tests.spark.cases import CASES, CHAIN, local
from tests.spark.distributed import encode, encode_base, fixpoint, inferred, keys, names_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Closures as rows, sent to every executor, or shuffled; by default all of these small ones would be rows. What is
# shuffled is nowhere else than on the cluster, as large data are.
LIMITS = {
    "rows": {"written": 1000},
    "sent": {"written": 0},
    "shuffled": {"written": 0, "sent": 0, "small": 0},
    "moved": {"driver_facts": 2, "small": 0},
}
# As a job that is killed (below), which derives the same, and with closures that are shuffled.
SHUFFLED = (
    "aggregates on executors",
    "computed terms in closures",
    "recursion through two relations",
    "negation at several levels",
)
ELSEWHERE = ("values", *SHUFFLED)
WAYS = [
    *((name, "sent") for name in CASES if name not in ELSEWHERE),
    *((name, "shuffled") for name in SHUFFLED),
]
WAYS += [pytest.param(name, "sent", marks=pytest.mark.thorough) for name in ELSEWHERE]
WAYS += [
    pytest.param(name, "shuffled", marks=pytest.mark.thorough)
    for name in CASES
    if name not in SHUFFLED
]
WAYS.append(pytest.param("closures of derived edges, joined and denied", "rows", marks=pytest.mark.thorough))


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in one block otherwise is in several."""
    monkeypatch.setattr(labels, "BLOCK_BITS", 1)
    monkeypatch.setattr(spark_tuning, "LABEL_BYTES", 200)


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What small data spare Spark, large data do not."""
    monkeypatch.setattr(spark_tuning, "SMALL_TABLE_BYTES", -1)
    monkeypatch.setattr(spark_tuning, "INLINE_NUMBERS", 0)
    monkeypatch.setattr(spark_tuning, "LISTED_RELATIONS", 1)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(("name", "way"), WAYS)
def test_the_triples_are_the_same(
    quick_spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest, name: str, way: str
) -> None:
    if way == "shuffled":
        request.getfixturevalue("nothing_here")
    rules, text = CASES[name]
    base = local(rules, text)
    data = encode_base(tmp_path / "data", base)
    run = fixpoint(quick_spark, data, tmp_path / "work", base.program, **LIMITS[way])
    expected = keys(base, base.inferred())
    found = inferred(Results(run, pairs=True))
    assert found == expected, f"missing: {expected - found}\nwrong: {found - expected}"
    assert expected


@given(text=programs, triples=st.lists(facts, min_size=1, max_size=14), way=st.sampled_from([*LIMITS]))
@settings(
    max_examples=examples(1),  # many more on the driver: test_driver_derivation
    suppress_health_check=[*relaxed.suppress_health_check, HealthCheck.function_scoped_fixture],
)
def test_random_programs(quick_spark: SparkSession, text: str, triples: list, way: str) -> None:
    program = parse_program(PREFIX + text)
    with TemporaryDirectory() as folder:
        try:
            base = KnowledgeBase(program)
            add(base, *triples)
            expected = keys(base, base.inferred())
        except StratificationError:
            expected = set()
        assume(expected)
        data = encode(Path(folder) / "data", triples)
        try:
            run = fixpoint(quick_spark, data, Path(folder) / "work", program, **LIMITS[way])
        except SparkError:  # what is denied depends on relations that three facts name
            assume(way != "moved")
            raise
        found = inferred(Results(run, pairs=True))
        assert found == expected, f"missing: {expected - found}\nwrong: {found - expected}"


class KilledError(Exception):
    """Stands for the end of a process."""


@pytest.mark.parametrize("name", ["values", pytest.param("negation at several levels", marks=pytest.mark.thorough)])
def test_a_killed_job_goes_on_after_its_last_round(quick_spark: SparkSession, tmp_path: Path, name: str) -> None:
    base = local(*CASES[name])
    data, work = encode_base(tmp_path / "data", base), tmp_path / "work"
    expected = keys(base, base.inferred())
    for fatal in range(5 if IS_THOROUGH else 3):
        done: list[int] = []

        def kill(number: int, _: Round, fatal: int = fatal, done: list[int] = done) -> None:
            done.append(number)
            if number == fatal:
                raise KilledError

        times = {path.name: path.stat().st_mtime_ns for path in work.glob("round-*")}
        with pytest.raises(KilledError):
            fixpoint(quick_spark, data, work, base.program, kill)
        assert done == list(range(fatal + 1))
        assert {path.name: path.stat().st_mtime_ns for path in work.glob("round-*")}.items() >= times.items()
        assert len(times) == fatal
    assert inferred(Results(fixpoint(quick_spark, data, work, base.program), pairs=True)) == expected


def test_rounds_of_other_rules_are_not_taken_over(quick_spark: SparkSession, tmp_path: Path) -> None:
    """Neither are those of other data: the job tells them apart."""
    work = str(tmp_path / "work")
    first = Checkpoints(quick_spark, work, "these rules", 2)
    first.next(0, lambda: quick_spark.createDataFrame([(1, 2, 3)], facts_schema(2)))
    again = Checkpoints(quick_spark, work, "these rules", 2)
    again.resume()
    assert [done.relations for done in again.rounds] == [{1: 1}]
    other = Checkpoints(quick_spark, work, "other rules", 2)
    other.resume()
    assert not other.rounds
    assert not Path(work).exists()


def test_labels_say_what_closures_hold(quick_spark: SparkSession, tmp_path: Path) -> None:
    base = local(*CASES["closures of derived edges, joined and denied"])
    results = Results(
        fixpoint(quick_spark, encode_base(tmp_path / "data", base), tmp_path / "work", base.program), pairs=False
    )
    with_pairs = keys(base, base.inferred())
    assert inferred(results) < with_pairs
    definitions = {entry["members"][0]["relation"]: entry for entry in json.loads(results.definitions)}
    assert definitions[f"{EX}t"]["closure"] == "transitive"
    assert definitions[f"{EX}s"]["closure"] == "equivalence"
    source = {"relation": f"{EX}t", "kind": "property", "arity": 2, "inverse": False}
    assert definitions[f"{EX}u"]["sources"] == [source]
    for name in ("t", "s"):
        expected = {(s, o) for s, p, o in keys(base, base.all()) if p == f"{EX}{name}"}
        assert pairs_of(results, definitions[f"{EX}{name}"]["labels"]) == expected, name


def test_labels_of_a_closure_that_is_no_property(quick_spark: SparkSession, tmp_path: Path) -> None:
    """Its number is that of no term, and a term that nothing else has gets an id, too."""
    rules = (
        "far(?x, ?z) :- far(?x, ?y), far(?y, ?z) . far(?x, ?y) :- e:p(?x, ?y) . far(?x, e:fresh) :- e:q(?x, ?y) ."
        "e:C(?x) :- far(?x, ?y) ."
    )
    base = local(rules, CHAIN)
    data = encode_base(tmp_path / "data", base)
    results = Results(fixpoint(quick_spark, data, tmp_path / "work", base.program), pairs=False)
    definitions = {entry["members"][0]["relation"]: entry for entry in json.loads(results.definitions)}
    assert definitions["far"]["labels"] < 0
    expected = {(s, o) for s, p, o in keys(base, base.explicit()) if p == f"{EX}p"} | {(f"{EX}n4", f"{EX}fresh")}
    for _ in range(3):
        expected |= {(x, z) for x, y in expected for other, z in expected if y == other}
    assert pairs_of(results, definitions["far"]["labels"]) == expected


def pairs_of(results: Results, relation: int) -> set[tuple[str, str]]:
    """The pairs of a closure, spelled out from its labels as they are documented."""
    names = names_of(results)
    nodes = [row for row in results.labels.nodes.to_pylist() if row["relation"] == relation]
    reached = {
        row["component"]: BitMap.deserialize(row["labels"])
        for row in results.labels.reached.to_pylist()
        if row["relation"] == relation
    }
    return {
        (names[a["node"]], names[b["node"]])
        for a in nodes
        for b in nodes
        if (b["label"] in reached[a["component"]] if reached else a["component"] == b["component"])
    }
