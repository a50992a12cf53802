"""How much memory there is, and a check that a large step has what it needs before it begins.

Some libraries below kgreason end the process when an allocation fails: Roaring bitmaps and Rust code do not report it,
and numpy may crash while it gathers an object array. So a step that is about to take a lot asks first:

    memory.check(8 * len(keys), "sorting pairs")     # MemoryError: sorting pairs takes some 800,000,000 bytes, ...

A step below `LEAST` bytes is never looked at; for these `RESERVE` bytes are left free. What there is, is the least of

* the limits of the process (``ulimit -v``, ``ulimit -d``), by an allocation that is given back untouched;
* the limits of its control groups, less what they use beside the files in their cache;
* what the machine has available, with what it can swap out.

`system_memory` reads the latter two, at most every tenth of a second, or every second where much is left, unless a step
is about to be refused. Where a system has no ``/proc``, no step is refused because of them.

What a file from elsewhere may take is bounded by its size (`most_decompressed`).

After a large step, `give_back` returns to the system what the allocator would keep; between small ones it keeps a few
megabytes (`keep_free`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from mmap import mmap
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

from kgreason import tuning
from kgreason.system_memory import System, is_limited

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scalar = TypeVar("Scalar", bound=np.generic)
if sys.platform != "win32":
    from mmap import MAP_ANONYMOUS, MAP_PRIVATE
LEAST: Final = 1 << 20
"""Steps that need less are not checked: an allocation of so many bytes takes longer than the check."""
RESERVE: Final = 32 << 20
"""So many bytes are left for small steps: more than one batch of rows of a join takes, and than a parser buffers."""
_FREED: Final = 4 << 20
"""With twice as many, 27 MB more stay resident after LUBM(10,0) was loaded, and nothing is quicker."""
_FRESH: Final = 0.1
_ROOMY: Final = 256 << 20
"""What a system tells is taken to be so for a tenth of a second for each so many bytes that are left, for a second at
most: to read it takes 40 microseconds, and several times that where nothing was read lately."""
_PAUSE: Final = 0.002
_LAZY: Final = 1 << 16
"""An array of fewer bytes is cleared in less time than the system takes for memory of its own, some 4 microseconds."""

_Item = TypeVar("_Item")


def check(needed: int, step: str) -> None:
    """Make sure that a step has the memory that it needs, and that `RESERVE` bytes are left beside it.

    Args:
        needed: bytes, estimated upwards; nothing is looked at below `LEAST`.
        step: what is about to be done, as the subject of a sentence.

    Raises:
        MemoryError: there is less.

    Cost: some 50 ns for a small step, some microseconds for a large one.
    """
    if needed >= LEAST:
        _GAUGE.take(int(needed), step)


def check_reserve(step: str) -> None:
    """Make sure that `RESERVE` bytes are left, for a loop of steps that are too small to be checked; looked at every
    two milliseconds.

    Raises:
        MemoryError: there is less.

    Cost: some 100 ns.
    """
    _GAUGE.look(step)


def watched(items: Iterable[_Item], step: str) -> Iterator[_Item]:
    """The items, one by one, for as long as `RESERVE` bytes are left; MemoryError as by `check_reserve`."""
    for item in items:
        _GAUGE.look(step)
        yield item


def available() -> int | None:
    """How many bytes the process may still take; None where nothing tells."""
    return _GAUGE.system.available()


def most_decompressed(size: int) -> int:
    """How many bytes a file of `size` bytes may decompress to: one that asks for more is a bomb, and refused."""
    return max(tuning.DECOMPRESSED_LEAST, tuning.DECOMPRESSED_RATIO * size)


def lazy_zeros(length: int, kind: type[Scalar]) -> NDArray[Scalar]:
    """An array of zeros, which takes memory page by page where it is written to: for one that stays mostly empty.

    `numpy.zeros` writes all of them, a megabyte in 0.15 milliseconds, where the allocator has free memory to take.

    Raises:
        MemoryError: the system does not grant them.
    """
    import numpy as np  # the command line gives help without it

    size = length * np.dtype(kind).itemsize
    if size < _LAZY:
        return np.zeros(length, dtype=kind)
    try:
        # Memory of its own, which a fork of the process copies; on Windows no process shares it without a name.
        pages = mmap(-1, size) if sys.platform == "win32" else mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"an array of {size:,} bytes cannot be had ({error.strerror})") from error
    return np.frombuffer(pages, dtype=kind, count=length)


@cache
def keep_free() -> None:
    """Have the C library keep some megabytes that are free for what comes next; a second call does nothing.

    glibc gives the end of its heap back as soon as twice as much is free there as the largest array had that was freed
    so far: joins of small relations, whose arrays have half a megabyte, ask the system for the same pages again and
    again. An array of `_FREED` bytes, which takes no page, raises that for the whole process. Of 240,000 facts of an
    analysis of pointers the run takes a sixth less, and no more memory at its peak. Elsewhere nothing changes.
    """
    bytes(_FREED)


def give_back() -> None:
    """Give memory back to the system that is free, but that the allocators of Arrow and of the C library keep.

    glibc takes arrays of up to 32 MB from its heap as soon as larger ones were freed, and keeps the heap: after
    LUBM(50,0) was loaded and closed, a third of the resident memory was free. Elsewhere it keeps what it has.

    Cost: 1 to 5 ms where hundreds of megabytes are free; what asks for them again pays for fresh pages.
    """
    _GAUGE.granted = 0
    give_back_arrow()
    trim = _trim()
    if trim is not None:
        trim(0)


def give_back_after(least: int) -> None:
    """The same, if steps have taken `least` bytes since that was last done."""
    if _GAUGE.granted >= least:
        give_back()


def give_back_arrow() -> None:
    """Give memory back that is free, but that Arrow keeps, which nothing but Arrow takes from it: below 1 ms."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


