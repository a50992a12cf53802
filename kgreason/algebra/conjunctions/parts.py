"""Parts of a conjunction that share no variable, where the solutions need nothing of some of them.

Such a part is a test. Of ``q(x) :- a(x, y), b(z, w), c(u, v), w != v`` b and c are, together, one of whether there are
solutions; of ``q(x) :- a(x, y), b(z, w), c(u, v), y < w, w != v`` one of the rows of a: whether a greater w has another
v beside it. It is a condition beside others, and no row is paired with all that satisfies it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain
from typing import Generic

from kgreason import tuning
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.conjunctions.conditions import Conditions
from kgreason.algebra.conjunctions.membership import Membership
from kgreason.algebra.conjunctions.pairing import with_match
from kgreason.algebra.connected_parts import connected
from kgreason.algebra.distinct_rows import distinct
from kgreason.algebra.joins import Runs, compatible
from kgreason.algebra.planner import Joined
from kgreason.algebra.witnesses import are_shared


def are_connected(atoms: Iterable[frozenset[V]], bound: Set[V]) -> bool:
    """Whether each atom shares a variable with some rows or with an atom before it, as in most bodies."""
    reached = {*bound}
    for variables in atoms:
        if reached and reached.isdisjoint(variables):
            return False
        reached |= variables
    return True


@dataclass(frozen=True, slots=True)
class Part(Generic[V]):
    """The numbers of atoms that only test, their variables, those of these that conditions ask for beside others, the
    ends, and whether they are of several parts, of which only conditions say what goes together."""

    numbers: Sequence[int]
    variables: frozenset[V]
    ends: frozenset[V]
    is_pairing: bool


def parts_that_test(
    atoms: Sequence[frozenset[V]], bound: frozenset[V], links: Sequence[frozenset[V]], given: frozenset[V]
) -> list[Part[V]]:
    """The parts that only test, those together that conditions connect with each other. Where the solutions need
    nothing at all, one part is none: that with the most conditions.

    Args:
        atoms: the variables of the atoms that are to be joined.
        bound: the variables of the rows that they are joined with.
        links: the variables of each condition.
        given: the variables that the solutions need.
    """
    own: list[tuple[frozenset[V], list[int]]] = [(bound, [])] if bound else []
    parts = connected(chain(own, ((variables, [number]) for number, variables in enumerate(atoms))))
    tests = [part for part in parts if part[0].isdisjoint(bound | given)]
    if len(tests) == len(parts):
        tests.remove(max(parts, key=lambda part: sum(not part[0].isdisjoint(link) for link in links)))
    free = frozenset[V]().union(*(variables for variables, _ in tests))
    joined = ((link & free, None) for link in links if not link.isdisjoint(free))
    found: list[Part[V]] = []
    for variables, together in connected(chain(((part[0], part) for part in tests), joined)):
        members = [part for part in together if part is not None]
        ends = variables.intersection(chain(*(link for link in links if not link <= variables)))
        is_pairing = sum(not ends.isdisjoint(names) for names, _ in members) > 1
        found.append(Part([*chain(*chain(*(numbers for _, numbers in members)))], variables, ends, is_pairing))
    return found


def best_connected(
    joins: Sequence[Joined[V]], conditions: Conditions[V], bound: Set[V]
) -> tuple[frozenset[V], list[int]]:
    """The atoms, where none shares a variable with some rows, that conditions connect best with these, together with
    all that variables or conditions connect with them: their variables and numbers."""
    atoms = ((atom.variables, number) for number, (atom, _) in enumerate(joins))
    links = [*conditions.each()]
    parts = connected(chain(atoms, ((link - bound, -1) for link in links if not link <= bound)))
    parts = [(names, [number for number in numbers if number >= 0]) for names, numbers in parts]
    return min(
        (part for part in parts if part[1]),
        key=lambda part: (
            not conditions.compare(bound, part[0]),
            all(link.isdisjoint(bound) or link.isdisjoint(part[0]) for link in links),
            min(joins[number][1].estimate for number in part[1]),
        ),
    )


def ask_only_for(conditions: Conditions[V], bound: Set[V], others: Set[V]) -> bool:
    """Whether conditions for variables of some rows ask for these and some others alone."""
    return all(link.isdisjoint(bound) or link <= others | bound for link in conditions.each())


@dataclass(slots=True, eq=False, repr=False)
class PartTest(Generic[V]):
    """That one of the solutions of a part goes with a row by some conditions. The part is solved when it is first
    needed; where its ends may be all pairs, as far as rows are left, and anew for others."""

    conditions: Conditions[V]
    variables: frozenset[V]
    """Those of rows that it asks for."""
    solve: Callable[[], Iterator[Bindings[V]]]
    is_kept: bool
    _found: list[Bindings[V]] | None = field(default=None, init=False)

    def has_solutions(self) -> bool:
        """Whether the part has any."""
        return next(self.solve(), None) is not None

    def passing(self, rows: Bindings[V], membership: Membership) -> Bindings[V]:
        """The rows that pass."""
        if self.is_kept and self._found is None:
            self._found = [*self.solve()]
        found = self.solve() if self._found is None else self._found
        ends = rows
        is_shared = are_shared(rows, self.variables, tuning.TESTED_GAIN)
        if is_shared:
            ends = distinct(rows.only(self.variables))
        passed = [*with_match(self.conditions, ends, found, membership)]
        if not passed:
            return rows.slice(0, 0)
        known = Bindings.concatenated(passed)
        return rows.where(compatible(rows, known)) if is_shared else known


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WithPartTests(Generic[V]):
    """Conditions, and parts of which a row is to go with one solution of each."""

    others: Conditions[V]
    tests: Sequence[PartTest[V]]

    def __bool__(self) -> bool:
        return bool(self.tests) or bool(self.others)

    @property
    def bind(self) -> bool:
        """Whether they bind variables, too."""
        return self.others.bind

    def each(self) -> Iterable[frozenset[V]]:
        """The variables that each of them needs to be asked."""
        return chain(self.others.each(), (test.variables for test in self.tests))

    def beyond(self, variables: Set[V]) -> WithPartTests[V]:
        """Those that need others than these variables, and those that bind some."""
        tests = [test for test in self.tests if not test.variables <= variables]
        return WithPartTests(self.others.beyond(variables), tests)

    def within(self, variables: Set[V]) -> WithPartTests[V]:
        """Those that need no others than these variables, and bind none."""
        tests = [test for test in self.tests if test.variables <= variables]
        return WithPartTests(self.others.within(variables), tests)

    def connect(self, bound: Set[V], variables: Set[V]) -> bool:
        """Whether one of the others is for equal values."""
        return self.others.connect(bound, variables)

    def compare(self, bound: Set[V], variables: Set[V]) -> bool:
        """Whether one of the others compares the order of values."""
        return self.others.compare(bound, variables)

    def beside(self, rows: Bindings[V], others: Bindings[V]) -> Iterator[Runs[V]]:
        """The rows beside others as far as these allow."""
        return self.others.beside(rows, others)

    def asked(self, rows: Bindings[V], membership: Membership) -> tuple[WithPartTests[V], Bindings[V]]:
        """The conditions whose variables are not bound by now, and the rows that pass the others."""
        others, rows = self.others.asked(rows, membership)
        bound = rows.columns.keys()
        for test in self.tests:
            if rows.length and test.variables <= bound:
                rows = test.passing(rows, membership)
        return WithPartTests(others, [test for test in self.tests if not test.variables <= bound]), rows
