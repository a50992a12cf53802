"""Every kind of term by every way in is the same term, with one id: what a file brought by one door was not found by
the same file through another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph, URIRef

from kgreason import ReasoningStore
from kgreason.rdf.model import Literal, Term, TripleTerm
from tests.matrix.doors import DOORS, store_of
from tests.matrix.format_documents import P, can_be_in_xml, is_of_rdf_1_1, lines, many_lines
from tests.matrix.terms import KINDS, RANDOM, SAME, E, from_rdflib, ntriples, shown, to_rdflib
from tests.profiles import examples

XML = ("rdflib xml", "rdflib trix", "kg-xml", "bulk_load rdf")
"""No document of XML 1.0 has control characters (section 2.2): terms with some are left out there."""

BY_VALUE = {"Oxigraph"}
"""Oxigraph keeps numbers and times by their values, and language tags in lower case."""
KEPT_BY_VALUE = frozenset(["integer", "byte", "decimal", "double", "float", "boolean", "date", "dateTime", "gYear"])

CHEAP = ("add", "addN", "INSERT DATA", "encoded Parquet", "Parquet of N-Triples", "Parquet of plain terms")
CHEAP_FILES = tuple(f"bulk_load {name}" for name in ("nt", "many.nt", "nq", "ttl", "trig", "rdf", "jsonld"))
CHEAP_PARSERS = ("rdflib nt", "rdflib xml", "rdflib json-ld", "kg-nquads", "kg-turtle", "kg-xml")


def sayable(door: str, terms: Mapping[str, Term]) -> dict[str, Term]:
    """The terms that a door can be asked to bring."""
    found = dict(terms)
    if door.startswith(XML):
        found = {name: term for name, term in found.items() if can_be_in_xml(term)}
    if door.startswith("rdflib") or "n3" in door:
        found = {name: term for name, term in found.items() if is_of_rdf_1_1(term)}
    if door == "INSERT":  # VALUES has no blank nodes
        found = {name: term for name, term in found.items() if "_:" not in ntriples(term)[2:]}
    if "jsonld" in door:
        found = {name: term for name, term in found.items() if not isinstance(term, TripleTerm)}
    return found


@pytest.fixture(autouse=True)
def _as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rdflib's parsers change lexical forms before they hand them over, unless they are told not to."""
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)


def is_kept_by_value(term: Term) -> bool:
    if isinstance(term, TripleTerm):
        return is_kept_by_value(term.object)
    return isinstance(term, Literal) and (term.datatype or "").rpartition("#")[2] in KEPT_BY_VALUE


def new_graph() -> Graph:
    return Graph(store=ReasoningStore(rules="none"))


def objects(graph: Graph) -> dict[str, Term]:
    return {str(s): from_rdflib(o) for s, o in graph.subject_objects(URIRef(P))}


def changed(door: str, graph: Graph, terms: Mapping[str, Term]) -> dict[str, tuple[Term, Term | None]]:
    """The terms that a door did not bring as they are."""
    found = objects(graph)
    wrong: dict[str, tuple[Term, Term | None]] = {}
    for number, (name, term) in enumerate(terms.items()):
        known = found.pop(f"{E}s{number}", None)
        if door in BY_VALUE and is_kept_by_value(term):
            continue
        tags = door not in BY_VALUE
        if known is None or shown(known, tags=tags) != shown(term, tags=tags):
            wrong[name] = (term, known)
    assert not found
    return wrong


@pytest.mark.parametrize("door", DOORS)
def test_each_way_in_brings_each_term_as_it_is(door: str, tmp_path: Path) -> None:
    terms, graph = sayable(door, KINDS), new_graph()
    DOORS[door](graph, terms, tmp_path)
    assert not changed(door, graph, terms)


def test_a_term_has_one_id_by_whatever_door_it_comes(tmp_path: Path) -> None:
    graph = new_graph()
    terms = {name: term for name, term in KINDS.items() if "_:" not in ntriples(term)}
    expected = {(f"{E}s{number}", shown(term)) for number, term in enumerate(terms.values())}
    for number, door in enumerate(DOORS):
        if door in BY_VALUE:
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        # The subjects of a term are the same by each door, also where others are left out.
        some = {name: term if term in sayable(door, terms).values() else terms["plain"] for name, term in terms.items()}
        graph.remove((None, URIRef(P), to_rdflib(terms["plain"])))
        DOORS[door](graph, some, folder)
        graph.remove((None, URIRef(P), to_rdflib(terms["plain"])))
        DOORS["add"](graph, {"plain": terms["plain"]}, folder)
        assert {(s, shown(o)) for s, o in objects(graph).items()} == expected, door
        assert len([*graph.triples((None, URIRef(P), None))]) == len(expected), door
        for term in terms.values():
            assert (None, URIRef(P), to_rdflib(term)) in graph, (door, term)


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("first", ["add", "bulk_load many.nt", "bulk_load ttl", "INSERT DATA", "rdflib nt"])
def test_other_ways_to_write_a_term_are_the_same_term(first: str, name: str, tmp_path: Path) -> None:
    graph, term, other = new_graph(), KINDS[name], SAME[name]
    parser = "nt" if is_of_rdf_1_1(term) else "kg-nt"
    first = first if is_of_rdf_1_1(term) else first.replace("rdflib", "bulk_load")
    DOORS[first](graph, {name: term}, tmp_path)
    before = objects(graph)
    graph.update(f"INSERT DATA {{ {lines({name: other})} }}")
    for write in (lines, many_lines):
        path = tmp_path / f"{write.__name__}.nt"
        path.write_text(write({name: other}))
        store_of(graph).bulk_load(path)
    graph.parse(data=lines({name: other}), format=parser)
    graph.parse(data=lines({name: other}), format="kg-turtle")
    assert objects(graph) == before
    assert len([*graph.triples((None, URIRef(P), None))]) == 1
    for text in (ntriples(term), other):
        for pattern in (
            f"?s ?p {text}",
            f"VALUES ?o {{ {text} }} ?s <{P}> ?o",
            f"?s <{P}> ?o FILTER(sameTerm(?o, {text}))",
        ):
            assert len(graph.query(f"SELECT ?s {{ {pattern} }}")) == 1, pattern
    graph.update(f"DELETE DATA {{ {lines({name: other})} }}")
    assert not [*graph.triples((None, URIRef(P), None))]


@settings(max_examples=examples(12))
@given(st.lists(RANDOM, min_size=1, max_size=12))
def test_random_terms_come_as_they_are(terms: list[Term]) -> None:
    named = {str(number): term for number, term in enumerate(terms)}
    for door in (*CHEAP, *CHEAP_FILES, *CHEAP_PARSERS):
        with TemporaryDirectory() as folder:
            some, graph = sayable(door, named), new_graph()
            DOORS[door](graph, some, Path(folder))
            assert not spelled_otherwise(door, changed(door, graph, some))


def spelled_otherwise(door: str, wrong: dict[str, tuple[Term, Term | None]]) -> dict[str, tuple[Term, Term | None]]:
    """Without tags of which another spelling came first: a term keeps that, and XML and JSON-LD that of the tag."""
    return {name: (t, o) for name, (t, o) in wrong.items() if o is None or shown(t, tags=False) != shown(o, tags=False)}
