"""Strata with what schemes keep of them, for the next plan to take over.

What the schemes of a stratum are depends on its relations and its rules alone, on what is equal, and on a few traits of
each relation. So a plan knows all of these for each of its strata, as columns, and the next one compares its own with
them at once. What follows from assignments is taken over with them: it is made anew for strata that have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kgreason.engine.rules.groups import Flags
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.definitions import SchemeAssignment
from kgreason.engine.strata.rules_by_stratum import StratumContents
from kgreason.relations.catalogue import Definition, Naming

Assignments: TypeAlias = Sequence[SchemeAssignment]

_NONE: Numbers = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlannedStrata:
    """Some strata by their places here, and what schemes keep of each of them.

    Attributes:
        contents, copied, equalities: what this depends on: how rules copy along guards, and what is kept as classes of
            equal things, None where that is being found.
        kept: for each stratum what schemes keep of it, nothing where it is empty.
    """

    contents: StratumContents
    copied: Mapping[int, Naming]
    equalities: frozenset[int] | None
    kept: Sequence[Assignments]

    def same_as(self, contents: StratumContents, equalities: frozenset[int] | None) -> Numbers:
        """For each of other strata the place of the one here with the same contents, -1 where there is none."""
        if equalities != self.equalities:
            return np.full(len(contents.least), -1, dtype=np.int64)
        return contents.places_in(self.contents)

    def recopied(self, copied: Mapping[int, Naming]) -> list[int]:
        """The guards along which rules copy now and did not, or the other way round, or in another way."""
        return [guard for guard in copied.keys() | self.copied.keys() if copied.get(guard) != self.copied.get(guard)]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rows:
    """A value beside the place of a stratum in each row."""

    places: Numbers
    values: Numbers

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int]]) -> Rows:
        """Rows that are given one by one."""
        places, values = np.array([*rows], dtype=np.int64).reshape(-1, 2).T
        return cls(places, values)

    def moved(self, places: Numbers) -> Rows:
        """The rows of the strata that have a place now, which is -1 for the others."""
        now = places[self.places]
        return Rows(now[now >= 0], self.values[now >= 0])

    def and_more(self, more: Rows) -> Rows:
        """These rows, and others behind them."""
        return Rows(np.concatenate((self.places, more.places)), np.concatenate((self.values, more.values)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Consequences:
    """What follows from the assignments of planned strata.

    Attributes:
        definitions: the definition of each relation that has one.
        is_whole, has_parts: the strata that a scheme keeps as a whole, and those of which it keeps parts.
        absorbed: the places of the rules that schemes stand for among those of their stratum.
        reads: the relations that definitions read.
    """

    definitions: Mapping[int, Definition]
    is_whole: Flags
    has_parts: Flags
    absorbed: Rows
    reads: Rows

    @classmethod
    def none(cls) -> Consequences:
        """Those of no strata."""
        flags, rows = np.zeros(0, dtype=np.bool_), Rows(_NONE, _NONE)
        return cls({}, flags, flags, rows, rows)

    def followed(
        self, kept_before: Sequence[Assignments], kept: Sequence[Assignments], origins: Numbers
    ) -> Consequences:
        """Those of other strata, most of which come from these: O(what the others keep), and columns.

        Args:
            kept_before, kept: what is kept of these strata, and of the others.
            origins: for each of the others its place among these, -1 for one that is new.
        """
        now = np.full(len(kept_before), -1, dtype=np.int64)
        old, fresh = np.flatnonzero(origins >= 0), np.flatnonzero(origins < 0).tolist()
        now[origins[old]] = old
        gone = np.flatnonzero(now < 0).tolist()
        definitions = dict(self.definitions)
        for member in (member for place in gone for each in kept_before[place] for member in each.definition.members):
            definitions.pop(member.code, None)
        found = [(place, each.definition) for place in fresh for each in kept[place]]
        definitions.update((member.code, each) for _, each in found for member in each.members)
        is_whole, has_parts = (np.zeros(len(origins), dtype=np.bool_) for _ in range(2))
        for mine, before in ((is_whole, self.is_whole), (has_parts, self.has_parts)):
            mine[old] = before[origins[old]]
        for place, each in found:
            (has_parts if each.is_part else is_whole)[place] = True
        absorbed = Rows.of((place, rule.place) for place in fresh for each in kept[place] for rule in each.absorbed)
        reads = Rows.of((place, read.code) for place, each in found for read in each.reads)
        absorbed, reads = self.absorbed.moved(now).and_more(absorbed), self.reads.moved(now).and_more(reads)
        return Consequences(definitions, is_whole, has_parts, absorbed, reads)
