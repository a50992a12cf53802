"""Tokens of N-Triples for dictionary keys, as column expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column

_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def node_token(key: Column) -> Column:
    """The token of an IRI or a blank node."""
    is_blank = F.startswith(key, F.lit("_:"))
    return F.when(is_blank, key).otherwise(F.concat(F.lit("<"), key, F.lit(">")))


def literal_token(key: Column) -> Column:
    """The token of a literal."""
    suffix = F.substring_index(key, '"', -1)
    lexical = F.substr(key, F.lit(2), F.length(key) - F.length(suffix) - 2)
    for character, escape in _ESCAPES.items():
        lexical = F.replace(lexical, F.lit(character), F.lit(escape))
    datatype = F.concat(F.lit("^^<"), F.substring(suffix, 3, 0x7FFFFFFF), F.lit(">"))
    ending = F.when(F.startswith(suffix, F.lit("^^")), datatype).otherwise(suffix)
    return F.concat(F.lit('"'), lexical, F.lit('"'), ending)
