"""The order in which the parts of a group are solved, and the tables of those that take no seed are joined.

What joins without more rows than there are comes as early as it can. A product of what shares no variable comes first
where it is small, or where a pattern that connects it then has less to do than it saves; otherwise last.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from kgreason import tuning
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.distinct_rows import distinct
from kgreason.algebra.joins import join_pieces
from kgreason.algebra.local_terms import UNBOUND
from kgreason.sparql import query_tuning
from kgreason.sparql.algebra import Basic, Names, Node, Union
from kgreason.sparql.algebra_tree import without_filters
from kgreason.sparql.patterns.basic import expected_solutions, expected_work, sampled_solutions
from kgreason.sparql.patterns.resolving import resolved
from kgreason.sparql.scope import bound_variables, given_variables, mentioned_variables, variables_of
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.solver import Solver


@dataclass(frozen=True, slots=True)
class Branches:
    """A UNION of which some branches take a seed, and others do not; these share some variables with other parts."""

    union: Union
    seeded: tuple[Node, ...]
    apart: tuple[Node, ...]
    shared: Names


Link: TypeAlias = Node | Branches | Solutions
"""What solutions are extended by: a node that they are handed down to, or a table that they are joined with."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of a group with its variables, found once: those that it may bind, that it surely binds, that it is given
    by others, and all that it mentions."""

    link: Link
    names: Names
    bound: Names
    given: Names
    mentioned: Names

    @classmethod
    def of(cls, link: Link) -> Part:
        """With the variables of a node or a table."""
        if isinstance(link, Bindings):
            names = frozenset(link.columns)
            bound = frozenset(name for name, column in link.columns.items() if not (column == UNBOUND).any())
            return cls(link, names, bound, frozenset(), names)
        node = link.union if isinstance(link, Branches) else link
        return cls(link, variables_of(node), bound_variables(node), given_variables(node), mentioned_variables(node))

    @property
    def pattern(self) -> Basic | None:
        """The basic graph pattern that it is, filters on it left out; None for other parts."""
        if isinstance(self.link, Branches | Bindings):
            return None
        node, _ = without_filters(self.link)
        return node if isinstance(node, Basic) else None

    def is_impossible(self, solver: Solver) -> bool:
        """Whether it is a pattern with a term or a relation that the graph does not have."""
        pattern = self.pattern
        return pattern is not None and resolved(pattern.atoms, solver.source, solver.terms, solver.paths) is None


def beginning(
    solver: Solver, seed: Solutions, tables: Sequence[Solutions], parts: Sequence[Part]
) -> tuple[Solutions, list[Solutions]]:
    """The seed joined with tables that are best joined before any part is solved, and the other tables."""
    waiting = sorted(tables, key=len)
    put_off: list[Solutions] = []
    few = tuning.FEW_PAIRED if solver.limits.rows is None else min(tuning.FEW_PAIRED, solver.limits.rows)
    while waiting and seed.length:
        sharing = (at for at, table in enumerate(waiting) if table.length == 1 or table.columns.keys() & seed.columns)
        at = next(sharing, None)
        if at is None:
            at = _worth_pairing(solver, seed, waiting, parts, few)
            if at is None:
                break
            few_rows = seed.length * waiting[at].length
        else:
            few_rows = max(few, seed.length, waiting[at].length)
        table = waiting.pop(at)
        found = _joined_within(seed, table, few_rows)
        if found is None:
            put_off.append(table)
        else:
            seed = found
    return seed, [*waiting, *put_off]


def _joined_within(left: Solutions, right: Solutions, most: int) -> Solutions | None:
    """The join of both; None where it has more rows than `most`."""
    found: list[Solutions] = []
    rows = 0
    for piece in join_pieces(left, right):
        rows += piece.length
        if rows > most:
            return None
        found.append(piece)
    return Solutions.concatenated(found) if found else Solutions.none((*left.columns, *right.columns))


def _worth_pairing(
    solver: Solver, seed: Solutions, tables: Sequence[Solutions], parts: Sequence[Part], few: int
) -> int | None:
    """The number of a table, none of which shares a variable with the seed, to pair with it before a part that connects
    them is solved: one that makes few pairs, or that saves patterns more work than it makes. The tables are in the
    order of their sizes."""
    names = frozenset[str]().union(*(part.names for part in parts))
    connected = [at for at, table in enumerate(tables) if not names.isdisjoint(table.columns)]
    if not connected:
        return None
    if seed.length * tables[connected[0]].length <= few:
        return connected[0]
    patterns = [(part.names, part.pattern) for part in parts if part.pattern is not None]
    if not patterns:
        return connected[0] if seed.is_unit else None
    ends = {name: float(seed.length) for name in seed.columns}
    alone = [
        max(expected_work(solver, pattern, ends, seed.length), sampled_solutions(solver, pattern, seed))
        for _, pattern in patterns
    ]
    best, most = None, 0.0
    for at in connected[: query_tuning.PLANNED_TABLES]:
        table, rows = tables[at], seed.length * tables[at].length
        if solver.limits.rows is not None and rows > solver.limits.rows:
            break
        paired = ends | {name: float(table.length) for name in table.columns}
        saved = sum(
            work - expected_work(solver, pattern, paired, rows)
            for (own, pattern), work in zip(patterns, alone, strict=True)
            if not own.isdisjoint(table.columns)
        )
        if saved - rows > most:
            best, most = at, saved - rows
    return best


def ordered(
    solver: Solver, parts: Sequence[Part], tables: Sequence[Solutions], before: Sequence[Part]
) -> Iterator[Part]:
    """Parts and tables in the order in which they extend what is there before: a table as soon as it adds no rows;
    patterns first whose solutions make few pairs; and then, each after those that bind what it is given, and as long as
    there are such, what shares a variable with those before: patterns before other parts, small ones before large ones,
    and before tables that add rows."""
    left, few = _by_size(solver, parts)
    waiting = [Part.of(table) for table in sorted(tables, key=len)]
    joinable: list[Part] = []
    names = frozenset[str]().union(*(part.names for part in before))
    bound = fresh = frozenset[str]().union(*(part.bound for part in before))
    while left or waiting:
        if fresh:
            joinable += [part for part in waiting if not fresh.isdisjoint(part.names) and _adds_no_rows(part, bound)]
            joinable = list(dict.fromkeys(joinable))
        part = joinable.pop(0) if joinable else left[0] if few > 0 else _next(left, waiting, names)
        few -= part in left
        (left if part in left else waiting).remove(part)
        names |= part.names
        fresh = part.bound - bound
        bound |= fresh
        yield part


def _by_size(solver: Solver, parts: Sequence[Part]) -> tuple[list[Part], int]:
    """Patterns by about how many solutions they have, then other parts; and how many patterns make few pairs."""
    patterns = [(part, part.pattern) for part in parts if part.pattern is not None]
    others = [part for part in parts if part.pattern is None]
    if len(patterns) < 2:
        return [*(part for part, _ in patterns), *others], 0
    sizes = {part: expected_solutions(solver, pattern, Solutions.unit()) for part, pattern in patterns}
    left = sorted(sizes, key=sizes.__getitem__)
    pairs = accumulate(sorted(sizes.values()), operator.mul)
    return [*left, *others], sum(count <= tuning.FEW_PAIRED for count in pairs)


def _next(left: Sequence[Part], waiting: Sequence[Part], names: Names) -> Part:
    ready = [part for part in left if part.given <= names]
    for part in ready:
        if not names.isdisjoint(part.names):
            return part
    for part in waiting:
        if not names.isdisjoint(part.names):
            return part
    return (ready or waiting or left)[0]


def _adds_no_rows(part: Part, bound: Names) -> bool:
    """Whether no two rows of a table are the same in the variables that solutions bind."""
    assert isinstance(part.link, Bindings), "no table"
    keys = part.names & bound
    return keys <= part.bound and distinct(part.link.only(keys)).length == part.link.length
