"""A conjunction of atoms on its way to solutions: after each step, the rows that are there say which atom is next.

It is asked which rows there are, not how often each: the body of a rule, DISTINCT, EXISTS.

A step that would make very many rows is taken in pieces, the rest for each of them, so that no step takes more memory
than a piece does, and both the clock and Ctrl-C are heeded between them. What hangs together by variables that nothing
else needs (`blocks`) is satisfied for all pieces first, and only what differs goes on. What only tells which rows there
are goes before what multiplies them, and is asked for each end once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from kgreason import tuning
from kgreason.algebra.bindings import Bindings, Multiplicity, V
from kgreason.algebra.composition import composition
from kgreason.algebra.conjunctions.parts import (
    Part,
    PartTest,
    WithPartTests,
    are_connected,
    parts_that_test,
)
from kgreason.algebra.conjunctions.projections import have_wide
from kgreason.algebra.conjunctions.remainder import Join
from kgreason.algebra.conjunctions.semijoins import filtered, semijoined
from kgreason.algebra.conjunctions.stages import Stages
from kgreason.algebra.conjunctions.two_ends import with_path, with_two_ends
from kgreason.algebra.distinct_rows import condensed, gathered
from kgreason.algebra.extend import extend, trimmed
from kgreason.algebra.intersections import intersection
from kgreason.algebra.next_steps import NextStep, forgetting_atom
from kgreason.algebra.pieces import extend_in_pieces, makes_one_piece
from kgreason.algebra.smallest_side import parts, rivals


@dataclass(slots=True, eq=False, repr=False)
class Conjunction(Stages[V]):
    """A conjunction that is satisfied step by step; used up by `solutions`."""

    def solutions(self, rows: Bindings[V], first: Join[V] | None = None) -> Iterator[Bindings[V]]:
        """The rows that satisfy the conjunction, as extensions of some rows, in batches that are not empty; `first` is
        joined before all else, unless it has many facts, and another atom far fewer."""
        if first is not None and self.is_outdone(first):
            by_ends = None if rows.columns else self._from_ends_of(*first)
            if by_ends is not None:
                return by_ends
            self.joins.append(first)
            first = None
        bound = frozenset(rows.columns) if first is None else first[0].variables.union(rows.columns)
        is_whole = self.given is None or are_connected([atom.variables for atom, _ in self.joins], bound)
        return self._extensions(rows, first) if is_whole or self._tests(bound) else iter(())

    def _tests(self, bound: frozenset[V]) -> bool:
        """Whether the parts have solutions that no condition connects with what rows of some variables, or solutions,
        need; those that one does become conditions."""
        if self.given is None or self.conditions.bind:
            return True
        links = [*self.conditions.each()]
        tests = parts_that_test([atom.variables for atom, _ in self.joins], bound, links, self.given)
        found = [self._test(part, links) for part in tests]
        gone = {number for part in tests for number in part.numbers}
        self.joins = [join for number, join in enumerate(self.joins) if number not in gone]
        used = frozenset(chain(*links)).difference(*(part.variables for part in tests))
        asked = [test for test in found if test.variables]
        if asked:
            self.conditions = WithPartTests(self.conditions.within(used), asked)
        return all(test.variables or test.has_solutions() for test in found)

    def _test(self, part: Part[V], links: Sequence[frozenset[V]]) -> PartTest[V]:
        """What a part with some of the conditions, of which the variables are given, asks of rows."""
        names = part.variables
        asked = [link for link in links if not link.isdisjoint(names)]
        others = frozenset(chain(*asked)) - names
        own = self.of_part(part)
        both = self.conditions.within(names | others).beyond(names).beyond(others)
        return PartTest(both, others, partial(own._ends, part), not part.is_pairing)

    def _ends(self, part: Part[V]) -> Iterator[Bindings[V]]:
        """The values of the ends that solutions have, without equal ones unless these come in pairs."""
        found = self.copied().solutions(Bindings.unit())
        return found if part.is_pairing else gathered(found, part.ends)

    def _extensions(self, rows: Bindings[V], first: Join[V] | None = None) -> Iterator[Bindings[V]]:
        """The solutions, as extensions of some rows: step by step."""
        while rows.length:
            if first is None:
                rows = self._tested(rows)
                if not self.joins or not rows.length:
                    break
                is_sampled = rows.length >= tuning.SAMPLED_ROWS or not rows.columns
                tested = self._prepared(rows) if is_sampled else None
                if tested is not None:
                    rows = tested
                    continue
                rows, step = self._next_step(rows)
                if self.are_reduced(rows, step):
                    continue
                apart = self._found_apart(rows, step)
                if apart is not None:
                    yield from apart
                    return
                tested = with_two_ends(self, rows, self._pass_by_one_end)
                if tested is not None:
                    rows = tested
                    continue
                first = self._taken(rows, step)
                others = rivals(self.joins, first, rows)
                if others:
                    yield from self._with_rivals(rows, first, others)
                    return
            atom, table = first
            first = None
            needed = self.needed() if self.joins else self.wanted
            if not atom.constants and atom.variables <= rows.columns.keys():
                there = self.membership.contains(table, atom.columns(rows))
                rows = trimmed(rows.where(there), needed, Multiplicity.ANY)
                continue
            product = composition(rows, atom, table, needed)
            if product is not None:
                names, pieces = frozenset(rows.columns), product.pieces()
                del rows, product  # they are not held while the pieces are joined
                yield from self._piecewise(pieces, names, atom)
                return
            if not makes_one_piece(rows, atom, table):
                pieces = extend_in_pieces(rows, atom, table, needed, Multiplicity.ANY)
                yield from self._piecewise(pieces, frozenset(rows.columns), atom)
                return
            rows = extend(rows, atom, table, needed, Multiplicity.ANY)
        if rows.length:
            yield rows

    def _tested(self, rows: Bindings[V]) -> Bindings[V]:
        """The rows that pass all that can be asked without a row for each fact that is found."""
        if self.conditions:
            self.conditions, rows = self.conditions.asked(rows, self.membership)
            rows = trimmed(rows, self.needed(), Multiplicity.ANY)
        if len(self.joins) >= tuning.LONG_BODY:
            self.joins, rows = filtered(self.joins, rows, self.membership)
        if self.interchangeable is not None:
            rows = self.interchangeable.reduced(rows, frozenset[V]().union(*(atom.variables for atom, _ in self.joins)))
        return rows if self.kept is None or not self.joins else condensed(rows)

    def _prepared(self, rows: Bindings[V]) -> Bindings[V] | None:
        """Leave out of wide atoms what nothing needs; the rows that pass a path, None where there is none."""
        wanted = self.wanted
        if wanted is not None and have_wide(self.joins):
            used = wanted.union(rows.columns)
            self.joins = self.projections.applied(self.joins, rows, used)
        return with_path(self, rows, are_followed=False)

    def _next_step(self, rows: Bindings[V]) -> tuple[Bindings[V], NextStep[V]]:
        """The next step, and the rows to go on with: each once, where they are many or the step makes many of them."""
        step = NextStep(self.joins, rows, self.wanted)
        if self.kept is None or not tuning.PRODUCT_ROWS <= rows.length < tuning.CONDENSED_ROWS:
            return rows, step
        fewer = condensed(rows, step.expected)
        return (rows, step) if fewer is rows else (fewer, NextStep(self.joins, fewer, self.wanted))

    def _taken(self, rows: Bindings[V], step: NextStep[V]) -> Join[V]:
        """Take out what to join next."""
        if len(self.joins) == 1:
            return self.joins.pop()
        wanted, chosen = self.wanted, step.position
        if wanted is not None:
            chosen = forgetting_atom(self.joins, rows, wanted, chosen)
        atom, table = self.joins.pop(chosen)
        if wanted is not None and rows.length * tuning.SEMIJOIN > table.estimate:
            return semijoined(self.joins, atom, table, wanted.union(rows.columns))
        return atom, table

    def _with_rivals(self, rows: Bindings[V], chosen: Join[V], others: list[int]) -> Iterator[Bindings[V]]:
        """The solutions where several atoms leave one variable free: all of them at once, or each row extended by the
        one with the fewest facts."""
        joins = [*(self.joins[each] for each in others), chosen]
        rest = self.copied()
        rest.joins = [join for number, join in enumerate(self.joins) if number not in others]
        step = intersection(rows, joins, rest.needed())
        if step is not None:
            yield from rest._piecewise(step.pieces(), frozenset(rows.columns), chosen[0])
            return
        for number, part in parts(joins, rows):
            rest = self.copied()
            rest.joins = [*rest.joins, chosen]
            yield from rest._extensions(part, rest.joins.pop([*others, len(self.joins)][number]))
