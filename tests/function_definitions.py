"""The built-in functions of rules and filters by name, on terms: SPARQL 1.1, section 17.4, in plain Python.

Functions of texts that only pass on what Python does are not here (`replace`, hashes, ...): `evaluate` raises KeyError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from tests import operators
from tests.operators import NUMBERS, OperatorError, boolean, same_term, truth
from tests.values import (
    INTEGERS,
    RDF,
    RDFS_LITERAL,
    STRINGS,
    XSD,
    IllTypedError,
    UnknownError,
    value_of,
    within,
)

Argument = Callable[[], Term]
"""An argument that is evaluated when it is called; raises OperatorError."""


def evaluate(function: str, arguments: Sequence[Argument]) -> Term:
    """The value of a function; raises OperatorError."""
    lazy = LAZY.get(function)
    if lazy is not None:
        return lazy(arguments)
    terms = [argument() for argument in arguments]
    if function in ("=", "!=", "<", ">", "<=", ">="):
        return boolean(operators.compare(function, *terms))
    if function in ("+", "-", "*", "/"):
        return operators.arithmetic(function, *terms)
    return FUNCTIONS[function](*terms)


def any_of(arguments: Sequence[Argument], decisive: bool) -> Term:
    """&& and ||: one decisive value outweighs errors (section 17.2)."""
    failed = False
    for argument in arguments:
        try:
            if truth(argument()) == decisive:
                return boolean(decisive)
        except OperatorError:
            failed = True
    if failed:
        raise OperatorError
    return boolean(not decisive)


def first_of(arguments: Sequence[Argument]) -> Term:
    for argument in arguments:
        try:
            return argument()
        except OperatorError:
            continue
    raise OperatorError


LAZY: dict[str, Callable[[Sequence[Argument]], Term]] = {
    "&&": lambda arguments: any_of(arguments, False),
    "||": lambda arguments: any_of(arguments, True),
    "coalesce": first_of,
    "if": lambda arguments: arguments[1 if truth(arguments[0]()) else 2](),
}


def value_in(term: Term, datatype: Term) -> bool:
    """Whether a value is in the value space of a datatype; an error where either is not known."""
    if not isinstance(term, Literal) or not isinstance(datatype, IRI):
        raise OperatorError
    try:
        value = value_of(term)
    except (IllTypedError, UnknownError):
        raise OperatorError from None
    if datatype.value == RDFS_LITERAL:
        return True
    if datatype.value.startswith(RDF):
        spaces = {"PlainLiteral": ("string", "langString"), "langString": ("langString",), "XMLLiteral": ("XML",)}
        return value.space in spaces[datatype.value.removeprefix(RDF)]
    name = datatype.value.removeprefix(XSD)
    if name in INTEGERS:
        return value.space == "decimal" and value.content.denominator == 1 and within(int(value.content), name)
    if name in STRINGS:
        return value.space == "string" and not operators.ill_typed(Literal(str(value.content), datatype.value))
    if name == "dateTimeStamp":
        return value.space == "dateTime" and value.content[1] is not None
    if name in ("dayTimeDuration", "yearMonthDuration"):
        months, seconds = value.content if value.space == "duration" else (1, 1)
        return not (months if name == "dayTimeDuration" else seconds)
    if operators.is_known(datatype.value):
        return value.space == name
    raise OperatorError


def canonical(term: Term) -> Literal:
    """One literal for each value, which tells values apart that are not identical."""
    try:
        return Literal(f"value {value_of(term)}") if isinstance(term, Literal) else Literal(f"term {term}")
    except (IllTypedError, UnknownError):
        return Literal(f"term {term}")


def text(term: Term) -> str:
    """The text of a string."""
    if isinstance(term, Literal) and (term.language is not None or (term.datatype or XSD + "string") in TEXTS):
        return term.lexical
    raise OperatorError


TEXTS = frozenset(XSD + name for name in STRINGS)


def literal(term: Term) -> Literal:
    if not isinstance(term, Literal):
        raise OperatorError
    return term


def is_numeric(term: Term) -> bool:
    try:
        return isinstance(term, Literal) and value_of(term).space in NUMBERS
    except (IllTypedError, UnknownError):
        return False


def is_well_formed(term: Term) -> bool:
    try:
        return isinstance(term, Literal) and value_of(term) is not None
    except (IllTypedError, UnknownError):
        return False


def concatenated(*terms: Term) -> Literal:
    found = "".join(map(text, terms))
    kinds = {((t.language or "").lower(), t.datatype) for t in terms if isinstance(t, Literal)}
    if len(kinds) == 1 and isinstance(terms[0], Literal):
        return Literal(found, terms[0].datatype, terms[0].language)
    return Literal(found)


FUNCTIONS: dict[str, Callable[..., Term]] = {
    "identity": lambda a: a,
    "boolean": lambda a: boolean(truth(a)),
    "!": lambda a: boolean(not truth(a)),
    "u-": lambda a: operators.arithmetic("*", Literal("-1", XSD + "integer"), a),
    "u+": lambda a: operators.arithmetic("*", Literal("1", XSD + "integer"), a),
    "sameterm": lambda a, b: boolean(same_term(a, b)),
    "samevalue": lambda a, b: boolean(operators.same_value(a, b)),
    "canonical": canonical,
    "illtyped": lambda a: boolean(operators.ill_typed(a)),
    "wellformed": lambda a: boolean(is_well_formed(a)),
    "valuein": lambda a, b: boolean(value_in(a, b)),
    "isiri": lambda a: boolean(isinstance(a, IRI)),
    "isuri": lambda a: boolean(isinstance(a, IRI)),
    "isblank": lambda a: boolean(isinstance(a, BlankNode)),
    "isliteral": lambda a: boolean(isinstance(a, Literal)),
    "isnumeric": lambda a: boolean(is_numeric(a)),
    "str": lambda a: Literal(a.value if isinstance(a, IRI) else literal(a).lexical),
    "lang": lambda a: Literal(literal(a).language or ""),
    "strlen": lambda a: Literal(str(len(text(a))), XSD + "integer"),
    "ucase": lambda a: Literal(text(a).upper(), literal(a).datatype, literal(a).language),
    "lcase": lambda a: Literal(text(a).lower(), literal(a).datatype, literal(a).language),
    "concat": concatenated,
}
