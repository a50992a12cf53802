"""Which atom of a conjunction is joined next, by the rows that are there and what relations say of their sizes.

Where `planner` decides before there is any row, an evaluation of a rule from a change decides one step at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, Generic

from kgreason import tuning
from kgreason.algebra import algebra_tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.first_steps import first_of_plan
from kgreason.algebra.planner import Estimate, Joined
from kgreason.algebra.relation import Relation


def next_atom(joins: Sequence[Joined[Any]], rows: Bindings[Any], wanted: frozenset[Any] | None = None) -> int:
    """The position of the atom to join next, where some variables of the solutions are `wanted`, all if it is None.

    One that has nothing free goes first, the smallest of several. Where nothing is bound yet, it is a small one from
    which the others are looked up without an index that must be made; of equally small ones one of the shortest cycle,
    so that the steps after it soon test its rows. Of those that share a variable with the rows,
    the one that is expected to leave the fewest goes next, with those that have nothing free then; what only multiplies
    rows (`_ears`) after the others. What is not connected comes last.
    """
    if len(joins) == 1:
        return 0
    bound = rows.columns.keys()
    connected: list[int] = []
    filters: list[int] = []
    for position, (atom, _) in enumerate(joins):
        is_apart = atom.variables and bound.isdisjoint(atom.variables)  # as most of a long body are: asked first
        if not is_apart and atom.variables <= bound:
            if rows.length + tuning.FEW_ATOMS < len(joins):  # to find the smallest costs more than to ask any of them
                return position
            filters.append(position)
        elif not is_apart or atom.constants:
            connected.append(position)
    if filters:
        return filters[0] if len(filters) == 1 else min(filters, key=lambda each: joins[each][1].estimate)
    if len(connected) == 1:
        return connected[0]
    if not bound or not connected:
        first = _smallest(joins, connected or range(len(joins)), bound, wanted)
        return first if bound or len(joins) > tuning.FEW_ATOMS else first_of_plan(joins, first, wanted)
    if len(connected) > tuning.FEW_ATOMS:  # in a long body the first that multiplies no row will do
        for position in connected:
            if expected_rows(*joins[position], rows) <= rows.length:
                return position
    expected = {position: expected_rows(*joins[position], rows) for position in connected}
    chosen = min(connected, key=expected.__getitem__)
    if expected[chosen] > max(rows.length, tuning.SAMPLED_ROWS):
        chosen = min({*connected} - _ears(joins, bound) or connected, key=_ways_on(joins, rows, expected).__getitem__)
    return chosen


class NextStep(Generic[V]):
    """The step that some rows suggest, found when it is first asked for: that takes some ten microseconds."""

    __slots__ = ("_expected", "_joins", "_position", "_rows", "_wanted")

    def __init__(self, joins: Sequence[Joined[V]], rows: Bindings[V], wanted: frozenset[V] | None = None) -> None:
        self._joins = joins
        self._rows = rows
        self._wanted = wanted
        self._position: int | None = None
        self._expected: float | None = None

    @property
    def position(self) -> int:
        """The position of the atom to join next (`next_atom`)."""
        if self._position is None:
            self._position = next_atom(self._joins, self._rows, self._wanted)
        return self._position

    @property
    def expected(self) -> float:
        """How many rows are expected after the step."""
        if self._expected is None:
            self._expected = expected_rows(*self._joins[self.position], self._rows)
        return self._expected


def _ways_on(joins: Sequence[Joined[Any]], rows: Bindings[Any], expected: Mapping[int, float]) -> dict[int, float]:
    """How many rows each of some steps is expected to leave, with the atoms that have nothing free then; of few rows,
    which are not taken from the smallest side, also how many it makes for that."""
    bound = rows.columns.keys()
    # Only a step that leaves one variable free is taken from the smallest side: others make all rows first.
    at_once = [each for each in expected if len(joins[each][0].variables - bound) == 1]
    left = {**expected, **{each: expected[each] * _share_left(joins, each, bound) for each in at_once}}
    return left if rows.length >= tuning.RIVAL_ROWS else {each: left[each] + expected[each] for each in left}


def _share_left(joins: Sequence[Joined[Any]], position: int, bound: Set[Any]) -> float:
    """What share of the rows after a step is left by the atoms of pairs that have nothing free then, as far as their
    ends are independent; 1 in a long body."""
    share = 1.0
    if len(joins) > tuning.FEW_ATOMS:
        return share
    after = bound | joins[position][0].variables
    for number, (atom, relation) in enumerate(joins):
        if number != position and len(atom.variables) == 2 and atom.variables <= after and not atom.variables <= bound:
            pairs = relation.distinct_estimate(0) * relation.distinct_estimate(1)
            share *= min(1.0, relation.estimate / max(1, pairs))
    return share


def _ears(joins: Sequence[Joined[Any]], bound: Set[Any]) -> set[int]:
    """The positions of the ears: atoms that have one variable at most in common with the others and with the rows, and
    one more; and of those that become ears as these are taken away. None in a long body. An ear may multiply rows, and
    leaves out only those for which it has nothing at all.

    Source: the reduction of Graham and of Yu and Ozsoyoglu (COMPSAC 1979), which leaves the cycles of a body.
    """
    if len(joins) > tuning.FEW_ATOMS:
        return set()
    ears: set[int] = set()
    left = {position: atom.variables for position, (atom, _) in enumerate(joins)}
    counts = Counter(variable for variables in left.values() for variable in variables)
    for _ in joins:
        for position, variables in [*left.items()]:
            hinges = [each for each in variables if each in bound or counts[each] > 1]
            if len(hinges) <= 1 and len(hinges) < len(variables):
                ears.add(position)
                counts.subtract(left.pop(position))
    return ears


def _smallest(
    joins: Sequence[Joined[Any]], positions: Sequence[int], bound: Set[Any], wanted: Set[Any] | None
) -> int:
    """Which of some atoms that share no variable with the rows is joined next. Among equals, one of the shortest cycle
    that has more of what is wanted: the rest may then only test its rows. Outside of cycles one that has less of it:
    only its ends go on then."""
    ears = _ears(joins, bound)
    sizes = {
        each: joins[each][1].estimate
        * _share_left(joins, each, bound)
        * (algebra_tuning.EAR_GAIN if each in ears else 1)
        for each in positions
    }
    most = tuning.INDEXED_GAIN * min(sizes.values())
    near = [each for each, size in sizes.items() if size <= most]
    if len(near) > 1:
        near = _with_fewest(near, _unindexed(joins, near).__getitem__)
    equal = _with_fewest(near, sizes.__getitem__)
    if len(equal) == 1:
        return equal[0]
    known = wanted or frozenset()

    def rank(position: int) -> tuple[int, int]:
        length, has = _shortest_cycle(joins, position), len(joins[position][0].variables & known)
        return length, has if length > len(joins) else -has

    return min(equal, key=rank)


def _with_fewest(positions: Sequence[int], count: Callable[[int], float]) -> list[int]:
    """The positions with the lowest count."""
    counts = [count(position) for position in positions]
    least = min(counts)
    return [position for position, found in zip(positions, counts, strict=True) if found == least]


def _unindexed(joins: Sequence[Joined[Any]], positions: Sequence[int]) -> dict[int, int]:
    """How many atoms of pairs each of some atoms leads to at an end for which an index has to be made: O(atoms),
    and once more for each that is wider than a pair."""
    missing = {number: _missing(*joined) for number, joined in enumerate(joins)}
    ends: Counter[Any] = Counter()
    between: Counter[Set[Any]] = Counter()
    for (atom, _), counts in zip(joins, missing.values(), strict=True):
        ends.update(counts)
        if len(counts) == 2:
            between[atom.variables] += sum(counts.values())
    found = {}
    for position in positions:
        own = joins[position][0].variables
        inside = between[own] if len(own) <= 2 else sum(count for both, count in between.items() if both <= own)
        alone = sum(missing[position].values()) if len(missing[position]) == 1 else 0
        found[position] = sum(ends[variable] for variable in own) - inside - alone
    return found


def _missing(atom: Atom[Any], relation: Relation) -> dict[Any, int]:
    """For each variable of an atom of pairs, 1 where an index has to be made to look it up; of other atoms nothing."""
    if len(atom.arguments) != 2 or atom.arguments[0] == atom.arguments[1]:
        return {}
    places = ((end, each) for end, each in enumerate(atom.arguments) if each in atom.variables)
    return {each: int(not relation.is_indexed(end)) for end, each in places}


def _shortest_cycle(joins: Sequence[Joined[Any]], position: int) -> int:
    """How many atoms the shortest cycle through an atom of pairs has; more than there are where it is in none, and in a
    long body."""
    none = len(joins) + 1
    ends = [*joins[position][0].variables]
    if len(joins) > tuning.FEW_ATOMS or len(ends) != 2:
        return none
    start, goal = ends
    reached, length = {start}, 1
    others = [atom.variables for number, (atom, _) in enumerate(joins) if number != position]
    while goal not in reached:
        more = reached.union(*(variables for variables in others if not reached.isdisjoint(variables)))
        if more == reached:
            return none
        reached, length = more, length + 1
    return length


def forgetting_atom(joins: Sequence[Joined[V]], rows: Bindings[V], wanted: frozenset[V], chosen: int) -> int:
    """The position of an atom to go before the chosen one, where only the `wanted` variables of the solutions matter:
    after it a variable of the rows is needed no more, so that fewer rows differ, and it makes not many times as many.
    The chosen one where there is none, or where it leaves nothing free."""
    bound = frozenset(rows.columns)
    if rows.length < tuning.PRODUCT_ROWS or joins[chosen][0].variables <= bound:
        return chosen
    for number, (atom, relation) in enumerate(joins):
        shared = atom.variables & bound
        if number == chosen or len(shared) != 1 or len(atom.variables) != 2:
            continue
        others = (other.variables for each, (other, _) in enumerate(joins) if each != number)
        if shared.isdisjoint(wanted.union(*others)):
            most = tuning.FORGETTING * expected_rows(*joins[chosen], rows)
            if expected_rows(atom, relation, rows) <= most:
                return number
    return chosen


def expected_rows(atom: Atom[Any], relation: Relation, rows: Bindings[Any]) -> float:
    """How many rows are expected after a step."""
    found = sampled(atom, relation, rows)
    if found is not None:
        return found
    domains = dict.fromkeys(rows.columns, float(rows.length))
    return rows.length * Estimate.of(atom, relation).growth(domains)[0]


def sampled(atom: Atom[Any], relation: Relation, rows: Bindings[Any]) -> float | None:
    """How many rows come of a join with an atom that has one end in them, by a look at some: one id may be in all of
    them. None for other atoms, and for few rows."""
    if rows.length < tuning.SAMPLED_ROWS or atom.constants:
        return None
    ends = [(position, each) for position, each in enumerate(atom.arguments) if each in rows.columns]
    if len(ends) != 1:
        return None
    ((position, variable),) = ends
    sample = rows.columns[variable][:: rows.length // tuning.SAMPLED_ROWS]
    return relation.expected_fanout(position, sample) * rows.length
