"""Arithmetic of dates and times with durations."""

from __future__ import annotations

import pytest

from kgreason.errors import FunctionError
from kgreason.rdf.durations import duration_literal, duration_of, moved
from kgreason.rdf.literal_values import NoValueError
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import XSD


def literal(text: str) -> Literal:
    lexical, _, name = text.rpartition("^")
    return Literal(lexical, XSD + name)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("2020-03-01^date - 2020-02-28^date", "P2D^dayTimeDuration"),
        ("2020-01-01T10:00:00Z^dateTime - 2020-01-01T10:00:00+01:00^dateTime", "PT1H^dayTimeDuration"),
        ("2020-01-01T10:00:00^dateTime - 2020-01-02T10:00:00.5^dateTime", "-P1DT0.5S^dayTimeDuration"),
        ("10:00:00^time - 09:59:00^time", "PT1M^dayTimeDuration"),
        ("2020-01-31^date + P1M^yearMonthDuration", "2020-02-29^date"),
        ("2020-01-31Z^date - P1Y^duration", "2019-01-31Z^date"),
        ("2020-12-31T23:59:59-05:00^dateTime + PT1.5S^dayTimeDuration", "2021-01-01T00:00:00.5-05:00^dateTime"),
        ("P1D^dayTimeDuration + 2020-01-01T24:00:00^dateTime", "2020-01-03T00:00:00^dateTime"),
        ("23:30:00^time + PT1H^dayTimeDuration", "00:30:00^time"),
        ("2020-01-01^date + -P1D^duration", "2019-12-31^date"),
        ("9999-12-31^date + P1D^duration", "10000-01-01^date"),
        ("9999-12-31^date + P1Y^duration", "10000-12-31^date"),
        ("0001-01-01^date - P1Y1D^duration", "-0001-12-31^date"),
        ("0000-03-01T00:00:00Z^dateTime - PT1S^dayTimeDuration", "0000-02-29T23:59:59Z^dateTime"),
        ("23:59:59.9999999Z^time + PT0.0000001S^dayTimeDuration", "00:00:00Z^time"),
        ("12020-01-01T00:00:00.25^dateTime - 12020-01-01T00:00:00^dateTime", "PT0.25S^dayTimeDuration"),
    ],
)
def test_sums_and_differences(expression: str, expected: str) -> None:
    left, symbol, right = expression.split(" ")
    assert moved(symbol, literal(left), literal(right)) == literal(expected)


@pytest.mark.parametrize(
    "expression",
    [
        "2020-01-01^date - 2020-01-01T00:00:00^dateTime", "2020-01-01^date - 2020-01-01Z^date",
        "2020-01-01^date + 1^integer",
        "2020-01-01^date + 2020-01-01^date", "2020-01-01^date * P1D^duration", "P1D^duration - 2020-01-01^date",
        "10:00:00^time + P1M^duration",
        "2020-01-01^date + P^duration", "2020-01-01^date + PT^duration", "2020-01-01^date + P1M^dayTimeDuration",
        "2020-01-01^date + P1D^yearMonthDuration", "2020-13-01^date + P1D^duration",
    ],
)  # fmt: skip
def test_what_there_is_not(expression: str) -> None:
    left, symbol, right = expression.split(" ")
    with pytest.raises((FunctionError, NoValueError)):
        moved(symbol, literal(left), literal(right))


def test_a_resource_has_no_sum() -> None:
    with pytest.raises(FunctionError):
        moved("+", literal("2020-01-01^date"), IRI("urn:a"))


@pytest.mark.parametrize("text", ["PT0S", "P1D", "-PT1M", "P2DT3H4M5.25S", "PT0.000001S", "PT0.0000001S"])
def test_durations_are_written_as_they_are_read(text: str) -> None:
    assert duration_literal(duration_of(literal(f"{text}^dayTimeDuration")).microseconds).lexical == text
