"""Spark on this machine: ``python -m tests.benchmarks.spark``.

* Ingestion: CSV through an RML mapping to N-Triples and to encoded triples, 1 and 10 million rows on 1 and 2 cores,
  seconds by stage.
* Distributed materialisation of LUBM beside the engine of a store: seconds, rounds, and whether both give the same set.

Every run is a process with a Java of its own, and what that takes to start is not counted.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.papers import table
from tests.shared_data import shared, unpacked

ROWS = (1_000_000, 10_000_000)
MAPPING = """
@prefix rml: <http://w3id.org/rml/> . @prefix ex: <http://example.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:Reading a rml:TriplesMap ;
    rml:logicalSource [ rml:source [ a rml:FilePath ; rml:path "readings.csv" ] ; rml:referenceFormulation rml:CSV ] ;
    rml:subjectMap [ rml:template "http://example.org/reading/{id}" ; rml:class ex:Reading ] ;
    rml:predicateObjectMap [ rml:predicate ex:sensor ;
            rml:objectMap [ rml:template "http://example.org/sensor/{sensor}" ] ] ,
        [ rml:predicate ex:value ; rml:objectMap [ rml:reference "value" ; rml:datatype xsd:decimal ] ] .
"""
INGESTION_HEAD = "rows | cores | output | triples | quarantined | seconds | seconds by stage | triples a second"
MATERIALISATION_HEAD = (
    "data | rules | explicit | inferred | rounds | Spark, 2 cores | of it deriving | its driver alone |"
    " a store, 1 process | same set"
)


def write_rows(path: Path, rows: int) -> None:
    """Readings of sensors; one in a hundred thousand has a value that is none."""
    with path.open("w") as out:
        out.write("id,sensor,value\n")
        for begin in range(0, rows, 100_000):
            numbers = range(begin, min(begin + 100_000, rows))
            out.writelines(f"{number},s{number % 5000},{number % 977}.5\n" for number in numbers[:-1])
            out.write(f"{numbers[-1]},s0,n/a\n")


def run(task: str, *arguments: str) -> dict[str, object]:
    """The report of a task in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.spark_tasks", task, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{task} failed:\n{done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def ingestion(folder: Path, sizes: tuple[int, ...]) -> list[list[str]]:
    """The rows of the table of ingestion."""
    (folder / "mapping.ttl").write_text(MAPPING)
    found = []
    for rows in sizes:
        source = folder / f"{rows}" / "readings.csv"
        source.parent.mkdir()
        write_rows(source, rows)
        for output in ("ntriples", "encoded"):
            for cores in (1, 2):
                print(f"ingesting {rows:,} rows as {output} on {cores} ...", file=sys.stderr)
                arguments = [str(folder / "mapping.ttl"), str(source.parent), output, str(cores)]
                report = run("ingest", *arguments, str(folder / "out"))
                stages = report["seconds"]
                assert isinstance(stages, dict)
                seconds, triples = sum(stages.values()), int(str(report["triples"]))
                spelled = ", ".join(f"{stage} {spent:.1f}" for stage, spent in stages.items())
                quarantined = f"{report['quarantined']:,}"
                speed = f"{triples / seconds:,.0f}"
                found.append(
                    [f"{rows:,}", str(cores), output, f"{triples:,}", quarantined, f"{seconds:.1f}", spelled, speed]
                )
        source.unlink()
    return found


def materialisation(folder: Path, sizes: tuple[str, ...]) -> list[list[str]]:
    """The rows of the table of materialisation."""
    found = []
    program = str(shared("lubm/rules/LUBM_L.rdfox.dlog"))
    for size in sizes:
        data = str(unpacked(f"lubm/lubm{size}.nt.bz2"))
        for name, rules, files in (
            ("program L", program, [data]),
            ("owl-rl", "owl-rl", [data, str(shared("lubm/univ-bench.owl"))]),
        ):
            print(f"materialising LUBM({size},0) under {name} ...", file=sys.stderr)
            report = run("materialise", rules, str(folder / f"{size} {name}"), *files)
            found.append(
                [
                    f"LUBM({size},0)",
                    name,
                    f"{report['explicit']:,}",
                    f"{report['inferred']:,}",
                    str(report["rounds"]),
                    f"{report['seconds']:.1f} s",
                    f"{report['deriving']:.1f} s",
                    f"{report['alone']:.1f} s",
                    f"{report['store']:.2f} s",
                    "yes" if report["same"] else "NO",
                ]
            )
    return found


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a million rows and LUBM(1,0) only")
    options = parser.parse_args()
    machine = f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    with tempfile.TemporaryDirectory() as work:
        rows = materialisation(Path(work), ("1",) if options.small else ("1", "10"))
        print(f"### Distributed materialisation ({machine})\n\n{table(MATERIALISATION_HEAD, rows)}\n", flush=True)
        rows = ingestion(Path(work), ROWS[: 1 if options.small else 2])
        print(f"### Ingestion ({machine})\n\n{table(INGESTION_HEAD, rows)}\n", flush=True)


if __name__ == "__main__":
    main()
