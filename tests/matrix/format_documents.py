"""Documents of each format with one triple for each term, and which terms a format cannot say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import RDF
from tests.matrix.terms import E, ntriples

Terms = Mapping[str, str]
"""For each name the N-Triples of a term."""

P: Final = f"{E}p"
# XML 1.0, section 2.2: what no document has, not even as a reference; and it reads \r as \n unless it is a reference.
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def can_be_in_xml(term: Term) -> bool:
    if isinstance(term, TripleTerm):
        return can_be_in_xml(term.object)
    return not (isinstance(term, Literal) and _NOT_IN_XML.search(term.lexical))


def is_of_rdf_1_1(term: Term) -> bool:
    return not isinstance(term, TripleTerm) and getattr(term, "direction", None) is None


def lines(terms: Terms) -> str:
    return "".join(f"<{E}s{number}> <{P}> {text} .\n" for number, text in enumerate(terms.values()))


def many_lines(terms: Terms) -> str:
    """So many that they are not read by a parser."""
    return lines(terms) + f"<{E}other> <{E}q> <{E}other> .\n" * 2000


def trig(terms: Terms) -> str:
    return f"{{ {lines(terms)} }}"


def turtle(terms: Terms) -> str:
    return f'@prefix e: <{E}> .\n# "comment"\n' + lines(terms).replace(f"<{P}>", "e:p")


def rdf_xml(terms: Mapping[str, Term]) -> str:
    described = "".join(_described(IRI(f"{E}s{number}"), IRI(P), term) for number, term in enumerate(terms.values()))
    names = f'xmlns:r="{RDF}" xmlns:its="http://www.w3.org/2005/11/its" r:version="1.2" its:version="2.0"'
    return f"<r:RDF {names}>{described}</r:RDF>"


def _described(subject: IRI | BlankNode, predicate: IRI, term: Term) -> str:
    about = f'r:about="{subject.value}"' if isinstance(subject, IRI) else f'r:nodeID="{subject.label}"'
    name = re.search(r"\w+$", predicate.value)
    assert name is not None
    space = predicate.value[: name.start()]
    begin, end = f'<r:Description {about}><e:{name[0]} xmlns:e="{space}"', "</r:Description>\n"
    match term:
        case TripleTerm(inner, property, object):
            return f'{begin} r:parseType="Triple">{_described(inner, property, object)}</e:{name[0]}>{end}'
        case IRI(value):
            return f"{begin} r:resource={quoteattr(value)}/>{end}"
        case BlankNode(label):
            return f'{begin} r:nodeID="{label}"/>{end}'
        case Literal(lexical, datatype, language, direction):
            more = f' xml:lang="{language}"' if language else f' r:datatype="{datatype}"' if datatype else ""
            more += f' its:dir="{direction}"' if direction else ""
            return f"{begin}{more}>{escape(lexical, {chr(13): '&#13;'})}</e:{name[0]}>{end}"


def json_ld(terms: Mapping[str, Term]) -> str:
    return json.dumps([{"@id": f"{E}s{number}", P: _valued(term)} for number, term in enumerate(terms.values())])


def _valued(term: Term) -> dict[str, Any]:
    match term:
        case IRI(value):
            return {"@id": value}
        case BlankNode(label):
            return {"@id": f"_:{label}"}
        case Literal(lexical, datatype, language, direction):
            more = {"@language": language} if language else {"@type": datatype} if datatype else {}
            return {"@value": lexical, **more, **({"@direction": direction} if direction else {})}
    raise AssertionError("JSON-LD has no triple terms")


def trix(terms: Mapping[str, Term]) -> str:
    triples = "".join(
        f"<triple><uri>{E}s{number}</uri><uri>{P}</uri>{_tagged(term)}</triple>"
        for number, term in enumerate(terms.values())
    )
    return f'<TriX xmlns="http://www.w3.org/2004/03/trix/trix-1/"><graph>{triples}</graph></TriX>'


def _tagged(term: Term) -> str:
    match term:
        case IRI(value):
            return f"<uri>{escape(value)}</uri>"
        case BlankNode(label):
            return f"<id>{label}</id>"
        case Literal(lexical, datatype, language):
            text = escape(lexical, {"\r": "&#13;"})
            if datatype:
                return f"<typedLiteral datatype={quoteattr(datatype)}>{text}</typedLiteral>"
            more = f' xml:lang="{language}"' if language else ""
            return f"<plainLiteral{more}>{text}</plainLiteral>"
    raise AssertionError("TriX has no triple terms")


def hextuples(terms: Mapping[str, Term]) -> str:
    return "".join(
        json.dumps([f"{E}s{number}", P, *_hextuple(term), ""]) + "\n" for number, term in enumerate(terms.values())
    )


def _hextuple(term: Term) -> tuple[str, str, str]:
    match term:
        case IRI(value):
            return value, "globalId", ""
        case BlankNode(label):
            return f"_:{label}", "localId", ""
        case Literal(lexical, None, None):
            return lexical, "http://www.w3.org/2001/XMLSchema#string", ""
        case Literal(lexical, datatype, language):
            return lexical, datatype or f"{RDF}langString", language or ""
    raise AssertionError("hextuples have no triple terms")


def of_texts(write: Callable[[Terms], str]) -> Callable[[Mapping[str, Term]], str]:
    """A format whose terms are those of N-Triples."""
    return lambda terms: write({name: ntriples(term) for name, term in terms.items()})


FORMATS: Final[dict[str, Callable[[Mapping[str, Term]], str]]] = {
    "nt": of_texts(lines),
    "many.nt": of_texts(many_lines),
    "nq": of_texts(lines),
    "many.nq": of_texts(many_lines),
    "ttl": of_texts(turtle),
    "trig": of_texts(trig),
    "n3": of_texts(turtle),
    "rdf": rdf_xml,
    "jsonld": json_ld,
}
"""By the endings of files."""
