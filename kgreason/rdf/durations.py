"""Durations, and arithmetic of moments with them: what SPARQL 1.1 leaves to extensions, after XPath (section 10.8).

A difference of two moments is an xsd:dayTimeDuration; durations are added to moments, and subtracted from them.
"""

from __future__ import annotations

import calendar
import re
from typing import Final

from kgreason.errors import FunctionError
from kgreason.rdf.literal_values import value_of
from kgreason.rdf.model import Literal, Term
from kgreason.rdf.moments import (
    DAY,
    DURATION_KINDS,
    MINUTE,
    Duration,
    Microseconds,
    clock_text,
    day_at,
    day_text,
    days_of,
    seconds_text,
)
from kgreason.rdf.times import DAY_TIME_DURATION, MOMENT_TYPES, moment_of
from kgreason.rdf.vocabulary import XSD

DURATION_TYPES: Final = frozenset(XSD + name for name in DURATION_KINDS)

_ZONE = re.compile(r"(Z|[+-]\d\d:\d\d)?$")


def duration_of(literal: Literal) -> Duration:
    """The duration of a literal; FunctionError for one of another datatype, NoValueError for an ill-typed one."""
    value = value_of(literal) if literal.datatype in DURATION_TYPES else None
    if not isinstance(value, Duration):
        raise FunctionError(f"{literal} is not a duration")
    return value


def duration_literal(microseconds: Microseconds) -> Literal:
    """The xsd:dayTimeDuration of so many microseconds."""
    minutes, rest = divmod(-microseconds if microseconds < 0 else microseconds, MINUTE)
    hours, minute = divmod(minutes, 60)
    day, hour = divmod(hours, 24)
    clock = f"{hour}H" * bool(hour) + f"{minute}M" * bool(minute) + f"{seconds_text(rest)}S" * bool(rest)
    text = f"{day}D" * bool(day) + f"T{clock}" * bool(clock)
    return Literal(f"{'-' * (microseconds < 0)}P{text or 'T0S'}", DAY_TIME_DURATION)


def are_moments(left: Term, right: Term) -> bool:
    """Whether arithmetic of two terms is that of moments."""
    types = {getattr(left, "datatype", None), getattr(right, "datatype", None)}
    return not types.isdisjoint(MOMENT_TYPES)


def moved(symbol: str, left: Term, right: Term) -> Term:
    """The sum or difference of a moment and a duration, or the difference of two moments."""
    if not isinstance(left, Literal) or not isinstance(right, Literal) or symbol not in ("+", "-"):
        raise FunctionError(f"{left} {symbol} {right} is not defined")
    if symbol == "-" and right.datatype in MOMENT_TYPES:
        return _difference(left, right)
    if symbol == "+" and right.datatype in MOMENT_TYPES:
        left, right = right, left
    if left.datatype not in MOMENT_TYPES or right.datatype not in DURATION_TYPES:
        raise FunctionError(f"{left} {symbol} {right} is not defined")
    duration = duration_of(right)
    sign = 1 if symbol == "+" else -1
    return _shifted(left, sign * duration.months, sign * duration.microseconds)


def _difference(left: Literal, right: Literal) -> Literal:
    mine, theirs = moment_of(left), moment_of(right)
    if mine.kind != theirs.kind or (mine.zone is None) != (theirs.zone is None):
        raise FunctionError(f"{left} and {right} have no difference")
    return duration_literal(mine.microseconds - theirs.microseconds)


def _shifted(literal: Literal, months: int, microseconds: Microseconds) -> Literal:
    """The moment so much later, in its own time zone."""
    moment = moment_of(literal)
    zone = _ZONE.search(literal.lexical)
    assert zone is not None, "a zone may be empty"
    if moment.kind == "time":
        if months:
            raise FunctionError(f"a time has no months to add to {literal}")
        return Literal(clock_text((moment.local + microseconds) % DAY) + zone.group(), literal.datatype)
    days, clock = divmod(moment.local, DAY)
    more, clock = divmod(clock + microseconds, DAY)
    day = day_text(_months_later(days, months) + more)
    text = day if moment.kind == "date" else f"{day}T{clock_text(clock)}"
    return Literal(text + zone.group(), literal.datatype)


def _months_later(days: int, months: int) -> int:
    """The same day of another month, or its last one if that is shorter."""
    year, month, day = day_at(days)
    later = year * 12 + month - 1 + months
    year, month = later // 12, later % 12 + 1
    # The calendar knows the years from 1 on; it repeats itself after 400.
    return days_of(year, month, min(day, calendar.monthrange((year - 1) % 400 + 1, month)[1]))
