"""Values of every datatype for tests of operators: few enough that all pairs are compared, near enough to meet."""

from __future__ import annotations

from typing import Final

from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import RDF, XSD


def typed(name: str, *lexicals: str) -> list[Term]:
    return [Literal(lexical, XSD + name) for lexical in lexicals]


NUMBERS: Final = [
    *typed("integer", "0", "1", "+01", "16777217", "9007199254740993", "1" + "0" * 400, "one"),
    *typed("byte", "1", "128"), *typed("negativeInteger", "-1", "1"), *typed("unsignedLong", "9007199254740993"),
    *typed("decimal", "0.1", "1.0", "-0.0", "9007199254740993.5", "0.1000000000000000055511151231257827", "1e0"),
    *typed("float", "0.1", "1", "-0.0", "16777216", "NaN", "INF", "-INF", "x"),
    *typed("double", "0.1", "1E0", "0.0", "-0.0", "9007199254740992", "NaN", "INF", "-INF", "1e400", "inf"),
]  # fmt: skip
STRINGS: Final = [
    *map(Literal, ("", "a", "b", "1", "true", "\U00010000", "\uffff")),
    *typed("string", "a"), *typed("token", "a", " a"), *typed("language", "en"), *typed("NCName", "b", "b:c"),
    Literal("a", None, "en"), Literal("a", None, "EN-gb"), Literal("a", None, "en-GB"), Literal("b", None, "en"),
]  # fmt: skip
MOMENTS: Final = [
    *typed("dateTime", "2020-01-01T00:00:00", "2020-01-01T00:00:00Z", "2020-01-01T01:00:00+01:00"),
    *typed("dateTime", "2019-12-31T24:00:00", "2020-01-01T14:00:00Z", "2020-01-01T14:00:00.000001Z"),
    *typed("dateTime", "2021-01-01T00:00:00Z", "2020-02-30T00:00:00"),
    *typed("dateTimeStamp", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00"),
    *typed("date", "2020-01-01", "2020-01-01Z", "2020-01-01-05:00", "2020-01-03Z", "2020-02-30"),
    *typed("time", "00:00:00", "00:00:00Z", "23:30:00-01:00", "10:00:00", "25:00:00", "24:00:00"),
    *typed("dateTime", "-0001-01-01T00:00:00Z", "12020-01-01T00:00:00", "12020-01-01T14:00:00Z"),
    *typed("dateTime", "12020-01-01T14:00:00.000001Z"),
    *typed("dateTime", "2020-01-01T00:00:00.0000001", "2020-01-01T00:00:00.0000002", "2020-01-01T00:00:00+15:00"),
    *typed("gYear", "2020", "2020Z", "2022", "20"), *typed("gYearMonth", "2020-02", "2020-03"),
    *typed("gMonth", "--02", "--03"), *typed("gMonthDay", "--02-29", "--02-30"), *typed("gDay", "---31", "---31Z"),
    *typed("duration", "P1M", "P30D", "P31D", "P1Y", "-P1D", "PT0S", "P"),
    *typed("dayTimeDuration", "P1D", "PT24H", "P1M", "PT0.1S"), *typed("yearMonthDuration", "P12M", "P1D", "P0M"),
]  # fmt: skip
OTHERS: Final = [
    *typed("boolean", "true", "1", "false", "0", "TRUE"),
    *typed("anyURI", "urn:a", "a"), *typed("hexBinary", "0a", "0A", "0"), *typed("base64Binary", "Cg==", "C g = ="),
    Literal("<a/>", RDF + "XMLLiteral"), Literal("<a></a>", RDF + "XMLLiteral"), Literal("<a>", RDF + "XMLLiteral"),
    Literal("a@", RDF + "PlainLiteral"),
    Literal("1", "urn:unknown"), Literal("01", "urn:unknown"), Literal("1", "urn:other"),
]  # fmt: skip
RESOURCES: Final = [IRI("urn:a"), IRI("urn:b"), BlankNode("a"), BlankNode("b")]
VALUES: Final[list[Term]] = [*NUMBERS, *STRINGS, *MOMENTS, *OTHERS, *RESOURCES]
