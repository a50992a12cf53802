"""Terms of every kind, in N-Triples as a file would have them, and as rdflib has them."""

from __future__ import annotations

import logging
from typing import Final

import pyoxigraph
import rdflib
from hypothesis import strategies as st

from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import XSD
from kgreason_rdflib import rdf_1_2_terms

E: Final = "http://e/"


def typed(lexical: str, name: str) -> Literal:
    return Literal(lexical, XSD + name)


KINDS: Final[dict[str, Term]] = {
    "plain": Literal("text"),
    "empty": Literal(""),
    "long": Literal("0123456789 " * 700),
    "like a key": Literal(f'a"@en^^{XSD}string'),
    "quotes, escapes and lines": Literal("\"quoted\" \\n \\ 'single' \t\n\r\n ."),
    "beyond the basic plane": Literal("\U0001f600 \U0010fffd é \u2028"),
    "control characters": Literal("\x00\x01\x08\x0b\x0c\x1f\x7f\x85"),
    "no characters": Literal("\ufffe\uffff"),
    "spaces at the ends": Literal("  a  "),
    "tag": Literal("a", None, "en"),
    "tag of a region": Literal("a", None, "en-GB"),
    "another spelling": Literal("b", None, "EN-us"),
    "tag of a script": Literal("a", None, "zh-Hant-TW"),
    "private tag": Literal("", None, "x-Private"),
    "tagged line": Literal("two\nlines @en \U0001f600", None, "de-CH"),
    "integer": typed("1", "integer"),
    "integer with zeros": typed("007", "integer"),
    "integer with a sign": typed("+1", "integer"),
    "long integer": typed("9" * 60, "integer"),
    "ill-typed integer": typed(" 1 x", "integer"),
    "byte": typed("01", "byte"),
    "decimal": typed("1.50", "decimal"),
    "double": typed("1e0", "double"),
    "double in another form": typed("1.0E0", "double"),
    "not a number": typed("NaN", "double"),
    "minus zero": typed("-0.0", "float"),
    "boolean": typed("true", "boolean"),
    "boolean as a digit": typed("1", "boolean"),
    "date": typed("2020-02-29", "date"),
    "date with a zone": typed("2020-02-29+05:30", "date"),
    "moment": typed("2020-01-01T00:00:00", "dateTime"),
    "moment with a zone": typed("2020-01-01T00:00:00.000Z", "dateTime"),
    "end of a day": typed("2020-01-01T24:00:00Z", "dateTime"),
    "year": typed("-0044", "gYear"),
    "binary": typed("0aFF", "hexBinary"),
    "a datatype of one's own": Literal("a", E + "type#größe"),
    "IRI": IRI(E + "o?q=1&r=2#f"),
    "IRI with percent": IRI(E + "a%20b%C3%A9%2f"),
    "international IRI": IRI("http://é.example/größe/日本#\U0001f600"),
    "IRI of another scheme": IRI("urn:uuid:0-A_b~'()*"),
    "blank node": BlankNode("b0"),
    "direction": Literal("a", None, "ar", "rtl"),
    "the other direction": Literal("a", None, "ar", "ltr"),
    "direction and a region": Literal("b\n", None, "ar-EG", "rtl"),
    "triple term": TripleTerm(IRI(E + "s"), IRI(E + "p#q"), IRI("http://é.example/größe/日本#\U0001f600")),
    "triple term of a text": TripleTerm(IRI(E + "s"), IRI(E + "p"), Literal("\"quoted\" \\n \\ 'single' \t\n\r )>> .")),
    "triple term of a tag": TripleTerm(IRI(E + "s"), IRI(E + "p"), Literal("in it", None, "en-gb")),
    "triple term of a direction": TripleTerm(IRI(E + "s"), IRI(E + "p"), Literal("a", None, "ar", "rtl")),
    "triple term of a number": TripleTerm(IRI(E + "s"), IRI(E + "p"), typed("007", "integer")),
    "triple term of a blank node": TripleTerm(BlankNode("b1"), IRI(E + "p"), BlankNode("b2")),
    "triple term in another one": TripleTerm(
        IRI(E + "s"), IRI(E + "p"), TripleTerm(IRI(E + "s"), IRI(E + "p"), Literal("a"))
    ),
}
"""A term of each kind; each is another term. A tag in a triple term is kept in lower case."""

SAME: Final = {
    "plain": f'"text"^^<{XSD}string>',
    "empty": f'""^^<{XSD}string>',
    "tag": '"a"@EN',
    "tag of a region": '"a"@EN-gb',
    "tag of a script": '"a"@zh-hant-tw',
    "direction": '"a"@AR--rtl',
    "triple term of a tag": f'<<(<{E}s> <{E}p> "in it"@EN-GB)>>',
    "triple term in another one": f'<<( <{E}s>\t<{E}p> <<( <{E}s> <{E}p> "a"^^<{XSD}string> )>> )>>',
}
"""Other ways to write some of them, in N-Triples."""

