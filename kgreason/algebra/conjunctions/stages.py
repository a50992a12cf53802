"""How a conjunction is satisfied where no step leads on from all rows as they are, and how from pieces of rows.

What shares no variable with the rows is satisfied once; a block that only tells which rows there are goes first; what
many rows agree in is asked for once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import inf

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, Mask, V
from kgreason.algebra.conjunctions.known_ends import MOST, EndsOfParts
from kgreason.algebra.conjunctions.membership import Membership
from kgreason.algebra.conjunctions.one_end import SearchFromOneEnd
from kgreason.algebra.conjunctions.pairing import each_beside, with_match
from kgreason.algebra.conjunctions.parts import ask_only_for
from kgreason.algebra.conjunctions.projections import PAIR, have_wide
from kgreason.algebra.conjunctions.remainder import Divided, Join, Remainder
from kgreason.algebra.conjunctions.repeated_ends import found_for_ends
from kgreason.algebra.distinct_rows import distinct_in_any_order, gathered
from kgreason.algebra.extend import named
from kgreason.algebra.first_steps import first_of_plan
from kgreason.algebra.next_steps import NextStep
from kgreason.algebra.witnesses import are_shared, witnessed
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table


@dataclass(slots=True, eq=False, repr=False)
class Stages(Remainder[V], ABC):
    """What is left of a conjunction, satisfied in stages."""

    @abstractmethod
    def solutions(self, rows: Bindings[V], first: Join[V] | None = None) -> Iterator[Bindings[V]]:
        """The rows that satisfy it, as extensions of some rows, in batches that are not empty; `first` is joined before
        all else, unless that does not pay."""

    @abstractmethod
    def _extensions(self, rows: Bindings[V], first: Join[V] | None = None) -> Iterator[Bindings[V]]:
        """The same, where no part of it is known to be satisfied by itself; `first` is joined before all else."""

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
        both.joins.append(_as_join(rows))
        first = first_of_plan(both.joins, len(self.joins), self.wanted)
        return None if first == len(self.joins) else both._extensions(Bindings.unit(), both.joins.pop(first))

    def _staged(self, rows: Bindings[V], step: NextStep[V]) -> Iterator[Bindings[V]] | None:
        """The solutions where a block goes before all else, or some of the rows; None where neither pays."""
        wanted = self.wanted
        if wanted is None or rows.length < tuning.SAMPLED_ROWS:
            return None
        divided = self.filter_apart(rows, step)
        if divided is not None:
            return _satisfied(divided, divided.block.solutions(rows))
        by_ends = self._looked_up_by_ends(rows, step)
        if by_ends is not None:
            return by_ends
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

    def _from_ends_of(self, atom: Atom[V], table: Table) -> Iterator[Bindings[V]] | None:
        """The solutions by the ends of the facts of an atom, as of rows; None where that does not pay."""
        if atom.constants or atom.is_repeating or table.is_virtual or len(self.joins) < tuning.ENDS_ATOMS:
            return None
        facts = named(atom, table.columns(), None)
        fewest = min([other.estimate for _, other in self.joins])
        return self._looked_up_by_ends(facts, NextStep(self.joins, facts, self.wanted), tuning.OUTDONE * fewest)

    def _looked_up_by_ends(
        self, rows: Bindings[V], step: NextStep[V], most: float = inf
    ) -> Iterator[Bindings[V]] | None:
        """The solutions where what is left is satisfied once for each of the ends of rows, and looked up by these; None
        where there are more than `most` ends, and where the next step makes so few rows that it does not pay."""
        once = self.apart_from_ends(rows) if step.expected > rows.length else None
        if once is None:
            return None
        kept, own = once.block.kept, frozenset(rows.columns).intersection(self.kept or ())
        assert kept is not None, "a block apart from ends keeps them"
        most = min(most, rows.length / tuning.ENDS_GAIN)
        if not once.needed <= own:  # row by row, no more rows than values of these are left of all that is on the way
            most = min(most, distinct_in_any_order(rows.narrowed(own)).length)
        found = found_for_ends(rows, once.needed, kept, most, step.expected, once.block._afresh)
        return None if found is None else chain.from_iterable(map(partial(once.rest._looking_up, rows), found))

    def _afresh(self, rows: Bindings[V]) -> Iterator[Bindings[V]]:
        """The solutions from some rows, of which others are to be asked for, too."""
        return self.copied().solutions(rows)

    def _looking_up(self, rows: Bindings[V], found: Bindings[V]) -> Iterator[Bindings[V]]:
        """The solutions where nothing is left but what was found."""
        both = replace(self.copied(), joins=[_as_join(found)], membership=Membership(), ends=EndsOfParts())
        return both._extensions(rows)

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


def _as_join(rows: Bindings[V]) -> Join[V]:
    """Distinct rows as the facts of an atom."""
    return Atom.of([*rows.columns]), table_of((*rows.columns.values(),))


def _satisfied(divided: Divided[Stages[V], V], solutions: Iterator[Bindings[V]]) -> Iterator[Bindings[V]]:
    """The solutions of the whole from those of the block."""
    yield from divided.rest._from_pieces(gathered(solutions, divided.needed))
