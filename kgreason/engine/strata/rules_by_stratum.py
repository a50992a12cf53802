"""The rules of each stratum, in order, and what says all that the schemes of a stratum depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np

from kgreason.columns import pairs
from kgreason.engine.rules.groups import Flags
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.numbered_rules import NumberedRules

StratumKey: TypeAlias = tuple[bytes, bytes, bytes]
"""The relations of a stratum with their traits, and its rules: the numbers of their groups, and their parameters. The
same numbers stand for the same in all states that come from each other."""

_BYTES: Final = 8


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
    _numbers: Numbers = field(init=False)
    _begins: Numbers = field(init=False)
    _members: Numbers = field(init=False)
    _member_begins: Numbers = field(init=False)
    _rule_keys: list[tuple[bytes, bytes]] = field(init=False)

    def __post_init__(self) -> None:
        rules = self.rules
        self.count = count = int(self.components.max(initial=-1)) + 1
        chosen = np.flatnonzero(rules.in_force & (rules.heads >= 0))
        self._numbers, strata = _by(chosen, self.components[rules.heads[chosen]])
        self._begins = strata.searchsorted(np.arange(count + 1))
        self.places = np.full(len(rules), -1, dtype=np.int64)
        self.places[self._numbers] = np.arange(len(self._numbers)) - self._begins[strata]
        possible = np.flatnonzero(self.possible)
        self._members, strata = _by(possible, self.components[possible])
        self._member_begins = strata.searchsorted(np.arange(count + 1))
        self._rule_keys = self._keys_of_rules()

    def inside(self, stratum: int) -> Numbers:
        """The rules in force that derive relations of a stratum."""
        return self._numbers[self._begins[stratum] : self._begins[stratum + 1]]

    def rules_at(self, places: Sequence[tuple[int, int]]) -> Numbers:
        """The rules at some places, each in a stratum."""
        strata, places_there = np.array(places, dtype=np.int64).reshape(-1, 2).T
        return np.asarray(self._numbers[self._begins[strata] + places_there])

    def members(self, strata: list[int]) -> list[list[int]]:
        """The codes of the relations of some strata."""
        codes = self.rules.codes[self._members].tolist()
        begins = self._member_begins.tolist()
        return [codes[begins[stratum] : begins[stratum + 1]] for stratum in strata]

    def keys(self, traits: Sequence[Flags]) -> list[StratumKey]:
        """A key of each stratum; for each of few traits the relations that have it are flagged."""
        numbers = self.rules.codes
        for has_trait in traits:
            numbers = numbers << 1 | has_trait
        members = numbers[self._members].tobytes()
        spans = pairwise((self._member_begins * _BYTES).tolist())
        return [(members[begin:end], *rules) for (begin, end), rules in zip(spans, self._rule_keys, strict=True)]

    def _keys_of_rules(self) -> list[tuple[bytes, bytes]]:
        """The groups and the parameters of the rules of each stratum."""
        rules, numbers = self.rules, self._numbers
        places = rules.places[numbers]
        groups = np.array([group.number for group in rules.groups], dtype=np.int64)[places].tobytes()
        flat, begins, widths = _flat_parameters(rules)
        begin = begins[places] + rules.rows[numbers] * widths[places]
        _, positions = pairs.spread(begin, begin + widths[places])
        parameters = flat[positions].tobytes()
        ends = np.append(0, np.cumsum(widths[places]))[self._begins]
        spans = zip(pairwise((self._begins * _BYTES).tolist()), pairwise((ends * _BYTES).tolist()), strict=True)
        return [(groups[begin:end], parameters[first:last]) for (begin, end), (first, last) in spans]


def _by(numbers: Numbers, strata: Numbers) -> tuple[Numbers, Numbers]:
    """Numbers that go up, by their strata, and these."""
    order = np.argsort(strata, kind="stable")
    return numbers[order], strata[order]


def _flat_parameters(rules: NumberedRules) -> tuple[Numbers, Numbers, Numbers]:
    """The parameters of all rules, group by group; for each group where they begin, and how many each rule has."""
    parameters = [group.parameters for group in rules.groups]
    widths = np.array([each.shape[1] for each in parameters], dtype=np.int64)
    sizes = np.array([each.size for each in parameters], dtype=np.int64)
    flat = np.concatenate([each.reshape(-1) for each in parameters]) if parameters else sizes
    return flat, np.cumsum(sizes) - sizes, widths
