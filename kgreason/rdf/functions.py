"""Built-in operators and functions on terms, after SPARQL 1.1 (sections 17.3 and 17.4) and RDFox.

A function gets terms and gives a term, or raises FunctionError; rules treat an error as false.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, DivisionByZero, InvalidOperation
from functools import partial
from typing import Final, NamedTuple

from kgreason.errors import FunctionError
from kgreason.rdf.casts import CASTS
from kgreason.rdf.durations import are_moments, moved
from kgreason.rdf.literal_values import (
    KNOWN_TYPES,
    NoValueError,
    datatype_of,
    in_datatype,
    value_of,
)
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm, same_term
from kgreason.rdf.numbers import (
    absolute,
    arithmetic,
    boolean_literal,
    is_number,
    negated,
    required_value,
    round_half_up,
    rounded,
    same_value,
    unchanged,
)
from kgreason.rdf.strings import (
    after,
    before,
    compatible,
    concatenation,
    digest,
    language_matches,
    like,
    matches,
    replacement,
    str_of,
    substring,
    text_of,
    uri_encoded,
)
from kgreason.rdf.term_parts import (
    base_direction,
    datatype_iri,
    directed_literal,
    iri_of,
    language_literal,
    language_tag,
    skolem_node,
    triple_part,
    triple_term,
    typed_literal,
)
from kgreason.rdf.times import moment_part, time_zone, zone_text
from kgreason.rdf.value_classes import NUMBERS, STRINGS, ValueClass, classified
from kgreason.rdf.value_comparison import compared
from kgreason.rdf.vocabulary import RDFS, XSD_INTEGER


def evaluate(function: str, arguments: Sequence[Term]) -> Term:
    """The value of a function, by its name in `TERM_FUNCTIONS`; FunctionError where it has none."""
    known = TERM_FUNCTIONS.get(function)
    if known is None:
        raise FunctionError(f"unknown function {function!r}")
    if not known.least <= len(arguments) <= known.most:
        raise FunctionError(f"{function} does not take {len(arguments)} arguments")
    try:
        return known.apply(*arguments)
    except (NoValueError, ArithmeticError, InvalidOperation, DivisionByZero, ValueError) as error:
        raise FunctionError(f"{function}: {error}") from error


def holds(term: Term) -> bool:
    """The effective boolean value (section 17.2.2); FunctionError where a term has none."""
    value_class, value = classified(term)
    if value_class in NUMBERS:
        return bool(value) and not (isinstance(value, float) and math.isnan(value))
    if value_class in STRINGS or value_class is ValueClass.BOOLEAN:
        return bool(value)
    if value_class is ValueClass.ILL_NUMBER:
        return False
    raise FunctionError(f"{term} has no truth value")


_OPEN_TYPES: Final = {RDFS + "Literal"}


def _is_numeric(term: Term) -> bool:
    try:
        return isinstance(term, Literal) and is_number(value_of(term))
    except NoValueError:
        return False


def _is_well_formed(term: Term) -> bool:
    try:
        return isinstance(term, Literal) and value_of(term) is not None
    except NoValueError:
        return False


def _is_ill_typed(term: Term) -> bool:
    """Whether a literal of a known datatype has no value."""
    known = isinstance(term, Literal) and datatype_of(term) in KNOWN_TYPES - _OPEN_TYPES
    return known and not _is_well_formed(term)


def _value_in(term: Term, datatype: Term) -> bool:
    """Whether a literal's value is in the value space of a datatype; an error where either is unknown."""
    if not isinstance(term, Literal) or not isinstance(datatype, IRI):
        raise FunctionError(f"{term} and {datatype} are not a literal and a datatype")
    return in_datatype(term, datatype.value)


def _canonical(term: Term) -> Term:
    """One literal for each data value: the same for literals of the same value."""
    try:
        value = required_value(term)
    except NoValueError:
        return Literal(f"term {term}")
    return Literal(f"{type(value).__name__} {value!r}")


def _sum(symbol: str) -> Callable[[Term, Term], Term]:
    """+ or -, of numbers or of moments and durations."""
    of_numbers = arithmetic(symbol)
    return lambda left, right: moved(symbol, left, right) if are_moments(left, right) else of_numbers(left, right)


def _test(test: Callable[..., bool]) -> Callable[..., Term]:
    return lambda *arguments: boolean_literal(test(*arguments))


ANY: Final = 1 << 30
"""The largest number of arguments of a function that takes any number."""


class TermFunction(NamedTuple):
    """How many arguments a function takes, and the function."""

    least: int
    most: int
    apply: Callable[..., Term]