_TEXTS: Final = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
_TAGS: Final = st.sampled_from(["en", "en-GB", "EN-gb", "de-CH-1996", "x-a-B", "i-klingon"])
_NAMES: Final = st.sampled_from(["string", "integer", "double", "dateTime", "date", "boolean", "anyURI"])
_PATHS: Final = st.text(st.sampled_from("aZ09-._~é日%\U0001f600"), max_size=6).map(
    lambda text: text.replace("%", "%4f")
)
RANDOM: Final[st.SearchStrategy[Term]] = st.one_of(
    st.builds(Literal, _TEXTS),
    st.builds(lambda text, tag: Literal(text, None, tag), _TEXTS, _TAGS),
    st.builds(lambda text, direction: Literal(text, None, "ar", direction), _TEXTS, st.sampled_from(["ltr", "rtl"])),
    st.builds(lambda text: TripleTerm(IRI(E), IRI(E + "p"), Literal(text)), _TEXTS),
    st.builds(typed, _TEXTS | st.sampled_from(["1", "01", "1e0", "2020-01-01Z", "true"]), _NAMES),
    st.builds(lambda path: IRI(E + path), _PATHS),
)
"""Terms that are no blank nodes: those are another one in each document."""


def quoted(text: str) -> str:
    """A text in N-Triples, with as few escapes as can be."""
    for character, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(character, escape)
    return f'"{text}"'


def ntriples(term: Term) -> str:
    """A term in N-Triples, written here and not by what is tested."""
    match term:
        case IRI(value):
            return f"<{value}>"
        case BlankNode(label):
            return f"_:{label}"
        case Literal(lexical, None, None):
            return quoted(lexical)
        case Literal(lexical, datatype, None):
            return f"{quoted(lexical)}^^<{datatype}>"
        case Literal(lexical, _, language, direction):
            return f"{quoted(lexical)}@{language}" + (f"--{direction}" if direction else "")
        case TripleTerm(subject, predicate, object):
            return f"<<( {ntriples(subject)} {ntriples(predicate)} {ntriples(object)} )>>"


def to_rdflib(term: Term) -> rdflib.term.Node:
    """A term as a user of rdflib writes it who wants it left alone."""
    match term:
        case IRI(value):
            return rdflib.URIRef(value)
        case BlankNode(label):
            return rdflib.BNode(label)
        case TripleTerm(subject, predicate, object):
            return rdf_1_2_terms.TripleTerm(to_rdflib(subject), to_rdflib(predicate), to_rdflib(object))
        case Literal(lexical, _, str(language), str(direction)):
            return rdf_1_2_terms.DirectedLiteral(lexical, language, direction)
        case Literal(lexical, datatype, language):
            logging.getLogger("rdflib.term").setLevel(logging.ERROR + 1)  # of ill-typed literals
            return rdflib.Literal(lexical, language, datatype, normalize=False)


def from_rdflib(node: object) -> Term:
    """An rdflib term by what it shows."""
    if isinstance(node, rdflib.URIRef):
        return IRI(str(node))
    if isinstance(node, rdflib.BNode):
        return BlankNode(str(node))
    if isinstance(node, rdf_1_2_terms.TripleTerm):
        return TripleTerm(*map(from_rdflib, node))  # type: ignore[arg-type] # the classes are those of the places
    assert isinstance(node, rdflib.Literal)
    if isinstance(node, rdf_1_2_terms.DirectedLiteral):
        return Literal(str(node), None, node.tag, node.direction)
    return Literal(str(node), None if node.datatype is None else str(node.datatype), node.language)


def from_oxigraph(term: object) -> Term:
    """A term of pyoxigraph's, a reader that shares no code with ours."""
    match term:
        case pyoxigraph.NamedNode():
            return IRI(term.value)
        case pyoxigraph.BlankNode():
            return BlankNode(term.value)
        case pyoxigraph.Triple():
            return TripleTerm(*map(from_oxigraph, term))  # type: ignore[arg-type] # the classes are those of the places
    assert isinstance(term, pyoxigraph.Literal)
    if term.language is not None:
        return Literal(term.value, None, term.language, str(term.direction) if term.direction else None)
    return Literal(term.value, term.datatype.value)


def shown(term: Term, *, tags: bool = True) -> Term:
    """A term as it is to be compared: blank nodes are alike, and without `tags` so are all spellings of a tag."""
    match term:
        case BlankNode():
            return BlankNode("")
        case Literal(lexical, None, str(language), direction):
            return Literal(lexical, None, language if tags else language.lower(), direction)
        case TripleTerm(subject, predicate, object):
            return TripleTerm(*(shown(part, tags=tags) for part in (subject, predicate, object)))  # type: ignore[arg-type]  # the parts are in their places
    return term
