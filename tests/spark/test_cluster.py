"""The same on a standalone cluster of a master and two workers as on this machine."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kgreason_spark.frames import QUAD
from kgreason_spark.outputs.encoded import write_encoded
from kgreason_spark.sources.statement_rows import NTriplesFiles
from tests.shared_data import unpacked
from tests.spark.cluster import standalone_cluster
from tests.spark.written_output import read_encoded


@dataclass(frozen=True)
class Made:
    """A folder with what a process has made, and what it said."""

    folder: Path
    report: dict[str, Any]
    workers: list[subprocess.Popen[bytes]]
    """Those of the cluster, which is no longer wanted."""


ON_THE_CLUSTER = """
import json, sys
from dataclasses import asdict
from kgreason_spark.ingestion.mapped import MappedSources
from kgreason_spark.outputs.encoded import Layout
from kgreason_spark.pipeline import Outputs, run
from kgreason_spark.session import spark_session
from kgreason_spark.sources.statement_rows import NTriplesFiles

master, source, encoded, mapping, mapped = sys.argv[1:]
spark = spark_session(master)
report = asdict(run(spark, NTriplesFiles([source]), encoded, Outputs(ntriples="zstd", layout=Layout(local=0))))
workers = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
of_csv = run(spark, MappedSources(mapping), mapped, Outputs()).triples_read
print(json.dumps({"workers": workers, "of_csv": of_csv, **report}))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """What one process has made on a cluster: encoded triples of N-Triples, and others of a CSV file."""
    folder = tmp_path_factory.mktemp("made")
    lines = unpacked("lubm/lubm1.nt.bz2").read_bytes().splitlines()[:5_000]
    (folder / "in").mkdir()
    for number in range(4):
        (folder / "in" / f"{number}.nt").write_bytes(b"\n".join(lines[number::4]))
    (folder / "m.ttl").write_text("""@prefix rml: <http://w3id.org/rml/> .
      <#m> rml:logicalSource [ rml:source 'a.csv' ]; rml:subjectMap [ rml:template "http://e/{id}" ];
        rml:predicateObjectMap [ rml:predicate <http://e/p>; rml:objectMap [ rml:reference "name" ] ] .""")
    (folder / "a.csv").write_text("id,name\n" + "".join(f'{n},"a\n{n}"\n' for n in range(100)))
    with standalone_cluster(folder / "cluster") as cluster:
        arguments = (folder / name for name in ("in", "encoded", "m.ttl", "mapped"))
        finished = cluster.run(ON_THE_CLUSTER, *map(str, arguments))
    assert finished.returncode == 0, finished.stderr[-3000:]
    return Made(folder, json.loads(finished.stdout), cluster.workers)


@pytest.mark.slow
def test_encoding(made: Made, spark: SparkSession, tmp_path: Path) -> None:
    report = made.report
    assert (report["workers"], report["triples_read"], report["lines_written"]) == (2, 5_000, 5_000)

    rows = NTriplesFiles([str(made.folder / "in")]).extract(spark).rows
    write_encoded(rows.select(*QUAD), str(tmp_path / "here"))
    here, there = read_encoded(tmp_path / "here"), read_encoded(made.folder / "encoded")
    assert here[1:] == there[1:]
    assert (here[0].terms, here[0].triples) == (there[0].terms, there[0].triples)
    assert spark.read.text(str(made.folder / "encoded" / "ntriples")).count() == 5_000


@pytest.mark.slow
def test_line_breaks_in_csv(made: Made) -> None:
    """Executors run code of ours to find the records."""
    assert made.report["of_csv"] == 100
    assert '"a\n7"' in read_encoded(made.folder / "mapped")[1]


@pytest.mark.slow
def test_nothing_is_left_of_a_cluster(made: Made) -> None:
    assert made.workers
    assert all(worker.poll() is not None for worker in made.workers)
