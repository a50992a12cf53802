"""Columns of keys in the form in which they are compared (`keys.folded_key`), and how they were written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa, pc
from kgreason.dictionary.arrow_columns import mask_column, mask_of, row_column, text_column, text_scalar
from kgreason.dictionary.literal_suffixes import Suffixes, literal_texts
from kgreason.rdf.hashing import joined_texts, text_buffers
from kgreason.rdf.keys import STRING_SUFFIX, folded_suffix, normal_suffix
from kgreason.rdf.triple_keys import normal_triple

Rows: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int32]

_QUOTE, _ANGLE = b'"<'
_NO_ROWS: Final = np.empty(0, dtype=np.int64)
_NO_CODES: Final = np.empty(0, dtype=np.int32)
# The suffixes that are another text when they are folded.
_UNFOLDED: Final = f'"(@[^"]*[A-Z][^"]*|{re.escape(STRING_SUFFIX)})$'


@dataclass(frozen=True, slots=True, eq=False)
class Spellings:
    """The tags of some rows, in ascending order, that are written otherwise than in lower case: a number among the
    distinct `suffixes`, such as ``@en-GB``, for each. Twelve bytes for a row."""

    rows: Rows
    codes: Codes
    suffixes: tuple[str, ...]

    @classmethod
    def of_used(cls, rows: Rows, codes: Codes, suffixes: Sequence[str]) -> Spellings:
        """The same of suffixes of which some are those of no row, as datatypes are: they are left out."""
        used, numbers = np.unique(codes, return_inverse=True)
        return cls(rows, numbers.astype(np.int32), tuple(suffixes[code] for code in used.tolist()))

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, row: int) -> str | None:
        """The suffix of one row, None where it is as it is folded: O(log n)."""
        if not self.suffixes:
            return None
        at = int(self.rows.searchsorted(row))
        return self.suffixes[self.codes[at]] if at < len(self.rows) and self.rows[at] == row else None

    def between(self, begin: int, end: int) -> Spellings:
        """Those of some rows that follow each other, counted from the first one."""
        first, last = np.searchsorted(self.rows, (begin, end)).tolist()
        return Spellings(self.rows[first:last] - begin, self.codes[first:last], self.suffixes)

    def where(self, kept: NDArray[np.bool_]) -> Spellings:
        """Those of the rows for which the mask is true."""
        if not len(self):
            return self
        some = kept[self.rows]
        places = np.cumsum(kept)[self.rows[some]] - 1
        return Spellings(places, self.codes[some], self.suffixes)

    def put_in(self, keys: pa.Array, rows: Rows) -> pa.Array:
        """The folded keys of some rows, in any order, as they were written."""
        if not len(self):
            return keys
        at = np.minimum(np.searchsorted(self.rows, rows), len(self) - 1)
        found = self.rows[at] == rows
        if not found.any():
            return keys
        literals = keys.filter(mask_column(found))
        return _with_ends(keys, found, literal_texts(literals), self.codes[at[found]], self.suffixes)

    @staticmethod
    def joined(parts: Sequence[Spellings], lengths: Sequence[int]) -> Spellings:
        """Those of several columns of some lengths, one after the other."""
        suffixes: dict[str, int] = {}
        rows, codes = [_NO_ROWS], [_NO_CODES]
        for part, start in zip(parts, accumulate(lengths[:-1], initial=0), strict=True):
            if len(part):
                known = [suffixes.setdefault(suffix, len(suffixes)) for suffix in part.suffixes]
                rows.append(part.rows + start)
                codes.append(np.array(known, dtype=np.int32)[part.codes])
        return Spellings(np.concatenate(rows), np.concatenate(codes), tuple(suffixes))


AS_FOLDED: Final = Spellings(_NO_ROWS, _NO_CODES, ())
"""Those of a column in which every tag is in lower case."""


@dataclass(frozen=True, slots=True)
class FoldedKeys:
    """Folded keys, as a string or large_string column without nulls, and the tags that were written otherwise."""

    texts: pa.Array
    spellings: Spellings = AS_FOLDED

    def __len__(self) -> int:
        return len(self.texts)

    def spelled(self, row: int) -> str:
        """A key as it was written."""
        key, suffix = str(self.texts[row]), self.spellings.of(row)
        return key if suffix is None else respelled(key, suffix)

    def spelled_column(self, rows: Rows) -> pa.Array:
        """The keys of some rows as they were written."""
        return self.spellings.put_in(self.texts.take(row_column(rows)), rows)

    def listed(self) -> list[str]:
        """The keys as they were written."""
        found: list[str] = self.texts.to_pylist()
        for row, code in zip(self.spellings.rows.tolist(), self.spellings.codes.tolist(), strict=True):
            found[row] = respelled(found[row], self.spellings.suffixes[code])
        return found

    def where(self, kept: NDArray[np.bool_]) -> FoldedKeys:
        """The rows for which the mask is true: O(n)."""
        return FoldedKeys(self.texts.filter(mask_column(kept)), self.spellings.where(kept))

    def between(self, begin: int, end: int) -> FoldedKeys:
        """Some rows that follow each other, in the same memory."""
        return FoldedKeys(self.texts[begin:end], self.spellings.between(begin, end))

    def are_triples(self) -> NDArray[np.bool_]:
        """For each key whether it is of a triple term: some nanoseconds."""
        return _are_triples(self.texts)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return int(self.texts.nbytes) + self.spellings.rows.nbytes + self.spellings.codes.nbytes

    @staticmethod
    def of(keys: pa.Array) -> FoldedKeys:
        """Take in a column of keys as they are written: some nanoseconds each, if few have a tag or datatype."""
        keys = _with_normal_triples(keys)
        rows = _suffixed(keys)
        some = keys.take(row_column(rows))
        unfolded = mask_of(pc.match_substring_regex(some, _UNFOLDED))
        if not unfolded.any():
            return FoldedKeys(keys)
        rows = rows[unfolded]
        literals = some.filter(mask_column(unfolded))
        suffixes = Suffixes.of(literals)
        folded = tuple(map(folded_suffix, suffixes.texts))
        mask = np.zeros(len(keys), dtype=np.bool_)
        mask[rows] = True
        spelled = np.array([normal_suffix(text) != one for text, one in zip(suffixes.texts, folded, strict=True)])
        kept = spelled[suffixes.codes]
        spellings = Spellings.of_used(rows[kept], suffixes.codes[kept], suffixes.texts)
        return FoldedKeys(_with_ends(keys, mask, suffixes.values(literals), suffixes.codes, folded), spellings)

    @staticmethod
    def joined(columns: Sequence[FoldedKeys]) -> FoldedKeys:
        """Several columns as one."""
        if len(columns) < 2:
            return columns[0] if columns else FoldedKeys(pa.nulls(0, pa.string()))
        spellings = Spellings.joined([column.spellings for column in columns], [*map(len, columns)])
        return FoldedKeys(joined_texts([column.texts for column in columns]), spellings)


def respelled(key: str, suffix: str) -> str:
    """The key of a literal with another suffix."""
    return key[: key.rindex('"') + 1] + suffix


def _with_ends(
    keys: pa.Array, mask: NDArray[np.bool_], texts: pa.Array, codes: Codes, suffixes: Sequence[str]
) -> pa.Array:
    """Keys of which those in the mask are replaced by literals with some texts, and suffixes by their numbers."""
    ends = text_column([f'"{suffix}' for suffix in suffixes]).take(row_column(codes.astype(np.int64)))
    made = pc.binary_join_element_wise(text_scalar('"'), texts, ends, text_scalar(""))
    return pc.replace_with_mask(keys, mask_column(mask), made.cast(keys.type))


def _with_normal_triples(keys: pa.Array) -> pa.Array:
    """Keys in which triple terms have their one form."""
    are_triples = _are_triples(keys)
    if not are_triples.any():
        return keys
    given = keys.filter(mask_column(are_triples)).to_pylist()
    normal = [normal_triple(key) for key in given]
    if normal == given:
        return keys
    return pc.replace_with_mask(keys, mask_column(are_triples), text_column(normal).cast(keys.type))


def _are_triples(keys: pa.Array) -> NDArray[np.bool_]:
    """For each key whether it is of a triple term: it begins with two angle brackets."""
    offsets, data = text_buffers(keys)
    if not len(data):
        return np.zeros(len(keys), dtype=np.bool_)
    found = data[np.minimum(offsets[:-1], len(data) - 1)] == _ANGLE
    if found.any():
        found &= (data[np.minimum(offsets[:-1] + 1, len(data) - 1)] == _ANGLE) & (offsets[1:] - offsets[:-1] > 1)
    return np.asarray(found)


def _suffixed(keys: pa.Array) -> Rows:
    """The rows of the keys that begin with a quotation mark and do not end with one."""
    offsets, data = text_buffers(keys)
    if not len(data):
        return np.empty(0, dtype=np.int64)
    begins, ends = np.minimum(offsets[:-1], len(data) - 1), offsets[1:]
    return np.flatnonzero((data[begins] == _QUOTE) & (data[ends - 1] != _QUOTE))
