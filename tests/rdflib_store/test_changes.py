"""Changes through rdflib: batches, patterns, iteration while changing, events, rules, threads."""

from __future__ import annotations

from threading import Thread

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace, URIRef, Variable
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.store import TripleAddedEvent, TripleRemovedEvent

from kgreason import (
    KGReasonError,
    ListError,
    ReasoningStore,
    RulesWarning,
    RuleSyntaxError,
    StratificationError,
    TermError,
    UnknownRuleSetError,
    UnsafeRuleError,
)
from tests.rdflib_store.conftest import MakeStore

EX = Namespace("http://example.org/")


def test_add_n_reads_a_generator_once_and_in_full(make_store: MakeStore) -> None:
    graph = Graph(store=make_store())
    graph.addN((EX[str(i)], EX.p, Literal(i), graph) for i in range(1000))
    assert len(graph) == 1000


def test_add_n_from_the_same_store(make_store: MakeStore) -> None:
    store = make_store()
    dataset = Dataset(store=store)
    one, other = dataset.graph(EX.one), dataset.graph(EX.other)
    one.addN((EX[str(i)], EX.p, EX.o, one) for i in range(10))
    other += one
    assert len(other) == 10
    assert len(dataset) == 10
    other -= one
    assert len(other) == 0
    assert len(one) == 10


def test_add_n_is_all_or_nothing(make_store: MakeStore) -> None:
    store = make_store()
    dataset = Dataset(store=store)
    dataset.add((EX.s, EX.p, EX.o))
    bad = [(EX.a, EX.p, EX.o, EX.g), (Variable("a"), EX.p, EX.o, EX.h), (EX.c, EX.p, EX.o, EX.g)]
    with pytest.raises(TermError):
        dataset.addN(bad)
    assert set(dataset.quads()) == {(EX.s, EX.p, EX.o, DATASET_DEFAULT_GRAPH_ID)}
    assert {graph.identifier for graph in store.contexts()} == {dataset.default_graph.identifier}


def test_changing_while_iterating(make_store: MakeStore) -> None:
    graph = Graph(store=make_store())
    triples = {(EX[str(i)], EX.p, EX[str(i + 1)]) for i in range(300)}
    graph.addN((*triple, graph) for triple in triples)
    seen = set()
    for triple in graph:
        seen.add(triple)
        graph.remove(triple)
        graph.add((*triple[:2], EX.new))
    assert seen == triples
    assert set(graph) == {(s, p, EX.new) for s, p, _ in triples}


def test_changing_one_graph_of_several_while_iterating() -> None:
    store = ReasoningStore()
    dataset = Dataset(store=store)
    dataset.add((EX.C, RDFS.subClassOf, EX.D))
    for i in range(100):
        dataset.graph(EX.g).add((EX[str(i)], RDF.type, EX.C))
    count = 0
    for s, _, _ in dataset.triples((None, RDF.type, EX.D)):
        dataset.remove((s, RDF.type, EX.C))
        count += 1
    assert count == 100
    assert list(dataset.triples((None, RDF.type, None))) == []


def test_remove_by_pattern(make_store: MakeStore) -> None:
    graph = Graph(store=make_store())
    for i in range(5):
        for j in range(5):
            graph.add((EX[f"s{i}"], EX[f"p{j}"], EX[f"o{i * j % 3}"]))
    expected = set(graph)
    for pattern in [(EX.s1, None, None), (None, EX.p2, None), (None, None, EX.o0), (EX.s3, EX.p4, None)]:
        graph.remove(pattern)
        expected = {t for t in expected if not all(p in (None, x) for p, x in zip(pattern, t, strict=True))}
        assert set(graph) == expected
        assert expected
    graph.remove((EX.unknown, None, None))
    graph.remove((EX.s0, EX.unknown, EX.o0))
    assert set(graph) == expected


def test_events_reach_subscribers_only(make_store: MakeStore) -> None:
    store = make_store()
    graph = Graph(store=store)
    graph.add((EX.a, EX.p, EX.b))
    seen: list[object] = []
    store.dispatcher.subscribe(TripleAddedEvent, lambda event: seen.append((event.triple, event.context)))
    graph.add((EX.c, EX.p, EX.d))
    graph.addN([(EX.e, EX.p, EX.f, graph)])
    graph.remove((EX.a, EX.p, EX.b))  # nobody has subscribed to removals
    assert seen == [((EX.c, EX.p, EX.d), graph), ((EX.e, EX.p, EX.f), graph)]
    store.dispatcher.subscribe(TripleRemovedEvent, lambda event: seen.append(event.triple))
    graph.remove((EX.c, None, None))
    assert seen[2:] == [(EX.c, None, None)]


