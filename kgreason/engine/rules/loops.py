"""In which order the atoms of a rule are looked up for one fact of another atom of it: an index nested loops join.

The atoms are taken in the order in which their arguments get values, by constants, the fact and the atoms before them:
first one that is only tested, else the one with the fewest values still open. Counts of facts play no part, since who
goes through the loops (`nested_loops`) leaves a rule whose loops turn out long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgreason.engine import rule_tuning
from kgreason.engine.rules.template_parts import Slot, TemplateAtom


@dataclass(frozen=True, slots=True)
class Loop:
    """One atom of a body when its turn comes.

    Args:
        relation: the number of the parameter that its relation is.
        bound: the positions of the arguments that have a value, and their slots.
        free: the positions of the others, and their variables.
        is_test: whether nothing reads the variables that are free: one fact is as good as many.
        is_denied: whether the atom is negated; then nothing is free.
    """

    relation: int
    bound: tuple[tuple[int, Slot], ...]
    free: tuple[tuple[int, int], ...]
    is_test: bool = False
    is_denied: bool = False

    @classmethod
    def of(cls, atom: TemplateAtom, known: frozenset[int], needed: frozenset[int], is_denied: bool = False) -> Loop:
        """An atom whose turn comes when some variables are known, and of which some are needed after it."""
        places = [(place, slot, slot < 0 or slot in known) for place, slot in enumerate(atom.arguments)]
        bound = tuple((place, slot) for place, slot, has_value in places if has_value)
        free = tuple((place, slot) for place, slot, has_value in places if not has_value)
        is_test = needed.isdisjoint(slot for _, slot in free)
        return cls(atom.relation, bound, free, is_test, is_denied)


Loops: TypeAlias = tuple[Loop, ...]
"""The atoms in the order in which they are looked up."""


def loops_from(
    first: TemplateAtom, rest: Sequence[TemplateAtom], negated: Sequence[TemplateAtom], wanted: frozenset[int]
) -> Loops | None:
    """The other atoms of a body in the order in which they are looked up once the first one has a fact, the negated
    ones last, where the values of some variables are wanted; None where one would be gone through as a whole, is
    denied of all values of a variable, or gets values by then for some of its arguments only and has more than two of
    them. Atoms are at most `LOOPED_ATOMS`: O(atoms squared)."""
    if len(rest) > rule_tuning.LOOPED_ATOMS:
        return None
    known, waiting = first.variables(), [*rest]
    order: list[tuple[TemplateAtom, frozenset[int]]] = []
    while waiting:
        atom = min(waiting, key=lambda each: len(each.variables() - known))
        waiting.remove(atom)
        order.append((atom, known))
        known |= atom.variables()
    if any(not atom.variables() <= known for atom in negated):
        return None
    needed = wanted.union(*(atom.variables() for atom in negated))
    found = [Loop.of(atom, known, needed, is_denied=True) for atom in negated]
    for atom, before in reversed(order):
        loop = Loop.of(atom, before, needed)
        if loop.free and not (len(loop.free) == len(loop.bound) == 1):
            return None
        found.insert(0, loop)
        needed |= atom.variables()
    return tuple(found)
