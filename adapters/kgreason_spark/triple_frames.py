"""Frames of a caller as triples: columns of N-Triples terms, of plain values with datatypes, of keys, or of ids.

What comes out has the columns `subject`, `predicate`, `object` and `graph`, all strings: dictionary keys
(`kgreason.rdf.keys`), that is an IRI as it is, ``_:label``, and ``"text"``, ``"text"@en`` or ``"1"^^datatype`` without
escapes; the graph is null in the default graph. Nothing is computed here; what is not a term is refused when triples
are written or derived from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F
from pyspark.sql import types as T

from kgreason.errors import OptionError
from kgreason.io.term_tables import columns_of
from kgreason.rdf.triple_keys import OPENING
from kgreason.rdf.vocabulary import XSD_STRING
from kgreason_spark.failures import one_line
from kgreason_spark.frames import GRAPH, OBJECT, QUAD
from kgreason_spark.ingestion.natural import natural_value
from kgreason_spark.ingestion.source_rows import quoted
from kgreason_spark.sources.escapes import unescaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

TermStyle: TypeAlias = Literal["ntriples", "plain", "ids"]

_REST: Final = 0x7FFFFFFF


def as_triples(
    frame: DataFrame,
    columns: Sequence[str] | None = None,
    *,
    terms: TermStyle = "plain",
    datatype: str | Column | None = None,
    language: str | Column | None = None,
    dictionary: DataFrame | None = None,
) -> DataFrame:
    """A frame as triples.

    Args:
        columns: the names for subjects, predicates, objects and perhaps graphs; by default ``s``, ``p``, ``o``, ``g``
            or ``subject``, ``predicate``, ``object``, ``graph``.
        terms: ``ntriples`` (``<http://e/s>``, ``"x"@en``), ``plain`` (``http://e/s``, ``"x"@en``), or ``ids`` of a
            dictionary.
        datatype, language: columns with the datatype and the language tag of the object where it is a literal, which
            then is a text without quotation marks; where both are null, the object is an IRI or a blank node.
        dictionary: for ids, a frame of `id` and `term`, as in encoded triples.

    A typed object may be of any type of Spark that is one value, and is written as XSD writes it: an instant in UTC.
    All other columns are text.

    Raises:
        OptionError: there are no such columns, they are of other types, or the arguments do not go together.
    """
    if not hasattr(frame, "sparkSession"):
        raise OptionError(f"{type(frame).__name__} is not a DataFrame", "frame", frame)
    if terms not in get_args(TermStyle):
        raise OptionError(f"unknown terms {terms!r}; there are {', '.join(get_args(TermStyle))}", "terms", terms)
    try:
        names = columns_of(frame.columns, columns)
    except ValueError as error:
        raise OptionError(str(error), "columns", columns) from None
    if (terms == "ids") != (dictionary is not None):
        raise OptionError("ids and a dictionary go together", "dictionary", dictionary)
    is_typed = datatype is not None or language is not None
    if is_typed and terms != "plain":
        raise OptionError("only plain objects have datatypes in columns of their own", "terms", terms)
    try:
        if dictionary is not None:
            ids = (quoted(name).alias(place) for name, place in zip(names, QUAD, strict=False))
            return decoded_quads(frame.select(*ids), dictionary)
        keys = [_text_of(frame, name, is_typed and place == OBJECT) for name, place in zip(names, QUAD, strict=False)]
        if terms == "ntriples":
            keys = [_key_of_token(key) for key in keys]
        if is_typed:
            keys[2] = _typed_key(keys[2], _column(datatype), _column(language))
        keys += [F.lit(None).cast("string")] * (len(QUAD) - len(keys))
        return frame.select(*(key.alias(name) for key, name in zip(keys, QUAD, strict=True)))
    except AnalysisException as error:
        raise OptionError(one_line(str(error)), "columns", names) from None


def _text_of(frame: DataFrame, name: str, is_value: bool) -> Column:
    """The text of a column."""
    column, kind = quoted(name), frame.select(quoted(name)).schema[0].dataType
    value = natural_value(column, kind) if is_value else None
    if value is not None:
        return value.text
    if not isinstance(kind, T.StringType | T.CharType | T.VarcharType | T.NullType):
        expected = "a type of one value" if is_value else "text; an object of another type has a datatype="
        reason = f"the column {name} is of type {kind.simpleString()}"
        raise OptionError(reason, "columns", name, expected=expected)
    return column.cast("string")


def _column(given: str | Column | None) -> Column:
    if given is None:
        return F.lit(None).cast("string")
    return quoted(given) if isinstance(given, str) else given


def _typed_key(text: Column, datatype: Column, language: Column) -> Column:
    literal = F.concat(F.lit('"'), text, F.lit('"'))
    return (
        F.when(language.isNotNull(), F.concat(literal, F.lit("@"), language))
        .when(datatype == XSD_STRING, literal)
        .when(datatype.isNotNull(), F.concat(literal, F.lit("^^"), datatype))
        .otherwise(text)
    )


def _key_of_token(token: Column) -> Column:
    """The key of a token of N-Triples; what is none is no key either."""
    inner = unescaped(F.substr(token, F.lit(2), F.length(token) - 2))
    suffix = F.substring_index(token, '"', -1)
    lexical = unescaped(F.substr(token, F.lit(2), F.length(token) - F.length(suffix) - 2))
    datatype = unescaped(F.substr(suffix, F.lit(4), F.length(suffix) - 4))
    ending = F.when(F.startswith(suffix, F.lit("^^<")), F.concat(F.lit("^^"), datatype)).otherwise(suffix)
    literal = F.concat(F.lit('"'), lexical, F.lit('"'), F.when(ending == f"^^{XSD_STRING}", "").otherwise(ending))
    return (
        # The key of a triple term is its token.
        F.when(F.startswith(token, F.lit(OPENING)), token)
        .when(F.startswith(token, F.lit("<")) & F.endswith(token, F.lit(">")), inner)
        .when(F.startswith(token, F.lit('"')), literal)
        .when(F.startswith(token, F.lit("_:")), token)
        .when(token.isNotNull(), F.concat(F.lit("? "), token))
    )


def decoded_quads(quads: DataFrame, dictionary: DataFrame) -> DataFrame:
    """The triples of columns of ids, under a dictionary of `id` and `term`: a join for each column. What becomes of an
    id that it does not have is no term, and refused as such."""
    for name in quads.columns:
        terms = dictionary.select(F.col("id").alias(name), F.col("term").alias(f"{name}_term"))
        unknown = F.concat(F.lit("? id "), F.col(name).cast("string"))
        quads = quads.join(terms, name, "left").withColumn(f"{name}_term", F.coalesce(f"{name}_term", unknown))
    if GRAPH not in quads.columns:
        quads = quads.withColumn(f"{GRAPH}_term", F.lit(None).cast("string"))
    return quads.select(*(F.col(f"{name}_term").alias(name) for name in QUAD))
