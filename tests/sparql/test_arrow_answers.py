"""Answers as Arrow tables."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from rdflib import Dataset, Graph

from kgreason import ReasoningStore
from kgreason.errors import QueryError, QueryLimitError
from kgreason.rdf import hashing
from kgreason.rdf.vocabulary import XSD
from kgreason.sparql import arrow_results

DATA = """
@prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:a :n 1 ; :d 1.50 ; :f 2.5e0 ; :b true ; :on "2026-11-21"^^xsd:date ; :at "2026-11-21T10:00:00Z"^^xsd:dateTime ;
   :plain "one" ; :said "Eins"@de ; :to :b ; :any :b .
:b :n 2 ; :d 2 ; :f 1e0 ; :b false ; :on "2026-11-22"^^xsd:date ; :at "2026-11-22T12:00:00+01:00"^^xsd:dateTime ;
   :plain "two\\nlines" ; :said "Zwei"@de ; :to [] ; :any "x"@en , "\\"quoted\\"" , 7 .
"""


@pytest.fixture
def store() -> ReasoningStore:
    store = ReasoningStore(rules="none")
    Graph(store=store).parse(data=DATA, format="turtle")
    return store


def column(store: ReasoningStore, name: str) -> pa.Table:
    return store.query_table(
        f"PREFIX : <http://example.org/> SELECT ?v {{ VALUES ?s {{ :a :b }} ?s :{name} ?v }} ORDER BY ?s ?v"
    )


@pytest.mark.parametrize(
    ("name", "type", "values"),
    [
        ("n", pa.int64(), [1, 2]),
        ("f", pa.float64(), [2.5, 1.0]),
        ("b", pa.bool_(), [True, False]),
        ("on", pa.date32(), [datetime.date(2026, 11, 21), datetime.date(2026, 11, 22)]),
        ("plain", pa.string(), ["one", "two\nlines"]),
        ("said", pa.string(), ["Eins", "Zwei"]),
    ],
)
def test_uniform_columns_have_values(store: ReasoningStore, name: str, type: pa.DataType, values: list) -> None:
    found = column(store, name)
    assert found.column("v").type == type
    assert found.column("v").to_pylist() == values


def test_times_are_instants(store: ReasoningStore) -> None:
    found = column(store, "at").column("v")
    assert found.type == pa.timestamp("us", tz="UTC")
    assert [value.hour for value in found.to_pylist()] == [10, 11]


def test_metadata_says_what_a_column_holds(store: ReasoningStore) -> None:
    assert column(store, "said").schema.field("v").metadata == {b"kind": b"literal", b"language": b"de"}
    assert column(store, "n").schema.field("v").metadata[b"datatype"].endswith(b"#integer")
    table = store.query_table("SELECT ?s { ?s <http://example.org/n> ?n } ORDER BY ?n")
    assert table.to_pydict() == {"s": ["http://example.org/a", "http://example.org/b"]}
    assert table.schema.field("s").metadata == {b"kind": b"iri"}


def test_mixed_columns_say_it_for_each_term(store: ReasoningStore) -> None:
    rows = column(store, "any").column("v").to_pylist()
    assert {"value": "http://example.org/b", "kind": "iri", "datatype": None, "language": None} in rows
    assert {"value": "x", "kind": "literal", "datatype": None, "language": "en"} in rows
    assert {"value": '"quoted"', "kind": "literal", "datatype": None, "language": None} in rows
    assert sorted(row["value"] for row in rows) == ['"quoted"', "7", "http://example.org/b", "x"]
    assert {row["kind"] for row in column(store, "to").column("v").to_pylist()} == {"iri", "blank"}


@pytest.mark.parametrize("name", ["plain", "any"])
def test_column_of_more_text_than_strings_can_have_comes_in_chunks(
    store: ReasoningStore, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = f"""PREFIX : <http://example.org/>
        SELECT ?v {{ VALUES ?n {{ 1 2 3 4 5 }} ?s :n ?any OPTIONAL {{ ?s :{name} ?v FILTER(?n != 3) }} }}"""
    whole = store.query_table(query)

    monkeypatch.setattr(arrow_results, "TEXT_LIMIT", 40)
    found = store.query_table(query)

    assert found.schema.equals(whole.schema, check_metadata=True)
    assert found.to_pylist() == whole.to_pylist()
    assert whole.column("v").num_chunks == 1
    texts = [chunk if name == "plain" else chunk.field("value") for chunk in found.column("v").chunks]
    assert len(texts) > 1
    assert all(pc.sum(pc.binary_length(text)).as_py() <= 40 for text in texts)


@pytest.mark.parametrize(("name", "is_mixed"), [("plain", False), ("any", True)])
def test_column_of_more_distinct_text_than_strings_can_have_has_wide_offsets(
    store: ReasoningStore, name: str, is_mixed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = f"""PREFIX : <http://example.org/>
        SELECT ?v {{ {{ ?s :{name} ?v }} UNION {{ BIND(CONCAT("made by ", "the query") AS ?v) }} }}"""
    whole = store.query_table(query)

    monkeypatch.setattr(hashing, "TEXT_LIMIT", 20)
    found = store.query_table(query)

    assert found.to_pylist() == whole.to_pylist()
    type = found.column("v").type
    assert (type.field("value").type if is_mixed else type) == pa.large_string()


def test_unbound_is_null(store: ReasoningStore) -> None:
    table = store.query_table("SELECT ?s ?x { VALUES (?s ?x) { (1 2) (3 UNDEF) (UNDEF 4) } }")
    assert table.to_pydict() == {"s": [1, 3, None], "x": [2, None, 4]}
    assert store.query_table("SELECT ?x { }").to_pydict() == {"x": [None]}


def test_terms_that_the_query_makes(store: ReasoningStore) -> None:
    table = store.query_table('SELECT ?s ?y { VALUES ?s { "b" "a" "b" } BIND (CONCAT(?s, "!") AS ?y) } ORDER BY ?y')
    assert table.column("y").to_pylist() == ["a!", "b!", "b!"]
    table = store.query_table("SELECT (COUNT(*) AS ?n) (AVG(?o) AS ?a) { ?s <http://example.org/n> ?o }")
    assert table.to_pydict() == {"n": [2], "a": [Decimal("1.5")]}


@pytest.mark.parametrize(("numeral", "datatype"), [("1e39", "float"), ("-1e39", "float"), ("1e400", "double")])
def test_a_numeral_that_is_too_large_is_not_made_infinite(store: ReasoningStore, numeral: str, datatype: str) -> None:
    def asked(text: str) -> list[object]:
        typed = " ".join(f"'{each}'^^<{XSD}{datatype}>" for each in (text, "1.5"))
        return store.query_table(f"SELECT ?x {{ VALUES ?x {{ {typed} }} }}").column("x").to_pylist()

    assert asked(numeral) == [numeral, "1.5"]
    assert asked("-INF") == [float("-inf"), 1.5]


def test_no_solutions(store: ReasoningStore) -> None:
    table = store.query_table("SELECT ?s ?p { ?s ?p <http://example.org/nothing> }")
    assert table.num_rows == 0
    assert table.column_names == ["s", "p"]


def test_the_graph_that_is_asked(store: ReasoningStore) -> None:
    dataset = Dataset(store=store)
    dataset.graph("http://example.org/g").parse(data="<urn:x> <urn:p> <urn:y> .", format="turtle")
    query = "SELECT ?s { ?s <urn:p> ?o }"
    assert store.query_table(query).num_rows == 0
    assert store.query_table(query, dataset.graph("http://example.org/g")).num_rows == 1
    assert store.query_table(query, Dataset(store=store, default_union=True)).num_rows == 1


def test_what_is_refused(store: ReasoningStore) -> None:
    with pytest.raises(QueryError, match="only the rows of a SELECT"):
        store.query_table("ASK { ?s ?p ?o }")
    with pytest.raises(QueryLimitError, match="more than 3"):
        store.query_table("SELECT * { ?s ?p ?o . ?t ?q ?u }", max_rows=3)


@pytest.mark.parametrize(
    ("datatype", "texts"),
    [
        ("boolean", ["true", "TRUE"]),
        ("dateTime", ["2020-01-01"]),
        ("dateTime", ["9999-12-31T23:59:59-14:00"]),
        ("integer", ["0x1F", "1"]),
        ("decimal", ["1e3"]),
        ("decimal", ["123456789012345678901234567890.1", "-170141183460469231731.6"]),
        ("decimal", ["0.1234567890123456789"]),
        ("byte", ["300"]),
        ("unsignedInt", ["-1"]),
        ("double", ["0x1p3"]),
        ("date", ["20200101"]),
    ],
)
def test_what_is_ill_typed_or_does_not_fit_stays_as_it_is_written(datatype: str, texts: list[str]) -> None:
    store = ReasoningStore(rules="none")
    for number, text in enumerate(texts):
        store.bulk_load(f'<urn:{number}> <urn:p> "{text}"^^<{XSD}{datatype}> .'.encode(), format="nt")
    assert store.query_table("SELECT ?o { ?s <urn:p> ?o } ORDER BY ?s")["o"].to_pylist() == texts


@pytest.mark.parametrize(("text", "number"), [("+1", 1), ("007", 7), ("-07", -7), ("-0", 0), ("000", 0), ("+0", 0)])
def test_integers_in_other_than_their_canonical_form(text: str, number: int) -> None:
    store = ReasoningStore(rules="none")
    store.bulk_load(f'<urn:s> <urn:p> "{text}"^^<{XSD}integer> .'.encode(), format="nt")
    found = store.query_table("SELECT ?o { ?s <urn:p> ?o }")["o"]
    assert (found.type, found.to_pylist()) == (pa.int64(), [number])
