"""Every kind of term by every way out is the same term: an independent reader reads it back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pyoxigraph
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Dataset, Graph, URIRef

from kgreason import ReasoningStore
from kgreason.rdf.keys import term_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import XSD_STRING
from kgreason.store.triple_writer import write_triples
from kgreason_oxigraph import export_database
from tests.matrix.doors import DOORS, store_of, write_store
from tests.matrix.format_documents import P, can_be_in_xml, is_of_rdf_1_1
from tests.matrix.terms import KINDS, RANDOM, E, from_oxigraph, from_rdflib, shown
from tests.matrix.test_ways_in import is_kept_by_value
from tests.profiles import examples
from tests.thresholds import Tuned

Found = list[tuple[str, Term]]
"""Subjects with their objects."""

OXIGRAPH: Final = {
    "nt": pyoxigraph.RdfFormat.N_TRIPLES,
    "turtle": pyoxigraph.RdfFormat.TURTLE,
    "xml": pyoxigraph.RdfFormat.RDF_XML,
    "json-ld": pyoxigraph.RdfFormat.JSON_LD,
    "nquads": pyoxigraph.RdfFormat.N_QUADS,
    "trig": pyoxigraph.RdfFormat.TRIG,
    "n3": pyoxigraph.RdfFormat.N3,
}
"""Formats, by rdflib's names, and what reads them. It gives language tags in lower case."""


def filled(terms: Mapping[str, Term], door: str, folder: Path) -> Graph:
    graph = Graph(store=ReasoningStore(rules="none"))
    DOORS[door](graph, terms, folder)
    graph.remove((None, URIRef(f"{E}q"), None))
    return graph


def parsed(data: bytes, format: pyoxigraph.RdfFormat) -> Found:
    quads = pyoxigraph.parse(input=data, format=format, base_iri="a:")
    return [(quad.subject.value, from_oxigraph(quad.object)) for quad in quads]


def same(found: Found, terms: Mapping[str, Term], *, tags: bool = True) -> None:
    expected = {name: (f"{E}s{number}", shown(term, tags=tags)) for number, (name, term) in enumerate(terms.items())}
    known = {(subject, shown(term, tags=tags)) for subject, term in found}
    assert {name: pair for name, pair in expected.items() if pair not in known} == {}
    assert len(found) == len(terms)


# -- queries ----------------------------------------------------------------------------------------------------------


def by_pattern(graph: Graph) -> Found:
    return [(str(s), from_rdflib(o)) for s, _, o in graph.triples((None, URIRef(P), None))]


def by_query(graph: Graph) -> Found:
    return [(str(row.s), from_rdflib(row.o)) for row in graph.query(f"SELECT ?s ?o {{ ?s <{P}> ?o }}")]


def by_construct(graph: Graph) -> Found:
    made = graph.query(f"CONSTRUCT {{ ?s <{P}> ?o }} WHERE {{ ?s <{P}> ?o }}").graph
    assert made is not None
    return [(str(s), from_rdflib(o)) for s, o in made.subject_objects()]


def by_json_results(graph: Graph) -> Found:
    text = graph.query(f"SELECT ?s ?o {{ ?s <{P}> ?o }}").serialize(format="json")
    assert text is not None
    return [(row["s"]["value"], _of_json(row["o"])) for row in json.loads(text)["results"]["bindings"]]


def _of_json(found: Any) -> Any:
    if found["type"] == "uri":
        return IRI(found["value"])
    if found["type"] == "bnode":
        return BlankNode(found["value"])
    if found["type"] == "triple":
        return TripleTerm(*(_of_json(found["value"][part]) for part in ("subject", "predicate", "object")))
    return Literal(found["value"], found.get("datatype"), found.get("xml:lang"), found.get("its:dir"))


def by_table(graph: Graph) -> Found:
    table = store_of(graph).query_table(f"SELECT ?s ?o {{ ?s <{P}> ?o }}")
    return [(row["s"], _of_struct(row["o"])) for row in table.to_pylist()]


def _of_struct(found: Mapping[str, str]) -> Term:
    kinds: dict[str, Callable[[str], Term]] = {"iri": IRI, "blank": BlankNode, "triple": term_of}
    if found["kind"] in kinds:
        return kinds[found["kind"]](found["value"])
    language, _, direction = (found["language"] or "").partition("--")
    return Literal(found["value"], found["datatype"], language or None, direction or None)


def by_functions(graph: Graph) -> Found:
    """What STR, LANG and DATATYPE say of each literal, and the term itself of others."""
    rows = graph.query(f"SELECT ?s ?o (STR(?o) AS ?t) (LANG(?o) AS ?l) (STR(DATATYPE(?o)) AS ?d) {{ ?s <{P}> ?o }}")
    return [
        (str(row.s), from_rdflib(row.o) if row.l is None else Literal(str(row.t), str(row.d), str(row.l) or None))
        if row.l is None or not str(row.l)
        else (str(row.s), Literal(str(row.t), None, str(row.l)))
        for row in rows
    ]


QUERIES: Final = {
    "patterns": by_pattern,
    "SELECT": by_query,
    "CONSTRUCT": by_construct,
    "JSON results": by_json_results,
    "query_table": by_table,
    "functions": by_functions,
}
SOURCES: Final = ("add", "bulk_load many.nt")
"""Terms that came one by one, and in columns."""


@pytest.fixture(autouse=True)
def _as_written(monkeypatch: pytest.MonkeyPatch, tuned: Tuned) -> None:
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
    tuned(SEGMENT_LEAST=8, NUMBERS_LEAST=8)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("way", QUERIES)
