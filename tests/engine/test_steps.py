"""Rules along a hierarchy take its steps instead of all its pairs: histories against the oracle.

They show a fact that stops at an id on its way which names no relation, or which a filter keeps out, and one that stays
when the step that it came by is gone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI, BlankNode
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.binary import BinaryTable
from kgreason.relations.catalogue import AROUND, STEPS, UNNAMED, Input
from kgreason.relations.equality import EqualityTable
from kgreason.relations.plain import table_of
from kgreason.relations.steps import StepsScheme
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.test_equalities import batches, run
from tests.engine.test_oracle import PREFIX
from tests.facade import Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import Tuned, shrink

TYPE, BELOW, BELOW_PROPERTY = IRI(RDF + "type"), IRI(RDFS + "subClassOf"), IRI(RDFS + "subPropertyOf")
NODES = [ex("a"), ex("b"), ex("c")]
CLASSES = [*(ex(f"C{number}") for number in range(4)), BlankNode("r"), IRI(OWL + "Thing")]
PROPERTIES = [*(ex(f"p{number}") for number in range(4)), BlankNode("i"), BlankNode("j"), TYPE, IRI(OWL + "sameAs")]
classes, nodes = st.sampled_from(CLASSES), st.sampled_from(NODES)
properties, named = st.sampled_from(PROPERTIES), st.sampled_from(PROPERTIES[:4])
hierarchies = st.one_of(
    st.tuples(classes, st.just(BELOW), classes),
    st.tuples(properties, st.just(BELOW_PROPERTY), properties),
    st.tuples(properties, st.just(BELOW_PROPERTY), properties),
)
facts = st.one_of(st.tuples(nodes, st.just(TYPE), classes), st.tuples(nodes, named, st.one_of(nodes, classes)))


@pytest.mark.parametrize("rules", ["rdfs", "rdfs-plus", "owl-rl"])
def test_histories_along_hierarchies(rules: str, tuned: Tuned) -> None:
    shrink(tuned)

    @given(changes=batches(st.one_of(hierarchies, facts)))
    @settings(max_examples=examples(25))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(rules), changes)

    check()


RULES = """
[?x, e:above, ?y] :- [?y, e:below, ?x] .
[?x, e:below, ?z] :- [?x, e:below, ?y], [?y, e:below, ?z] LEFT_OUT .
[?x, ?q, ?y] :- [?q, e:above, ?p], [?x, ?p, ?y], ?q != e:p1 .
[?x, a, ?d] :- [?c, e:below, ?d], [?x, a, ?c], ?c != ?d, e:C2 != ?c .
[?p, e:below, ?q] :- [?x, ?p, ?q], [?p, a, e:C0] .
"""
"""Rules that read a hierarchy from its upper end, with filters about one id, and a rule that feeds it."""


@pytest.mark.parametrize("left_out", ["", ", ?x != ?z, ?z != e:C1, ?z != e:p2"])
def test_histories_along_a_hierarchy_of_ones_own(left_out: str) -> None:
    program = parse_program(PREFIX + RULES.replace(" LEFT_OUT", left_out))
    ends = st.one_of(properties, classes)
    edges = st.tuples(ends, st.sampled_from([ex("below"), ex("below"), ex("above")]), ends)
    types = st.tuples(named, st.just(TYPE), classes)

    @given(changes=batches(st.one_of(edges, edges, facts, types)))
    @settings(max_examples=examples(25))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(program), changes)

    check()


WITHIN = """
[?x, e:below, ?z] :- [?x, e:below, ?y], [?y, e:below, ?z] LEFT_OUT .
[?x, a, ?d] :- [?c, e:below, ?d], [?x, a, ?c] .
[?x, e:below, ?y] :- [?x, a, e:C0], [?x, e:p0, ?y] .
[?y, e:below, ?x] :- [?x, a, e:C1], [?y, a, e:C2] .
"""
ALONG_PROPERTIES = """
[?x, e:below, ?z] :- [?x, e:below, ?y], [?y, e:below, ?z] LEFT_OUT .
[?x, ?q, ?y] :- [?p, e:below, ?q], [?x, ?p, ?y], ?p != e:p1, ?q != e:p1 .
[?x, e:below, ?y] :- [?x, e:p2, ?y] .
[?y, e:below, ?x] :- [?x, e:p1, ?y], [?x, e:p3, ?y] .
[?x, a, e:C0] :- [?x, e:p0, ?y] .
"""
"""Hierarchies that follow from facts which are copied along them."""


@pytest.mark.parametrize("left_out", ["", ", ?x != ?z", ", ?x != ?z, ?z != e:C1, ?z != e:p2"])
@pytest.mark.parametrize("rules", [WITHIN, ALONG_PROPERTIES])
def test_histories_along_a_hierarchy_that_follows_from_what_it_copies(rules: str, left_out: str, tuned: Tuned) -> None:
    program = parse_program(PREFIX + rules.replace(" LEFT_OUT", left_out))
    ends = classes if rules == WITHIN else properties
    edges = st.tuples(ends, st.sampled_from([ex("below"), ex("below"), ex("p0"), ex("p2"), ex("p1"), ex("p3")]), ends)
    types = st.tuples(ends, st.just(TYPE), classes)
    shrink(tuned)

    @given(changes=batches(st.one_of(edges, edges, facts, types)))
    @settings(max_examples=examples(15))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(program), changes)

    check()


@pytest.mark.parametrize("guard", ["sub(?p, ?q)", "above(?q, ?p)"])
@pytest.mark.parametrize("left_out", ["?z != e:p2", "?x != e:p2", "?x != e:p2, ?z != e:p3, ?x != ?z"])
def test_histories_along_a_closure_that_leaves_pairs_out(left_out: str, guard: str) -> None:
    """No path leads to some ids, or from them, and beyond them others are above what names no relation."""
    program = parse_program(
        f"""{PREFIX}
        sub(?x, ?z) :- sub(?x, ?y), sub(?y, ?z), {left_out} .
        sub(?x, ?y) :- [?x, e:below, ?y] .
        above(?x, ?y) :- sub(?y, ?x) .
        [?x, ?q, ?y] :- {guard}, [?x, ?p, ?y], ?p != e:below, ?q != e:below, ?q != e:p1 ."""
    )
    some = st.sampled_from([*PROPERTIES[:6], ex("p4"), ex("p5")])
    edges = st.tuples(some, st.just(ex("below")), some)

    @given(changes=batches(st.one_of(edges, edges, facts)))
    @settings(max_examples=examples(25))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(program), changes)

    check()


@pytest.mark.parametrize("guard", ["sub(?p, ?q)", "above(?q, ?p)"])
def test_steps_lead_on_around_an_id_beyond_one_that_no_path_leads_to(guard: str) -> None:
    base = KnowledgeBase(
        f"""{PREFIX}
        sub(?x, ?z) :- sub(?x, ?y), sub(?y, ?z), ?z != e:p2 .
        sub(?x, ?y) :- [?x, e:below, ?y] .
        above(?x, ?y) :- sub(?y, ?x) .
        [?x, ?q, ?y] :- {guard}, [?x, ?p, ?y], ?p != e:below, ?q != e:below ."""
    )
    for below, above in pairwise([ex("p3"), BlankNode("j"), ex("p2"), ex("p4")]):
        add(base, (below, ex("below"), above))
    add(base, (ex("c"), ex("p3"), ex("d")))

    found = {predicate for subject, predicate, _ in triples(base, base.all()) if subject == ex("c")}

    assert found == {ex("p3"), ex("p4")}


def test_a_hierarchy_that_follows_from_what_it_copies_makes_a_rule_for_each_step() -> None:
    base = KnowledgeBase(parse_program(PREFIX + WITHIN.replace(" LEFT_OUT", "")))
    chain = [ex(f"D{number}") for number in range(60)]
    for below, above in pairwise(chain):
        add(base, (below, ex("p0"), above), (below, TYPE, ex("C0")))
    add(base, (ex("a"), TYPE, chain[0]), (chain[-1], ex("below"), ex("C0")))

    base.flush()
    engine = base.state.engine
    parts = [each for each in engine.definitions.values() if each.closure == STEPS and each.is_part]

    assert len(parts) == 1
    assert sum(len(group.rows) for group in engine.rules.groups.values() if group.guard is not None) < 2 * len(chain)
    assert _classes_of_a(base) == {*chain, ex("C0")}

    remove(base, (chain[10], TYPE, ex("C0")))

    assert _classes_of_a(base) == {*chain[:11]}


def test_a_store_with_such_a_hierarchy_that_is_opened_again_goes_on(tmp_path: Path) -> None:
    program = parse_program(PREFIX + WITHIN.replace(" LEFT_OUT", ""))
    classes_of_classes = [(ex("C1"), ex("below"), ex("C0")), (ex("C2"), ex("below"), ex("C1"))]
    edges = [(ex("C3"), TYPE, ex("C2")), (ex("C3"), ex("p0"), ex("C2")), (ex("a"), TYPE, ex("C3"))]
    options = OpenOptions(program)
    store = DurableKnowledge(tmp_path, options, create=True)
    add(store.knowledge, *classes_of_classes, *edges)
    store.commit({})
    store.write_snapshot()
    store.close()

    store = DurableKnowledge(tmp_path, options)
    store.knowledge._check()
    definitions = store.knowledge.state.engine.definitions.values()
    assert any(each.closure == STEPS and each.is_part for each in definitions)
    remove(store.knowledge, classes_of_classes[0])
    store.knowledge.flush()
    add(store.knowledge, (ex("C1"), ex("below"), ex("b")), (ex("b"), ex("below"), ex("C0")))
    expected = KnowledgeBase(program)
    add(expected, classes_of_classes[1], *edges, (ex("C1"), ex("below"), ex("b")), (ex("b"), ex("below"), ex("C0")))

    assert triples(store.knowledge, store.knowledge.all()) == triples(expected, expected.all())
    store.close()


def test_a_hierarchy_of_classes_makes_a_rule_for_each_step() -> None:
    base = KnowledgeBase("owl-rl")
    chain = [ex(f"D{number}") for number in range(60)]
    for below, above in pairwise(chain):
        add(base, (below, BELOW, above))
    add(base, (ex("a"), TYPE, chain[0]))

    base.flush()
    engine = base.state.engine
    groups = [group for group in engine.rules.groups.values() if group.name == "cax-sco"]
    kept = [engine.definitions[group.guard].closure for group in groups if group.guard in engine.definitions]

    assert STEPS in kept
    assert sum(len(group.rows) for group in groups) < 2 * len(chain)
    assert _classes_of_a(base) >= {*chain}

    remove(base, (chain[10], BELOW, chain[11]))

    assert _classes_of_a(base) & {*chain} == {*chain[:11]}


def _classes_of_a(base: KnowledgeBase) -> set[object]:
    return {found[2] for found in triples(base, base.all()) if found[:2] == (ex("a"), TYPE)}


pairs_of_ids = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14)


few_ids = st.frozensets(st.integers(0, 7), max_size=3)


@pytest.mark.parametrize("scheme", [TransitiveTable, EqualityTable])
def test_steps_lead_wherever_the_closure_does(scheme: type[TransitiveTable] | type[EqualityTable]) -> None:
    @given(edges=pairs_of_ids, excluded=few_ids, unnamed=few_ids)
    @settings(max_examples=examples(200))
    def check(edges: list[tuple[int, int]], excluded: frozenset[int], unnamed: frozenset[int]) -> None:
        columns = tuple(np.array([edge[end] for edge in edges], dtype=np.uint32) for end in (0, 1))
        closure = scheme.of(BinaryTable.of(columns))
        ends = [
            Input(None, table_of((np.array(sorted(ids), dtype=np.uint32),)), None, None, role)
            for ids, role in ((excluded, AROUND), (unnamed, UNNAMED))
        ]

        steps = StepsScheme().derive(None, [Input(None, closure, closure, None), *ends])

        known = _pairs(closure.columns())
        found = _pairs(steps.columns())
        wanted = {(a, b) for a, b in known if a != b and unnamed.isdisjoint({a, b})}
        assert found <= known | {(a, a) for a, _ in known}
        assert _walked(found, excluded | unnamed) >= wanted

    check()


def test_a_class_of_equal_things_has_few_steps() -> None:
    links = tuple(column.astype(np.uint32) for column in np.triu_indices(40, 1))
    classes = EqualityTable.of(BinaryTable.of(links))
    unnamed = table_of((np.arange(40, dtype=np.uint32),))

    all_named = StepsScheme().derive(None, [Input(None, classes, classes, None)])
    none_named = StepsScheme().derive(
        None, [Input(None, classes, classes, None), Input(None, unnamed, None, None, UNNAMED)]
    )

    assert len(classes) == 40 * 39
    assert len(all_named) == len(none_named) == 2 * 39


def _pairs(columns: tuple[np.ndarray, ...]) -> set[tuple[int, int]]:
    return {*zip(*(column.tolist() for column in columns), strict=True)}


def _walked(steps: set[tuple[int, int]], around: frozenset[int]) -> set[tuple[int, int]]:
    """The ends of paths that go through none of some ids."""
    found = {*steps}
    while more := {(a, d) for a, b in found if b not in around for c, d in steps if b == c} - found:
        found |= more
    return found
