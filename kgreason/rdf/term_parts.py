"""Terms made of texts and of other terms, and taken apart: functions of SPARQL 1.1, section 17.4.2, and of 1.2.

What is made is a valid term, or the function raises FunctionError.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache

from kgreason.errors import FunctionError, TermError
from kgreason.rdf.keys import key_of
from kgreason.rdf.literal_values import datatype_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.strings import simple_text
from kgreason.rdf.vocabulary import RDF_LANG_STRING


def datatype_iri(term: Term) -> Term:
    """``datatype``: that of a literal."""
    return IRI(datatype_of(_literal(term)))


def language_tag(term: Term) -> Term:
    """``lang``: the language of a literal, empty without one."""
    return _tag(_literal(term).language or "")


@lru_cache(maxsize=256)
def _tag(language: str) -> Literal:
    return Literal(language)


def base_direction(term: Term) -> Term:
    """``langdir``: the direction of a literal, empty without one."""
    return Literal(_literal(term).direction or "")


def iri_of(term: Term) -> Term:
    """``iri``: the IRI of a text."""
    return term if isinstance(term, IRI) else _valid(IRI(simple_text(term)))


def typed_literal(text: Term, datatype: Term) -> Term:
    """``strdt``: the literal of a text with a datatype."""
    if not isinstance(datatype, IRI) or datatype.value == RDF_LANG_STRING:
        raise FunctionError(f"{datatype} is not a datatype for a literal without a language")
    return _valid(Literal(simple_text(text), datatype.value))


def language_literal(text: Term, language: Term) -> Term:
    """``strlang``: the literal of a text in a language."""
    return _valid(Literal(simple_text(text), None, simple_text(language)))


def directed_literal(text: Term, language: Term, direction: Term) -> Term:
    """``strlangdir``: the same with a direction."""
    return _valid(Literal(simple_text(text), None, simple_text(language), simple_text(direction)))


def triple_term(subject: Term, predicate: Term, object: Term) -> Term:
    """``triple``: the triple term of three terms."""
    if not isinstance(subject, IRI | BlankNode) or not isinstance(predicate, IRI):
        raise FunctionError(f"{subject} and {predicate} are not a subject and a predicate")
    return _valid(TripleTerm(subject, predicate, object))


def triple_part(name: str) -> Callable[[Term], Term]:
    """``subject``, ``predicate`` and ``object``: the function of that part of a triple term."""

    def part(term: Term) -> Term:
        if not isinstance(term, TripleTerm):
            raise FunctionError(f"{term} is not a triple term")
        found: Term = getattr(term, name)
        return found

    return part


def skolem_node(*terms: Term) -> Term:
    """A blank node for some terms: the same one for the same terms, as RDFox's ``skolem``."""
    digest = hashlib.sha256("\x00".join(map(str, terms)).encode()).hexdigest()
    return BlankNode(f"skolem{digest[:32]}")


def _literal(term: Term) -> Literal:
    if not isinstance(term, Literal):
        raise FunctionError(f"{term} is not a literal")
    return term


def _valid(term: Term) -> Term:
    try:
        key_of(term)
    except TermError as error:
        raise FunctionError(str(error)) from error
    return term
