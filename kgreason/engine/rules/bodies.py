"""The body of a rule on its way to solutions: delta first, then bound relations, then the smallest one.

A step that would make very many rows is taken in pieces, the rest of the body for each of them, so that no step takes
more memory than a piece does, and both the clock and Ctrl-C are heeded between them. What hangs together by variables
that nothing else needs (`body_blocks`) is satisfied for all pieces first, and only what differs goes on. What only
tells which rows there are goes before what multiplies them, and is asked for each end once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

import numpy as np

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, Multiplicity
from kgreason.algebra.composition import composition
from kgreason.algebra.distinct_rows import condensed, gathered
from kgreason.algebra.extend import extend, trimmed
from kgreason.algebra.pieces import extend_in_pieces
from kgreason.algebra.planner import expected_rows, forgetting_atom, next_atom
from kgreason.algebra.smallest_side import parts, rivals
from kgreason.algebra.witnesses import are_shared, witnessed
from kgreason.engine.meter import Meter
from kgreason.engine.rules.body_blocks import block_of, filtering_block
from kgreason.engine.rules.known_ends import MOST, EndsOfBodies
from kgreason.engine.rules.membership import Membership
from kgreason.engine.rules.rule_templates import BoundOperation, Operation, Parameters, Slot, Summary, TemplateAtom
from kgreason.relations.table import Ids, Index, Mask, Table

Reader: TypeAlias = Callable[[int], Table | None]
"""From the code of a relation to its facts, None when there are none."""

Tick: TypeAlias = Callable[[], None]
"""Looks at the clock; raises BudgetError when time is up."""

Join: TypeAlias = tuple[Atom[int], Table]
"""A body atom that is still to be joined, and its facts."""

SEMIJOIN = 4
"""For more rows than a part of so many of a table, a look at the whole table is cheaper than a look-up for each row."""


class Terms(Protocol):
    """What the engine asks of terms; the dictionary and the built-in functions stand behind it."""

    def object_only_mask(self) -> Mask:
        """For each id whether it stands in the place of objects alone."""

    def names(self, identifiers: Ids, kind: int) -> Mask:
        """For each id whether it can name a relation of a kind."""

    def integer(self, number: int) -> int:
        """The id of an integer literal."""

    def test(self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: Tick) -> Mask:
        """For each row whether the operation is true; an error is false. `tick` is called now and then."""

    def compute(self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: Tick) -> tuple[Ids, Mask]:
        """For each row the id of the operation's value, and whether it has one. `tick` is called now and then."""

    def summarise(self, summary: Summary, members: Ids, groups: Index, count: int, tick: Tick) -> tuple[Ids, Mask]:
        """For each of `count` groups the id of what an aggregate makes of its members, and whether it is not in error;
        `groups` are the numbers of those that the members are of. `tick` is called now and then."""

    def integers(self, numbers: Index) -> Ids:
        """The ids of integer literals."""


