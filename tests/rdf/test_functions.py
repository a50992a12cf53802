"""Built-in functions, by a table of expected results after SPARQL 1.1 and XML Schema."""

from __future__ import annotations

import pytest

from kgreason.errors import FunctionError
from kgreason.program.parser import parse_program
from kgreason.rdf.functions import holds
from kgreason.rdf.literal_values import NoValueError, in_datatype, value_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import XSD
from tests.algebra.evaluating import evaluated


def literal(text: str) -> Term:
    """A term from the rule syntax."""
    (rule,) = parse_program(f"p({text}, 1, 1) .").rules
    return rule.heads[0].arguments[0]


TRUE, FALSE = "true", "false"
# More digits than Python's decimals have by themselves.
LONG = "12345678901234567890123456789012345"
RESULTS = [
    ("+", "1 2", "3"),
    ("+", "1 2.5", "3.5"),
    ("+", "1 2e0", '"3.0E0"^^xsd:double'),
    ("-", "1 3", "-2"),
    ("*", "1.5 2", "3.0"),
    ("/", "1 4", "0.25"),
    ("/", "1e0 0e0", '"INF"^^xsd:double'),
    ("abs", '"-1e-7"^^xsd:double', '"1.0E-7"^^xsd:double'),
    ("+", '"0.1"^^xsd:float "0.2"^^xsd:float', '"3.0E-1"^^xsd:float'),
    ("ceil", "-0.5", "0.0"),
    ("abs", "-3", "3"),
    ("round", "2.5", "3.0"),
    ("round", "-2.5", "-2.0"),
    ("ceil", "2.1", "3.0"),
    ("floor", "-2.1", "-3.0"),
    ("round", LONG, LONG),
    ("round", f"{LONG}.5", f"{LONG[:-1]}6.0"),
    ("round", f"-{LONG}.5", f"-{LONG}.0"),
    ("round", '"-0.3"^^xsd:double', '"-0.0E0"^^xsd:double'),
    ("round", '"0.49999999999999994"^^xsd:double', '"0.0E0"^^xsd:double'),
    ("abs", f"-0.{LONG}", f"0.{LONG}"),
    ("abs", '"-0.0"^^xsd:double', '"0.0E0"^^xsd:double'),
    ("+", f"{LONG} 0.{LONG}", f"{LONG}.{LONG}"),
    ("-", f"0.{LONG} 0.{LONG[:-1]}4", f"0.{'1':0>35}"),
    ("*", f"0.{LONG} 2.0", "0.2469135780246913578024691357802469"),
    ("-", '1 "1.1"^^xsd:float', '"-1.00000024E-1"^^xsd:float'),
    ("=", f"0.{LONG} 0.{LONG[:-1]}6", FALSE),
    ("=", "1 1.0", TRUE),
    ("=", '1 "01"^^xsd:integer', TRUE),
    ("=", '"a" "a"^^xsd:string', TRUE),
    ("=", '"a"@en "a"@EN', TRUE),
    ("=", '"a"@en "a"', FALSE),
    ("!=", "1 2", TRUE),
    ("=", '"NaN"^^xsd:double "NaN"^^xsd:double', FALSE),
    ("<", "1 1.5", TRUE),
    ("<", '"a" "b"', TRUE),
    (">=", '"2020-01-02"^^xsd:date "2020-01-01"^^xsd:date', TRUE),
    ("<", '"2020-01-01T00:00:00Z"^^xsd:dateTime "2020-01-01T00:00:00-01:00"^^xsd:dateTime', TRUE),
    ("<=", "2 2", TRUE),
    (">", "2 2", FALSE),
    ("!", "false", TRUE),
    ("&&", "true false", FALSE),
    ("||", "true false", TRUE),
    ("str", "<urn:x>", '"urn:x"'),
    ("str", "12", '"12"'),
    ("lang", '"a"@de', '"de"'),
    ("lang", '"a"', '""'),
    ("langmatches", '"en-GB" "en"', TRUE),
    ("langmatches", '"en" "*"', TRUE),
    ("langmatches", '"" ""', FALSE),
    ("datatype", '"a"', "<http://www.w3.org/2001/XMLSchema#string>"),
    ("datatype", "1", "<http://www.w3.org/2001/XMLSchema#integer>"),
    ("iri", '"urn:x"', "<urn:x>"),
    ("isiri", "<urn:x>", TRUE),
    ("isblank", "_:b", TRUE),
    ("isliteral", "<urn:x>", FALSE),
    ("isnumeric", "1.0", TRUE),
    ("isnumeric", '"x"^^xsd:integer', FALSE),
    ("strlen", '"日本"', "2"),
    ("substr", '"foobar" 4', '"bar"'),
    ("substr", '"foobar"@en 4 1', '"b"@en'),
    ("ucase", '"a"@en', '"A"@en'),
    ("lcase", '"A"', '"a"'),
    ("strstarts", '"foobar" "foo"', TRUE),
    ("strends", '"foobar"@en "bar"', TRUE),
    ("contains", '"foobar" "ob"', TRUE),
    ("strbefore", '"abc" "b"', '"a"'),
    ("strafter", '"abc" "z"', '""'),
    ("concat", '"a" "b"', '"ab"'),
    ("concat", '"a"@en "b"@en', '"ab"@en'),
    ("concat", '"a"@en "b"@EN', '"ab"@en'),
    ("strbefore", '"abc"@en "b"@EN', '"a"@en'),
    ("replace", '"abab" "b" "z"', '"azaz"'),
    ("replace", '"abc" "(b)" "[$1]"', '"a[b]c"'),
    ("regex", '"Alice" "^ali" "i"', TRUE),
    ("encode_for_uri", '"a b"', '"a%20b"'),
    ("strdt", '"1" xsd:integer', "1"),
    ("strlang", '"a" "en"', '"a"@en'),
    ("md5", '"abc"', '"900150983cd24fb0d6963f7d28e17f72"'),
    ("sha1", '"abc"', '"a9993e364706816aba3e25717850c26c9cd0d89d"'),
    ("year", '"2020-05-06"^^xsd:date', "2020"),
    ("month", '"2020-05-06T01:02:03.5Z"^^xsd:dateTime', "5"),
    ("day", '"2020-05-06T01:02:03.5Z"^^xsd:dateTime', "6"),
    ("day", '"2020-12-31T24:00:00Z"^^xsd:dateTime', "1"),
    ("year", '"2020-12-31T24:00:00.00"^^xsd:dateTime', "2021"),
    ("hours", '"2020-12-31T24:00:00"^^xsd:dateTime', "0"),
    ("=", '"2020-12-31T24:00:00+02:00"^^xsd:dateTime "2020-12-31T22:00:00Z"^^xsd:dateTime', TRUE),
    ("hours", '"2020-05-06T01:02:03.5+02:00"^^xsd:dateTime', "1"),
    ("minutes", '"2020-05-06T01:02:03.5Z"^^xsd:dateTime', "2"),
    ("seconds", '"2020-05-06T01:02:03.5Z"^^xsd:dateTime', "3.5"),
    ("sameterm", "1 1.0", FALSE),
    ("year", '"-0001-12-31T24:00:00"^^xsd:dateTime', "0"),
    ("year", '"12020-05-06Z"^^xsd:date', "12020"),
    ("hours", '"24:00:00"^^xsd:time', "0"),
    ("seconds", '"00:00:01.1234567"^^xsd:time', "1.1234567"),
    ("samevalue", "1 1.0", TRUE),
    ("samevalue", "1 1e0", FALSE),
    ("samevalue", '"1"^^xsd:float "1"^^xsd:double', FALSE),
    ("samevalue", '"1.0"^^xsd:float "1"^^xsd:float', TRUE),
    ("samevalue", '"0.0"^^xsd:float "-0.0"^^xsd:float', FALSE),
    ("samevalue", '"+0.0"^^xsd:double "-0"^^xsd:double', FALSE),
    ("samevalue", "0.0 -0.0", TRUE),
    ("samevalue", '"NaN"^^xsd:float "NaN"^^xsd:float', TRUE),
    ("samevalue", '"2020-01-01T00:00:00Z"^^xsd:dateTime "2020-01-01T01:00:00+01:00"^^xsd:dateTime', FALSE),
    ("samevalue", '"2020-01-01T00:00:00Z"^^xsd:dateTime "2020-01-01T00:00:00-00:00"^^xsd:dateTimeStamp', TRUE),
    ("samevalue", '"2019-12-31T24:00:00"^^xsd:dateTime "2020-01-01T00:00:00.0"^^xsd:dateTime', TRUE),
    ("samevalue", '"2020-01-01"^^xsd:date "2020-01-01Z"^^xsd:date', FALSE),
    ("samevalue", '"P1D"^^xsd:duration "PT24H"^^xsd:dayTimeDuration', TRUE),
    ("samevalue", '"a"^^xsd:token "a"', TRUE),
    ("samevalue", '"a"^^xsd:anyURI "a"', FALSE),
    ("samevalue", '"0A"^^xsd:hexBinary "0a"^^xsd:hexBinary', TRUE),
    ("samevalue", '"0A"^^xsd:hexBinary "Cg=="^^xsd:base64Binary', FALSE),
    ("samevalue", '"x"^^xsd:integer "x"^^xsd:integer', TRUE),
    ("samevalue", '"x"^^xsd:integer "y"^^xsd:integer', FALSE),
    ("wellformed", '"x"^^xsd:integer', FALSE),
    ("illtyped", '"x"^^xsd:integer', TRUE),
    ("illtyped", '"x"^^<urn:unknown>', FALSE),
    ("valuein", "300 xsd:byte", FALSE),
    ("valuein", "3 xsd:byte", TRUE),
    ("if", "true 1 2", "1"),
    ("coalesce", "1 2", "1"),
]


