"""How much memory a system says that the process may still take: limits, control groups, and what the machine has.

Only Linux tells of the latter two. Files are read with as few calls as can be, since they are read ten times a second.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

try:
    import resource
except ImportError:  # pragma: no cover - Windows has no such limits
    resource = None  # type: ignore[assignment]  # a module, or None

_UNKNOWN: Final = 1 << 62
_PIECE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class System:
    """Where a system tells of memory, and what it tells."""

    process: Path = Path("/proc/self")
    machine: Path = Path("/proc/meminfo")
    groups: Path = Path("/sys/fs/cgroup")

    def available(self) -> int | None:
        """How many bytes the process may still take; None where nothing tells."""
        there = min(self._left_of_limits(), self.left())
        return None if there >= _UNKNOWN else max(there, 0)

    def left(self) -> int:
        """The memory that the machine and the control groups leave, without the limits of the process."""
        return min([self._left_of_machine(), *(_left_of_group(*group) for group in self._groups())])

    def _left_of_limits(self) -> int:
        if resource is None:
            return _UNKNOWN
        try:
            used = (self.process / "statm").read_text().split()
        except OSError:
            return _UNKNOWN
        page = os.sysconf("SC_PAGE_SIZE")
        # The fields of all pages, and of data and stack.
        limits = ((resource.getrlimit(resource.RLIMIT_AS)[0], 0), (resource.getrlimit(resource.RLIMIT_DATA)[0], 5))
        left = (limit - int(used[at]) * page for limit, at in limits if limit != resource.RLIM_INFINITY)
        return min(left, default=_UNKNOWN)

    def _left_of_machine(self) -> int:
        text = _text_of(f"{self.machine}")
        free = _field(text, b"MemAvailable:")
        return _UNKNOWN if free is None else (free + (_field(text, b"SwapFree:") or 0)) << 10

    def _groups(self) -> tuple[tuple[str, bool], ...]:
        """The control groups of the process with those around them; whether they are of version 2."""
        return _groups_in(_text_of(f"{self.process}/cgroup"), self.groups)


@lru_cache(8)  # they are read ten times a second, and hardly ever change
def _groups_in(text: bytes, groups: Path) -> tuple[tuple[str, bool], ...]:
    found: list[tuple[str, bool]] = []
    for line in os.fsdecode(text).splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers or "memory" in controllers.split(","):
            root = groups / "memory" if controllers else groups
            inner = root / path.lstrip("/")
            around = (folder for folder in (inner, *inner.parents) if folder.is_relative_to(root))
            found += [(str(folder), not controllers) for folder in around]
    return tuple(found)


def _left_of_group(folder: str, is_second: bool) -> int:
    """The limit of a group less what it uses, without the pages of files, which go when they are in the way."""
    most = _number(f"{folder}/{'memory.max' if is_second else 'memory.limit_in_bytes'}")
    if most is None or most >= _UNKNOWN:
        return _UNKNOWN
    used = _number(f"{folder}/{'memory.current' if is_second else 'memory.usage_in_bytes'}")
    if used is None:
        return _UNKNOWN
    prefix, text = b"" if is_second else b"total_", _text_of(f"{folder}/memory.stat")
    cached = sum(_field(text, prefix + name) or 0 for name in (b"inactive_file", b"active_file"))
    return most - max(used - cached, 0)


def _number(path: str) -> int | None:
    try:
        return int(_text_of(path))
    except ValueError:  # there is none, or it says "max"
        return None


def _field(text: bytes, name: bytes) -> int | None:
    """The number after a name at the beginning of a line."""
    at = (b"\n" + text).find(b"\n" + name)
    numbers = text[at + len(name) :].split(None, 1) if at >= 0 else []
    return int(numbers[0]) if numbers and numbers[0].isdigit() else None


def _text_of(path: str) -> bytes:
    """What a file of the system says, nothing where it cannot be read. A tenth of what `Path.read_text` takes."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    pieces: list[bytes] = []
    try:
        while piece := os.read(file, _PIECE):
            pieces.append(piece)
    except OSError:
        return b""
    finally:
        os.close(file)
    return b"".join(pieces)


def is_limited() -> bool:
    """Whether the process has limits of its own."""
    if resource is None:
        return False
    unlimited = resource.RLIM_INFINITY
    return (
        resource.getrlimit(resource.RLIMIT_AS)[0] != unlimited
        or resource.getrlimit(resource.RLIMIT_DATA)[0] != unlimited
    )
