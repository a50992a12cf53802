"""Aggregates in rules: values of all kinds of numbers, groups that come and go, large groups, strata.

Caught here: a value that depends on the order of members or on ids, a group that a change leaves behind or does not
reach, a multiset where a set is meant.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.strategy import Strategy
from kgreason.errors import StratificationError
from kgreason.io.quads import Quads
from kgreason.program.parser import parse_program
from kgreason.rdf.model import Literal
from kgreason.rdf.vocabulary import XSD
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from tests import oracle
from tests.engine.history_programs import PROGRAMS
from tests.engine.test_histories import FACTS, STEPS, History
from tests.facade import EX, add, ex, remove, show, triples
from tests.profiles import examples
from tests.stratification_reference import is_stratified
from tests.thresholds import shrink, tuning_context

pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")

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
        tuned(GROUPED_ROWS=rows, WAITING_ROWS=waiting, SEGMENT_LEAST=segments, NUMBERS_LEAST=segments)
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


HISTORY = """
[?x, e:n, #count(?v)], [?x, e:s, #sum(?v)], [?x, e:least, #min(?v)], [?x, e:most, #max(?v)] :- [?x, e:p, ?v] .
e:pair(?x, ?y, #count(?v), #sum(?v), #max(?v)) :- [?x, e:q, ?y], [?y, e:p, ?v] .
[?x, e:pairs, #count(?y, ?n, ?s, ?m)], [?x, e:whole, #sum(?s, ?y)], [?x, e:top, #max(?m)] :-
    e:pair(?x, ?y, ?n, ?s, ?m) .
"""
HISTORY_SQL = """
SELECT x, 'n', count(v) FROM p GROUP BY x UNION SELECT x, 's', sum(v) FROM p GROUP BY x
UNION SELECT x, 'least', min(v) FROM p GROUP BY x UNION SELECT x, 'most', max(v) FROM p GROUP BY x
UNION SELECT x, 'pairs', count(*) FROM pair GROUP BY x UNION SELECT x, 'whole', sum(s) FROM pair GROUP BY x
UNION SELECT x, 'top', max(m) FROM pair GROUP BY x
"""


@pytest.mark.parametrize("seed", range(6))
def test_random_changes_leave_what_a_database_finds(seed: int) -> None:
    random = np.random.default_rng(seed)
    groups, largest = [(40, 30), (1, 10**14), (300, 5)][seed % 3]
    base = KnowledgeBase(parse_program(PREFIX + HISTORY))
    facts: dict[str, set[tuple[int, int]]] = {"p": set(), "q": set()}

    def quads(name: str, rows: list[tuple[int, int]]) -> Quads:
        encode = base.dictionary.encode
        ends = [Literal(str(b), XSD + "integer") if name == "p" else ex(f"k{b}") for _, b in rows]
        columns = ([DEFAULT_GRAPH] * len(rows), [encode(ex(f"k{a}")) for a, _ in rows],
                   [encode(ex(name))] * len(rows), [*map(encode, ends)])  # fmt: skip
        return Quads(*(np.array(column, dtype=np.uint32) for column in columns))

    with closing(sqlite3.connect(":memory:")) as database, tuning_context() as tuned:
        tuned(GROUPED_ROWS=64, WAITING_ROWS=100, NUMBERS_LEAST=int(random.choice([4, 512])))
        database.execute("CREATE TABLE p (x INTEGER, v INTEGER)")
        database.execute("CREATE TABLE q (x INTEGER, y INTEGER)")
        database.execute(
            "CREATE VIEW pair AS SELECT q.x, q.y, sum(p.v) AS s, max(p.v) AS m FROM q JOIN p ON p.x = q.y "
            "GROUP BY q.x, q.y"
        )
        for size in (1500, *random.integers(1, 60, 12).tolist()):
            for name, most in (("p", largest), ("q", groups)):
                known = sorted(facts[name])
                gone = [known[row] for row in random.permutation(len(known))[: size // 3]]
                if size % 4 == 1 and known and name == "p":
                    gone.append(min(known, key=lambda fact: fact[::-1]))
                signs = random.choice([-1, 1], size) if name == "p" else np.ones(size, dtype=np.int64)
                come = zip(random.integers(0, groups, size).tolist(),
                           (random.integers(0, most, size) * signs).tolist(), strict=True)  # fmt: skip
                new = sorted({*come} - {*known})
                base.remove_quads(quads(name, gone))
                base.add_quads(quads(name, new))
                facts[name] = {*known} - {*gone} | {*new}
                database.execute(f"DELETE FROM {name}")
                database.executemany(f"INSERT INTO {name} VALUES (?, ?)", sorted(facts[name]))
            expected = {(ex(f"k{x}"), ex(name), str(value)) for x, name, value in database.execute(HISTORY_SQL)}
            found = {(s, p, getattr(o, "lexical", "")) for s, p, o in triples(base, base.inferred())}
            assert found == expected
            base._check()
