"""Columns of terms as columns of text: what result documents and N-Triples are made of.

Arrow makes the texts of whole columns; one by one come only those with characters that must be escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.local_terms import UNBOUND
from kgreason.arrow import pa, pc
from kgreason.columns import bitmaps
from kgreason.dictionary.arrow_columns import mask_column, row_column, text_column
from kgreason.dictionary.literal_suffixes import Suffixes
from kgreason.rdf.hashing import text_buffers
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, TRIPLE_KIND, kind_of, kinds_of, term_of
from kgreason.rdf.triple_keys import triple_parts
from kgreason.relations.table import Ids

Around: TypeAlias = tuple[str, str]
"""What goes before and after a text."""


class Terms(Protocol):
    """The terms of ids: a dictionary, or the terms of one query."""

    def key(self, identifier: int, /) -> str:
        """The key of an id."""

    def key_column(self, identifiers: Ids, /) -> pa.Array:
        """The keys of ascending ids."""


@dataclass(frozen=True, slots=True)
class TermStyle:
    """How one format writes terms.

    Attributes:
        iri, blank: what goes around an IRI, and around the label of a blank node.
        literal: from the end of a literal's key (``@en``, ``^^datatype`` or nothing) to what goes around its text.
        triple: what goes before the subject, the predicate and the object of a triple term, and after it; None where
            its text is that of N-Triples, escaped.
        special: a regular expression for the characters that `escape` is for, the same for Python and RE2.
        escape: a text with such characters as the format has it.
    """

    iri: Around
    blank: Around
    literal: Callable[[str], Around]
    triple: tuple[str, str, str, str] | None
    special: str
    escape: Callable[[str], str]

    def texts(self, keys: pa.Array) -> pa.Array:
        """The text of each of some keys: O(characters)."""
        kinds = kinds_of(keys)
        places: list[NDArray[np.intp]] = []
        parts: list[pa.Array] = []
        writers = {
            IRI_KIND: self._iris,
            BLANK_KIND: self._blanks,
            LITERAL_KIND: self._literals,
            TRIPLE_KIND: self._triples,
        }
        for kind, write in writers.items():
            rows = np.flatnonzero(kinds == kind)
            if len(rows):
                places.append(rows)
                parts.append(write(keys if len(rows) == len(keys) else keys.take(row_column(rows))))
        if len(parts) == 1:
            return parts[0]
        back = np.empty(len(keys), dtype=np.int64)
        if parts:
            back[np.concatenate(places)] = np.arange(len(keys))
        return pa.concat_arrays(parts or [large(keys)]).take(row_column(back))

    def text(self, key: str) -> str:
        """The text of one key: some microseconds, where columns begin to pay off at hundreds of them."""
        kind = kind_of(key)
        if kind == LITERAL_KIND:
            end = key.rindex('"')
            text, (before, after) = key[1:end], self.literal(key[end + 1 :])
        elif kind == TRIPLE_KIND:
            if self.triple is None:
                return self.escape(str(term_of(key)))
            *begins, end_of_all = self.triple
            parts = zip(begins, map(self.text, triple_parts(key)), strict=True)
            return "".join(before + part for before, part in parts) + end_of_all
        elif kind == BLANK_KIND:
            text, (before, after) = key[2:], self.blank
        else:
            text, (before, after) = key, self.iri
        return before + (self.escape(text) if re.search(self.special, text) else text) + after

    def _iris(self, keys: pa.Array) -> pa.Array:
        before, after = self.iri
        return joined([constant(before), self._escaped(keys), constant(after)])

    def _blanks(self, keys: pa.Array) -> pa.Array:
        before, after = self.blank
        return joined([constant(before), large(pc.utf8_slice_codeunits(keys, 2)), constant(after)])

    def _literals(self, keys: pa.Array) -> pa.Array:
        suffixes = Suffixes.of(keys)
        values = self._escaped(suffixes.values(keys))
        around = [self.literal(suffix) for suffix in suffixes.texts]
        if len(around) == 1:
            return joined([constant(around[0][0]), values, constant(around[0][1])])
        codes = row_column(suffixes.codes.astype(np.int64))
        before, after = (large(text_column(side)).take(codes) for side in map(list, zip(*around, strict=True)))
        return joined([before, values, after])

    def _triples(self, keys: pa.Array) -> pa.Array:
        return large(text_column([self.text(key) for key in keys.to_pylist()]))

    def _escaped(self, values: pa.Array) -> pa.Array:
        special = pc.match_substring_regex(values, self.special)
        found = large(values)
        if not pc.any(special).as_py():
            return found
        escaped = [self.escape(text) for text in values.filter(special).to_pylist()]
        return pc.replace_with_mask(found, special, large(text_column(escaped)))


def texts_of(column: Ids, terms: Terms, style: TermStyle) -> pa.Array:
    """The texts of the ids of a column, null for UNBOUND; that of each different term is made once."""
    bound = column != UNBOUND
    known = column if bound.all() else column[bound]
    if not len(known):
        return pa.nulls(len(column), pa.large_string())
    distinct = bitmaps.distinct(known)
    texts = style.texts(terms.key_column(distinct))
    rows = np.searchsorted(distinct, column)
    if len(known) == len(column):
        return texts.take(row_column(rows))
    chosen = pc.if_else(mask_column(bound), row_column(np.where(bound, rows, 0)), pa.nulls(len(column), pa.int64()))
    return texts.take(chosen)


def joined(columns: list[pa.Array | pa.Scalar], between: str = "") -> pa.Array:
    """The texts of each row in one, null where one of them is."""
    return pc.binary_join_element_wise(*columns, constant(between), null_handling="emit_null")


def constant(text: str) -> pa.Scalar:
    """A text that is the same in each row."""
    return large(text_column([text]))[0]


def large(texts: pa.Array) -> pa.Array:
    """With offsets of 64 bits: a few long texts in many rows take more than two gigabytes."""
    return texts.cast(pa.large_string())


def bytes_of(texts: pa.Array) -> bytes:
    """All texts of a column without nulls, one after the other."""
    offsets, data = text_buffers(texts)
    return data[int(offsets[0]) : int(offsets[-1])].tobytes() if len(texts) else b""
