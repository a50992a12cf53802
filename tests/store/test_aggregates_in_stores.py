"""Aggregates in rules of a store: refused rules, violations of conditions, branches, stores on disk, and budgets.

Caught here: an error that does not lead to the rule, a violation without the triples of its group, and groups that are
remade on another branch, or lost with a snapshot.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import RDF, Graph, Namespace
from rdflib import Literal as Lit

from kgreason import ReasoningStore
from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, StratificationError
from kgreason.program.parser import parse_program
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import EX, add, ex

pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")

E = Namespace(EX)
PREFIX = f"@prefix e: <{EX}> .\n"


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
