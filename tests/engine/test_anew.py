"""A change that takes more work than to derive everything anew is dropped, and everything derived anew.

Would catch a change of an axiom that visits thousands of relations to empty them one by one, facts that are told to
have come or gone though they have not, tables and rules of the dropped change that stay, and a limit that counts what
was derived before.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from rdflib import OWL, RDF, RDFS, Graph, Namespace
from rdflib.term import Node

from kgreason import Budget, ReasoningStore
from kgreason.engine.meter import Meter
from kgreason.rdf.model import IRI
from kgreason.relations.codes import class_code
from kgreason.relations.table import Table
from kgreason.store import specialiser, state_changes
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.evaluated_rules import rules_evaluated
from tests.facade import EX, Follower, Triple, add, ex, remove, toggle, triples
from tests.thresholds import replaced_constants

E = Namespace("http://example.org/")
ALWAYS = -1 << 60
COURSES = 1_500
RELATIONS = 400
ORIGINAL = state_changes._derived_anew
RULES = (
    f"[?x, <{EX}r>, ?z] :- [?x, <{EX}p>, ?y], [?y, <{EX}q>, ?z] .",
    f"[?x, a, <{EX}D>] :- [?x, <{EX}q>, ?y] .",
    f"[?x, ?p, ?z] :- [?p, <{EX}p>, <{EX}C>], [?x, ?p, ?y], [?y, ?p, ?z] .",
)


def test_a_property_below_rdf_type_goes_without_a_look_at_each_of_its_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    axiom = (E.takes, RDFS.subPropertyOf, RDF.type)
    graph.addN((E[f"student{i}"], E.takes, E[f"course{i}"], graph) for i in range(COURSES))
    whole = {*graph}
    graph.add(axiom)
    more = {*graph} - whole
    assert len(more) > COURSES
    changes = []
    store.subscribe(lambda added, removed: changes.append(({*added}, {*removed})))
    evaluated = rules_evaluated(monkeypatch)

    graph.remove(axiom)

    assert {*graph} == whole
    assert changes == [(set(), more)]
    assert len(evaluated) < COURSES / 2
    assert (E.student1, RDF.type, E.course1) not in graph
    graph.add(axiom)
    assert {*graph} == whole | more
    store.knowledge_base._check()


def test_a_property_that_was_below_rdf_type_leaves_no_rules_of_its_pairs() -> None:
    base = KnowledgeBase("owl-rl")
    axiom = (ex("takes"), IRI(str(RDFS.subPropertyOf)), IRI(str(RDF.type)))
    add(base, *((ex(f"student{number}"), ex("takes"), ex(f"course{number}")) for number in range(50)))
    counts = []
    for change in (add, remove):
        change(base, axiom)
        base.flush()
        counts.append(sum(len(group.rows) for group in base.state.engine.rules.groups.values()))

    assert counts[0] - counts[1] >= 50


def test_an_axiom_that_many_classes_rest_on_goes_without_a_look_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restrictions in a chain: each class gets things by way of the one before it."""
    links = 150
    chain = [triple for number in range(links) for triple in _link(number)]
    store, fresh = ReasoningStore(rules="owl-rl"), Graph(store=ReasoningStore(rules="owl-rl"))
    graph = Graph(store=store)
    axiom = (E.R2, RDFS.subClassOf, E.C3)
    graph.addN((*triple, graph) for triple in [(E.x0, RDF.type, E.C0), *chain])
    fresh.addN((*triple, fresh) for triple in [(E.x0, RDF.type, E.C0), *chain] if triple != axiom)
    assert (E.x150, RDF.type, E.C150) in graph
    evaluated = rules_evaluated(monkeypatch)

    with replaced_constants(ANEW_LEAST=0):
        graph.remove(axiom)
        assert (E.x150, RDF.type, E.C150) not in graph

    assert len(evaluated) < links
    assert {*graph} == {*fresh}
    store.knowledge_base._check()


