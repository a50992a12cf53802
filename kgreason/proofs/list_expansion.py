"""Atoms in the place of those about all members of a list, so that each of them can be missing by itself."""

from __future__ import annotations

from itertools import pairwise

from kgreason.algebra.expressions.tree import Variable
from kgreason.proofs.fact_reader import Premises, Reader
from kgreason.proofs.rule_patterns import EveryPattern, PathPattern, Pattern, Vocabulary
from kgreason.proofs.steps import TRIPLE, Fact


def expanded(
    part: EveryPattern | PathPattern, head: int, facts: Reader, vocabulary: Vocabulary, premises: Premises
) -> tuple[tuple[Pattern, ...], Premises] | None:
    """The atoms for the members of a list, and the premises with its cells; None for a list that is empty, cut off,
    cyclic, or forked: it says nothing, or not one thing."""
    members: list[int] = []
    cells: set[int] = set()
    cell = head
    while cell != vocabulary.nil:
        first, rest = (
            [*facts.matches(TRIPLE, (cell, predicate, None))] for predicate in (vocabulary.first, vocabulary.rest)
        )
        if cell in cells or len(first) != 1 or len(rest) != 1:
            return None
        cells.add(cell)
        members.append(first[0][2])
        premises = (Fact(TRIPLE, rest[0]), (Fact(TRIPLE, first[0]), premises))
        cell = rest[0][2]
    if not members:
        return None
    if isinstance(part, PathPattern):
        return _path(part, members, vocabulary), premises
    return tuple(pattern for row, member in enumerate(members) for pattern in _for_member(part, member, row)), premises


def _path(part: PathPattern, properties: list[int], vocabulary: Vocabulary) -> tuple[Pattern, ...]:
    between = (Variable(f"step.{row}") for row in range(1, len(properties)))
    nodes = (part.start, *between, part.end)
    return tuple(
        Pattern(TRIPLE, (start, property, end), property == vocabulary.type and isinstance(end, Variable))
        for property, (start, end) in zip(properties, pairwise(nodes), strict=True)
    )


def _for_member(part: EveryPattern, member: int, row: int) -> list[Pattern]:
    """The atoms for one member; local variables are its own: no rule has names with a dot."""
    values = {variable: Variable(f"{variable.name}.{row}") for variable in part.local} | {part.member: member}
    return [
        Pattern(
            atom.relation,
            tuple(values.get(each, each) if isinstance(each, Variable) else each for each in atom.arguments),
            atom.is_open,
        )
        for atom in part.atoms
    ]