@cache
def _trim() -> Callable[[int], object] | None:
    """glibc's `malloc_trim`, where the process has it."""
    import ctypes  # needed after large steps alone

    try:
        found: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # musl, macOS, Windows
        return None
    return found


@contextmanager
def starting_threads() -> Iterator[None]:
    """Say that memory is missing where there is none for the stack of a thread that starts in the body, and have none
    start where hardly any is left: who starts one waits until it runs, which it never does without memory."""
    check_reserve("a thread")
    try:
        yield
    except RuntimeError as error:
        if str(error).startswith("can't start new thread"):
            raise MemoryError("there is no memory for the stack of a thread") from error
        raise


class Gauge:
    """What a system had when it was read last, less what was granted since."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.granted = 0
        """Bytes since free memory was last given back."""
        self._left = 0
        # Until when these two count, and until when `look` does not look.
        self._until = self._again = 0.0

    def take(self, needed: int, step: str) -> None:
        """Grant so many bytes, or raise MemoryError; they are refused only after a fresh look."""
        wanted = needed + RESERVE
        if monotonic() > self._until or wanted > self._left:
            self._left = self.system.left()
            self._until = monotonic() + _FRESH * min(10, max(1, self._left // _ROOMY))
        if wanted > self._left or (is_limited() and not _can_allocate(wanted)):
            there = self.system.available()
            left = "" if there is None else f", and {there:,} are left"
            if not needed:
                raise MemoryError(f"{step} has no memory to go on{left} (expected {RESERVE:,})")
            raise MemoryError(f"{step} takes some {needed:,} bytes{left} (expected {RESERVE:,} more than it takes)")
        self._left -= needed
        self.granted += needed

    def look(self, step: str) -> None:
        """Grant nothing, but for a while."""
        if monotonic() > self._again:
            self.take(0, step)
            self._again = monotonic() + _PAUSE


def _can_allocate(wanted: int) -> bool:
    """Whether one block of so many bytes can be had. It is not written to, so no page of it is ever used; what the
    allocator holds free counts, which no number of the system tells."""
    import numpy as np  # the command line gives help without it

    try:
        np.empty(wanted, dtype=np.uint8)
    except (MemoryError, ValueError):
        return False
    return True


_GAUGE: Final = Gauge(System())
