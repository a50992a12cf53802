"""Rules that pair the members of groups which another relation leads to, evaluated to a ring through those of a circle.

``R(x, u), E(u, v), R(y, v) -> S(x, y)``, as that of restrictions on a class and on one above it, pairs all members x of
the group u with those of v. Where ids of a circle lead to each other by E, and a scheme keeps the transitive closure of
S, one member of each of their groups with one of the next group, and all others with these, is enough: 2 n facts of n
members, each of which the rule derives.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kgreason.algebra.bindings import Bindings
from kgreason.algebra.row_keys import keys_of, numbered
from kgreason.columns import sorted_sets
from kgreason.engine.rules.rule_shapes import Clique
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import BoundOperation, TemplateAtom
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table


@dataclass(frozen=True, slots=True)
class Bridge:
    """That a rule pairs the members of two groups where the atom at `position` leads from one to the other.

    It pairs as a `clique` does, but that in its second half another variable is in the place of `end`, which is one of
    those that name a group, and the atom connects both.
    """

    position: int
    end: int
    clique: Clique


@lru_cache(maxsize=4096)
def bridges(template: RuleTemplate) -> tuple[Bridge, ...]:
    """The ways in which rules of a template do so; their relations do not matter."""
    if not template.has_free_ends or template.checked or template.by_value:
        return ()
    positions = range(len(template.body))
    return tuple(found for position in positions if (found := _bridge(template, position)) is not None)


def _bridge(template: RuleTemplate, position: int) -> Bridge | None:
    """That by the atom at a position, None if it is none."""
    assert template.head is not None
    (member, other), ends = template.head.arguments, template.body[position].arguments
    if len(ends) != 2 or min(ends) < 0 or len({member, other, *ends}) != 4:
        return None
    conditions = _shared_conditions(template, frozenset(ends))
    if conditions is None:
        return None
    rest = [*enumerate(template.body)]
    del rest[position]
    for end, far in (ends, ends[::-1]):
        half = _half(rest, {member: other, end: far})
        if half is not None:
            numbers, twins, variables = half
            group = tuple(sorted(variables - {member}))
            clique = Clique(member, group, numbers, twins, conditions, not template.keeps_ends_apart)
            return Bridge(position, end, clique)
    return None


def _half(
    atoms: list[tuple[int, TemplateAtom]], exchanged: dict[int, int]
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...], frozenset[int]] | None:
    """The numbers of the atoms about some variables, which others are about in the same way with other variables in
    their place; the relations of both, and the variables of the half. None where the two halves differ."""
    back = {far: near for near, far in exchanged.items()}
    by_arguments = {atom.arguments: atom.relation for _, atom in atoms}
    if len(by_arguments) < len(atoms):
        return None
    numbers, twins, variables = [], [], set[int]()
    for number, atom in atoms:
        is_near, is_far = (not atom.variables().isdisjoint(side) for side in (exchanged, back))
        twin = by_arguments.get(tuple({**exchanged, **back}.get(slot, slot) for slot in atom.arguments))
        if twin is None or (is_near and is_far):
            return None
        if not is_far:
            numbers.append(number)
            twins.append((atom.relation, twin))
            variables |= atom.variables()
    return (tuple(numbers), tuple(twins), frozenset(variables)) if exchanged.keys() <= variables else None


def _shared_conditions(template: RuleTemplate, ends: frozenset[int]) -> tuple[BoundOperation, ...] | None:
    """The filters but for those that keep apart the members, or the ends of an atom; None where one of these is about
    something of one half alone."""
    assert template.head is not None
    members, found = frozenset(template.head.arguments), []
    for each in template.conditions:
        if each.operation.function == "!=" and each.variables in (members, ends):
            continue
        if not each.variables.isdisjoint(members | ends):
            return None
        found.append(each)
    return tuple(found)


def ring_of(bridge: Bridge, rows: Bindings[int], closure: Table) -> Table | None:
    """The facts of rings through the groups of circles of a closure, given the members with their groups: the first one
    of each group is paired, both ways, with all of the group before. Each fact is of groups that differ. None where
    there are none; a sort of the rows."""
    if rows.length:
        rows = rows.where(sorted_sets.contains(closure.circles(), rows.columns[bridge.end]))
    if not rows.length:
        return None
    ends, members = rows.columns[bridge.end], rows.columns[bridge.clique.member]
    shared = [rows.columns[name] for name in bridge.clique.group if name != bridge.end]
    _, circles = numbered(keys_of([closure.representatives(ends), *shared], rows.length))
    order = np.lexsort((members, ends, circles))
    circles, ends, members = circles[order], ends[order], members[order]
    is_first = np.ones(rows.length, dtype=np.bool_)
    is_first[1:] = (circles[1:] != circles[:-1]) | (ends[1:] != ends[:-1])
    firsts = np.flatnonzero(is_first)
    # The next group of the same circle, or its first one.
    begins = np.ones(len(firsts), dtype=np.bool_)
    begins[1:] = circles[firsts[1:]] != circles[firsts[:-1]]
    following = np.arange(1, len(firsts) + 1)
    following[np.append(np.flatnonzero(begins)[1:], len(firsts)) - 1] = np.flatnonzero(begins)
    groups = np.cumsum(is_first) - 1
    partners = members[firsts[following[groups]]]
    kept = following[groups] != groups
    if not bridge.clique.has_loops:
        kept &= members != partners
    if not kept.any():
        return None
    members, partners = members[kept], partners[kept]
    return table_of((np.concatenate((members, partners)), np.concatenate((partners, members))))
