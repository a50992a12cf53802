"""Near misses by definition: every subset of a body, every way to match it, over plain sets of facts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.rules import Rule, TripleAtom
from kgreason.rdf.model import IRI, Literal, Term
from tests import oracle
from tests.operators import OperatorError, truth
from tests.oracle import Binding, Triple

Key = tuple[frozenset, frozenset, int, int]
"""Missing facts, premises, and how many conditions and denied atoms fail."""


def nearest(rule: Rule, goal: Triple, facts: set[tuple]) -> tuple[int, set[Key]]:
    """The least distance of a rule without lists and aggregates from a goal, and all derivations at it."""
    known, found = oracle._Facts(facts), dict[Key, int]()
    for head in rule.heads:
        if not isinstance(head, TripleAtom) or oracle._hidden(head, ("triple", *goal)):
            continue
        for binding in oracle._unify(zip(head.arguments, goal, strict=True), {}):
            for key, distance in _candidates(rule, goal, binding, known):
                found[key] = distance
    least = min(found.values(), default=0)
    return least, {key for key, distance in found.items() if distance == least}


def _candidates(rule: Rule, goal: Triple, start: Binding, facts: oracle._Facts) -> Iterator[tuple[Key, int]]:
    for count in range(len(rule.body) + 1):
        for matched in combinations(range(len(rule.body)), count):
            atoms = [rule.body[place] for place in matched]
            others = [atom for place, atom in enumerate(rule.body) if place not in matched]
            for binding in oracle._match_all(atoms, start, facts):
                false = _false_assignments(rule, binding) + _false_filters(rule, binding)
                if any(any(oracle._match(atom, binding, facts)) for atom in others):
                    continue
                missing = frozenset(_put(atom, binding) for atom in others)
                if any(_is_impossible(fact, goal) for fact in missing):
                    continue
                present = sum(_is_present(rule, atom, binding, facts) for atom in rule.negated)
                premises = frozenset(_put(atom, binding) for atom in atoms)
                yield (missing, premises, false, present), len(others) + false + present


def _put(atom: TripleAtom, binding: Binding) -> tuple:
    values = tuple(binding.get(part, part) if isinstance(part, Variable) else part for part in atom.arguments)
    return ("triple" if isinstance(atom, TripleAtom) else atom.name, *values)


def _is_impossible(fact: tuple, goal: Triple) -> bool:
    if fact[0] != "triple":
        return False
    predicate = fact[2]
    return fact[1:] == goal or isinstance(fact[1], Literal) or not isinstance(predicate, IRI | Variable)


def _false_assignments(rule: Rule, binding: Binding) -> int:
    """Evaluate the assignments that have their values, into the binding; how many do not give what is known."""
    false, waiting = 0, list(rule.assignments)
    while ready := [each for each in waiting if oracle._inputs(each.expression) <= binding.keys()]:
        for assignment in ready:
            waiting.remove(assignment)
            try:
                value: Term = oracle._evaluate(assignment.expression, binding)
            except OperatorError:
                false += 1
                continue
            false += binding.setdefault(assignment.variable, value) != value
    return false


def _false_filters(rule: Rule, binding: Binding) -> int:
    return sum(not _holds(each, binding) for each in rule.filters if oracle._inputs(each) <= binding.keys())


def _holds(expression: object, binding: Binding) -> bool:
    try:
        return truth(oracle._evaluate(expression, binding))
    except OperatorError:
        return False


def _is_present(rule: Rule, denied: TripleAtom, binding: Binding, facts: oracle._Facts) -> bool:
    bound = {part for atom in (*rule.heads, *rule.body) for part in atom.arguments if isinstance(part, Variable)}
    bound |= {each.variable for each in rule.assignments}
    needed = {part for part in denied.arguments if part in bound}
    return needed <= binding.keys() and any(True for _ in oracle._match(denied, binding, facts))
