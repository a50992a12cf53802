"""Dictionary keys as column expressions: their tokens in N-Triples, and the form by which they are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason.rdf.triple_keys import OPENING
from kgreason_spark.frames import GRAPH, OBJECT, PREDICATE, SUBJECT

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


def statement_line() -> Column:
    """The line of N-Quads, without its end, of keys in the columns `kgreason_spark.frames.QUAD`."""
    space = F.lit(" ")
    graph = F.when(F.col(GRAPH).isNotNull(), F.concat(space, node_token(F.col(GRAPH)))).otherwise("")
    is_literal = F.startswith(OBJECT, F.lit('"'))
    # The key of a triple term is its token.
    is_triple = F.startswith(OBJECT, F.lit(OPENING))
    node = F.when(is_triple, F.col(OBJECT)).otherwise(node_token(F.col(OBJECT)))
    term = F.when(is_literal, literal_token(F.col(OBJECT))).otherwise(node)
    subject, predicate = node_token(F.col(SUBJECT)), node_token(F.col(PREDICATE))
    return F.concat(subject, space, predicate, space, term, graph, F.lit(" ."))


def language_tag(key: Column) -> Column:
    """The language tag of a literal with the ``@`` before it; null for other terms."""
    suffix = F.substring_index(key, '"', -1)
    return F.when(F.startswith(key, F.lit('"')) & F.startswith(suffix, F.lit("@")), suffix)


def folded_key(key: Column) -> Column:
    """The key with its language tag in lower case: the same for all spellings (`kgreason.rdf.keys.folded_key`)."""
    tag = language_tag(key)
    folded = F.concat(F.substr(key, F.lit(1), F.length(key) - F.length(tag)), F.lower(tag))
    return F.when(tag.isNotNull(), folded).otherwise(key)
