"""A schema too large for the driver would derive something else, never end, or come to the driver after all: rules
without specialisation as programs of a store, beside those they stand for, and on the cluster, beside a store."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, ListError, ListWarning, SparkError, StratificationError
from kgreason.program.parser import parse_program
from kgreason.program.rules import Atom, FactAtom, Program, Rule
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_REST
from kgreason.relations.codes import CLASS, PROPERTY, class_code, property_code
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from kgreason_spark import spark_tuning
from kgreason_spark.arrow_frames import frame_of_arrow
from kgreason_spark.materialisation.driver_rules import deriving_rules
from kgreason_spark.materialisation.inferred_frames import Results
from kgreason_spark.materialisation.instance_levels import Instances
from kgreason_spark.materialisation.instance_nodes import HEAD, NONE, Nodes, ranging
from kgreason_spark.materialisation.job import materialise
from kgreason_spark.materialisation.unspecialised import TRIPLE, is_specialised, unspecialised
from tests.engine.test_oracle import CELLS, PREFIX, axioms, facts, list_triples, programs
from tests.facade import Triple, add, triples
from tests.profiles import examples
from tests.spark.cases import CASES, CHAIN, local
from tests.spark.distributed import encode_base, fixpoint, inferred, keys
from tests.store.test_list_histories import PROGRAM as LIST_PROGRAM
from tests.store.test_list_histories import situations

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DENIED = "what is denied gets facts from a rule that comes later"
MADE = "made"
RDF_PREFIX = "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . "
MOST = 20_000
REST = IRI(RDF_REST)
BRIDGE = f"{TRIPLE}(?s, ?p, ?o) :- [?s, ?p, ?o] . [?s, ?p, ?o] :- {MADE}(?s, ?p, ?o) ."
LISTS = (
    "e:n1 a e:A, e:B, e:C . e:n2 a e:A . e:p6 e:chain (e:p e:q) . e:q e:key (e:p e:q) . e:none e:all () ."
    "e:f e:all e:l1 . e:l1 rdf:first e:A ; rdf:rest e:l2 . e:l2 rdf:first e:B, e:D ; rdf:rest rdf:nil, e:l3 ."
    "e:l3 rdf:first e:C ; rdf:rest rdf:nil . e:n8 e:p 7 ; e:q 8 . e:n9 e:p 7 ; e:q 8 ."
)
PLACES = "e:at(?m, ?i) :- [?c, e:all, ?l], member(?l, ?i, ?m), ?i > 0 ."
AXIOMS = LISTS.replace("e:all", "owl:intersectionOf").replace("e:key", "owl:hasKey")
LIST_RULES = (
    "[?x, a, ?c] :- [?c, e:all, ?l], every(?m, ?l, [?x, a, ?m]) . [?x, ?p, ?y] :- [?p, e:chain, ?l], path(?x, ?l, ?y) ."
    "e:same(?x, ?y) :- [?c, e:key, ?l], every(?p, ?l, [?x, ?p, ?z], [?y, ?p, ?z]), ?x != ?y ."
)
# Three facts say what the first rule is about, and a fourth one follows.
GUARDED = (
    "[?x, ?q, ?y] :- [?p, e:sub, ?q], [?x, ?p, ?y] . [?x, a, ?c] :- [?p, e:of, ?c], [?x, ?p, ?y] ."
    "[?q, e:sub, e:u] :- e:r(?x, ?y), [?y, e:name, ?q] .",
    RDF_PREFIX
    + "e:p e:sub e:q . e:q e:sub e:r . e:r e:sub rdf:type, 5 . e:n1 e:p e:n2, 7 . e:n2 e:name e:r ."
    + "e:p e:of e:C, 'C' .",
)
# Data name what is denied, properties and classes, of which one is made of a list.
DENYING = (
    "[?x, ?r, ?y] :- [?p, e:unless, ?q], [?p, e:then, ?r], [?x, ?p, ?y], ~[?x, ?q, ?y] ."
    "[?x, a, ?d] :- [?c, e:without, ?b], [?c, e:is, ?d], [?x, a, ?c], ~[?x, a, ?b] ."
    "[?x, a, ?c] :- [?c, e:all, ?l], every(?m, ?l, [?x, a, ?m]) . [?y, ?p, ?o] :- [?x, e:same, ?y], [?x, ?p, ?o] ."
    "e:Any(?x) :- e:K(?x), [?x, ?p, ?y], ~[?y, ?p, ?x] . [?x, a, ?c] :- [?p, e:of, ?c], [?x, ?p, ?y] .",
    RDF_PREFIX
    + "e:p e:unless e:q ; e:then e:r . e:r e:of e:A . e:A e:without e:B ; e:is e:C . e:B e:all (e:K e:F) ."
    + "e:n1 e:p e:n2, e:n3 ; e:q e:n2 . e:n4 e:p e:n1 . e:n3 e:p e:n1 . e:n1 a e:K . e:n3 a e:K, e:F ."
    + "e:n1 e:same e:n5 .",
)
THERE = {
    **CASES,
    "what data deny": DENYING,
    "guards": GUARDED,
    "lists": (LIST_RULES, RDF_PREFIX + LISTS + CHAIN),
    "places in lists": (LIST_RULES + PLACES, RDF_PREFIX + LISTS + CHAIN),
    "lists of axioms": ("owl-rl", RDF_PREFIX + AXIOMS),
}


def without_specialisation(program: Program) -> Program:
    """All rules without specialisation, beside a relation that is filled with all triples: what they derive of it are
    triples where it can be."""
    found = [
        part
        for rule in deriving_rules(program)
        for part in (map(deriving, unspecialised(rule)) if is_specialised(rule) else (rule,))
    ]
    return Program((*found, *parse_program(BRIDGE).rules))


def deriving(rule: Rule) -> Rule:
    def made(atom: Atom) -> Atom:
        return FactAtom(MADE, atom.arguments) if isinstance(atom, FactAtom) and atom.name == TRIPLE else atom

    return replace(rule, heads=tuple(map(made, rule.heads)))


def assert_same(program: Program, given: list[Triple]) -> None:
    expected = KnowledgeBase(program)
    found = KnowledgeBase(without_specialisation(program), budget=Budget(facts=MOST))
    with warnings.catch_warnings(action="ignore", category=ListWarning):
        add(expected, *given)
        expected.flush()
    try:
        add(found, *given)
        found.flush()
    except BudgetError:  # a list with a fork leads back, which the cluster refuses
        rests = [subject for subject, predicate, _ in triples(expected, expected.all()) if predicate == REST]
        assert len(rests) > len({*rests})
    else:
        assert triples(found, found.all()) == triples(expected, expected.all())


@given(text=programs, given_=st.lists(facts, min_size=1, max_size=14))
@settings(max_examples=examples(60))
def test_random_rules_without_specialisation_derive_the_same(text: str, given_: list[Triple]) -> None:
    with suppress(StratificationError):
        assert_same(parse_program(PREFIX + text), given_)


@pytest.mark.parametrize("name", ["rdfs", "rdfs-plus", "owl-rl", "owl-rl-full"])
def test_random_schemas_without_specialisation_derive_the_same(name: str) -> None:
    lists = [triple for cells in CELLS for triple in list_triples(cells)]

    @given(given_=st.lists(st.one_of(axioms, axioms, facts), min_size=3, max_size=20))
    @settings(max_examples=examples(12 if name == "owl-rl-full" else 40))
    def check(given_: list[Triple]) -> None:
        assert_same(resolve_rules(name), [*lists, *given_])

    check()


@given(situation=situations())
@settings(max_examples=examples(60))
def test_random_lists_without_specialisation_say_the_same(situation: tuple[list[Triple], list[Triple]]) -> None:
    positive = Program(tuple(rule for rule in LIST_PROGRAM.rules if not rule.negated))
    assert_same(positive, list(dict.fromkeys([*situation[0], *situation[1]])))


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What small data spare Spark, large data do not."""
    monkeypatch.setattr(spark_tuning, "SMALL_TABLE_BYTES", -1)
    monkeypatch.setattr(spark_tuning, "INLINE_NUMBERS", 0)
    monkeypatch.setattr(spark_tuning, "LISTED_RELATIONS", 1)