_FUNCTIONS: Final[dict[str, tuple[int, int, Callable[..., Term]]]] = {
    "identity": (1, 1, lambda term: term),
    "boolean": (1, 1, _test(holds)),
    **{symbol: (2, 2, _test(partial(compared, symbol))) for symbol in ("=", "!=", "<", ">", "<=", ">=")},
    "!": (1, 1, _test(lambda a: not holds(a))),
    "+": (2, 2, _sum("+")),
    "-": (2, 2, _sum("-")),
    "*": (2, 2, arithmetic("*")),
    "/": (2, 2, arithmetic("/")),
    "u-": (1, 1, negated),
    "u+": (1, 1, unchanged),
    "abs": (1, 1, absolute),
    "round": (1, 1, rounded(round_half_up)),
    "ceil": (1, 1, rounded(lambda n: n.to_integral_value(ROUND_CEILING))),
    "floor": (1, 1, rounded(lambda n: n.to_integral_value(ROUND_FLOOR))),
    "str": (1, 1, str_of),
    "lang": (1, 1, language_tag),
    "langmatches": (2, 2, language_matches),
    "datatype": (1, 1, datatype_iri),
    "iri": (1, 1, iri_of),
    "uri": (1, 1, iri_of),
    "isiri": (1, 1, _test(lambda a: isinstance(a, IRI))),
    "isuri": (1, 1, _test(lambda a: isinstance(a, IRI))),
    "isblank": (1, 1, _test(lambda a: isinstance(a, BlankNode))),
    "isliteral": (1, 1, _test(lambda a: isinstance(a, Literal))),
    "isnumeric": (1, 1, _test(_is_numeric)),
    "istriple": (1, 1, _test(lambda a: isinstance(a, TripleTerm))),
    "triple": (3, 3, triple_term),
    "subject": (1, 1, triple_part("subject")),
    "predicate": (1, 1, triple_part("predicate")),
    "object": (1, 1, triple_part("object")),
    "langdir": (1, 1, base_direction),
    "strlangdir": (3, 3, directed_literal),
    "haslang": (1, 1, _test(lambda a: isinstance(a, Literal) and a.language is not None)),
    "haslangdir": (1, 1, _test(lambda a: isinstance(a, Literal) and a.direction is not None)),
    "strlen": (1, 1, lambda a: Literal(str(len(text_of(a))), XSD_INTEGER)),
    "substr": (2, 3, substring),
    "ucase": (1, 1, lambda a: like(a, text_of(a).upper())),
    "lcase": (1, 1, lambda a: like(a, text_of(a).lower())),
    "strstarts": (2, 2, _test(lambda a, b: str.startswith(*compatible(a, b)))),
    "strends": (2, 2, _test(lambda a, b: str.endswith(*compatible(a, b)))),
    "contains": (2, 2, _test(lambda a, b: compatible(a, b)[1] in compatible(a, b)[0])),
    "strbefore": (2, 2, before),
    "strafter": (2, 2, after),
    "concat": (0, ANY, concatenation),
    "replace": (3, 4, replacement),
    "regex": (2, 3, matches),
    "encode_for_uri": (1, 1, lambda a: Literal(uri_encoded(text_of(a)))),
    "strdt": (2, 2, typed_literal),
    "strlang": (2, 2, language_literal),
    "md5": (1, 1, digest("md5")),
    "sha1": (1, 1, digest("sha1")),
    "sha256": (1, 1, digest("sha256")),
    "sha384": (1, 1, digest("sha384")),
    "sha512": (1, 1, digest("sha512")),
    "year": (1, 1, moment_part(0)),
    "month": (1, 1, moment_part(1)),
    "day": (1, 1, moment_part(2)),
    "hours": (1, 1, moment_part(3)),
    "minutes": (1, 1, moment_part(4)),
    "seconds": (1, 1, moment_part(5)),
    "timezone": (1, 1, time_zone),
    "tz": (1, 1, zone_text),
    "sameterm": (2, 2, _test(same_term)),
    "samevalue": (2, 2, _test(same_value)),
    "wellformed": (1, 1, _test(_is_well_formed)),
    "illtyped": (1, 1, _test(_is_ill_typed)),
    "valuein": (2, 2, _test(_value_in)),
    "canonical": (1, 1, _canonical),
    "skolem": (1, ANY, skolem_node),
    **{datatype: (1, 1, apply) for datatype, apply in CASTS.items()},
}

TERM_FUNCTIONS: Final[Mapping[str, TermFunction]] = {name: TermFunction(*known) for name, known in _FUNCTIONS.items()}
"""The functions by their names: operators as they are written, SPARQL's names in lower case, IRIs of datatypes to cast
to. Those that do not evaluate all of their arguments are in `kgreason.algebra.expressions.function_table`."""
