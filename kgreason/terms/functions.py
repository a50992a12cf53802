"""Built-in operators and functions on terms, after SPARQL 1.1 (sections 17.3 and 17.4) and RDFox.

A function gets terms and gives a term, or raises FunctionError; rules treat an error as false.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, DivisionByZero, InvalidOperation
from typing import Final
from urllib.parse import quote

from kgreason.errors import KGReasonError
from kgreason.terms.model import IRI, BlankNode, Literal, Term
from kgreason.terms.values import (
    INTEGER_TYPES,
    KNOWN_TYPES,
    STRING_TYPES,
    Float,
    NoValueError,
    Value,
    datatype_of,
    in_datatype,
    value_of,
)
from kgreason.terms.vocabulary import RDFS, XSD, XSD_BOOLEAN, XSD_DECIMAL, XSD_INTEGER


class FunctionError(KGReasonError):
    """A function that does not apply to its arguments, or that does not exist."""


def evaluate(function: str, arguments: Sequence[Term]) -> Term:
    """The value of a function, by its SPARQL name in lower case or its operator."""
    known = _FUNCTIONS.get(function)
    if known is None:
        raise FunctionError(f"there is no function {function!r}")
    least, most, implementation = known
    if not least <= len(arguments) <= most:
        raise FunctionError(f"{function} does not take {len(arguments)} arguments")
    try:
        return implementation(*arguments)
    except (NoValueError, ArithmeticError, InvalidOperation, DivisionByZero, re.error, ValueError) as error:
        raise FunctionError(f"{function}: {error}") from error


def holds(term: Term) -> bool:
    """The effective boolean value; FunctionError where a term has none."""
    if isinstance(term, Literal):
        try:
            value = value_of(term)
        except NoValueError:
            if datatype_of(term) == XSD_BOOLEAN or datatype_of(term) in _NUMERIC:
                return False
            raise FunctionError(f"{term} has no truth value") from None
        match value:
            case bool():
                return value
            case int() | Decimal():
                return value != 0
            case Float(number):
                return number != 0 and not math.isnan(number)
            case str():
                return bool(value)
    raise FunctionError(f"{term} has no truth value")


_OPEN_TYPES: Final = {RDFS + "Literal"}
_NUMERIC: Final = INTEGER_TYPES | {XSD + "decimal", XSD + "float", XSD + "double"}


def _boolean(value: bool) -> Literal:
    return Literal("true" if value else "false", XSD_BOOLEAN)


def _value(term: Term) -> Value:
    if not isinstance(term, Literal):
        raise FunctionError(f"{term} is no literal")
    return value_of(term)


# -- comparison ---------------------------------------------------------------------------------------------------


def _equal(left: Term, right: Term) -> bool:
    if left == right:
        return not (isinstance(left, Literal) and _is_nan(left))
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return False
    try:
        first, second = value_of(left), value_of(right)
    except NoValueError as error:
        raise FunctionError(f"{left} and {right} cannot be compared: {error}") from error
    if _is_number(first) and _is_number(second):
        return _plain_number(first) == _plain_number(second)
    both_times = isinstance(first, datetime) and isinstance(second, datetime)
    if both_times and (first.tzinfo is None) != (second.tzinfo is None):  # type: ignore[union-attr]
        raise FunctionError(f"{left} and {right} cannot be compared: only one has a time zone")
    return type(first) is type(second) and first == second


def _is_nan(literal: Literal) -> bool:
    return literal.lexical.strip() == "NaN" and literal.datatype in (XSD + "double", XSD + "float")


def _is_number(value: Value) -> bool:
    return isinstance(value, int | Decimal | Float) and not isinstance(value, bool)


def _plain_number(value: Value) -> int | Decimal | float:
    return value.number if isinstance(value, Float) else value  # type: ignore[return-value]


def _less(left: Term, right: Term) -> bool:
    first, second = _value(left), _value(right)
    if _is_number(first) and _is_number(second):
        return _plain_number(first) < _plain_number(second)
    if type(first) is type(second) and isinstance(first, bool | str | datetime | date | time):
        try:
            return first < second  # type: ignore[operator]
        except TypeError as error:
            raise FunctionError(f"{left} and {right} cannot be compared: {error}") from error
    raise FunctionError(f"{left} and {right} cannot be compared")


def same_value(left: Term, right: Term) -> bool:
    """Whether two literals stand for the same data value; ill-typed literals only for themselves."""
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return left == right
    try:
        first, second = value_of(left), value_of(right)
    except NoValueError:
        return left == right
    return type(first) is type(second) and (first == second or left == right)


# -- arithmetic ---------------------------------------------------------------------------------------------------


def _number_literal(value: int | Decimal | float, datatype: str) -> Literal:
    if datatype == XSD_INTEGER:
        return Literal(str(int(value)), XSD_INTEGER)
    if datatype == XSD_DECIMAL:
        text = format(Decimal(value).normalize(), "f")
        return Literal(text if "." in text else text + ".0", XSD_DECIMAL)
    number = float(value)
    text = "NaN" if math.isnan(number) else ("INF" if number > 0 else "-INF") if math.isinf(number) else ""
    return Literal(text or _exponent(number), datatype)


def _exponent(number: float) -> str:
    mantissa, _, exponent = f"{number:.16e}".partition("e")
    shortest = repr(number)
    digits = shortest.partition("e")[0].replace(".", "").lstrip("-0") or "0"
    mantissa = mantissa[: len(mantissa.partition(".")[0])] + "." + (digits[1:].rstrip("0") or "0")
    return f"{mantissa}E{int(exponent)}"


def _promoted(*terms: Term) -> tuple[str, list[int | Decimal | float]]:
    """The common numeric type of the arguments, and their numbers in it."""
    values = [_value(term) for term in terms]
    if not all(map(_is_number, values)):
        raise FunctionError(f"{' and '.join(map(str, terms))}: not all are numbers")
    names = {value.datatype for value in values if isinstance(value, Float)}
    if names:
        datatype = XSD + ("double" if "double" in names else "float")
        return datatype, [float(_plain_number(value)) for value in values]
    decimal = any(isinstance(t, Literal) and t.datatype == XSD_DECIMAL for t in terms)
    numbers = [Decimal(_plain_number(v)) if decimal else _plain_number(v) for v in values]
    return (XSD_DECIMAL if decimal else XSD_INTEGER), numbers


def _arithmetic(operator: str) -> Callable[[Term, Term], Term]:
    def apply(left: Term, right: Term) -> Term:
        datatype, (a, b) = _promoted(left, right)
        match operator:
            case "+":
                return _number_literal(a + b, datatype)  # type: ignore[operator]
            case "-":
                return _number_literal(a - b, datatype)  # type: ignore[operator]
            case "*":
                return _number_literal(a * b, datatype)  # type: ignore[operator]
        if isinstance(b, float):
            infinite = math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
            return _number_literal(a / b if b else infinite, datatype)  # type: ignore[operator]
        return _number_literal(Decimal(a) / Decimal(b), XSD_DECIMAL)

    return apply


def _rounded(how: Callable[[Decimal], Decimal]) -> Callable[[Term], Term]:
    def apply(term: Term) -> Term:
        datatype, (number,) = _promoted(term)
        if isinstance(number, float) and not math.isfinite(number):
            return term
        return _number_literal(how(Decimal(number)), datatype)

    return apply


def _round_half_up(number: Decimal) -> Decimal:
    return (number + Decimal("0.5")).to_integral_value(ROUND_FLOOR)


def _absolute(term: Term) -> Term:
    datatype, (number,) = _promoted(term)
    return _number_literal(-number if number < 0 else number, datatype)


# -- strings ------------------------------------------------------------------------------------------------------


def _text(term: Term) -> str:
    if isinstance(term, Literal) and (term.language is not None or datatype_of(term) in STRING_TYPES):
        return term.lexical
    raise FunctionError(f"{term} is no string")


def _like(model: Term, text: str) -> Literal:
    """A string literal with the language or datatype of another one."""
    assert isinstance(model, Literal)
    return Literal(text, model.datatype, model.language)


def _compatible(first: Term, second: Term) -> tuple[str, str]:
    text, part = _text(first), _text(second)
    language = getattr(second, "language", None)
    if language is not None and language != getattr(first, "language", None):
        raise FunctionError(f"{first} and {second} differ in language")
    return text, part


def _str(term: Term) -> Term:
    match term:
        case IRI(value):
            return Literal(value)
        case Literal(lexical):
            return Literal(lexical)
    raise FunctionError("a blank node has no string")


def _substr(term: Term, start: Term, length: Term | None = None) -> Term:
    begin = int(_plain_number(_value(start)))
    text = _text(term)
    end = begin + int(_plain_number(_value(length))) if length is not None else len(text) + 1
    return _like(term, text[max(begin, 1) - 1 : max(end, 1) - 1])


def _before(term: Term, part: Term) -> Term:
    text, needle = _compatible(term, part)
    at = text.find(needle)
    return _like(term, text[:at]) if at >= 0 else Literal("")


def _after(term: Term, part: Term) -> Term:
    text, needle = _compatible(term, part)
    at = text.find(needle)
    return _like(term, text[at + len(needle) :]) if at >= 0 else Literal("")


def _concat(*terms: Term) -> Term:
    text = "".join(map(_text, terms))
    languages = {getattr(term, "language", None) for term in terms}
    datatypes = {getattr(term, "datatype", None) for term in terms}
    if len(languages) == 1 and len(datatypes) == 1:
        return Literal(text, next(iter(datatypes)), next(iter(languages)))
    return Literal(text)


def _pattern(pattern: Term, flags: Term | None) -> re.Pattern[str]:
    letters = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE, "x": re.VERBOSE}
    total = 0
    for flag in _text(flags) if flags is not None else "":
        if flag not in letters:
            raise FunctionError(f"there is no regular expression flag {flag!r}")
        total |= letters[flag]
    return re.compile(_text(pattern), total)


def _regex(term: Term, pattern: Term, flags: Term | None = None) -> Term:
    return _boolean(_pattern(pattern, flags).search(_text(term)) is not None)


def _replace(term: Term, pattern: Term, new: Term, flags: Term | None = None) -> Term:
    by = re.sub(r"\$(\d)", r"\\g<\1>", _text(new))
    return _like(term, _pattern(pattern, flags).sub(by, _text(term)))


def _lang_matches(tag: Term, wanted: Term) -> Term:
    have, want = _text(tag).lower(), _text(wanted).lower()
    return _boolean(bool(have) if want == "*" else have == want or have.startswith(want + "-"))


def _hash(name: str) -> Callable[[Term], Term]:
    return lambda term: Literal(hashlib.new(name, _text(term).encode()).hexdigest())


# -- terms --------------------------------------------------------------------------------------------------------


def _datatype(term: Term) -> Term:
    if isinstance(term, Literal):
        return IRI(datatype_of(term))
    raise FunctionError(f"{term} is no literal")


def _lang(term: Term) -> Term:
    if isinstance(term, Literal):
        return Literal(term.language or "")
    raise FunctionError(f"{term} is no literal")


def _iri(term: Term) -> Term:
    return term if isinstance(term, IRI) else IRI(_text(term))


def _is_numeric(term: Term) -> bool:
    try:
        return isinstance(term, Literal) and _is_number(value_of(term))
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
        raise FunctionError(f"{term} and {datatype} are no literal and datatype")
    return in_datatype(term, datatype.value)


def _canonical(term: Term) -> Term:
    """One literal for each data value: the same for literals of the same value."""
    try:
        value = _value(term)
    except NoValueError:
        return Literal(f"term {term}")
    return Literal(f"{type(value).__name__} {value!r}")


def _skolem(*terms: Term) -> Term:
    digest = hashlib.sha256("\x00".join(map(str, terms)).encode()).hexdigest()
    return BlankNode(f"skolem{digest[:32]}")


def _part(name: str) -> Callable[[Term], Term]:
    def apply(term: Term) -> Term:
        text = term.lexical if isinstance(term, Literal) else ""
        if not hasattr(_value(term), name):
            raise FunctionError(f"{term} has no {name}")
        if name in ("year", "month", "day"):
            year, month, day = re.match(r"(-?\d+)-(\d\d)-(\d\d)", text).groups()  # type: ignore[union-attr]
            return Literal(str(int({"year": year, "month": month, "day": day}[name])), XSD_INTEGER)
        hour, minute, second = re.search(r"(\d\d):(\d\d):(\d\d(?:\.\d+)?)", text).groups()  # type: ignore[union-attr]
        if name == "second":
            return _number_literal(Decimal(second), XSD_DECIMAL)
        return Literal(str(int({"hour": hour, "minute": minute}[name])), XSD_INTEGER)

    return apply


def _test(test: Callable[..., bool]) -> Callable[..., Term]:
    return lambda *arguments: _boolean(test(*arguments))


_ANY: Final = 1 << 30
_FUNCTIONS: Final[dict[str, tuple[int, int, Callable[..., Term]]]] = {
    "identity": (1, 1, lambda term: term),
    "boolean": (1, 1, _test(holds)),
    "=": (2, 2, _test(_equal)),
    "!=": (2, 2, _test(lambda a, b: not _equal(a, b))),
    "<": (2, 2, _test(_less)),
    ">": (2, 2, _test(lambda a, b: _less(b, a))),
    "<=": (2, 2, _test(lambda a, b: _less(a, b) or _equal(a, b))),
    ">=": (2, 2, _test(lambda a, b: _less(b, a) or _equal(a, b))),
    "!": (1, 1, _test(lambda a: not holds(a))),
    "&&": (2, _ANY, _test(lambda *a: all(map(holds, a)))),
    "||": (2, _ANY, _test(lambda *a: any(map(holds, a)))),
    "+": (2, 2, _arithmetic("+")),
    "-": (2, 2, _arithmetic("-")),
    "*": (2, 2, _arithmetic("*")),
    "/": (2, 2, _arithmetic("/")),
    "abs": (1, 1, _absolute),
    "round": (1, 1, _rounded(_round_half_up)),
    "ceil": (1, 1, _rounded(lambda n: n.to_integral_value(ROUND_CEILING))),
    "floor": (1, 1, _rounded(lambda n: n.to_integral_value(ROUND_FLOOR))),
    "str": (1, 1, _str),
    "lang": (1, 1, _lang),
    "langmatches": (2, 2, _lang_matches),
    "datatype": (1, 1, _datatype),
    "iri": (1, 1, _iri),
    "uri": (1, 1, _iri),
    "isiri": (1, 1, _test(lambda a: isinstance(a, IRI))),
    "isuri": (1, 1, _test(lambda a: isinstance(a, IRI))),
    "isblank": (1, 1, _test(lambda a: isinstance(a, BlankNode))),
    "isliteral": (1, 1, _test(lambda a: isinstance(a, Literal))),
    "isnumeric": (1, 1, _test(_is_numeric)),
    "strlen": (1, 1, lambda a: Literal(str(len(_text(a))), XSD_INTEGER)),
    "substr": (2, 3, _substr),
    "ucase": (1, 1, lambda a: _like(a, _text(a).upper())),
    "lcase": (1, 1, lambda a: _like(a, _text(a).lower())),
    "strstarts": (2, 2, _test(lambda a, b: str.startswith(*_compatible(a, b)))),
    "strends": (2, 2, _test(lambda a, b: str.endswith(*_compatible(a, b)))),
    "contains": (2, 2, _test(lambda a, b: _compatible(a, b)[1] in _compatible(a, b)[0])),
    "strbefore": (2, 2, _before),
    "strafter": (2, 2, _after),
    "concat": (0, _ANY, _concat),
    "replace": (3, 4, _replace),
    "regex": (2, 3, _regex),
    "encode_for_uri": (1, 1, lambda a: Literal(quote(_text(a), safe="~"))),
    "strdt": (2, 2, lambda a, b: Literal(_text(a), b.value)),
    "strlang": (2, 2, lambda a, b: Literal(_text(a), None, _text(b))),
    "md5": (1, 1, _hash("md5")),
    "sha1": (1, 1, _hash("sha1")),
    "sha256": (1, 1, _hash("sha256")),
    "sha384": (1, 1, _hash("sha384")),
    "sha512": (1, 1, _hash("sha512")),
    "year": (1, 1, _part("year")),
    "month": (1, 1, _part("month")),
    "day": (1, 1, _part("day")),
    "hours": (1, 1, _part("hour")),
    "minutes": (1, 1, _part("minute")),
    "seconds": (1, 1, _part("second")),
    "sameterm": (2, 2, _test(lambda a, b: a == b)),
    "samevalue": (2, 2, _test(same_value)),
    "wellformed": (1, 1, _test(_is_well_formed)),
    "illtyped": (1, 1, _test(_is_ill_typed)),
    "valuein": (2, 2, _test(_value_in)),
    "canonical": (1, 1, _canonical),
    "skolem": (1, _ANY, _skolem),
    "if": (3, 3, lambda test, then, otherwise: then if holds(test) else otherwise),
    "coalesce": (1, _ANY, lambda first, *_: first),
}

FUNCTION_NAMES: Final = frozenset(_FUNCTIONS)


def arity_of(function: str) -> tuple[int, int]:
    """The least and the largest number of arguments of a function."""
    least, most, _ = _FUNCTIONS[function]
    return least, most
