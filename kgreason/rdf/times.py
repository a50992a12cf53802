"""The parts of dates and times: functions of SPARQL 1.1, section 17.4.5."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from kgreason.errors import FunctionError
from kgreason.rdf.literal_values import value_of
from kgreason.rdf.model import Literal, Term
from kgreason.rdf.moments import MINUTE, Moment
from kgreason.rdf.vocabulary import XSD

MOMENT_TYPES: Final = frozenset(XSD + name for name in ("dateTime", "dateTimeStamp", "date", "time"))
DAY_TIME_DURATION: Final = XSD + "dayTimeDuration"

UNCERTAINTY: Final = 14 * 60 * MINUTE
"""How far, in microseconds, a moment without a time zone may be from the same one in UTC."""

_ZONE = re.compile(r"(Z|[+-]\d\d:\d\d)$")


def moment_of(term: Term) -> Moment:
    """The moment of a dateTime, date or time; FunctionError for any other term, NoValueError for an ill-typed one."""
    value = value_of(term) if isinstance(term, Literal) and term.datatype in MOMENT_TYPES else None
    if not isinstance(value, Moment):
        raise FunctionError(f"{term} is not a date or time")
    return value


def time_zone(term: Term) -> Term:
    """``timezone``: the zone as an xsd:dayTimeDuration; an error without one."""
    zone = moment_of(term).zone
    if zone is None:
        raise FunctionError(f"{term} has no time zone")
    hours, minutes = divmod(abs(zone), 60)
    parts = f"{hours}H" * bool(hours) + f"{minutes}M" * bool(minutes)
    return Literal(f"{'-' * (zone < 0)}PT{parts or '0S'}", DAY_TIME_DURATION)


def zone_text(term: Term) -> Term:
    """``tz``: the zone as it is written, empty without one."""
    moment_of(term)
    assert isinstance(term, Literal)
    zone = _ZONE.search(term.lexical)
    return Literal(zone.group() if zone else "")


def now_literal(moment: datetime) -> Literal:
    """The xsd:dateTime of a moment with a time zone."""
    return Literal(moment.astimezone(UTC).isoformat().replace("+00:00", "Z"), XSD + "dateTime")
