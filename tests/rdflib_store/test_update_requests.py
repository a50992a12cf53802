"""A request of several operations is one change: catches operations that stay when a later one fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, RDFS, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.store import TripleAddedEvent

from kgreason import ReasoningStore
from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, KGReasonError, QueryError, QueryLimitError, TermError, TermWarning
from kgreason.io.quads import Quads
from kgreason.sparql.limits import Limits
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.sparql.filled_templates import Filling
from kgreason_rdflib.sparql.malformed_requests import MalformedRequestError
from tests.profiles import examples

EX = Namespace("http://example.org/")
FAILS = "MOVE ex:nobody TO ex:h"


@pytest.fixture
def dataset() -> Dataset:
    """Cats are animals; tom is a cat in the default graph, felix in ex:g."""
    return filled(Dataset(store=ReasoningStore()))


def filled(dataset: Dataset) -> Dataset:
    dataset.bind("ex", EX)
    dataset.add((EX.Cat, RDFS.subClassOf, EX.Animal))
    dataset.add((EX.tom, RDF.type, EX.Cat))
    dataset.add((EX.felix, RDF.type, EX.Cat, EX.g))
    return dataset


def contents(dataset: Dataset) -> tuple[set[object], set[object], set[object]]:
    """What a store has, explicit and inferred, and its named graphs."""
    named = {graph.identifier: frozenset(graph) for graph in dataset.graphs()}
    return {*dataset.store.explicit}, {*dataset.store.inferred}, {*named.items()}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("INSERT DATA {\n  <foo> ex:p 1 }", "line 2, column 3: 'foo' is not"),
        ("CREATE GRAPH ex:h ;\nINSERT DATA { GRAPH <bar> { ex:a ex:p 1 } }", "line 2, column 21: 'bar' is not"),
        ("INSERT { ?x a <baz> } WHERE { ?x a ex:Cat }", "line 1, column 15: 'baz' is not"),
    ],
)
def test_relative_iri_is_refused_where_it_stands(dataset: Dataset, text: str, place: str) -> None:
    before = contents(dataset)

    with pytest.raises(TermError, match=place):
        dataset.update(text)

    assert contents(dataset) == before


def test_datatype_that_is_no_iri_is_malformed(dataset: Dataset) -> None:
    before = contents(dataset)

    with pytest.raises(MalformedRequestError, match="line 1, column 30: 'dt' is not"):
        dataset.update("INSERT DATA { ex:a ex:p '1'^^<dt> }")

    assert contents(dataset) == before


def test_relative_iri_that_a_graph_has_already_is_taken(dataset: Dataset) -> None:
    graph = Graph(store=dataset.store)
    with pytest.warns(TermWarning):
        graph.add((URIRef("foo"), EX.p, Literal(1)))

    graph.update("INSERT DATA { <foo> ex:p 2 }")

    assert set(graph.objects(URIRef("foo"), EX.p)) == {Literal(1), Literal(2)}


@pytest.mark.parametrize(
    "before",
    [
        "INSERT DATA { ex:a ex:b 1 }",
        "DELETE DATA { ex:Cat rdfs:subClassOf ex:Animal }",
        "DELETE { ?x a ex:Cat } INSERT { GRAPH ex:new { ?x a ex:Dog } } WHERE { ?x a ex:Cat }",
        "CREATE GRAPH ex:made",
        "DROP GRAPH ex:g",
        "DROP ALL",
        "MOVE ex:g TO DEFAULT",
        "INSERT { ?x ex:is ?c } WHERE { ?x a ?c } ; CLEAR DEFAULT ; INSERT DATA { GRAPH ex:g { ex:a ex:b ex:c } }",
    ],
)
def test_request_with_a_failing_operation_changes_nothing(dataset: Dataset, before: str) -> None:
    known = contents(dataset)

    with pytest.raises(QueryError, match="there is no graph"):
        dataset.update(f"{before} ; {FAILS} ; INSERT DATA {{ ex:a ex:b 2 }}")

    assert contents(dataset) == known
    dataset.store.knowledge_base._check()


def test_request_that_fails_keeps_what_was_queued_before_it(dataset: Dataset) -> None:
    dataset.add((EX.a, EX.b, Literal(0)))

    with pytest.raises(QueryError):
        dataset.update(f"DELETE WHERE {{ ?x ex:b ?y }} ; {FAILS}")

    assert {*dataset.objects(EX.a, EX.b)} == {Literal(0)}


def test_each_operation_sees_what_those_before_it_did(dataset: Dataset) -> None:
    dataset.update("""
        INSERT DATA { ex:Animal rdfs:subClassOf ex:Being } ;
        INSERT { ?x ex:is ex:Being } WHERE { ?x a ex:Being } ;
        DELETE DATA { ex:Cat rdfs:subClassOf ex:Animal } ;
        INSERT { ?x ex:was ex:Being } WHERE { ?x ex:is ex:Being MINUS { ?x a ex:Being } }
    """)

    assert {*dataset.subjects(EX["is"], EX.Being)} == {*dataset.subjects(EX.was, EX.Being)} == {EX.tom, EX.felix}


def test_silent_operation_that_fails_is_left_out(dataset: Dataset) -> None:
    dataset.update("INSERT DATA { ex:a ex:b 1 } ; MOVE SILENT ex:nobody TO ex:h ; INSERT DATA { ex:a ex:b 2 }")

    assert {*dataset.objects(EX.a, EX.b)} == {Literal(1), Literal(2)}


def test_silent_operation_does_not_hide_what_cannot_be_maintained(dataset: Dataset) -> None:
    rule = "@prefix ex: <http://example.org/> . ex:meets(?x, ?y) :- ex:Cat(?x), ex:Cat(?y) ."
    dataset.store.add_rules(rule)
    known = contents(dataset)
    dataset.store.budget = Budget(facts=5)
    many = " ".join(f"ex:c{i} a ex:Cat ." for i in range(20))

    with pytest.raises(BudgetError):
        dataset.update(f"INSERT DATA {{ ex:x ex:y ex:z }} ; INSERT DATA {{ {many} }} ; MOVE SILENT ex:nobody TO ex:h")

    assert contents(dataset) == known


def test_listeners_hear_once_of_the_net_change(dataset: Dataset) -> None:
    heard: list[tuple[set[object], set[object]]] = []
    dataset.store.subscribe(lambda added, removed: heard.append(({*added}, {*removed})))

    dataset.update("""
        INSERT DATA { ex:rex a ex:Cat } ;
        DELETE { ?x a ex:Cat } WHERE { ?x a ex:Cat FILTER(?x = ex:rex) } ;
        INSERT { ?x a ex:Pet } WHERE { ?x a ex:Animal }
    """)
    with pytest.raises(QueryError):
        dataset.update(f"DELETE WHERE {{ ?x a ?c }} ; {FAILS}")
    len(dataset)

    assert heard == [({(EX.tom, RDF.type, EX.Pet), (EX.felix, RDF.type, EX.Pet)}, set())]


def test_events_of_triples_come_after_the_whole_request(dataset: Dataset) -> None:
    heard: list[object] = []
    dataset.store.dispatcher.subscribe(TripleAddedEvent, lambda event: heard.append(event.triple))

    with pytest.raises(QueryError):
        dataset.update(f"INSERT DATA {{ ex:a ex:b 1 }} ; {FAILS}")
    assert heard == []
    dataset.update("INSERT DATA { ex:a ex:b 1 } ; INSERT { ?x ex:b 2 } WHERE { ?x ex:b 1 }")

    assert heard == [(EX.a, EX.b, Literal(1)), (EX.a, EX.b, Literal(2))]


@pytest.mark.parametrize("option", [{"timeout": 0.0}, {"max_rows": 5}])
def test_limits_hold_for_the_where_of_a_request(dataset: Dataset, option: dict[str, float]) -> None:
    for number in range(10):
        dataset.add((EX[f"s{number}"], EX.b, EX.o))
    known = contents(dataset)

    with pytest.raises(QueryLimitError):
        dataset.update(
            "INSERT DATA { ex:a ex:a ex:a } ; INSERT { ?x ex:with ?y } WHERE { ?x ex:b ?o . ?y ex:b ?o }", **option
        )

    assert contents(dataset) == known


def test_limits_hold_for_all_rows_of_a_request_and_while_templates_are_filled_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows come some at a time, each time fewer than a step may make; an update keeps all of them."""
    dataset = Dataset(store=ReasoningStore(rules="none"))
    dataset.update("INSERT DATA { " + " ".join(f"<urn:s{n}> <urn:p> <urn:o> ." for n in range(1_500)) + " }")
    product = "INSERT { ?a <urn:q> ?b } WHERE { ?a <urn:p> ?x . ?b <urn:p> ?y }"
    with pytest.raises(QueryLimitError, match="more than 2,000,000 rows"):
        dataset.update(product, max_rows=2_000_000)

    filled: list[Quads] = []
    monkeypatch.setattr(rdflib_tuning, "FILLED_QUAD_ROWS", 100)
    monkeypatch.setattr(Filling, "_quads", lambda *_: filled.append(Quads.empty()) or filled[-1])
    limits = Limits(is_cancelled=lambda: len(filled) > 3)
    with pytest.raises(QueryLimitError, match="cancelled"):
        dataset.store.carry_out("INSERT { ?a <urn:q> ?y } WHERE { ?a <urn:p> ?y }", limits=limits)

    assert len(filled) == 4
    assert len(dataset) == 1_500


