"""Bulk loading: files, directories and quads into a store and its graphs.

Would catch a triple in the wrong graph, and leftovers of a load that failed.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset, Graph, Literal, Namespace, URIRef, Variable
from rdflib.exceptions import ParserError
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from kgreason import KGReasonError, LoadError, OptionError, ReasoningStore
from kgreason.io.quads import Quads
from kgreason.io.readers import read_stream
from tests.rdflib_store.conftest import MakeStore
from tests.rdflib_store.test_parsers import NQUADS, NTRIPLES, TURTLE

EX = Namespace("http://example.org/")


def test_bulk_load_of_files_and_directories(make_store: MakeStore, tmp_path: Path) -> None:
    (tmp_path / "part" / "deep").mkdir(parents=True)
    (tmp_path / "part" / "a.ttl").write_text(TURTLE)
    (tmp_path / "part" / "deep" / "b.nq").write_text(NQUADS)
    (tmp_path / "part" / "readme.txt").write_text("not RDF")
    (tmp_path / "c.nt.gz").write_bytes(gzip.compress(b"<urn:s> <urn:p> <urn:o> ."))
    store = make_store()
    graph = Graph(store=store)
    assert store.bulk_load(tmp_path / "part", str(tmp_path / "c.nt.gz")).triples == 6 + 3 + 1
    assert len(graph) == 8
    assert len(store) == 10
    assert len(Dataset(store=store).get_context(EX.one)) == 1


def test_bulk_load_into_a_graph(make_store: MakeStore, tmp_path: Path) -> None:
    file = tmp_path / "data.nq"
    file.write_text(NQUADS)
    store = make_store()
    store.bulk_load(file, graph=EX.target)
    dataset = Dataset(store=store)
    assert set(dataset.get_context(EX.target)) == {(EX.a, EX.p, Literal("in the default graph"))}
    assert set(dataset.get_context(EX.one)) == {(EX.b, EX.p, Literal("in one"))}
    assert set(dataset) >= {(EX.a, EX.p, Literal("in the default graph"), EX.target)}
    mine = Graph(store=store, identifier=EX.mine)
    store.bulk_load(file, graph=mine, format="nquads")
    assert len(mine) == 1
    store.bulk_load(file, graph=str(EX.text))
    assert len(dataset.get_context(EX.text)) == 1


def test_bulk_load_reports_progress(tmp_path: Path) -> None:
    file = tmp_path / "data.nt"
    file.write_text("".join(f"<urn:s{i}> <urn:p> <urn:o> .\n" for i in range(10)))
    seen: list[tuple[str, int]] = []
    ReasoningStore(rules="none").bulk_load(file, progress=lambda name, count: seen.append((name, count)))
    assert seen[-1] == (str(file), 10)


def malformed(line: int) -> str:
    """A hundred thousand triples, one of them broken."""
    lines = [f"<http://example.org/s{i}> <http://example.org/p> <http://example.org/o> ." for i in range(100_000)]
    lines[line - 1] = "<http://example.org/s> <http://example.org/p> oops ."
    return "\n".join(lines)


def contents(store: ReasoningStore) -> tuple[set[tuple[object, ...]], set[object], dict[str, URIRef]]:
    names = {g.identifier for g in store.contexts()}
    return set(Dataset(store=store).quads()), names, dict(store.namespaces())


def test_malformed_line_in_the_middle_of_a_large_load(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store()
    graph = Graph(store=store)
    graph.parse(data=TURTLE, format="kg-turtle")
    before = contents(store)
    good, bad = tmp_path / "a.nq", tmp_path / "b.nt"
    good.write_text(NQUADS)
    bad.write_text(malformed(60_000))
    with pytest.raises(LoadError, match=r"b\.nt:60000:") as caught:
        store.bulk_load(good, bad)
    assert "\n" not in str(caught.value)
    assert contents(store) == before
    with pytest.raises(LoadError, match=r"b\.nt:60000:"):
        graph.parse(bad, format="kg-nt")
    with pytest.raises(ParserError):
        graph.parse(bad, format="kg-nt")
    with pytest.raises(ParserError):
        Dataset(store=store).parse(data=NQUADS + "oops", format="kg-nquads")
    assert contents(store) == before


def test_files_that_cannot_be_read(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store()
    (tmp_path / "data.unknown").write_text("oops")
    (tmp_path / "data.told-by-nothing-else").write_text(NTRIPLES)
    (tmp_path / "broken.nt.gz").write_bytes(gzip.compress(NTRIPLES.encode() * 100)[:-20])
    (tmp_path / "latin.nt").write_bytes('<urn:s> <urn:p> "ä" .'.encode("latin-1"))
    (tmp_path / "empty").mkdir()
    for name in ("missing.nt", "data.unknown", "broken.nt.gz", "latin.nt", "empty"):
        with pytest.raises(LoadError, match=name.replace(".", r"\.")) as caught:
            store.bulk_load(tmp_path / name)
        assert "\n" not in str(caught.value)
    with pytest.raises(LoadError, match="nonsense"):
        store.bulk_load(tmp_path / "data.unknown", format="nonsense")
    assert len(store) == 0
    assert store.bulk_load(tmp_path / "data.told-by-nothing-else", format="nt").triples == 6


def test_load_into_a_read_only_graph(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store()
    with pytest.raises(KGReasonError, match="read-only"):
        store.bulk_load(tmp_path, graph=store.inferred)
    with pytest.raises(ParserError, match="utf-16"):
        Graph(store=store).parse(data=NTRIPLES, format="kg-nt", encoding="utf-16")
    assert len(store) == 0


def test_load_quads_by_id(make_store: MakeStore) -> None:
    store = make_store()
    quads = read_stream(NQUADS.encode(), store.knowledge_base.dictionary, format="nq")
    store.load_quads(quads)
    assert set(Graph(store=store)) == {(EX.a, EX.p, Literal("in the default graph"))}
    assert set(Dataset(store=store).get_context(EX.one)) == {(EX.b, EX.p, Literal("in one"))}
    store.load_quads(quads, EX.target)
    assert set(Dataset(store=store).get_context(EX.target)) == {(EX.a, EX.p, Literal("in the default graph"))}


@pytest.mark.parametrize("name", [Literal("x"), Variable("x"), "", 3, b"http://example.org/g"])
def test_what_is_not_the_name_of_a_graph_is_refused(name: Any, make_store: MakeStore) -> None:
    store = make_store()

    for load in (
        lambda: store.bulk_load(TURTLE.encode(), format="turtle", graph=name),
        lambda: store.apply(added=NTRIPLES.encode(), format="nt", graph=name),
        lambda: store.load_quads(Quads.empty(), name),
        lambda: store.view(name),
    ):
        with pytest.raises(OptionError, match=r"^graph=.* \(expected an IRI, a blank node or an rdflib Graph\)"):
            load()

    assert [graph.identifier for graph in Dataset(store=store).graphs()] == [DATASET_DEFAULT_GRAPH_ID]
    assert len(store) == 0


def test_view_of_a_graph_by_its_name(make_store: MakeStore) -> None:
    store = make_store()
    store.bulk_load(NQUADS.encode(), format="nquads")

    assert store.view(EX.one).count() == store.view(str(EX.one)).count() == 1
