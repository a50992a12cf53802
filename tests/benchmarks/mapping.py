"""Raw data to triples on one machine: ``python -m tests.benchmarks.mapping``.

Tables in the shape of GTFS-Madrid-Bench (`gtfs_tables`), mapped with joins: `kgreason map` to N-Triples and to encoded
triples, DuckDB concatenating the same strings (the limit of what strings cost, without checks), and morph-kgc, where
``KGREASON_MORPH_KGC`` names a Python that has it. At the smallest size, the sets of triples are compared; the sizes
double, so that memory which grows is seen. Seconds are of processors, with all threads and the start of the process.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
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
_STOP_TIME: Final = "stoptimes/' || s.trip_id || '-' || s.stop_id || '-' || replace(s.arrival_time, ':', '%3A') || '"


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
    statements = " UNION ALL ".join(f"SELECT {one}" for one in _selected(data))
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


CONTESTANTS: Final[dict[str, Callable[[Path, Path], list[str]]]] = {
    "kgreason map, N-Triples (gzip)": arrow("ntriples"),
    "kgreason map, N-Triples (plain)": arrow("ntriples", "none"),
    "kgreason map, encoded": arrow("encoded"),
    "DuckDB, strings (gzip)": duckdb,
    "morph-kgc (plain)": morph_kgc,
}


def measured(command: list[str]) -> Done:
    """Run a command; processor time with that of its children, and the peak of its memory."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    error = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[:6]} failed:\n{error.decode()[-2_000:]}")
    return Done(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def digest(folder: Path) -> str:
    """How many distinct lines of N-Triples are in a folder, and a hash of them."""
    found: set[bytes] = set()
    for path in folder.rglob("*.nt*"):
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


def _selected(data: Path) -> Iterator[str]:
    """The columns and tables of each kind of triples."""
    for alias, name, subject, kind in (
        ("r", "ROUTES", "routes/' || r.route_id || '", "Route"),
        ("p", "STOPS", "stops/' || p.stop_id || '", "Stop"),
        ("t", "TRIPS", "trips/' || t.trip_id || '", "Trip"),
        ("s", "STOP_TIMES", _STOP_TIME, "StopTime"),
    ):
        source = f"{_table(data, name)} {alias}"
        yield f"'<{_PLACE}{subject}> {_TYPE} {_GTFS.format(kind)} .' FROM {source}"
        for predicate, made in _OBJECTS[name]:
            yield f"'<{_PLACE}{subject}> {predicate} ' || {made} || ' .' FROM {source}"
        for predicate, other, column in _PARENTS.get(name, ()):
            parent = f"'<{_PLACE}{other.lower()}/' || o.{column} || '> .'"
            joined = f"{source} JOIN {_table(data, other)} o ON o.{column} = {alias}.{column}"
            yield f"'<{_PLACE}{subject}> {predicate} ' || {parent} FROM {joined}"


def _table(data: Path, name: str) -> str:
    return f"read_csv('{data / name}.csv', all_varchar=true)"


def _literal(column: str, datatype: str = "") -> str:
    return f"'\"' || {column} || '\"" + (f"^^<{_XSD}{datatype}>" if datatype else "") + "'"


_OBJECTS: Final = {
    "ROUTES": [
        (_GTFS.format("shortName"), _literal("route_short_name")),
        (_GTFS.format("longName"), _literal("route_long_name")),
        (_GTFS.format("routeUrl"), "'<' || route_url || '>'"),
    ],
    "STOPS": [
        ("<http://xmlns.com/foaf/0.1/name>", _literal("stop_name")),
        (_GEO.format("lat"), _literal("stop_lat", "double")),
        (_GEO.format("long"), _literal("stop_lon", "double")),
    ],
    "TRIPS": [(_GTFS.format("headsign"), _literal("trip_headsign"))],
    "STOP_TIMES": [
        (_GTFS.format("arrivalTime"), _literal("arrival_time")),
        (_GTFS.format("departureTime"), _literal("departure_time")),
        (_GTFS.format("stopSequence"), _literal("stop_sequence", "integer")),
    ],
}  # fmt: skip
_PARENTS: Final = {
    "TRIPS": [(_GTFS.format("route"), "ROUTES", "route_id")],
    "STOP_TIMES": [(_GTFS.format("trip"), "TRIPS", "trip_id"), (_GTFS.format("stop"), "STOPS", "stop_id")],
}


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
