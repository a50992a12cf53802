"""The public suites of mappings, as their authors wrote them: R2RML of the W3C, and RML of its community group.

They are no part of this project. ``$KGREASON_RML_TESTS``, or else the folder `rml` of the shared data, has checkouts of
rml-core, rml-fnml, rml-lv, rml-io, rml-io-registry, rml-test-cases and r2rml-test-cases-support of
https://github.com/kg-construct. A case that expects an error passes when the mapping is refused or a row is in
quarantine. Triples for targets that a mapping names are expected in the one output of a run.
"""

from __future__ import annotations

import csv
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, RdfFormat, parse

from kgreason.errors import KGReasonError
from tests.conformance.suite import Suite, skip_list
from tests.mapping.engines import Engine
from tests.mapping.rml import dataset
from tests.mapping.servers import run_sql
from tests.shared_data import shared_root

LISTS: Final = Path(__file__).parent
BASE: Final = "http://example.com/base/"
DATABASES: Final = ("SQLite", "DuckDB", "PostgreSQL")
_METADATA: Final = ("error", "error expected?")


@dataclass(frozen=True)
class Case:
    """A case; `script` makes its database."""

    mapping: Path
    expected: tuple[Path, ...]
    base: str
    fails: bool
    script: Path | None = None


@dataclass(frozen=True)
class Source:
    """Where the cases of a suite are: those whose folders match a pattern, and the database that they are for."""

    title: str
    repository: str
    pattern: str
    base: str = BASE
    database: str | None = None


SOURCES: Final = {
    "r2rml-sqlite": Source("R2RML, SQLite", "r2rml-test-cases-support", "R2RMLTC*", database="SQLite"),
    "r2rml-duckdb": Source("R2RML, DuckDB", "r2rml-test-cases-support", "R2RMLTC*", database="DuckDB"),
    "r2rml-postgresql": Source("R2RML, PostgreSQL", "r2rml-test-cases-support", "R2RMLTC*", database="PostgreSQL"),
    "rml-core": Source("RML-Core", "rml-core", "RMLTC*", "http://example.com/"),
    "rml-lv": Source("RML-LV", "rml-lv", "RMLLVTC*", "http://example.com/"),
    "rml-fnml": Source("RML-FNML", "rml-fnml", "RMLFNMLTC*"),
    "rml-io-sources": Source("RML-IO, sources", "rml-io", "RMLSTC*"),
    "rml-io-targets": Source("RML-IO, targets", "rml-io", "RMLTTC*"),
    "rml-io-registry": Source("RML-IO registry, files", "rml-io-registry", "RMLIOREGTC00[01][0-37-9]*"),
    "rml-io-postgresql": Source(
        "RML-IO registry, PostgreSQL", "rml-io-registry", "RMLIOREGTC0005*", database="PostgreSQL"
    ),
    "rml-csv": Source("RML before RML-Core, CSV", "rml-test-cases", "RMLTC*-CSV"),
    "rml-json": Source("RML before RML-Core, JSON", "rml-test-cases", "RMLTC*-JSON"),
    "rml-xml": Source("RML before RML-Core, XML", "rml-test-cases", "RMLTC*-XML"),
    "rml-postgresql": Source(
        "RML before RML-Core, PostgreSQL", "rml-test-cases", "RMLTC*-PostgreSQL", database="PostgreSQL"
    ),
}


@cache
def cases(suite: str) -> dict[str, Case]:
    """The cases of a suite by name; none where there is no checkout."""
    source = SOURCES[suite]
    root = _checkout(source.repository)
    if root is None:
        return {}
    if source.repository.startswith("r2rml"):
        return dict(_r2rml(root))
    folder = root / "test-cases"
    with next(one for one in (folder / "metadata.csv", root / "metadata.csv") if one.exists()).open(newline="") as file:
        fails = {
            value
            for row in csv.DictReader(file)
            if any(row.get(name) == "true" for name in _METADATA)
            for value in row.values()
        }
    found = {}
    for path in sorted(folder.glob(source.pattern)):
        outputs = [one for one in sorted(path.iterdir()) if re.match(r"(?:output|default|dump)", one.name)]
        script = path / "resource.sql"
        found[path.name] = Case(
            path / "mapping.ttl",
            tuple(outputs),
            source.base,
            path.name in fails,
            script if script.exists() else None,
        )
    return found