@pytest.mark.parametrize(
    ("name", "most", "small"),
    [
        ("guards", 2, 200_000),
        ("lists", 0, 200_000),
        ("what data deny", 0, 200_000),
        *(pytest.param(name, most, 0, marks=pytest.mark.thorough) for name in THERE for most in (0, 5)),
    ],
)
def test_a_schema_beyond_the_cap_is_joined(
    quick_spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest, name: str, most: int, small: int
) -> None:
    if not small:
        request.getfixturevalue("nothing_here")
    base = local(*THERE[name])
    data = encode_base(tmp_path / "data", base)

    run = fixpoint(
        quick_spark, data, tmp_path / "work", base.program, driver_facts=most, moved=0, small=small
    )

    expected, found = keys(base, base.inferred()), inferred(Results(run, pairs=True))
    assert found == expected, f"missing: {expected - found}\nwrong: {found - expected}"
    assert most or not run.residents


def test_data_that_make_a_relation_depend_on_its_negation_are_refused(
    quick_spark: SparkSession, tmp_path: Path
) -> None:
    """Where a store refuses them, and only there."""
    text = RDF_PREFIX + "e:p e:unless e:q ; e:then e:r . e:r e:unless e:p ; e:then e:q . "
    fine, circle = text + "e:n1 e:r e:n2 .", text + "e:n1 e:p e:n2 ."
    rules = DENYING[0].partition("[?x, a, ?d]")[0]
    with pytest.raises(StratificationError):
        local(rules, circle).inferred()
    base, work = local(rules, fine), tmp_path / "work"

    data = encode_base(tmp_path / "circle", local("none", circle))
    with pytest.raises(StratificationError, match="depend on its own negation"):
        fixpoint(quick_spark, data, work / "circle", base.program, driver_facts=0)
    run = fixpoint(quick_spark, encode_base(tmp_path / "fine", base), work / "fine", base.program, driver_facts=0)

    assert inferred(Results(run, pairs=True)) == keys(base, base.inferred())


