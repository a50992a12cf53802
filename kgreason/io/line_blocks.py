"""A stream of lines in blocks, read by several threads at once."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from threading import Event, Thread, current_thread
from typing import Final, TypeVar

from kgreason import memory
from kgreason.checkpoints import checkpoint, heeding
from kgreason.io import file_tuning
from kgreason.io.streams import Readable

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")
_LOOK_SECONDS: Final = 0.1
"""Whether work may go on is asked so often while threads are waited for."""


def blocks_of(stream: Readable) -> Iterator[bytes]:
    """What is in a stream as blocks of whole lines, each of about BLOCK_BYTES; the last line may have no end."""
    pieces: list[bytes] = []
    while read := stream.read(file_tuning.BLOCK_BYTES):
        checkpoint()
        end = read.rfind(b"\n") + 1
        if not end:
            pieces.append(read)
            memory.check(2 * sum(map(len, pieces)), "a line of text")
            continue
        yield b"".join((*pieces, read[:end]))
        pieces = [read[end:]]
    rest = b"".join(pieces)
    if rest:
        yield rest


def threads() -> int:
    """How many threads have a processor of this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each_in_threads(work: Callable[[_Given], _Found], given: Iterable[_Given], count: int) -> Generator[_Found]:
    """What the work gives for each item, in their order, while up to `count` items are worked on in threads.

    Items are taken by the thread that asks, which so stays free for signals. What the work raises is raised here, in
    the order of the items; no thread is at work after this has ended. What the checkpoints of the caller raise stops
    the work at its own checkpoints.

    Raises:
        MemoryError: a thread cannot start, or ends without memory to say so.
    """
    waiting: deque[tuple[Future[_Found], list[Thread]]] = deque()
    is_stopped = Event()

    def check(_: int) -> None:
        if is_stopped.is_set():
            raise CancelledError

    def worked(item: _Given, taken_by: list[Thread]) -> _Found:
        taken_by.append(current_thread())
        with heeding(check):
            return work(item)

    with memory.starting_threads(), ThreadPoolExecutor(count, "kgreason-loading") as pool:
        try:
            for item in given:
                taken_by: list[Thread] = []
                waiting.append((pool.submit(worked, item, taken_by), taken_by))
                if len(waiting) > count:
                    yield _result_of(*waiting.popleft())
            while waiting:
                yield _result_of(*waiting.popleft())
        finally:
            is_stopped.set()
            for future, _ in waiting:
                future.cancel()


def _result_of(future: Future[_Found], taken_by: list[Thread]) -> _Found:
    """The result of a future, with checkpoints while it is waited for; `taken_by` has the thread that works on it."""
    while not future.done():
        has_ended = bool(taken_by) and not taken_by[0].is_alive()
        wait((future,), _LOOK_SECONDS)
        checkpoint()
        if has_ended and not future.done():
            raise MemoryError("a thread has ended without a result (expected memory for one)")
    return future.result()
