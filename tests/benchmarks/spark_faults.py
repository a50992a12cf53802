"""Processes of Spark killed in the middle of jobs: ``python -m tests.benchmarks.spark_faults [TIMES]``.

On `local-cluster[2,1,1024]`, in ingestion to N-Triples, to encoded triples and in materialisation, an executor, a
Python worker or the driver is killed after a random part of the time that the job takes undisturbed. An executor or a
worker must not be missed. After a driver, the job is run again: it gives the same output, or refuses what was left in
one line, and with `overwrite` gives the same. Prints a row for each job and victim.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.gtfs_tables import mapping_text, write_tables
from tests.benchmarks.papers import table

MASTER = "local-cluster[2,1,1024]"
JOBS = ("ingest", "encode", "materialise")
VICTIMS = {"executor": "CoarseGrainedExecutorBackend", "worker": "pyspark.daemon", "driver": ""}
RULES = """@prefix gtfs: <http://vocab.gtfs.org/terms#> .
[?t, <urn:has>, ?s] :- [?s, gtfs:trip, ?t] . [?t, <urn:stops>, ?p] :- [?t, <urn:has>, ?s], [?s, gtfs:stop, ?p] .
[?p, <urn:near>, ?q] :- [?s, gtfs:stop, ?p], [?s, gtfs:stopSequence, ?n], [?s, gtfs:trip, ?t], [?t, <urn:stops>, ?q] .
"""


def job(name: str, raw: str, encoded: str, target: str, overwrite: str) -> None:
    """Run a job in this process, which is a driver."""
    from kgreason.program.parser import parse_program
    from kgreason_mapping.run_outputs import Outputs
    from kgreason_spark.ingestion.mapped import MappedSources
    from kgreason_spark.ingestion.source_frames import Sources
    from kgreason_spark.materialisation.job import materialise
    from kgreason_spark.outputs.encoded import Layout
    from kgreason_spark.pipeline import run
    from kgreason_spark.session import spark_session

    spark = spark_session(MASTER)
    again = overwrite == "overwrite"
    if name == "materialise":
        rules = parse_program(RULES)
        materialise(spark, encoded, rules, target, pairs=True, local_facts=0, overwrite=again)
        return
    source = MappedSources(Path(raw, "mapping.ttl"), Sources(directory=raw))
    outputs = Outputs(encoded=name == "encode", ntriples=None if name == "encode" else "gzip")
    run(spark, source, target, outputs, layout=Layout(local=0), overwrite=again)


def digest(name: str, encoded: Path, target: Path) -> str:
    """Of the set of triples in an output."""
    if name == "ingest":
        parts = sorted((target / "ntriples").glob("part-*"))
        lines = [line for part in parts for line in pa.input_stream(part, compression="gzip").read().splitlines()]
        return hashlib.sha256(b"\n".join(sorted(lines))).hexdigest()
    folders = [encoded, target] if name == "materialise" else [target]
    terms: dict[int, str] = {}
    for folder in folders:
        rows = pq.read_table(folder / "dictionary").to_pydict()
        terms |= dict(zip(rows["id"], rows["term"], strict=True))
    triples = pq.read_table(target / "triples").to_pydict()
    keys = [[terms[int(one)] for one in triples[column]] for column in ("subject", "predicate", "object")]
    return hashlib.sha256("\n".join(sorted(map("\t".join, zip(*keys, strict=True)))).encode()).hexdigest()


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    """A driver in a process group of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.spark_faults", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def below(process: int, text: str) -> list[int]:
    """The processes that a process has started, directly or not, whose command has a text in it."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    own, grown = {process}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in own} - own
        own, grown = own | more, bool(more)
    found = []
    for child in own - {process}:
        try:
            if text in Path(f"/proc/{child}/cmdline").read_text():
                found.append(child)
        except OSError:
            continue
    return found


def disturbed(name: str, victim: str, seconds: float, raw: Path, encoded: Path, target: Path, expected: str) -> str:
    """What came of a job whose victim was killed."""
    driver = started(name, raw, encoded, target, "new")
    time.sleep(seconds)
    if victim == "driver":
        victims = [driver.pid, *below(driver.pid, "")]
    else:
        victims = random.sample(found, 1) if (found := below(driver.pid, VICTIMS[victim])) else []
    for one in victims:
        os.kill(one, signal.SIGKILL)
    error = driver.communicate(timeout=300)[1]
    if victim != "driver":
        if driver.returncode:
            return f"failed: {error.strip().splitlines()[-1][:200]}"
        return ("same" if digest(name, encoded, target) == expected else "OTHER") + ("" if victims else ", not killed")
    outcome = ""
    for way in ("new", "overwrite"):
        again = started(name, raw, encoded, target, way)
        error = again.communicate(timeout=300)[1]
        if not again.returncode:
            return outcome + ("same" if digest(name, encoded, target) == expected else "OTHER")
        outcome = "refused, then "
    return f"failed: {error.strip().splitlines()[-1][:200]}"


def main(times: int) -> None:
    """Print the table as Markdown."""
    rows = []
    with tempfile.TemporaryDirectory() as work:
        raw, encoded = Path(work, "raw"), Path(work, "encode")
        write_tables(raw, 20_000)
        (raw / "mapping.ttl").write_text(mapping_text())
        for name in JOBS:
            target, begin = Path(work, name), time.monotonic()
            undisturbed = started(name, raw, encoded, target, "new")
            error = undisturbed.communicate()[1]
            if undisturbed.returncode:
                raise SystemExit(error)
            seconds, expected = time.monotonic() - begin, digest(name, encoded, target)
            for victim in VICTIMS:
                found: Counter[str] = Counter()
                for number in range(times):
                    place = Path(work, f"{name}-{victim}-{number}")
                    moment = random.uniform(0.35, 0.95) * seconds
                    found[disturbed(name, victim, moment, raw, encoded, place, expected)] += 1
                told = ", ".join(f"{count} {outcome}" for outcome, count in found.items())
                rows.append([name, victim, str(times), told])
                print(rows[-1], file=sys.stderr, flush=True)
    print(table("job | killed | times | outcome", rows))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        job(*sys.argv[1:])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
