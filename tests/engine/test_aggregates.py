"""Aggregates in rules: values of all kinds of numbers, groups that come and go, large groups, strata, and other stores.

Caught here: a value that depends on the order of members or on ids, a group that a change leaves behind or does not
reach, a multiset where a set is meant, values of a closure from a part of its pairs.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, SKOS, Graph, Namespace
from rdflib import Literal as Lit

from kgreason import ReasoningStore
from kgreason.engine.budget import Budget
from kgreason.engine.strategy import Strategy
from kgreason.errors import BudgetError, StratificationError
from kgreason.io.quads import Quads
from kgreason.program.parser import parse_program
from kgreason.rdf.model import Literal
from kgreason.rdf.vocabulary import XSD
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.relations.table import Columns, Mask
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests import oracle
from tests.engine.history_programs import PROGRAMS
from tests.engine.test_histories import FACTS, LIKELY, STEPS, History
from tests.engine.test_oracle import NODES, axiom, facts, properties, run
from tests.facade import EX, add, ex, remove, show, triples
from tests.profiles import examples
from tests.stratification_reference import is_stratified
from tests.thresholds import shrink, tuning_context

pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")

E = Namespace(EX)
PREFIX = f"@prefix e: <{EX}> .\n"
WITH_AGGREGATES = [n for n, program in enumerate(PROGRAMS) if any(rule.aggregates for rule in program.rules)]

ALL = """
[?x, e:count, #count(?y)], [?x, e:sum, #sum(?y)], [?x, e:avg, #avg(?y)], [?x, e:min, #min(?y)], [?x, e:max, #max(?y)],
    [?x, e:cat, #group_concat(?y; SEPARATOR="; ")] :- e:p(?x, ?y, ?z) .
e:bag(?x, ?n, ?s, ?a) :- AGGREGATE(e:p(?x, ?y, ?z) ON ?x BIND COUNT(?y) AS ?n BIND SUM(?y) AS ?s BIND AVG(?y) AS ?a) .
[?x, e:bagSum, ?s], [?x, e:bagSize, ?n] :- e:bag(?x, ?n, ?s, ?a) .
[?x, e:pairs, #sum(?y, ?z)] :- e:p(?x, ?y, ?z) .
[e:all, e:longest, ?t] :- AGGREGATE(e:p(?x, ?y, ?z) BIND GROUP_CONCAT(?y) AS ?t) .
e:p(?x, ?y, ?z) :- [?x, ?z, ?y], [?z, a, e:Value] .
"""


def assert_equal(base: KnowledgeBase, explicit: set) -> None:
    base._check()
    expected, found = oracle.closure(base.program, explicit), triples(base, base.all())
    assert found == expected, f"missing:\n{show(expected - found)}\nwrong:\n{show(found - expected)}"


NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(lambda n: Literal(str(n), XSD + "integer")),
    st.integers(-3, 3).map(lambda n: Literal(str(n), XSD + "byte")),
    st.decimals(-100, 100, places=3).map(lambda n: Literal(format(n, "f"), XSD + "decimal")),
    st.sampled_from(["0.1", "-0.0", "0", "1E20", "INF", "-INF", "NaN", "16777217"]).flatmap(
        lambda text: st.sampled_from(["float", "double"]).map(lambda name: Literal(text, XSD + name))
    ),
)
VALUES = st.one_of(
    NUMBERS, NUMBERS, NUMBERS, st.sampled_from([Literal("a"), Literal("10"), Literal("x", XSD + "integer"), ex("n0")])
)
VALUE_FACTS = st.tuples(st.sampled_from([ex("a"), ex("b"), ex("c")]), st.sampled_from([ex("v"), ex("w")]), VALUES)


@given(
    batches=st.lists(st.lists(VALUE_FACTS, min_size=1, max_size=6), min_size=1, max_size=4),
    back=st.integers(0, 9),
    rows=st.sampled_from([1, 3, 1 << 16]),
    waiting=st.sampled_from([1, 4, 1 << 17]),
    segments=st.sampled_from([1, 1 << 14]),
)
@settings(max_examples=examples(40))
def test_values_are_those_of_the_definitions(batches: list, back: int, rows: int, waiting: int, segments: int) -> None:
    with tuning_context() as tuned:
        tuned(GROUPED_ROWS=rows, WAITING_ROWS=waiting, SEGMENT_LEAST=segments)
        check_values(batches, back)


def check_values(batches: list, back: int) -> None:
    base = KnowledgeBase(parse_program(PREFIX + ALL))
    schema = {(ex(name), ex("type"), ex("Value")) for name in ("v", "w")}
    explicit = {(s, oracle.TYPE, o) for s, _, o in schema}
    add(base, *explicit)
    for batch in batches:
        add(base, *batch)
        explicit |= {*batch}
        assert_equal(base, explicit)
    gone = sorted(explicit, key=str)[back::2]
    remove(base, *gone)
    assert_equal(base, explicit - {*gone})


@given(
    schemes=st.sampled_from([AUTO, PLAIN]),
    support=st.booleans(),
    programs=st.lists(st.sampled_from(WITH_AGGREGATES), min_size=1, max_size=3, unique=True),
    others=st.lists(st.integers(0, len(PROGRAMS) - 1), max_size=2, unique=True),
    facts=st.lists(FACTS, max_size=15),
    steps=st.lists(STEPS, min_size=1, max_size=8),
)
@settings(max_examples=examples(40))
def test_histories_with_aggregates(
    schemes: str, support: bool, programs: list, others: list, facts: list, steps: list
) -> None:
    with tuning_context() as tuned:
        shrink(tuned)
        check_history(list(dict.fromkeys((*programs, *others))), schemes, support, facts, steps)


def check_history(numbers: list, schemes: str, support: bool, facts: list, steps: list) -> None:
    try:
        history = History(numbers, schemes, Strategy(support=support))
    except StratificationError:
        rules = tuple(rule for number in numbers for rule in PROGRAMS[number].rules)
        assert not is_stratified(type(PROGRAMS[0])(rules))
        return
    history.apply("bulk", [(True, None, facts)])
    for kind, detail in steps:
        history.apply(kind, detail)
        history.check()


def test_a_large_grouping_equals_that_of_a_database() -> None:
    generator = np.random.default_rng(7)
    keys, members = generator.integers(0, 900, 100_000), generator.integers(-5_000, 5_000, 100_000)
    base = KnowledgeBase(
        parse_program(
            f"{PREFIX}[?x, e:n, ?n], [?x, e:s, ?s], [?x, e:a, ?a], [?x, e:least, ?i], [?x, e:most, ?j] :- "
            "AGGREGATE(e:p(?x, ?y) ON ?x BIND COUNT(?y) AS ?n BIND SUM(?y) AS ?s BIND AVG(?y) AS ?a "
            "BIND MIN(?y) AS ?i BIND MAX(?y) AS ?j) ."
        )
    )
    encode = base.dictionary.encode
    subjects = np.array([encode(ex(f"k{key}")) for key in range(900)], dtype=np.uint32)
    numbers = {int(m): encode(Literal(str(m), XSD + "integer")) for m in np.unique(members)}
    objects = np.fromiter((numbers[int(m)] for m in members), dtype=np.uint32)
    graph, predicate = (np.full(len(keys), id_, np.uint32) for id_ in (DEFAULT_GRAPH, encode(ex("p"))))
    columns = graph, subjects[keys], predicate
    base.add_quads(Quads(*columns, objects))
    gone = keys == 5
    base.flush()
    base.remove_quads(Quads(*(column[gone] for column in (*columns, objects))))

    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE facts (k INTEGER, m INTEGER)")
        rows = zip(keys[~gone].tolist(), members[~gone].tolist(), strict=True)
        database.executemany("INSERT INTO facts VALUES (?, ?)", rows)
        query = "SELECT k, count(m), sum(m), avg(m), min(m), max(m) FROM (SELECT DISTINCT k, m FROM facts) GROUP BY k"
        expected = {row[0]: row[1:] for row in database.execute(query).fetchall()}
    found: dict[int, dict[str, float]] = {}
    for subject, predicate, value in triples(base, base.inferred()):
        key, name = int(str(subject).split("/k")[1][:-1]), str(predicate).split("/")[-1][:-1]
        found.setdefault(key, {})[name] = float(value.lexical)
    assert found.keys() == expected.keys()
    for key, row in expected.items():
        assert [found[key][name] for name in ("n", "s", "a", "least", "most")] == pytest.approx(row, rel=1e-12)


def test_many_groups_have_the_terms_of_their_members() -> None:
    generator = np.random.default_rng(8)
    keys, members = generator.integers(0, 30_000, 90_000), generator.integers(-700, 900, 90_000)
    base = KnowledgeBase(
        parse_program(
            f"{PREFIX}[?x, e:n, #count(?y)], [?x, e:s, #sum(?y)], [?x, e:a, #avg(?y)], [?x, e:least, #min(?y)], "
            "[?x, e:most, #max(?y)] :- e:p(?x, ?y) ."
        )
    )
    encode = base.dictionary.encode
    subjects = np.array([encode(ex(f"k{key}")) for key in range(30_000)], dtype=np.uint32)
    numbers = np.array([encode(Literal(str(number), XSD + "integer")) for number in range(-700, 900)], dtype=np.uint32)
    encode(Literal("0.5", XSD + "decimal"))
    columns = (
        np.full(len(keys), DEFAULT_GRAPH, np.uint32), subjects[keys], np.full(len(keys), encode(ex("p")), np.uint32),
        numbers[members + 700],
    )  # fmt: skip
    for rows, is_added in ((slice(80_000), True), (slice(40_000), False), (slice(80_000, None), True)):
        change = base.add_quads if is_added else base.remove_quads
        change(Quads(*(column[rows] for column in columns)))
        base.flush()

    gone = {*zip(keys[:40_000].tolist(), members[:40_000].tolist(), strict=True)}
    kept = {*zip(keys[:80_000].tolist(), members[:80_000].tolist(), strict=True)} - gone
    groups: dict[int, list[int]] = {}
    for key, member in kept | {*zip(keys[80_000:].tolist(), members[80_000:].tolist(), strict=True)}:
        groups.setdefault(key, []).append(member)
    expected: dict[tuple[str, str], Literal] = {}
    for key, of_key in groups.items():
        whole = {"n": len(of_key), "s": sum(of_key), "least": min(of_key), "most": max(of_key)}
        average = format(Decimal(sum(of_key)) / len(of_key), "f")
        mean = average if "." in average else average + ".0"
        expected |= {(f"k{key}", name): Literal(str(value), XSD + "integer") for name, value in whole.items()}
        expected[f"k{key}", "a"] = Literal(mean, XSD + "decimal")
    found = {(s.value[len(EX) :], p.value[len(EX) :]): o for s, p, o in triples(base, base.inferred())}
    assert found == expected
    base._check()
    base.dictionary._check()


RULES = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
[?c, e:narrower, #count(?n)] :- skos:narrowerTransitive(?c, ?n) .
[?c, e:shared, ?n] :-
    AGGREGATE(skos:narrowerTransitive(?c, ?x), skos:narrowerTransitive(?c, ?y) ON ?c BIND COUNT(*) AS ?n) .
[e:all, e:pairs, ?n] :- AGGREGATE(skos:narrowerTransitive(?c, ?x) BIND COUNT(*) AS ?n) .
"""


def test_counts_of_a_closure_follow_its_changes() -> None:
    graph = Graph(store=ReasoningStore(rules=["skos", PREFIX + RULES]))
    edges = [(0, 1), (1, 2), (2, 3), (1, 4), (4, 5), (5, 3), (3, 1)]
    for a, b in edges:
        graph.add((E[f"c{b}"], SKOS.broader, E[f"c{a}"]))

    for removed in (None, (3, 1), (1, 2), (0, 1)):
        if removed is not None:
            edges.remove(removed)
            graph.remove((E[f"c{removed[1]}"], SKOS.broader, E[f"c{removed[0]}"]))
        below = {start: reached(start, edges) for start in range(6)}
        assert {(str(s), int(o)) for s, o in graph.subject_objects(E.narrower)} == {
            (str(E[f"c{start}"]), len(found)) for start, found in below.items() if found
        }
        assert {int(o) for o in graph.objects(None, E.shared)} == {len(f) ** 2 for f in below.values() if f}
        assert [int(o) for o in graph.objects(E.all, E.pairs)] == [sum(map(len, below.values()))]


def test_counts_of_a_closure_that_is_closed_anew_look_at_few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """An edge back closes a circle in a path, for which all labels are made anew, and goes again."""
    nodes = 1_500
    rules = "[?x, e:p, ?y] :- [?x, e:e, ?y] . [?x, e:p, ?z] :- [?x, e:p, ?y], [?y, e:e, ?z] ."
    graph = Graph(store=ReasoningStore(rules=f"{PREFIX}{rules} [?x, e:c, #count(?y)] :- [?x, e:p, ?y] ."))
    graph.addN((E[f"n{node}"], E.e, E[f"n{node + 1}"], graph) for node in range(nodes))
    begin, end = nodes // 2, nodes * 3 // 4
    back = (E[f"n{end}"], E.e, E[f"n{begin}"])
    path = [nodes - node for node in range(nodes)]
    # The nodes of the circle reach all of it, and what comes after it; those before it reach what they did.
    circle = [nodes - begin + 1 if begin <= node <= end else number for node, number in enumerate(path)]
    assert counts(graph, nodes) == path
    looked_at = 0
    contains = TransitiveTable.contains

    def counted(table: TransitiveTable, columns: Columns) -> Mask:
        nonlocal looked_at
        looked_at += len(columns[0])
        return contains(table, columns)

    monkeypatch.setattr(TransitiveTable, "contains", counted)

    graph.add(back)
    assert counts(graph, nodes) == circle
    graph.remove(back)
    assert counts(graph, nodes) == path
    assert looked_at < 10 * nodes


def counts(graph: Graph, nodes: int) -> list[int]:
    """What `e:c` says of the nodes of a path."""
    found = {str(subject): int(number) for subject, number in graph.subject_objects(E.c)}
    return [found[str(E[f"n{node}"])] for node in range(nodes)]


def reached(start: int, edges: list) -> set:
    found: set = set()
    waiting = [start]
    while waiting:
        fresh = {b for a, b in edges if a == waiting[-1]} - found
        waiting.pop()
        found |= fresh
        waiting.extend(fresh)
    return found


def test_aggregates_beside_owl() -> None:
    rules = f"{PREFIX}[?c, e:members, #count(?x)] :- [?x, a, ?c], [?c, a, e:Counted] . "
    rules += "[?x, a, e:Parent] :- AGGREGATE(e:child(?x, ?y) ON ?x BIND COUNT(?y) AS ?n), ?n >= 2 ."
    graph = Graph(store=ReasoningStore(rules=["owl-rl", rules]))
    graph.add((E.son, RDFS.subPropertyOf, E.child))
    graph.add((E.Parent, RDFS.subClassOf, E.Person))
    graph.add((E.a, E.son, E.b))
    graph.add((E.a, E.child, E.c))
    assert (E.a, RDF.type, E.Person) in graph

    graph.add((E.d, OWL.sameAs, E.b))
    assert (E.a, E.child, E.d) in graph
    graph.remove((E.a, E.son, E.b))
    assert (E.a, RDF.type, E.Person) not in graph


EQUAL = """
[?x, e:q0, #count(?y)] :- e:p0(?x, ?y) . [?x, e:q1, #max(?y)] :- e:p1(?x, ?y) .
[?c, e:q2, #count(?x)] :- [?x, a, ?c], e:C0(?x) . [e:all, e:q3, ?n] :- AGGREGATE(e:p0(?x, ?y) BIND COUNT(*) AS ?n) .
e:many(?x) :- AGGREGATE([?x, owl:sameAs, ?y] ON ?x BIND COUNT(?y) AS ?n), ?n > 1 .
[?x, e:q4, ?n] :- AGGREGATE(e:p0(?x, ?y), e:p1(?y, ?z) ON ?x BIND COUNT(?z) AS ?n) .
"""
SCHEMA = st.one_of(
    axiom(st.sampled_from(NODES), str(OWL.sameAs), st.sampled_from(NODES)),
    axiom(properties, str(RDFS.subPropertyOf), properties),
    axiom(properties, str(OWL.inverseOf), properties),
)


@given(
    batches=st.lists(
        st.lists(st.tuples(LIKELY, st.one_of(SCHEMA, facts, facts)), min_size=1, max_size=8), min_size=1, max_size=4
    )
)
@settings(max_examples=examples(8))
def test_things_that_are_equal_count_each(batches: list) -> None:
    program = resolve_rules(["owl-rl", PREFIX + EQUAL])
    run(KnowledgeBase(program), program, batches)


def test_an_aggregate_of_what_it_feeds_is_refused_with_its_rule() -> None:
    everything = f"{PREFIX}[?x, ?q, ?n] :- AGGREGATE([?x, ?p, ?y] ON ?x BIND COUNT(?y) AS ?n), [?x, e:by, ?q] ."
    base = KnowledgeBase(parse_program(everything))
    add(base, (ex("a"), ex("by"), ex("p")))
    with pytest.raises(StratificationError, match="aggregate of itself") as caught:
        base.flush()
    assert (caught.value.line, caught.value.column) == (2, 1)
    assert str(caught.value).endswith(": <http://example.org/p> -> <http://example.org/p>")
    store = ReasoningStore(rules=f"{PREFIX}e:p(?x, ?y) :- e:q(?x, ?y) .")
    cycle = f"{PREFIX}\n[?x, e:q, #sum(?y)] :- e:p(?x, ?y) ."
    with pytest.raises(StratificationError) as caught:
        store.add_rules(cycle)
    assert caught.value.line == 3
    assert "<http://example.org/p> -> <http://example.org/q> -> <http://example.org/p>" in str(caught.value)
    graph = Graph(store=store)
    graph.add((E.a, E.q, Lit(1)))
    assert (E.a, E.p, Lit(1)) in graph


def test_a_violation_has_the_triples_of_its_group() -> None:
    rules = """#[name("two")] false :- e:C(?x), AGGREGATE(e:p(?x, ?y), ~e:ok(?y) ON ?x BIND COUNT(?y) AS ?n), ?n >= 2 .
    #[name("listed")] false :- AGGREGATE([?c, e:some, ?l], member(?l, ?i, ?m) ON ?c BIND COUNT(*) AS ?n), ?n > 1 ."""
    store = ReasoningStore(rules=PREFIX + rules)
    graph = Graph(store=store)
    graph.parse(
        format="turtle",
        data=f"{PREFIX} e:a a e:C ; e:p e:b, e:c, e:d . e:d a e:ok . e:b a e:C ; e:p e:a . e:c e:p e:a, e:b . "
        f"e:e a e:C; e:p {', '.join(f'e:n{number}' for number in range(15))} . e:L e:some (e:x e:y) .",
    )
    found = {(violation.rule, frozenset(violation.triples)) for violation in store.inconsistencies()}
    shown = {name: [triples for rule, triples in found if rule == name] for name in ("two", "listed")}

    small, large = sorted(shown["two"], key=len)
    assert small == {(E.a, RDF.type, E.C), (E.a, E.p, E.b), (E.a, E.p, E.c)}
    assert len(large) == 11
    assert {subject for subject, _, _ in large} == {E.e}
    assert [{(s, p) for s, p, _ in triples} for triples in shown["listed"]] == [{(E.L, E["some"])}]


def test_a_group_is_remade_on_a_branch_alone() -> None:
    graph = Graph(store=ReasoningStore(rules=f"{PREFIX}[?x, e:n, #count(?y)] :- e:p(?x, ?y) ."))
    graph.add((E.a, E.p, E.b))
    branch = graph.store.branch()
    Graph(store=branch).add((E.a, E.p, E.c))

    assert graph.value(E.a, E.n) == Lit(1)
    assert Graph(store=branch).value(E.a, E.n) == Lit(2)
    graph.store.adopt(branch)
    assert graph.value(E.a, E.n) == Lit(2)


def test_a_store_on_disk_goes_on_with_its_groups(tmp_path: Path) -> None:
    rules = f"{PREFIX}[?x, e:n, #count(?y)], [?x, e:t, #group_concat(?y; SEPARATOR=\"\\n\")] :- e:p(?x, ?y, ?z) . "
    rules += "e:p(?x, ?y, ?z) :- [?x, e:q, ?y], [?y, e:r, ?z] ."
    graph = Graph(store=ReasoningStore(rules=rules))
    graph.open(str(tmp_path / "store"), create=True)
    for name in "bcd":
        graph.add((E.a, E.q, E[name]))
        graph.add((E[name], E.r, E.z))
    graph.commit()
    assert graph.value(E.a, E.n) == Lit(3)
    graph.close()

    again = Graph(store=ReasoningStore())
    again.open(str(tmp_path / "store"))
    assert again.value(E.a, E.n) == Lit(3)
    again.remove((E.c, E.r, E.z))
    assert again.value(E.a, E.n) == Lit(2)
    assert again.value(E.a, E.t) == Lit(f"{E.b}\n{E.d}")
    again.store.remove_rules(rules)
    assert again.value(E.a, E.n) is None
    again.close()


def test_many_values_count_against_the_budget() -> None:
    store = ReasoningStore(rules=f"{PREFIX}[?x, e:n, #count(?y)] :- e:p(?x, ?y) .", budget=Budget(facts=10))
    graph = Graph(store=store)
    for number in range(20):
        graph.add((E[f"s{number}"], E.p, E.o))
    with pytest.raises(BudgetError):
        len(graph)
