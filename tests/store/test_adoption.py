"""Facts that are given instead of derived: everything is as if they had been derived, and stays so with every change.

Would catch a rule that is forgotten while facts are taken over, external facts of a scheme that are too many or too few
(which shows when something goes), guards or lists that are missing, and leftovers of what was refused. Each way of
giving a closure is tried: written out, and as the table of a scheme.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.adoption import GivenFactsError
from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, StratificationError
from kgreason.io.quads import Quads
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.binary import BinaryTable
from kgreason.relations.catalogue import PLAIN
from kgreason.relations.codes import AUXILIARY, kind_of, property_code
from kgreason.relations.table import Table
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests import oracle
from tests.engine.test_oracle import (
    CELLS,
    PREFIX,
    assert_equal,
    assert_patterns,
    list_triples,
    mixed_steps,
    programs,
    relaxed,
    skos_facts,
    steps,
)
from tests.facade import Follower, add, ex, remove, triples
from tests.profiles import examples
from tests.spark.cases import CASES, local

some = settings(relaxed, max_examples=examples(5))
few = settings(relaxed, max_examples=examples(4))
WAYS: dict[str, Callable[[Table], Table]] = {
    "written out": lambda table: table.materialised(),
    "in schemes": lambda table: table,
    "turned round": lambda table: table.inverse().inverse(),
}


def explicit_quads(base: KnowledgeBase) -> Quads:
    found = base.explicit().match(None, None, None)
    return Quads.concatenated([Quads(np.full(len(c[0]), DEFAULT_GRAPH, dtype=np.uint32), *c) for c in found])


def facts_of(base: KnowledgeBase, way: str) -> dict[int, Table]:
    """All facts that are triples."""
    base.flush()
    return {code: WAYS[way](table) for code, table in base.state.engine.facts.items() if kind_of(code) != AUXILIARY}


def adopted(base: KnowledgeBase, way: str, **options: str) -> KnowledgeBase:
    """Another knowledge base, which is given what follows in the first one."""
    base.flush()
    other = KnowledgeBase(base.program, dictionary=Dictionary.of_state(base.dictionary.state()), **options)
    other.take_over(explicit_quads(base), lambda _: facts_of(base, way))
    return other


def assert_adopted(program: Program, batches: list, way: str, **options: str) -> None:
    """The first batch is taken over, the others are changes."""
    explicit = {triple for _, triple in batches[0]}
    first = KnowledgeBase(program)
    add(first, *explicit)
    base = adopted(first, way, **options)
    assert_equal(base, program, explicit)
    follower = Follower(base)
    for batch in batches[1:]:
        for is_added, triple in batch:
            (add if is_added else remove)(base, triple)
            (explicit.add if is_added else explicit.discard)(triple)
        assert_equal(base, program, explicit)
        assert follower.triples == triples(base, base.all())
    assert_patterns(base, oracle.closure(program, explicit))


@given(text=programs, batches=steps, way=st.sampled_from([*WAYS]), schemes=st.sampled_from(["auto", PLAIN]))
@some
def test_random_programs(text: str, batches: list, way: str, schemes: str) -> None:
    program = parse_program(PREFIX + text)
    try:
        assert_adopted(program, batches, way, schemes=schemes)
    except (StratificationError, oracle.UndefinedError):
        return


@pytest.mark.parametrize("way", [*WAYS])
@pytest.mark.parametrize("literals", [[], [Literal("a")]])
def test_relations_that_decide_what_is_equal(literals: list[Literal], way: str) -> None:
    same, functional = IRI(OWL + "sameAs"), IRI(OWL + "FunctionalProperty")
    facts = {(ex(f"x{n}"), ex("p0"), ex(f"y{n // 2}")) for n in range(8)} | {(ex("x1"), ex("p1"), ex("y5"))}
    axioms = {(ex("p1"), IRI(RDFS + "subPropertyOf"), ex("p0")), (ex("p0"), IRI(RDF + "type"), functional)}
    links = [(ex("y1"), same, ex("y2")), (ex("y2"), same, ex("y3")), (ex("x2"), same, ex("x6"))]
    others = [(ex("y1"), same, literal) for literal in literals]
    kinds = [(ex("y1"), IRI(RDF + "type"), ex("C0"))]
    first = [(True, triple) for triple in (*facts, *axioms, *links, *others, *kinds)]
    changes = [[(False, triple)] for triple in (links[0], links[2], (ex("x1"), ex("p1"), ex("y5")), links[1])]
    assert_adopted(resolve_rules("owl-rl"), [first, *changes], way)


@pytest.mark.parametrize("way", [*WAYS])
def test_relations_that_literals_come_to_are_written_out(way: str) -> None:
    """Schemes that would turn a literal into a subject give up, those that literals come to from there as well."""
    symmetric = "".join(f"e:p{n}(?y, ?x) :- e:p{n}(?x, ?y) . " for n in (0, 2))
    transitive = "".join(f"e:p{n}(?x, ?z) :- e:p{n}(?x, ?y), e:p{n}(?y, ?z) . " for n in range(3))
    copies = "e:p1(?x, ?y) :- e:p0(?x, ?y) . e:p2(?x, ?y) :- e:p1(?x, ?y) . "
    program = parse_program(PREFIX + symmetric + transitive + copies)
    links = [(ex(f"n{n}"), ex("p0"), ex(f"n{n + 1}")) for n in range(6)]
    literal = (ex("n1"), ex("p0"), Literal("a"))
    first = KnowledgeBase(program)
    add(first, *links, literal)

    kept, others = (base.state.engine for base in (adopted(first, way), first))

    assert len(kept.unsuited) == 2
    assert kept.unsuited == others.unsuited
    assert kept.definitions == others.definitions
    changes = [[(False, links[3])], [(False, literal)], [(True, (ex("n9"), ex("p1"), Literal("b")))]]
    assert_adopted(program, [[(True, triple) for triple in (*links, literal)], *changes], way)


@pytest.mark.parametrize("name", ["rdfs", "owl-rl", pytest.param("owl-rl-full", marks=pytest.mark.thorough)])
def test_random_schemas(name: str) -> None:
    everything = [(True, triple) for cells in CELLS for triple in list_triples(cells)]

    @given(batches=mixed_steps, way=st.sampled_from([*WAYS]))
    @few
    def check(batches: list, way: str) -> None:
        assert_adopted(resolve_rules(name), [[*everything, *batches[0]], *batches[1:]], way)

    check()


@given(
    batches=st.lists(st.lists(st.tuples(st.booleans(), skos_facts), min_size=1, max_size=6), min_size=1, max_size=5),
    way=st.sampled_from([*WAYS]),
)
@few
def test_closures_with_inverses(batches: list, way: str) -> None:
    assert_adopted(resolve_rules("skos"), batches, way)


@given(text=programs, more=programs, batches=steps, way=st.sampled_from([*WAYS]))
@some
def test_rules_come_and_go(text: str, more: str, batches: list, way: str) -> None:
    first, second = parse_program(PREFIX + text), parse_program(PREFIX + more)
    both = Program(tuple(dict.fromkeys((*first.rules, *second.rules))))
    explicit = {triple for _, triple in batches[0]}
    try:
        known = KnowledgeBase(first)
        add(known, *explicit)
        base = adopted(known, way)
        base.add_rules(second)
        assert_equal(base, both, explicit)
        base.remove_rules(second)
        assert_equal(base, first, explicit)
    except (StratificationError, oracle.UndefinedError):
        return


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("way", WAYS)
def test_cases_have_the_same_proofs_and_sizes(name: str, way: str) -> None:
    base = local(*CASES[name])
    other = adopted(base, way)
    for view in (base.inferred(), base.explicit()):
        for chunk in view.match(None, None, None):
            for row in list(zip(*(column.tolist() for column in chunk), strict=True))[::7]:
                assert str(other.explain(*row)) == str(base.explain(*row))
    sizes = [{(r.name, r.kind, r.facts) for r in each.statistics().relations} for each in (base, other)]
    assert sizes[0] == sizes[1]


def test_rules_that_were_maintained_before_there_were_facts() -> None:
    """A store on disk has its rules before anything is loaded; some of them may have facts of their own."""
    text = "e:p0(e:n1, e:n2) . e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z) ."
    program = parse_program(PREFIX + text + "[?x, ?q, ?y] :- e:p3(?p, ?q), [?x, ?p, ?y] .")
    known = KnowledgeBase(program)
    explicit = {(ex("n2"), ex("p0"), ex("n3")), (ex("p0"), ex("p3"), ex("p1"))}
    add(known, *explicit)
    other = KnowledgeBase(program, dictionary=Dictionary.of_state(known.dictionary.state()))
    other.flush()
    other.take_over(explicit_quads(known), lambda _: facts_of(known, "in schemes"))
    assert_equal(other, program, explicit)
    remove(other, (ex("n2"), ex("p0"), ex("n3")))
    assert_equal(other, program, explicit - {(ex("n2"), ex("p0"), ex("n3"))})


@pytest.mark.parametrize("is_more", [True, False])
def test_a_closure_that_does_not_follow_is_refused_and_nothing_is_left(is_more: bool) -> None:
    text = "e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z) . e:p1(?x, ?y) :- e:p0(?x, ?y) . e:C1(?x) :- e:p1(?x, ?y) ."
    program = parse_program(PREFIX + text)
    known = KnowledgeBase(program)
    chain = [(ex(f"n{i}"), ex("p0"), ex(f"n{i + 1}")) for i in range(5)]
    add(known, *chain)
    facts = facts_of(known, "written out")
    code = property_code(known.dictionary.encode(ex("p0")))
    table = facts[code]
    assert isinstance(table, BinaryTable)
    facts[code] = BinaryTable.of((table.columns()[0][:-1], table.columns()[1][:-1]))
    if is_more:
        facts[code] = table.union(table.inverse())
    other = KnowledgeBase(program, dictionary=Dictionary.of_state(known.dictionary.state()))
    with pytest.raises(GivenFactsError):
        other.take_over(explicit_quads(known), lambda _: facts)
    assert_equal(other, program, set())
    add(other, *chain)
    assert_equal(other, program, set(chain))


def test_what_is_given_counts_as_derived() -> None:
    base = local(*CASES["recursion through two relations"])
    base.flush()
    other = KnowledgeBase(base.program, dictionary=Dictionary.of_state(base.dictionary.state()))
    other.budget = Budget(facts=3)
    with pytest.raises(BudgetError):
        other.take_over(explicit_quads(base), lambda _: facts_of(base, "written out"))
    assert not triples(other, other.all())
