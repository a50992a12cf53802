"""Functions of terms in SPARQL: those that rules have (`terms.functions`), casts, and IRI with a base."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urljoin

from kgreason.errors import FunctionError, TermError
from kgreason.terms.casts import CASTS
from kgreason.terms.functions import evaluate
from kgreason.terms.keys import key_of
from kgreason.terms.model import IRI, Term
from kgreason.terms.strings import simple_text
from kgreason.terms.values import NoValueError


def applied(function: str, arguments: Sequence[Term], base: str | None = None) -> Term:
    """The value of a function; FunctionError where it has none. Relative IRIs are resolved against `base`."""
    if function in ("iri", "uri"):
        return _iri(arguments, base)
    cast = CASTS.get(function)
    if cast is None:
        return evaluate(function, arguments)
    if len(arguments) != 1:
        raise FunctionError(f"{function} does not take {len(arguments)} arguments")
    try:
        return cast(*arguments)
    except NoValueError as error:
        raise FunctionError(f"{function}: {error}") from error


def key_made(term: Term) -> str:
    """The key of a term that a function made; FunctionError for what is no valid term."""
    try:
        return key_of(term)
    except TermError as error:
        raise FunctionError(str(error)) from error


def _iri(arguments: Sequence[Term], base: str | None) -> Term:
    (term,) = arguments
    if isinstance(term, IRI):
        return term
    text = simple_text(term)
    made = IRI(urljoin(base, text) if base is not None else text)
    key_made(made)
    return made
