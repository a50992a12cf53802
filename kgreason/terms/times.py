"""Moments: the literals of xsd:dateTime, xsd:date and xsd:time as numbers that can be compared, and their parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from kgreason.errors import FunctionError
from kgreason.terms.model import Literal, Term
from kgreason.terms.values import NoValueError, value_of
from kgreason.terms.vocabulary import XSD

MOMENT_TYPES: Final = frozenset(XSD + name for name in ("dateTime", "dateTimeStamp", "date", "time"))
DAY_TIME_DURATION: Final = XSD + "dayTimeDuration"

UNCERTAINTY: Final = 14 * 3600 * 10**6
"""How far, in microseconds, a moment without a time zone may be from the same one in UTC."""

_MICROSECOND = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1)
_ZONE = re.compile(r"(Z|[+-]\d\d:\d\d)$")


@dataclass(frozen=True, slots=True)
class Moment:
    """A dateTime, a date or a time: microseconds since 1970 or midnight, in UTC where it is zoned."""

    kind: str
    microseconds: int
    zoned: bool


def moment_of(literal: Literal) -> Moment:
    """The moment of a literal; NoValueError for what is none, or lies outside of the years 1 to 9999."""
    value = value_of(literal)
    if isinstance(value, datetime):
        zoned = value.tzinfo is not None
        return Moment("dateTime", (value.replace(tzinfo=None) - _EPOCH) // _MICROSECOND, zoned)
    offset = offset_of(literal)
    if isinstance(value, date):
        start = datetime.combine(value, time()) - _EPOCH
        return Moment("date", (start - (offset or timedelta())) // _MICROSECOND, offset is not None)
    if isinstance(value, time):
        since = timedelta(
            hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond
        )
        return Moment("time", (since - (offset or timedelta())) // _MICROSECOND, offset is not None)
    raise NoValueError(f"{literal} is no date or time")


def offset_of(literal: Literal) -> timedelta | None:
    """How far the time zone of a date or a time is from UTC, None without one."""
    zone = _ZONE.search(literal.lexical)
    if zone is None:
        return None
    if zone.group() == "Z":
        return timedelta()
    sign = -1 if zone.group()[0] == "-" else 1
    return sign * timedelta(hours=int(zone.group()[1:3]), minutes=int(zone.group()[4:6]))


def time_zone(term: Term) -> Term:
    """``timezone``: the zone as an xsd:dayTimeDuration; an error without one."""
    offset = offset_of(_moment_literal(term))
    if offset is None:
        raise FunctionError(f"{term} has no time zone")
    minutes = abs(int(offset.total_seconds())) // 60
    parts = f"{minutes // 60}H" if minutes >= 60 else ""
    parts += f"{minutes % 60}M" if minutes % 60 else ""
    sign = "-" if offset < timedelta() else ""
    return Literal(f"{sign}PT{parts or '0S'}", DAY_TIME_DURATION)


def zone_text(term: Term) -> Term:
    """``tz``: the zone as it is written, empty without one."""
    zone = _ZONE.search(_moment_literal(term).lexical)
    return Literal(zone.group() if zone else "")


def now_literal(moment: datetime) -> Literal:
    """The xsd:dateTime of a moment with a time zone."""
    return Literal(moment.astimezone(UTC).isoformat().replace("+00:00", "Z"), XSD + "dateTime")


def _moment_literal(term: Term) -> Literal:
    if not isinstance(term, Literal) or term.datatype not in MOMENT_TYPES:
        raise FunctionError(f"{term} is no date or time")
    moment_of(term)
    return term
