"""Works under limits of memory: each ends well, or raises MemoryError and leaves the store as it was.

Would catch a step that takes memory without asking for it from a library that ends the process where there is none.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.profiles import IS_THOROUGH

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the limit counts no memory on other systems"),
]

WORKS = (
    "load", "load_turtle", "derive", "join", "close", "equate", "query", "everything", "cross", "order", "group",
    "paths", "update", "decode", "serialise", "add", "commit", "reopen",
)  # fmt: skip
LIMITS = tuple(range(0, 160, 4)) if IS_THOROUGH else (2, 35, 44)
# So that what is freed goes back to the system, and the limit is one.
ENVIRONMENT = {
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "MALLOC_TOP_PAD_": "0",
    "MALLOC_ARENA_MAX": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    # A library in Rust that has no memory to print its stack waits for itself.
    "RUST_BACKTRACE": "0",
}


def test_work_under_a_limit_ends_or_raises_and_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    arguments = [str(tmp_path), ",".join(WORKS), ",".join(map(str, LIMITS))]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.memory.works", *arguments],
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        check=True,
    )

    rows = [json.loads(line) for line in run.stdout.splitlines()]
    expected = {name: result for name, limit, _, result in rows if limit is None}
    wrong = [row for row in rows if row[2] not in ("ended", "refused") or row[3] != expected[row[0]]]

    assert len(rows) == len(WORKS) * (1 + len(LIMITS))
    assert not wrong
    assert sum(row[2] == "refused" for row in rows) > len(WORKS)
