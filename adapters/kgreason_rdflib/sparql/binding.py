"""Variables that are given from outside (rdflib's `initBindings`): the same query with terms in their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from kgreason.sparql import algebra
from kgreason.sparql.algebra import (
    Basic,
    Call,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    Foreign,
    ForeignCall,
    Graph,
    Group,
    Join,
    LeftJoin,
    Minus,
    Node,
    Operand,
    Order,
    Path,
    PathPattern,
    Project,
    Slice,
    TriplePattern,
    Union,
    Values,
    Variable,
)
from kgreason.sparql.scope import variables_of
from kgreason.terms.model import Term
from kgreason_rdflib.sparql.expressions import TRUE

Terms = Mapping[str, Term]


def bound(node: Node, terms: Terms) -> Node:
    """The query in which variables have terms everywhere, also inside of filters and subqueries.

    Variables of a pattern are replaced; one that the query binds itself (BIND, VALUES, ...) has to come out equal.
    """
    inside = partial(bound, terms=terms)
    match node:
        case Basic(atoms):
            return Basic(tuple(_atom(atom, terms) for atom in atoms))
        case Join(parts):
            return Join(tuple(map(inside, parts)))
        case Union(parts):
            return Union(tuple(map(inside, parts)))
        case LeftJoin(left, right, condition):
            return LeftJoin(inside(left), inside(right), None if condition is None else _expression(condition, terms))
        case Minus(left, right):
            return _minus(left, right, terms)
        case Filter(condition, inner):
            return Filter(_expression(condition, terms), inside(inner))
        case Extend(inner, variable, expression):
            return _checked(Extend(inside(inner), variable, _expression(expression, terms)), (variable,), terms)
        case Values(variables, rows):
            return _values(variables, rows, terms)
        case Graph(name, inner):
            return Graph(_operand(name, terms), inside(inner))
        case Foreign(_, variables, _):
            return _checked(node, variables, terms)
    return _modifier(node, terms)


def _modifier(node: Node, terms: Terms) -> Node:
    match node:
        case Group(inner, keys, aggregates):
            return Group(
                bound(inner, terms),
                tuple((name, _expression(key, terms)) for name, key in keys),
                tuple((name, _aggregate(aggregate, terms)) for name, aggregate in aggregates),
            )
        case Project(inner, variables):
            return Project(bound(inner, terms), tuple(name for name in variables if name not in terms))
        case Order(inner, keys):
            return Order(bound(inner, terms), tuple((_expression(key, terms), down) for key, down in keys))
        case Distinct(inner) | Slice(inner):
            return replace(node, node=bound(inner, terms))
    return node


def _checked(node: Node, variables: tuple[str, ...], terms: Terms) -> Node:
    """A node that binds variables by itself, only where they come out as given, and without them."""
    given = {name: terms[name] for name in variables if name in terms}
    if not given:
        return node
    wanted = Values(tuple(given), (tuple(given.values()),))
    return Project(Join((node, wanted)), tuple(sorted(variables_of(node) - given.keys())))


def _minus(left: Node, right: Node, terms: Terms) -> Node:
    changed = Minus(bound(left, terms), bound(right, terms))
    shared = variables_of(left) & variables_of(right) & terms.keys()
    if not shared:
        return changed
    # They still have a variable in common, although none is left to see: so what agrees is taken away.
    name = min(shared)
    sides = (Extend(side, name, terms[name]) for side in (changed.left, changed.right))
    kept = tuple(sorted(variables_of(changed.left)))
    return Project(Minus(*sides), kept)


def _values(variables: tuple[str, ...], rows: tuple[tuple[Term | None, ...], ...], terms: Terms) -> Node:
    kept = [at for at, name in enumerate(variables) if name not in terms]
    agreeing = (
        row for row in rows
        if all(row[at] is None or name not in terms or row[at] == terms[name] for at, name in enumerate(variables))
    )  # fmt: skip
    return Values(tuple(variables[at] for at in kept), tuple(tuple(row[at] for at in kept) for row in agreeing))


def _atom(atom: algebra.Atom, terms: Terms) -> algebra.Atom:
    subject, object = _operand(atom.subject, terms), _operand(atom.object, terms)
    if isinstance(atom, PathPattern):
        path: Path = atom.path
        return PathPattern(subject, path, object)
    return TriplePattern(subject, _operand(atom.predicate, terms), object)


def _operand(operand: Operand, terms: Terms) -> Operand:
    return terms.get(operand.name, operand) if isinstance(operand, Variable) else operand


def _aggregate(aggregate: algebra.Aggregate, terms: Terms) -> algebra.Aggregate:
    if aggregate.argument is None:
        return aggregate
    return replace(aggregate, argument=_expression(aggregate.argument, terms))


def _expression(expression: Expression, terms: Terms) -> Expression:
    match expression:
        case Variable(name):
            return terms.get(name, expression)
        case Call("bound", (Variable(name),)):
            return TRUE if name in terms else expression
        case Call(function, arguments):
            return Call(function, tuple(_expression(argument, terms) for argument in arguments))
        case ForeignCall(name, apply, arguments):
            return ForeignCall(name, apply, tuple(_expression(argument, terms) for argument in arguments))
        case Exists(node, negated):
            return Exists(bound(node, terms), negated)
    return expression
