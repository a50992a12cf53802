"""The value of a literal, by its datatype: what comparison and arithmetic work on."""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Final, TypeAlias

from kgreason.rdf.model import Literal
from kgreason.rdf.moments import (
    DURATION_KINDS,
    MOMENT_KINDS,
    Duration,
    Moment,
    parsed_duration,
    parsed_moment,
)
from kgreason.rdf.vocabulary import RDF, RDF_DIR_LANG_STRING, RDF_LANG_STRING, RDFS, XSD, XSD_STRING


@dataclass(frozen=True, slots=True)
class Float:
    """A value of xsd:float or xsd:double, a value space of its own."""

    number: float
    datatype: str


@dataclass(frozen=True, slots=True)
class Tagged:
    """A value of a space of its own: a string in a language, binary data of one encoding, an IRI, XML."""

    kind: str
    content: str | bytes | tuple[str, str]


Value: TypeAlias = "int | Decimal | Float | bool | str | Tagged | Moment | Duration"


class NoValueError(Exception):
    """A literal that its datatype does not allow, or whose datatype is unknown."""


EXACT: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Arithmetic that keeps all digits; not for quotients, which may have no end."""

_INTEGER_RANGES: Final = {
    "integer": (None, None),
    "nonNegativeInteger": (0, None),
    "nonPositiveInteger": (None, 0),
    "positiveInteger": (1, None),
    "negativeInteger": (None, -1),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}
_NAME_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME_REST = _NAME_START + r"\-.0-9\u00b7\u0300-\u036f\u203f\u2040"
NC_NAME: Final = f"[{_NAME_START}][{_NAME_REST}]*"
"""A name without a colon, as a regular expression (Namespaces in XML 1.0, NCName)."""
_STRING_PATTERNS: Final = {
    "string": r"(?s).*",
    "normalizedString": r"[^\t\n\r]*",
    "token": r"|[^ \t\n\r]+( [^ \t\n\r]+)*",
    "language": r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*",
    "Name": f"[:{_NAME_START}][:{_NAME_REST}]*",
    "NCName": NC_NAME,
    "NMTOKEN": f"[:{_NAME_REST}]+",
}
# Python reads the digits of every script, XML Schema those of ASCII.
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DOUBLE = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN", re.ASCII)
_HEX = re.compile(r"([0-9a-fA-F]{2})*")

# XML Schema allows in xsd:anyURI what IRIs escape, spaces among them.
_IRI_REFERENCE = re.compile(r"(?s)([A-Za-z][A-Za-z0-9+.\-]*:|(?![^/?#]*:)).*")
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")

INTEGER_TYPES: Final = frozenset(XSD + name for name in _INTEGER_RANGES)
STRING_TYPES: Final = frozenset(XSD + name for name in _STRING_PATTERNS)
KNOWN_TYPES: Final = (
    INTEGER_TYPES
    | STRING_TYPES
    | {XSD + n for n in ("decimal", "float", "double", "boolean")}
    | {XSD + n for n in MOMENT_KINDS | DURATION_KINDS}
    | {XSD + n for n in ("hexBinary", "base64Binary", "anyURI")}
    | {RDF + "XMLLiteral", RDF + "PlainLiteral", RDF_LANG_STRING, RDF_DIR_LANG_STRING, RDFS + "Literal"}
)


def datatype_of(literal: Literal) -> str:
    """The datatype IRI, xsd:string for a plain literal."""
    if literal.language is not None:
        return RDF_LANG_STRING if literal.direction is None else RDF_DIR_LANG_STRING
    return literal.datatype or XSD_STRING


def value_of(literal: Literal) -> Value:
    """The value of a literal; equal values are the same data value. Raises NoValueError."""
    if literal.language is not None:
        return Tagged("language", (literal.lexical, literal.tag.lower()))
    datatype = datatype_of(literal)
    if datatype == RDF + "PlainLiteral":
        return _plain_literal(literal)
    if datatype == RDF + "XMLLiteral":
        return _xml(literal)
    if not datatype.startswith(XSD):
        raise NoValueError(f"no values are known for the datatype {datatype}")
    name = datatype[len(XSD) :]
    try:
        return _value(literal.lexical, name)
    except (ValueError, InvalidOperation, OverflowError, binascii.Error) as error:
        raise NoValueError(f"{literal} is not a valid literal of its datatype") from error


def identity_of(value: Value) -> tuple[object, object]:
    """What two values share only where they are one: 0 is not -0 among floats, and NaN is itself."""
    if isinstance(value, Float):
        return value.datatype, repr(value.number)
    return type(value), value


def _value(lexical: str, name: str) -> Value:
    if name in _STRING_PATTERNS:
        return _match(re.compile(_STRING_PATTERNS[name]), lexical)
    if name in _INTEGER_RANGES:
        return _integer(lexical, name)
    if name in MOMENT_KINDS:
        return parsed_moment(lexical, name)
    if name in DURATION_KINDS:
        return parsed_duration(lexical, name)
    match name:
        case "decimal":
            number = Decimal(_match(_NUMBER, lexical))
            return int(number) if number == number.to_integral_value() else number.normalize(EXACT)
        case "float" | "double":
            return _float(lexical, name)
        case "boolean":
            return {"true": True, "1": True, "false": False, "0": False}[lexical] if lexical in _BOOLEANS else _bad()
        case "hexBinary":
            return Tagged(name, bytes.fromhex(_match(_HEX, lexical)))
        case "base64Binary":
            return Tagged(name, base64.b64decode(lexical.replace(" ", ""), validate=True))
        case "anyURI":
            return Tagged(name, _match(_IRI_REFERENCE, lexical))
    return _bad()


_BOOLEANS: Final = frozenset(("true", "false", "1", "0"))


def _bad() -> Value:
    raise ValueError("not a value of the datatype")


def _match(pattern: re.Pattern[str], lexical: str) -> str:
    if not pattern.fullmatch(lexical):
        _bad()
    return lexical


def _float(lexical: str, name: str) -> Float:
    """A float or double; a number that is too large or too small for it is not a literal of it.

    XML Schema 1.1 would make infinity or zero of it; the tests of the RDF-based semantics of OWL 2 do not.
    """
    number = float(_match(_DOUBLE, lexical).replace("INF", "inf"))
    if name == "float" and math.isfinite(number):
        number = single(number, lexical)
    overflows = math.isinf(number) and "INF" not in lexical
    underflows = number == 0 and re.search(r"[1-9]", lexical.upper().partition("E")[0]) is not None
    if overflows or underflows:
        _bad()
    return Float(number, name)


def single(number: float, exact: str | int | Decimal = "") -> float:
    """The nearest number of xsd:float, infinite where there is none; `exact` is what `number` is the nearest double of.

    A double between two singles in the middle tells nothing of the side on which the exact number is.
    """
    if exact != "" and math.isfinite(number) and _is_between(number):
        apart = Fraction(exact) - Fraction(number)
        number = math.nextafter(number, math.inf if apart > 0 else -math.inf) if apart else number
    try:
        (found,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    return float(found)


def _is_between(number: float) -> bool:
    """Whether a double may be in the middle between two singles: all but its leading bits are a one and zeros."""
    (bits,) = struct.unpack("q", struct.pack("d", number))
    return bool(bits & _LAST_BITS == _MIDDLE) or abs(number) < _LEAST_NORMAL


_LAST_BITS, _MIDDLE = (1 << 29) - 1, 1 << 28
_LEAST_NORMAL = 2.0**-126


def _plain_literal(literal: Literal) -> Value:
    text, at, language = literal.lexical.rpartition("@")
    if not at or (language and not _LANGUAGE_TAG.fullmatch(language)):
        raise NoValueError(f"{literal} has no language tag at its end")
    return Tagged("language", (text, language.lower())) if language else text


def _xml(literal: Literal) -> Value:
    # Literals of XML are rare, and its parser takes as long to import as all other datatypes.
    from xml.etree import ElementTree

    try:
        return Tagged("xml", ElementTree.canonicalize(f"<root>{literal.lexical}</root>"))
    except ElementTree.ParseError as error:
        raise NoValueError(f"{literal} is not well-formed XML") from error


def in_datatype(literal: Literal, datatype: str) -> bool:
    """Whether a literal's value is in the value space of a datatype. Raises NoValueError where either is unknown."""
    value = value_of(literal)
    if datatype not in KNOWN_TYPES:
        raise NoValueError(f"no values are known for the datatype {datatype}")
    if datatype == RDFS + "Literal":
        return True
    name = datatype.rpartition("#")[2]
    match value:
        case bool():
            return name == "boolean"
        case int() | Decimal():
            return _is_number(value, name)
        case Float():
            return name == value.datatype
        case str():
            return _is_string(value, name)
        case Moment(kind, _, zone):
            return name == kind or (name == "dateTimeStamp" and kind == "dateTime" and zone is not None)
        case Duration():
            return _is_duration(value, name)
        case Tagged("language"):
            return name in ("PlainLiteral", "langString")
        case Tagged("xml"):
            return name == "XMLLiteral"
    return name == value.kind


def _is_number(value: int | Decimal, name: str) -> bool:
    return name == "decimal" or (isinstance(value, int) and name in _INTEGER_RANGES and _in_range(value, name))


def _is_string(value: str, name: str) -> bool:
    return name == "PlainLiteral" or bool(name in _STRING_PATTERNS and re.fullmatch(_STRING_PATTERNS[name], value))


def _is_duration(value: Duration, name: str) -> bool:
    match name:
        case "dayTimeDuration":
            return not value.months
        case "yearMonthDuration":
            return not value.microseconds
    return name == "duration"


def _in_range(number: int, name: str) -> bool:
    lowest, highest = _INTEGER_RANGES[name]
    return (lowest is None or number >= lowest) and (highest is None or number <= highest)


def _integer(lexical: str, name: str) -> int:
    number = int(_match(_INTEGER, lexical))
    if not _in_range(number, name):
        _bad()
    return number
