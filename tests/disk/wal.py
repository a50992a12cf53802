"""Where in SQLite's write-ahead log the last commit ends: what comes after, SQLite has not confirmed.

https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

from __future__ import annotations

from struct import unpack_from

_HEADER, _FRAME = 32, 24


def end_of_commits(log: bytes) -> int:
    """The offset after the last frame that ends a transaction, as recovery finds it."""
    if len(log) < _HEADER:
        return 0
    magic, _, page = unpack_from(">III", log)
    order = ">" if magic & 1 else "<"
    sums = _sums(log[: _HEADER - 8], order, (0, 0))
    if page == 0 or sums != unpack_from(">II", log, _HEADER - 8):
        return 0
    end, place = _HEADER, _HEADER
    while place + _FRAME + page <= len(log):
        _, size, *salts = unpack_from(">IIII", log, place)
        sums = _sums(log[place : place + 8] + log[place + _FRAME : place + _FRAME + page], order, sums)
        if tuple(salts) != unpack_from(">II", log, 16) or sums != unpack_from(">II", log, place + 16):
            break
        place += _FRAME + page
        end = place if size else end
    return end


def _sums(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = unpack_from(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
