"""The values of literals, written from the specifications in plain Python: what the store's own are judged by.

Nothing of the store is used but its classes of terms as data. Numbers are fractions, and moments are seconds on the
time line of XML Schema. Sources: XML Schema 1.1 part 2 (lexical forms, values, identity); RDF 1.1 Semantics, section 9
(literals that are ill-typed).
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from xml.etree import ElementTree

from kgreason.rdf.model import Literal

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS_LITERAL = "http://www.w3.org/2000/01/rdf-schema#Literal"


class IllTypedError(Exception):
    """A literal outside of the lexical space of a datatype that is known."""


class UnknownError(Exception):
    """A literal of a datatype that is not known."""


@dataclass(frozen=True)
class Value:
    """A value: its space, of which no two have values in common, and what tells it from others by identity.

    A number of xsd:float or xsd:double is a Fraction, or one of the words NaN, INF, -INF and -0.
    """

    space: str
    content: object


# -- lexical forms -----------------------------------------------------------------------------------------------------

INTEGERS = {
    "integer": (None, None), "nonNegativeInteger": (0, None), "nonPositiveInteger": (None, 0),
    "positiveInteger": (1, None), "negativeInteger": (None, -1),
    "long": (-(2**63), 2**63 - 1), "int": (-(2**31), 2**31 - 1), "short": (-(2**15), 2**15 - 1), "byte": (-128, 127),
    "unsignedLong": (0, 2**64 - 1), "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1), "unsignedByte": (0, 255),
}  # fmt: skip
NAME_START = (
    "A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
NAME_REST = NAME_START + "0-9.\u00b7\u0300-\u036f\u203f-\u2040\\-"
STRINGS = {
    "string": r"(?s:.*)",
    "normalizedString": r"[^\t\n\r]*",
    "token": r"([^ \t\n\r]+( [^ \t\n\r]+)*)?",
    "language": r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*",
    "Name": f"[{NAME_START}:][{NAME_REST}:]*",
    "NCName": f"[{NAME_START}][{NAME_REST}]*",
    "NMTOKEN": f"[{NAME_REST}:]+",
}
ZONE = r"(?P<zone>Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
YEAR, MONTH, DAY = r"(?P<year>-?(?:[1-9][0-9]{3,}|0[0-9]{3}))", "(?P<month>0[1-9]|1[0-2])", "(?P<day>[0-3][0-9])"
CLOCK = r"(?:(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9](?:\.[0-9]+)?)|24:00:00(?:\.0+)?)"
MOMENTS = {
    "dateTime": f"{YEAR}-{MONTH}-{DAY}T{CLOCK}{ZONE}",
    "dateTimeStamp": f"{YEAR}-{MONTH}-{DAY}T{CLOCK}{ZONE.rstrip('?')}",
    "date": f"{YEAR}-{MONTH}-{DAY}{ZONE}",
    "time": f"{CLOCK}{ZONE}",
    "gYear": f"{YEAR}{ZONE}",
    "gYearMonth": f"{YEAR}-{MONTH}{ZONE}",
    "gMonth": f"--{MONTH}{ZONE}",
    "gMonthDay": f"--{MONTH}-{DAY}{ZONE}",
    "gDay": f"---{DAY}{ZONE}",
}
DATE_PART = "(?:([0-9]+)Y)?(?:([0-9]+)M)?(?:([0-9]+)D)?"
TIME_PART = r"(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?"
DURATION = re.compile(f"(-?)P(?=.){DATE_PART}(?:T(?=.){TIME_PART})?")
DURATIONS = {"duration": r".*", "dayTimeDuration": r"[^YM]*(T.*)?", "yearMonthDuration": r"[^DT]*"}
DECIMAL = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
BINARY = {"float": (24, -149, 128), "double": (53, -1074, 1024)}
"""For each datatype the bits of a number, the exponent of the least one, and that of the first that is too large."""


def value_of(literal: Literal) -> Value:
    """The value of a literal; raises IllTypedError or UnknownError."""
    found = _value_or_error(literal)
    if isinstance(found, Value):
        return found
    raise type(found)(*found.args)


@lru_cache(maxsize=1 << 12)
def _value_or_error(literal: Literal) -> Value | IllTypedError | UnknownError:
    """The same once for each literal: tests compare some hundreds with each other."""
    try:
        return _value_of(literal)
    except (IllTypedError, UnknownError) as error:
        return error.with_traceback(None)


def _value_of(literal: Literal) -> Value:
    if literal.language is not None:
        return Value("langString", (literal.lexical, literal.language.lower()))
    datatype, text = literal.datatype or XSD + "string", literal.lexical
    if datatype == RDF + "XMLLiteral":
        try:
            return Value("XML", ElementTree.canonicalize(f"<root>{text}</root>"))
        except ElementTree.ParseError:
            raise IllTypedError(text) from None
    if datatype == RDF + "PlainLiteral":
        lexical, at, tag = text.rpartition("@")
        if not at or (tag and not re.fullmatch(STRINGS["language"], tag)):
            raise IllTypedError(text)
        return Value("langString", (lexical, tag.lower())) if tag else Value("string", lexical)
    if datatype in (RDF + "langString", RDFS_LITERAL):
        raise IllTypedError(text)
    if not datatype.startswith(XSD):
        raise UnknownError(datatype)
    return xsd_value(datatype.removeprefix(XSD), text)


def xsd_value(name: str, text: str) -> Value:
    """The value of a lexical form in a datatype of XML Schema."""
    if name in INTEGERS:
        required(r"[+-]?[0-9]+", text)
        if not within(int(text), name):
            raise IllTypedError(text)
        return Value("decimal", Fraction(int(text)))
    if name == "decimal":
        return Value("decimal", Fraction(required(DECIMAL, text)))
    if name in BINARY:
        return Value(name, binary(text, name))
    if name == "boolean":
        return Value("boolean", required("true|false|1|0", text) in ("true", "1"))
    if name in STRINGS:
        return Value("string", required(STRINGS[name], text))
    if name in MOMENTS:
        return Value("dateTime" if name == "dateTimeStamp" else name, moment(name, text))
    if name in DURATIONS:
        return Value("duration", duration(name, text))
    if name == "hexBinary":
        return Value(name, bytes.fromhex(required("([0-9a-fA-F]{2})*", text)))
    if name == "base64Binary":
        try:
            return Value(name, base64.b64decode(text.replace(" ", ""), validate=True))
        except binascii.Error:
            raise IllTypedError(text) from None
    if name == "anyURI":
        return Value(name, required("(?s:([A-Za-z][A-Za-z0-9+.-]*:|(?![^/?#]*:)).*)", text))
    raise UnknownError(name)


def required(pattern: str, text: str) -> str:
    if re.fullmatch(pattern, text) is None:
        raise IllTypedError(text)
    return text


def within(number: int, name: str) -> bool:
    least, most = INTEGERS[name]
    return (least is None or number >= least) and (most is None or number <= most)


def binary(text: str, name: str) -> object:
    """The content of a float or double (XML Schema part 2, sections 3.3.4 and 3.3.5)."""
    required(rf"{DECIMAL}([eE][+-]?[0-9]+)?|[+-]?INF|NaN", text)
    if text == "NaN" or text.endswith("INF"):
        return text.removeprefix("+")
    exact = Fraction(text)
    number = rounded(exact, name)
    # XML Schema 1.1 would make infinity or zero of it; the tests of the RDF-based semantics of OWL 2 do not.
    if number in ("INF", "-INF") or (exact and number in (0, "-0")):
        raise IllTypedError(text)
    return "-0" if number == 0 and text.startswith("-") else number


def rounded(number: Fraction, name: str) -> object:
    """The nearest number of a binary datatype, the even one of two; infinite beyond the largest."""
    bits, least, beyond = BINARY[name]
    size = abs(number)
    if size == 0:
        return Fraction(0)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    unit = Fraction(2) ** max(exponent - bits + 1, least)
    found = round(size / unit) * unit
    if found >= Fraction(2) ** beyond:
        return "INF" if number > 0 else "-INF"
    if found == 0 and number < 0:
        return "-0"
    return found if number > 0 else -found


# -- moments and durations ---------------------------------------------------------------------------------------------


def days_in(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def days_before(year: int, month: int, day: int) -> int:
    """Days since the first day of the year 1 in the proleptic calendar."""
    last = year - 1
    days = 365 * last + last // 4 - last // 100 + last // 400
    return days + sum(days_in(year, earlier) for earlier in range(1, month)) + day - 1


def moment(name: str, text: str) -> tuple[Fraction, int | None]:
    """Seconds on the time line, in UTC where there is a zone, and the offset of the zone (timeOnTimeline).

    What a datatype leaves out is that of the last day of 1972.
    """
    found = re.fullmatch(MOMENTS[name], text)
    if found is None:
        raise IllTypedError(text)
    parts = found.groupdict()
    year, month = int(parts.get("year") or 1972), int(parts.get("month") or 12)
    last = days_in(year, month)
    day = int(parts.get("day") or last)
    if not 1 <= day <= (29 if name == "gMonthDay" and month == 2 else last):
        raise IllTypedError(text)
    seconds = Fraction(days_before(year, month, day) * 86400)
    if parts.get("hour"):
        seconds += int(parts["hour"]) * 3600 + int(parts["minute"]) * 60 + Fraction(parts["second"])
    elif "24:00:00" in text and name != "time":
        seconds += 86400
    offset = zone_offset(parts["zone"])
    return (seconds if offset is None else seconds - offset * 60), offset


def zone_offset(zone: str | None) -> int | None:
    """Minutes from UTC."""
    if zone is None or zone == "Z":
        return None if zone is None else 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:6])
    return -minutes if zone[0] == "-" else minutes


def duration(name: str, text: str) -> tuple[int, Fraction]:
    """Months and seconds."""
    found = DURATION.fullmatch(text)
    if found is None or not re.fullmatch(DURATIONS[name], text.lstrip("-")[1:]):
        raise IllTypedError(text)
    sign = -1 if found[1] else 1
    years, months, days, hours, minutes = (int(part or 0) for part in found.groups()[1:6])
    seconds = Fraction(found[7] or 0) + minutes * 60 + hours * 3600 + days * 86400
    return sign * (12 * years + months), sign * seconds


def reached(start: tuple[int, int], span: tuple[int, Fraction]) -> Fraction:
    """The seconds at which a duration ends that begins with a month; the first day is in all months."""
    months = start[0] * 12 + start[1] - 1 + span[0]
    return days_before(months // 12, months % 12 + 1, 1) * 86400 + span[1]


def spans_compared(a: tuple[int, Fraction], b: tuple[int, Fraction]) -> int | None:
    """-1, 0 or 1, None where it depends on when they begin (XML Schema part 2, section 3.3.6.1)."""
    starts = ((1696, 9), (1697, 2), (1903, 3), (1903, 7))
    signs = {sign(reached(start, a) - reached(start, b)) for start in starts}
    return signs.pop() if len(signs) == 1 else None


def sign(number: Fraction | float) -> int:
    return (number > 0) - (number < 0)
