"""Mapping GTFS-like tables with joins to N-Triples, gzip: ``python -m tests.benchmarks.gtfs [ROWS]``.

The Arrow engine in executors of Spark, Spark's column expressions, plain Spark that concatenates the same strings, and
`kgreason map`, each in a process of its own on one core: cold, with the compilation of Java, and again. Processor
seconds are those of the process with Java and its Python workers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tests.benchmarks.gtfs_tables import mapping_text, write_tables
from tests.benchmarks.papers import table
from tests.benchmarks.usage import show_help

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HEAD = "engine | run | triples | seconds | processor seconds | triples a core-second"
ENGINES = ("map", "auto", "columns", "concatenation")


def processor_seconds() -> float:
    """Of this process and all that it has started, directly or not."""
    ticks: dict[int, tuple[int, float]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks[int(stat.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    own, grown = {os.getpid()}, True
    while grown:
        more = {process for process, (parent, _) in ticks.items() if parent in own} - own
        own, grown = own | more, bool(more)
    return sum(ticks[process][1] for process in own) / os.sysconf("SC_CLK_TCK")


def runner(engine: str, raw: Path, out: Path, cores: int = 1, form: str = "ntriples") -> Callable[[], int]:
    """What runs an engine once; gives the number of triples."""
    if engine == "map":
        from kgreason_mapping.arrow import Sources, map_to_directory
        from kgreason_mapping.run_outputs import Outputs

        def on_this_machine() -> int:
            rmtree(out, ignore_errors=True)
            out.mkdir()
            outputs = Outputs(encoded=False, ntriples="gzip")
            sources = Sources(directory=str(raw))
            return map_to_directory(raw / "mapping.ttl", out, sources, outputs=outputs, threads=1).triples_read

        return on_this_machine
    from kgreason_mapping.run_outputs import Outputs
    from kgreason_spark.ingestion.mapped import MappedSources
    from kgreason_spark.ingestion.source_frames import Sources as SparkSources
    from kgreason_spark.pipeline import run
    from kgreason_spark.session import spark_session

    if engine == "concatenation":
        plain = plain_session(cores)
        return lambda: concatenated(plain, raw, out)
    spark = spark_session(f"local[{cores}]", memory="3g")
    sources = SparkSources(directory=str(raw), engine="columns" if engine == "columns" else "auto")
    source = MappedSources(raw / "mapping.ttl", sources)
    outputs = Outputs(encoded=form == "encoded", ntriples=None if form == "encoded" else "gzip")
    return lambda: run(spark, source, str(out), outputs, overwrite=True).triples_read


def plain_session(cores: int) -> SparkSession:
    """Spark with its own settings."""
    from pyspark.sql import SparkSession

    settings = SparkSession.builder.config("spark.driver.memory", "3g").config("spark.ui.enabled", "false")
    return settings.master(f"local[{cores}]").getOrCreate()


def concatenated(spark: SparkSession, raw: Path, out: Path) -> int:
    """The lines of all tables, without any check or escape but that of the time."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    from tests.benchmarks.gtfs_strings import LINES, statements_by_table

    for name in LINES:
        spark.read.option("header", True).csv(str(raw / f"{name}.csv")).createOrReplaceTempView(name)
    found = spark.sql(" UNION ALL ".join(statements_by_table()))
    counted = Observation()
    found.observe(counted, F.count("*").alias("lines")).write.mode("overwrite").text(str(out), compression="gzip")
    return int(counted.get["lines"])


def measure(engine: str, raw: str, out: str) -> list[Any]:
    """Triples, seconds and processor seconds of two runs."""
    run, found = runner(engine, Path(raw), Path(out)), []
    for _ in range(2):
        begin, spent = perf_counter(), processor_seconds()
        triples = run()
        found.append((triples, perf_counter() - begin, processor_seconds() - spent))
    return found


def main(rows: int) -> None:
    """Print the table as Markdown."""
    found = []
    with tempfile.TemporaryDirectory() as work:
        raw = Path(work, "raw")
        write_tables(raw, rows)
        (raw / "mapping.ttl").write_text(mapping_text())
        for engine in ENGINES:
            command = [sys.executable, "-m", "tests.benchmarks.gtfs", engine, str(raw), str(Path(work, "out"))]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            for run, (triples, seconds, spent) in zip(("cold", "again"), json.loads(done.stdout), strict=True):
                cells = [f"{triples:,}", f"{seconds:.1f}", f"{spent:.1f}", f"{triples / spent:,.0f}"]
                found.append([engine, run, *cells])
    print(table(HEAD, found))


if __name__ == "__main__":
    show_help(__doc__)
    if sys.argv[1:2] == ["once"]:
        engine, cores, form, data, target = sys.argv[2:]
        runner(engine, Path(data), Path(target), int(cores), form)()
    elif len(sys.argv) > 2:
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