def test_instances_raise_the_levels_of_what_they_derive(quick_spark: SparkSession) -> None:
    """Here and in executors; those that range over properties, for each of them but rdf:type."""
    p, q, r, c, of_type = property_code(1), property_code(2), property_code(3), class_code(4), property_code(5)
    nodes = Nodes(np.array([p, q, r, c, of_type]), np.array([0, 2, 1, 0, 0]), np.array([1, 1, 0, 1, 1]) == 1, type_id=5)
    over, its_class = ranging(0, PROPERTY, PROPERTY), ranging(0, PROPERTY, CLASS)
    rows = [
        (r, p, q, NONE),  # as high as q, and possible now
        (c, p, NONE, r),  # above what is denied
        (p, r, NONE, q),  # nothing has facts of r
        (its_class, over, NONE, NONE),  # possible: each property as a class
        (q, p, NONE, NONE),  # there already
    ]
    table = pa.Table.from_pylist([dict(zip((HEAD, "source0", "source1", "denied0"), row, strict=True)) for row in rows])
    expected = {r: 2, c: 2, class_code(1): 0, class_code(2): 2}

    assert Instances(quick_spark.range(0), table, frozenset()).raised(nodes) == expected
    assert Instances(frame_of_arrow(quick_spark, table), None, frozenset()).raised(nodes) == expected
    assert {*nodes.denied(table).tolist()} == {r, q}


def test_lists_that_break_are_named(quick_spark: SparkSession, tmp_path: Path) -> None:
    rules = "[?c, e:has, ?m] :- [?c, e:all, ?l], member(?l, ?i, ?m) ."
    cut = RDF_PREFIX + "e:i e:all e:l1 . e:l1 rdf:first e:A ; rdf:rest e:l2 . e:l2 rdf:first e:B ."
    with warnings.catch_warnings(action="ignore", category=ListWarning):
        base = local(rules, cut + "e:l3 rdf:first e:A ; rdf:rest rdf:nil . e:k e:all e:l3 .")
        expected = keys(base, base.all())
    data, job = encode_base(tmp_path / "data", base), {"local_facts": 0, "driver_facts": 0}

    with pytest.raises(ListError, match=r"^a list is cut off: its cell \S+ has no rdf:rest$"):
        materialise(quick_spark, str(data), base.program, str(tmp_path / "strict"), strict=True, **job)
    with pytest.warns(ListWarning, match="l2> has no rdf:rest"):
        report = materialise(quick_spark, str(data), base.program, str(tmp_path / "out"), pairs=True, **job)

    assert report.lists == ("a list is cut off: its cell <http://example.org/l2> has no rdf:rest",)
    assert report.explicit + report.inferred == len(expected)


def test_a_list_that_forks_and_leads_back_is_refused(quick_spark: SparkSession, tmp_path: Path) -> None:
    """Positions in it would never end."""
    base = local(
        "e:at(?m, ?i) :- [?c, e:all, ?l], member(?l, ?i, ?m) .",
        RDF_PREFIX + "e:i e:all e:l1 . e:l1 rdf:first e:A ; rdf:rest e:l1, rdf:nil .",
    )
    with pytest.warns(ListWarning, match="is cyclic"):
        data = encode_base(tmp_path / "data", base)

    with pytest.raises(SparkError, match=r"leads from its cell \S+/l1> to rdf:nil, and back to it"):
        fixpoint(quick_spark, data, tmp_path / "work", base.program, driver_facts=0)
