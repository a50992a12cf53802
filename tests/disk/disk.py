"""A disk that fails where it is told to: `disk.c`, compiled and preloaded into a process of its own."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path

SOURCE = Path(__file__).with_name("disk.c")


class Fault(IntEnum):
    """What happens at the chosen call: it fails before or after its work, writes a part, fails from then on; the
    process is killed; the machine loses power, and some of what was not synced."""

    BEFORE = 0
    AFTER = 1
    PART = 2
    FULL = 3
    KILL = 4
    POWER = 5


def can_be_compiled() -> bool:
    """Whether there is such a disk here."""
    return sys.platform == "linux" and shutil.which("gcc") is not None


def run(folder: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module in a process on such a disk."""
    library = folder / "disk.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    command = [sys.executable, "-m", module, str(folder), *arguments]
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


class Disk:
    """The disk of this process, which must have been started by `run`."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.disk_failed_in.restype = ctypes.c_char_p

    @contextmanager
    def failing(self, folder: Path, call: int, fault: Fault, seed: int = 0) -> Iterator[None]:
        """Let the n-th call that concerns files in a folder fail."""
        number = errno.ENOSPC if call % 2 else errno.EIO
        self._library.disk_arm(str(folder).encode(), ctypes.c_long(call), int(fault), number, seed)
        try:
            yield
        finally:
            self.repair()

    def repair(self) -> None:
        """Let nothing fail any more."""
        self._library.disk_disarm()

    @property
    def failed_in(self) -> str:
        """The call that failed last, "" when none has."""
        return str(self._library.disk_failed_in().decode())
