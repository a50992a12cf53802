"""Processors that rdflib finds by name: answers and updates of graphs over any store, and what follows from them.

Would catch a processor that rdflib does not find, that answers otherwise than the store, or that changes a graph which
it was only asked about. ``KGREASON_RDFLIB_NEXT`` names a folder with the package of rdflib's next version, unpacked.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from rdflib import RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace, plugin
from rdflib.query import Processor, UpdateProcessor
from rdflib.store import Store

from kgreason import ReasoningStore
from kgreason.errors import AccessError, LoadError, QueryError
from kgreason_rdflib import processors

ROOT = Path(__file__).parents[2]
EX = Namespace("http://example.org/")
NEXT = os.environ.get("KGREASON_RDFLIB_NEXT")
KINDS = {"queryprocessor": Processor, "updateprocessor": UpdateProcessor}
SUBCLASS = "ex:Dog rdfs:subClassOf ex:Animal ."


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The plugins of this tree, whether or not it is the one that is installed."""
    known = dict(plugin._plugins)
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    for kind, base in KINDS.items():
        for name, place in groups[f"rdf.plugins.{kind}"].items():
            plugin.register(name, base, *place.split(":"))
    yield
    plugin._plugins.clear()
    plugin._plugins.update(known)


def stores() -> list[Store | str]:
    return ["default", ReasoningStore(rules="none")]


def pets(store: Store | str) -> Graph:
    graph = Graph(store=store)
    graph.bind("ex", EX)
    for name, number in (("rex", 3), ("sam", 5)):
        graph.add((EX[name], RDF.type, EX.Dog))
        graph.add((EX[name], EX.age, Literal(number)))
    return graph


def test_each_rule_set_has_processors() -> None:
    for name in processors.RULE_SETS:
        for kind in KINDS.values():
            assert plugin.get(f"kgreason-{name}", kind)(Graph()).rules == name


@pytest.mark.parametrize("store", stores(), ids=["memory", "kgreason"])
def test_answers_are_those_of_the_store(store: Store | str) -> None:
    graph, asked = pets(store), {"processor": "kgreason", "use_store_provided": False}

    rows = graph.query("SELECT ?x ?n { ?x ex:age ?n } ORDER BY ?n", **asked)

    assert [(row.x, row.n) for row in rows] == [(EX.rex, Literal(3)), (EX.sam, Literal(5))]
    assert graph.query("ASK { ?x ex:age ?n }", initBindings={"n": Literal(5)}, **asked).askAnswer is True
    assert graph.query("ASK { ?x ex:age ?n }", initBindings={"n": Literal(4)}, **asked).askAnswer is False
    made = graph.query("CONSTRUCT { ?x a ex:Old } { ?x ex:age 5 }", **asked).graph
    assert set(made) == {(EX.sam, RDF.type, EX.Old)}
    with pytest.raises(QueryError):
        graph.query("SELECT ?x { ?x ex:age }", **asked)


@pytest.mark.parametrize(("text", "place"), [("ex:a ex:b oops .", "data:1:11"), ("\n\nex:a oops .", "data:3:6")])
def test_malformed_axiom_is_found_in_the_text_that_was_given(text: str, place: str) -> None:
    for ask in (pets("default").query, pets("default").update):
        with pytest.raises(LoadError, match=f"^{place}: "):
            ask(text, processor="kgreason-rdfs")


def test_dataset_is_asked_by_its_graphs() -> None:
    dataset = Dataset()
    dataset.graph(EX.g).add((EX.rex, RDF.type, EX.Dog))

    rows = dataset.query("SELECT ?g { GRAPH ?g { ?x a ?y } }", processor="kgreason")

    assert [row.g for row in rows] == [EX.g]
    assert len(dataset.query("SELECT * { ?x a ?y }", processor="kgreason")) == 0


@pytest.mark.parametrize("store", stores(), ids=["memory", "kgreason"])
def test_update_is_done_whole_or_not_at_all(store: Store | str) -> None:
    graph, asked = pets(store), {"processor": "kgreason", "use_store_provided": False}
    graph.add((BNode("b"), EX.age, Literal(9)))

    graph.update("DELETE { ?x ex:age 3 } INSERT { ?x ex:age 4 } WHERE { ?x ex:age 3 }", **asked)
    before = set(graph)
    with pytest.raises(AccessError):
        graph.update("INSERT DATA { ex:a ex:b ex:c } ; LOAD <http://127.0.0.1:9/none>", **asked)

    assert graph.value(EX.rex, EX.age) == Literal(4)
    assert (BNode("b"), EX.age, Literal(9)) in graph
    assert set(graph) == before


