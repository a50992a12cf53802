"""The parts of dates and times: functions of SPARQL 1.1, section 17.4.5."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from kgreason.errors import FunctionError
from kgreason.rdf.literal_values import value_of
from kgreason.rdf.model import Literal, Term
from kgreason.rdf.moments import DAY, MINUTE, Moment, day_at, seconds_text
from kgreason.rdf.numbers import number_literal
from kgreason.rdf.vocabulary import XSD, XSD_DECIMAL, XSD_INTEGER

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


def moment_part(position: int) -> Callable[[Term], Term]:
    """``year``, ``month``, ``day``, ``hours``, ``minutes`` and ``seconds``, by their numbers from 0 to 5: the function
    of that part of a moment, in the moment's own time zone."""
    without = "time" if position < 3 else "date"

    def apply(term: Term) -> Term:
        moment = moment_of(term)
        if moment.kind == without:
            raise FunctionError(f"{term} has no such part")
        days, clock = divmod(moment.local, DAY)
        if position < 3:
            return Literal(str(day_at(days)[position]), XSD_INTEGER)
        if position < 5:
            minutes = clock // MINUTE
            return Literal(str(minutes // 60 if position == 3 else minutes % 60), XSD_INTEGER)
        return number_literal(Decimal(seconds_text(clock % MINUTE)), XSD_DECIMAL)

    return apply


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
