"""The same on a standalone cluster of a master and two workers as on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kgreason_spark.outputs.encoded import write_encoded
from kgreason_spark.rows import QUAD
from kgreason_spark.sources.ntriples import NTriplesFiles
from tests.shared_data import unpacked
from tests.spark.cluster import standalone_cluster
from tests.spark.reading import read_encoded

ON_THE_CLUSTER = """
import json, sys
from dataclasses import asdict
from kgreason_spark.pipeline import Outputs, run
from kgreason_spark.session import spark_session
from kgreason_spark.sources.ntriples import NTriplesFiles

master, source, target = sys.argv[1:]
spark = spark_session(master)
outputs = Outputs(ntriples="zstd")
report = asdict(run(spark, NTriplesFiles([source]), target, outputs))
workers = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
print(json.dumps({"workers": workers, **report}))
"""


@pytest.mark.slow
def test_encoding(spark: SparkSession, tmp_path: Path) -> None:
    lines = unpacked("lubm/lubm1.nt.bz2").read_bytes().splitlines()[:5_000]
    (tmp_path / "in").mkdir()
    for number in range(4):
        (tmp_path / "in" / f"{number}.nt").write_bytes(b"\n".join(lines[number::4]))
    with standalone_cluster(tmp_path / "cluster") as cluster:
        finished = cluster.run(ON_THE_CLUSTER, str(tmp_path / "in"), str(tmp_path / "there"))
    assert finished.returncode == 0, finished.stderr[-3000:]
    report = json.loads(finished.stdout)
    assert (report["workers"], report["triples_read"], report["lines_written"]) == (2, 5_000, 5_000)
    rows = NTriplesFiles([str(tmp_path / "in")]).extract(spark).rows
    write_encoded(rows.select(*QUAD), str(tmp_path / "here"))
    here, there = read_encoded(tmp_path / "here"), read_encoded(tmp_path / "there")
    assert here[1:] == there[1:]
    assert (here[0].terms, here[0].triples) == (there[0].terms, there[0].triples)
    assert spark.read.text(str(tmp_path / "there" / "ntriples")).count() == 5_000


@pytest.mark.slow
def test_nothing_is_left_of_a_cluster(tmp_path: Path) -> None:
    with standalone_cluster(tmp_path, workers=1) as cluster:
        process = cluster.workers[0]
        cluster.kill_worker(0)
        assert process.poll() is not None


CSV_ON_THE_CLUSTER = """
import sys
from kgreason_spark.ingestion.mapped import MappedSources
from kgreason_spark.pipeline import Outputs, run
from kgreason_spark.session import spark_session

master, mapping, target = sys.argv[1:]
print(run(spark_session(master), MappedSources(mapping), target, Outputs()).triples_read)
"""


@pytest.mark.slow
def test_line_breaks_in_csv(tmp_path: Path) -> None:
    """Executors run code of ours to find the records."""
    (tmp_path / "m.ttl").write_text("""@prefix rml: <http://w3id.org/rml/> .
      <#m> rml:logicalSource [ rml:source 'a.csv' ]; rml:subjectMap [ rml:template "http://e/{id}" ];
        rml:predicateObjectMap [ rml:predicate <http://e/p>; rml:objectMap [ rml:reference "name" ] ] .""")
    (tmp_path / "a.csv").write_text("id,name\n" + "".join(f'{n},"a\n{n}"\n' for n in range(100)))
    with standalone_cluster(tmp_path / "cluster") as cluster:
        finished = cluster.run(CSV_ON_THE_CLUSTER, str(tmp_path / "m.ttl"), str(tmp_path / "out"))
    assert finished.returncode == 0, finished.stderr[-3000:]
    assert finished.stdout == "100\n"
    assert '"a\n7"' in read_encoded(tmp_path / "out")[1]
