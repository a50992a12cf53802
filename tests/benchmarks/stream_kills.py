"""A stream into a store on disk whose driver is killed: ``python -m tests.benchmarks.stream_kills [TIMES]``.

Batches of files are taken in by a `StoreSink` while the driver, Java included, is killed after a random time, again and
again; the last run is left alone. Prints how many batches the store had after each kill, and whether it has every
triple in the end, and every batch was committed once.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.benchmarks.spark_faults import below
from tests.benchmarks.usage import show_help
from tests.spark.cluster import QUICK_START

BATCHES = 60
ROWS = 50
E = "http://example.org/"


def stream(folder: str) -> None:
    """Take in all files that have not been, in this process, which is a driver."""
    from kgreason_spark import StoreSink, as_triples
    from kgreason_spark.session import spark_session

    spark = spark_session("local[1]")
    lines = spark.readStream.schema("s string, p string, o string").option("maxFilesPerTrigger", 1)
    with StoreSink(f"{folder}/store", rules="none") as sink, open(f"{folder}/committed", "a") as committed:

        def batch(frame, number: int) -> None:  # type: ignore[no-untyped-def]  # pyspark's own type is imported above
            before = sink.last_batch
            sink(frame, number)
            if sink.last_batch != before:
                committed.write(f"{number}\n")
                committed.flush()

        writer = as_triples(lines.csv(f"{folder}/in")).writeStream.foreachBatch(batch)
        options = writer.option("checkpointLocation", f"{folder}/checkpoint")
        options.trigger(availableNow=True).start().awaitTermination()


def started(folder: Path) -> subprocess.Popen[bytes]:
    """A driver in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.stream_kills", "stream", str(folder)]
    environment = {**os.environ, "SPARK_SUBMIT_OPTS": QUICK_START}
    return subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, env=environment)


def committed(folder: Path) -> list[int]:
    """The batches that were committed, as their runs have noted it; a kill may come between commit and note."""
    notes = folder / "committed"
    return [int(line) for line in notes.read_text().splitlines()] if notes.exists() else []


def main(times: int) -> None:
    """Print what came of it."""
    from kgreason import ReasoningStore

    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        (folder / "in").mkdir()
        for number in range(BATCHES):
            rows = [f"{E}{number}-{row},{E}p,{E}{row}\n" for row in range(ROWS)]
            (folder / "in" / f"{number:03}.csv").write_text("".join(rows))
        for kill in range(times):
            driver = started(folder)
            # Until it takes in batches, and some more.
            known = len(committed(folder))
            while driver.poll() is None and len(committed(folder)) <= known:
                time.sleep(0.02)
            time.sleep(random.uniform(0, 1))
            # The number of a driver that has ended may be that of another process by now.
            for victim in [driver.pid, *below(driver.pid, "")] if driver.poll() is None else []:
                with suppress(ProcessLookupError):  # it ended by itself
                    os.kill(victim, signal.SIGKILL)
            driver.communicate()
            print(f"kill {kill + 1}: {len(committed(folder))} of {BATCHES} batches noted", flush=True)
        driver = started(folder)
        error = driver.communicate()[1]
        if driver.returncode:
            raise SystemExit(error.decode())
        expected = {(f"{E}{number}-{row}", f"{E}{row}") for number in range(BATCHES) for row in range(ROWS)}
        with ReasoningStore(folder / "store") as store:
            found = {(str(s), str(o)) for s, _, o in store.explicit}
        notes = committed(folder)
        print(f"the store has {'every triple' if found == expected else 'OTHER TRIPLES'}: {len(found):,}")
        print(f"batches noted: {len(notes)}, twice: {len(notes) - len(set(notes))}")


if __name__ == "__main__":
    show_help(__doc__)
    if sys.argv[1:2] == ["stream"]:
        stream(sys.argv[2])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
