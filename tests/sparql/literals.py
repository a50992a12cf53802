"""Terms of all kinds for tests of expressions: few enough of each that equal and nearly equal ones meet."""

from __future__ import annotations

from typing import Final

from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import XSD


def typed(name: str, *lexicals: str) -> list[Term]:
    return [Literal(lexical, XSD + name) for lexical in lexicals]


NUMBERS: Final[list[Term]] = [
    *typed("integer", "0", "1", "01", "-1", "2", "3", "10", "9007199254740992", "9007199254740993", "x"),
    *typed("integer", "1" + "0" * 400),
    *typed("int", "1", "99999999999"), *typed("nonNegativeInteger", "2"), *typed("byte", "-1"),
    *typed("decimal", "0.0", "1.0", "1.00", "0.1", "0.10", "2.5", "-0.5", "123456.789012", ".5", "abc"),
    *typed("decimal", "0.1000000000000000055511151231257827", "9007199254740993.5", "9007199254740993.0"),
    *typed("double", "0", "-0.0", "1", "1E0", "0.1", "2.5e0", "NaN", "INF", "-INF", "1e308", "9007199254740992", "?"),
    *typed("float", "0.1", "1", "1.5", "16777217", "NaN", "1e39", "3e38"),
]  # fmt: skip
STRINGS: Final[list[Term]] = [
    *map(Literal, ("", "a", "b", "A", "ab", "1", "true", "2020-01-01", '"', "a\n", "食べ物", "x y", "urn:a", "1.5")),
    *typed("string", "", "a", "b", "1"), *typed("token", "a", "b c", " x "), *typed("normalizedString", "b", "a\tb"),
    Literal("a", None, "en"), Literal("a", None, "EN"), Literal("a", None, "de"), Literal("", None, "en"),
    Literal("b", None, "en-GB"),
]  # fmt: skip
TIMES: Final[list[Term]] = [
    *typed("dateTime", "2020-01-01T00:00:00", "2020-01-01T00:00:00Z", "2020-01-01T01:00:00+01:00"),
    *typed("dateTime", "2020-01-01T10:00:00", "2020-01-02T00:00:00", "2020-01-01T24:00:00", "2020-01-01T00:00:00.5Z"),
    *typed("dateTime", "9999-12-31T23:59:59.999999", "9999-12-31T23:59:59.999998", "2020-13-01T00:00:00", "soon"),
    *typed("dateTimeStamp", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00"),
    *typed("date", "2020-01-01", "2020-01-01Z", "2020-01-01-05:00", "2020-01-02", "2020-01-05Z", "2020-02-30"),
    *typed("time", "00:00:00", "10:00:00Z", "09:00:00-01:00", "10:00:00", "23:59:59.25", "25:00:00"),
    *typed("dateTime", "-0001-12-31T24:00:00", "12020-01-02T03:04:05.1234567", "12020-01-02T03:04:05.1234567Z"),
    *typed("dateTime", f"1{'0' * 400}-01-01T00:00:00", f"1{'0' * 400}-01-01T14:00:00.1Z"),
    *typed("date", "-0001-01-01", "12020-02-03Z"), *typed("time", "24:00:00"), *typed("gYear", "2020Z", "-0001"),
    *typed("gMonthDay", "--02-29"), *typed("duration", "P1M", "P30D", "P31D"),
    *typed("duration", "P1Y2M", "-P1D"), *typed("dayTimeDuration", "PT1H", "PT36H", "P"),
    *typed("yearMonthDuration", "P1M"),
]  # fmt: skip
OTHERS: Final[list[Term]] = [
    *typed("boolean", "true", "false", "1", "0", "yes"),
    *typed("hexBinary", "0a", "0A", "0"), *typed("anyURI", "urn:a", "a"), *typed("gYear", "2020", "2021"),
    Literal("a", "urn:unknown"), Literal("b", "urn:unknown"), Literal("a", "urn:other"),
    Literal("<a/>", "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral"),
    Literal("a@", "http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral"),
    Literal("a@en", "http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral"),
]  # fmt: skip
RESOURCES: Final[list[Term]] = [IRI("urn:a"), IRI("urn:b"), IRI("http://example.org/a"), BlankNode("a"), BlankNode("b")]
TERMS: Final[list[Term]] = NUMBERS + STRINGS + TIMES + OTHERS + RESOURCES
