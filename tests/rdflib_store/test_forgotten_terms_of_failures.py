"""Terms of changes that failed are forgotten, and readers and listeners see the terms that were there before."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import ref

import pytest
from rdflib import OWL, RDF, BNode, Dataset, Graph, Literal, URIRef
from rdflib.collection import Collection

from kgreason import Budget, KGReasonError, LoadError, QueryLimitError, ReasoningStore, TermError
from tests.rdflib_store.forgotten_term_cases import EX, FACT, keys, many, opened

REACH = "@prefix e: <http://example.org/> . e:reach(?x, ?z) :- e:next(?x, ?y), e:next(?y, ?z) ."


COMPUTED = "@prefix e: <http://example.org/> . e:name(?x, ?n) :- e:of(?x, ?y), ?n = CONCAT(?y, \"!\") ."


def test_change_beyond_its_budget_leaves_no_terms() -> None:
    store = ReasoningStore(rules=REACH, budget=Budget(facts=100))
    graph = Graph(store=store)
    graph.add(FACT)
    len(graph)
    before = keys(store)
    for number in range(200):
        graph.add((EX[f"a{number}"], EX.next, EX.hub))
        graph.add((EX.hub, EX.next, EX[f"b{number}"]))

    with pytest.raises(KGReasonError):
        len(graph)

    assert keys(store) == before
    graph.add((EX.b7, EX.next, EX.b8))
    graph.add((EX.b8, EX.next, EX.b9))
    assert set(graph) == {FACT, (EX.b7, EX.next, EX.b8), (EX.b8, EX.next, EX.b9), (EX.b7, EX.reach, EX.b9)}
    store.knowledge_base._check()


def refuse_a_rule(graph: Graph) -> None:
    graph.store.add_rules("@prefix e: <http://example.org/> . e:new(?x) :- e:other(?x), ~e:new(?x) .")


def refuse_a_triple(graph: Graph) -> None:
    graph.add((EX.new, EX.newer, URIRef("no\niri")))


def refuse_triples(graph: Graph) -> None:
    graph.addN([(EX.new, EX.newer, EX.newest, graph), (EX.new, EX.newer, URIRef("no\niri"), graph)])


def refuse_an_update(graph: Graph) -> None:
    graph.update("INSERT { ?s <urn:new> <urn:newer> } WHERE { ?s ?p ?o . ?a ?b ?c }", max_rows=1)


def refuse_a_request(graph: Graph) -> None:
    graph.update(
        "INSERT DATA { <urn:new> <urn:newer> 1 } ; "
        "INSERT { ?s <urn:new> ?n } WHERE { ?s ?p ?o . BIND(CONCAT(STR(?o), \"!\") AS ?n) } ; "
        "CREATE GRAPH <urn:graph> ; CREATE GRAPH <urn:graph>"
    )


def fail_while_triples_come(graph: Graph) -> None:
    def triples() -> Iterator[Any]:
        yield from ((*triple, graph) for triple in many("come"))
        raise TermError("enough")

    graph.addN(triples())


@pytest.mark.parametrize(
    "refused",
    [
        refuse_a_rule,
        refuse_a_triple,
        refuse_triples,
        refuse_an_update,
        refuse_a_request,
        fail_while_triples_come,
    ],
)
@pytest.mark.parametrize("is_queued", [False, True])
def test_what_is_refused_leaves_no_terms(refused: Callable[[Graph], None], is_queued: bool) -> None:
    store = ReasoningStore(rules=COMPUTED)
    graph = Graph(store=store)
    graph.add(FACT)
    graph.add((EX.tom, EX.of, Literal("Ann")))
    if not is_queued:
        len(graph)
    before = keys(store)

    with pytest.raises((KGReasonError, QueryLimitError, SyntaxError)):
        refused(graph)

    assert keys(store) | {'"Ann!"', str(EX.name)} == before | {'"Ann!"', str(EX.name)}
    assert set(graph) == {FACT, (EX.tom, EX.of, Literal("Ann")), (EX.tom, EX.name, Literal("Ann!"))}
    store.knowledge_base._check()


def test_load_that_fails_leaves_no_terms(tmp_path: Path) -> None:
    store = ReasoningStore()
    graph = Graph(store=store)
    graph.add(FACT)
    before = keys(store)
    file = tmp_path / "bad.nt"
    file.write_text("<urn:a> <urn:b> <urn:c> .\n" * 100 + "<urn:a> nonsense .\n")

    with pytest.raises(LoadError):
        store.bulk_load(file)
    with pytest.raises(LoadError, match=r"bad\.nt"):
        graph.parse(file, format="kg-nt")

    assert keys(store) == before


def test_triples_come_while_what_they_come_from_reads_a_change_that_fails() -> None:
    store = ReasoningStore(strict=True)
    graph = Graph(store=store)

    def triples() -> Iterator[Any]:
        yield (EX.first, EX.likes, EX.milk, graph)
        with suppress(KGReasonError):
            len(graph)  # maintains the list that is cut off
        yield (EX.second, EX.likes, EX.cream, graph)

    graph.add((EX.union, OWL.unionOf, EX.cells))
    graph.add((EX.cells, RDF.first, EX.member))
    graph.addN(triples())

    assert set(graph) == {(EX.first, EX.likes, EX.milk), (EX.second, EX.likes, EX.cream)}
    store.knowledge_base._check()


def test_graphs_of_a_change_that_came_to_nothing_are_gone(tmp_path: Path) -> None:
    dataset = Dataset(store=ReasoningStore())
    dataset.open(str(tmp_path), create=True)
    dataset.add((*FACT, EX.kept))
    dataset.commit()
    dataset.add((*FACT, EX.dropped))
    len(dataset)
    dataset.rollback()
    dataset.add((EX.dropping, EX.likes, EX.milk, EX.other))
    dataset.remove((None, EX.likes, EX.milk, None))

    assert not set(dataset.quads())
    assert (EX.dropped, None) not in {(graph.identifier, None) for graph in dataset.graphs()}
    dataset.rollback()
    assert set(dataset.quads()) == {(*FACT, EX.kept)}


def test_what_was_read_before_a_rollback_shows_its_own_terms(tmp_path: Path) -> None:
    graph = opened(tmp_path)
    graph.add(FACT)
    graph.commit()
    told: list[tuple[Graph, Graph]] = []
    graph.store.subscribe(lambda added, removed: told.append((added, removed)))
    dropped = set(many("dropped", 500))
    for triple in dropped:
        graph.add(triple)
    rows = iter(graph)
    result = graph.query("SELECT ?s ?p ?o { ?s ?p ?o FILTER(?o != <urn:never-seen>) }")
    computed = graph.query('SELECT ?s (CONCAT(STR(?o), "!") AS ?n) { ?s <http://example.org/of-dropped> ?o }')
    begun = [next(rows), next(iter(result))]
    assert len(begun) == 2

    graph.rollback()
    for triple in many("later", 600):
        graph.add(triple)

    assert {*rows, begun[0]} == dropped | {FACT}
    assert {tuple(row) for row in result} == dropped | {FACT}
    assert {(s, str(n)) for s, n in computed} == {(s, f"{o}!") for s, _, o in dropped}
    assert len(graph) == 601
    assert set(told[0][0]) == dropped == set(told[1][1])
    assert set(told[2][0]) == set(many("later", 600))


def test_listener_that_rolls_back_sees_the_terms_that_are_gone(tmp_path: Path) -> None:
    graph = opened(tmp_path)
    told: list[tuple[set[Any], set[Any]]] = []

    def listen(added: Graph, removed: Graph) -> None:
        told.append((set(added), set(removed)))
        if len(told) == 1:
            graph.rollback()
            graph.add((EX.after, EX.likes, EX.cream))

    graph.store.subscribe(listen)
    graph.add(FACT)
    len(graph)
    assert set(graph) == {(EX.after, EX.likes, EX.cream)}
    assert told == [({FACT}, set()), (set(), {FACT}), ({(EX.after, EX.likes, EX.cream)}, set())]


def test_readers_in_other_threads_see_no_term_for_another(tmp_path: Path) -> None:
    graph = opened(tmp_path, rules="none")
    graph.add((EX["base"], EX["of-base"], Literal("base")))
    graph.commit()
    stopped = threading.Event()
    wrong: list[Any] = []

    def check(rows: Any) -> None:
        for s, p, o in rows:
            name = str(o).partition(" ")[0]
            if not (str(s).startswith(str(EX[name])) and p == EX[f"of-{name}"]):
                wrong.append((s, p, o))

    def read(ask: Callable[[], Any]) -> None:
        try:
            while not stopped.is_set():
                check(ask())
        except BaseException as error:
            wrong.append(error)

    asked: list[Callable[[], Any]] = [
        lambda: graph,
        lambda: graph.query("SELECT ?s ?p ?o { ?s ?p ?o }"),
        lambda: graph.query("SELECT ?s ?p ?o { ?s ?p ?o FILTER(STRLEN(STR(?o)) > 1) } ORDER BY ?o"),
        lambda: graph.query("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }").graph,
    ]
    threads = [threading.Thread(target=read, args=(ask,)) for ask in asked]
    for thread in threads:
        thread.start()
    try:
        for number in range(60):
            for triple in many(f"n{number}-", 40):
                graph.add(triple)
            len(graph)
            graph.rollback()
            if number % 10 == 0:
                graph.add(next(many(f"kept{number}-")))
                graph.commit()
    finally:
        stopped.set()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert len(keys(graph.store)) < 60


def test_memory_of_what_was_rolled_back_comes_back_without_the_garbage_collector(tmp_path: Path) -> None:
    gc.collect()
    gc.disable()  # before the change, too: what it leaves in a circle might be collected, or not
    try:
        graph = opened(tmp_path, rules="none")
        graph.add(FACT)
        graph.commit()
        before = graph.store.knowledge_base.statistics()
        for triple in many("dropped", 500):
            graph.add(triple)
        assert sum(1 for _ in graph) == 501
        dictionary = ref(graph.store.knowledge_base.dictionary)

        graph.rollback()

        assert dictionary() is None  # and so are the terms that were decoded over it
    finally:
        gc.enable()
    after = graph.store.knowledge_base.statistics()
    assert (after.terms, after.triples, after.bytes <= before.bytes) == (before.terms, before.triples, True)


def test_blank_nodes_and_lists_that_were_rolled_back(tmp_path: Path) -> None:
    graph = opened(tmp_path)
    graph.add(FACT)
    graph.commit()
    before = keys(graph.store)
    for _ in range(3):
        cells = BNode()
        Collection(graph, cells, [EX.A, EX.B, EX.C])
        graph.add((EX.Union, OWL.unionOf, cells))
        graph.add((EX.tom, RDF.type, EX.B))
        assert (EX.tom, RDF.type, EX.Union) in graph
        graph.rollback()
        assert set(graph) == {FACT}
        assert len(keys(graph.store)) <= len(before) + 4  # positions in lists, perhaps
        graph.store.knowledge_base._check()
