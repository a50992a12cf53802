"""Where tests put their files: in memory where there is room, since thousands of commits would wait for a disk.

What a disk does that fails, fills up or loses power is simulated (`tests.disk`), so no test needs a real one. The
thorough profile has one. ``TMPDIR`` puts the files elsewhere.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

_MEMORY: Final = "/dev/shm"
_ON_DISK: Final = "KGREASON_TEMPORARY"
_LEAST: Final = 4 << 30
"""Bytes that must be free; a run has some hundred millions at a time."""


def put_in_memory() -> None:
    """Make new temporary files of this process, and of those that it starts, files in memory where that is possible."""
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.R_OK | os.W_OK | os.X_OK):
        return
    found = os.statvfs(_MEMORY)
    # Some tests compile a library and load it.
    if not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= _LEAST:
        os.environ[_ON_DISK] = tempfile.gettempdir()
        os.environ["TMPDIR"] = _MEMORY
        tempfile.tempdir = None  # which Python found before


def on_disk() -> Path:
    """Where files are kept from one run to the next."""
    return Path(os.environ.get(_ON_DISK) or tempfile.gettempdir())