@pytest.mark.parametrize(("function", "arguments", "expected"), RESULTS)
def test_function_gives_the_expected_result(function: str, arguments: str, expected: str) -> None:
    (rule,) = parse_program(f"p(1, 1, {', '.join(_split(arguments))}) .").rules
    found = evaluated(function, rule.heads[0].arguments[2:])
    assert found == literal(expected)


def _split(text: str) -> list[str]:
    parts, inside = [""], False
    for character in text:
        inside ^= character == '"'
        if character == " " and not inside:
            parts.append("")
        else:
            parts[-1] += character
    return parts


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("+", [Literal("a"), Literal("1", XSD + "integer")]),
        ("/", [Literal("1", XSD + "integer"), Literal("0", XSD + "integer")]),
        ("<", [Literal("a"), Literal("1", XSD + "integer")]),
        ("<", [IRI("urn:a"), IRI("urn:b")]),
        ("=", [Literal("a", "urn:x"), Literal("b", "urn:x")]),
        ("strlen", [IRI("urn:a")]),
        ("substr", [Literal("foobar"), Literal("2")]),
        ("str", [BlankNode("b")]),
        ("regex", [Literal("a"), Literal("(")]),
        ("year", [Literal("soon")]),
        ("valuein", [Literal("a"), IRI("urn:unknown")]),
        ("nosuchfunction", [Literal("a")]),
        ("strlen", []),
    ],
)
def test_function_of_wrong_arguments_is_an_error(function: str, arguments: list[Term]) -> None:
    with pytest.raises(FunctionError):
        evaluated(function, arguments)


