"""What is wrong with a request is one error: its place, what stands there, what could, and what may be meant."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.errors import QueryError, QuerySyntaxError
from kgreason.rdf.vocabulary import RDF_LANG_STRING
from kgreason.sparql.syntax.queries import parse_query
from kgreason.sparql.syntax.updates import parse_update
from tests.profiles import examples
from tests.sparql.extensions import Extensions

PREFIXES = {"ex": "http://example.org/", "foaf": "http://xmlns.com/foaf/0.1/"}
PARTS = "'{', OPTIONAL, FILTER, BIND, VALUES, UNION, MINUS, GRAPH, SERVICE or '}'"
ENDS = "GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET, VALUES or the end of the text"
OPERATIONS = "INSERT, DELETE, WITH, LOAD, CLEAR, DROP, CREATE, ADD, MOVE or COPY"
TERMS = "a variable, an IRI, a literal, a blank node or '('"
VERBS = "an IRI, a variable, 'a' or a path"

QUERIES = [
    # Words.
    ("SELEC ?x {}", "1:1", "unexpected 'SELEC'; did you mean SELECT? (expected SELECT, CONSTRUCT, DESCRIBE or ASK)"),
    ("SELECT ?x WHRE {}", "1:11", "unexpected 'WHRE'; did you mean WHERE? (expected WHERE or '{')"),
    (
        "SELECT * {\n  ?x ?p ?o .\n  OPTINAL { ?x ?q ?r }\n}",
        "3:3",
        f"unexpected 'OPTINAL'; did you mean OPTIONAL? (expected a triple, {PARTS})",
    ),
    ("SELECT * {} LIMT 1", "1:13", f"unexpected 'LIMT'; did you mean LIMIT? (expected {ENDS})"),
    ("SELECT * {} ORDER ?x", "1:19", "unexpected '?x' (expected BY)"),
    ("SELECT * {} LIMIT ten", "1:19", "unexpected 'ten' (expected a whole number)"),
    ("SELECT * {} LIMIT 1 LIMIT 2", "1:21", "a second LIMIT (expected one)"),
    ("DROP ALL", "1:1", "DROP is of updates, and this is a query (expected SELECT, CONSTRUCT, DESCRIBE or ASK)"),
    ("", "1:1", "the text ends too early (expected SELECT, CONSTRUCT, DESCRIBE or ASK)"),
    ("ASK {} SELECT ?x", "1:8", f"unexpected 'SELECT' (expected {ENDS})"),
    # Prefixes and IRIs.
    (
        "SELECT ?x\nWHERE {\n  ?x a foa:Person\n}",
        "3:8",
        "unknown prefix foa:; did you mean foaf:? (expected PREFIX foa: <...> before it)",
    ),
    ("SELECT * { ?x a :Person }", "1:17", "unknown prefix : (expected PREFIX : <...> before it)"),
    ("PREFIX e <http://e/> ASK {}", "1:8", "unexpected 'e' (expected a prefix and ':')"),
    ("PREFIX e: e/ ASK {}", "1:11", "unexpected 'e' (expected an IRI in <...>)"),
    (
        "ASK { ?x <http://e/ a> ?o }",
        "1:10",
        "'<http://e/ a>' is not an IRI (expected none of <>\"{}|^`\\ and no space in it)",
    ),
    ("ASK { ?x <http://e/a ?o }", "1:10", "an IRI that is not closed: '<http://e/a ?o }' (expected '>' at its end)"),
    ("ASK { ?x name ?o }", "1:10", f"unexpected 'name'; is a prefix or a '?' missing? (expected {VERBS})"),
    # Literals that there are none of.
    (
        'ASK {\n  ?x ?p "x"@abcdefghijk }',
        "2:12",
        "'abcdefghijk' is not a valid language tag: A subtag may be eight characters in length at maximum",
    ),
    (
        f'ASK {{ VALUES ?x {{ "x"^^<{RDF_LANG_STRING}> }} }}',
        "1:24",
        f"a literal of {RDF_LANG_STRING} needs a language tag",
    ),
    ('ASK { ?x ?p "\ud800" }', "1:13", "'\\ud800' is not valid text: it has a lone surrogate"),
    ('ASK { ?x ?p "x"^^<a> }', "1:18", "'a' is not a valid IRI: No scheme found in an absolute IRI"),
    ("ASK { ?x ?p <a:\ud800> }", "1:13", "'a:\\ud800' is not valid text: it has a lone surrogate"),
    # Triples, paths and strings.
    ("ASK { ?x ?p }", "1:13", f"unexpected '}}' (expected {TERMS})"),
    ("ASK { ?x ?p ?o ?q ?r }", "1:16", f"unexpected '?q' (expected '.', ';', ',', {PARTS})"),
    ("ASK { ?x ?p ?o", "1:15", f"the text ends too early (expected '.', ';', ',', {PARTS})"),
    ("ASK { ?x ?p ?o . . }", "1:18", "unexpected '.' (expected at most one '.' after a part)"),
    ("ASK { ?x ex:p/ ?o }", "1:16", f"unexpected '?o' (expected {VERBS})"),
    ("ASK { ?x !(ex:p ?o) ?o }", "1:17", "unexpected '?o' (expected ')' or '|')"),
    ("ASK { ?x ?p [ ex:p ?o }", "1:23", "unexpected '}' (expected ']', ';' or ',')"),
    ('ASK { ?x ?p "abc }', "1:13", "a string that is not closed: '\"abc }' (expected \" at its end)"),
    (
        r'ASK { ?x ?p "a\q" }',
        "1:13",
        r"""\q is not an escape (expected \t \n \r \b \f \\ \" \' \u.... or \U........)""",
    ),
    ("ASK { ?x ?p ?o § }", "1:16", "unexpected character '§'"),
    ("ASK {\r\n ?x ?p \\u0022a\\u0022 ?o }", "2:22", f"unexpected '?o' (expected '.', ';', ',', {PARTS})"),
    (r"ASK { ?x ?p '\uD800' }", "1:14", r"\uD800 is not a character (expected a code point of Unicode)"),
    # Expressions.
    ("ASK { FILTER ?o > 3 }", "1:14", "unexpected '?o' (expected '(', a function, NOT or EXISTS)"),
    ("ASK { FILTER(?o > ) }", "1:19", "unexpected ')' (expected an expression)"),
    ("ASK { FILTER(?o > 3 }", "1:21", "unexpected '}' (expected ')' or an operator)"),
    ("ASK { FILTER(1 = 1 = 1) }", "1:20", "comparisons cannot be chained (expected brackets around one, or &&)"),
    (
        "ASK { FILTER(regexp(?o, 'a')) }",
        "1:14",
        "unknown function regexp; did you mean REGEX? (expected a function of SPARQL 1.1, or the IRI of one)",
    ),
    ("ASK { FILTER(regex(?o)) }", "1:14", "REGEX: 1 argument (expected 2 or 3)"),
    ("ASK { FILTER(BOUND(1)) }", "1:14", "BOUND: an argument that is not a variable (expected a variable)"),
    (
        "ASK { FILTER(COUNT(?o) > 3) }",
        "1:14",
        "COUNT: an aggregate cannot stand here (expected it in SELECT, HAVING or ORDER BY)",
    ),
    (
        "SELECT (SUM(COUNT(?x)) AS ?y) {}",
        "1:13",
        "COUNT: an aggregate cannot stand here (expected it in SELECT, HAVING or ORDER BY)",
    ),
    ("SELECT (ex:f(DISTINCT 1) AS ?y) {}", "1:14", "function <http://example.org/f>: only aggregates take DISTINCT"),
    # What is selected, and scopes.
    (
        "SELECT {}",
        "1:8",
        "unexpected '{' (expected DISTINCT, REDUCED, '*', a variable or (expression AS ?variable))",
    ),
    ("SELECT ?x, ?y {}", "1:10", "unexpected ',' (expected nothing but space between what is selected)"),
    ("SELECT (COUNT(?x) ?n) {}", "1:19", "unexpected '?n' (expected AS or an operator)"),
    (
        "SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?o }",
        "1:8",
        "?x is not a key of the groups (expected it in GROUP BY, or an aggregate such as SAMPLE(?x))",
    ),
    (
        "SELECT (?o + 1 AS ?n) { ?x ?p ?o } GROUP BY ?x",
        "1:9",
        "?o is not a key of the groups (expected it in GROUP BY, or an aggregate such as SAMPLE(?o))",
    ),
    (
        "SELECT * { ?x ?p ?o } GROUP BY ?x",
        "1:8",
        "SELECT * of groups (expected the keys of GROUP BY and aggregates, one by one)",
    ),
    ("ASK { ?x ?p ?o BIND(1 AS ?o) }", "1:26", "AS ?o: the variable is in scope already (expected a new one)"),
    ("SELECT (1 AS ?x) { ?x ?p ?o }", "1:14", "AS ?x: the variable is in scope already (expected a new one)"),
    (
        "ASK { _:a ?p ?o OPTIONAL { _:a ?q ?r } }",
        "1:28",
        "_:a is in two basic graph patterns (expected a label of its own in each)",
    ),
    ("ASK { VALUES (?x ?y) { (1) } }", "1:24", "VALUES: a row of 1 terms (expected 2, one for each variable)"),
    ("ASK { VALUES (?x ?x) {} }", "1:18", "VALUES: ?x a second time (expected each variable once)"),
    ("ASK { VALUES ?x { ?y } }", "1:19", "unexpected '?y' (expected an IRI, a literal, '<<(' or UNDEF)"),
    (
        "ASK { ?x ?p ?o SELECT ?y {} }",
        "1:16",
        "a subquery among other parts (expected braces around it: { SELECT ... })",
    ),
    ("ASK { {} UNION ?x ?p ?o }", "1:16", "unexpected '?x' (expected '{')"),
    ("CONSTRUCT { ?x ex:p* ?o } {}", "1:20", f"unexpected '*' (expected {TERMS})"),
]
UPDATES = [
    ("SELECT * {}", "1:1", f"SELECT is of queries, and this is an update (expected {OPERATIONS})"),
    ("INSRT DATA {}", "1:1", f"unexpected 'INSRT'; did you mean INSERT? (expected {OPERATIONS})"),
    ("INSERT { ex:a ex:b ex:c }", "1:26", "the text ends too early (expected WHERE or USING)"),
    ("INSERT DATA { ex:a ex:b ?c }", "1:25", "INSERT DATA: a variable in it: ?c (expected data)"),
    ("INSERT DATA { ex:a ex:b }", "1:25", "unexpected '}' (expected an IRI, a literal, a blank node or '(')"),
    ("DELETE DATA { _:a ex:b 1 }", "1:15", "DELETE DATA: a blank node in it (expected IRIs, literals or variables)"),
    ("DELETE WHERE { ?x ex:p [] }", "1:24", "DELETE WHERE: a blank node in it (expected IRIs, literals or variables)"),
    ("DELETE { ?x ex:p () } WHERE { ?x ?y _:z } ; DELETE { ?x ?y (1) } WHERE {}",
     "1:60", "DELETE: a blank node in it (expected IRIs, literals or variables)"),
    ("INSERT DATA { _:a ex:p 1 } ;\nINSERT DATA { _:a ex:p 2 }",
     "2:15", "_:a is in the data of two operations (expected a label of its own in each)"),
    ("CLEAR ALL CLEAR ALL", "1:11", "unexpected 'CLEAR' (expected ';' or the end of the text)"),
    ("CLEAR ex:g", "1:7", "unexpected 'ex:g' (expected GRAPH, DEFAULT, NAMED or ALL)"),
    ("COPY ex:a ex:b", "1:11", "unexpected 'ex:b' (expected TO)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "message"), QUERIES)
def test_wrong_query_has_one_message(text: str, place: str, message: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_query(text, None, PREFIXES, Extensions())

    assert str(caught.value.locate(path="query")) == f"query:{place}: {message}"


@pytest.mark.parametrize(("text", "place", "message"), UPDATES)
def test_wrong_update_has_one_message(text: str, place: str, message: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_update(text, None, PREFIXES, Extensions())

    assert str(caught.value.locate(path="update")) == f"update:{place}: {message}"


@pytest.mark.parametrize(
    "text",
    [
        "ASK " + "{" * 10_000 + "}" * 10_000,
        "ASK { FILTER" + "(" * 10_000 + "1" + ")" * 10_000 + "}",
        "ASK { FILTER(" + "!" * 10_000 + "true) }",
        "ASK { ?s ?p " + "[ ?q " * 10_000 + "1" + "]" * 10_000 + "}",
        "ASK { ?s ?p " + "(" * 10_000 + ")" * 10_000 + "}",
        "ASK { ?s " + "(" * 10_000 + "a" + ")" * 10_000 + " ?o }",
        "ASK { " + "{ SELECT * " * 10_000 + "}" * 10_000 + "}",
        "ASK " + "{ FILTER EXISTS " * 10_000 + "}" * 10_000,
        "SELECT (" + "IF(" * 10_000 + "AS ?x) {}",
    ],
)
def test_deep_nesting_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(QueryError, match="nested too deeply") as caught:
        parse_query(text, None, {}, Extensions())

    assert caught.value.line == 1
    assert caught.value.column


def test_long_chains_are_not_deep() -> None:
    chain = " || ".join(f"?x = {number}" for number in range(5000))

    assert parse_query(f"ASK {{ ?x ?p ?o FILTER({chain}) }}", None, {}, Extensions()).form == "ASK"


@pytest.mark.parametrize("text", ["z" * 1_000_000, '"""\\' * 200_000, "PREFIX" + " " * 1_000_000, "<" + "a:" * 500_000])
def test_words_without_an_end_are_refused_in_linear_time(text: str) -> None:
    with pytest.raises(QuerySyntaxError):
        parse_query(text, None, {}, Extensions())


def test_error_stays_itself_when_it_is_pickled() -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_query("SELEC", None, {}, Extensions())

    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


# A word a piece; they are put together at random.
PIECES = """
SELECT * { } ?x ?y a ex:p . ; , ( ) [ ] OPTIONAL FILTER BIND AS VALUES UNION MINUS GRAPH EXISTS NOT IN 1 -2 'a' @en ^^
<urn:a> _:b + / | ^ ! = && GROUP BY COUNT HAVING ORDER LIMIT CONSTRUCT WHERE INSERT DATA DELETE WITH \\u0041 " \'\'\' §
"""


@given(st.lists(st.sampled_from([*PIECES.split(), "\n"]), max_size=20).map(" ".join), st.booleans())
@settings(max_examples=examples(400))
def test_any_text_is_a_request_or_one_error_with_its_place(text: str, is_update: bool) -> None:
    begun = text if is_update else f"SELECT * {{ ?x {text}"
    error = error_of(begun, is_update)

    if error is not None:
        assert error.line is not None
        assert error.column is not None
        lines = begun.split("\n")
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
        assert "\n" not in str(error)
        assert not re.search(r"\b[a-z]+_[a-z]+\b", error.expected or ""), "no names of our own"


def error_of(text: str, is_update: bool) -> QueryError | None:
    try:
        (parse_update if is_update else parse_query)(text, None, PREFIXES, Extensions())
    except QueryError as error:
        return error
    return None
