"""Jobs as processes: on a standalone cluster, with a worker killed in the middle, and killed themselves."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from kgreason.cli.app import app
from kgreason.io.readers import read_files
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_spark import spark_tuning
from kgreason_spark.materialisation import job
from tests.shared_data import shared, unpacked
from tests.spark.cases import CASES, CHAIN, local
from tests.spark.cluster import Cluster, standalone_cluster
from tests.spark.distributed import encode_base, view_rows, written_rows

JOB = """
import sys
from pathlib import Path
import pickle
from kgreason_spark.materialisation.job import materialise
from kgreason_spark.session import spark_session

master, data, rules, output = sys.argv[1:]
spark = spark_session(master)
report = lambda number, done: print("round", number, flush=True)
program = pickle.loads(Path(rules).read_bytes())
materialise(spark, data, program, output, pairs=True, local_facts=0, report=report)
"""

INTERPRETED = "--conf spark.sql.codegen.wholeStage=false --conf spark.sql.codegen.factoryMode=NO_CODEGEN pyspark-shell"
"""Options of a driver for few rows: compiling the plans of a round takes longer than running them."""


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with standalone_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def few() -> KnowledgeBase:
    """A closure in a join, and a function, which executors evaluate with code of ours."""
    return local(
        "e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z) . e:t(?x, ?y) :- e:p(?x, ?y) ."
        "e:r(?x, ?z) :- e:q(?x, ?y), e:t(?z, ?x) . e:long(?x, ?y) :- e:r(?x, ?y), strlen(str(?y)) > 20 .",
        CHAIN,
    )


def small() -> KnowledgeBase:
    return local(*CASES["closures of derived edges, joined and denied"])


def lubm() -> KnowledgeBase:
    base = KnowledgeBase("owl-rl")
    base.add_quads(read_files([unpacked("lubm/lubm1.nt.bz2"), shared("lubm/univ-bench.owl")], base.dictionary))
    return base


@pytest.mark.thorough  # otherwise as a part of test_cluster
@pytest.mark.parametrize("make", [few, small, lubm])
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_cluster_derives_the_same(
    cluster: Cluster, tmp_path: Path, make: Callable[[], KnowledgeBase], is_killed: bool
) -> None:
    """Also with a worker killed in the middle."""
    base = make()
    data, rules = encode_base(tmp_path / "data", base), tmp_path / "rules.pickle"
    rules.write_bytes(pickle.dumps(base.program))
    process = cluster.start(JOB, str(data), str(rules), str(tmp_path / "out"))
    assert process.stdout is not None
    said = process.stdout.readline()
    if said != "round 0\n":
        raise AssertionError(process.communicate()[1])
    if is_killed:
        cluster.kill_worker(0)
    _, errors = process.communicate(timeout=400)
    assert process.returncode == 0, errors
    assert np.array_equal(written_rows(data, tmp_path / "out", base), view_rows(base.inferred()))


@pytest.mark.parametrize(("few", "compiled"), [(8, 0), (7, 2)])
def test_plans_are_compiled_when_many_facts_follow_from_few_triples(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int, compiled: int
) -> None:
    base = local("e:b(?x, ?y) :- e:p(?y, ?x) . e:c(?x, ?z) :- e:b(?x, ?y), e:p(?z, ?y) .", CHAIN)
    data, sessions = encode_base(tmp_path / "data", base), set()
    monkeypatch.setattr(spark_tuning, "UNCOMPILED_TRIPLES", few)
    monkeypatch.setattr(job, "compile_plans", lambda session, spark: sessions.add((session, spark)))

    report = job.materialise(quick_spark, str(data), base.program, str(tmp_path / "out"), local_facts=0)

    assert (report.explicit, report.inferred) == (6, 8)
    assert len({session for pair in sessions for session in pair}) == compiled
    assert np.array_equal(written_rows(data, tmp_path / "out", base), view_rows(base.inferred()))


@pytest.mark.slow
def test_a_killed_command_goes_on_when_it_is_given_again(spark: SparkSession, tmp_path: Path) -> None:
    text = "e:b(?x, ?z) :- e:p(?x, ?y), e:p(?y, ?z) . e:c(?x, ?z) :- e:b(?x, ?y), e:b(?y, ?z) ."
    base = local(text, CHAIN)
    data, rules = encode_base(tmp_path / "data", base), tmp_path / "rules.dl"
    rules.write_text("@prefix e: <http://example.org/> .\n" + text)
    output, report, rounds = tmp_path / "out", tmp_path / "report.json", tmp_path / "out.rounds"
    arguments = ["spark", "materialise", str(data), "--rules", str(rules), "--output", str(output), "--pairs"]
    arguments += ["--local-facts", "0"]
    arguments += ["--report", str(report)]
    process = subprocess.Popen(
        [sys.executable, "-m", "kgreason", *arguments, "--master", "local[2]"],
        env={**os.environ, "PYSPARK_SUBMIT_ARGS": INTERPRETED},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    state = rounds / "rounds.json"
    while not (state.exists() and len(json.loads(state.read_text())["rounds"]) > 1):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    seconds = [done["seconds"] for done in json.loads(state.read_text())["rounds"]]
    assert not (output / "manifest.json").exists()
    finished = CliRunner().invoke(app, arguments)
    assert finished.exit_code == 0, finished.stderr
    assert "inferred triples written" in finished.stdout
    again = [done["seconds"] for done in json.loads(report.read_text())["rounds"]]
    assert again[: len(seconds)] == seconds, "rounds were derived again"
    assert not rounds.exists()
    assert np.array_equal(written_rows(data, output, base), view_rows(base.inferred()))
