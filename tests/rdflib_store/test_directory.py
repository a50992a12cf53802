"""A store that is opened with a directory: what was committed comes back, exactly, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rdflib import RDF, RDFS, SKOS, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef

from kgreason import KGReasonError, LoadError, ReasoningStore, StoreError
from kgreason.disk.log_file import FILE
from tests.rdflib_store.conftest import MakeStore

EX = Namespace("http://example.org/")
SCHEMA = (EX.Cat, RDFS.subClassOf, EX.Animal)
FACT = (EX.tom, RDF.type, EX.Cat)


def opened(path: Path, make_store: MakeStore = ReasoningStore) -> Dataset:
    dataset = Dataset(store=make_store())
    dataset.open(str(path), create=True)
    return dataset


def shown(path: Path) -> set[Any]:
    """The triples that another reader sees meanwhile."""
    store = ReasoningStore()
    store.open(str(path), read_only=True)
    found = set(Graph(store=store))
    store.close()
    return found


def test_explicit_quads_come_back_exactly(make_store: MakeStore, tmp_path: Path) -> None:
    dataset = opened(tmp_path / "new" / "place", make_store)
    literals = [
        Literal("a"),
        Literal("b", lang="en-GB"),
        Literal("01", datatype=XSD.integer, normalize=False),
        Literal('"quoted"\n\\ \U0001f600 ä'),
    ]
    for number, literal in enumerate(literals):
        dataset.add((URIRef("urn:other"), EX[f"p{number}"], literal))
    dataset.add((BNode("label"), EX.p, EX.o, BNode("graph")))
    dataset.add((EX.s, EX.p, EX.o, EX.named))
    dataset.graph(EX.empty)
    dataset.bind("ex", EX)
    before = set(dataset.quads())
    dataset.close()

    again = opened(tmp_path / "new" / "place", make_store)
    assert set(again.quads()) == before
    assert {g.identifier for g in again.graphs()} == {g.identifier for g in dataset.graphs()}
    assert again.store.namespace("ex") == URIRef(EX)
    for number, literal in enumerate(literals):
        [found] = again.objects(None, EX[f"p{number}"])
        assert (str(found), found.datatype, found.language) == (
            str(literal),
            literal.datatype,
            literal.language,
        )


def test_inferred_triples_come_back_as_inferred(tmp_path: Path) -> None:
    dataset = opened(tmp_path)
    dataset.add(SCHEMA)
    dataset.add(FACT)
    dataset.close()
    graph = Graph(store="kgreason")
    graph.open(str(tmp_path))
    assert set(graph) == {SCHEMA, FACT, (EX.tom, RDF.type, EX.Animal)}
    graph.remove(SCHEMA)
    assert set(graph) == {FACT}


def test_only_what_was_committed_comes_back(tmp_path: Path) -> None:
    dataset = opened(tmp_path)
    dataset.add(SCHEMA)
    dataset.commit()
    dataset.add(FACT)
    assert shown(tmp_path) == {SCHEMA}
    dataset.remove(SCHEMA)
    dataset.close()
    assert shown(tmp_path) == {FACT}


def test_opening_again_brings_nothing_twice(tmp_path: Path) -> None:
    dataset = opened(tmp_path)
    dataset.add((BNode("x"), EX.p, BNode("y")))
    dataset.close()
    dataset.open(str(tmp_path))
    dataset.open(str(tmp_path))
    assert len(dataset) == 1


def test_rule_that_a_store_began_with_twice_is_there_until_it_is_removed_twice(tmp_path: Path) -> None:
    rule = f"<{EX.Pet}>(?x) :- <{EX.Cat}>(?x) ."
    store = ReasoningStore(rules=[rule, rule])
    dataset = Dataset(store=store)
    dataset.open(str(tmp_path), create=True)
    dataset.add(FACT)
    store.remove_rules(rule)
    assert set(store.inferred) == {(EX.tom, RDF.type, EX.Pet)}
    store.remove_rules(rule)
    assert set(store.inferred) == set()


def test_store_in_memory_writes_nothing(tmp_path: Path) -> None:
    dataset = Dataset(store=ReasoningStore())
    dataset.add(FACT)
    dataset.commit()
    dataset.close()
    assert list(tmp_path.iterdir()) == []


def test_directory_that_is_not_there(make_store: MakeStore, tmp_path: Path) -> None:
    graph = Graph(store=make_store())
    graph.add(FACT)
    with pytest.raises(KGReasonError, match="nowhere"):
        graph.open(str(tmp_path / "nowhere"))
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(KGReasonError, match="file"):
        graph.open(str(tmp_path / "file"), create=True)
    assert len(graph) == 1


def test_two_directories_at_once(tmp_path: Path) -> None:
    dataset = opened(tmp_path / "one")
    with pytest.raises(KGReasonError, match="one"):
        dataset.open(str(tmp_path / "two"), create=True)
    dataset.add(FACT)
    dataset.close()
    dataset.open(str(tmp_path / "two"), create=True)
    dataset.close()
    assert shown(tmp_path / "one") == shown(tmp_path / "two") == {FACT}


@pytest.mark.parametrize("damage", ["cut off", "no database", "other bytes"])
def test_damaged_catalogue(tmp_path: Path, damage: str) -> None:
    dataset = opened(tmp_path)
    dataset.addN((EX[str(i)], EX.p, EX.o, dataset.default_graph) for i in range(1000))
    dataset.close()
    for snapshot in tmp_path.glob("snapshot-*"):
        snapshot.unlink()
    file = tmp_path / FILE
    whole = file.read_bytes()
    damaged = {"cut off": whole[:-5000], "no database": b"nonsense", "other bytes": whole.replace(b"/500", b"/5\xff0")}
    file.write_bytes(damaged[damage])
    graph = Graph(store=ReasoningStore())
    graph.add(FACT)
    with pytest.raises(LoadError, match=str(tmp_path)) as caught:
        graph.open(str(tmp_path))
    assert "\n" not in str(caught.value)
    assert set(graph) == {FACT}


CHANGES: dict[str, Callable[[ReasoningStore], object]] = {
    "add": lambda store: Graph(store=store).add(SCHEMA),
    "addN": lambda store: Dataset(store=store).addN([(*SCHEMA, EX.named)]),
    "remove": lambda store: Graph(store=store).remove(FACT),
    "remove a pattern": lambda store: Graph(store=store).remove((None, None, None)),
    "parse": lambda store: Graph(store=store).parse(data="<a:a> <a:b> <a:c> .", format="turtle"),
    "bulk_load": lambda store: store.bulk_load(b"<a:a> <a:b> <a:c> .", format="nt"),
    "apply": lambda store: store.apply(b"<a:a> <a:b> <a:c> .", format="nt"),
    "update": lambda store: Graph(store=store).update("INSERT DATA { <a:a> <a:b> <a:c> }"),
    "update in steps": lambda store: Graph(store=store).update(
        "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o } ; INSERT { ?s a ?p } WHERE { ?s ?p ?o }"
    ),
    "add_rules": lambda store: store.add_rules("@prefix e: <http://example.org/> . e:Pet(?x) :- e:Cat(?x) ."),
    "remove_rules": lambda store: store.remove_rules("owl-rl"),
    "commit": lambda store: store.commit(),
    "rollback": lambda store: store.rollback(),
    "write_snapshot": lambda store: store.write_snapshot(),
    "compact": lambda store: store.compact(),
    "refresh": lambda store: store.refresh(),
    "bind": lambda store: store.bind("pets", URIRef(EX)),
    "bind by a graph": lambda store: Graph(store=store).bind("pets", EX),
    "bind another prefix": lambda store: Graph(store=store).bind("pet", "http://example.org/pet#", replace=True),
    "unbind": lambda store: store.unbind("pet"),
    "graph": lambda store: Dataset(store=store).graph(EX.other),
    "remove_graph": lambda store: Dataset(store=store).remove_graph(EX.known),
}


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("name", CHANGES)
def test_change_of_a_closed_store_is_refused(tmp_path: Path, name: str, read_only: bool) -> None:
    dataset = opened(tmp_path)
    dataset.add(FACT)
    dataset.graph(EX.known)
    dataset.bind("pet", URIRef("urn:pet:"))
    dataset.close()
    with ReasoningStore() as store:
        store.open(str(tmp_path), read_only=read_only)

    with pytest.raises(StoreError, match="the store is closed"):
        CHANGES[name](store)

    assert set(Graph(store=store)) == {FACT}
    assert store.namespace("pet") == URIRef("urn:pet:")
    assert store.prefix(URIRef(EX)) is None
    assert store.graph_names() == [EX.known]
    assert len(Dataset(store=store).graph(EX.known)) == 0
    store.close()
    store.open(str(tmp_path))
    Graph(store=store).add(SCHEMA)
    store.close()
    assert shown(tmp_path) == {FACT, SCHEMA, (EX.tom, RDF.type, EX.Animal)}


def test_reads_and_branches_of_a_closed_store_go_on(tmp_path: Path) -> None:
    dataset = opened(tmp_path)
    dataset.add(FACT)
    dataset.close()

    branch = dataset.store.branch()
    Graph(store=branch).add(SCHEMA)

    assert len(dataset.query("SELECT * { ?s ?p ?o }")) == 1
    assert EX.Cat.n3() in dataset.serialize(format="nt")
    assert len(branch.difference().added) == 2
    with pytest.raises(StoreError, match="the store is closed"):
        dataset.store.adopt(branch)


def test_rdflib_reads_a_closed_store_with_the_prefixes_that_it_binds(tmp_path: Path) -> None:
    dataset = opened(tmp_path)
    dataset.addN([(*FACT, dataset), (EX.tom, URIRef("urn:one/p"), URIRef("urn:two/q"), dataset)])
    dataset.bind("concepts", SKOS)
    dataset.close()
    with ReasoningStore() as store:
        store.open(str(tmp_path), read_only=True)

    texts = {format: Graph(store=store).serialize(format=format) for format in ("turtle", "xml", "n3")}

    assert "ns1:p" in texts["xml"]
    assert [len(Graph().parse(data=text, format=format)) for format, text in texts.items()] == [2, 2, 2]
    assert Graph(store=store).query("ASK { ?x a rdf:Class }").askAnswer is False
    assert store.namespace("concepts") == URIRef(SKOS)


def test_store_in_memory_that_is_closed_stays_open() -> None:
    graph = Graph(store=ReasoningStore())
    graph.close()

    graph.add(FACT)
    graph.bind("pets", EX)
    graph.commit()

    assert set(graph) == {FACT}
    assert graph.store.namespace("pets") == URIRef(EX)


def test_destroyed_directory_is_empty_and_may_be_used_again(tmp_path: Path) -> None:
    dataset = opened(tmp_path)
    dataset.add(FACT)
    dataset.close()
    dataset.destroy(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert len(opened(tmp_path)) == 0
