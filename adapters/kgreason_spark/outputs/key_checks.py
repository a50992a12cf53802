"""Whether columns of quads that come from elsewhere than a source have dictionary keys in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason.errors import TermError
from kgreason.rdf.keys import STRING_SUFFIX
from kgreason.rdf.triple_keys import CLOSING, OPENING
from kgreason_spark.frames import GRAPH, OBJECT, PREDICATE, QUAD, SUBJECT
from kgreason_spark.sources.statement_grammar import BLANK_NODE, IRI, LANGUAGE_TAG
from kgreason_spark.versions import is_valid_utf8

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame

_NEED_TAGS: Final = r"http://www\.w3\.org/1999/02/22-rdf-syntax-ns#(?:lang|dirLang)String"
_NODE: Final = rf"(?:{IRI}|{BLANK_NODE})"
_TAG: Final = rf"@{LANGUAGE_TAG}(?:--(?:ltr|rtl))?"
_LITERAL: Final = rf"\".*\"(?:{_TAG}|\^\^(?!{_NEED_TAGS}\z){IRI})?"
_PART: Final = rf"<{IRI}>|{BLANK_NODE}|\"(?:[^\"\\]|\\[\\\"nrt])*+\"(?:{_TAG}|\^\^<{IRI}>)?+"
_BEGINNING: Final = rf"(?:<<\( (?:<{IRI}>|{BLANK_NODE}) <{IRI}> )++"
_END: Final = r"(?: \)>>)++"
_TRIPLE: Final = rf"{_BEGINNING}(?:{_PART}){_END}"
"""A triple term but for how many ends it has: others are its objects alone."""
_FORMS: Final = {SUBJECT: _NODE, PREDICATE: IRI, OBJECT: rf"(?:{_NODE}|{_LITERAL}|{_TRIPLE})", GRAPH: _NODE}
_EXPECTED: Final = {
    SUBJECT: "an IRI as http://e/s, or _:label",
    PREDICATE: "an IRI as http://e/p",
    OBJECT: 'an IRI as http://e/o, _:label, a literal as "text", "text"@en or "1"^^http://e/d, or <<( a triple )>>',
    GRAPH: "an IRI as http://e/g, _:label, or null",
}
_NULL: Final = "null"


def normal_quads(quads: DataFrame, *others: Column) -> DataFrame:
    """The columns QUAD of a frame, strings without their datatype, and other columns."""
    typed = F.startswith(OBJECT, F.lit('"')) & F.endswith(OBJECT, F.lit(f'"{STRING_SUFFIX}'))
    plain = F.substr(F.col(OBJECT), F.lit(1), F.length(OBJECT) - len(STRING_SUFFIX))
    return quads.select(*QUAD, *others).withColumn(OBJECT, F.when(typed, plain).otherwise(F.col(OBJECT)))


def no_keys() -> list[Column]:
    """For each column of QUAD a metric of that name: the least value in it that is not a key, null where all are."""
    return [F.min(_no_key(column, form)).alias(column) for column, form in _FORMS.items()]


def check_keys(found: Mapping[str, str | None]) -> None:
    """Raise TermError for a value that `no_keys` has found; it names the column and the value."""
    for column in QUAD:
        if (value := found[column]) is not None:
            shown = value if value == _NULL else repr(value)
            raise TermError(f"{shown} is not a term", part=f"column {column}", expected=_EXPECTED[column])


def _is_closed(key: Column) -> Column:
    """Whether a key with the form of a triple term has as many ends as beginnings."""
    beginning = F.regexp_extract(key, rf"\A({_BEGINNING})", 1)
    ends = F.length(F.regexp_extract(key, rf"({_END})\z", 1)) / len(CLOSING)
    return F.size(F.split(beginning, r"<<\(")) - 1 == ends


def _no_key(column: str, form: str) -> Column:
    key = F.col(column)
    good = key.rlike(rf"(?s)\A{form}\z") & is_valid_utf8(key)
    if column == OBJECT:
        good &= ~F.startswith(key, F.lit(OPENING)) | _is_closed(key)
    missing = F.lit(None) if column == GRAPH else F.lit(_NULL)
    return F.when(key.isNull(), missing).when(~good, key)