def test_a_circle_that_nothing_leads_to_any_more_is_foreseen_to_go() -> None:
    """Classes in a circle, and one before it with a thing; the axiom between them goes."""
    base = KnowledgeBase("owl-rl")
    below = IRI(str(RDFS.subClassOf))
    around = [(ex(f"C{number}"), below, ex(f"C{(number + 1) % 6}")) for number in range(6)]
    axiom = (ex("B"), below, ex("C0"))
    add(base, *around, axiom, (ex("x"), IRI(str(RDF.type)), ex("B")))
    base.flush()
    first, *others = (class_code(base.dictionary.encode(ex(name))) for name in ("B", "C0", "C3"))
    engine = base.state.engine
    strata = engine.strata
    assert strata is not None

    found = [strata.unreached(set(engine.explicit) - taken, {}) for taken in ({first}, set[int]())]

    assert {first, *others} <= {*found[0].relations}
    assert not {first, *others} & {*found[1].relations}


def test_a_stratum_that_is_remade_is_not_derived_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of pairs joined with each other: the edge in the middle takes most of them."""
    rules = "far(?x, ?y) :- [?x, ex:e, ?y] . far(?x, ?w) :- far(?x, ?y), far(?y, ?z), far(?z, ?w) ."
    store = ReasoningStore(rules=f"@prefix ex: <http://example.org/> . {rules} [?x, ex:far, ?y] :- far(?x, ?y) .")
    graph = Graph(store=store)
    graph.addN((E[f"a{i}"], E.e, E[f"a{i + 1}"], graph) for i in range(40))
    whole = len(graph)
    anew = []
    monkeypatch.setattr(state_changes, "_derived_anew", lambda *given: anew.append(given) or ORIGINAL(*given))
    with replaced_constants(ANEW_LEAST=0, REMADE_LEAST=16, RULE_WORK=1):
        graph.remove((E.a20, E.e, E.a21))
        assert len(graph) < whole
        graph.add((E.a20, E.e, E.a21))
    assert len(graph) == whole
    assert not anew
    store.knowledge_base._check()


def test_a_stratum_of_many_rules_is_not_remade_for_a_few_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Would catch a comparison with the facts of a stratum alone: each of its rules is evaluated where it is remade."""
    far = "e:far(?x, ?w) :- e:far(?x, ?y), e:far(?y, ?z), e:far(?z, ?w) . e:far(?x, ?y) :- e:e(?x, ?y) ."
    steps = [*(f"q{number}" for number in range(RELATIONS)), "far"]
    around = [f"e:{head}(?x, ?y) :- e:{body}(?x, ?y), e:Mark(?x) ." for head, body in pairwise(["far", *steps])]
    base = KnowledgeBase(f"@prefix e: <{EX}> . {far} {' '.join(around)}")
    add(base, (ex("m"), IRI(str(RDF.type)), ex("Mark")), (ex("m"), ex(steps[-2]), ex("n")))
    add(base, *((ex(f"a{i}"), ex("e"), ex(f"a{i + 1}")) for i in range(40)))
    triples(base, base.all())

    evaluated = rules_evaluated(monkeypatch)
    with replaced_constants(REMADE_LEAST=16):
        remove(base, (ex("a20"), ex("e"), ex("a21")))
        assert (ex("a19"), ex("far"), ex("a22")) not in triples(base, base.all())
    assert len(evaluated) < RELATIONS
    base._check()


def test_tables_that_stay_the_same_are_kept() -> None:
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    graph.addN((E[f"a{i}"], E.knows, E[f"b{i}"], graph) for i in range(10))
    graph.add((E.knows, RDFS.subPropertyOf, E.likes))
    graph.add((E.a1, OWL.sameAs, E.a2))
    before, tables = {*graph}, dict(store.knowledge_base.state.engine.facts.items())
    with replaced_constants(ANEW_LEAST=ALWAYS):
        graph.remove((E.a1, OWL.sameAs, E.a2))
        less = {*graph}
    fresh = Graph(store=ReasoningStore(rules="owl-rl"))
    fresh += (triple for triple in store.explicit.triples((None, None, None)))
    assert less == {*fresh}
    assert less < before
    now = dict(store.knowledge_base.state.engine.facts.items())
    assert {*tables} - {*now}
    for code, table in now.items():
        assert table is tables[code] or table.is_virtual or {*zip(*table.columns(), strict=True)} != {
            *zip(*tables[code].columns(), strict=True)
        }
    store.knowledge_base._check()


