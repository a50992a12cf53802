"""A disk that fails, fills up, or loses power in the middle of every call: one error, and what was committed stands.

`test_faults` lets the same fail from inside Python; here it is the C library's calls, so that SQLite's own are among
them, and the store goes on working when the disk does again.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.durable import disk

STRIDE = 1 if os.environ.get("KGREASON_THOROUGH") else 40


@pytest.mark.skipif(not disk.can_be_compiled(), reason="needs Linux and gcc")
def test_every_call(tmp_path: Path) -> None:
    done = disk.run(tmp_path, "tests.durable.on_a_failing_disk", str(STRIDE))
    assert done.returncode == 0, done.stderr[-4000:]
    points = dict(line.partition(": ")[::2] for line in done.stdout.splitlines() if ": " in line)
    assert points.keys() == {fault.name for fault in disk.Fault}
    assert all(int(line.split()[0]) >= 200 // STRIDE for line in points.values()), done.stdout
    print(done.stdout)
