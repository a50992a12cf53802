"""Would catch a violation that is remembered after it has gone, or taken from a branch whose ids mean other terms."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.rules.evaluation import Evaluation
from kgreason.errors import BranchError
from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDF, XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import EX, Triple, add, ex, remove
from tests.profiles import examples
from tests.thresholds import replaced_constants

TYPE = IRI(RDF + "type")
RULES = parse_program(f"""@prefix e: <{EX}> .
#[name("closed")] [?x, e:under, ?z] :- [?x, e:under, ?y], [?y, e:under, ?z] .
#[name("member")] [?x, a, ?d] :- [?x, a, ?c], [?c, e:below, ?d] .
#[name("circle")] false :- [?x, e:under, ?x] .
#[name("disjoint")] false :- [?c, e:apart, ?d], [?x, a, ?c], [?x, a, ?d] .
#[name("exclusive")] false :- [?p, e:excludes, ?q], [?x, ?p, ?y], [?x, ?q, ?y] .
#[name("alone")] false :- [?x, a, e:Pair], ~[?x, a, e:C] .
#[name("large")] false :- [?x, e:age, ?n], FILTER(?n > 150) .
""")
NODES = [ex(name) for name in "abcd"]
CLASSES = [ex("C"), ex("D"), ex("Pair")]
PROPERTIES = [ex("under"), ex("over")]
NUMBERS = [Literal("7", XSD + "integer"), Literal("200", XSD + "integer")]
FACTS = st.one_of(
    st.tuples(st.sampled_from(NODES), st.sampled_from(PROPERTIES), st.sampled_from(NODES)),
    st.tuples(st.sampled_from(NODES), st.just(TYPE), st.sampled_from(CLASSES)),
    st.tuples(st.sampled_from(CLASSES), st.sampled_from([ex("apart"), ex("below")]), st.sampled_from(CLASSES)),
    st.tuples(st.sampled_from(PROPERTIES), st.just(ex("excludes")), st.sampled_from(PROPERTIES)),
    st.tuples(st.sampled_from(NODES), st.just(ex("age")), st.sampled_from(NUMBERS)),
)
ACTIONS = st.sampled_from(["add", "remove", "branch", "adopt", "origin"])
STEPS = st.lists(st.tuples(ACTIONS, st.lists(FACTS, max_size=3)), max_size=8)


def violations(base: KnowledgeBase) -> set[tuple[str, frozenset[Triple]]]:
    return {(found.rule, frozenset(found.triples)) for found in base.inconsistencies()}


def from_scratch(facts: set[Triple]) -> set[tuple[str, frozenset[Triple]]]:
    base = KnowledgeBase(RULES)
    add(base, *facts)
    return violations(base)


@pytest.mark.parametrize("most_rows", [0, 1, 1000])
@given(steps=STEPS)
@settings(max_examples=examples(40))
def test_violations_after_changes_and_in_branches_are_those_from_scratch(most_rows: int, steps: list) -> None:
    with replaced_constants(KEPT_VIOLATIONS=most_rows):
        origin, origin_facts = KnowledgeBase(RULES), set[Triple]()
        base, facts = origin, origin_facts
        for action, changed in steps:
            match action:
                case "add":
                    add(base, *changed)
                    facts |= set(changed)
                case "remove":
                    remove(base, *changed)
                    facts -= set(changed)
                case "branch":
                    base, facts = origin.branch(), set(origin_facts)
                    add(base, *changed)  # its new terms have the ids that those of another branch have
                    facts |= set(changed)
                case "adopt" if base is not origin:
                    with suppress(BranchError):
                        origin.adopt(base)
                        origin_facts = set(facts)
                    base, facts = origin, origin_facts
                case _:
                    base, facts = origin, origin_facts
            assert violations(base) == from_scratch(facts)


def test_condition_is_evaluated_again_only_where_its_relations_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated: list[object] = []
    matches = Evaluation.matches

    def counted(self: Evaluation, template: object, parameters: object) -> object:
        evaluated.append(template)
        return matches(self, template, parameters)  # type: ignore[arg-type]  # as the method is called

    monkeypatch.setattr(Evaluation, "matches", counted)
    base = KnowledgeBase(RULES)
    add(base, (ex("a"), ex("age"), NUMBERS[1]), (ex("a"), ex("under"), ex("b")))
    assert len(base.inconsistencies()) == 1
    first = len(evaluated)
    base.inconsistencies()
    assert len(evaluated) == first

    branch = base.branch()
    add(branch, (ex("b"), ex("age"), NUMBERS[1]))
    assert len(branch.inconsistencies()) == 2
    assert len(evaluated) == first + 1
    assert len(base.inconsistencies()) == 1
    assert len(evaluated) == first + 1
