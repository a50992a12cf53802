"""Derivation on a cluster as the data grow, and after a change: ``python -m tests.benchmarks.spark_rounds [CONCEPTS]``,
or ``lubm``, or ``little``.

* A deep hierarchy with cycles, equal things in chains, a relation of three things, negation and aggregates, 1, 2 and 4
  times as large, with the caps of the driver at nothing: rounds, bytes that are shuffled, what the driver's Python and
  Java hold at most, and whether a store derives the same.
* With ``lubm``, LUBM of 1 and 10 universities under OWL 2 RL in place of that, also with no schema on the driver.
* The same data under rules that are maintained, with one in a hundred of the facts about concepts changed: `since=`
  beside deriving from the beginning.
* With ``little``, only twelve rounds of 20 facts each beside 1.5 million others, on `local[2]`: a line for each round.

Each other run is a driver of its own on `local-cluster[2,1,1024]`. Processor seconds are those of all its processes,
with the start of Spark.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tests.benchmarks.gtfs import processor_seconds
from tests.benchmarks.papers import table
from tests.benchmarks.spark_faults import below
from tests.benchmarks.usage import show_help
from tests.shared_data import shared, unpacked
from tests.spark.cluster import QUICK_START

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from kgreason_spark.materialisation.job import MaterialisationReport

CONCEPTS = 2_000
LUBM = "lubm"
MASTER = "local-cluster[2,1,1024]"
E = "http://example.org/"
PREFIXES = f"@prefix e: <{E}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
MAINTAINED = f"""{PREFIXES}
[?x, e:broader, ?z] :- [?x, e:broader, ?y], [?y, e:broader, ?z] .
[?x, e:in, ?z] :- [?x, e:about, ?y], [?y, e:broader, ?z] .
[?y, e:like, ?x] :- [?x, e:like, ?y] .
[?y, e:about, ?z] :- [?x, e:like, ?y], [?x, e:about, ?z] .
"""
RULES = f"""{MAINTAINED}
[?y, owl:sameAs, ?x] :- [?x, owl:sameAs, ?y] .
[?x, owl:sameAs, ?z] :- [?x, owl:sameAs, ?y], [?y, owl:sameAs, ?z], ?x != ?z .
e:path(?x, ?y, ?z) :- [?x, e:about, ?y], [?y, owl:sameAs, ?z] .
[?x, e:also, ?z] :- e:path(?x, ?y, ?z), ~[?x, e:about, ?z] .
[?y, e:size, #count(?x)] :- [?x, e:in, ?y] .
"""
GROWTH_HEAD = (
    "times | explicit | inferred | rounds | shuffled, MB | bytes a fact | driver: Python, MB | Java, MB |"
    " seconds | processor seconds | same set"
)
LITTLE = "little"
STEPS = f"""{PREFIXES}
[?x, e:reached, ?y] :- [?x, e:begins, ?y] .
[?x, e:reached, ?z] :- [?x, e:reached, ?y], [?y, e:next, ?z], [?x, e:begins, ?w] .
"""
CHANGE_HEAD = "explicit | changed | inferred | way | seconds | processor seconds | same set"


def triples(concepts: int, changed: int = 0) -> set[tuple[str, str, str]]:
    """A binary tree of concepts with a cycle in each 500, documents about them, and documents that are like or equal;
    `changed` facts about concepts are other ones."""
    draw = random.Random(1)
    found = {(f"c{n}", "broader", f"c{n // 2}") for n in range(2, concepts)}
    found |= {(f"c{n}", "broader", f"c{n + 250}") for n in range(1, concepts - 250, 500)}
    about = [(f"d{n}", "about", f"c{draw.randrange(1, concepts)}") for n in range(concepts)]
    about[:changed] = [(f"d{n}", "about", f"c{draw.randrange(1, concepts)}") for n in range(changed)]
    found |= {(f"d{n}", "like", f"d{n + 1}") for n in range(0, concepts, 20)}
    found |= {(f"c{n + k}", "same", f"c{n + k + 1}") for n in range(0, concepts - 10, 100) for k in range(5)}
    return found | set(about)


def frame(spark: SparkSession, facts: set[tuple[str, str, str]]) -> DataFrame:
    """Facts as a frame of triples."""
    from kgreason_spark import as_triples

    names = {name: f"{E}{name}" for name in ("broader", "about", "like")} | {
        "same": "http://www.w3.org/2002/07/owl#sameAs"
    }
    rows = [(f"{E}{s}", names[p], f"{E}{o}") for s, p, o in sorted(facts)]
    return as_triples(spark.createDataFrame(rows, "s string, p string, o string"))


def universities(spark: SparkSession, number: str, folder: Path) -> DataFrame:
    """LUBM with its ontology, encoded in a folder."""
    from kgreason.io.readers import read_files
    from kgreason.store.knowledge_base import KnowledgeBase
    from kgreason_spark import read_encoded
    from tests.spark.distributed import encode_base

    base = KnowledgeBase("none")
    files = [unpacked(f"lubm/lubm{number}.nt.bz2"), shared("lubm/univ-bench.owl")]
    base.add_quads(read_files(files, base.dictionary))
    return read_encoded(encode_base(folder, base), session=spark)


def task(data: str, changed: str, rules: str, folder: str, since: str) -> dict[str, Any]:
    """Derive on the cluster, with nothing on the driver that could be elsewhere."""
    from kgreason.program.parser import parse_program
    from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
    from kgreason.store.rule_sets import resolve_rules
    from kgreason_spark import materialise
    from kgreason_spark.arrow_frames import to_arrow
    from kgreason_spark.materialisation import job
    from kgreason_spark.session import spark_session

    spark = spark_session(MASTER)
    if data.startswith(LUBM):
        program = resolve_rules("owl-rl")
        given = universities(spark, data.removeprefix(LUBM), Path(f"{folder}-given"))
    else:
        program = parse_program(RULES if rules == "all" else MAINTAINED)
        given = frame(spark, triples(int(data), int(changed)))
    rounds: list[int] = []
    run = job.materialise

    def counted(*arguments: Any, **options: Any) -> MaterialisationReport:
        report = run(*arguments, **options)
        rounds.append(len(report.rounds))
        return report

    setattr(job, "materialise", counted)  # noqa: B010  # what the function reports is asked of nobody else
    begin = perf_counter()
    made = materialise(
        given, program, directory=folder, since=since or None, local_facts=0, driver_facts=0
    )
    inferred = made.count()
    seconds = perf_counter() - begin
    java = next(iter(below(os.getpid(), "SparkSubmit")))
    held = [_peak(f"/proc/{one}/status") for one in (java, "self")]
    columns = ("subject", "predicate", "object")
    rows = set(zip(*(to_arrow(made)[name].to_pylist() for name in columns), strict=True))
    base = KnowledgeBase(program)
    for triple in zip(*(to_arrow(given)[name].to_pylist() for name in columns), strict=True):
        base.add(DEFAULT_GRAPH, *map(base.dictionary.encode_key, triple))
    key = base.dictionary.key
    expected = {
        (key(s), key(p), key(o))
        for chunk in base.inferred().match(None, None, None)
        for s, p, o in zip(*(column.tolist() for column in chunk), strict=True)
    }
    return {
        "explicit": given.count(), "inferred": inferred, "rounds": sum(rounds), "java": held[0], "python": held[1],
        "seconds": seconds, "processor": processor_seconds(), "same": rows == expected,
    }  # fmt: skip


def _peak(status: str) -> int:
    """Megabytes that a process has held at most."""
    return int(Path(status).read_text().split("VmHWM:")[1].split()[0]) // 1024


def shuffled(events: Path) -> int:
    """The bytes that tasks have written for others, by Spark's log of events."""
    total = 0
    for path in (one for one in events.rglob("*") if one.is_file()):
        for line in path.read_text().splitlines():
            if '"SparkListenerTaskEnd"' in line:
                metrics = json.loads(line).get("Task Metrics") or {}
                total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def ran(folder: Path, *arguments: object) -> dict[str, Any]:
    """The report of a task in a process of its own, with what it has shuffled."""
    events = folder / f"events{len(list(folder.iterdir()))}"
    events.mkdir()
    settings = {
        "eventLog.enabled": "true", "eventLog.dir": f"file://{events}", "eventLog.compress": "false",
        "eventLog.rolling.enabled": "false", "sql.shuffle.partitions": "4",
        "executor.extraJavaOptions": QUICK_START,
    }  # fmt: skip
    options = " ".join(f"--conf 'spark.{name}={value}'" for name, value in settings.items())
    environment = {
        **os.environ, "PYSPARK_SUBMIT_ARGS": f"{options} pyspark-shell", "SPARK_SUBMIT_OPTS": QUICK_START
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.benchmarks.spark_rounds", "task", *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return {**json.loads(done.stdout.splitlines()[-1]), "shuffled": shuffled(events)}


def growth(folder: Path, data: str) -> Iterator[list[str]]:
    """A row for each size."""
    if data == LUBM:
        sizes = [(number, f"{LUBM}{number}") for number in (1, 10)]
    else:
        sizes = [(times, str(times * int(data))) for times in (1, 2, 4)]
    for times, size in sizes:
        made = ran(folder, size, 0, "all", folder / f"grown{times}", "")
        facts = made["explicit"] + made["inferred"]
        yield [
            str(times), f"{made['explicit']:,}", f"{made['inferred']:,}", str(made["rounds"]),
            f"{made['shuffled'] / 1e6:,.1f}", f"{made['shuffled'] / facts:,.0f}", f"{made['python']:,}",
            f"{made['java']:,}", f"{made['seconds']:.0f}", f"{made['processor']:.0f}", "yes" if made["same"] else "NO",
        ]  # fmt: skip


def change(folder: Path, concepts: int) -> Iterator[list[str]]:
    """What a change costs, maintained and from the beginning."""
    size, changed = 4 * concepts, 4 * concepts // 100
    ran(folder, size, 0, "maintained", folder / "before", "")
    for way, since in (("since=", folder / "before"), ("from the beginning", "")):
        made = ran(folder, size, changed, "maintained", folder / way.rstrip("="), since)
        yield [
            f"{made['explicit']:,}", f"{changed:,}", f"{made['inferred']:,}", way, f"{made['seconds']:.0f}",
            f"{made['processor']:.0f}", "yes" if made["same"] else "NO",
        ]  # fmt: skip


def little(folder: Path, others: int = 1_500_000) -> Iterator[str]:
    """The facts and seconds of each round where all are few, beside so many other facts."""
    from pyspark.sql import DataFrame

    from kgreason.program.parser import parse_program
    from kgreason_spark import as_triples
    from kgreason_spark.materialisation import job
    from kgreason_spark.outputs.encoded import write_encoded
    from kgreason_spark.session import spark_session

    spark = spark_session("local[2]")
    parts = (
        spark.range(others).selectExpr(f"concat('{E}i', id) AS s", f"'{E}p' AS p", f"concat('{E}j', id % 1000) AS o"),
        spark.range(239).where("id % 12 <> 11").selectExpr(
            f"concat('{E}c', id) AS s", f"'{E}next' AS p", f"concat('{E}c', id + 1) AS o"
        ),
        spark.range(20).selectExpr(f"concat('{E}b', id) AS s", f"'{E}begins' AS p", f"concat('{E}c', id * 12) AS o"),
    )
    write_encoded(as_triples(reduce(DataFrame.unionAll, parts)), str(folder / "given"))
    report = job.materialise(
        spark, str(folder / "given"), parse_program(STEPS), str(folder / "made"), local_facts=0
    )
    for number, one in enumerate(report.rounds):
        yield f"round {number}: {one.facts} facts, {one.seconds:.1f} s"
    yield f"{processor_seconds():.0f} processor seconds in all, with the start of Spark and encoding"


def main(data: str) -> None:
    """Print the tables as Markdown."""
    with tempfile.TemporaryDirectory() as work:
        if data == LITTLE:
            print(*little(Path(work)), sep="\n")
            return
        print(table(GROWTH_HEAD, list(growth(Path(work), data))), "\n", flush=True)
        if data != LUBM:
            print(table(CHANGE_HEAD, list(change(Path(work), int(data)))))


if __name__ == "__main__":
    show_help(__doc__)
    if sys.argv[1:2] == ["task"]:
        print(json.dumps(task(*sys.argv[2:])))
    else:
        main(sys.argv[1] if len(sys.argv) > 1 else str(CONCEPTS))