@pytest.mark.parametrize(
    "triple",
    [
        (Variable("s"), EX.p, EX.o),
        (EX.s, EX.p, Variable("o")),
        (EX.s, EX["with\nline"], EX.o),
        (EX.s, EX.p, URIRef("_:o")),
        (EX.s, EX.p, URIRef('"o"')),
        (EX.s, EX.p, EX["\ud800"]),
        (EX.s, EX.p, Literal("1", datatype=EX["no good"])),
        (EX.s, EX.p, Graph()),
    ],
)
def test_terms_that_rdf_does_not_allow(make_store: MakeStore, triple: tuple[object, object, object]) -> None:
    graph = Graph(store=make_store())
    graph.add((EX.a, EX.p, EX.b))
    with pytest.raises(TermError) as caught:
        graph.add(triple)
    assert "\n" not in str(caught.value)
    assert set(graph) == {(EX.a, EX.p, EX.b)}
    assert list(graph.triples(triple)) == []


def test_graph_name_that_rdf_does_not_allow(make_store: MakeStore) -> None:
    dataset = Dataset(store=make_store())
    with pytest.raises(TermError):
        dataset.add((EX.s, EX.p, EX.o, EX["no\ngood"]))
    assert len(dataset) == 0
    assert [graph.identifier for graph in dataset.graphs()] == [dataset.default_graph.identifier]


@pytest.mark.parametrize("fault", ["cyclic", "cut off"])
def test_list_that_no_axiom_can_use_is_refused_if_strict(fault: str) -> None:
    store = ReasoningStore(strict=True)
    graph = Graph(store=store)
    graph.add((EX.C, RDFS.subClassOf, EX.D))
    graph.add((EX.x, RDF.type, EX.C))
    before = set(graph)
    first, second = BNode(), BNode()
    graph.add((EX.y, RDF.type, EX.C))
    graph.add((EX.Both, OWL.intersectionOf, first))
    graph.add((first, RDF.first, EX.C))
    graph.add((first, RDF.rest, second))
    graph.add((second, RDF.first, EX.D))
    if fault == "cyclic":
        graph.add((second, RDF.rest, first))
    with pytest.raises(ListError) as caught:
        len(graph)
    assert "\n" not in str(caught.value)
    assert set(graph) == before
    graph.add((EX.y, RDF.type, EX.C))
    assert (EX.y, RDF.type, EX.D) in graph


@pytest.mark.parametrize(
    ("rules", "error"),
    [
        ("no-such-rule-set", UnknownRuleSetError),
        ("<urn:p>(?x, ?y :- <urn:q>(?x, ?y) .", RuleSyntaxError),
        ("<urn:p>(?x, ?z) :- <urn:q>(?x, ?y) .", UnsafeRuleError),
        ("<urn:p>(?x) :- <urn:q>(?x), ~<urn:p>(?x) .", StratificationError),
    ],
)
def test_rules_that_cannot_be_used(rules: str, error: type[KGReasonError]) -> None:
    with pytest.raises(error):
        ReasoningStore(rules=rules)
    store = ReasoningStore()
    graph = Graph(store=store)
    graph.add((EX.C, RDFS.subClassOf, EX.D))
    graph.add((EX.x, RDF.type, EX.C))
    before, count = set(graph), store.statistics().rules
    with pytest.raises(error) as caught:
        store.add_rules(rules)
    assert "\n" not in str(caught.value)
    assert (set(graph), store.statistics().rules) == (before, count)


def test_quoted_triples_are_refused(make_store: MakeStore) -> None:
    store = make_store()
    with pytest.raises(KGReasonError):
        store.add((EX.s, EX.p, EX.o), Graph(store=store), quoted=True)
    assert len(store) == 0


def test_rules_come_and_go() -> None:
    store = ReasoningStore(rules="none")
    graph = Graph(store=store)
    graph.add((EX.a, EX.parent, EX.b))
    graph.add((EX.b, EX.parent, EX.c))
    rule = f"<{EX.grand}>(?x, ?z) :- <{EX.parent}>(?x, ?y), <{EX.parent}>(?y, ?z) ."
    store.add_rules(rule)
    assert set(store.inferred) == {(EX.a, EX.grand, EX.c)}
    store.remove_rules(rule)
    assert set(graph) == set(store.explicit)


