"""Functions of terms in SPARQL: its own on top of those that rules have, too (`terms.functions`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urljoin

from kgreason.errors import FunctionError, TermError
from kgreason.terms.casts import CASTS
from kgreason.terms.comparison import compared, same_term
from kgreason.terms.durations import are_moments, moved
from kgreason.terms.functions import evaluate
from kgreason.terms.keys import key_of
from kgreason.terms.model import IRI, Literal, Term
from kgreason.terms.numbers import boolean_literal
from kgreason.terms.strings import text_of
from kgreason.terms.times import time_zone, zone_text
from kgreason.terms.values import NoValueError
from kgreason.terms.vocabulary import RDF_LANG_STRING, XSD_INTEGER

_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_ZERO: Final = Literal("0", XSD_INTEGER)


def applied(function: str, arguments: Sequence[Term], base: str | None = None) -> Term:
    """The value of a function; FunctionError where it has none. Relative IRIs are resolved against `base`."""
    own = _OWN.get(function)
    if own is None:
        found = _iri(arguments, base) if function in ("iri", "uri") else evaluate(function, arguments)
    else:
        count, implementation = own
        if len(arguments) != count:
            raise FunctionError(f"{function} does not take {len(arguments)} arguments")
        try:
            found = implementation(*arguments)
        except NoValueError as error:
            raise FunctionError(f"{function}: {error}") from error
    return found


def key_made(term: Term) -> str:
    """The key of a term that a function made; FunctionError for what is no valid term."""
    try:
        return key_of(term)
    except TermError as error:
        raise FunctionError(str(error)) from error


def _simple(term: Term) -> str:
    """The text of a string without a language."""
    if isinstance(term, Literal) and term.language is not None:
        raise FunctionError(f"{term} has a language")
    return text_of(term)


def _iri(arguments: Sequence[Term], base: str | None) -> Term:
    (term,) = arguments
    if isinstance(term, IRI):
        return term
    text = _simple(term)
    made = IRI(urljoin(base, text) if base is not None else text)
    key_made(made)
    return made


def _typed(term: Term, datatype: Term) -> Term:
    if not isinstance(datatype, IRI) or datatype.value == RDF_LANG_STRING:
        raise FunctionError(f"{datatype} is no datatype for a literal without a language")
    return Literal(_simple(term), datatype.value)


def _in_language(term: Term, language: Term) -> Term:
    tag = _simple(language)
    if not _LANGUAGE.fullmatch(tag):
        raise FunctionError(f"{tag!r} is no language tag")
    return Literal(_simple(term), None, tag)


def _comparison(symbol: str) -> Callable[[Term, Term], Term]:
    return lambda left, right: boolean_literal(compared(symbol, left, right))


def _sum(symbol: str) -> Callable[[Term, Term], Term]:
    def apply(left: Term, right: Term) -> Term:
        return moved(symbol, left, right) if are_moments(left, right) else evaluate(symbol, [left, right])

    return apply


_OWN: Final[dict[str, tuple[int, Callable[..., Term]]]] = {
    **{symbol: (2, _comparison(symbol)) for symbol in ("=", "!=", "<", ">", "<=", ">=")},
    **{datatype: (1, implementation) for datatype, implementation in CASTS.items()},
    "+": (2, _sum("+")),
    "-": (2, _sum("-")),
    "sameterm": (2, lambda a, b: boolean_literal(same_term(a, b))),
    "u-": (1, lambda a: evaluate("-", [_ZERO, a])),
    "u+": (1, lambda a: evaluate("+", [_ZERO, a])),
    "strdt": (2, _typed),
    "strlang": (2, _in_language),
    "timezone": (1, time_zone),
    "tz": (1, zone_text),
}
