"""The same on a standalone cluster of a master and two workers as on this machine."""

from __future__ import annotations

import json
import pickle
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_spark.frames import QUAD
from kgreason_spark.outputs.encoded import write_encoded
from kgreason_spark.sources.statement_rows import NTriplesFiles
from tests.shared_data import unpacked
from tests.spark.cluster import Cluster, standalone_cluster
from tests.spark.distributed import encode_base, view_rows, written_rows
from tests.spark.test_materialisation_job import few
from tests.spark.written_output import read_encoded


@dataclass(frozen=True)
class Made:
    """A folder with what a process has made, and what it said."""

    folder: Path
    report: dict[str, Any]
    workers: list[subprocess.Popen[bytes]]
    """Those of the cluster, which is no longer wanted."""
    base: KnowledgeBase
    """What the explicit triples of the materialisation are from."""


ON_THE_CLUSTER = """
import json, pickle, sys
from dataclasses import asdict
from pathlib import Path
from kgreason_spark.ingestion.mapped import MappedSources
from kgreason_spark.materialisation.job import materialise
from kgreason_spark.outputs.encoded import Layout
from kgreason_mapping.run_outputs import Outputs
from kgreason_spark.pipeline import run
from kgreason_spark.session import spark_session
from kgreason_spark.sources.statement_rows import NTriplesFiles

master, source, encoded, mapping, mapped, data, rules, derived = sys.argv[1:]
spark = spark_session(master)
report = asdict(run(spark, NTriplesFiles([source]), encoded, Outputs(ntriples="zstd"), layout=Layout(local=0)))
workers = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
of_csv = run(spark, MappedSources(mapping), mapped, Outputs()).triples_read
print(json.dumps({"workers": workers, "of_csv": of_csv, **report}), flush=True)
tell = lambda number, done: print("round", number, flush=True)
program = pickle.loads(Path(rules).read_bytes())
materialise(spark, data, program, derived, pairs=True, local_facts=0, report=tell)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """What one process has made on a cluster: encoded triples of N-Triples, others of a CSV file, and what follows from
    some, with a worker killed in the middle."""
    folder = tmp_path_factory.mktemp("made")
    lines = unpacked("lubm/lubm1.nt.bz2").read_bytes().splitlines()[:5_000]
    (folder / "in").mkdir()
    for number in range(4):
        (folder / "in" / f"{number}.nt").write_bytes(b"\n".join(lines[number::4]))
    (folder / "m.ttl").write_text("""@prefix rml: <http://w3id.org/rml/> .
      <#m> rml:logicalSource [ rml:source 'a.csv' ]; rml:subjectMap [ rml:template "http://e/{id}" ];
        rml:predicateObjectMap [ rml:predicate <http://e/p>; rml:objectMap [ rml:reference "name" ] ] .""")
    (folder / "a.csv").write_text("id,name\n" + "".join(f'{n},"a\n{n}"\n' for n in range(100)))
    base = few()
    encode_base(folder / "data", base)
    (folder / "rules").write_bytes(pickle.dumps(base.program))
    with standalone_cluster(folder / "cluster") as cluster:
        return Made(folder, _run(cluster, folder), cluster.workers, base)


def _run(cluster: Cluster, folder: Path) -> dict[str, Any]:
    """The report of the process that makes all that, and whose worker is killed after the first round."""
    names = ("in", "encoded", "m.ttl", "mapped", "data", "rules", "derived")
    process = cluster.start(ON_THE_CLUSTER, *(str(folder / name) for name in names))
    assert process.stdout is not None
    report = process.stdout.readline()
    if process.stdout.readline() != "round 0\n":
        raise AssertionError(process.communicate()[1][-3000:])
    cluster.kill_worker(0)
    _, errors = process.communicate(timeout=400)
    assert process.returncode == 0, errors[-3000:]
    found: dict[str, Any] = json.loads(report)
    return found


@pytest.mark.slow
def test_encoding(made: Made, spark: SparkSession, tmp_path: Path) -> None:
    report = made.report
    assert (report["workers"], report["triples_read"], report["lines_written"]) == (2, 5_000, 5_000)

    rows = NTriplesFiles([str(made.folder / "in")]).extract(spark).rows
    write_encoded(rows.select(*QUAD), str(tmp_path / "here"))
    here, there = read_encoded(tmp_path / "here"), read_encoded(made.folder / "encoded")
    assert here[1:] == there[1:]
    assert (here[0].terms, here[0].triples) == (there[0].terms, there[0].triples)
    parts = (made.folder / "encoded" / "ntriples").glob("part-*")
    assert sum(pa.input_stream(part, compression="zstd").read().count(b"\n") for part in parts) == 5_000


@pytest.mark.slow
def test_line_breaks_in_csv(made: Made) -> None:
    """Executors run code of ours to find the records."""
    assert made.report["of_csv"] == 100
    assert '"a\n7"' in read_encoded(made.folder / "mapped")[1]


@pytest.mark.slow
def test_what_follows_where_a_worker_is_killed(made: Made) -> None:
    """A closure in a join, and a function, which executors evaluate with code of ours."""
    found = written_rows(made.folder / "data", made.folder / "derived", made.base)
    assert np.array_equal(found, view_rows(made.base.inferred()))


@pytest.mark.slow
def test_nothing_is_left_of_a_cluster(made: Made) -> None:
    assert len(made.workers) == 2
    assert all(worker.poll() is not None for worker in made.workers)
