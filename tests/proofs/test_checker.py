"""The checker of proofs refuses what is no proof: every way to spoil a right one is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from kgreason.algebra.expressions.tree import Call
from kgreason.program.parser import parse_program
from kgreason.program.rules import Rule
from kgreason.proofs.proof import Proof
from kgreason.proofs.steps import TRIPLE, Absent, Fact, Step
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import RDF, XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.facade import EX, add, ex
from tests.proof_checker import Checker

TYPE = IRI(RDF + "type")
PROGRAM = parse_program(f"""
@prefix e: <{EX}> .
#[name("trans")] e:in(?x, ?z) :- e:in(?x, ?y), e:in(?y, ?z) .
#[name("near")] e:in(?x, ?y) :- e:near(?x, ?y) .
#[name("old")] e:Old(?x) :- e:in(?x, e:d), e:age(?x, ?y), ?y > 5, ~e:Young(?x) .
#[name("young")] e:Young(?x) :- e:age(?x, 1) .
#[name("all")] [?x, a, ?c] :- [?c, e:all, ?l], every(?m, ?l, [?x, a, ?m]) .
#[name("one")] [?m, a, ?c] :- [?c, e:one, ?l], member(?l, ?i, ?m) .
""")
AGE = Literal("7", XSD + "integer")
FIRST, REST, NIL = (IRI(RDF + name) for name in ("first", "rest", "nil"))
ASSERTED = [
    *((ex(x), ex("in"), ex(y)) for x, y in pairwise("abc")),
    (ex("c"), ex("near"), ex("d")),
    (ex("a"), ex("age"), AGE),
    (ex("C"), ex("all"), ex("l0")),
    (ex("D"), ex("one"), ex("l0")),
    *((ex(f"l{i}"), FIRST, ex(name)) for i, name in enumerate(("A", "B"))),
    (ex("l0"), REST, ex("l1")),
    (ex("l1"), REST, NIL),
    *((ex("x"), TYPE, ex(name)) for name in ("A", "B")),
]
OLD = (ex("a"), TYPE, ex("Old"))
LISTED = (ex("x"), TYPE, ex("C"))
SPOILT = (ex("b"), TYPE, ex("Old"))


def proof_of(triple: tuple[Term, Term, Term]) -> tuple[Checker, Proof[Term]]:
    base = KnowledgeBase(PROGRAM)
    add(base, *ASSERTED)
    checker = Checker(PROGRAM, ASSERTED, oracle.facts(PROGRAM, ASSERTED))
    proof = base.explain(*map(base.dictionary.encode, triple))
    checker.check(proof, triple)
    return checker, proof


def change_rule(name: str, change: Callable[[Step[Term]], Step[Term]]) -> Callable[[Proof[Term]], Proof[Term]]:
    """Change the steps by a rule."""

    def changed(proof: Proof[Term]) -> Proof[Term]:
        steps = [change(step) if step.rule and step.rule.name == name else step for step in proof.steps]
        assert tuple(steps) != proof.steps
        return replace(proof, steps=tuple(steps))

    return changed


def five(step: Step[Term]) -> Step[Term]:
    value = Literal("5", XSD + "integer")
    return replace(step, conditions=(Call(">", (value, value)),))


SPOIL = {
    "another conclusion": change_rule("old", lambda step: replace(step, conclusion=Fact(TRIPLE, SPOILT))),
    "no premise": lambda proof: replace(proof, steps=proof.steps[-1:]),
    "premises after": lambda proof: replace(proof, steps=(*proof.steps[-2::-1], proof.steps[-1])),
    "of no use": lambda proof: replace(proof, steps=(Step(Fact(TRIPLE, ASSERTED[-1])), *proof.steps)),
    "twice": lambda proof: replace(proof, steps=(proof.steps[0], *proof.steps)),
    "asserted": change_rule("near", lambda step: Step(step.conclusion)),
    "circle": change_rule("near", lambda step: replace(step, premises=(step.conclusion,))),
    "one premise less": change_rule("old", lambda step: replace(step, premises=step.premises[:1])),
    "one premise more": change_rule("near", lambda step: replace(step, premises=(*step.premises, *_in("a", "b")))),
    "shorter path": change_rule("trans", lambda step: replace(step, path=step.path[:-1])),
    "path with a gap": change_rule("trans", lambda step: replace(step, premises=step.premises[::2])),
    "path the other way": change_rule("trans", lambda step: replace(step, path=step.path[::-1])),
    "no path": change_rule("trans", lambda step: replace(step, path=())),
    "another rule": change_rule("trans", lambda step: replace(step, rule=PROGRAM.rules[1])),
    "unknown rule": change_rule("near", lambda step: replace(step, rule=replace(_rule("near"), name="far"))),
    "rule changed": change_rule("near", lambda step: replace(step, rule=replace(_rule("near"), body=()))),
    "not absent": change_rule("old", lambda step: replace(step, absent=(Absent(TRIPLE, (ex("x"), TYPE, None)),))),
    "nothing absent": change_rule("old", lambda step: replace(step, absent=())),
    "no condition": change_rule("old", lambda step: replace(step, conditions=())),
    "false condition": change_rule("old", five),
}
SPOIL_LISTS = {
    "without the end of the list": change_rule("all", lambda step: replace(step, premises=_without(step, NIL))),
    "without a member": change_rule("all", lambda step: replace(step, premises=_without(step, ex("B")))),
    "by another rule": change_rule("all", lambda step: replace(step, rule=_rule("one"))),
}


def _in(start: str, end: str) -> tuple[Fact[Term]]:
    return (Fact(TRIPLE, (ex(start), ex("in"), ex(end))),)


def _rule(name: str) -> Rule:
    return next(rule for rule in PROGRAM.rules if rule.name == name)


def _without(step: Step[Term], object: Term) -> tuple[Fact[Term], ...]:
    return tuple(premise for premise in step.premises if premise.arguments[2] != object)


@pytest.mark.parametrize("name", SPOIL)
def test_spoilt_proofs_are_refused(name: str) -> None:
    checker, proof = proof_of(OLD)
    with pytest.raises((AssertionError, KeyError)):
        checker.check(SPOIL[name](proof), OLD)


@pytest.mark.parametrize("name", SPOIL_LISTS)
def test_spoilt_proofs_over_lists_are_refused(name: str) -> None:
    checker, proof = proof_of(LISTED)
    with pytest.raises(AssertionError):
        checker.check(without_orphans(SPOIL_LISTS[name](proof)), LISTED)


def test_another_triple_is_not_proved() -> None:
    checker, proof = proof_of(OLD)
    with pytest.raises(AssertionError, match="something else"):
        checker.check(proof, LISTED)


def without_orphans(proof: Proof[Term]) -> Proof[Term]:
    """The proof without the steps that nothing rests on any more, which would be noticed first."""
    used = {premise for step in proof.steps for premise in step.premises} | {proof.steps[-1].conclusion}
    return replace(proof, steps=tuple(step for step in proof.steps if step.conclusion in used))
