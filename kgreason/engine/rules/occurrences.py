"""Which rules a relation concerns: an index from relations to rules, sorted once and looked up lazily."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.engine import rule_tuning
from kgreason.engine.rules.groups import Flags, RuleGroup
from kgreason.engine.rules.matching_rules import having_constants, matching
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.relations.table import Table
from kgreason.sorting import argsort, distinct_rows


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A rule that a relation concerns: the row of a group, and the position of the atom, -1 for none; `head` is the
    code of the relation that the rule derives."""

    group: RuleGroup
    row: int
    position: int
    parameters: tuple[int, ...]
    head: int

    @property
    def passes_on(self) -> bool:
        """Whether the rule passes the set of the atom on along pairs: its head is of the same relation."""
        rule = self.group.template.propagation
        if rule is None or rule.inside != self.position:
            return False
        return self.head == self.parameters[self.group.template.body[self.position].relation]

    @classmethod
    def of(
        cls, group: RuleGroup, row: int, position: int = -1, parameters: tuple[int, ...] | None = None
    ) -> Occurrence:
        """The rule in the row of a group, with its parameters where they are known: O(parameters)."""
        parameters = parameters or tuple(group.parameters[row].tolist())
        assert group.template.head is not None
        return cls(group, row, position, parameters, parameters[group.template.head.relation])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Entries:
    """Rules and a relation that each of them uses: the places of their groups, their rows there, the positions of the
    atoms, -1 for none, and the codes of the relations."""

    places: NDArray[np.int64]
    rows: NDArray[np.int64]
    positions: NDArray[np.int64]
    codes: NDArray[np.int64]


class RuleIndex:
    """From a relation to the rules that use it in one role."""

    def __init__(self, groups: Sequence[RuleGroup] = (), entries: Entries | None = None) -> None:
        """An index of entries for rules of the groups, of none where there are no entries: one sort."""
        self._groups = groups
        self._known: dict[int, list[Occurrence]] = {}
        self._divided: dict[int, tuple[Sequence[Occurrence], Sequence[tuple[RuleGroup, NDArray[np.int64]]]]] = {}
        self._parameters: dict[tuple[int, int], tuple[int, ...]] = {}
        if entries is None:
            self._codes, self._entries = np.empty(0, dtype=np.int64), np.empty((0, 3), dtype=np.int64)
            return
        order = argsort(entries.codes)
        self._codes = entries.codes[order]
        self._entries = np.stack((entries.places, entries.rows, entries.positions), axis=1)[order]

    def of(self, code: int) -> Sequence[Occurrence]:
        """The rules that use the relation."""
        found = self._known.get(code)
        if found is None:
            found = self._known[code] = [self._occurrence(*entry) for entry in self._of(code).tolist()]
        return found

    def divided(self, code: int) -> tuple[Sequence[Occurrence], Sequence[tuple[RuleGroup, NDArray[np.int64]]]]:
        """The same with facts apart, as rows of their groups, where there are many rules."""
        found = self._divided.get(code)
        if found is None:
            uses: list[Occurrence] = []
            facts: list[tuple[RuleGroup, NDArray[np.int64]]] = []
            for group, position, rows in self.parts(code) if self.count(code) >= rule_tuning.MANY_RULES else ():
                if group.guard is None and not group.universals and group.template.is_fact:
                    facts.append((group, rows))
                else:
                    uses += [Occurrence.of(group, row, position) for row in rows.tolist()]
            found = self._divided[code] = (uses, facts) if facts else (self.of(code), ())
        return found

    def deriving(self, code: int, accepts: Callable[[int], bool]) -> list[Occurrence]:
        """Those that derive a relation which is accepted: of the others only their heads are looked at."""
        if code in self._known or self.count(code) < rule_tuning.MANY_RULES:
            return [use for use in self.of(code) if accepts(use.head)]
        found = []
        for group, position, rows in self.parts(code):
            assert group.template.head is not None
            heads = group.parameters[rows, group.template.head.relation].tolist()
            chosen = [row for row, head in zip(rows.tolist(), heads, strict=True) if accepts(head)]
            found += [Occurrence.of(group, row, position) for row in chosen]
        return found

    def are_many_for(self, code: int, facts: Table) -> bool:
        """Whether it is worth looking for those that some facts of the relation may match."""
        return self.count(code) >= rule_tuning.MANY_RULES and facts.estimate <= rule_tuning.FEW_ROWS

    def matching(self, code: int, facts: Table, read: Reader) -> Sequence[Occurrence]:
        """Those that some facts of the relation may match: O(rules) by columns (`matching_rules`), and those alone."""
        found: list[Occurrence] = []
        for group, position, rows in self.parts(code):
            kept = matching(group, position, rows, facts, read)
            found += [Occurrence.of(group, row, position) for row in rows[kept].tolist()]
        return found

    def with_constants(self, code: int, tables: Sequence[Table]) -> Sequence[Occurrence]:
        """Those whose atom of the relation has constants that a fact of some table has, too: O(rules) by columns."""
        found: list[Occurrence] = []
        for group, position, rows in self.parts(code):
            kept = np.logical_or.reduce([having_constants(group, position, rows, table) for table in tables])
            found += [Occurrence.of(group, row, position) for row in rows[kept].tolist()]
        return found

    def count(self, code: int) -> int:
        """How many rules use the relation, so many times over as they have atoms of it."""
        known = self._known.get(code)
        return len(self._of(code) if known is None else known)

    def parts(self, code: int) -> Iterator[tuple[RuleGroup, int, NDArray[np.int64]]]:
        """The same by group and position, as rows of the group: where there are many, they are looked at together."""
        entries = self._of(code)
        for place, position in distinct_rows(entries[:, ::2])[0].tolist():
            chosen = (entries[:, 0] == place) & (entries[:, 2] == position)
            yield self._groups[place], position, entries[chosen, 1]

    def _of(self, code: int) -> NDArray[np.int64]:
        """The entries of a relation: place, row and position."""
        begin, end = self._codes.searchsorted(code), self._codes.searchsorted(code, side="right")
        return self._entries[begin:end]

    def all(self) -> Iterator[Occurrence]:
        """Every entry."""
        if len(self._codes):
            for entry in self._entries.tolist():
                yield self._occurrence(*entry)

    def _occurrence(self, number: int, row: int, position: int) -> Occurrence:
        """An entry; those of a long body, which has about as many parameters as atoms, share these."""
        group = self._groups[number]
        if len(group.template.body) < tuning.LONG_BODY:
            return Occurrence.of(group, row, position)
        found = Occurrence.of(group, row, position, self._parameters.get((number, row)))
        self._parameters[number, row] = found.parameters
        return found


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
