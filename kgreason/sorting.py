"""Sorts of long columns in pieces, with a checkpoint between them.

A column of more than `tuning.SORT_ROWS` is parted first by pivots that a sample gives, each part sorted by itself: a
sample sort, which takes about as long as one sort of all, and works in the cache. Equal values are in one part.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.arrow import pa, pc
from kgreason.checkpoints import checkpoint

_MOST_PARTS: Final = 1 << 15
_DIGIT: Final = 16
"""Bits that numpy sorts by in one pass, as counts of them: for wider numbers it compares."""
_KEY_BITS: Final = 63


def argsort(values: NDArray[Any]) -> NDArray[np.int64]:
    """The rows in the order of their values, equal ones in their own order: ``np.argsort(values, kind="stable")``."""
    if len(values) <= tuning.SORT_ROWS:
        return _argsort(values)
    if bool((values[1:] >= values[:-1]).all()):
        return np.arange(len(values))
    order = np.empty(len(values), dtype=np.int64)
    begin = 0
    for rows in _parts(values):
        checkpoint()
        end = begin + len(rows)
        order[begin:end] = rows[_argsort(values[rows])]
        begin = end
    return order


def _argsort(values: NDArray[Any]) -> NDArray[np.int64]:
    """The same at once: whole numbers in no order by one digit after the other, the last first. 65,536 ids take 0.6 ms
    where they are within 65,536, else 1.0, keys of pairs 1.5 to 2, all 3.8 by comparisons; where they come in runs, a
    merge of these takes less."""
    if len(values) < tuning.MANY_KEYS or values.dtype.kind not in "iu" or falls_rarely(values):
        return np.argsort(values, kind="stable")
    least = values.min()
    bits = (int(values.max()) - int(least)).bit_length()
    places = (values - least).view(f"u{values.dtype.itemsize}")
    order = np.argsort(places.astype(np.uint16), kind="stable")
    for shift in range(_DIGIT, bits, _DIGIT):
        digits = (places >> places.dtype.type(shift)).astype(np.uint16)
        order = order[np.argsort(digits[order], kind="stable")]
    return order


def falls_rarely(values: NDArray[Any], most: float = 0.3) -> bool:
    """Whether at most such a share of a sample are less than the value before: the values come in runs."""
    places = np.arange(0, len(values) - 1, max(1, len(values) // tuning.RUNS_PROBED))
    return bool(np.count_nonzero(values[places + 1] < values[places]) <= most * len(places))


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The distinct values, ascending. ``np.unique`` takes a table of hashes where it gives no positions, some seconds
    for millions, and eight milliseconds the first time, to import ``numpy.ma``."""
    ascending = np.sort(values)
    return ascending[:1] if len(values) < 2 else ascending[np.append(True, ascending[1:] != ascending[:-1])]


