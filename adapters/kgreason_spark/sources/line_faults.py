"""Why a line is not a statement, as far as one can tell from the line: looked for only in lines that are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason_spark.sources.statement_grammar import BLANK_NODE, IRI, LANGUAGE_TAG, UNICODE_ESCAPE
from kgreason_spark.versions import is_valid_utf8

if TYPE_CHECKING:
    from pyspark.sql import Column

NOT_UTF8: Final = "not valid UTF-8"
TRIPLE_TERM: Final = "a triple term that is not valid"
DIRECTION: Final = "a base direction that is not ltr or rtl"
SUBJECT_LITERAL: Final = "a literal as subject"
PREDICATE_NO_IRI: Final = "a predicate that is not an IRI"
BAD_ESCAPE: Final = "an unknown escape sequence"
BAD_IRI: Final = "an IRI that is relative or not valid"
BAD_LABEL: Final = "a label of a blank node that is not valid"
BAD_TAG: Final = "a language tag that is not valid"
NEEDS_TAG: Final = "a literal of rdf:langString without a language"
NO_END: Final = "no full stop at the end"
UNCLOSED: Final = "a literal or an IRI without an end"
GRAPH_IN_TRIPLES: Final = "a graph in a file of N-Triples"
OTHER: Final = "not a statement"

_IRI: Final = r"<[^>]*+>"
_NODE: Final = rf"(?:{_IRI}|_:\S++)"
_LITERAL: Final = r"\"(?:[^\"\\]|\\.)*+\"(?:@[^\s<\"]++|\s*+\^\^\s*+<[^>]*+>)?+"
_SPACE: Final = r"[ \t]*+"


def reason_for(row: Column, quads: bool) -> Column:
    """The first reason that applies to a line."""
    term = rf"(?:{_NODE}|{_LITERAL})"
    loose = rf"\A{_SPACE}{_NODE}{_SPACE}{_IRI}{_SPACE}{term}{_SPACE}"
    outside = F.regexp_replace(row, r"\"(?:[^\"\\]|\\.)*+\"", '""')
    without_iris = F.regexp_replace(outside, _IRI, "<>")
    cases: tuple[tuple[str, Column], ...] = (
        (NOT_UTF8, ~is_valid_utf8(row)),
        (TRIPLE_TERM, F.contains(outside, F.lit("<<"))),
        (SUBJECT_LITERAL, row.rlike(rf"\A{_SPACE}\"")),
        (UNCLOSED, without_iris.rlike(r"<[^>]*\z|\A(?:[^\"]*+\"[^\"]*+\")*+[^\"]*+\"[^\"]*+\z")),
        (PREDICATE_NO_IRI, row.rlike(rf"\A{_SPACE}{_NODE}{_SPACE}(?!{_IRI})")),
        (BAD_ESCAPE, row.rlike(rf"\A(?:[^\\]|\\[tbnrf\"'\\]|{UNICODE_ESCAPE})*+\\")),
        (BAD_IRI, outside.rlike(rf"<(?!{IRI}>)")),
        (BAD_LABEL, without_iris.rlike(rf"_:(?!{BLANK_NODE[2:]}(?:[ \t<.]|\z))")),
        (DIRECTION, without_iris.rlike(r"\"@[A-Za-z0-9-]+--")),
        (BAD_TAG, without_iris.rlike(rf"\"{_SPACE}@(?!{LANGUAGE_TAG})")),
        (NEEDS_TAG, row.rlike(r"\^\^[ \t]*<http://www\.w3\.org/1999/02/22-rdf-syntax-ns#(?:lang|dirLang)String>")),
        (NO_END, row.rlike(rf"{loose}(?:{_NODE}{_SPACE})?\z")),
        *(() if quads else ((GRAPH_IN_TRIPLES, row.rlike(rf"{loose}{_NODE}{_SPACE}\.")),)),
    )
    reason = F.when(cases[0][1], cases[0][0])
    for text, applies in cases[1:]:
        reason = reason.when(applies, text)
    return reason.otherwise(OTHER)