def test_each_query_shows_each_term_as_it_is(way: str, source: str, tmp_path: Path) -> None:
    terms = sayable("json-ld", KINDS) if way == "functions" else KINDS
    same(QUERIES[way](filled(terms, source, tmp_path)), terms)


# -- files ------------------------------------------------------------------------------------------------------------

_SHORT: Final = frozenset(("double", "double in another form", "boolean as a digit", "not a number"))
SHORTENED: Final = {
    **dict.fromkeys(("turtle", "trig", "n3"), _SHORT),
    "json-ld": _SHORT
    | {name for name in KINDS if name.startswith(("integer", "long integer", "ill-typed", "boolean"))},
}
"""Rdflib writes these as numbers and truth values by their values (``1e0`` as ``1e+00``, ``007`` as ``7``, NaN without
quotation marks), also from its own graphs in memory."""


def sayable(format: str, terms: Mapping[str, Term]) -> dict[str, Term]:
    """The terms that a format can say: no document of XML 1.0 has control characters (section 2.2)."""
    found = {name: term for name, term in terms.items() if format != "xml" or can_be_in_xml(term)}
    if format in ("xml", "json-ld", "n3"):
        found = {name: term for name, term in found.items() if is_of_rdf_1_1(term)}
    return found


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("format", OXIGRAPH)
def test_each_serialiser_writes_each_term_as_it_is(format: str, source: str, tmp_path: Path) -> None:
    terms = sayable(format, KINDS)
    terms = {name: term for name, term in terms.items() if name not in SHORTENED.get(format, ())}
    graph = filled(terms, source, tmp_path)
    if format in ("nquads", "trig"):
        graph = Dataset(store=graph.store)
    same(parsed(graph.serialize(format=format, encoding="utf-8"), OXIGRAPH[format]), terms, tags=False)


@pytest.mark.parametrize("format", ["turtle", "longturtle", "n3", "json-ld", "hext", "pretty-xml", "trix"])
def test_each_serialiser_writes_what_it_writes_of_a_graph_in_memory(format: str, tmp_path: Path) -> None:
    terms = {name: term for name, term in KINDS.items() if can_be_in_xml(term) and is_of_rdf_1_1(term)}
    memory: Graph = Dataset(default_union=True) if format == "trix" else Graph()
    DOORS["add"](memory, terms, tmp_path)
    graph = filled(terms, "add", tmp_path)
    graph = Dataset(store=graph.store) if format == "trix" else graph
    written = [sorted(each.serialize(format=format).splitlines()) for each in (memory, graph)]
    assert written[0] == written[1]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("format", ["nt", "turtle", "xml", "n3"])
def test_each_of_our_writers_writes_each_term_as_it_is(format: str, source: str, tmp_path: Path) -> None:
    terms = KINDS if format == "nt" else {name: term for name, term in KINDS.items() if can_be_in_xml(term)}
    terms = sayable("n3", terms) if format == "n3" else terms
    base = store_of(filled(terms, source, tmp_path)).knowledge_base
    stream = BytesIO()
    write_triples(base.all(), base.dictionary, stream, {"xml": "rdf"}.get(format, format))
    same(parsed(stream.getvalue(), OXIGRAPH[format]), terms, tags=False)
    again = filled({}, "add", tmp_path)
    again.parse(data=stream.getvalue(), format={"nt": "kg-nt", "xml": "kg-xml"}.get(format, f"kg-{format}"))
    same(by_pattern(again), terms, tags=format == "nt")


@pytest.mark.parametrize("source", SOURCES)
def test_encoded_triples_have_each_term_as_it_is(source: str, tmp_path: Path) -> None:
    write_store(filled(KINDS, source, tmp_path), tmp_path / "written")
    table = pq.read_table(tmp_path / "written" / "dictionary")
    keys = [term_of(key) for key in table["term"].to_pylist()]
    assert {shown(term) for term in keys} >= {shown(term) for term in KINDS.values()}
    assert len(keys) == 2 * len(KINDS) + 1
    assert f'"text"^^{XSD_STRING}' not in table["term"].to_pylist()


def test_a_database_of_oxigraph_has_each_term_as_it_keeps_it(tmp_path: Path) -> None:
    export_database(store_of(filled(KINDS, "add", tmp_path)).knowledge_base, tmp_path / "database")
    store = pyoxigraph.Store.read_only(str(tmp_path / "database"))
    terms = {
        name: term
        for name, term in KINDS.items()
        if not is_kept_by_value(term)
    }
    found = {(quad.subject.value, shown(from_oxigraph(quad.object), tags=False)) for quad in store}
    numbers = {name: number for number, name in enumerate(KINDS)}
    assert {(f"{E}s{numbers[name]}", shown(term, tags=False)) for name, term in terms.items()} <= found
    assert len(found) == len(KINDS)


@settings(max_examples=examples(15))
@given(st.lists(RANDOM, min_size=1, max_size=10))
def test_random_terms_come_out_as_they_are(found: list[Term]) -> None:
    terms = {str(number): term for number, term in enumerate(found)}
    for source in SOURCES[:1]:
        graph = filled(terms, source, Path())
        by_key: dict[object, Term] = {}
        for term in found:  # a term keeps the spelling in which it came first
            by_key.setdefault(shown(term, tags=False), term)
        kept = {name: by_key[shown(term, tags=False)] for name, term in terms.items()}
        for way in ("patterns", "SELECT", "JSON results"):
            same(QUERIES[way](graph), kept)
        for format in ("nt",):
            same(parsed(graph.serialize(format=format, encoding="utf-8"), OXIGRAPH[format]), kept, tags=False)
