"""What follows the quotation mark that ends a literal's text in its key: a language, a datatype or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import sorting
from kgreason.arrow import pa, pc
from kgreason.dictionary import term_tuning
from kgreason.dictionary.arrow_columns import mask_of, numbers_of, row_column
from kgreason.rdf.hashing import narrowed, text_buffers

Rows: TypeAlias = NDArray[np.int64]

_QUOTE: Final = ord('"')


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Suffixes:
    """The distinct suffixes of a column of keys of literals, as ``@en``, and for each row the number of its own."""

    texts: tuple[str, ...]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, keys: pa.Array) -> Suffixes:
        """Of a string column of keys of literals alone: some nanoseconds for each usual suffix, and for each byte of
        the others."""
        if len(keys) <= term_tuning.FEW_SUFFIXED:
            return cls.of_each([key[key.rindex('"') + 1 :] for key in keys.to_pylist()])
        texts: dict[str, int] = {}
        codes, rest = _usual(keys, texts)
        if len(rest):
            codes[rest] = _others(keys.take(row_column(rest)), texts)
        return cls(tuple(texts), codes)

    @classmethod
    def of_each(cls, suffixes: Sequence[str]) -> Suffixes:
        """Of suffixes, one for each row."""
        texts: dict[str, int] = {}
        codes = [texts.setdefault(suffix, len(texts)) for suffix in suffixes]
        return cls(tuple(texts), np.array(codes, dtype=np.int32))

    @classmethod
    def joined(cls, parts: Sequence[Suffixes]) -> Suffixes:
        """Of the rows of several columns, one after the other."""
        texts: dict[str, int] = {}
        numbers = [[texts.setdefault(suffix, len(texts)) for suffix in part.texts] for part in parts]
        codes = [np.array(known, dtype=np.int32)[part.codes] for known, part in zip(numbers, parts, strict=True)]
        return cls(tuple(texts), np.concatenate(codes))

    def values(self, keys: pa.Array) -> pa.Array:
        """The texts of the literals, without quotation marks and suffixes."""
        lengths = np.array([len(suffix.encode()) for suffix in self.texts], dtype=np.int64)
        return _between_marks(keys, lengths[self.codes])


def literal_texts(keys: pa.Array) -> pa.Array:
    """The texts of a string column of keys of literals alone: nanoseconds for each byte."""
    return _between_marks(keys, suffix_lengths(keys))


def _between_marks(keys: pa.Array, lengths: NDArray[np.int64]) -> pa.Array:
    """What is between the first quotation mark and the one before a suffix of so many bytes, as a column of strings,
    with wide offsets where these are needed."""
    offsets, _ = text_buffers(keys)
    if not len(keys):
        return pa.nulls(0, pa.string())
    # Each text, and what is between it and the next one, as a column in the same memory; then every second row.
    bounds = np.empty(2 * len(keys), dtype=offsets.dtype)
    bounds[::2] = offsets[:-1] + 1
    bounds[1::2] = offsets[1:] - 1 - lengths
    buffers = [None, pa.py_buffer(bounds), keys.buffers()[2]]
    pieces = pa.Array.from_buffers(keys.type, len(bounds) - 1, buffers)
    return narrowed(pieces.take(row_column(np.arange(0, len(bounds), 2))))


def split_literals(keys: pa.Array) -> tuple[list[str], list[str]]:
    """The texts of literals without quotation marks, and their suffixes: 0.1 to 0.2 microseconds each.

    Both marks of each key become zeros, at which all are split at once. Keys that have a zero already are split one by
    one.
    """
    offsets, data = text_buffers(keys)
    first = offsets[0]
    marked = data[first : offsets[-1]].copy()
    if not marked.all():
        return split_keys(keys.to_pylist())
    marked[offsets[:-1] - first] = 0
    marked[offsets[1:] - first - 1 - suffix_lengths(keys)] = 0
    parts: list[str] = []
    # In pieces: a single emoji makes Python take four bytes for each character of what is decoded with it.
    begin = 0
    while begin < len(keys):
        bound = int(offsets[begin]) + term_tuning.SUFFIX_BYTES
        end = max(begin + 1, int(offsets.searchsorted(bound, side="right")) - 1)
        parts += marked[offsets[begin] - first : offsets[end] - first].tobytes().decode().split("\0")[1:]
        begin = end
    return parts[::2], parts[1::2]


def split_keys(keys: Sequence[str]) -> tuple[list[str], list[str]]:
    """The same for keys that are no column."""
    ends = [key.rindex('"') for key in keys]
    texts = [key[1:end] for key, end in zip(keys, ends, strict=True)]
    return texts, [key[end + 1 :] for key, end in zip(keys, ends, strict=True)]


def suffix_lengths(keys: pa.Array) -> NDArray[np.int64]:
    """The bytes of the suffix of each key: a look at the last byte of all keys, then at the one before, ... Where that
    would be many, as for datatypes, all quotation marks are found at once."""
    offsets, data = text_buffers(keys)
    ends = offsets[1:].astype(np.int64)
    lengths = np.zeros(len(keys), dtype=np.int64)
    rows = np.arange(len(keys))
    distance = 0
    is_large = int(offsets[-1] - offsets[0]) > term_tuning.SEARCHED_BYTES
    while len(rows) and (distance < term_tuning.SUFFIX_STEPS or is_large):
        is_quote = data[ends[rows] - 1 - distance] == _QUOTE
        lengths[rows[is_quote]] = distance
        rows = rows[~is_quote]
        distance += 1
    if len(rows):
        marks = np.flatnonzero(data[offsets[0] : offsets[-1]] == _QUOTE) + int(offsets[0])
        last = marks[np.searchsorted(marks, ends[rows]) - 1]
        lengths[rows] = ends[rows] - 1 - last
    return lengths


def _usual(keys: pa.Array, texts: dict[str, int]) -> tuple[NDArray[np.int32], Rows]:
    """For each key the number of its suffix, if that is looked for, and the rows of the others. Suffixes have no
    quotation marks, so a key that ends with a mark and a suffix has this suffix."""
    codes = np.full(len(keys), -1, dtype=np.int32)
    rest, found = np.arange(len(keys)), len(keys)
    while len(rest) and found >= len(keys) // term_tuning.USUAL_SUFFIX:
        key = keys[int(rest[0])].as_py()
        suffix = key[key.rindex('"') + 1 :]
        codes[mask_of(pc.ends_with(keys, f'"{suffix}'))] = texts.setdefault(suffix, len(texts))
        before, rest = len(rest), np.flatnonzero(codes < 0)
        found = before - len(rest)
    return codes, rest


def _others(keys: pa.Array, texts: dict[str, int]) -> NDArray[np.int32]:
    """The numbers of the suffixes of keys; new ones get the next numbers."""
    codes = np.empty(len(keys), dtype=np.int32)
    lengths = suffix_lengths(keys)
    for length in sorting.distinct(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        ends = pc.binary_slice(keys.take(row_column(rows)).cast(pa.binary()), -length) if length else None
        codes[rows] = texts.setdefault("", len(texts)) if ends is None else _numbered(ends, texts)
    return codes


def _numbered(ends: pa.Array, texts: dict[str, int]) -> NDArray[np.int32]:
    """The numbers of suffixes of one length; new ones get the next numbers."""
    encoded = ends.dictionary_encode()
    known = [texts.setdefault(suffix.decode(), len(texts)) for suffix in encoded.dictionary.to_pylist()]
    numbers = np.array(known, dtype=np.int32)
    return np.asarray(numbers[numbers_of(encoded.indices)])
