"""The store equals naive evaluation after every step: random programs, schemas, adds and removes.

Each strategy aims at a kind of bug: recursion through several relations (facts that hold each other up after a
deletion), schema that is itself inferred or supports itself, negation over what changed below, lists of
several lengths, relations that meet in several roles.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.errors import StratificationError
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, SKOS, XSD
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests import oracle
from tests.facade import EX, add, ex, remove, show, triples
from tests.profiles import examples
from tests.thresholds import Tuned

EXAMPLES = examples(25)
relaxed = settings(max_examples=EXAMPLES)


@pytest.fixture(autouse=True)
def small_blocks(tuned: Tuned) -> None:
    """Small blocks are merged all the time, and few facts are joined by columns."""
    tuned(BLOCKS_MERGE_LEAST=2, FEW_FACTS=0)


def assert_equal(base: KnowledgeBase, program: Program, explicit: set) -> None:
    base._check()
    expected = oracle.closure(program, explicit)
    found = triples(base, base.all())
    assert found == expected, f"missing:\n{show(expected - found)}\nwrong:\n{show(found - expected)}"
    assert triples(base, base.explicit()) == explicit
    assert triples(base, base.inferred()) == expected - explicit


def assert_patterns(base: KnowledgeBase, expected: set) -> None:
    view = base.all()
    lookup = base.dictionary.lookup
    for triple in list(expected)[:6]:
        for mask in product((True, False), repeat=3):
            pattern = [term if keep else None for term, keep in zip(triple, mask, strict=True)]
            wanted = {t for t in expected if all(p is None or p == x for p, x in zip(pattern, t, strict=True))}
            ids = [None if term is None else lookup(term) for term in pattern]
            found = [row for chunk in view.match(*ids) for row in zip(*(c.tolist() for c in chunk), strict=True)]
            assert {tuple(map(base.dictionary.decode, row)) for row in found} == wanted
            assert len(found) == len(wanted) == view.count(*ids)
        assert view.contains(*map(lookup, triple))


# -- random programs ------------------------------------------------------------------------------------------------

CLASSES = [f"C{i}" for i in range(4)]
PROPERTIES = [f"p{i}" for i in range(4)]
LITERALS = [Literal("1"), Literal("2", XSD + "integer"), Literal("3", XSD + "integer")]
KIND_NAMES = ["Transitive", "Symmetric", "Functional", "InverseFunctional", "Object"]
KINDS = [IRI(f"{OWL}{name}Property") for name in KIND_NAMES]
RELATION_NAMES = ["broader", "narrower", "related", "broadMatch", "exactMatch", "topConceptOf", "member"]
RELATIONS = [IRI(SKOS + name) for name in RELATION_NAMES]
NODES = [ex(f"n{i}") for i in range(5)]
VARIABLES = ["?x", "?y", "?z"]


@st.composite
def atoms(draw: st.DrawFn, variables: list[str], constants: bool = True) -> str:
    pick = st.sampled_from(variables + ([f"<{EX}n0>", f"<{EX}n1>"] if constants and draw(st.booleans()) else []))
    kind = draw(st.sampled_from(["class", "property", "property", "property", "wide"]))
    if kind == "class":
        return f"e:{draw(st.sampled_from(CLASSES))}({draw(pick)})"
    if kind == "wide":
        return f"wide({draw(pick)}, {draw(pick)}, {draw(pick)})"
    return f"e:{draw(st.sampled_from(PROPERTIES))}({draw(pick)}, {draw(pick)})"


@st.composite
def rules(draw: st.DrawFn) -> str:
    body = draw(st.lists(atoms(VARIABLES), min_size=1, max_size=3))
    bound = [v for v in VARIABLES if any(v in atom for atom in body)]
    if not bound:
        body.append("e:p0(?x, ?y)")
        bound = ["?x", "?y"]
    head = draw(atoms(bound))
    extra = []
    if draw(st.integers(0, 4)) == 0:
        extra.append("~" + draw(atoms(bound, constants=False)))
    if draw(st.integers(0, 5)) == 0 and len(bound) > 1:
        extra.append(f"{bound[0]} != {bound[1]}")
    return f"{head} :- {', '.join(body + extra)} ."


@st.composite
def aggregates(draw: st.DrawFn) -> str:
    """A rule whose body is an aggregate, and perhaps an atom beside it."""
    body = draw(st.lists(atoms(VARIABLES), min_size=1, max_size=2))
    bound = [v for v in VARIABLES if any(v in atom for atom in body)]
    if not bound:
        body.append("e:p0(?x, ?y)")
        bound = ["?x", "?y"]
    if draw(st.integers(0, 3)) == 0:
        body.append("~" + draw(atoms(bound, constants=False)))
    group = draw(st.lists(st.sampled_from(bound), max_size=2, unique=True))
    functions = ["COUNT(*)", *(f"{name}({{}})" for name in ("COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP_CONCAT"))]
    given = st.sampled_from([*bound, f"DISTINCT {bound[0]}", f"DISTINCT {', '.join(bound)}"])
    chosen = draw(st.lists(st.sampled_from(functions), min_size=1, max_size=2))
    values = [f"BIND {function.format(draw(given))} AS ?v{i}" for i, function in enumerate(chosen)]
    on = f"ON {' '.join(group)} " if group else ""
    beside = [draw(atoms(group))] if group and draw(st.booleans()) else []
    subject = draw(st.sampled_from([*group, f"<{EX}n0>"]))
    head = draw(st.sampled_from([f"e:p1({subject}, ?v0)", f"e:p2({subject}, ?v0)", f"wide({subject}, ?v0, ?v0)"]))
    return f"{head} :- {', '.join([*beside, f'AGGREGATE({chr(44).join(body)} {on}{chr(32).join(values)})'])} ."


shapes = st.sampled_from(
    [
        "e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z) .",
        "e:p1(?y, ?x) :- e:p1(?x, ?y) .",
        "e:p1(?x, ?y) :- e:p0(?x, ?y) . e:p0(?x, ?y) :- e:p1(?x, ?y) .",
        "e:p2(?y, ?x) :- e:p3(?x, ?y) . e:p3(?y, ?x) :- e:p2(?x, ?y) .",
        "e:C1(?x) :- e:p0(?x, ?y) . e:C2(?y) :- e:p0(?x, ?y) . e:C1(?x) :- e:C2(?x) .",
        "e:C3(?x) :- e:C1(?x), ~e:C2(?x) .",
        "[?x, ?q, ?y] :- e:p3(?p, ?q), [?x, ?p, ?y] .",
        "[?x, a, ?c] :- e:p2(?x, ?c) .",
        "wide(?x, ?y, ?z) :- e:p0(?x, ?y), e:p1(?y, ?z) . e:p2(?x, ?z) :- wide(?x, ?y, ?z) .",
        "e:C3(?x) :- [?x, ?p, ?y], [?y, ?p, ?x] .",
        "[?y, ?p, ?x] :- [?x, ?p, ?y], e:C1(?x) .",
        "[?x, a, e:C2] :- [?x, a, ?c], [?x, ?p, ?x] .",
        "[?x, e:p2, ?p] :- [?x, ?p, ?y], e:C0(?y) .",
        "[e:n0, a, ?c] :- [?x, a, ?c], e:C0(?x) .",
        "[?x, a, ?c], [?c, e:p0, ?x] :- e:p1(?x, ?c), ~e:C0(?x) .",
        "[?x, ?p, e:n1] :- e:p3(?p, ?q), [?x, ?q, ?y], ~wide(?x, ?x, ?y) .",
        "e:p1(?x, ?z) :- e:p0(?x, ?y), ?z = ?y + 1, ?z < 6 . e:p0(?x, ?y) :- e:p1(?x, ?y) .",
        "e:C1(?x) :- e:p0(?x, ?y), e:p0(?x, ?z), ?y < ?z .",
        "e:p0(e:n1, 1) . e:C0(e:n2) .",
        "e:C3(?x) :- e:C1(?x), ~e:p0(?x, _) .",
        "e:C2(?x) :- e:C1(?x), ~e:p0(_, _), ~e:p1(_, ?x) .",
        "e:C0(?x) :- e:p2(?x, ?y), ~wide(_, ?y, _) . e:C3(?x) :- e:p2(?x, ?y), ~[?y, a, _] .",
        "wide(?x, ?x, ?p) :- [?x, ?p, ?y] . e:C2(?p) :- wide(?x, ?y, ?p), ~e:C1(?x) .",
    ]
)
programs = st.lists(st.one_of(rules(), rules(), aggregates(), shapes, shapes), min_size=1, max_size=6).map("\n".join)
facts = st.one_of(
    st.tuples(st.sampled_from(NODES), st.just(IRI(RDF + "type")), st.sampled_from([ex(c) for c in CLASSES])),
    st.tuples(st.sampled_from(NODES), st.sampled_from([ex(p) for p in PROPERTIES]), st.sampled_from(NODES)),
    st.tuples(st.sampled_from(NODES), st.sampled_from([ex(p) for p in PROPERTIES]), st.sampled_from(LITERALS)),
    st.tuples(
        st.sampled_from([ex(p) for p in PROPERTIES]), st.just(ex("p3")), st.sampled_from([ex(p) for p in PROPERTIES])
    ),
)
steps = st.lists(st.lists(st.tuples(st.booleans(), facts), min_size=1, max_size=8), min_size=1, max_size=6)
PREFIX = f"@prefix e: <{EX}> .\n"


@given(text=programs, batches=steps)
@relaxed
def test_random_programs(text: str, batches: list) -> None:
    program = parse_program(PREFIX + text)
    try:
        base = KnowledgeBase(program)
        run(base, program, batches)
    except (StratificationError, oracle.UndefinedError):
        return


def run(base: KnowledgeBase, program: Program, batches: list) -> None:
    explicit: set = set()
    for batch in batches:
        for is_added, triple in batch:
            (add if is_added else remove)(base, triple)
            (explicit.add if is_added else explicit.discard)(triple)
        assert_equal(base, program, explicit)
    assert_patterns(base, oracle.closure(program, explicit))


@given(text=programs, more=programs, batches=steps)
@relaxed
def test_rules_come_and_go(text: str, more: str, batches: list) -> None:
    first, second = parse_program(PREFIX + text), parse_program(PREFIX + more)
    both = Program(tuple(dict.fromkeys((*first.rules, *second.rules))))
    explicit: set = set()
    try:
        base = KnowledgeBase(first)
        for batch in batches:
            for is_added, triple in batch:
                (add if is_added else remove)(base, triple)
                (explicit.add if is_added else explicit.discard)(triple)
            base.add_rules(second)
            assert_equal(base, both, explicit)
            base.remove_rules(second)
            assert_equal(base, first, explicit)
    except (StratificationError, oracle.UndefinedError):
        return


@given(text=programs, triples_=st.lists(facts, min_size=1, max_size=12), seed=st.randoms(use_true_random=False))
@relaxed
def test_a_batch_equals_its_singletons(text: str, triples_: list, seed) -> None:
    program = parse_program(PREFIX + text)
    try:
        together, alone = KnowledgeBase(program), KnowledgeBase(program)
        add(together, *triples_)
        seed.shuffle(triples_)
        for triple in triples_:
            add(alone, triple)
            alone.flush()
        assert triples(together, together.all()) == triples(alone, alone.all())
        half = triples_[: len(triples_) // 2]
        remove(together, *half)
        for triple in half:
            remove(alone, triple)
            alone.flush()
        assert triples(together, together.all()) == triples(alone, alone.all())
        assert_equal(alone, program, set(triples_) - set(half))
    except (StratificationError, oracle.UndefinedError):
        return


# -- random schemas -------------------------------------------------------------------------------------------------

CELLS = {
    "l1": [ex("C1"), ex("C2")],
    "l2": [ex("C0"), ex("C1"), ex("C3")],
    "chain": [ex("p0"), ex("p1")],
    "chain3": [ex("p1"), ex("p0"), ex("p1")],
    "members": [ex("n0"), ex("n1")],
    "key": [ex("p2")],
}


def list_triples(name: str) -> list:
    members = CELLS[name]
    cells = [ex(name if i == 0 else f"{name}_{i}") for i in range(len(members))] + [IRI(RDF + "nil")]
    found = [(cells[i], IRI(RDF + "first"), member) for i, member in enumerate(members)]
    return found + [(cells[i], IRI(RDF + "rest"), cells[i + 1]) for i in range(len(members))]


classes = st.sampled_from([ex(c) for c in CLASSES] + [ex("R")])
properties = st.sampled_from([ex(p) for p in PROPERTIES])


def axiom(subjects, predicate: str, objects):
    return st.tuples(subjects, st.just(IRI(predicate)), objects)


axioms = st.one_of(
    axiom(classes, RDFS + "subClassOf", classes),
    axiom(properties, RDFS + "subPropertyOf", properties),
    axiom(properties, RDFS + "domain", classes),
    axiom(properties, RDFS + "range", classes),
    axiom(properties, OWL + "inverseOf", properties),
    axiom(classes, OWL + "equivalentClass", classes),
    axiom(properties, OWL + "equivalentProperty", properties),
    axiom(
        properties,
        RDF + "type",
        st.sampled_from(KINDS),
    ),
    axiom(classes, RDF + "type", st.just(IRI(OWL + "Class"))),
    axiom(classes, OWL + "intersectionOf", st.sampled_from([ex("l1"), ex("l2")])),
    axiom(classes, OWL + "unionOf", st.sampled_from([ex("l1"), ex("l2")])),
    axiom(classes, OWL + "oneOf", st.just(ex("members"))),
    axiom(classes, OWL + "hasKey", st.just(ex("key"))),
    axiom(properties, OWL + "propertyChainAxiom", st.sampled_from([ex("chain"), ex("chain3")])),
    axiom(st.sampled_from(NODES), OWL + "sameAs", st.sampled_from(NODES)),
    axiom(st.just(ex("R")), OWL + "onProperty", properties),
    axiom(st.just(ex("R")), OWL + "someValuesFrom", classes),
    axiom(st.just(ex("R")), OWL + "allValuesFrom", classes),
    axiom(st.just(ex("R")), OWL + "hasValue", st.sampled_from(NODES[:2])),
    axiom(st.just(ex("R")), OWL + "maxCardinality", st.just(Literal("1", XSD + "nonNegativeInteger"))),
    axiom(properties, RDFS + "subPropertyOf", st.sampled_from([IRI(RDFS + "subClassOf"), IRI(RDF + "type")])),
    axiom(classes, RDFS + "subClassOf", st.sampled_from(KINDS[:2])),
    axiom(st.just(IRI(RDFS + "domain")), RDFS + "subPropertyOf", st.just(IRI(RDFS + "range"))),
    axiom(st.sampled_from([ex(f"n{i}") for i in range(2)]), OWL + "sameAs", st.sampled_from([ex("C0"), ex("p0")])),
)
mixed_steps = st.lists(
    st.lists(st.tuples(st.integers(0, 3).map(bool), st.one_of(axioms, axioms, facts)), min_size=1, max_size=10),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize("name", ["rdfs", "rdfs-plus", "owl-rl", "owl-rl-full"])
def test_random_schemas(name: str) -> None:
    program = resolve_rules(name)
    everything = [triple for cells in CELLS for triple in list_triples(cells)]

    @given(batches=mixed_steps)
    @settings(relaxed, max_examples=examples(3 if name == "owl-rl-full" else 12))
    def check(batches: list) -> None:
        base = KnowledgeBase(program)
        run(base, program, [[(True, triple) for triple in everything], *batches])

    check()


skos_facts = st.tuples(
    st.sampled_from(NODES),
    st.sampled_from(RELATIONS),
    st.sampled_from(NODES),
)


@given(batches=st.lists(st.lists(st.tuples(st.booleans(), skos_facts), min_size=1, max_size=6), min_size=1, max_size=5))
@relaxed
def test_skos(batches: list) -> None:
    program = resolve_rules("skos")
    run(KnowledgeBase(program), program, batches)


@given(batches=mixed_steps)
@relaxed
def test_rules_that_make_schema(batches: list) -> None:
    program = resolve_rules(
        [
            "rdfs-plus",
            PREFIX
            + "[?c, rdfs:subClassOf, ?d] :- e:p3(?c, ?d) .\n"
            + "[?p, a, owl:TransitiveProperty] :- [?p, rdfs:domain, e:C0] .\n"
            + "[?p, rdfs:domain, e:C0] :- [?p, a, owl:TransitiveProperty] .\n"
            + "[?c, rdfs:subClassOf, e:C3] :- [e:n0, a, ?c] .",
        ]
    )
    run(KnowledgeBase(program), program, batches)
