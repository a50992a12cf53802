"""A block of N-Triples or N-Quads cut into tokens, all lines at once.

A plainly shaped line is ``SUBJECT PREDICATE OBJECT .`` or ``SUBJECT PREDICATE OBJECT GRAPH .`` with one blank after
each term. Every line becomes four tokens that follow each other without a gap: subject, predicate, object, each with
the blank after it, and the rest of the line, which is a dot or a graph and a dot. A line that is shaped otherwise
becomes three empty tokens and itself. Whether a token is a term is for `tokens` to say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa
from kgreason.dictionary.arrow_columns import numbers_of

_BLANK, _NEWLINE = 0x20, 0x0A
_ANGLE, _CLOSING, _UNDERSCORE = b"<>_"


@dataclass(frozen=True, slots=True)
class Lines:
    """Four tokens for each line, as distinct tokens and a row of four codes for each line."""

    tokens: pa.Array
    codes: NDArray[np.int32]
    starts: NDArray[np.int32]
    """Where each line begins, and where the last one ends."""

    def __len__(self) -> int:
        return len(self.codes)


def cut(block: bytes, quads: bool) -> Lines:
    """Cut a block of whole lines, each with its newline; `quads` says whether there may be graphs."""
    data = np.frombuffer(block, dtype=np.uint8)
    # Other control characters separate tokens, too. A token that is then not a term is parsed again by pyoxigraph.
    separators = np.flatnonzero(data <= _BLANK)
    ends = np.flatnonzero(data[separators] == _NEWLINE)
    newlines = separators[ends]
    first = np.empty_like(ends)
    first[:1] = 0
    first[1:] = ends[:-1] + 1
    offsets = np.empty((len(ends), 4), dtype=np.int32)
    starts = np.empty(len(ends) + 1, dtype=np.int32)
    starts[0] = 0
    starts[1:] = newlines + 1
    offsets[:, 0] = starts[:-1]
    offsets[:, 1] = separators[first] + 1
    offsets[:, 2] = separators[np.minimum(first + 1, ends)] + 1
    offsets[:, 3] = separators[np.maximum(ends - 1, 0)] + 1
    if quads:
        _find_graphs(data, separators, first, ends, offsets)
    odd = ends - first < 3
    if odd.any():
        offsets[odd] = starts[:-1][odd, np.newaxis]
    whole = np.append(offsets, np.int32(len(data)))
    buffers = [None, pa.py_buffer(whole), pa.py_buffer(block)]
    encoded = pa.Array.from_buffers(pa.binary(), offsets.size, buffers).dictionary_encode()
    return Lines(encoded.dictionary, numbers_of(encoded.indices).reshape(-1, 4), starts)


def _find_graphs(
    data: NDArray[np.uint8],
    separators: NDArray[np.int64],
    first: NDArray[np.int64],
    ends: NDArray[np.int64],
    offsets: NDArray[np.int32],
) -> None:
    """Let the last token begin with the graph where there seems to be one: the last word before the dot, if it looks
    like an IRI or a blank node and is not the object."""
    longer = np.flatnonzero(ends - first >= 4)
    begin, end = separators[ends[longer] - 2] + 1, separators[ends[longer] - 1]
    named = (data[begin] == _ANGLE) & (data[end - 1] == _CLOSING) | (data[begin] == _UNDERSCORE)
    offsets[longer[named], 3] = begin[named]
