"""Answers of servers, read while they come.

A thread reads from the server, a few pieces ahead of the reader of the stream, and stops at the next piece after the
stream was closed.
The limits of time and size are those of `kgreason.fetching`.
"""

from __future__ import annotations

from io import RawIOBase
from queue import Full, Queue
from threading import Event, Thread
from time import monotonic
from typing import Final

from kgreason import memory
from kgreason.access import Access
from kgreason.fetching import RemoteRequest, awaited, failure, media_type_of, opened, pieces_of

_AHEAD: Final = 16
"""The number of pieces, of at most 64 kB each, that wait to be read."""
_LOOK: Final = 0.05
"""Seconds after which a thread that waits for room looks whether its stream was closed."""

_Item = bytes | BaseException


class RemoteStream(RawIOBase):
    """The bytes of an answer.

    Args:
        seconds: how long it may take, if that is less than the access allows.

    Raises:
        AccessError: the IRI, or one that it redirects to, is not allowed.
        LoadError: the answer cannot be read, takes too long, or is too large. Reads raise it, too.
    """

    def __init__(self, asked: RemoteRequest, access: Access, *, seconds: float | None = None) -> None:
        super().__init__()
        self._closing = Event()
        self._seconds = asked.seconds(access, seconds)
        self.error: BaseException | None = None
        """The error of the last read, for callers whose parser hides it."""
        self._name = asked.name
        self._end = monotonic() + self._seconds
        self._waiting: Queue[_Item] = Queue(_AHEAD)
        self._rest = memoryview(b"")
        self._is_over = False
        self._media_type: str | None = None
        with memory.starting_threads():
            Thread(target=self._fetch, args=(asked, access), name="kgreason-fetching", daemon=True).start()
        self._take()

    @property
    def media_type(self) -> str | None:
        """The media type in the headers of the answer."""
        return self._media_type

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # of any buffer
        """The next bytes; none at the end."""
        if not self._rest and not self._is_over:
            self._take()
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        """Have the thread end its connection."""
        self._closing.set()
        super().close()

    def _take(self) -> None:
        item = awaited(self._waiting, self._end)
        if isinstance(item, bytes):
            self._rest, self._is_over = memoryview(item), not item
            return
        self.error = failure(item, self._name, self._seconds)
        self.close()
        raise self.error

    def _fetch(self, asked: RemoteRequest, access: Access) -> None:
        """Put the pieces of the answer, and an empty one at its end."""
        try:
            with opened(asked, access, self._end) as response:
                self._media_type = media_type_of(response)
                for piece in pieces_of(response, self._name, access, self._end):
                    if not self._put(piece):
                        return
            self._put(b"")
        except BaseException as error:
            self._put(error)

    def _put(self, item: _Item) -> bool:
        """Wait for room. False if the stream was closed or its time is over."""
        while not self._closing.is_set() and monotonic() < self._end + 1:
            try:
                self._waiting.put(item, timeout=_LOOK)
                return True
            except Full:
                pass
        return False