def test_rules_that_are_not_there_are_removed_in_silence() -> None:
    """As triples that are not there; `filterwarnings` makes a warning an error."""
    rule = f"<{EX.child}>(?y, ?x) :- <{EX.parent}>(?x, ?y) ."
    store = ReasoningStore(rules=rule)
    store.add_rules(rule)
    Graph(store=store).add((EX.a, EX.parent, EX.b))
    changes = []
    store.subscribe(lambda *sides: changes.append([set(side) for side in sides]))

    store.remove_rules(rule.replace("?x", "?z"))  # a rule is known by the names of its variables, too
    store.remove_rules("skos")
    store.remove_rules(rule)
    assert set(store.inferred) == {(EX.b, EX.child, EX.a)}, "it was added twice"
    assert changes == []

    store.remove_rules(rule)
    store.remove_rules(rule)
    assert set(store.inferred) == set()
    assert changes == [[set(), {(EX.b, EX.child, EX.a)}]]


def test_a_relation_without_a_rule_is_a_warning() -> None:
    """What needs it derives nothing, and nobody else says so."""
    known = f"known(?x) :- <{EX.parent}>(?x, ?y) . "
    of_founders = f"<{EX.Founder}>(?y) :- <{EX.parent}>(?x, ?y), ~knwon(?y) ."
    message = r"^rules:1:\d+: no rule derives knwon/1, which the body of this rule names; did you mean known/1\?$"
    with pytest.warns(RulesWarning, match=message) as caught:
        store = ReasoningStore(rules=known + of_founders)
    assert [warning.filename for warning in caught] == [__file__]
    store.remove_rules(of_founders)
    with pytest.warns(RulesWarning, match=message):
        store.add_rules(of_founders)
    store.add_rules(f"<{EX.Child}>(?y) :- <{EX.parent}>(?x, ?y), known(?x) .")  # nothing of rules that were there
    with pytest.warns(RulesWarning, match="^rules:1:1: no rule derives known/2, which the body of this rule names"):
        store.add_rules(f"<{EX.Child}>(?y) :- AGGREGATE(known(?x, ?y) ON ?y BIND COUNT(?x) AS ?n) .")


def test_rules_that_come_in_any_order_warn_of_slips_alone() -> None:
    """The rules for what a body names may come later: only a name that is nearly that of a relation is a warning."""
    rules = [
        f"<{EX.Elder}>(?x) :- ancestor(?x, ?y), ~hidden(?x), AGGREGATE(ancestor(?x, ?z) ON ?x BIND COUNT(?z) AS ?n) .",
        "hidden(?x) :- step2(?x) .",
        "step2(?x) :- step1(?x) .",
        "step1(?x) :- ancestor(?x, ?x), <http://example.org/of-three>(?x, ?x, ?x) .",
        f"ancestor(?x, ?y) :- <{EX.parent}>(?x, ?y) .",
        f"<{EX['of-three']}>(?x, ?x, ?x) :- hidden(?x) .",
    ]
    for order in (rules[:4], rules[3::-1], [*rules[4:], *rules[:4]]):
        store = ReasoningStore(rules="none")
        for rule in order:
            store.add_rules(rule)
    for slip, meant in ("ancestro(?x)", "ancestro/1.*ancestor/2"), ("step2(?x, ?x)", "step2/2.*step2/1"):
        with pytest.warns(RulesWarning, match=f"^rules:1:1: no rule derives {meant}\\?$"):
            store.add_rules(f"<{EX.Elder}>(?x) :- <{EX.parent}>(?x, ?x), {slip} .")


def test_rules_use_prefixes_of_the_graph() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.bind("ex", EX)
    graph.bind("owl", "http://example.org/other-owl#")
    graph.add((EX.a, EX.parent, EX.b))
    rule = "ex:child(?y, ?x) :- ex:parent(?x, ?y), ~owl:sameAs(?x, ?y) ."

    graph.store.add_rules(rule)

    assert set(graph.store.inferred) == {(EX.b, EX.child, EX.a)}
    graph.add((EX.a, OWL.sameAs, EX.b))  # a standard prefix means the same in all rules
    assert not set(graph.store.inferred)
    graph.remove((EX.a, OWL.sameAs, EX.b))
    graph.bind("ex", "http://example.org/elsewhere/", replace=True)
    graph.store.remove_rules(f"@prefix ex: <{EX}> . {rule}")
    assert set(graph) == {(EX.a, EX.parent, EX.b)}


