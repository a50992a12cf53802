"""Durations, and arithmetic of moments with them: what SPARQL 1.1 leaves to extensions, after XPath (section 10.8).

A difference of two moments is an xsd:dayTimeDuration; durations are added to moments, and subtracted from them.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from kgreason.errors import FunctionError
from kgreason.terms.model import Literal, Term
from kgreason.terms.times import DAY_TIME_DURATION, MOMENT_TYPES, Moment, moment_of
from kgreason.terms.values import midnight_begun
from kgreason.terms.vocabulary import XSD

DURATION_TYPES: Final = frozenset((XSD + "duration", XSD + "dayTimeDuration", XSD + "yearMonthDuration"))

_DURATION = re.compile(
    r"(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?(?<![PT])",
    re.ASCII,
)
_DAY_TIME_ONLY = re.compile(r"-?P[^YM]*(T.*)?")
_YEAR_MONTH_ONLY = re.compile(r"-?P[^DT]*")
_ZONE = re.compile(r"(Z|[+-]\d\d:\d\d)?$")


@dataclass(frozen=True, slots=True)
class Duration:
    """Months, whose length depends on where they are, and microseconds."""

    months: int
    microseconds: int


def duration_of(literal: Literal) -> Duration:
    """The duration of a literal; FunctionError for what is none."""
    found = _DURATION.fullmatch(literal.lexical)
    only = {XSD + "dayTimeDuration": _DAY_TIME_ONLY, XSD + "yearMonthDuration": _YEAR_MONTH_ONLY}
    pattern = only.get(literal.datatype or "")
    if found is None or (pattern is not None and not pattern.fullmatch(literal.lexical)):
        raise FunctionError(f"{literal} is no duration")
    years, months, days, hours, minutes = (int(part or 0) for part in found.groups()[1:6])
    seconds = Decimal(found.group(7) or 0)
    sign = -1 if found.group(1) else 1
    whole = ((days * 24 + hours) * 60 + minutes) * 60 * 10**6
    return Duration(sign * (12 * years + months), sign * (whole + int(seconds * 10**6)))


def duration_literal(microseconds: int) -> Literal:
    """The xsd:dayTimeDuration of so many microseconds."""
    seconds, rest = divmod(abs(microseconds), 10**6)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    day, hour = divmod(hours, 24)
    fraction = f".{rest:06}".rstrip("0") if rest else ""
    clock = f"{hour}H" * bool(hour) + f"{minute}M" * bool(minute) + f"{second}{fraction}S" * bool(second or rest)
    text = f"{day}D" * bool(day) + f"T{clock}" * bool(clock)
    return Literal(f"{'-' * (microseconds < 0)}P{text or 'T0S'}", DAY_TIME_DURATION)


def are_moments(left: Term, right: Term) -> bool:
    """Whether arithmetic of two terms is that of moments."""
    types = {getattr(left, "datatype", None), getattr(right, "datatype", None)}
    return not types.isdisjoint(MOMENT_TYPES)


def moved(symbol: str, left: Term, right: Term) -> Term:
    """The sum or difference of a moment and a duration, or the difference of two moments."""
    if not isinstance(left, Literal) or not isinstance(right, Literal) or symbol not in ("+", "-"):
        raise FunctionError(f"there is no {left} {symbol} {right}")
    if symbol == "-" and right.datatype in MOMENT_TYPES:
        return _difference(left, right)
    if symbol == "+" and right.datatype in MOMENT_TYPES:
        left, right = right, left
    if left.datatype not in MOMENT_TYPES or right.datatype not in DURATION_TYPES:
        raise FunctionError(f"there is no {left} {symbol} {right}")
    duration = duration_of(right)
    sign = 1 if symbol == "+" else -1
    return _shifted(left, sign * duration.months, timedelta(microseconds=sign * duration.microseconds))


def _difference(left: Literal, right: Literal) -> Literal:
    mine, theirs = moment_of(left), moment_of(right)
    if mine.kind != theirs.kind or mine.zoned != theirs.zoned:
        raise FunctionError(f"{left} and {right} have no difference")
    return duration_literal(mine.microseconds - theirs.microseconds)


def _shifted(literal: Literal, months: int, time: timedelta) -> Literal:
    """The moment so much later, in its own time zone."""
    moment = moment_of(literal)
    zone = _ZONE.search(literal.lexical)
    assert zone is not None, "a zone may be empty"
    local = literal.lexical[: zone.start()]
    if moment.kind == "time":
        if months:
            raise FunctionError(f"a time has no months to add to {literal}")
        local = "2000-01-01T" + local
    begin = datetime.fromisoformat(midnight_begun(local))
    month = begin.year * 12 + begin.month - 1 + months
    if not 12 <= month < 120000:
        raise FunctionError(f"{literal} would leave the years 1 to 9999")
    year, number = divmod(month, 12)
    day = min(begin.day, calendar.monthrange(year, number + 1)[1])
    try:
        found = begin.replace(year=year, month=number + 1, day=day) + time
    except OverflowError as error:
        raise FunctionError(f"{literal} would leave the years 1 to 9999") from error
    return Literal(_written(found, moment) + zone.group(), literal.datatype)


def _written(found: datetime, moment: Moment) -> str:
    text = found.isoformat()
    if found.microsecond:
        text = text.rstrip("0")
    match moment.kind:
        case "date":
            return text[:10]
        case "time":
            return text[11:]
    return text
