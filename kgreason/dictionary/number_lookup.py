"""The ids that many keys have in segments of numbers: one sort of the keys, and a search of each segment with them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgreason.arrow import pa, pc
from kgreason.dictionary.arrow_columns import mask_of, numbers_of, row_column
from kgreason.dictionary.digit_texts import numbers_of_digits
from kgreason.dictionary.number_segments import EXACT_DIGITS, Floats, NumberSegment, Rows
from kgreason.rdf.hashing import text_buffers


def ids_of_keys(segments: Iterable[NumberSegment], keys: pa.Array) -> Rows:
    """The ids of a string column of folded keys in some segments, -1 of those that are in none: some nanoseconds for
    each key, some ten for each number, one for each number and segment, and some hundred for each quotient found."""
    found = np.full(len(keys), -1, dtype=np.int64)
    alike: dict[str, list[NumberSegment]] = {}
    for segment in segments:
        alike.setdefault(segment.suffix, []).append(segment)
    for suffix, some in alike.items():
        rows = np.flatnonzero(mask_of(pc.ends_with(keys, suffix)))
        if not len(rows):
            continue
        literals = keys if len(rows) == len(keys) else keys.take(row_column(rows))
        numbers = _floats(literals, len(suffix))
        order = np.argsort(numbers)
        ascending = numbers[order]
        for segment in some:
            at = np.minimum(segment.numbers.searchsorted(ascending), len(segment) - 1)
            hits = np.flatnonzero(segment.numbers[at] == ascending)
            own = segment.keys_at(at[hits])
            same = mask_of(pc.equal(own, literals.take(row_column(order[hits])).cast(own.type)))
            found[rows[order[hits[same]]]] = at[hits[same]] + segment.first
    return found


def _floats(literals: pa.Array, suffix: int) -> Floats:
    """The floats of the texts of literals with a suffix of so many bytes, NaN of those that are none."""
    offsets, data = text_buffers(literals)
    begins, ends = offsets[:-1].astype(np.int64) + 1, offsets[1:].astype(np.int64) - suffix
    digits, usual = numbers_of_digits(data, begins, ends - begins)
    found = digits.astype(np.float64)
    others = np.flatnonzero(~usual | (ends - begins > EXACT_DIGITS))
    if len(others):
        texts = pc.utf8_slice_codeunits(literals.take(row_column(others)), 1, -suffix)
        try:
            found[others] = numbers_of(texts.cast(pa.float64()))
        except pa.ArrowInvalid:
            found[others] = [*map(_float, texts.to_pylist())]
    return found


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
