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
from tests.benchmarks.usage import show_help
from tests.spark.cluster import QUICK_START

MASTER = "local-cluster[2,1,1024]"
JOBS = ("ingest", "encode", "materialise")
VICTIMS = {"executor": "CoarseGrainedExecutorBackend", "worker": "pyspark.daemon", "driver": ""}
PATIENCE = 1_200
RULES = """@prefix gtfs: <http://vocab.gtfs.org/terms#> .
[?t, <urn:has>, ?s] :- [?s, gtfs:trip, ?t] . [?t, <urn:stops>, ?p] :- [?t, <urn:has>, ?s], [?s, gtfs:stop, ?p] .
[?p, <urn:near>, ?q] :- [?s, gtfs:stop, ?p], [?s, gtfs:stopSequence, ?n], [?s, gtfs:trip, ?t], [?t, <urn:stops>, ?q] .
"""


def job(name: str, raw: str, encoded: str, target: str, overwrite: str, master: str = MASTER) -> None:
    """Run a job in this process, which is a driver."""
    from kgreason.program.parser import parse_program
    from kgreason_mapping.run_outputs import Outputs
    from kgreason_spark.ingestion.mapped import MappedSources
    from kgreason_spark.ingestion.source_frames import Sources
    from kgreason_spark.materialisation.job import materialise
    from kgreason_spark.outputs.encoded import Layout
    from kgreason_spark.pipeline import run
    from kgreason_spark.session import spark_session

    spark = spark_session(master)
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
    settings = f"--conf 'spark.executor.extraJavaOptions={QUICK_START}' --conf spark.sql.shuffle.partitions=4"
    quick = {**os.environ, "SPARK_SUBMIT_OPTS": QUICK_START, "PYSPARK_SUBMIT_ARGS": f"{settings} pyspark-shell"}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True, env=quick)


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


def to_kill(driver: subprocess.Popen[str], victim: str) -> list[int]:
    """The driver with all that it has started, or one executor or worker, as soon as there is one; none where the job
    ends before."""
    if victim == "driver":
        return [driver.pid, *below(driver.pid, "")]
    while driver.poll() is None:
        if found := below(driver.pid, VICTIMS[victim]):
            return random.sample(found, 1)
        time.sleep(0.02)
    return []


def disturbed(name: str, victim: str, seconds: float, raw: Path, encoded: Path, target: Path, expected: str) -> str:
    """What came of a job whose victim was killed."""
    driver = started(name, raw, encoded, target, "new")
    time.sleep(seconds)
    victims = to_kill(driver, victim)
    for one in victims:
        os.kill(one, signal.SIGKILL)
    error = driver.communicate(timeout=PATIENCE)[1]
    if victim != "driver":
        if driver.returncode:
            return f"failed: {error.strip().splitlines()[-1][:200]}"
        return ("same" if digest(name, encoded, target) == expected else "OTHER") + ("" if victims else ", not killed")
    outcome = ""
    for way in ("new", "overwrite"):
        again = started(name, raw, encoded, target, way)
        error = again.communicate(timeout=PATIENCE)[1]
        if not again.returncode:
            return outcome + ("same" if digest(name, encoded, target) == expected else "OTHER")
        outcome = "refused, then "
    return f"failed: {error.strip().splitlines()[-1][:200]}"


def main(times: int) -> None:
    """Print the table as Markdown; what has come out so far after each time."""
    found: dict[tuple[str, str], Counter[str]] = {(name, victim): Counter() for name in JOBS for victim in VICTIMS}
    undisturbed: dict[str, tuple[float, str]] = {}
    with tempfile.TemporaryDirectory() as work:
        raw, encoded = Path(work, "raw"), Path(work, "encode")
        write_tables(raw, 20_000)
        (raw / "mapping.ttl").write_text(mapping_text())
        for name in JOBS:
            target, begin = Path(work, name), time.monotonic()
            driver = started(name, raw, encoded, target, "new")
            error = driver.communicate()[1]
            if driver.returncode:
                raise SystemExit(error)
            undisturbed[name] = time.monotonic() - begin, digest(name, encoded, target)
        for number in range(times):
            for (name, victim), outcomes in found.items():
                seconds, expected = undisturbed[name]
                place = Path(work, f"{name}-{victim}-{number}")
                moment = random.uniform(0.35, 0.95) * seconds
                outcomes[disturbed(name, victim, moment, raw, encoded, place, expected)] += 1
                print(name, victim, f"{moment:.0f} of {seconds:.0f} s", file=sys.stderr, flush=True)
            print(outcome_table(found), file=sys.stderr, flush=True)
    print(outcome_table(found))


def outcome_table(found: dict[tuple[str, str], Counter[str]]) -> str:
    """A row for each job and victim."""
    return table("job | killed | times | outcome", [
        [*kill, str(outcomes.total()), ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())]
        for kill, outcomes in found.items()
    ])  # fmt: skip


if __name__ == "__main__":
    show_help(__doc__)
    if len(sys.argv) > 2:
        job(*sys.argv[1:])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