def test_interrupted_request_changes_nothing(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    known = contents(dataset)

    def interrupted(*_: object) -> Iterator[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr("kgreason_rdflib.sparql.update_effects.Changing._transferred", interrupted)
    with pytest.raises(KeyboardInterrupt):
        dataset.update("DELETE WHERE { ?x a ?c } ; INSERT DATA { ex:a ex:b ex:c } ; MOVE ex:g TO ex:h")

    assert contents(dataset) == known


def test_request_in_a_directory_is_committed_or_rolled_back_as_one(tmp_path: Path) -> None:
    path = str(tmp_path / "store")
    store = ReasoningStore()
    store.open(path, create=True)
    dataset = filled(Dataset(store=store))
    dataset.commit()
    committed = contents(dataset)

    dataset.update("INSERT DATA { ex:a ex:b 1 } ; INSERT { ?x ex:b 2 } WHERE { ?x ex:b 1 }")
    with pytest.raises(QueryError):
        dataset.update(f"DELETE WHERE {{ ?x ?y ?z }} ; {FAILS}")
    changed = contents(dataset)
    dataset.rollback()
    assert contents(dataset) == committed

    dataset.update("INSERT DATA { ex:a ex:b 1 } ; INSERT { ?x ex:b 2 } WHERE { ?x ex:b 1 }")
    with pytest.raises(QueryError):
        dataset.update(f"DELETE WHERE {{ ?x ?y ?z }} ; {FAILS}")
    dataset.commit()
    store.close()
    with ReasoningStore(path) as again:
        assert contents(Dataset(store=again)) == changed


OPERATIONS = st.sampled_from(
    [
        "INSERT DATA { ex:a a ex:Cat }",
        "DELETE DATA { ex:a a ex:Cat }",
        "INSERT DATA { GRAPH ex:g { ex:a a ex:Animal } }",
        "DELETE DATA { ex:Cat rdfs:subClassOf ex:Animal }",
        "INSERT DATA { ex:Cat rdfs:subClassOf ex:Animal . ex:Animal rdfs:subClassOf ex:Being }",
        "INSERT { ?x a ex:Dog } WHERE { ?x a ex:Animal }",
        "DELETE { ?x a ?c } WHERE { ?x a ex:Dog ; a ?c }",
        "COPY ex:g TO DEFAULT",
        "CLEAR NAMED",
        FAILS,
    ]
)


@given(st.lists(st.lists(OPERATIONS, min_size=1, max_size=5), min_size=1, max_size=4))
@settings(max_examples=examples(40))
def test_random_requests_equal_their_operations_one_by_one_or_nothing(requests: list[list[str]]) -> None:
    store, apart = filled(Dataset(store=ReasoningStore())), filled(Dataset(store=ReasoningStore()))

    for operations in requests:
        try:
            store.update(" ; ".join(operations))
        except KGReasonError:
            assert FAILS in operations
        else:
            assert FAILS not in operations
            for operation in operations:
                apart.update(operation)
        store.store.knowledge_base._check()

        assert contents(store) == contents(apart)


def test_empty_request_changes_nothing() -> None:
    graph = Graph(store=ReasoningStore())

    graph.update("")

    assert len(graph) == 0


def test_time_of_a_request_holds_for_what_follows_from_its_operations() -> None:
    rules = """@prefix ex: <http://example.org/> .
      ex:q(?x,?z) :- ex:p(?x,?y), ex:p(?z,?y) . ex:r(?x,?z) :- ex:q(?x,?y), ex:q(?y,?z) ."""
    graph = Graph(store=ReasoningStore(rules=rules, budget=Budget(seconds=600)))
    graph.store.addN([(EX[f"a{n}"], EX.v, EX[f"b{n % 3}"], graph) for n in range(2000)])
    graph.add((EX.queued, EX.p, EX.before))
    steps = "INSERT { ?s ex:p ?o } WHERE { ?s ex:v ?o } ; DELETE { ?s ex:v ?o } WHERE { ?s ex:r ?o }"
    begin = process_time()

    with pytest.raises(QueryLimitError, match=r"longer than 0\.3 s"):
        graph.update(steps, initNs={"ex": EX}, timeout=0.3)

    assert process_time() - begin < 2
    assert graph.store.budget == Budget(seconds=600)
    assert len(graph) == 2000 + 3
    graph.store.knowledge_base._check()