def numbered(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct numbers, ascending, and for each number its place among them: one sort of the numbers, each with its
    row behind it, where both fit into 64 bits. 100,000 sums take 0.7 ms so, and 1.45 by ``np.unique``."""
    bits = len(numbers).bit_length()
    least = int(numbers.min(initial=0))
    if len(numbers) < 2 or (int(numbers.max()) - least).bit_length() + bits > _KEY_BITS:
        ascending, places = np.unique(numbers, return_inverse=True)
        return ascending, places.reshape(-1)
    keys = numbers - least
    keys <<= bits
    keys |= np.arange(len(keys))
    keys.sort()
    rows = keys & ((1 << bits) - 1)
    keys >>= bits
    is_first = np.append(True, keys[1:] != keys[:-1])
    places = np.empty(len(keys), dtype=np.int64)
    places[rows] = np.cumsum(is_first) - 1
    found = keys[is_first]
    found += least
    return found, places


def dense_ranks(values: NDArray[Any]) -> NDArray[np.int64]:
    """For each value its place among the distinct ones; all NaN are one, the last."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    order = argsort(values)
    ascending = values[order]
    is_new = ascending[1:] != ascending[:-1]
    if values.dtype.kind == "f":
        is_new &= ~np.isnan(ascending[:-1])
    ranks = np.zeros(len(values), dtype=np.int64)
    ranks[order[1:]] = np.cumsum(is_new)
    return ranks


def lexsort(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """The rows in the order of several columns, the last of which comes first, as ``np.lexsort``."""
    if len(columns[0]) <= tuning.SORT_ROWS:
        return np.lexsort(columns)
    order = argsort(columns[0])
    for column in columns[1:]:
        order = order[argsort(column[order])]
    return order


def distinct_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct rows of a table of one column at least, ascending, and the number of each row among them: one sort.

    ``np.unique(rows, axis=0)`` compares rows by Python code of numpy, which makes a TypeError of Ctrl-C.
    """
    order = lexsort([*rows.T[::-1]])
    ascending = rows[order]
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = (ascending[1:] != ascending[:-1]).any(axis=1)
    numbers = np.empty(len(rows), dtype=np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return ascending[is_new], numbers


def _parts(values: NDArray[Any]) -> Iterator[NDArray[np.int64]]:
    """The rows, parted by ascending ranges of values."""
    count = min(_MOST_PARTS, 2 * len(values) // tuning.SORT_ROWS + 1)
    sample = np.sort(values[np.linspace(0, len(values) - 1, count * tuning.SORT_SAMPLE).astype(np.int64)])
    pivots = distinct(sample[tuning.SORT_SAMPLE // 2 :: tuning.SORT_SAMPLE])
    pieces, ends = [], []
    for begin in range(0, len(values), tuning.SORT_ROWS):
        checkpoint()
        # Of 16 bits, so that parting the rows is a radix sort.
        parts = np.searchsorted(pivots, values[begin : begin + tuning.SORT_ROWS], side="right").astype(np.uint16)
        pieces.append(np.argsort(parts, kind="stable") + begin)
        ends.append(np.cumsum(np.bincount(parts, minlength=len(pivots) + 1)))
    for part in range(len(pivots) + 1):
        yield np.concatenate(
            [rows[0 if part == 0 else end[part - 1] : end[part]] for rows, end in zip(pieces, ends, strict=True)]
        )


def text_ranks(pieces: Sequence[pa.Array]) -> NDArray[np.int64]:
    """For each text of several columns its place among the distinct ones of all, in the order of code points.

    Args:
        pieces: string columns without nulls, all of one type, none of which takes long to sort.
    """
    if len(pieces) == 1:
        return _dense_ranks(pieces[0])
    found = np.empty(sum(map(len, pieces)), dtype=np.int64)
    orders, sorted_pieces, sample = [], [], list[str]()
    begin = 0
    for piece in pieces:
        checkpoint()
        order = pc.sort_indices(piece)
        ascending = piece.take(order)
        orders.append(_numbers(order).astype(np.int64) + begin)
        sorted_pieces.append(ascending)
        rows = np.linspace(0, len(piece) - 1, min(len(piece), tuning.SORT_SAMPLE)).astype(np.int64)
        sample += [ascending[row].as_py() for row in rows.tolist()]
        begin += len(piece)
    pivots = sorted(set(sample))[:: tuning.SORT_SAMPLE // 2]
    ends = [[bisect_left(_Texts(each), pivot) for pivot in pivots] + [len(each)] for each in sorted_pieces]
    place = 0
    for part in range(len(pivots) + 1):
        checkpoint()
        runs = [(0 if part == 0 else end[part - 1], end[part]) for end in ends]
        if not any(last > first for first, last in runs):
            continue
        texts = pa.concat_arrays([each[a:b] for each, (a, b) in zip(sorted_pieces, runs, strict=True)])
        ranks = _dense_ranks(texts)
        found[np.concatenate([rows[a:b] for rows, (a, b) in zip(orders, runs, strict=True)])] = place + ranks
        place += int(ranks.max()) + 1
    return found


def _dense_ranks(texts: pa.Array) -> NDArray[np.int64]:
    ranks = pc.rank(texts, sort_keys="ascending", tiebreaker="dense")
    return _numbers(ranks).astype(np.int64) - 1


def _numbers(column: pa.Array) -> NDArray[np.uint64]:
    """A column of uint64, in the same memory: `to_numpy` would import pandas where it is installed."""
    if not len(column):
        return np.empty(0, dtype=np.uint64)
    return np.frombuffer(column.buffers()[1], dtype=np.uint64, count=len(column), offset=8 * column.offset)


class _Texts(Sequence[str]):
    """A column of texts that Python's bisection can look into."""

    def __init__(self, column: pa.Array) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, row: Any) -> Any:
        return self._column[row].as_py()
