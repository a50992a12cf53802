"""String functions, after SPARQL 1.1 section 17.4.3."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from urllib.parse import quote

from kgreason.errors import FunctionError
from kgreason.rdf.literal_values import STRING_TYPES, datatype_of
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.numbers import boolean_literal, plain_number, required_value
from kgreason.rdf.regular_expressions import compiled, replaced
from kgreason.rdf.text_lengths import check_length


def text_of(term: Term) -> str:
    """The text of a string literal, with or without a language."""
    if isinstance(term, Literal) and (term.language is not None or datatype_of(term) in STRING_TYPES):
        return term.lexical
    raise FunctionError(f"{term} is not a string")


def simple_text(term: Term) -> str:
    """The text of a string without a language."""
    if isinstance(term, Literal) and term.language is not None:
        raise FunctionError(f"{term} has a language")
    return text_of(term)


def like(model: Term, text: str) -> Literal:
    """A string literal with the language and base direction, or the datatype, of another one."""
    assert isinstance(model, Literal)
    return Literal(text, model.datatype, model.language, model.direction)


def compatible(first: Term, second: Term) -> tuple[str, str]:
    """The texts of two strings that SPARQL lets meet: the second without a language or with that of the first."""
    text, part = text_of(first), text_of(second)
    language = _language_of(second)
    if language is not None and language != _language_of(first):
        raise FunctionError(f"{first} and {second} differ in language")
    return text, part


def _language_of(term: Term) -> str | None:
    """The language tag of a string with its base direction, in lower case: tags are the same in any."""
    return term.tag.lower() if isinstance(term, Literal) and term.language is not None else None


def str_of(term: Term) -> Term:
    """``str``: the text of an IRI or a literal."""
    match term:
        case IRI(value):
            return Literal(value)
        case Literal(lexical):
            return Literal(lexical)
    raise FunctionError(f"{term} has no string")


def substring(term: Term, start: Term, length: Term | None = None) -> Term:
    """``substr``: characters from a position, counted from 1."""
    begin = int(plain_number(required_value(start)))
    text = text_of(term)
    end = begin + int(plain_number(required_value(length))) if length is not None else len(text) + 1
    return like(term, text[max(begin, 1) - 1 : max(end, 1) - 1])


def before(term: Term, part: Term) -> Term:
    """``strbefore``"""
    text, needle = compatible(term, part)
    at = text.find(needle)
    return like(term, text[:at]) if at >= 0 else Literal("")


def after(term: Term, part: Term) -> Term:
    """``strafter``"""
    text, needle = compatible(term, part)
    at = text.find(needle)
    return like(term, text[at + len(needle) :]) if at >= 0 else Literal("")


def concatenation(*terms: Term) -> Term:
    """``concat``: with the language or datatype that all arguments share."""
    texts = [*map(text_of, terms)]
    check_length(sum(map(len, texts)))
    text = "".join(texts)
    kinds = {(_language_of(term), getattr(term, "datatype", None)) for term in terms}
    return like(terms[0], text) if len(kinds) == 1 else Literal(text)


def matches(term: Term, pattern: Term, flags: Term | None = None) -> Term:
    """``regex``"""
    return boolean_literal(compiled(text_of(pattern), _flags(flags)).search(text_of(term)))


def replacement(term: Term, pattern: Term, new: Term, flags: Term | None = None) -> Term:
    """``replace``"""
    return like(term, replaced(text_of(term), text_of(pattern), text_of(new), _flags(flags)))


def _flags(flags: Term | None) -> str:
    return "" if flags is None else text_of(flags)


def language_matches(tag: Term, wanted: Term) -> Term:
    """``langMatches``: a basic language range against a tag."""
    have, want = text_of(tag).lower(), text_of(wanted).lower()
    return boolean_literal(bool(have) and (want in ("*", have) or have.startswith(want + "-")))


def hex_digest(name: str, text: str) -> str:
    """What a hash algorithm makes of a text in UTF-8, in hexadecimal digits."""
    return hashlib.new(name, text.encode()).hexdigest()


def digest(name: str) -> Callable[[Term], Term]:
    """The function of a hash algorithm, by its name."""
    return lambda term: Literal(hex_digest(name, text_of(term)))


def uri_encoded(text: str) -> str:
    """A text with all that is reserved in IRIs escaped, as ``encode_for_uri`` has it."""
    return quote(text, safe="~")
