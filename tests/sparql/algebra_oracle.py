"""SPARQL algebra by its definition, in plain Python: a solution is a dictionary, a multiset a list (section 18.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from kgreason.algebra.expressions.tree import Call, FallbackCall, Variable
from kgreason.rdf.model import IRI, Term
from kgreason.sparql import algebra as a
from tests.function_definitions import evaluate
from tests.operators import OperatorError, boolean, truth

Solution = dict[str, Term]
Triple = tuple[Term, Term, Term]


@dataclass(frozen=True)
class World:
    """The active graph and the named ones."""

    triples: frozenset[Triple]
    named: Mapping[IRI, frozenset[Triple]]


def multiset(solutions: Iterable[Mapping[str, Term]]) -> Counter[frozenset[tuple[str, Term]]]:
    return Counter(frozenset(solution.items()) for solution in solutions)


def solve(node: a.Node, world: World) -> list[Solution]:
    match node:
        case a.Basic(atoms):
            return basic(atoms, world)
        case a.Join(parts):
            found: list[Solution] = [{}]
            for part in parts:
                found = [m for left in found for right in solve(part, world) if (m := merged(left, right)) is not None]
            return found
        case a.LeftJoin(left, right, condition):
            return left_join(solve(left, world), solve(right, world), condition, world)
        case a.Union(parts):
            return [solution for part in parts for solution in solve(part, world)]
        case a.Minus(left, right):
            return minus(solve(left, world), solve(right, world))
        case a.Filter(condition, inner):
            return [solution for solution in solve(inner, world) if true(condition, solution, world)]
        case a.Extend(inner, variable, expression):
            return [extended(solution, variable, expression, world) for solution in solve(inner, world)]
        case a.Values(variables, rows):
            return [{n: t for n, t in zip(variables, row, strict=True) if t is not None} for row in rows]
        case a.Graph(name, inner):
            return graph(name, inner, world)
        case a.Project(inner, variables):
            return [{n: t for n, t in solution.items() if n in variables} for solution in solve(inner, world)]
        case a.Distinct(inner):
            return [dict(solution) for solution in dict.fromkeys(frozenset(s.items()) for s in solve(inner, world))]
        case a.Slice(inner, offset, length):
            found = solve(inner, world)
            return list(islice(found, offset, None if length is None else offset + length))
    raise AssertionError(node)


def basic(atoms: Iterable[a.Atom], world: World) -> list[Solution]:
    found: list[Solution] = [{}]
    for atom in atoms:
        assert isinstance(atom, a.TriplePattern)
        pattern = (atom.subject, atom.predicate, atom.object)
        found = [m for s in found for triple in world.triples if (m := matched(pattern, triple, s)) is not None]
    return found


def matched(pattern: Iterable[a.Operand], triple: Triple, solution: Solution) -> Solution | None:
    result = dict(solution)
    for part, term in zip(pattern, triple, strict=True):
        if isinstance(part, Variable):
            if result.setdefault(part.name, term) != term:
                return None
        elif part != term:
            return None
    return result


def merged(left: Solution, right: Solution) -> Solution | None:
    if any(left[name] != right[name] for name in left.keys() & right.keys()):
        return None
    return {**left, **right}


def left_join(
    lefts: list[Solution], rights: list[Solution], condition: a.Expression | None, world: World
) -> list[Solution]:
    found = []
    for left in lefts:
        both = [m for right in rights if (m := merged(left, right)) is not None]
        both = [m for m in both if condition is None or true(condition, m, world)]
        found += both or [left]
    return found


def minus(lefts: list[Solution], rights: list[Solution]) -> list[Solution]:
    def goes(left: Solution) -> bool:
        return any(left.keys() & right.keys() and merged(left, right) is not None for right in rights)

    return [left for left in lefts if not goes(left)]


def extended(solution: Solution, variable: str, expression: a.Expression, world: World) -> Solution:
    try:
        return {**solution, variable: value(expression, solution, world)}
    except OperatorError:
        return solution


def graph(name: a.Operand, inner: a.Node, world: World) -> list[Solution]:
    if isinstance(name, IRI):
        return solve(inner, replace(world, triples=world.named[name])) if name in world.named else []
    assert isinstance(name, Variable)
    found = []
    for each, triples in world.named.items():
        for solution in solve(inner, replace(world, triples=triples)):
            both = merged(solution, {name.name: each})
            found += [] if both is None else [both]
    return found


def true(expression: a.Expression, solution: Solution, world: World) -> bool:
    try:
        return truth(value(expression, solution, world))
    except OperatorError:
        return False


def value(expression: a.Expression, solution: Solution, world: World) -> Term:
    match expression:
        case Variable(name):
            if name not in solution:
                raise OperatorError(name)
            return solution[name]
        case Call(function, arguments):
            return evaluate(function, [partial(value, argument, solution, world) for argument in arguments])
        case a.Exists(node, negated):
            return boolean(bool(solve(substituted(node, solution), world)) != negated)
    assert not isinstance(expression, FallbackCall)
    return expression


def substituted(node: a.Node, solution: Solution) -> a.Node:
    """A pattern with the variables of a solution replaced (section 18.6)."""

    def put(operand: a.Operand) -> a.Operand:
        return solution.get(operand.name, operand) if isinstance(operand, Variable) else operand

    def inside(expression: a.Expression) -> a.Expression:
        match expression:
            case Variable():
                return put(expression)
            case Call(function, arguments):
                return Call(function, tuple(map(inside, arguments)))
            case a.Exists(inner, negated):
                return a.Exists(substituted(inner, solution), negated)
        return expression

    match node:
        case a.Basic(atoms):
            return a.Basic(tuple(a.TriplePattern(put(t.subject), put(t.predicate), put(t.object)) for t in atoms))
        case a.Join(parts):
            return a.Join(tuple(substituted(part, solution) for part in parts))
        case a.Union(parts):
            return a.Union(tuple(substituted(part, solution) for part in parts))
        case a.LeftJoin(left, right, condition):
            changed = None if condition is None else inside(condition)
            return a.LeftJoin(substituted(left, solution), substituted(right, solution), changed)
        case a.Filter(condition, inner):
            return a.Filter(inside(condition), substituted(inner, solution))
    raise AssertionError(node)
