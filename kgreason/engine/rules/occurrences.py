"""Which rules a relation concerns: an index from relations to rules, sorted once and looked up lazily."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.rules.groups import Flags, ParameterRows, RuleGroup


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A rule that a relation concerns: the row of a group, and the position of the atom, -1 for none; `head` is the
    code of the relation that the rule derives."""

    group: RuleGroup
    row: int
    position: int
    parameters: tuple[int, ...]
    head: int

    @classmethod
    def of(cls, group: RuleGroup, row: int, position: int = -1) -> Occurrence:
        """The rule in the row of a group: O(parameters)."""
        parameters = tuple(group.parameters[row].tolist())
        assert group.template.head is not None
        return cls(group, row, position, parameters, parameters[group.template.head.relation])


Entry: TypeAlias = tuple[RuleGroup, ParameterRows, int, NDArray[np.int64]]
"""A group, the numbers of some of its rows, the position of an atom, and the relations of these rows there."""


class RuleIndex:
    """From a relation to the rules that use it in one role."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._groups: list[RuleGroup] = []
        codes, rows, positions = [], [], []
        for group, numbers, position, relations in entries:
            codes.append(relations)
            rows.append(numbers)
            positions.append(position)
            self._groups.append(group)
        self._known: dict[int, list[Occurrence]] = {}
        if not codes:
            self._codes = np.empty(0, dtype=np.int64)
            return
        all_codes = np.concatenate(codes)
        order = np.argsort(all_codes, kind="stable")
        self._codes = all_codes[order]
        groups = np.repeat(np.arange(len(rows)), list(map(len, rows)))[order]
        self._entries = np.stack((groups, np.concatenate(rows)[order], np.array(positions)[groups]), axis=1)

    def of(self, code: int) -> Sequence[Occurrence]:
        """The rules that use the relation."""
        found = self._known.get(code)
        if found is None:
            begin = int(self._codes.searchsorted(code))
            end = int(self._codes.searchsorted(code, side="right"))
            found = [self._occurrence(*entry) for entry in self._entries[begin:end].tolist()] if end > begin else []
            self._known[code] = found
        return found

    def all(self) -> Iterator[Occurrence]:
        """Every entry."""
        if len(self._codes):
            for entry in self._entries.tolist():
                yield self._occurrence(*entry)

    def _occurrence(self, number: int, row: int, position: int) -> Occurrence:
        return Occurrence.of(self._groups[number], row, position)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RuleDelta:
    """The rules that come and go in a pass.

    Args:
        fresh: rules to be evaluated against all facts.
        leaving: rules to be evaluated once more, for what goes with them.
        fresh_rows, leaving_rows: for groups with such rows, which they are.
    """

    fresh: RuleIndex = field(default_factory=RuleIndex)
    leaving: RuleIndex = field(default_factory=RuleIndex)
    fresh_rows: Mapping[int, Flags] = field(default_factory=dict)
    leaving_rows: Mapping[int, Flags] = field(default_factory=dict)

    def without_fresh(self, rules: Sequence[Occurrence]) -> Sequence[Occurrence]:
        """The rules among these that have been evaluated before the pass."""
        return [rule for rule in rules if not self.is_fresh(rule)] if self.fresh_rows else rules

    def is_fresh(self, rule: Occurrence) -> bool:
        """Whether a rule has not been evaluated before the pass."""
        rows = self.fresh_rows.get(rule.group.number)
        return rows is not None and bool(rows[rule.row])

    def is_leaving(self, rule: Occurrence) -> bool:
        """Whether a rule goes in the pass."""
        rows = self.leaving_rows.get(rule.group.number)
        return rows is not None and bool(rows[rule.row])


NO_RULES = RuleDelta()