def test_skolem_is_a_function_of_its_arguments() -> None:
    first = evaluated("skolem", [Literal("f"), IRI("urn:a")])
    assert isinstance(first, BlankNode)
    assert first == evaluated("skolem", [Literal("f"), IRI("urn:a")])
    assert first != evaluated("skolem", [Literal("f"), IRI("urn:b")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [("true", True), ('"0"^^xsd:boolean', False), ("0", False), ("1.5", True), ('""', False), ('"x"', True)],
)
def test_effective_boolean_values(text: str, expected: bool) -> None:
    assert holds(literal(text)) is expected


@pytest.mark.parametrize("term", [IRI("urn:x"), Literal("x", XSD + "date")])
def test_no_effective_boolean_value(term: Term) -> None:
    with pytest.raises(FunctionError):
        holds(term)


VALID = [
    ("integer", "+042"), ("byte", "-128"), ("unsignedByte", "255"), ("decimal", ".5"), ("double", "1E-3"),
    ("double", "-INF"), ("float", "2.0E-45"), ("boolean", "1"), ("dateTime", "2020-01-01T24:00:00"),
    ("dateTimeStamp", "2020-01-01T00:00:00Z"), ("date", "2020-02-29"), ("time", "12:00:00"),
    ("dateTime", "9999-12-31T24:00:00"), ("dateTime", "-0004-02-29T00:00:00.1234567Z"), ("date", "12020-01-01+14:00"),
    ("time", "24:00:00.0"), ("gYear", "-0001"), ("gYearMonth", "2020-02Z"), ("gMonth", "--12"),
    ("gMonthDay", "--02-29"), ("gDay", "---31"),
    ("duration", "-P1Y2M3DT4H5M6.7S"), ("dayTimeDuration", "P1D"), ("yearMonthDuration", "P1Y"),
    ("hexBinary", "0fB8"),
    ("base64Binary", "AQID"), ("anyURI", "/a#b"), ("language", "de-AT"), ("Name", "a:b"), ("NCName", "a.b"),
    ("NMTOKEN", "-a"), ("token", "a b"), ("token", "a\u00a0b"), ("normalizedString", " a "), ("string", "a\nb"),
]  # fmt: skip
INVALID = [
    ("integer", "1.0"), ("integer", " 1"), ("byte", "128"), ("nonNegativeInteger", "-1"), ("decimal", "1E0"),
    ("double", "1.0E310"), ("double", "infinity"), ("float", "1.0E-50"), ("boolean", "yes"), ("date", "2020-02-30"),
    ("dateTime", "2020-01-01T24:00:00.5"), ("dateTime", "020-01-01T00:00:00"), ("dateTime", "02020-01-01T00:00:00"),
    ("dateTime", "2020-01-01T00:00:00+14:01"), ("dateTime", "2020-01-01T00:00:60"), ("time", "24:00:01"),
    ("gDay", "---32"), ("gMonthDay", "--02-30"), ("duration", "P1Y1D1M"), ("dayTimeDuration", "P1DT"),
    ("yearMonthDuration", "P0D"),
    ("dateTimeStamp", "2020-01-01T24:00:00"),
    ("dateTime", "2020-01-01"), ("dateTimeStamp", "2020-01-01T00:00:00"), ("time", "25:00:00"), ("hexBinary", "0"),
    ("base64Binary", "A"), ("anyURI", ":a"), ("language", "abcdefghi"), ("NCName", "a:b"), ("token", " a"),
    ("normalizedString", "a\tb"), ("integer", "\u0663"), ("decimal", "1.\u0663"), ("double", "\u0663E0"),
    ("date", "202\u0660-01-01"), ("time", "12:00:0\u0660"), ("hexBinary", "0f b8"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "lexical"), VALID)
def test_valid_literals_are_in_their_datatype(name: str, lexical: str) -> None:
    assert in_datatype(Literal(lexical, XSD + name), XSD + name)


@pytest.mark.parametrize(("name", "lexical"), INVALID)
def test_invalid_literals_have_no_value(name: str, lexical: str) -> None:
    with pytest.raises(NoValueError):
        value_of(Literal(lexical, XSD + name))
