"""A draft of the next version of the rules: rows come, wait for a pass, and go after it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.rules.groups import Flags, ParameterRows, RuleGroup, Source, Test
from kgreason.engine.rules.reached import Reached
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.state_rules import Rules
from kgreason.relations.table import Table


class RuleDraft:
    """Rules that are being changed. Groups are replaced, never written into, so those of the origin stay as they are.

    The mappings are those of `Rules`.
    """

    def __init__(self, origin: Rules) -> None:
        """Begin with the rules of a state: O(groups)."""
        self._origin = origin
        self.groups = dict(origin.groups)
        self.guarded = dict(origin.guarded)
        self.plain = dict(origin.plain)
        self.fresh_bases = dict(origin.fresh_bases)
        self.fresh = dict(origin.fresh)
        self.leaving = dict(origin.leaving)
        self.repeating = dict(origin.repeating)
        self.retired = list(origin.retired)
        self.has_lists = origin.has_lists
        self.reached = origin.reached
        self._next = max(self.groups, default=-1) + 1

    def rules(self) -> Rules:
        """The rules as they are now, those of the origin where nothing has changed: O(groups)."""
        if self._is_origin():
            return self._origin
        return Rules(
            dict(self.groups),
            dict(self.guarded),
            dict(self.plain),
            dict(self.fresh_bases),
            dict(self.fresh),
            dict(self.leaving),
            dict(self.repeating),
            tuple(self.retired),
            self.has_lists,
            self.reached,
        )

    def _is_origin(self) -> bool:
        origin = self._origin
        pairs = (
            (self.groups, origin.groups),
            (self.fresh_bases, origin.fresh_bases),
            (self.fresh, origin.fresh),
            (self.leaving, origin.leaving),
            (self.repeating, origin.repeating),
        )
        is_same = all(_is_same(mine, theirs) for mine, theirs in pairs)
        others = len(self.retired) == len(origin.retired) and self.has_lists == origin.has_lists
        return is_same and others and self.reached is origin.reached

    def rows_before(self, number: int) -> int:
        """How many rules a group has in the state that the draft begins with: the first of its rows, unless some have
        been dropped."""
        group = self._origin.groups.get(number)
        return 0 if group is None else len(group.rows)

    # -- groups -------------------------------------------------------------------------------------------------

    def add_plain(self, name: str, template: RuleTemplate, parameters: ParameterRows) -> None:
        """Add plain rules of one template, which are not there yet, as rows of parameters."""
        number = self.plain.get((name, template))
        if number is None:
            number = self.plain[name, template] = self._add(RuleGroup(self._next, name, template))
        self.add_rows(number, parameters)

    def remove_plain(self, name: str, template: RuleTemplate, parameters: ParameterRows) -> None:
        """Let plain rules leave in the next pass."""
        number = self.plain[name, template]
        self._let_go(number, self.groups[number].find(parameters))

    def add_group(
        self,
        name: str,
        template: RuleTemplate,
        guard: int | None,
        sources: tuple[Source, ...],
        universals: tuple[int, ...],
    ) -> RuleGroup:
        """Add a group without rules, for a guard relation that has no facts yet."""
        group = RuleGroup(self._next, name, template, guard, sources, universals)
        self._add(group)
        if guard is not None:
            self.guarded[guard] = (*self.guarded.get(guard, ()), group.number)
        return group

    def retire(self, number: int) -> None:
        """Let a group leave with this change; one with a guard loses its rows with its guard facts."""
        group = self.groups[number]
        if group.guard is None:
            self._let_go(number, np.ones(len(group.rows), dtype=np.bool_))
            self.groups[number] = group.where_bases(np.zeros(len(group.bases), dtype=np.bool_))
            self.fresh_bases.pop(number, None)
        self.retired.append(number)

    def forget_retired(self) -> bool:
        """Drop the groups that were retired; whether there were any."""
        retired, self.retired = self.retired, []
        for number in retired:
            group = self.groups.pop(number)
            for which in (self.fresh_bases, self.fresh, self.leaving, self.repeating):
                which.pop(number, None)
            if group.guard is not None:
                left = tuple(other for other in self.guarded[group.guard] if other != number)
                self.guarded[group.guard] = left
        return bool(retired)

    def _add(self, group: RuleGroup) -> int:
        self.groups[group.number] = group
        self._next += 1
        return group.number

    # -- rows ---------------------------------------------------------------------------------------------------

    def add_rows(self, number: int, rows: ParameterRows) -> None:
        """Add rules by their guard rows (n, width), which are not there yet; they are fresh."""
        group, fresh = self.groups[number], np.ones(len(rows), dtype=np.bool_)
        if group.universals:
            self.fresh_bases[number] = _extended(self.fresh_bases.get(number), len(group.bases), fresh)
            self.groups[number] = group.with_bases(rows)
        else:
            self._append(group, rows, fresh)

    def extend(self, number: int, classes: NDArray[np.int64], properties: NDArray[np.int64], test: Test) -> bool:
        """Make the universal rows for relations that are new, given by ids; whether there were any.

        A new relation has no facts yet, so its rules have nothing to catch up with: all that they derive
        comes from its first facts. They are fresh only where the guard row itself is.
        """
        group = self.groups[number]
        if not len(group.bases):
            return False
        rows, base = group.missing(classes, properties)
        kept = group.passes(rows, test)
        rows, base = rows[kept], base[kept]
        fresh = self.fresh_bases.get(number)
        self._append(group, rows, np.zeros(len(rows), dtype=np.bool_) if fresh is None else fresh[base])
        return len(rows) > 0

    def add_reached(self, number: int, rows: ParameterRows) -> NDArray[np.int64]:
        """Add rules by guard rows that were there before a body relation was reached, which has no facts yet: so these
        rules, too, have nothing to catch up with. The relations that they derive."""
        group = self.groups[number]
        self._append(group, rows, np.zeros(len(rows), dtype=np.bool_))
        if group.template.head is None:
            return np.empty(0, dtype=np.int64)
        return self.groups[number].parameters[-len(rows) :, group.template.head.relation]

    def drop(self, number: int, guards: Table) -> None:
        """Take away the rules of these guard facts."""
        group = self.groups[number]
        if len(group.rows) and (gone := group.find_guards(guards)).any():
            self._keep(number, ~gone)
        if group.universals and len(group.bases):
            kept = ~group.find_bases(guards)
            self.groups[number] = self.groups[number].where_bases(kept)
            _filter(self.fresh_bases, number, kept)

    def wait(self) -> None:
        """Let all rules wait, as if none had been evaluated yet."""
        self.fresh = {number: np.ones(len(group.rows), dtype=np.bool_) for number, group in self.groups.items()}
        self.fresh_bases = {
            number: np.ones(len(group.bases), dtype=np.bool_)
            for number, group in self.groups.items()
            if len(group.bases)
        }

    def begin_again(self) -> None:
        """Leave the rules that are there without any facts, all of which wait: O(rules)."""
        self.forget_retired()
        self.finish_pass()
        for number, group in self.groups.items():
            if group.guard is not None or group.universals:
                self.groups[number] = group.without_rows(keeps_bases=group.guard is None)
        self.repeating = {}
        self.reached = self.reached and Reached()
        self.wait()

    def finish_pass(self) -> bool:
        """All rows have been evaluated now, and those that were leaving are gone; whether there were any of these."""
        leaving = [number for number, flags in self.leaving.items() if flags.any()]
        self.fresh, self.fresh_bases = {}, {}
        for number in leaving:
            self._keep(number, ~self.leaving[number])
        self.leaving = {}
        return bool(leaving)

    def _let_go(self, number: int, rows: Flags) -> None:
        known = self.leaving.get(number)
        self.leaving[number] = rows if known is None else known | rows

    def _append(self, group: RuleGroup, rows: ParameterRows, fresh: Flags) -> None:
        number, count = group.number, len(group.rows)
        self.groups[number] = group.with_rows(rows)
        if number in self.fresh or fresh.any():
            self.fresh[number] = _extended(self.fresh.get(number), count, fresh)
        for which in (self.leaving, self.repeating):
            if number in which:
                which[number] = _extended(which[number], count, np.zeros(len(fresh), dtype=np.bool_))

    def _keep(self, number: int, kept: Flags) -> None:
        self.groups[number] = self.groups[number].where(kept)
        for which in (self.fresh, self.leaving, self.repeating):
            _filter(which, number, kept)


def _is_same(mine: Mapping[int, object], theirs: Mapping[int, object]) -> bool:
    """Whether two mappings have the same values, which are never written into."""
    return len(mine) == len(theirs) and all(theirs.get(number) is value for number, value in mine.items())


def _extended(flags: Flags | None, count: int, more: Flags) -> Flags:
    return np.concatenate((np.zeros(count, dtype=np.bool_) if flags is None else flags, more))


def _filter(which: dict[int, Flags], number: int, kept: Flags) -> None:
    if number in which:
        which[number] = which[number][kept]
