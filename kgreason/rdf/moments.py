"""Moments and durations: the values of dates, times, parts of dates and durations (XML Schema 1.1, part 2).

A moment is a place on the time line together with its zone: two moments in different zones may be equal but are not
identical. Years have any number of digits, and seconds any fraction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Final, TypeAlias

Microseconds: TypeAlias = "int | Fraction"
"""An int but for what is finer than a microsecond."""

DAY: Final = 86400 * 10**6
MINUTE: Final = 60 * 10**6
_EPOCH: Final = date(1970, 1, 1).toordinal()
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146097  # after which the calendar repeats itself

_YEAR, _MONTH, _DAY = "(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))", "(0[1-9]|1[0-2])", "([0-3][0-9])"
_CLOCK = r"(24(?=:00:00(?:\.0+)?(?![.0-9]))|[01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]+))?"
_ZONE = "(Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_NONE = "()"
# Each with the groups year, month, day, hour, minute, second, fraction, zone.
_MOMENTS: Final = {
    "dateTime": re.compile(f"{_YEAR}-{_MONTH}-{_DAY}T{_CLOCK}{_ZONE}"),
    "date": re.compile(f"{_YEAR}-{_MONTH}-{_DAY}{_NONE * 4}{_ZONE}"),
    "time": re.compile(f"{_NONE * 3}{_CLOCK}{_ZONE}"),
    "gYear": re.compile(f"{_YEAR}{_NONE * 6}{_ZONE}"),
    "gYearMonth": re.compile(f"{_YEAR}-{_MONTH}{_NONE * 5}{_ZONE}"),
    "gMonth": re.compile(f"{_NONE}--{_MONTH}{_NONE * 5}{_ZONE}"),
    "gMonthDay": re.compile(f"{_NONE}--{_MONTH}-{_DAY}{_NONE * 4}{_ZONE}"),
    "gDay": re.compile(f"{_NONE * 2}---{_DAY}{_NONE * 4}{_ZONE}"),
}
_DURATION: Final = re.compile(
    "(-?)P(?=.)(?:([0-9]+)Y)?(?:([0-9]+)M)?(?:([0-9]+)D)?"
    r"(?:T(?=.)(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)(?:\.([0-9]+))?S)?)?"
)
_MIDNIGHT: Final = re.compile(r"(-?[0-9]{4,}-[0-9]{2}-[0-9]{2})T24(?=:00:00)")
# Any year serves for what leaves it out; this one has all days, and is that of XML Schema.
_SOME_YEAR: Final = 1972


@dataclass(frozen=True, slots=True)
class Moment:
    """A dateTime, date, time, gYear, gYearMonth, gMonth, gMonthDay or gDay, as `kind` says.

    `microseconds` since 1970, or midnight for a time, in UTC where there is a `zone`: minutes east of UTC, or None.
    """

    kind: str
    microseconds: Microseconds
    zone: int | None

    @property
    def local(self) -> Microseconds:
        """The microseconds in the moment's own zone."""
        return self.microseconds + (self.zone or 0) * MINUTE


@dataclass(frozen=True, slots=True)
class Duration:
    """Months, whose length depends on where they are, and microseconds."""

    months: int
    microseconds: Microseconds


MOMENT_KINDS: Final = frozenset((*_MOMENTS, "dateTimeStamp"))
DURATION_KINDS: Final = frozenset(("duration", "dayTimeDuration", "yearMonthDuration"))


def parsed_moment(text: str, name: str) -> Moment:
    """The moment of a lexical form in a datatype of `MOMENT_KINDS`; ValueError for anything else."""
    kind = "dateTime" if name == "dateTimeStamp" else name
    found = _MOMENTS[kind].fullmatch(text)
    if found is None or (kind != name and not found[8]):
        raise ValueError(f"{text!r} is not a {name}")
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    microseconds: Microseconds = 0
    if kind != "time":
        number = int(year) if year else _SOME_YEAR
        microseconds = days_of(number, int(month or 1), int(day or 1)) * DAY
    if hour:
        microseconds += (int(hour) * 60 + int(minute)) * MINUTE + _seconds(second, fraction)
    if kind == "time":
        microseconds %= DAY
    offset = _offset(zone) if zone else None
    return Moment(kind, microseconds - (offset or 0) * MINUTE, offset)


