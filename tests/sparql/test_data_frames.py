"""Answers as data frames. A type that loses a value, or null in the place of NaN, would be caught here."""

from __future__ import annotations

import datetime
import math
import sys
from typing import Any

import pandas as pd
import polars as pl
import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason.errors import OptionError

DATA = """
@prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:a :n 1 ; :d 1.50 ; :f 2.5e0 ; :g "0.5"^^xsd:float ; :b true ; :on "1500-11-21"^^xsd:date ; :p "one" ; :said "Eins"@de ;
   :at "2026-11-21T10:00:00Z"^^xsd:dateTime ; :local "9999-01-01T10:00:00"^^xsd:dateTime ; :to :b ;
   :mixed 1 ; :ints 1 ; :kinds 1 ; :big 1 ; :ill 1 .
:b :n 2 ; :d 2.25 ; :f "NaN"^^xsd:double ; :g "1.5"^^xsd:float ; :b false ; :on "2026-11-22"^^xsd:date ; :p "two" ;
   :said "Two"@en ; :at "2026-11-22T12:00:00+01:00"^^xsd:dateTime ; :local "0001-01-01T00:00:00"^^xsd:dateTime ;
   :to :c ; :mixed 2.5 ; :ints "2"^^xsd:short ; :kinds :b ; :big 123456789012345678901234567890 ;
   :ill "x"^^xsd:integer .
"""
DATE, TIME = datetime.date, datetime.datetime
UTC = datetime.UTC
E = "http://example.org/"
# property, type in pandas, type in Polars, values of :a and :b
COLUMNS: list[tuple[str, str, Any, list]] = [
    ("n", "Int64", pl.Int64(), [1, 2]),
    ("d", "Float64", pl.Float64(), [1.5, 2.25]),
    ("f", "Float64", pl.Float64(), [2.5, math.nan]),
    ("g", "Float32", pl.Float32(), [0.5, 1.5]),
    ("b", "boolean", pl.Boolean(), [True, False]),
    ("on", "datetime64[ms]", pl.Date(), [DATE(1500, 11, 21), DATE(2026, 11, 22)]),
    ("at", "datetime64[us, UTC]", pl.Datetime("us", "UTC"),
     [TIME(2026, 11, 21, 10, tzinfo=UTC), TIME(2026, 11, 22, 11, tzinfo=UTC)]),
    ("local", "datetime64[us]", pl.Datetime("us"), [TIME(9999, 1, 1, 10), TIME(1, 1, 1)]),
    ("p", "string", pl.String(), ["one", "two"]),
    ("said", "string", pl.String(), ["Eins", "Two"]),
    ("to", "string", pl.String(), [E + "b", E + "c"]),
    ("mixed", "Float64", pl.Float64(), [1.0, 2.5]),
    ("ints", "Int64", pl.Int64(), [1, 2]),
    ("kinds", "string", pl.String(), ["1", E + "b"]),
    ("big", "string", pl.String(), ["1", "123456789012345678901234567890"]),
    ("ill", "string", pl.String(), ["1", "x"]),
]


@pytest.fixture(scope="module")
def store() -> ReasoningStore:
    store = ReasoningStore(rules="none")
    Graph(store=store).parse(data=DATA, format="turtle")
    return store


def query(name: str) -> str:
    """The values of a property of :a and :b, and null for :none."""
    return (
        f"PREFIX : <{E}> SELECT ?v {{ VALUES (?s ?o) {{ (:a 1) (:b 2) (:none 3) }} OPTIONAL {{ ?s :{name} ?v }} }} "
        "ORDER BY ?o"
    )


@pytest.mark.parametrize(("name", "type", "values"), [(n, t, v) for n, t, _, v in COLUMNS])
def test_columns_of_pandas(store: ReasoningStore, name: str, type: str, values: list) -> None:
    found = store.query_table(query(name), to="pandas")["v"]

    assert str(found.dtype) == type
    assert found.isna().tolist() == [False, False, True]
    if isinstance(values[0], DATE) and not isinstance(values[0], TIME):
        values = [TIME.combine(value, datetime.time()) for value in values]
    assert [str(value) for value in found[:2]] == [str(value) for value in values]


@pytest.mark.parametrize(("name", "type", "values"), [(n, t, v) for n, _, t, v in COLUMNS])
def test_columns_of_polars(store: ReasoningStore, name: str, type: pl.DataType, values: list) -> None:
    found = store.query_table(query(name), to="polars")["v"]

    assert found.dtype == type
    assert [str(value) for value in found.to_list()] == [str(value) for value in [*values, None]]


def test_all_solutions_in_their_order_with_their_names(store: ReasoningStore) -> None:
    every = f"PREFIX : <{E}> SELECT ?s ?n ?none {{ ?s :n ?n }} ORDER BY DESC(?n)"

    of_pandas, of_polars = (store.query_table(every, to=to) for to in ("pandas", "polars"))  # type: ignore[call-overload]  # not one literal

    assert isinstance(of_pandas, pd.DataFrame)
    assert list(of_pandas.columns) == of_polars.columns == ["s", "n", "none"]
    assert of_pandas["n"].tolist() == of_polars["n"].to_list() == [2, 1]
    assert of_pandas["none"].isna().all()
    assert of_pandas["n"].sum() == 3


def test_no_solutions_are_an_empty_frame(store: ReasoningStore) -> None:
    nothing = f"SELECT ?s ?o {{ ?s <{E}nothing> ?o }}"
    assert store.query_table(nothing, to="pandas").shape == (0, 2)
    assert store.query_table(nothing, to="polars").shape == (0, 2)


def test_an_unknown_kind_of_table_is_refused(store: ReasoningStore) -> None:
    with pytest.raises(OptionError, match=r"excel.*arrow, pandas or polars"):
        store.query_table("SELECT * { }", to="excel")  # type: ignore[call-overload]  # what is refused


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_missing_is_named(
    store: ReasoningStore, library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(OptionError, match=f"{library} is not installed.*pip install {library}"):
        store.query_table("SELECT * { ?s ?p ?o }", to=library)
    assert len(store.query_table("SELECT * { ?s ?p ?o }")) > 1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_decimals_of_many_digits_are_numbers(library: str) -> None:
    store = ReasoningStore(rules="none")
    query = "SELECT ?g (AVG(?n) AS ?v) { VALUES (?g ?n) { (1 1) (1 1) (1 2) (2 5) } } GROUP BY ?g ORDER BY ?g"
    found = store.query_table(query, to=library)["v"]
    assert [round(value, 9) for value in found] == [1.333333333, 5.0]
    assert round(found.mean(), 9) == 3.166666667