@pytest.mark.parametrize("seed", range(6))
def test_followers_hear_of_what_differs_over_representatives(seed: int) -> None:
    chance, base = random.Random(seed), KnowledgeBase("owl-rl")
    functional = (ex("p"), IRI(str(RDF.type)), IRI(str(OWL.FunctionalProperty)))
    add(base, (ex("q"), IRI(str(OWL.inverseOf)), ex("r")))
    add(base, (ex("q"), IRI(str(RDF.type)), IRI(str(OWL.TransitiveProperty))))
    facts = [_fact(chance) for _ in range(25)]
    explicit = {functional, *facts}
    add(base, *explicit)
    follower = Follower(base)

    with replaced_constants(ANEW_LEAST=ALWAYS):
        for _ in range(8):
            change = functional if chance.random() < 0.4 else chance.choice(facts)
            toggle(base, explicit, change)
            assert triples(base, base.all()) == follower.triples
            base._check()


@pytest.mark.parametrize("is_much", [False, True])
def test_classes_that_are_taken_apart_have_all_derived_anew_if_many_facts_are_about_them(
    is_much: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each thing is equal to another, and has ten facts under either name."""
    axiom = (ex("p"), IRI(str(RDF.type)), IRI(str(OWL.FunctionalProperty)))
    facts = [(ex(f"n{i // 2}"), ex("p"), ex(f"m{i}")) for i in range(100)]
    facts += [(ex(f"m{i}"), ex(f"q{k}"), ex(f"o{i % 7}")) for i in range(100) for k in range(10)]
    base = KnowledgeBase("owl-rl")
    add(base, *facts)
    before = triples(base, base.all())
    add(base, axiom)
    assert len(triples(base, base.all())) > len(before) + 1_000
    anew = []
    monkeypatch.setattr(state_changes, "_derived_anew", lambda *given: anew.append(given) or ORIGINAL(*given))

    with replaced_constants(MOVED_LEAST=1, MOVED_WORK=1_000 if is_much else 1):
        remove(base, axiom)
        base.flush()

    assert bool(anew) == is_much
    assert triples(base, base.all()) == before


def _fact(chance: random.Random) -> Triple:
    one, other = (ex(f"n{chance.randrange(8)}") for _ in range(2))
    return one, IRI(str(OWL.sameAs)) if chance.random() < 0.1 else ex(chance.choice("ppqrs")), other


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.filterwarnings("ignore::kgreason.ListWarning")
def test_all_that_is_derived_anew_is_that_of_a_base_made_anew(seed: int) -> None:
    """Lists of several lengths, properties below rdf:type, and rules come and go."""
    chance, base = random.Random(seed), KnowledgeBase("owl-rl")
    explicit, rules = set[Triple](), set[str]()
    follower = Follower(base)
    with replaced_constants(ANEW_LEAST=ALWAYS):
        for _ in range(30):
            for change in {_fact_or_axiom(chance) for _ in range(chance.choice((1, 1, 4)))}:
                toggle(base, explicit, change)
            if chance.random() < 0.2:
                rule = chance.choice(RULES)
                (base.remove_rules if rule in rules else base.add_rules)(rule)
                rules ^= {rule}
            assert triples(base, base.all()) == follower.triples
            base._check()
    again = KnowledgeBase("owl-rl")
    again.add_rules("\n".join(rules))
    add(again, *explicit)
    assert follower.triples == triples(again, again.all())


def _fact_or_axiom(chance: random.Random) -> Triple:
    property, other, name = (ex(chance.choice(names)) for names in ("pq", "pqt", ("C", "D", "a", "b")))
    axioms: list[Triple] = [
        (ex(chance.choice("ab")), property, ex(chance.choice("abCD"))),
        (name, IRI(str(RDF.type)), ex(chance.choice("CD"))),
        (property, IRI(str(RDFS.subPropertyOf)), IRI(str(RDF.type)) if other == ex("t") else other),
        (property, IRI(str(RDF.type)), IRI(str(chance.choice((OWL.TransitiveProperty, OWL.FunctionalProperty))))),
        (ex("C"), IRI(str(chance.choice((OWL.intersectionOf, OWL.unionOf)))), ex("list1")),
        (ex("t"), IRI(str(OWL.propertyChainAxiom)), ex("list2")),
        (ex("list1"), IRI(str(RDF.first)), ex(chance.choice("DE"))),
        (ex("list1"), IRI(str(RDF.rest)), IRI(str(RDF.nil)) if chance.random() < 0.5 else ex("list2")),
        (ex("list2"), IRI(str(RDF.first)), property),
        (ex("list2"), IRI(str(RDF.rest)), IRI(str(RDF.nil))),
    ]
    return chance.choice(axioms)


def test_no_rule_is_specialised_once_more_for_a_change_that_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    base = KnowledgeBase("owl-rl")
    axiom = (ex("p"), IRI(str(RDFS.subPropertyOf)), ex("q"))
    add(base, axiom, (ex("a"), ex("p"), ex("b")))
    assert len(base.all()) == 3
    made: list[object] = []
    monkeypatch.setattr(specialiser, "templates", lambda *given: made.append(given))

    with replaced_constants(ANEW_LEAST=ALWAYS):
        remove(base, axiom)
        assert len(base.all()) == 1
    assert not made


def test_what_was_derived_before_does_not_count_against_the_limit_of_a_change() -> None:
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    graph.add((E.knows, RDFS.subPropertyOf, E.likes))
    graph.addN((E[f"a{i}"], E.knows, E[f"b{i}"], graph) for i in range(500))
    assert len(graph) > 1_000
    store.budget = Budget(facts=100)

    with replaced_constants(ANEW_LEAST=ALWAYS):
        graph.remove((E.a1, E.knows, E.b1))
        assert (E.a1, E.likes, E.b1) not in graph
    assert (E.a2, E.likes, E.b2) in graph


def test_lists_that_were_defective_before_are_not_told_again() -> None:
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    graph.add((E.a, E.p, E.b))
    graph.add((E.C, OWL.intersectionOf, E.broken))
    with pytest.warns(UserWarning, match="list"):
        len(graph)

    with replaced_constants(ANEW_LEAST=ALWAYS):
        graph.remove((E.a, E.p, E.b))  # warnings are errors here
        assert (E.a, E.p, E.b) not in graph


def test_a_change_is_maintained_where_there_is_no_memory_to_derive_all_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    graph.add((E.knows, RDFS.subPropertyOf, E.likes))
    graph.addN((E[f"a{i}"], E.knows, E[f"b{i}"], graph) for i in range(10))
    assert (E.a1, E.likes, E.b1) in graph

    def no_memory(*_: object) -> None:
        raise MemoryError("none is left")

    monkeypatch.setattr("kgreason.store.state_changes.as_change", no_memory)

    with replaced_constants(ANEW_LEAST=ALWAYS):
        graph.remove((E.knows, RDFS.subPropertyOf, E.likes))
        assert (E.a1, E.likes, E.b1) not in graph
    assert (E.a1, E.knows, E.b1) in graph


def test_of_equal_transitive_properties_that_are_parted_no_pair_is_written_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = KnowledgeBase("owl-rl")
    below = IRI(str(RDFS.subPropertyOf))
    add(base, *((ex(name), IRI(str(RDF.type)), IRI(str(OWL.TransitiveProperty))) for name in "pq"))
    add(base, (ex("p"), below, ex("q")))
    add(base, *((ex(f"a{number}"), ex("p"), ex(f"a{number + 1}")) for number in range(400)))
    base.flush()
    given: list[float] = []
    gave = Meter.gave

    def counted(self: Meter, found: Table | None, each: float = 1) -> None:
        given.append(found.estimate * each if found else 0)
        gave(self, found, each)

    monkeypatch.setattr(Meter, "gave", counted)

    for change in (add, remove, add, remove):
        change(base, (ex("q"), below, ex("p")))
        base.flush()

    assert max(given) <= 400  # of 80,200 pairs


def _link(number: int) -> list[tuple[Node, Node, Node]]:
    """A restriction, the class above it, and a thing that leads to another one."""
    one, other = E[f"x{number + 1}"], E[f"x{number}"]
    return [
        (E[f"R{number}"], OWL.onProperty, E.p),
        (E[f"R{number}"], OWL.someValuesFrom, E[f"C{number}"]),
        (E[f"R{number}"], RDFS.subClassOf, E[f"C{number + 1}"]),
        (one, E.p, other),
    ]
