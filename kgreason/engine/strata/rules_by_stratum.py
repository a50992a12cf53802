"""The rules of each stratum, in order, and what says all that the schemes of a stratum depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from kgreason.columns import pairs
from kgreason.engine.rules.groups import Flags
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.numbered_rules import NumberedRules
from kgreason.engine.strata.ragged_columns import RaggedColumn
from kgreason.sorting import argsort


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StratumContents:
    """Of each of some strata all that its schemes depend on but for what is the same for many: its relations with their
    traits, and its rules, by the numbers of their groups and their parameters. The same numbers stand for the same in
    all states that come from each other.

    `least` are the first relations of the strata, which no other stratum has.
    """

    least: Numbers
    members: RaggedColumn
    groups: RaggedColumn
    parameters: RaggedColumn

    def places_in(self, other: StratumContents) -> Numbers:
        """For each stratum the place of the one that is the same in others, -1 where there is none: O(contents)."""
        found = np.full(len(self.least), -1, dtype=np.int64)
        order = argsort(other.least)
        known = other.least[order]
        at = known.searchsorted(self.least)
        mine = np.flatnonzero(known.take(at, mode="clip") == self.least) if len(known) else at[:0]
        theirs = order[at[mine]]
        for column, beside in ((self.members, other.members), (self.groups, other.groups)):
            same = column.equals(mine, beside, theirs)
            mine, theirs = mine[same], theirs[same]
        same = self.parameters.equals(mine, other.parameters, theirs)
        found[mine[same]] = theirs[same]
        return found


@dataclass(slots=True, eq=False, repr=False)
class RulesByStratum:
    """The rules in force that derive relations, stratum by stratum and in order; O(rules log rules).

    Args:
        components: for each relation the number of its stratum.
        possible: the relations that can have facts, which are the members of the strata.

    Attributes:
        count: how many strata there are.
        places: for each of these rules its place among those of its stratum.
    """

    rules: NumberedRules
    components: Numbers
    possible: Flags
    count: int = field(init=False)
    places: Numbers = field(init=False)
    _numbers: RaggedColumn = field(init=False)
    _members: RaggedColumn = field(init=False)

    def __post_init__(self) -> None:
        rules = self.rules
        self.count = int(self.components.max(initial=-1)) + 1
        chosen = np.flatnonzero(rules.in_force & (rules.heads >= 0))
        strata = self.components[rules.heads[chosen]]
        self._numbers = _by(chosen, strata, self.count)
        self.places = np.full(len(rules), -1, dtype=np.int64)
        counted = np.arange(len(chosen)) - np.repeat(self._numbers.borders[:-1], np.diff(self._numbers.borders))
        self.places[self._numbers.values] = counted
        possible = np.flatnonzero(self.possible)
        self._members = _by(possible, self.components[possible], self.count)

    def inside(self, stratum: int) -> Numbers:
        """The rules in force that derive relations of a stratum."""
        return self._numbers.values[self._numbers.borders[stratum] : self._numbers.borders[stratum + 1]]

    def rules_at(self, strata: Numbers, places: Numbers) -> Numbers:
        """The rules at some places, each in a stratum."""
        return np.asarray(self._numbers.values[self._numbers.borders[strata] + places])

    def members(self, strata: list[int]) -> list[list[int]]:
        """The codes of the relations of some strata."""
        some = self._members.of(np.array(strata, dtype=np.int64))
        codes, borders = self.rules.codes[some.values].tolist(), some.borders.tolist()
        return [codes[begin:end] for begin, end in pairwise(borders)]

    def inhabited(self) -> Flags:
        """The strata that have possible relations; others have no rules in force either."""
        return np.diff(self._members.borders) > 0

    def contents(self, strata: Numbers, traits: Sequence[Flags]) -> StratumContents:
        """All that the schemes of some inhabited strata depend on; for each of few traits the relations that have it
        are flagged."""
        rules, members, numbers = self.rules, self._members.of(strata), self._numbers.of(strata)
        traited = rules.codes
        for has_trait in traits:
            traited = traited << 1 | has_trait
        least = rules.codes[members.values[members.borders[:-1]]]
        groups = np.array([group.number for group in rules.groups], dtype=np.int64)[rules.places[numbers.values]]
        return StratumContents(
            least,
            RaggedColumn(traited[members.values], members.borders),
            RaggedColumn(groups, numbers.borders),
            self._parameters(numbers),
        )

    def _parameters(self, numbers: RaggedColumn) -> RaggedColumn:
        """The parameters of all rules of each stratum."""
        rules = self.rules
        places = rules.places[numbers.values]
        flat, begins, widths = _flat_parameters(rules)
        lengths = widths[places]
        begin = begins[places] + rules.rows[numbers.values] * lengths
        ends = np.append(0, np.cumsum(lengths))
        return RaggedColumn(flat[pairs.positions_of(begin, begin + lengths)], ends[numbers.borders])


def _by(numbers: Numbers, strata: Numbers, count: int) -> RaggedColumn:
    """Numbers that go up, by their strata."""
    order = argsort(strata)
    return RaggedColumn(numbers[order], strata[order].searchsorted(np.arange(count + 1)))


def _flat_parameters(rules: NumberedRules) -> tuple[Numbers, Numbers, Numbers]:
    """The parameters of all rules, group by group; for each group where they begin, and how many each rule has."""
    parameters = [group.parameters for group in rules.groups]
    widths = np.array([each.shape[1] for each in parameters], dtype=np.int64)
    sizes = np.array([each.size for each in parameters], dtype=np.int64)
    flat = np.concatenate([each.reshape(-1) for each in parameters]) if parameters else sizes
    return flat, np.cumsum(sizes) - sizes, widths
