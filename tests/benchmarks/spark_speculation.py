"""Speculative copies of tasks: ``python -m tests.benchmarks.spark_speculation [ROWS]``.

The jobs of `spark_faults` on a standalone cluster of two workers under two addresses of this machine, since no copy
runs on the host of its task, with settings under which nearly every task is slow enough for a copy. Prints for each job
how many copies began, how many ended before the task itself, and whether the output is the same as without copies.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.gtfs_tables import mapping_text, write_tables
from tests.benchmarks.papers import table
from tests.benchmarks.spark_faults import JOBS, digest
from tests.benchmarks.usage import show_help
from tests.spark.cluster import Cluster, standalone_cluster

ROWS: Final = 5_000
HOSTS: Final = ("127.0.0.1", "127.0.0.2")
HEAD: Final = "job | copies | of these, first | output"
SPECULATION: Final = {
    "speculation": "true",
    "speculation.interval": "10ms",
    "speculation.multiplier": "1.0",
    "speculation.quantile": "0.01",
    "speculation.minTaskRuntime": "1ms",
}
EVENTS: Final = {"eventLog.enabled": "true", "eventLog.compress": "false", "eventLog.rolling.enabled": "false"}
DRIVER: Final = """
import sys
from tests.benchmarks.spark_faults import job
master, *arguments = sys.argv[1:]
job(*arguments, master)
"""


def events(folder: Path) -> Iterator[dict[str, Any]]:
    """Spark's log of events."""
    for path in folder.rglob("app-*"):
        if path.is_file():
            yield from map(json.loads, path.read_text().splitlines())


def copies(folder: Path) -> tuple[int, int]:
    """How many copies of tasks began, and how many ended well."""
    began = ended = 0
    for event in events(folder):
        if event.get("Task Info", {}).get("Speculative", False):
            began += event["Event"] == "SparkListenerTaskStart"
            ended += event.get("Task End Reason", {}).get("Reason") == "Success"
    return began, ended


def run(cluster: Cluster, name: str, raw: Path, encoded: Path, target: Path) -> str:
    """The digest of what a job gives."""
    done = cluster.run(DRIVER, name, str(raw), str(encoded), str(target), "new")
    if done.returncode:
        raise SystemExit(done.stderr)
    return digest(name, encoded, target)


def main(rows: int) -> None:
    """Print the table as Markdown."""
    with tempfile.TemporaryDirectory() as work:
        raw, encoded, log = Path(work, "raw"), Path(work, "encode"), Path(work, "events")
        write_tables(raw, rows)
        (raw / "mapping.ttl").write_text(mapping_text())
        with standalone_cluster(Path(work, "cluster"), HOSTS) as cluster:
            expected = {name: run(cluster, name, raw, encoded, Path(work, name)) for name in JOBS}
        lines = []
        for name in JOBS:
            folder = log / name
            folder.mkdir(parents=True)
            settings = SPECULATION | EVENTS | {"eventLog.dir": f"file://{folder}"}
            with standalone_cluster(Path(work, f"cluster-{name}"), HOSTS, settings) as cluster:
                found = run(cluster, name, raw, encoded, Path(work, f"{name}-copied"))
            began, ended = copies(folder)
            lines.append([name, str(began), str(ended), "the same" if found == expected[name] else "OTHER"])
        print(table(HEAD, lines))


if __name__ == "__main__":
    show_help(__doc__)
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
