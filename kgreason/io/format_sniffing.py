"""The format of a file of RDF by its first bytes, for names that do not tell it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from pyoxigraph import RdfFormat, parse

from kgreason.errors import LoadError
from kgreason.io.formats import Format, OwlFormat, looks_like_turtle
from kgreason.io.streams import BYTE_ORDER_MARK
from kgreason.io.xml_encodings import beginning_as_utf8

SNIFFED: Final = 1 << 16
"""How many bytes to look at."""

_FORMATS: Final = "N-Triples, N-Quads, Turtle, TriG, RDF/XML, JSON-LD or Parquet"
_TAR: Final = slice(257, 262), b"ustar"

# An element has attributes, at least for its namespace; an IRI has no blanks.
_XML: Final = re.compile(rb"<\?xml|<!--|<!DOCTYPE|<[^<>\s]+\s+[^<>\s=]+\s*=")
_RDF_NAMESPACE: Final = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_JSON: Final = re.compile(rb'(?:\[\s*)*(?:\{\s*["}]|\[\s*\]\s*\Z)')
_COMMENTS: Final = rb"(?:\s++|#[^\n]*+\n)*"
_OBO: Final = re.compile(rb"(?:\s++|![^\n]*+\n)*(?:(?:format-version|ontology):[ \t]*[^\s<]|\[Term\]\s*\n)")
_MANCHESTER: Final = re.compile(_COMMENTS + rb"(?:Prefix:\s+[^\s:<>]*:\s*<|Ontology:\s)")
_OWL_XML: Final = re.compile(
    # Each alternative ends at one place only, so that going back into them takes no time.
    rb"""\A(?:\s++|<\?(?:[^?]++|\?(?!>))*\?>|<!--(?:[^-]++|-(?!->))*-->"""
    rb"""|<!DOCTYPE[^\[>]*+(?:\[(?:[^\]]++|\](?!\s*+>))*\]\s*+)?>)*<(?P<prefix>[\w.-]+:)?Ontology\s"""
    rb"""[^>]*?\bxmlns(?(prefix):[\w.-]+)\s*=\s*["']http://www\.w3\.org/2002/07/owl#["']""",
    re.DOTALL,
)
"""The first element is an ontology of OWL."""
_FUNCTIONAL: Final = re.compile(_COMMENTS + rb"(?:Prefix\s*\([^\s()]*:\s*=|Ontology\s*\()")
_KEYWORD: Final = re.compile(rb'"@(?:context|id|graph|type|value|set|list|included|reverse|base|vocab)"')
_DIRECTIVE: Final = re.compile(
    rb"^[ \t]*(?:@prefix\s+[^\s:]*:|@base\s+<|prefix\s+[^\s:]*:\s*<|base\s*<|@version\b)", re.M | re.I
)
_NODE: Final = rb"(?:<[^<>\s]*>|_:[^\s<>\"]+)"
_LITERAL: Final = rb'"(?:[^"\\\n\r]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^<>\s]*>)?'
_STATEMENT: Final = re.compile(
    rb"[ \t]*%b[ \t]*<[^<>\s]*>[ \t]*(?:%b|%b|<<\(.*\)>>)[ \t]*(?:%b[ \t]*)?\.[ \t]*(?:#.*)?"
    % (_NODE, _NODE, _LITERAL, _NODE)
)
_LONG_STATEMENT: Final = re.compile(rb'[ \t]*%b[ \t]*<[^<>\s]*>[ \t]*["<_]' % _NODE)
_NOTHING: Final = re.compile(rb"[ \t\r]*(?:#.*|VERSION[ \t]*[\"'].*)?", re.I)


def format_of_content(beginning: bytes, complete: bool) -> Format | None:
    """The format of a file that begins with some bytes, None for an unknown one.

    What could be N-Triples is taken for N-Quads and what could be Turtle for TriG, which read the same and more: names
    of graphs may come later. Files in lines are known by most of their lines, so that a malformed one is reported as
    what it is. Nothing at all is read as no triples.

    Args:
        beginning: the first bytes, best SNIFFED of them, without compression.
        complete: whether they are all.
    """
    text = beginning_as_utf8(beginning).removeprefix(BYTE_ORDER_MARK).lstrip()
    if not text:
        return RdfFormat.N_QUADS if complete else None
    if _XML.match(text):
        return owl_format_of_content(text) or (RdfFormat.RDF_XML if _RDF_NAMESPACE in text else None)
    if _JSON.match(text):
        return RdfFormat.JSON_LD if _KEYWORD.search(text) else None
    return owl_format_of_content(text) or _format_of_statements(text, complete)


def owl_format_of_content(beginning: bytes) -> OwlFormat | None:
    """The syntax of OWL in which something begins, None for anything else."""
    text = beginning_as_utf8(beginning).removeprefix(BYTE_ORDER_MARK).lstrip()
    if _XML.match(text):
        return OwlFormat.OWL_XML if _OWL_XML.search(text) else None
    if _OBO.match(text):
        return OwlFormat.OBO
    if _MANCHESTER.match(text):
        return OwlFormat.MANCHESTER
    return OwlFormat.FUNCTIONAL if _FUNCTIONAL.match(text) else None


def written_as(beginning: bytes) -> Format:
    """The format of a file that has the name of RDF/XML: OWL tools write Turtle and syntaxes of OWL under it."""
    if looks_like_turtle(beginning_as_utf8(beginning)):
        return owl_format_of_content(beginning) or RdfFormat.TURTLE
    return owl_format_of_content(beginning) or RdfFormat.RDF_XML


def _format_of_statements(text: bytes, complete: bool) -> RdfFormat | None:
    """The format of a text of statements: N-Quads, TriG, or None."""
    lines = text.split(b"\n")
    if not complete and len(lines) == 1:
        return RdfFormat.N_QUADS if _LONG_STATEMENT.match(text) else None
    if not complete:
        lines.pop()
    statements = [line for line in lines if not _NOTHING.fullmatch(line)]
    shaped = sum(_STATEMENT.fullmatch(line.rstrip(b"\r")) is not None for line in statements)
    if shaped == len(statements):
        return RdfFormat.N_QUADS
    if _DIRECTIVE.search(text):
        return RdfFormat.TRIG
    if 2 * shaped >= len(statements):
        return RdfFormat.N_QUADS
    return RdfFormat.TRIG if _has_triples(text) else None


def _has_triples(text: bytes) -> bool:
    """Whether the text begins with at least one triple of Turtle or TriG."""
    try:
        return bool(list(islice(parse(input=text, format=RdfFormat.TRIG, base_iri="http://a/"), 1)))
    except (SyntaxError, ValueError):
        return False


def unknown_format(beginning: bytes, name: str) -> LoadError:
    """The error for a document that begins so, and of which the name tells nothing."""
    place, mark = _TAR
    if beginning[place] == mark:
        return LoadError("a tar archive", path=name, expected="the files in it, or a zip archive of them")
    shown = repr(beginning[:40].decode(errors="replace").split("\n")[0])
    reason = f"and none begins with {shown}" if beginning else "and there is nothing in it"
    reason = f"the name does not tell an RDF format, {reason}"
    return LoadError(reason, path=name, expected=f"{_FORMATS}, or its format given")
