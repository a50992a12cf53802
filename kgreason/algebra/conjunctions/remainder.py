"""What of a conjunction is still to be satisfied, and its division in two.

A division says which atoms are satisfied first, and what of the conjunction goes on with their solutions. Of these it
needs some variables alone, which is what a division is for; or they share none with the rows that are there, so that
they are satisfied once, and not for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Self, TypeAlias, TypeVar

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, Mask, Multiplicity, V
from kgreason.algebra.conjunctions.blocks import block_of, filtering_block
from kgreason.algebra.conjunctions.conditions import Conditions
from kgreason.algebra.conjunctions.interchangeable import Interchangeable
from kgreason.algebra.conjunctions.known_ends import MOST, EndsOfParts
from kgreason.algebra.conjunctions.membership import Membership
from kgreason.algebra.conjunctions.parts import Part, best_connected
from kgreason.algebra.conjunctions.projections import Projections
from kgreason.algebra.conjunctions.reductions import Reductions
from kgreason.algebra.extend import trimmed
from kgreason.algebra.next_steps import NextStep
from kgreason.algebra.witnesses import are_shared
from kgreason.relations.table import Table

Join: TypeAlias = tuple[Atom[V], Table]
"""An atom that is still to be joined, and its facts."""

Tick: TypeAlias = Callable[[], None]
"""Looks at the clock; raises an error when time is up."""

W = TypeVar("W")
"""A class of remainders."""


@dataclass(frozen=True, slots=True)
class Divided(Generic[W, V]):
    """A conjunction in two: a block that is satisfied first, the variables that what is left needs then, and what is
    left."""

    block: W
    needed: frozenset[V]
    rest: W


@dataclass(frozen=True, slots=True)
class SetApart(Generic[W, V]):
    """A conjunction in two that share no variable: a block, its variables, and what is left, with the conditions for
    both."""

    block: W
    variables: frozenset[V]
    rest: W


@dataclass(slots=True, eq=False, repr=False)
class Remainder(Generic[V]):
    """What of a conjunction is still to be satisfied.

    `kept` are the variables that who asks for the solutions has a use for; all if it is None. `given` are those of the
    solutions alone, where these are known. `interchangeable` says which rows do as well as others.
    """

    joins: list[Join[V]]
    conditions: Conditions[V]
    kept: frozenset[V] | None
    tick: Tick
    given: frozenset[V] | None = None
    interchangeable: Interchangeable[V] | None = None
    membership: Membership = field(default_factory=Membership)
    ends: EndsOfParts[V] = field(default_factory=EndsOfParts)
    projections: Projections[V] = field(default_factory=Projections)
    reductions: Reductions[V] = field(default_factory=Reductions)

    def copied(self) -> Self:
        """The same, with a list of joins of its own."""
        return replace(self, joins=list(self.joins))

    def keeping(self, variables: frozenset[V] | None) -> Self:
        """A copy of which other variables are kept, with all their values."""
        return replace(self.copied(), kept=variables, given=None, interchangeable=None)

    @property
    def wanted(self) -> frozenset[V] | None:
        """The variables that who asks for the solutions, or a condition that is still to be asked, has a use for; all
        if it is None."""
        if self.kept is None or not self.conditions:
            return self.kept
        return self.kept.union(*self.conditions.each())

    def needed(self) -> frozenset[V] | None:
        """The same, with those of the atoms that are left."""
        wanted = self.wanted
        return None if wanted is None else wanted.union(*[atom.variables for atom, _ in self.joins])

    def is_tested(self, rows: Bindings[V]) -> bool:
        """Whether it is worth looking for atoms that only test rows."""
        return rows.length >= tuning.PRODUCT_ROWS and 2 <= len(self.joins) < tuning.LONG_BODY

    def is_outdone(self, first: Join[V]) -> bool:
        """Whether an atom has so few facts beside another that it is better to begin with it."""
        rows = first[1].estimate
        if rows < tuning.SAMPLED_ROWS:
            return False
        most = rows if first[1].is_virtual else rows / tuning.OUTDONE
        return any(table.estimate < most for _, table in self.joins)

    def are_reduced(self, rows: Bindings[V], step: NextStep[V]) -> bool:
        """Whether atoms have fewer facts now, since a step makes many rows, and others leave few of their facts."""
        if rows.length < tuning.SAMPLED_ROWS or not 2 <= len(self.joins) < tuning.LONG_BODY:
            return False
        before = self.joins
        self.joins = self.reductions.applied(before, rows.columns.keys(), step.expected)
        return self.joins is not before

    def without(self, numbers: Sequence[int], rows: Bindings[V], passing: Mask) -> Bindings[V]:
        """The rows that pass some of the atoms, which go."""
        self.joins = [join for number, join in enumerate(self.joins) if number not in numbers]
        return trimmed(rows.where(passing), self.needed(), Multiplicity.ANY)

    def own_ends(self, rows: Bindings[V]) -> frozenset[V] | None:
        """The variables of the rows that what is left asks for, where it leaves out some, and many rows agree in these;
        None elsewhere."""
        own = self._asked() & frozenset(rows.columns)
        gain = tuning.OWN_ENDS_GAIN if rows.length >= tuning.WITNESS_ROWS else tuning.WITNESS_GAIN
        return own if 0 < len(own) <= MOST and are_shared(rows, own, gain) else None

    @property
    def is_divisible(self) -> bool:
        """Whether a part of it may go before the rest: in a part no values are interchangeable that the rest asks
        for."""
        return not self.conditions.bind and self.interchangeable is None

    def parted(self, bound: frozenset[V], atom: Atom[V]) -> Divided[Self, V] | None:
        """What hangs together with an atom, and what is left; None if that is nothing."""
        wanted = self.wanted
        if wanted is None or not self.is_divisible or not self.joins:
            return None
        chosen = block_of(atom.variables, [other.variables for other, _ in self.joins], bound, wanted)
        return None if len(chosen) == len(self.joins) else self._divided(chosen, bound | atom.variables)

    def filter_apart(self, rows: Bindings[V], step: NextStep[V]) -> Divided[Self, V] | None:
        """A block that only tells which rows there are, and what is left, where a step of the rest would multiply the
        rows before that is known."""
        wanted = self.wanted
        if wanted is None or not self.is_divisible or not 2 <= len(self.joins) < tuning.LONG_BODY:
            return None
        bound = frozenset(rows.columns)
        block = filtering_block([atom.variables for atom, _ in self.joins], bound, wanted)
        if block is None:
            return None
        multiplies = step.position in block or step.expected > rows.length
        return self._divided(block, bound) if multiplies else None

    def of_part(self, part: Part[V]) -> Self:
        """A part of the atoms, with the conditions for nothing else: its ends are given."""
        own = self.keeping(part.ends)
        own.joins, own.given = [self.joins[number] for number in part.numbers], part.ends
        own.conditions = self.conditions.within(part.variables)
        return own

    def apart_from_ends(self, rows: Bindings[V]) -> Divided[Self, V] | None:
        """What is left as a block to be satisfied for the ends that it has in common with rows, these ends, and what is
        left then, to look up what the block finds; where more is wanted than many rows have, and many agree in these
        ends. None elsewhere."""
        wanted, bound = self.wanted, frozenset(rows.columns)
        if wanted is None or wanted <= bound or not self.is_divisible or len(self.joins) < tuning.ENDS_ATOMS:
            return None
        own = bound & self._asked()
        if rows.length < tuning.WITNESS_ROWS or not own or not are_shared(rows, own, tuning.ENDS_GAIN):
            return None
        rest = replace(self.copied(), joins=[], conditions=self.conditions.beyond(self._asked()))
        assert self.kept is not None, "wanted is None where kept is"
        return Divided(self.keeping(own | self.kept - bound), own, rest)

    def take_equal(self, rows: Bindings[V]) -> Join[V] | None:
        """Take out an atom that a condition for equal values connects with the rows, where no atom shares a variable
        with them. None elsewhere, and where all pairs are few or its facts are too many to be written out."""
        bound = rows.columns.keys()
        if not self.conditions or not bound or any(not bound.isdisjoint(atom.variables) for atom, _ in self.joins):
            return None
        found = [n for n, (atom, _) in enumerate(self.joins) if self.conditions.connect(bound, atom.variables)]
        chosen = min(found, key=lambda number: self.joins[number][1].estimate, default=None)
        if chosen is None or not rows.length * self.joins[chosen][1].estimate > tuning.FEW_PAIRED:
            return None
        return None if self.joins[chosen][1].estimate > tuning.EQUAL_FACTS else self.joins.pop(chosen)

    def unconnected(self, rows: Bindings[V]) -> SetApart[Self, V] | None:
        """What conditions connect best with the rows, and what is left, where no atom shares a variable with them. None
        elsewhere, and where all pairs are few or nothing but one atom is left."""
        bound = rows.columns.keys()
        if not bound or self.conditions.bind or (len(self.joins) < 2 and not self.conditions):
            return None
        if any(not bound.isdisjoint(atom.variables) for atom, _ in self.joins):
            return None
        if rows.length * min([table.estimate for _, table in self.joins]) <= tuning.FEW_PAIRED:
            return None
        own, numbers = best_connected(self.joins, self.conditions, bound)
        rest = replace(self, conditions=self.conditions.beyond(own))
        wanted = rest.wanted
        block = self.keeping(None if wanted is None else wanted & own)
        block.joins = [self.joins[number] for number in numbers]
        block.conditions = self.conditions.within(own)
        rest.joins = [join for number, join in enumerate(self.joins) if number not in numbers]
        return SetApart(block, own, rest)

    def _divided(self, block: list[int], bound: frozenset[V]) -> Divided[Self, V]:
        """The conjunction with some of the joins alone, and what is left of it after that."""
        left = [number for number in range(len(self.joins)) if number not in block]
        reached = bound | self._variables(block)
        rest = self.copied()
        rest.joins = [self.joins[number] for number in left]
        rest.conditions = self.conditions.beyond(reached)
        needed = rest.needed()
        assert needed is not None, "a conjunction of which all variables are needed is not divided"
        own = self.keeping(needed & reached)
        own.joins = [self.joins[number] for number in block]
        own.conditions = self.conditions.within(reached)
        return Divided(own, needed, rest)

    def _asked(self) -> frozenset[V]:
        """The variables that atoms or conditions have."""
        return frozenset[V]().union(*self.conditions.each(), *(atom.variables for atom, _ in self.joins))

    def _variables(self, numbers: Sequence[int]) -> frozenset[V]:
        """The variables of some of the atoms."""
        return frozenset[V]().union(*(self.joins[number][0].variables for number in numbers))
