"""Escape sequences of N-Triples, and the characters that they stand for, as column expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column

_BACKSLASH: Final = "\\"
_CHARACTERS: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'"}
_LONG_DIGITS: Final = 8


def unescaped(text: Column) -> Column:
    """The text without escape sequences, all of which must be valid; one without a backslash costs a search for it."""
    # Cut at escaped backslashes first: what is left of a backslash then begins an escape sequence.
    pieces = F.transform(F.split(text, r"\\\\", -1), _without_escapes)
    return F.when(F.contains(text, F.lit(_BACKSLASH)), F.array_join(pieces, _BACKSLASH)).otherwise(text)


def _without_escapes(piece: Column) -> Column:
    for letter, character in _CHARACTERS.items():
        piece = F.replace(piece, F.lit(_BACKSLASH + letter), F.lit(character))
    long = F.regexp_replace(piece, r"\\u(.{4})", r"\\U0000$1")
    parts = F.split(long, r"\\U", -1)
    later = F.transform(F.slice(parts, 2, F.size(parts)), _decoded)
    decoded = F.concat(F.element_at(parts, 1), F.array_join(later, ""))
    return F.when(F.contains(piece, F.lit(_BACKSLASH)), decoded).otherwise(piece)


def _decoded(part: Column) -> Column:
    """What begins with eight hexadecimal digits, with their character in place of them."""
    digits = F.substring(part, 1, _LONG_DIGITS)
    character = F.decode(F.unhex(digits), "UTF-32")
    return F.concat(character, F.substring(part, _LONG_DIGITS + 1, 0x7FFFFFFF))
