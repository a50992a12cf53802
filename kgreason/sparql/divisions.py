"""Parts of a pattern that no variable connects.

    ?a skos:prefLabel ?x . ?b skos:altLabel ?y FILTER (lcase(str(?x)) = lcase(str(?y)))
    ?a ex:begin ?x ; ex:end ?z . ?b ex:at ?y FILTER (?x <= ?y && ?y < ?z)
    ?a a skos:Concept . ?b skos:notation ?y FILTER (?y < 3)

Where a filter for equal values, or for their order, connects them, they are joined by these (`division_joins`), not
paired. Others are paired, but of each only what passes its own filters. What no filter connects, either, is solved
apart first, so that nothing is multiplied by it before it is known which solutions there are. The solutions that are
handed down are one of the parts, as in OPTIONAL and EXISTS with such a filter inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf
from typing import Any, TypeAlias, TypeGuard

from kgreason import tuning
from kgreason.algebra.connected_parts import connected
from kgreason.algebra.expressions.separation import separated
from kgreason.algebra.expressions.sides import Bounds, bounds_of
from kgreason.algebra.expressions.tree import Call, Equation, is_equation, is_ordering
from kgreason.sparql import query_tuning
from kgreason.sparql.algebra import Basic, Expression, Join, Names, Node, names_of
from kgreason.sparql.algebra_tree import filtered, patterns_in
from kgreason.sparql.patterns.basic import expected_solutions
from kgreason.sparql.scope import expression_variables, given_variables, mentioned_variables
from kgreason.sparql.solution_expressions import is_fresh
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.solver import Solver


@dataclass(frozen=True, slots=True)
class Division:
    """A pattern in two, where `part` shares no variable with `rest` and with what is handed down. `rest` is None where
    the part is all of the pattern."""

    rest: Node | None
    part: Node
    equations: Sequence[Equation[Any]]
    """Filters for equal values of the rest, on the left, and the part."""
    bounds: Bounds[Any] | None
    """Filters for an order of values of the rest, on the left, and the part, where no equation connects them."""
    remaining: Sequence[Expression]
    """The filters of both together, those of the equations and bounds among them."""

    @property
    def parts(self) -> tuple[Node, ...]:
        """What is solved by itself, in this order."""
        return (self.part,) if self.rest is None else (self.part, self.rest)

    @property
    def links(self) -> tuple[object, ...]:
        """What connects the parts."""
        return (*self.equations, *(() if self.bounds is None else self.bounds.comparisons))


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What variables connect of a pattern, and of the seed."""

    names: Names
    nodes: Sequence[Node]
    is_seeded: bool

    @classmethod
    def of(cls, parts: Sequence[_Part]) -> _Part:
        """Several parts as one."""
        nodes = [node for part in parts for node in part.nodes]
        return cls(_names_of(parts), nodes, any(part.is_seeded for part in parts))

    def has(self, names: Names) -> bool:
        """Whether these are variables of this part alone."""
        return bool(names) and names <= self.names

    def expected(self, solver: Solver, seed: Solutions) -> float:
        """About how many solutions it has; infinite for others than patterns."""
        if not self.nodes:
            return seed.length
        pattern = _together(self.nodes)
        if not isinstance(pattern, Basic):
            return inf
        return expected_solutions(solver, pattern, seed if self.is_seeded else Solutions.unit())


_Link: TypeAlias = tuple[Call[Any], tuple[_Part, _Part]]
"""A filter that connects two parts."""


def divided(
    solver: Solver, pattern: Node, conditions: Sequence[Expression], seed: Solutions, *, streaming: bool
) -> Division | None:
    """A pattern with filters on it in two, that no filter connects, or one for equal values or an order, or others,
    where one has a filter of its own; None where it is not to be divided. With `streaming` the first solutions are
    wanted soon, so that nothing is solved as a whole for its filter alone where others connect it; nor is it for a
    single solution of the seed, which makes no more pairs."""
    if not isinstance(pattern, Basic | Join):
        return None
    given = frozenset(seed.columns)
    may_connect = any(map(_may_connect, conditions))
    if not may_connect and _is_connected(pattern, given if seed.length > 1 else frozenset()):
        return None
    groups = connected([(given, None), *_units(pattern)])
    parts = [_Part(names, [node for node in nodes if node is not None], None in nodes) for names, nodes in groups]
    apart = _apart(solver, parts, conditions, seed)
    if apart is not None:
        return apart
    links = [link for condition in conditions for link in _links(condition, parts)]
    chosen = _linked(solver, parts, links, seed) if links else None
    if chosen is None and not streaming:
        chosen = _filtered_part(solver, parts, conditions, seed)
    if chosen is None:
        return None
    found = _divided_at(chosen, parts, links, conditions)
    return found if found.links or found.rest is not None or seed.length > 1 else None


def _apart(
    solver: Solver, parts: Sequence[_Part], conditions: Sequence[Expression], seed: Solutions
) -> Division | None:
    """The division at the part with fewest solutions of those that no filter connects; None where filters connect all,
    and where none is asked of variables."""
    known = _names_of(parts)
    read = {n: expression_variables(each) & known for n, each in enumerate(conditions) if not is_fresh(each)}
    if not any(read.values()):
        return None
    groups = connected(chain(((part.names, part) for part in parts), ((names, None) for names in read.values())))
    blocks = [_Part.of([part for part in members if part is not None]) for _, members in groups]
    free = [block for block in blocks if block.nodes and not block.is_seeded]
    is_whole = seed.length <= 1 and sum(bool(block.nodes) for block in blocks) == 1
    if not free or is_whole or len(blocks) > query_tuning.PARTS_APART:
        return None
    part = free[0] if len(free) == 1 else min(free, key=lambda block: block.expected(solver, seed))
    rest = [node for block in blocks if block is not part for node in block.nodes]
    own = [n for n, names in read.items() if names <= part.names]
    before = [n for n in read if rest and n not in own]
    return Division(
        filtered(_together(rest), [conditions[n] for n in before]) if rest else None,
        filtered(_together(part.nodes), [conditions[n] for n in own]),
        (),
        None,
        [condition for n, condition in enumerate(conditions) if n not in own and n not in before],
    )


