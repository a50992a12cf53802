"""Columns of terms, as pieces that are put together once: as dictionary keys, or as tokens of N-Triples."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND
from kgreason.rdf.vocabulary import XSD_STRING
from kgreason_mapping.arrow.columns import Mask, Rows, joined, mask_of, taken
from kgreason_mapping.arrow.escapes import each_distinct, escaped_for_token, token_text

Pieces: TypeAlias = tuple[str | pa.Array, ...]


@dataclass(frozen=True, eq=False)
class TermColumn:
    """Terms of one kind.

    Attributes:
        kind: IRI_KIND, BLANK_KIND or LITERAL_KIND.
        pieces: of the IRI, the label, or the lexical form; a term is none where one of them is null.
        length: how many terms there are.
        rows: the row of each; None for one in each row.
        datatype, tag: of literals, the same for all or one for each; null and None for a string.
        reason: why a term is bad; null where it is good, None where all are.
    """

    kind: int
    pieces: Pieces
    length: int
    rows: Rows | None = None
    datatype: str | pa.Array | None = None
    tag: str | pa.Array | None = None
    reason: pa.Array | None = None

    @classmethod
    def constant(cls, key: str, length: int) -> TermColumn:
        """The term of a key, in every row."""
        if not key.startswith('"'):
            is_blank = key.startswith("_:")
            return cls(BLANK_KIND if is_blank else IRI_KIND, (key[2:] if is_blank else key,), length)
        lexical, _, suffix = key[1:].rpartition('"')
        if suffix.startswith("@"):
            return cls(LITERAL_KIND, (lexical,), length, tag=suffix[1:])
        return cls(LITERAL_KIND, (lexical,), length, datatype=suffix[2:] or None)

    @cached_property
    def is_constant(self) -> bool:
        """Whether all terms are one."""
        parts = (*self.pieces, self.datatype, self.tag)
        return self.rows is None and all(isinstance(part, str | None) for part in parts)

    @property
    def constant_key(self) -> str:
        """The key of the one term."""
        return str(replace(self, length=1).keys[0].as_py())

    @cached_property
    def good(self) -> Mask | None:
        """Where there is a term that is not bad; None for everywhere."""
        masks = [mask_of(piece.is_valid()) for piece in self._arrays if piece.null_count]
        if self.reason is not None:
            masks.append(mask_of(self.reason.is_null()))
        return np.logical_and.reduce(masks) if masks else None

    @property
    def _arrays(self) -> list[pa.Array]:
        tags = (self.tag,) if self.kind == LITERAL_KIND else ()
        return [piece for piece in (*self.pieces, *tags) if isinstance(piece, pa.Array)]

    @cached_property
    def keys(self) -> pa.Array:
        """The dictionary keys, also of bad terms; null where there is none."""
        if self.kind == LITERAL_KIND:
            return joined(('"', *self.pieces, '"', *self._suffix("^^", "")), self.length)
        return joined(("_:" if self.kind == BLANK_KIND else "", *self.pieces), self.length)

    @cached_property
    def token_pieces(self) -> Pieces:
        """The pieces of the tokens of N-Triples, with one column at most, which is made once."""
        made = self._tokens()
        if sum(isinstance(piece, pa.Array) for piece in made) <= 1:
            return made
        return (joined(made, self.length),)

    def at(self, positions: Rows | None) -> TermColumn:
        """The terms at positions, one in each row from now on."""
        if positions is None:
            return self
        return replace(
            self,
            pieces=tuple(piece if isinstance(piece, str) else taken(piece, positions) for piece in self.pieces),
            length=len(positions),
            rows=None,
            datatype=self.datatype if isinstance(self.datatype, str | None) else taken(self.datatype, positions),
            tag=self.tag if isinstance(self.tag, str | None) else taken(self.tag, positions),
            reason=None if self.reason is None else taken(self.reason, positions),
        )

    def in_graph(self, graph: TermColumn) -> TermColumn:
        """The terms for a named graph: blank nodes belong to one graph only (RML-Core, Scope of blank nodes), so in a
        named graph their labels end in its digest."""
        if self.kind != BLANK_KIND:
            return self
        if graph.is_constant:
            return replace(self, pieces=(*self.pieces, "_g", _digest("".join(map(str, graph.pieces)))))
        return replace(self, pieces=(*self.pieces, "_g", each_distinct(graph.keys, _digest)))

    def _tokens(self) -> Pieces:
        if self.kind == IRI_KIND:
            return ("<", *self.pieces, ">")
        if self.kind == BLANK_KIND:
            return ("_:", *self.pieces)
        escaped = (token_text(piece) if isinstance(piece, str) else escaped_for_token(piece) for piece in self.pieces)
        return ('"', *escaped, '"', *self._suffix("^^<", ">"))

    def _suffix(self, before: str, after: str) -> Pieces:
        if self.tag is not None:
            return ("@", self.tag)
        if isinstance(self.datatype, str):
            return () if self.datatype == XSD_STRING else (before, self.datatype, after)
        if self.datatype is None:
            return ()
        is_string = pc.or_kleene(pc.is_null(self.datatype), pc.equal(self.datatype, XSD_STRING))
        written = joined((before, self.datatype, after), self.length)
        return (pc.if_else(is_string, "", written),)


def concatenated(columns: list[TermColumn]) -> TermColumn:
    """The IRIs or blank nodes that one rule has made of several batches, one after the other."""
    if len(columns) == 1:
        return columns[0]
    kind = columns[0].kind
    assert kind != LITERAL_KIND, "a subject is not a literal"
    keys = pa.concat_arrays([column.keys for column in columns])
    content = pc.utf8_slice_codeunits(keys, 2) if kind == BLANK_KIND else keys
    reasons = [pa.nulls(one.length, pa.string()) if one.reason is None else one.reason for one in columns]
    return TermColumn(kind, (content,), len(keys), reason=pa.concat_arrays(reasons))


def _digest(graph: str) -> str:
    return hashlib.md5(graph.encode(), usedforsecurity=False).hexdigest()
