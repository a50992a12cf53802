"""A command with all processes that it starts: ``python -m tests.benchmarks.process_tree COMMAND ...``.

Processor seconds of the whole tree, and the most memory that it held at once, as JSON on the last line. Shells' `time`
does not count Java under Spark, nor workers whose parent ended before them: here, orphans become children of this
process (`PR_SET_CHILD_SUBREAPER`), which waits for every one. Memory is the sum of proportional set sizes, five times a
second, so that pages which processes share count once. Linux only.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

TICK: Final = 0.2
_SUBREAPER: Final = 36


@dataclass(frozen=True)
class Used:
    """What a command and its processes took."""

    seconds: float
    processor_seconds: float
    megabytes: float


def used_by(command: list[str], *, niceness: int = 0) -> Used:
    """Run a command to its end, and that of all its processes. Raises: SystemExit with what it wrote to stderr."""
    own = [sys.executable, "-m", "tests.benchmarks.process_tree", str(niceness), *command]
    done = subprocess.run(own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command[:6]} failed:\n{done.stderr[-2_000:]}")
    return Used(*json.loads(done.stdout.splitlines()[-1]))


def supervise(command: list[str]) -> tuple[int, Used]:
    """Run a command below this process, which takes over its orphans. Returns its exit code and what it took."""
    if ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot take over orphans")
    begin, peak = perf_counter(), _Peak()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak.start()
    code = _wait_for_all(process.pid)
    process.returncode = code
    peak.done.set()
    peak.join()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = usage.ru_utime + usage.ru_stime
    return code, Used(perf_counter() - begin, spent, max(peak.kilobytes, usage.ru_maxrss) / 1024)


def _wait_for_all(first: int) -> int:
    code = 0
    while True:
        try:
            ended, status = os.wait()
        except ChildProcessError:
            return code
        if ended == first:
            code = os.waitstatus_to_exitcode(status)


class _Peak(threading.Thread):
    """The most that all processes below this one have held at a look."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.kilobytes = 0
        self.done = threading.Event()

    def run(self) -> None:
        """Look until all is over."""
        while not self.done.wait(TICK):
            self.kilobytes = max(self.kilobytes, sum(map(_held, _below(os.getpid()))))


def _below(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found = list(children.get(root, ()))
    for process in found:
        found += children.get(process, ())
    return found


def _held(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    return int(text.partition("\nPss:")[2].split()[0]) if "\nPss:" in text else 0


if __name__ == "__main__":
    os.nice(int(sys.argv[1]))
    exit_code, taken = supervise(sys.argv[2:])
    print(json.dumps([taken.seconds, taken.processor_seconds, taken.megabytes]))
    sys.exit(exit_code)
