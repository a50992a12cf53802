"""A conjunction of atoms on its way to solutions: after each step, the rows that are there say which atom is next.

It is asked which rows there are, not how often each: the body of a rule, DISTINCT, EXISTS.

A step that would make very many rows is taken in pieces, the rest for each of them, so that no step takes more memory
than a piece does, and both the clock and Ctrl-C are heeded between them. What hangs together by variables that nothing
else needs (`blocks`) is satisfied for all pieces first, and only what differs goes on. What only tells which rows there
are goes before what multiplies them, and is asked for each end once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, Mask, Multiplicity, V
from kgreason.algebra.composition import composition
from kgreason.algebra.conjunctions.known_ends import MOST, EndsOfParts
from kgreason.algebra.conjunctions.membership import Membership
from kgreason.algebra.conjunctions.one_end import SearchFromOneEnd
from kgreason.algebra.conjunctions.pairing import each_beside, with_match
from kgreason.algebra.conjunctions.parts import (
    Part,
    PartTest,
    WithPartTests,
    are_connected,
    ask_only_for,
    parts_that_test,
)
from kgreason.algebra.conjunctions.projections import PAIR, have_wide
from kgreason.algebra.conjunctions.remainder import Divided, Join, Remainder
from kgreason.algebra.conjunctions.semijoins import filtered, semijoined
from kgreason.algebra.conjunctions.two_ends import with_path, with_two_ends
from kgreason.algebra.distinct_rows import condensed, gathered
from kgreason.algebra.extend import extend, named, trimmed
from kgreason.algebra.first_steps import first_of_plan
from kgreason.algebra.intersections import intersection
from kgreason.algebra.next_steps import NextStep, forgetting_atom
from kgreason.algebra.pieces import extend_in_pieces, makes_one_piece
from kgreason.algebra.smallest_side import parts, rivals
from kgreason.algebra.witnesses import are_shared, witnessed
from kgreason.relations.plain import table_of


@dataclass(slots=True, eq=False, repr=False)
class Conjunction(Remainder[V]):
    """A conjunction that is satisfied step by step; used up by `solutions`."""

    def solutions(self, rows: Bindings[V], first: Join[V] | None = None) -> Iterator[Bindings[V]]:
        """The rows that satisfy the conjunction, as extensions of some rows, in batches that are not empty; `first` is
        joined before all else, unless it has many facts, and another atom far fewer."""
        if first is not None and self.is_outdone(first):
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

    def _found_apart(self, rows: Bindings[V], step: NextStep[V]) -> Iterator[Bindings[V]] | None:
        """The solutions where no step leads on from all rows as they are; None elsewhere."""
        is_connected = any(not atom.variables.isdisjoint(rows.columns) for atom, _ in self.joins)
        if is_connected and rows.length < min(tuning.SAMPLED_ROWS, tuning.PRODUCT_ROWS):
            return None  # all of these are for rows that nothing leads on from, or for many
        found = self._equal_facts(rows)
        if found is None:
            found = self._paired(rows)
        if found is None:
            found = self._begun_anew(rows, step)
        return self._staged(rows, step) if found is None else found

    def _equal_facts(self, rows: Bindings[V]) -> Iterator[Bindings[V]] | None:
        """The solutions where no atom shares a variable with the rows, but a condition for equal values connects one:
        its facts are looked up by these values. None elsewhere, and where all pairs are few or the facts are too many
        to be written out."""
        join = self.take_equal(rows)
        if join is None:
            return None
        atom, table = join
        facts = named(atom, table.select({**atom.constants}), None)
        return self._piecewise(each_beside(self.conditions, rows, facts), frozenset(rows.columns), atom)

    def _paired(self, rows: Bindings[V]) -> Iterator[Bindings[V]] | None:
        """The solutions where no atom shares a variable with the rows: what is left is satisfied once, not for each of
        them. None elsewhere, and where all pairs are few or nothing but one atom is left."""
        apart = self.unconnected(rows)
        if apart is None:
            return None
        bound, own, both = rows.columns.keys(), apart.variables, apart.rest
        found = apart.block.solutions(Bindings.unit())
        if self.given is not None and self.given.isdisjoint(bound) and ask_only_for(self.conditions, bound, own):
            asked = both.conditions.within(own | bound)
            both.conditions = both.conditions.beyond(own | bound)
            return both._from_pieces(chain.from_iterable(with_match(asked, s, [rows], self.membership) for s in found))
        return both._from_pieces(pair for some in found for pair in each_beside(both.conditions, rows, some))

    def _begun_anew(self, rows: Bindings[V], step: NextStep[V]) -> Iterator[Bindings[V]] | None:
        """The solutions where it is better to begin with a wide atom, and to join it with the rows as one more relation
        of pairs; None elsewhere."""
        if self.kept is None or rows.length < tuning.PRODUCT_ROWS or len(rows.columns) != PAIR:
            return None
        if self.conditions.bind or not have_wide(self.joins):
            return None
        fewest = max(tuning.PLANNED_WORK, tuning.PLANNED_GAIN * rows.length)
        if not 2 <= len(self.joins) < tuning.FEW_ATOMS or step.expected < fewest:
            return None
        # What is known of the rows is of no use to other ones.
        both = replace(self.copied(), membership=Membership(), ends=EndsOfParts())
        both.joins.append((Atom.of([*rows.columns]), table_of((*rows.columns.values(),))))
        first = first_of_plan(both.joins, len(self.joins), self.wanted)
        return None if first == len(self.joins) else both._extensions(Bindings.unit(), both.joins.pop(first))

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

    def _piecewise(
        self, pieces: Iterator[Bindings[V]], before: frozenset[V], atom: Atom[V]
    ) -> Iterator[Bindings[V]]:
        """The solutions from the pieces that a step makes of rows of some variables."""
        divided = self.parted(before, atom)
        if divided is None:
            yield from self._from_pieces(pieces)
        else:
            yield from _satisfied(divided, divided.block._from_pieces(pieces))

    def _from_pieces(self, pieces: Iterator[Bindings[V]]) -> Iterator[Bindings[V]]:
        return chain.from_iterable(map(self._from_piece, pieces))  # no loop, which would hold a piece to its end

    def _from_piece(self, rows: Bindings[V]) -> Iterator[Bindings[V]]:
        self.tick()
        return self.copied()._extensions(rows)

    def _staged(self, rows: Bindings[V], step: NextStep[V]) -> Iterator[Bindings[V]] | None:
        """The solutions where a block goes before all else, or some of the rows; None where neither pays."""
        wanted = self.wanted
        if wanted is None or rows.length < tuning.SAMPLED_ROWS:
            return None
        divided = self.filter_apart(rows, step)
        if divided is not None:
            return _satisfied(divided, divided.block.solutions(rows))
        if len(self.joins) < 2 or not wanted <= rows.columns.keys():
            return None
        if rows.length < tuning.WITNESS_ROWS and step.expected < tuning.WITNESS_STEP:
            return None
        own = self.own_ends(rows)
        if own is not None:
            found = self._with_own_ends(rows, own).narrowed(wanted)
            return iter([found] if found.length else [])
        passing = self._pass_by_one_end(rows, self.joins) if len(self.joins) > 2 else None
        if passing is not None:
            found = rows.where(passing).narrowed(wanted)
            return iter([found] if found.length else [])
        if are_shared(rows, wanted, tuning.WITNESS_GAIN):
            return witnessed(rows, wanted, lambda some: self.copied()._extensions(some))
        return None

    def _with_own_ends(self, rows: Bindings[V], own: frozenset[V]) -> Bindings[V]:
        """The rows with the ends that satisfy the conjunction, which is asked for each of them once."""
        known = self.ends.of(own, frozenset(rows.columns), self.joins)
        return known.among(rows, lambda some: self.keeping(own).solutions(some))

    def _pass_by_one_end(self, rows: Bindings[V], joins: list[Join[V]]) -> Mask | None:
        """For each row whether it satisfies joins that only test two ends, by a search from one of them; None where
        they have other ends, and where that does not pay."""
        fewest = max(tuning.WITNESS_ROWS, 2 * tuning.SEARCH_SAMPLE)  # a sample is less
        if rows.length < fewest or not 2 <= len(joins) < tuning.LONG_BODY:
            return None
        ends = frozenset[V]().union(*(atom.variables for atom, _ in joins)) & rows.columns.keys()
        search = SearchFromOneEnd.of(rows, ends, joins) if len(ends) == MOST else None
        if search is None:
            return None
        test = replace(self.keeping(ends), joins=[*joins], conditions=self.conditions.within(ends))
        return search.passing(rows, lambda some: test.copied().solutions(some))


def _satisfied(divided: Divided[Conjunction[V], V], solutions: Iterator[Bindings[V]]) -> Iterator[Bindings[V]]:
    """The solutions of the whole from those of the block."""
    yield from divided.rest._from_pieces(gathered(solutions, divided.needed))