def passes(suite: str, name: str, engine: Engine, database: Callable[[Path], str] | None) -> bool:
    """Whether a case comes out as it should; `database` makes one by a script."""
    case = cases(suite)[name]
    made = None if database is None or case.script is None else database(case.script)
    try:
        mapped = engine(case.mapping, directory=case.mapping.parent, base=case.base, database=made)
        quads, refused = mapped.quads, mapped.quarantined != []
    except KGReasonError:
        quads, refused = [], True
    if case.fails:
        return refused
    if not case.expected:
        return not refused and not quads
    expected = Dataset(quad for path in case.expected for quad in _quads(path))
    expected.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset(quads) == expected


def suites(engine: Engine, makers: dict[str, Callable[[Path], str]]) -> dict[str, Suite]:
    """All suites that there are, with the cases as an engine runs them; `makers` make databases of some kinds."""
    found = {}
    for name, source in SOURCES.items():
        maker = None if source.database is None else makers.get(source.database)
        if not cases(name) or (source.database is not None and maker is None):
            continue
        runs = {case: partial(passes, name, case, engine, maker) for case in cases(name)}
        found[name] = Suite(source.title, runs, listed(name))
    return found


def listed(suite: str) -> dict[str, str]:
    """The cases of a suite that do not pass, each with its reason."""
    entries = skip_list("suites-skip.txt", LISTS)
    return {case.partition("/")[2]: reason for case, reason in entries.items() if case.startswith(f"{suite}/")}


def file_database(kind: str, folder: Path, script: Path) -> str:
    """A file of SQLite or DuckDB, made anew by a script that is PostgreSQL's or MySQL's."""
    path = folder / f"case.{kind.lower()}"
    path.unlink(missing_ok=True)
    text = _portable(script, "x'{}'" if kind == "SQLite" else "from_hex('{}')")
    if kind == "SQLite":
        connection: Any = sqlite3.connect(path)
        connection.executescript(text)
    else:
        import duckdb

        connection = duckdb.connect(str(path))
        connection.execute(text.replace("BYTEA", "BLOB"))
    connection.close()
    return str(path)


def postgresql_database(url: str, script: Path) -> str:
    """The database at a URL, made anew by a script."""
    run_sql(url, _for_postgresql(script).read_text())
    return url


def _portable(script: Path, binary: str) -> str:
    text = re.sub(r"(?i)\s+cascade\b", "", _for_postgresql(script).read_text())
    return re.sub(r"E?'\\\\?x([0-9A-Fa-f]+)'(?:::bytea)?", lambda found: binary.format(found[1]), text)


def _for_postgresql(script: Path) -> Path:
    own = script.with_name(f"{script.stem}-postgresql.sql")
    return own if own.exists() else script


def _r2rml(root: Path) -> Iterator[tuple[str, Case]]:
    manifest = (root / "manifest.ttl").read_text()
    for block in manifest.split("\n<#"):
        name = re.search(r'identifier "(R2RMLTC(\d{4})\w*)"', block)
        if name is None:
            continue
        document = re.search(r'mappingDocument "([^"]+)"', block)
        output = re.search(r'output "([^"]+)"', block)
        assert document is not None
        fails = "hasExpectedOutput false" in block
        folder = root / name[1]
        expected = () if fails or output is None else (folder / output[1],)
        script = root / "databases" / f"d{name[2][1:]}.sql"
        yield name[1], Case(folder / document[1], expected, BASE, fails, script)


def _quads(path: Path) -> Iterator[Quad]:
    form = RdfFormat.from_extension(path.suffix[1:])
    if form is not None:
        yield from parse(path=path, format=RdfFormat.N_QUADS if form == RdfFormat.N_TRIPLES else form)


def _checkout(repository: str) -> Path | None:
    given, shared = os.environ.get("KGREASON_RML_TESTS"), shared_root()
    folders = [Path(given)] if given else [] if shared is None else [shared / "rml"]
    return next((folder / repository for folder in folders if (folder / repository).is_dir()), None)
