"""The draft's stratification: which rule depends on which, pattern by pattern; no circle has a closed dependency.

A dependency is closed under NOT, and in a rule that has an assignment or makes blank nodes: such a rule runs once,
after all that it depends on. So there are finitely many new terms. A circle through a triple term of variables in a
head, which may make larger triple terms for ever, is left open by the draft's text, and refused by its tests and here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import StratificationError
from kgreason.program.dependency_graph import component_numbers, shortest_path
from kgreason.program.rules import Argument, TripleAtom
from kgreason.rdf.model import BlankNode, Term, TripleTerm
from kgreason.sparql_rl.rule_set import Parts, RuleText

Shape: TypeAlias = "Variable | Term | tuple[Shape, ...]"
"""A term, a variable, or a triple or triple term as its parts."""
_SHOWN: Final = 6


def check_rules(rules: Sequence[RuleText]) -> None:
    """Raise StratificationError, at a rule and with the circle, unless the rules are stratified.

    O(patterns times templates that may be about the same predicate).
    """
    successors: list[list[int]] = [[] for _ in rules]
    closed: list[tuple[int, int, str]] = []
    for first, second, reason in _dependencies(rules):
        successors[first].append(second)
        if reason:
            closed.append((first, second, reason))
    if not closed:
        return
    components = component_numbers(successors)
    for first, second, reason in closed:
        if components[first] == components[second]:
            _refuse(rules, [first, *shortest_path(successors, second, first)], reason)


def _refuse(rules: Sequence[RuleText], circle: Sequence[int], reason: str) -> None:
    names = [rules[number].name for number in circle]
    shown = " -> ".join(names if len(names) <= _SHOWN else [*names[: _SHOWN - 2], "...", names[-1]])
    what = f"the rules are not stratified: {names[0]} depends on its own conclusions and {reason}: {shown}"
    raise StratificationError(what, rules[circle[0]].position, rule=names[0])


def _dependencies(rules: Sequence[RuleText]) -> Iterator[tuple[int, int, str]]:
    """Pairs of rules, the first of which depends on the second, and why that is closed; empty where it is open."""
    templates: dict[Argument | None, list[tuple[int, Shape]]] = {}
    for number, rule in enumerate(rules):
        for triple in rule.head:
            predicate = None if isinstance(triple.predicate, Variable) else triple.predicate
            templates.setdefault(predicate, []).append((number, shape(triple, rule.terms)))
    everything = [template for each in templates.values() for template in each]
    for number, rule in enumerate(rules):
        once = "has a SET" if rule.assigns else "makes blank nodes" if rule.makes_nodes else ""
        once = once or ("makes triple terms" if rule.terms else "")
        for patterns, is_negated in rule.patterns():
            for triple in patterns.triples:
                pattern = shape(triple, patterns.terms)
                named = not isinstance(triple.predicate, Variable)
                found = [*templates.get(triple.predicate, ()), *templates.get(None, ())] if named else everything
                for other, template in found:
                    if unify(pattern, template):
                        yield number, other, "denies some in NOT" if is_negated else once


def shape(triple: TripleAtom, terms: Mapping[Variable, Parts]) -> Shape:
    """A triple with its triple terms as their parts."""
    return tuple(_shape(part, terms) for part in triple.arguments)


def _shape(part: Argument, terms: Mapping[Variable, Parts]) -> Shape:
    if isinstance(part, Variable):
        return tuple(_shape(inner, terms) for inner in terms[part]) if part in terms else part
    if isinstance(part, TripleTerm):
        return tuple(_shape(inner, terms) for inner in (part.subject, part.predicate, part.object))
    return part


_Side: TypeAlias = "tuple[int, Variable]"
_Values: TypeAlias = "dict[_Side, tuple[int, Shape]]"


def unify(pattern: Shape, template: Shape) -> bool:
    """Whether a triple that the template generates can match the pattern. A blank node of a template is new, and so is
    no term of a pattern."""
    return _unify((0, pattern), (1, template), {})


def _unify(left: tuple[int, Shape], right: tuple[int, Shape], values: _Values) -> bool:
    left, right = _value(left, values), _value(right, values)
    (side, a), (other, b) = left, right
    if isinstance(a, Variable):
        if left != right:
            values[side, a] = right
        return True
    if isinstance(b, Variable):
        values[other, b] = left
        return True
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_unify((side, x), (other, y), values) for x, y in zip(a, b, strict=True))
    if isinstance(a, BlankNode) or isinstance(b, BlankNode):
        return left == right
    return a == b


def _value(given: tuple[int, Shape], values: _Values) -> tuple[int, Shape]:
    side, part = given
    while isinstance(part, Variable) and (side, part) in values:
        side, part = values[side, part]
    return side, part