def test_rules_with_a_prefix_that_is_not_bound_are_refused() -> None:
    store = ReasoningStore(rules="none")
    with pytest.raises(RuleSyntaxError, match="rules:1:1: the prefix ex: is not declared"):
        store.add_rules("ex:Cat(?x) :- ex:Pet(?x) .")


def test_rules_of_the_constructor() -> None:
    rule = f"<{EX.friend}>(?y, ?x) :- <{EX.friend}>(?x, ?y) ."
    graph = Graph(store=ReasoningStore(rules=["owl-rl", rule]))
    graph.add((EX.a, EX.friend, EX.b))
    graph.add((EX.friend, RDFS.subPropertyOf, EX.knows))
    assert (EX.b, EX.knows, EX.a) in graph


def test_inconsistencies_name_rule_and_triples() -> None:
    store = ReasoningStore()
    graph = Graph(store=store)
    graph.add((EX.parent, RDF.type, OWL.AsymmetricProperty))
    graph.add((EX.a, EX.parent, EX.b))
    assert store.inconsistencies() == []
    graph.add((EX.b, EX.parent, EX.a))
    found = store.inconsistencies()
    assert {entry.rule for entry in found} == {"prp-asyp"}
    for entry in found:
        assert {(EX.a, EX.parent, EX.b), (EX.b, EX.parent, EX.a)} <= set(entry.triples)
    graph.remove((EX.a, EX.parent, EX.b))
    assert store.inconsistencies() == []


def test_statistics_count_triples() -> None:
    store = ReasoningStore()
    graph = Graph(store=store)
    graph.add((EX.C, RDFS.subClassOf, EX.D))
    graph.add((EX.a, RDF.type, EX.C))
    statistics = store.statistics()
    assert (statistics.triples, statistics.explicit, statistics.inferred) == (3, 2, 1)
    assert statistics.triples == len(graph)
    assert {relation.name for relation in statistics.relations} >= {str(EX.C), str(EX.D)}


def test_prefixes_are_one_to_one(make_store: MakeStore) -> None:
    store = make_store()
    store.bind("a", EX)
    assert (store.namespace("a"), store.prefix(EX)) == (EX, "a")
    store.bind("b", EX, override=False)
    store.bind("a", RDF, override=False)
    assert list(store.namespaces()) == [("a", EX)]
    store.bind("b", EX)
    assert list(store.namespaces()) == [("b", EX)]
    store.bind("b", RDF)
    assert list(store.namespaces()) == [("b", RDF)]
    assert store.prefix(EX) is None
    graph = Graph(store=store)
    graph.bind("ex", EX)
    graph.add((EX.s, EX.p, EX.o))
    assert "ex:s ex:p ex:o ." in graph.serialize()


def test_empty_prefix_stays_where_another_one_is_bound_anew(make_store: MakeStore) -> None:
    graph = Graph(store=make_store(), bind_namespaces="none")
    graph.bind("", EX)
    graph.bind("a", "urn:one:")

    graph.bind("a", "urn:two:", replace=True)

    assert {*graph.namespaces()} == {("", URIRef(EX)), ("a", URIRef("urn:two:"))}
    graph.bind("", "urn:three:", replace=True)
    graph.bind("b", "urn:three:")
    assert {*graph.namespaces()} == {("a", URIRef("urn:two:")), ("b", URIRef("urn:three:"))}


def test_readers_and_writers_in_threads() -> None:
    store = ReasoningStore()
    graph = Graph(store=store)
    graph.add((EX.C, RDFS.subClassOf, EX.D))
    failures: list[BaseException] = []

    def write(name: str) -> None:
        for i in range(100):
            graph.add((EX[f"{name}{i}"], RDF.type, EX.C))

    def read() -> None:
        for _ in range(40):
            triples = list(graph.triples((None, RDF.type, None)))
            subjects = {s for s, _, o in triples if o == EX.C}
            if subjects != {s for s, _, o in triples if o == EX.D} or len(triples) != 2 * len(subjects):
                failures.append(AssertionError(f"a reader saw half a change: {len(triples)} triples"))

    def guarded(work: object, *arguments: str) -> None:
        try:
            work(*arguments)
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=guarded, args=(write, name)) for name in "ab"]
    threads += [Thread(target=guarded, args=(read,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(graph) == 401