def _linked(solver: Solver, parts: Sequence[_Part], links: Sequence[_Link], seed: Solutions) -> _Part | None:
    """The part to join by the links, by equal values if there are such: one without which the others are as connected,
    and of these one with few solutions. None where pairs are so few that they need no order."""
    equations = [link for link in links if is_equation(link[0])]
    free = dict.fromkeys(part for _, sides in equations or links for part in sides if not part.is_seeded)
    apart = {part: _count_without(part, parts, links) for part in free}
    ends = [part for part in free if apart[part] == min(apart.values())]
    if equations:
        return ends[0] if len(ends) == 1 else min(ends, key=lambda part: part.expected(solver, seed))
    expected = {part: part.expected(solver, seed) for part in ends}
    if min(expected.values()) <= query_tuning.FEW_BESIDE:
        return None
    chosen = min(ends, key=lambda part: (_bounds(part, links).is_turned, expected[part]))
    others = {other for _, sides in links if chosen in sides for other in sides if other is not chosen}
    less, more = sorted((expected[chosen], max(other.expected(solver, seed) for other in others)))
    return chosen if less > query_tuning.FEW_BESIDE and less * more > tuning.FEW_PAIRED else None


def _count_without(part: _Part, parts: Sequence[_Part], links: Sequence[_Link]) -> int:
    """Into how many the others fall that links connect."""
    own = ((other.names, None) for other in parts if other is not part and other.names)
    return len(connected(chain(own, ((_names_of(sides), None) for _, sides in links if part not in sides))))


def _names_of(sides: Sequence[_Part]) -> Names:
    return frozenset[str]().union(*(side.names for side in sides))


def _filtered_part(
    solver: Solver, parts: Sequence[_Part], conditions: Sequence[Expression], seed: Solutions
) -> _Part | None:
    """The part with fewest solutions of those with a filter of their own, to be paired; None without any."""
    sought = [expression_variables(condition) for condition in conditions if _is_own(condition)]
    free = [part for part in parts if not part.is_seeded and any(map(part.has, sought))]
    return free[0] if len(free) == 1 else min(free, key=lambda part: part.expected(solver, seed), default=None)


def _divided_at(
    part: _Part, parts: Sequence[_Part], links: Sequence[_Link], conditions: Sequence[Expression]
) -> Division:
    """The pattern without a part, and this."""
    others = _names_of([other for other in parts if other is not part])
    rest = [node for other in parts if other is not part for node in other.nodes]
    own = [condition for condition in conditions if _is_of(condition, part.names)]
    before = [condition for condition in conditions if rest and condition not in own and _is_of(condition, others)]
    own_links = [link for link in links if part in link[1]]
    equations = [_equation(link, part) for link in own_links if is_equation(link[0])]
    return Division(
        filtered(_together(rest), before) if rest else None,
        filtered(_together(part.nodes), own),
        equations,
        _bounds(part, links) if own_links and not equations else None,
        [condition for condition in conditions if condition not in own and condition not in before],
    )


# -- how a pattern is divided --------------------------------------------------------------------------------------


def _may_connect(condition: Expression) -> bool:
    """Whether a filter compares values of variables."""
    if is_ordering(condition) and next(separated(condition), None) is not None:
        return True
    return _compares(condition)


def _compares(condition: Expression) -> TypeGuard[Call[Any]]:
    """Whether both sides of a filter have variables."""
    return (is_equation(condition) or is_ordering(condition)) and all(map(expression_variables, condition.arguments))


def _links(condition: Expression, parts: Sequence[_Part]) -> list[_Link]:
    """A filter that compares values of two parts with these, or what it says of each of two such values; none of
    others."""
    if not _is_own(condition):
        return []
    link = _link(condition, parts) if _compares(condition) else None
    if link is not None:
        return [link]
    says = separated(condition) if is_ordering(condition) else ()
    return [link for each in says if (link := _link(each, parts)) is not None]


def _link(comparison: Call[Any], parts: Sequence[_Part]) -> _Link | None:
    sides = [part for each in comparison.arguments for part in parts if part.has(expression_variables(each))]
    return (comparison, (sides[0], sides[1])) if len({*sides}) == 2 else None


def _equation(link: _Link, part: _Part) -> Equation[Any]:
    """A link for equal values, the value of the part on the right."""
    call, sides = link
    left, right = call.arguments if part is sides[1] else reversed(call.arguments)
    return Equation(left, right, call.function)


def _bounds(part: _Part, links: Sequence[_Link]) -> Bounds[Any]:
    """The order of the values of a part and others, which some links are for."""
    conditions = [call for call, sides in links if part in sides and is_ordering(call)]
    others = _names_of([other for _, sides in links if part in sides for other in sides if other is not part])
    found = bounds_of(
        conditions,
        lambda side: bool(names := expression_variables(side)) and names <= others,
        lambda side: part.has(expression_variables(side)),
    )
    assert found is not None, "no order connects the part"
    return found


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
