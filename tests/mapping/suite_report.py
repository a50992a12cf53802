"""What the public suites of mappings say, as a table in Markdown, for both engines.

    KGREASON_RML_TESTS=FOLDER python -m tests.mapping.suite_report [--write]

With `--write` the table goes to `suite-counts.txt` beside this file, from where the page about conformance has it. Exit
code 1 when a case fails that is not listed, or a listed one passes.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

from kgreason_spark.session import spark_session
from tests.mapping.engines import ArrowEngine
from tests.mapping.servers import postgresql
from tests.mapping.suites import LISTS, SOURCES, file_database, postgresql_database, suites
from tests.spark.conftest import SMALL
from tests.spark.spark_engine import SparkEngine

COUNTS = LISTS / "suite-counts.txt"


def main(arguments: list[str]) -> int:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, postgresql() as url:
        files = {kind: partial(file_database, kind, Path(folder)) for kind in ("SQLite", "DuckDB")}
        makers = {**files, "PostgreSQL": partial(postgresql_database, url)}
        here = suites(ArrowEngine(), makers)
        session = spark_session("local[2]")
        for name, value in SMALL.items():
            session.conf.set(name, value)
        there = suites(SparkEngine(session), makers)
        lines = [
            "| suite | cases | passed | listed with a reason | on Spark: cases | passed | listed |",
            "|---|---:|---:|---:|---:|---:|---:|",
        ]
        whole = True
        for name in (one for one in SOURCES if one in here):
            counts = [suite[name].counts() for suite in (here, there) if name in suite and suite[name].cases]
            whole &= all(cases == passed + listed for cases, passed, listed in counts)
            columns = [str(number) for one in counts for number in one] + [""] * (6 - 3 * len(counts))
            lines.append(f"| {' | '.join([here[name].name, *columns])} |")
    print(*lines, sep="\n")
    if "--write" in arguments:
        COUNTS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
