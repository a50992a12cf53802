"""Raw data to triples on one machine: ``python -m tests.benchmarks.mapping``.

Tables in the shape of GTFS-Madrid-Bench (`gtfs_tables`), mapped with joins: `kgreason map` and Spark on 1 and 2 cores
to N-Triples and to encoded triples; DuckDB and plain Spark concatenating the same strings (the limit of what strings
cost, without checks); and morph-kgc, where ``KGREASON_MORPH_KGC`` names a Python that has it. At the smallest size, the
sets of triples are compared; the sizes double, so that memory which grows is seen. Seconds are of processors, with all
threads, processes and their start.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.benchmarks.gtfs_tables import mapping_text, write_tables
from tests.benchmarks.papers import table

ROWS: Final = (250_000, 500_000, 1_000_000)
HEAD: Final = "rows | contestant | triples | CPU seconds | triples a core-second | peak memory, MB | same set"
MORPH: Final = "KGREASON_MORPH_KGC"

_PLACE: Final = "http://transport.linkeddata.es/madrid/metro/"
_GTFS: Final = "<http://vocab.gtfs.org/terms#{}>"
_TYPE: Final = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_GEO: Final = "<http://www.w3.org/2003/01/geo/wgs84_pos#{}>"
_STOP_TIME: Final = "stoptimes/' || t.trip_id || '-' || t.stop_id || '-' || replace(t.arrival_time, ':', '%3A') || '"


@dataclass(frozen=True)
class Done:
    """What a process took."""

    seconds: float
    megabytes: float


def arrow(form: str, compression: str = "gzip") -> Callable[[Path, Path], list[str]]:
    """The command line of this engine."""

    def command(data: Path, out: Path) -> list[str]:
        options = ["--format", form] + (["--compression", compression] if form == "ntriples" else [])
        run = [sys.executable, "-c", "from kgreason.cli import main; main()"]
        return [*run, "map", str(data / "mapping.ttl"), str(data), "-o", str(out), *options]

    return command


def duckdb(data: Path, out: Path) -> list[str]:
    """DuckDB concatenating strings, compressed as ours are."""
    out.mkdir()
    statements = " UNION ALL ".join(
        f"SELECT {line} FROM {_joined(name, parents, lambda one: _csv(data, one))}"
        for name in LINES for line, parents in LINES[name]
    )  # fmt: skip
    options = "HEADER false, DELIMITER '\\x01', QUOTE '', ESCAPE '', COMPRESSION gzip"
    script = f"COPY ({statements}) TO '{out}/out.nt.gz' (FORMAT csv, {options})"
    return [sys.executable, "-c", f"import duckdb; duckdb.execute({script!r})"]


def morph_kgc(data: Path, out: Path) -> list[str]:
    """morph-kgc in one process, without compression: it has none."""
    out.mkdir()
    mapping = (data / "mapping.ttl").read_text()
    for name in ("ROUTES", "STOPS", "TRIPS", "STOP_TIMES"):
        # It takes a path for the name of a table.
        mapping = mapping.replace(f'[ a rml:FilePath ; rml:path "{name}.csv" ]', f'"{data / name}.csv"')
    (out / "mapping.ttl").write_text(mapping)
    settings = f"[CONFIGURATION]\noutput_file: {out}/out.nt\nnumber_of_processes: 1\n"
    (out / "config.ini").write_text(f"{settings}[DATA]\nmappings: {out}/mapping.ttl\n")
    return [os.environ[MORPH], "-m", "morph_kgc", str(out / "config.ini")]


def spark(engine: str, cores: int, form: str = "ntriples") -> Callable[[Path, Path], list[str]]:
    """Spark, with Java and its Python workers in processes of their own."""

    def command(data: Path, out: Path) -> list[str]:
        return [sys.executable, "-m", "tests.benchmarks.gtfs", "once", engine, str(cores), form, str(data), str(out)]

    return command


CONTESTANTS: Final[dict[str, Callable[[Path, Path], list[str]]]] = {
    "kgreason map, N-Triples (gzip)": arrow("ntriples"),
    "kgreason map, N-Triples (plain)": arrow("ntriples", "none"),
    "kgreason map, encoded": arrow("encoded"),
    "Spark, 1 core, N-Triples (gzip)": spark("auto", 1),
    "Spark, 2 cores, N-Triples (gzip)": spark("auto", 2),
    "Spark, 1 core, encoded": spark("auto", 1, "encoded"),
    "Spark, 2 cores, encoded": spark("auto", 2, "encoded"),
    "plain Spark, 1 core, strings (gzip)": spark("concatenation", 1),
    "DuckDB, strings (gzip)": duckdb,
    "morph-kgc (plain)": morph_kgc,
}


def measured(command: list[str]) -> Done:
    """Run a command; processor time with that of its children, and the peak of its memory."""
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.PIPE)
        assert process.stderr is not None
        error = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{command[:6]} failed:\n{error.decode()[-2_000:]}")
        if "once" in command:
            # Nobody waits for Java and its workers, so they are asked about while they run.
            told.seek(0)
            return Done(*json.loads(told.read().splitlines()[-1]))
    return Done(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def digest(folder: Path) -> str:
    """How many distinct lines of N-Triples are in a folder, and a hash of them."""
    found: set[bytes] = set()
    # Checksums of Hadoop are hidden files beside the parts.
    for path in (one for end in ("nt", "nt.gz", "txt.gz") for one in folder.rglob(f"[!.]*.{end}")):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            found.update(line.rstrip(b" .\r\n") for line in file)
    content = b"\n".join(sorted(found))
    return f"{len(found)} {hashlib.sha256(content).hexdigest()}"


def compare(rows: int, *, check: bool, folder: Path, repeat: int) -> Iterator[list[str]]:
    """A row of the table for each contestant."""
    data = folder / f"data{rows}"
    write_tables(data, rows)
    (data / "mapping.ttl").write_text(mapping_text())
    trips = -(-rows // 40)
    triples = 13 * 4 + 1_300 * 4 + trips * 3 + rows * 6
    expected = ""
    for name, contestant in CONTESTANTS.items():
        if contestant is morph_kgc and MORPH not in os.environ:
            continue
        runs = []
        for number in range(repeat):
            out = folder / f"{rows}-{list(CONTESTANTS).index(name)}-{number}"
            runs.append(measured(contestant(data, out)))
        best = min(runs, key=lambda one: one.seconds)
        same = ""
        if check and "encoded" not in name:
            # In a process of its own: what this one holds would count as memory of those that it starts.
            own = [sys.executable, "-m", "tests.benchmarks.mapping", "--digest", str(out)]
            found = subprocess.run(own, capture_output=True, check=True, text=True).stdout
            expected = expected or found
            same = "yes" if found == expected else "no"
        seconds, speed = f"{best.seconds:.1f}", f"{triples / best.seconds:,.0f}"
        yield [f"{rows:,}", name, f"{triples:,}", seconds, speed, f"{best.megabytes:,.0f}", same]


def _joined(name: str, parents: Iterable[str], table_of: Callable[[str], str]) -> str:
    """A table with parents, in SQL; `t` is the table, and a parent is called by its name."""
    joins = (f" JOIN {table_of(one)} {one} ON {one}.{_KEYS[one]} = t.{_KEYS[one]}" for one in parents)
    return f"{table_of(name)} t{''.join(joins)}"


def statements_by_table() -> Iterator[str]:
    """A statement for each table that gives all its lines in one scan."""
    for name, lines in LINES.items():
        parents = dict.fromkeys(parent for _, some in lines for parent in some)
        made = ", ".join(line for line, _ in lines)
        yield f"SELECT explode(array({made})) AS value FROM {_joined(name, parents, str)}"


def _csv(data: Path, name: str) -> str:
    return f"read_csv('{data / name}.csv', all_varchar=true)"


def _literal(column: str, datatype: str = "") -> str:
    return f"'\"' || {column} || '\"" + (f"^^<{_XSD}{datatype}>" if datatype else "") + "'"


_KEYS: Final = {"ROUTES": "route_id", "STOPS": "stop_id", "TRIPS": "trip_id"}
_SUBJECTS: Final = {
    "ROUTES": ("routes/' || t.route_id || '", "Route"),
    "STOPS": ("stops/' || t.stop_id || '", "Stop"),
    "TRIPS": ("trips/' || t.trip_id || '", "Trip"),
    "STOP_TIMES": (_STOP_TIME, "StopTime"),
}
_OBJECTS: Final = {
    "ROUTES": [
        (_GTFS.format("shortName"), _literal("t.route_short_name")),
        (_GTFS.format("longName"), _literal("t.route_long_name")),
        (_GTFS.format("routeUrl"), "'<' || t.route_url || '>'"),
    ],
    "STOPS": [
        ("<http://xmlns.com/foaf/0.1/name>", _literal("t.stop_name")),
        (_GEO.format("lat"), _literal("t.stop_lat", "double")),
        (_GEO.format("long"), _literal("t.stop_lon", "double")),
    ],
    "TRIPS": [(_GTFS.format("headsign"), _literal("t.trip_headsign"))],
    "STOP_TIMES": [
        (_GTFS.format("arrivalTime"), _literal("t.arrival_time")),
        (_GTFS.format("departureTime"), _literal("t.departure_time")),
        (_GTFS.format("stopSequence"), _literal("t.stop_sequence", "integer")),
    ],
}
_PARENTS: Final = {
    "TRIPS": [(_GTFS.format("route"), "ROUTES")],
    "STOP_TIMES": [(_GTFS.format("trip"), "TRIPS"), (_GTFS.format("stop"), "STOPS")],
}


def _lines_of(name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """An expression of SQL for each line that a row makes, and the parents that it needs."""
    subject, kind = _SUBJECTS[name]
    yield f"'<{_PLACE}{subject}> {_TYPE} {_GTFS.format(kind)} .'", ()
    for predicate, made in _OBJECTS[name]:
        yield f"'<{_PLACE}{subject}> {predicate} ' || {made} || ' .'", ()
    for predicate, other in _PARENTS.get(name, ()):
        parent = f"'<{_PLACE}{other.lower()}/' || {other}.{_KEYS[other]} || '> .'"
        yield f"'<{_PLACE}{subject}> {predicate} ' || {parent}", (other,)


LINES: Final = {name: tuple(_lines_of(name)) for name in _SUBJECTS}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--digest", type=Path)
    chosen = parser.parse_args()
    if chosen.digest is not None:
        print(digest(chosen.digest))
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            row
            for number, size in enumerate(chosen.rows)
            for row in compare(size, check=number == 0, folder=Path(folder), repeat=chosen.repeat)
        ]
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    print(table(HEAD, rows))


if __name__ == "__main__":
    main()
