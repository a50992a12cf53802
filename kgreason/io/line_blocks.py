"""A stream of lines in blocks, read by several threads at once."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint
from kgreason.io.streams import Readable

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


def blocks_of(stream: Readable, size: int | None = None) -> Iterator[bytes]:
    """What is in a stream as blocks of whole lines, each of about `size` bytes; the last line may have no end."""
    size = tuning.BLOCK_BYTES if size is None else size
    pieces: list[bytes] = []
    while read := stream.read(size):
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
    the order of the items; no thread is at work after this has ended.
    """
    waiting: deque[Future[_Found]] = deque()
    with memory.starting_threads(), ThreadPoolExecutor(count, "kgreason-loading") as pool:
        try:
            for item in given:
                waiting.append(pool.submit(work, item))
                if len(waiting) > count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
