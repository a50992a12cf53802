"""Answers as W3C's result documents, piece by piece as solutions come: JSON, XML, CSV and TSV; triples as N-Triples.

A piece has at most `query_tuning.DOCUMENT_ROWS` rows, so a document of any length takes the memory of one piece, and
nothing is made before it is asked for. An error that ends the solutions ends the document in the middle.

Sources: SPARQL 1.2 Query Results JSON, XML, CSV and TSV Formats; RDF 1.2 N-Triples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final, TypeAlias
from xml.sax.saxutils import escape as escape_xml
from xml.sax.saxutils import quoteattr

from kgreason.algebra.local_terms import UNBOUND
from kgreason.arrow import pa, pc
from kgreason.rdf.model import Literal
from kgreason.relations.table import Ids
from kgreason.sparql import query_tuning
from kgreason.sparql.put_query import Answer
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.term_texts import Around, Terms, TermStyle, bytes_of, constant, joined, texts_of

Chunk: TypeAlias = tuple[Ids, Ids, Ids]
"""Columns of subjects, predicates and objects of one length."""

_ITS: Final = ' xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0"'
_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def _json_literal(suffix: str) -> Around:
    more = "".join(f'"{name}":{json.dumps(value, ensure_ascii=False)},' for name, value in _said_of(suffix))
    return f'{{"type":"literal",{more}"value":"', '"}'


def _xml_literal(suffix: str) -> Around:
    more = "".join(f" {name}={quoteattr(value)}" for name, value in _said_of(suffix))
    return f"<literal{_ITS if 'its:dir=' in more else ''}{more}>", "</literal>"


def _said_of(suffix: str) -> Iterator[tuple[str, str]]:
    """What JSON and XML say of a literal beside its text, by the end of its key."""
    if suffix[:1] == "@":
        language, _, direction = suffix[1:].partition("--")
        yield "xml:lang", language
        if direction:
            yield "its:dir", direction
    elif suffix:
        yield "datatype", suffix[2:]


def _line_literal(suffix: str) -> Around:
    return '"', f'"^^<{suffix[2:]}>' if suffix[:1] == "^" else f'"{suffix}'


def _escaped_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _escaped_xml(text: str) -> str:
    """With U+FFFD for what no XML document can have."""
    return _NO_XML.sub("\ufffd", escape_xml(text, {"\r": "&#13;"}))


def _escaped_line(text: str) -> str:
    return str(Literal(text))[1:-1]


def _escaped_csv(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


_CONTROLS: Final = r"\x00-\x1f"
_JSON: Final = TermStyle(
    ('{"type":"uri","value":"', '"}'), ('{"type":"bnode","value":"', '"}'), _json_literal,
    ('{"type":"triple","value":{"subject":', ',"predicate":', ',"object":', "}}"),
    rf'["\\{_CONTROLS}]', _escaped_json,
)  # fmt: skip
_XML: Final = TermStyle(
    ("<uri>", "</uri>"), ("<bnode>", "</bnode>"), _xml_literal,
    ("<triple><subject>", "</subject><predicate>", "</predicate><object>", "</object></triple>"),
    f"[&<>{_CONTROLS}\ufffe\uffff]", _escaped_xml,
)  # fmt: skip
_CSV: Final = TermStyle(("", ""), ("_:", ""), lambda _: ("", ""), None, r'[",\r\n]', _escaped_csv)
LINES: Final = TermStyle(
    ("<", ">"), ("_:", ""), _line_literal, ("<<( ", " ", " ", " )>>"), r'["\\\r\n\t]', _escaped_line
)
"""Terms as in N-Triples and in TSV."""


@dataclass(frozen=True, slots=True)
class RowFormat:
    """How a document writes solutions: what goes before and after all of them, and around each and its terms."""

    style: TermStyle
    row: Around
    between_rows: str
    between_terms: str
    end: str
    has_names: bool
    """Whether a term comes with its variable, and an unbound one not at all."""

    def start(self, variables: Sequence[str]) -> str:
        """What goes before all rows."""
        if self.style is _JSON:
            return f'{{"head":{{"vars":{json.dumps(list(variables), ensure_ascii=False)}}},"results":{{"bindings":['
        if self.style is _XML:
            names = "".join(f"<variable name={quoteattr(name)}/>" for name in variables)
            return f"{_XML_START}<head>{names}</head><results>"
        if self.style is _CSV:
            return ",".join(variables) + "\r\n"
        return "\t".join(f"?{name}" for name in variables) + "\n"

    def named(self, variable: str) -> Around:
        """What goes around the term of a variable."""
        if not self.has_names:
            return "", ""
        if self.style is _JSON:
            return f"{json.dumps(variable, ensure_ascii=False)}:", ""
        return f"<binding name={quoteattr(variable)}>", "</binding>"


_XML_START: Final = '<?xml version="1.0"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">'

ROW_FORMATS: Final = {
    "json": RowFormat(_JSON, ("{", "}"), ",\n", ",", "]}}\n", True),
    "xml": RowFormat(_XML, ("<result>", "</result>"), "\n", "", "</results></sparql>\n", True),
    "csv": RowFormat(_CSV, ("", "\r\n"), "", ",", "", False),
    "tsv": RowFormat(LINES, ("", "\n"), "", "\t", "", False),
}
"""Formats of the rows of a SELECT, by name."""


def rows_document(answer: Answer, format: str) -> Iterator[bytes]:
    """The rows of an answer in one of `ROW_FORMATS`: half a microsecond for each term."""
    chosen = ROW_FORMATS[format]
    before = chosen.start(answer.variables)
    for piece in _pieces(answer.batches):
        yield before.encode() + _rows(piece, answer, chosen)
        before = chosen.between_rows
    yield (chosen.end if before == chosen.between_rows else before + chosen.end).encode()


def truth_document(truth: bool, format: str) -> bytes:
    """The answer of an ASK; there is no such document in CSV and TSV, which get the word alone."""
    text = str(truth).lower()
    match format:
        case "json":
            return f'{{"head":{{}},"boolean":{text}}}\n'.encode()
        case "xml":
            return f"{_XML_START}<head/><boolean>{text}</boolean></sparql>\n".encode()
    return f"{text}\n".encode()


def triple_lines(chunks: Iterable[Chunk], terms: Terms) -> Iterator[bytes]:
    """Triples as N-Triples."""
    space, end = constant(" "), constant(" .\n")
    for chunk in chunks:
        for begin in range(0, len(chunk[0]), query_tuning.DOCUMENT_ROWS):
            end_row = begin + query_tuning.DOCUMENT_ROWS
            subjects, predicates, objects = (texts_of(column[begin:end_row], terms, LINES) for column in chunk)
            yield bytes_of(joined([subjects, space, predicates, space, objects, end]))


def _pieces(batches: Iterable[Solutions]) -> Iterator[Solutions]:
    """Solutions each in a row of its own, few to begin with, so that the first come soon."""
    size = query_tuning.DOCUMENT_FIRST
    for batch in batches:
        for rows in batch.spread_out(query_tuning.DOCUMENT_ROWS, size):
            begin = 0
            while begin < rows.length:
                yield rows.slice(begin, begin + size)
                begin, size = begin + size, query_tuning.DOCUMENT_ROWS


def _rows(piece: Solutions, answer: Answer, format: RowFormat) -> bytes:
    """Rows with what is between them, but not before the first."""
    if piece.length * len(answer.variables) <= query_tuning.FEW_DOCUMENT_TERMS:
        return _few_rows(piece, answer, format).encode()
    columns = [_terms(piece.column(name), name, answer.terms, format) for name in answer.variables]
    before, after = format.row
    if any(column.null_count for column in columns):
        # What is between terms stands before each; Arrow's own way to skip what is null drops rows.
        between = constant(format.between_terms)
        rows = joined([joined([between, column]).fill_null(constant("")) for column in columns])
        rows = pc.utf8_slice_codeunits(rows, len(format.between_terms))
    else:
        rows = joined(columns, format.between_terms)
    rows = joined([constant(format.between_rows + before), rows, constant(after)])
    return bytes_of(rows)[len(format.between_rows) :]


def _terms(column: Ids, name: str, terms: Terms, format: RowFormat) -> pa.Array:
    """The texts of a variable's terms, each with what goes before and after it."""
    texts = texts_of(column, terms, format.style)
    if not format.has_names:
        return texts.fill_null(constant(""))
    before, after = format.named(name)
    return joined([constant(before), texts, constant(after)])


def _few_rows(piece: Solutions, answer: Answer, format: RowFormat) -> str:
    """The same text by text, which is faster for few."""
    key, text = answer.terms.key, format.style.text
    around = [format.named(name) for name in answer.variables]
    columns = [piece.column(name).tolist() for name in answer.variables]
    rows = []
    for row in zip(*columns, strict=True) if columns else repeat((), piece.length):
        terms = [
            before + text(key(each)) + after if each != UNBOUND else ""
            for each, (before, after) in zip(row, around, strict=True)
            if each != UNBOUND or not format.has_names
        ]
        rows.append(format.row[0] + format.between_terms.join(terms) + format.row[1])
    return format.between_rows.join(rows)
