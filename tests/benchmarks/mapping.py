"""Raw data to triples in one run: ``python -m tests.benchmarks.mapping [--rows N ...] [--only WORD ...]``.

Tables in the shape of GTFS-Madrid-Bench (`gtfs_tables`), mapped with joins: `kgreason map` and Spark on 1 and 2 cores
to N-Triples and to encoded triples; DuckDB and plain Spark concatenating the same strings (the limit of what strings
cost, without checks); and morph-kgc, where ``KGREASON_MORPH_KGC`` names a Python that has it. Contestants that are not
installed are left out, which a line says. Each runs in processes of its own, which all count, with their start
(`process_tree`). What each has written is sorted and compared, as sets of triples (`line_sets`). With several sizes,
memory which grows is seen.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tests.benchmarks.gtfs_strings import LINES, joined
from tests.benchmarks.gtfs_tables import mapping_text, write_tables
from tests.benchmarks.line_sets import digest_of
from tests.benchmarks.papers import table
from tests.benchmarks.process_tree import used_by

ROWS: Final = (1_000_000,)
HEAD: Final = "contestant | seconds | CPU seconds | triples a core-second | peak memory, MB | written, MB | same set"
MORPH: Final = "KGREASON_MORPH_KGC"


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
        f"SELECT {line} FROM {joined(name, parents, partial(_csv, data))}"
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


@dataclass(frozen=True)
class Contestant:
    """A command by the folder of raw data and that of its output; `missing` says why it cannot run here."""

    command: Callable[[Path, Path], list[str]]
    missing: Callable[[], str | None] = lambda: None


def _without(module: str) -> Callable[[], str | None]:
    return lambda: None if find_spec(module) else f"{module} is not installed"


def _without_spark() -> str | None:
    java = shutil.which("java") or os.environ.get("JAVA_HOME")
    return _without("pyspark")() or (None if java else "there is no Java")


def _without_morph() -> str | None:
    return None if MORPH in os.environ else f"{MORPH} names no Python that has it"


CONTESTANTS: Final = {
    "kgreason map, N-Triples (gzip)": Contestant(arrow("ntriples")),
    "kgreason map, N-Triples (plain)": Contestant(arrow("ntriples", "none")),
    "kgreason map, encoded": Contestant(arrow("encoded")),
    "Spark, 1 core, N-Triples (gzip)": Contestant(spark("auto", 1), _without_spark),
    "Spark, 2 cores, N-Triples (gzip)": Contestant(spark("auto", 2), _without_spark),
    "Spark, 1 core, encoded": Contestant(spark("auto", 1, "encoded"), _without_spark),
    "Spark, 2 cores, encoded": Contestant(spark("auto", 2, "encoded"), _without_spark),
    "plain Spark, 1 core, strings (gzip)": Contestant(spark("concatenation", 1), _without_spark),
    "DuckDB, strings (gzip)": Contestant(duckdb, _without("duckdb")),
    "morph-kgc (plain)": Contestant(morph_kgc, _without_morph),
}


def compare(chosen: dict[str, Contestant], rows: int, *, folder: Path, repeat: int, nice: int) -> Iterator[list[str]]:
    """A row of the table for each contestant; the first one's triples are what the others are compared with."""
    data = folder / "data"
    write_tables(data, rows)
    (data / "mapping.ttl").write_text(mapping_text())
    expected = ""
    for name, contestant in chosen.items():
        runs = []
        for _ in range(repeat):
            out = folder / "out"
            shutil.rmtree(out, ignore_errors=True)
            runs.append(used_by(contestant.command(data, out), niceness=nice))
        best = min(runs, key=lambda one: one.processor_seconds)
        written = sum(one.stat().st_size for one in out.rglob("*") if one.is_file()) / 1_000_000
        found = digest_of(out)
        expected = expected or found
        triples, spent = int(found.split()[0]), best.processor_seconds
        print(f"# {rows:,} rows, {name}: {triples:,} triples, {found.split()[1][:12]}", file=sys.stderr, flush=True)
        numbers = f"{best.seconds:.1f}", f"{spent:.1f}", f"{triples / spent:,.0f}"
        sizes = f"{best.megabytes:,.0f}", f"{written:,.0f}"
        yield [name, *numbers, *sizes, "yes" if found == expected else "no"]


def _csv(data: Path, name: str) -> str:
    return f"read_csv('{data / name}.csv', all_varchar=true)"


def main() -> int:
    """Print a table for each size. Exit code 1 where an output differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS)
    parser.add_argument("--repeat", type=int, default=1, help="take the run of fewest processor seconds of so many")
    parser.add_argument("--only", nargs="*", default=[""], help="contestants whose name has one of these words")
    parser.add_argument("--nice", type=int, default=0)
    given = parser.parse_args()
    chosen = {}
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, others at work:", end=" ")
    print(f"load {os.getloadavg()[0]:.1f}\n")
    for name, one in CONTESTANTS.items():
        if any(word in name for word in given.only):
            reason = one.missing()
            if reason is None:
                chosen[name] = one
            else:
                print(f"left out: {name}: {reason}")
    same = True
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            found = list(compare(chosen, rows, folder=Path(folder), repeat=given.repeat, nice=given.nice))
        same &= all(row[-1] == "yes" for row in found)
        print(f"\n{rows:,} rows of stop times, load {os.getloadavg()[0]:.1f} at the end\n")
        print(table(HEAD, found), flush=True)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