@dataclass(slots=True, eq=False, repr=False)
class Body:
    """What of the body of one rule is still to be satisfied; used up by `solutions`.

    `wanted` are the variables that the solutions, or what is not joined, have a use for; all if it is None.
    """

    parameters: Parameters
    joins: list[Join]
    negated: list[TemplateAtom]
    filters: list[BoundOperation]
    assignments: list[BoundOperation]
    wanted: frozenset[int] | None
    read: Reader
    terms: Terms
    meter: Meter
    membership: Membership = field(default_factory=Membership)
    ends: EndsOfBodies = field(default_factory=EndsOfBodies)

    def solutions(self, rows: Bindings[int], first: Join | None = None) -> Iterator[Bindings[int]]:
        """The rows that satisfy the body, as extensions of some rows, in batches that are not empty; `first` is joined
        before all else."""
        while rows.length:
            if first is None:
                if self.negated or self.filters or self.assignments:
                    rows = self._apply_bound(rows)
                if len(self.joins) >= tuning.LONG_BODY:
                    rows = self._apply_joins(rows)
                if not self.joins or not rows.length:
                    break
                if self.wanted is not None:
                    rows = condensed(rows)
                staged = self._staged(rows)
                if staged is not None:
                    yield from staged
                    return
                first = self._next(rows)
                others = rivals(self.joins, first, rows)
                if others:
                    yield from self._by_smallest_side(rows, first, others)
                    return
            atom, table = first
            first = None
            needed = self._needed() if self.joins else self.wanted
            if not atom.constants and atom.variables <= rows.columns.keys():
                there = self.membership.contains(table, atom.columns(rows))
                rows = trimmed(rows.where(there), needed, Multiplicity.ANY)
                continue
            product = composition(rows, atom, table, needed)
            if product is not None:
                yield from self._piecewise(product.pieces(), rows, atom)
                return
            if rows.length * table.estimate > tuning.JOIN_ROWS:
                pieces = extend_in_pieces(rows, atom, table, needed, Multiplicity.ANY)
                yield from self._piecewise(pieces, rows, atom)
                return
            rows = extend(rows, atom, table, needed, Multiplicity.ANY)
        if rows.length:
            yield rows

    def _next(self, rows: Bindings[int]) -> Join:
        """Take out what to join next."""
        if len(self.joins) == 1:
            return self.joins.pop()
        chosen = next_atom(self.joins, rows)
        if self.wanted is None:
            return self.joins.pop(chosen)
        atom, table = self.joins.pop(forgetting_atom(self.joins, rows, self.wanted, chosen))
        if rows.length * SEMIJOIN > table.estimate:
            return self._semijoined(atom, table, rows, self.wanted)
        return atom, table

    def _needed(self) -> frozenset[int] | None:
        """The variables that what is left of the body, or the head, has a use for."""
        if self.wanted is None:
            return None
        return self.wanted.union(*[atom.variables for atom, _ in self.joins])

    def _by_smallest_side(self, rows: Bindings[int], chosen: Join, others: list[int]) -> Iterator[Bindings[int]]:
        """The solutions where several atoms leave one variable free, each row extended by the one with fewest facts."""
        self.joins.append(chosen)
        others = [*others, len(self.joins) - 1]
        for number, part in parts([self.joins[each] for each in others], rows):
            rest = self._copied()
            yield from rest.solutions(part, rest.joins.pop(others[number]))

    def _piecewise(
        self, pieces: Iterator[Bindings[int]], before: Bindings[int], atom: Atom[int]
    ) -> Iterator[Bindings[int]]:
        """The solutions from the pieces that a step makes of some rows."""
        divided = self._parted(frozenset(before.columns), atom)
        if divided is None:
            yield from self._from_pieces(pieces)
        else:
            yield from divided.satisfied(divided.block._from_pieces(pieces))

    def _from_pieces(self, pieces: Iterator[Bindings[int]]) -> Iterator[Bindings[int]]:
        for rows in pieces:
            self.meter.tick()
            yield from self._copied().solutions(rows)

    def _parted(self, bound: frozenset[int], atom: Atom[int]) -> _Divided | None:
        """What hangs together with an atom, and what is left; None if that is nothing."""
        if self.wanted is None or self.assignments or not self.joins:
            return None
        chosen = block_of(atom.variables, [other.variables for other, _ in self.joins], bound, self.wanted)
        return None if len(chosen) == len(self.joins) else self._divided(chosen, bound | atom.variables, self.wanted)

    def _staged(self, rows: Bindings[int]) -> Iterator[Bindings[int]] | None:
        """The solutions where a block goes before all else, or some of the rows; None where neither pays."""
        if self.wanted is None or rows.length < tuning.SAMPLED_ROWS:
            return None
        divided = self._filter_apart(rows)
        if divided is not None:
            return divided.satisfied(divided.block.solutions(rows))
        if len(self.joins) < 2 or not self.wanted <= rows.columns.keys():
            return None
        own = self._own_ends(rows)
        if own is not None:
            found = self._with_own_ends(rows, own).narrowed(self.wanted)
            return iter([found] if found.length else [])
        if are_shared(rows, self.wanted, tuning.WITNESS_GAIN):
            return witnessed(rows, self.wanted, lambda some: self._copied().solutions(some))
        return None

    def _filter_apart(self, rows: Bindings[int]) -> _Divided | None:
        """A block that only tells which rows there are, and what is left, where a step of the rest would multiply the
        rows before that is known."""
        if self.wanted is None or self.assignments or not 2 <= len(self.joins) < tuning.LONG_BODY:
            return None
        bound = frozenset(rows.columns)
        block = filtering_block([atom.variables for atom, _ in self.joins], bound, self.wanted)
        if block is None:
            return None
        chosen = next_atom(self.joins, rows)
        multiplies = chosen in block or expected_rows(*self.joins[chosen], rows) > rows.length
        return self._divided(block, bound, self.wanted) if multiplies else None

    def _own_ends(self, rows: Bindings[int]) -> frozenset[int] | None:
        """The variables of the rows that what is left asks for, where it leaves out some, and many rows agree in these;
        None elsewhere."""
        asked = frozenset[int]().union(
            *(atom.variables for atom, _ in self.joins),
            *(each.variables for each in (*self.filters, *self.assignments)),
            *(each.variables() for each in self.negated),
        )
        own = asked & frozenset(rows.columns)
        return own if 0 < len(own) <= MOST and are_shared(rows, own, tuning.OWN_ENDS_GAIN) else None

    def _with_own_ends(self, rows: Bindings[int], own: frozenset[int]) -> Bindings[int]:
        """The rows with the ends that satisfy the body, which is asked for each of them once."""
        known = self.ends.of(own, frozenset(rows.columns), self.joins)
        return known.among(rows, lambda some: replace(self._copied(), wanted=own).solutions(some))

    def _divided(self, block: list[int], bound: frozenset[int], wanted: frozenset[int]) -> _Divided:
        """The body with some of the joins alone, and what is left of it after that."""
        left = [number for number in range(len(self.joins)) if number not in block]
        reached = bound.union(*(self.joins[number][0].variables for number in block))
        needed = wanted.union(*(self.joins[number][0].variables for number in left))
        own, rest = self._copied(), self._copied()
        own.joins, own.wanted = [self.joins[number] for number in block], needed & reached
        rest.joins = [self.joins[number] for number in left]
        rest.filters = [each for each in self.filters if not each.variables <= reached]
        rest.negated = [each for each in self.negated if not each.variables() <= reached]
        return _Divided(own, needed, rest)

    def _copied(self) -> Body:
        return replace(
            self,
            joins=list(self.joins),
            negated=list(self.negated),
            filters=list(self.filters),
            assignments=list(self.assignments),
        )

    def _apply_bound(self, rows: Bindings[int]) -> Bindings[int]:
        """The rows that pass every negated atom, assignment and filter whose variables are bound by now."""
        tick = self.meter.tick
        progress = True
        while progress and rows.length:
            progress = False
            for each in list(self.assignments):
                if each.variables <= rows.columns.keys():
                    assert each.target is not None
                    self.assignments.remove(each)
                    found = self.terms.compute(each.operation, self._columns(each.slots, rows), rows.length, tick)
                    rows = _assigned(rows, each.target, *found)
                    progress = True
        for each in list(self.filters):
            if each.variables <= rows.columns.keys():
                self.filters.remove(each)
                rows = rows.where(self.terms.test(each.operation, self._columns(each.slots, rows), rows.length, tick))
        for atom in list(self.negated):
            if atom.variables() <= rows.columns.keys():
                self.negated.remove(atom)
                table = self.read(self.parameters[atom.relation])
                if table:
                    rows = rows.where(~self.membership.contains(table, atom.of(self.parameters).columns(rows)))
        return rows

    def _apply_joins(self, rows: Bindings[int]) -> Bindings[int]:
        """The rows that all atoms of a long body leave whose variables are bound by now, the smallest relation first:
        one step for each would look through all that are left."""
        bound = rows.columns.keys()
        asked = [join for join in self.joins if join[0].variables <= bound]
        if asked:
            self.joins = [join for join in self.joins if not join[0].variables <= bound]
        for atom, table in sorted(asked, key=lambda join: join[1].estimate):
            if not rows.length:
                break
            rows = rows.where(self.membership.contains(table, atom.columns(rows)))
        return rows

    def _columns(self, slots: Sequence[Slot], rows: Bindings[int]) -> dict[Slot, Ids]:
        """The columns of slots; a constant is a column of one id."""
        return {
            slot: rows.columns[slot] if slot >= 0 else np.array([self.parameters[~slot]], dtype=np.uint32)
            for slot in slots
        }

    def _semijoined(self, atom: Atom[int], table: Table, rows: Bindings[int], wanted: frozenset[int]) -> Join:
        """The facts of ``p(x, y)`` that a unary atom on y leaves, where nothing else needs y; that atom leaves us.

        What is left to ask is whether x occurs, which multiplies no rows. The pairs may come the other way round, so
        that x is the end by which they are sorted.
        """
        if table.is_virtual or len(atom.variables) != 2 or len(atom.arguments) != 2:
            return atom, table
        for position, variable in enumerate(atom.arguments):
            if variable in rows.columns or variable in wanted:
                continue
            others = [number for number, (other, _) in enumerate(self.joins) if variable in other.variables]
            if len(others) == 1 and self.joins[others[0]][0].arguments == (variable,):
                _, members = self.joins.pop(others[0])
                if position == 0:
                    atom, table = atom.reversed(), table.inverse()
                return atom, table.filter(members.contains((table.columns()[1],)))
        return atom, table


@dataclass(frozen=True, slots=True)
class _Divided:
    """A body in two: a block that is satisfied first, the variables that what is left needs then, and what is left."""

    block: Body
    needed: frozenset[int]
    rest: Body

    def satisfied(self, solutions: Iterator[Bindings[int]]) -> Iterator[Bindings[int]]:
        """The solutions of the whole from those of the block."""
        yield from self.rest._from_pieces(gathered(solutions, self.needed))


def _assigned(rows: Bindings[int], variable: int, values: Ids, defined: Mask) -> Bindings[int]:
    """Rows with a variable bound to values, or compared with them where it is bound; rows without value go."""
    known = rows.columns.get(variable)
    if known is not None:
        return rows.where(defined & (known == values))
    return rows.with_columns({variable: values}).where(defined)