def parsed_duration(text: str, name: str) -> Duration:
    """The duration of a lexical form in a datatype of `DURATION_KINDS`; ValueError for anything else."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a {name}")
    years, months, days, hours, minutes, second, fraction = found.groups()[1:]
    if (name == "dayTimeDuration" and (years or months)) or (name == "yearMonthDuration" and (days or "T" in text)):
        raise ValueError(f"{text!r} is not a {name}")
    sign = -1 if found[1] else 1
    whole = ((int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes or 0)) * MINUTE
    return Duration(
        sign * (12 * int(years or 0) + int(months or 0)), sign * (whole + _seconds(second or "0", fraction))
    )


def _seconds(second: str, fraction: str | None) -> Microseconds:
    if fraction is None:
        return int(second) * 10**6
    digits = fraction.rstrip("0")
    if len(digits) <= 6:
        return int(second) * 10**6 + int(digits.ljust(6, "0"))
    return Fraction(int(second + digits), 10 ** (len(digits) - 6))


def _offset(zone: str) -> int:
    if zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:6])
    return -minutes if zone[0] == "-" else minutes


def days_of(year: int, month: int, day: int) -> int:
    """Days since 1970 in the proleptic calendar; ValueError for a day that does not exist."""
    cycles, place = divmod(year - 1, _CYCLE_YEARS)
    return date(place + 1, month, day).toordinal() - _EPOCH + cycles * _CYCLE_DAYS


def day_at(days: int) -> tuple[int, int, int]:
    """The year, month and day of days since 1970."""
    cycles, place = divmod(days + _EPOCH - 1, _CYCLE_DAYS)
    found = date.fromordinal(place + 1)
    return found.year + cycles * _CYCLE_YEARS, found.month, found.day


def day_text(days: int) -> str:
    """The xsd:date of days since 1970."""
    year, month, day = day_at(days)
    return f"{'-' * (year < 0)}{abs(year):04}-{month:02}-{day:02}"


def clock_text(microseconds: Microseconds) -> str:
    """The xsd:time of microseconds since midnight."""
    minutes, rest = divmod(microseconds, MINUTE)
    whole, point, digits = seconds_text(rest).partition(".")
    return f"{minutes // 60:02}:{minutes % 60:02}:{whole:0>2}{point}{digits}"


def seconds_text(microseconds: Microseconds) -> str:
    """Microseconds, which are not negative, as seconds with all of their digits."""
    whole, rest = divmod(Fraction(microseconds), 10**6)
    if not rest:
        return str(whole)
    places = 6
    while rest.denominator != 1:
        rest, places = rest * 10, places + 1
    return f"{whole}.{str(rest).rjust(places, '0').rstrip('0')}"


def midnight_begun(text: str) -> str:
    """A text with 24:00:00 in it as the time at which the next day begins, 00:00:00."""
    if "24:00:00" not in text:
        return text
    changed = _MIDNIGHT.sub(lambda found: f"{_next_day(found[1])}T00", text)
    return re.sub(r'^("?)24(?=:00:00)', r"\g<1>00", changed)


def _next_day(text: str) -> str:
    year, month, day = text.rsplit("-", 2)
    return day_text(days_of(int(year), int(month), int(day)) + 1)


# XML Schema compares durations by where they end from these months on (section 3.3.6.1).
_STARTS: Final = ((1696, 9), (1697, 2), (1903, 3), (1903, 7))


def ends_of(duration: Duration) -> tuple[Microseconds, ...]:
    """The ends of a duration from four months of different lengths: one is shorter than another where all ends are."""
    ends = []
    for year, month in _STARTS:
        months = year * 12 + month - 1 + duration.months
        ends.append(days_of(months // 12, months % 12 + 1, 1) * DAY + duration.microseconds)
    return tuple(ends)
