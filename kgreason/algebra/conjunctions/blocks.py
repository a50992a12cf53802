"""Parts of a conjunction that hang together by variables which nothing else has a use for.

Of such a part only the ends matter that it has in common with the rest: of the triangles in
``q(x) :- e(x, y), e(y, z), e(z, x), e(x, v)`` which x they have. It is satisfied first, and its ends go on once:
Yannakakis' algorithm (VLDB 1981) for the parts between the variables that are wanted, which may themselves have cycles.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.algebra.bindings import V


def block_of(
    first: frozenset[V], others: Sequence[frozenset[V]], bound: frozenset[V], wanted: frozenset[V]
) -> list[int]:
    """Which other atoms belong with the one that is joined next; all, if it has no variable of its own.

    An atom belongs with it that shares a variable which is neither bound nor wanted, with it or another one that
    belongs with it, and one that leaves nothing free.

    Args:
        first, others: the variables of the atoms.
        bound: the variables of the rows.
        wanted: those that the solutions need.
    """
    own = first - bound - wanted
    left = [*range(len(others))]
    block: list[int] = []
    while left:
        found = [number for number in left if not own.isdisjoint(others[number])]
        if not found:
            break
        block += found
        left = [number for number in left if number not in found]
        own = own.union(*(others[number] for number in found)) - bound - wanted
    if not own:
        return [*range(len(others))]
    reached = bound.union(first, *(others[number] for number in block))
    return sorted([*block, *(number for number in left if others[number] <= reached)])


def filtering_block(
    atoms: Sequence[frozenset[V]], bound: frozenset[V], wanted: frozenset[V]
) -> list[int] | None:
    """The first block that binds nothing that is wanted, so that it only tells which rows there are; None where there
    is none, or nothing beside it. The arguments are as in `block_of`."""
    for number, variables in enumerate(atoms):
        others = [*range(number), *range(number + 1, len(atoms))]
        belonging = block_of(variables, [atoms[each] for each in others], bound, wanted)
        block = sorted([number, *(others[each] for each in belonging)])
        reached = frozenset[V]().union(*(atoms[each] for each in block))
        if len(block) < len(atoms) and reached & wanted <= bound:
            return block
    return None