def test_update_reaches_named_graphs() -> None:
    dataset = Dataset()
    dataset.graph(EX.g).add((EX.rex, RDF.type, EX.Dog))

    dataset.update(f"WITH <{EX.g}> DELETE {{ ?x a ?y }} INSERT {{ ?x a <{EX.Cat}> }} WHERE {{ ?x a ?y }}",
                   processor="kgreason")  # fmt: skip

    assert {(s, o, g) for s, _, o, g in dataset.quads()} == {(EX.rex, EX.Cat, EX.g)}


@pytest.mark.parametrize("store", stores(), ids=["memory", "kgreason"])
def test_query_gives_what_follows_and_leaves_the_graph(store: Store | str) -> None:
    graph = pets(store)
    before = set(graph)

    found = graph.query(SUBCLASS, processor="kgreason-rdfs", use_store_provided=False).graph

    assert set(graph) == before
    assert {(EX.rex, RDF.type, EX.Animal), (EX.sam, RDF.type, EX.Animal)} <= set(found)
    assert set(found).isdisjoint(before)


@pytest.mark.parametrize("axioms", [SUBCLASS, Graph().parse(data=f"<{EX.Dog}> <{RDFS.subClassOf}> <{EX.Animal}> .")])
def test_update_adds_axioms_and_what_follows(axioms: str | Graph) -> None:
    graph = pets("default")

    graph.update(axioms, processor="kgreason-owl-rl")

    closure = pets(ReasoningStore(rules="owl-rl"))
    closure.add((EX.Dog, RDFS.subClassOf, EX.Animal))
    assert set(graph) == set(closure)
    assert len(graph.query("", processor="kgreason-owl-rl").graph) == 0


@pytest.mark.parametrize("union", [False, True])
def test_rules_are_applied_to_the_default_graph_of_a_dataset(union: bool) -> None:
    dataset = Dataset(default_union=union)
    dataset.add((EX.rex, RDF.type, EX.Dog))
    dataset.graph(EX.g).add((EX.tom, RDF.type, EX.Dog))
    axioms = f"<{EX.Dog}> <{RDFS.subClassOf}> <{EX.Animal}> ."

    found = dataset.query(axioms, processor="kgreason-rdfs").graph
    dataset.update(axioms, processor="kgreason-rdfs")

    expected = {EX.rex, EX.tom} if union else {EX.rex}
    assert set(found.subjects(RDF.type, EX.Animal)) == expected
    assert set(dataset.default_graph.subjects(RDF.type, EX.Animal)) == expected
    assert set(dataset.graph(EX.g)) == {(EX.tom, RDF.type, EX.Dog)}


SCRIPT = """
import rdflib
from rdflib import RDF, RDFS, Graph, URIRef, plugin
from rdflib.query import Processor, UpdateProcessor
for name, kind, place in {plugins!r}:
    plugin.register(name, {{"queryprocessor": Processor, "updateprocessor": UpdateProcessor}}[kind], *place.split(":"))
a, b, c = map(URIRef, ("urn:a", "urn:b", "urn:c"))
for store in ("default", plugin.get("kgreason", rdflib.store.Store)("kgreason:?rules=none")):
    asked = {{"use_store_provided": False}}
    graph = Graph(store=store)
    graph.add((a, RDF.type, b))
    found = graph.query(f"<{{b}}> <{{RDFS.subClassOf}}> <{{c}}> .", processor="kgreason-owl-rl", **asked).graph
    assert (a, RDF.type, c) in found and len(graph) == 1
    graph.update(f"<{{b}}> <{{RDFS.subClassOf}}> <{{c}}> .", processor="kgreason-owl-rl", **asked)
    assert (a, RDF.type, c) in graph
    graph.update("DELETE WHERE {{ ?x a <urn:c> }}", processor="kgreason", **asked)
    assert [row.y for row in graph.query("SELECT ?y {{ <urn:a> a ?y }}", processor="kgreason", **asked)] == [b]
print(rdflib.__file__)
"""


@pytest.mark.skipif(NEXT is None, reason="KGREASON_RDFLIB_NEXT names no folder with rdflib's next version")
def test_processors_work_with_the_next_version() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    plugins = [(name, kind, place) for kind in KINDS for name, place in groups[f"rdf.plugins.{kind}"].items()]
    path = os.pathsep.join([NEXT or "", *sys.path])

    done = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT.format(plugins=plugins)], env=os.environ | {"PYTHONPATH": path},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.stderr == ""
    assert done.stdout.startswith(NEXT or "")
