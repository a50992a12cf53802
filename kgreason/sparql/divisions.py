"""Parts of a pattern that no variable connects.

    ?a skos:prefLabel ?x . ?b skos:altLabel ?y FILTER (lcase(str(?x)) = lcase(str(?y)))
    ?a a skos:Concept . ?b skos:notation ?y FILTER (?y < 3)

Where a filter for equal values connects them, they are joined by these, not paired. Others are paired, but of each only
what passes its own filters.

The solutions that are handed down are one of the parts, as in OPTIONAL and EXISTS with such a filter inside. Of two
others the smaller one is solved first, as a whole; the rest comes batch by batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf
from typing import Any, TypeGuard

import numpy as np

from kgreason.algebra.connected_parts import connected
from kgreason.algebra.expressions.equality_keys import has_singles, term_keys, value_keys
from kgreason.algebra.expressions.tree import Call, Equation, is_equation
from kgreason.algebra.joins import KeyedRows
from kgreason.algebra.row_keys import Ids
from kgreason.columns.mixing import Hashes, mixed
from kgreason.sparql.algebra import Basic, Expression, Join, Names, Node, names_of
from kgreason.sparql.algebra_tree import filtered, patterns_in
from kgreason.sparql.patterns.basic import expected_solutions
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import expression_variables, given_variables, mentioned_variables
from kgreason.sparql.solution_expressions import demand_of, is_fresh
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.solver import Solver


@dataclass(frozen=True, slots=True)
class Division:
    """A pattern in two, where `part` shares no variable with `rest` and with what is handed down. `rest` is None where
    the part is all of the pattern."""

    rest: Node | None
    part: Node
    equations: Sequence[Equation[Any]]
    """Filters of which each side is of one part alone."""
    remaining: Sequence[Expression]
    """The filters of both together, those of the equations among them."""

    @property
    def parts(self) -> tuple[Node, ...]:
        """What is solved by itself, in this order."""
        return (self.part,) if self.rest is None else (self.part, self.rest)


def divided(
    solver: Solver, pattern: Node, conditions: Sequence[Expression], seed: Solutions, *, streaming: bool
) -> Division | None:
    """A pattern with filters on it in two, that equations connect, or that nothing does, where one has a filter of its
    own; None where it is not to be divided. With `streaming` the first solutions are wanted soon, so that nothing is
    solved as a whole for its filter alone; nor is it for a single solution of the seed, which makes no more pairs."""
    if not isinstance(pattern, Basic | Join):
        return None
    given = frozenset(seed.columns)
    if not any(map(_is_of_variables, conditions)) and (
        streaming or _is_connected(pattern, given if seed.length > 1 else frozenset())
    ):
        return None
    groups = connected([(given, None), *_units(pattern)])
    parts = [(names, [node for node in nodes if node is not None], None in nodes) for names, nodes in groups]
    known = [names for names, _, _ in parts]
    equations = [found for condition in conditions if (found := _equation(condition, known)) is not None]
    if equations:
        sought = [expression_variables(equations[0].left), expression_variables(equations[0].right)]
    else:
        sought = [expression_variables(condition) for condition in conditions if _is_own(condition)]
    free = [part for part in parts if not part[2] and any(names <= part[0] for names in sought if names)]
    if not free:
        return None
    chosen = free[0] if len(free) == 1 else min(free, key=lambda part: _size(solver, part[1]))
    names, nodes, _ = chosen
    others = frozenset[str]().union(*(each for each in known if each is not names))
    rest = [node for part in parts if part is not chosen for node in part[1]]
    if not (equations or rest or seed.length > 1):
        return None
    own = [condition for condition in conditions if _is_of(condition, names)]
    before = [condition for condition in conditions if rest and condition not in own and _is_of(condition, others)]
    sides = [each if expression_variables(each.right) <= names else each.reversed() for each in equations]
    return Division(
        filtered(_together(rest), before) if rest else None,
        filtered(_together(nodes), own),
        [each for each in sides if expression_variables(each.right) <= names],
        [condition for condition in conditions if condition not in own and condition not in before],
    )


def joined_parts(solver: Solver, division: Division, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
    """The solutions of both parts that agree with the equations and pass the other filters."""
    demand = demand_of(division.remaining, demand)
    part = solver.whole(division.part, demand)
    if not part.length:
        return
    theirs = [solver.values(each.right, part) for each in division.equations]
    is_single = _has_singles(solver, division.equations, theirs)
    keyed: dict[bool, KeyedRows[str]] = {}
    for batch in [seed] if division.rest is None else solver.solve(division.rest, seed, demand):
        if not batch.length:
            continue
        mine = [solver.values(each.left, batch) for each in division.equations]
        are_rounded = is_single or _has_singles(solver, division.equations, mine)
        if are_rounded not in keyed:
            keyed[are_rounded] = KeyedRows.of(*_keyed(solver, division.equations, part, theirs, are_rounded))
        left, keys = _keyed(solver, division.equations, batch, mine, are_rounded)
        for found in keyed[are_rounded].joined(left, keys):
            solver.limits.check(found.length)
            yield solver.passing(division.remaining, found)


def _has_singles(solver: Solver, equations: Sequence[Equation[Any]], columns: Sequence[Ids]) -> bool:
    values = (ids for equation, ids in zip(equations, columns, strict=True) if equation.symbol == "=")
    return any(has_singles(ids, solver.terms) for ids in values)


def _keyed(
    solver: Solver, equations: Sequence[Equation[Any]], rows: Solutions, columns: Sequence[Ids], are_rounded: bool
) -> tuple[Solutions, Hashes]:
    """The solutions that may be equal to others in all equations, and a key for each."""
    keys = np.zeros(rows.length, dtype=np.uint64)
    there = np.ones(rows.length, dtype=np.bool_)
    for equation, ids in zip(equations, columns, strict=True):
        by_values = equation.symbol == "="
        some, known = value_keys(ids, solver.terms, are_rounded) if by_values else term_keys(ids)
        keys = mixed(keys) ^ some
        there &= known
    return rows.where(there), keys[there]


# -- how a pattern is divided --------------------------------------------------------------------------------------


def _is_of_variables(condition: Expression) -> TypeGuard[Call[Any]]:
    """Whether a filter is an equation with variables on both sides."""
    return is_equation(condition) and all(map(expression_variables, condition.arguments))


def _equation(condition: Expression, parts: Sequence[Names]) -> Equation[Any] | None:
    """A filter as an equation of two of the parts, None for other filters."""
    if not _is_of_variables(condition) or is_fresh(condition) or patterns_in(condition):
        return None
    left, right = condition.arguments
    sides = [next((names for names in parts if expression_variables(side) <= names), None) for side in (left, right)]
    return Equation(left, right, condition.function) if None not in sides and sides[0] != sides[1] else None


def _is_connected(pattern: Basic | Join, given: Names) -> bool:
    """Whether variables connect all of a pattern, and this with some that are given: so it is with most."""
    own = _units(pattern) if isinstance(pattern, Join) else ((names_of(atom.operands), None) for atom in pattern.atoms)
    return len(connected(chain([(given, None)] if given else [], own))) < 2


def _units(pattern: Basic | Join) -> Iterator[tuple[Names, Node]]:
    """The atoms of a pattern, and its other parts, each with the variables that connect it with others."""
    for part in pattern.parts if isinstance(pattern, Join) else (pattern,):
        if isinstance(part, Basic):
            yield from ((names_of(atom.operands), Basic((atom,))) for atom in part.atoms)
        else:
            yield mentioned_variables(part) | given_variables(part), part


def _together(nodes: Sequence[Node]) -> Node:
    """Some of the units as one pattern."""
    atoms = [atom for node in nodes if isinstance(node, Basic) for atom in node.atoms]
    others = [node for node in nodes if not isinstance(node, Basic)]
    parts = [Basic(tuple(atoms)), *others] if atoms else others
    return parts[0] if len(parts) == 1 else Join(tuple(parts))


def _is_of(condition: Expression, names: Names) -> bool:
    """Whether a filter passes the same when it is put to solutions of these variables alone."""
    return expression_variables(condition) <= names and _is_own(condition)


def _is_own(condition: Expression) -> bool:
    """Whether a filter passes the same when it is put to solutions of its variables alone."""
    return not is_fresh(condition) and not patterns_in(condition)


def _size(solver: Solver, nodes: Sequence[Node]) -> float:
    """About how many solutions some of the units have; infinite for others than patterns."""
    pattern = _together(nodes)
    return expected_solutions(solver, pattern) if isinstance(pattern, Basic) else inf
