"""Grouping rules over whole columns: the values of all groups of a relation, or of those that a change concerns.

A change costs what the members are of the groups that it touches. Where a rule only counts the facts of a subject, that
is the fan-out of the subject, for which no closure is enumerated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.member_groups import GroupRuns
from kgreason.algebra.row_keys import keys_of, numbered
from kgreason.engine import rule_tuning
from kgreason.engine.meter import Meter
from kgreason.engine.rules.rule_inputs import Terms
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Summary
from kgreason.relations.default_reads import grouped
from kgreason.relations.plain import table_of
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Table

Part: TypeAlias = tuple[Columns, GroupRuns, Columns | None]
"""Some groups, their members one group after the other, and the columns of these."""


def known_values(template: RuleTemplate, known: Table, delta: Table) -> Table | None:
    """Those of known facts of a grouping rule's head whose groups some facts begin with."""
    width = _width(template)
    if not width or not known:
        return known
    _, facts = known.lookup(dict(enumerate(_groups(delta, width))))
    return table_of(facts) if len(facts[0]) else None


def touched_groups(template: RuleTemplate, before: Table | None, now: Table | None, changes: Sequence[Table]) -> Table:
    """The groups of a grouping rule that changes of its body's relation touch, and perhaps some others, as facts of so
    many arguments.

    What has come and what has gone are never put together, since either may be virtual; and of two versions of a
    closure, the subjects that may have changed are known without a look at pairs.
    """
    width = _width(template)
    if not width:
        return changes[0]
    if width == 1 and any(change.is_virtual for change in changes):
        sides = [mine.changed_subjects(other) for mine, other in ((now, before), (before, now)) if mine and other]
        subjects = [side for side in sides if side is not None]
        if len(subjects) == 2:
            return table_of((np.concatenate(subjects),))
    groups = [_groups(change, width) for change in changes]
    return table_of(tuple(np.concatenate(parts) for parts in zip(*groups, strict=True)))


def _width(template: RuleTemplate) -> int:
    """How many arguments the groups of a grouping rule have."""
    assert template.head is not None
    return len(template.head.arguments) - len(template.summaries)


def _groups(delta: Table, width: int) -> Columns:
    """The distinct groups that facts begin with."""
    if width == 1:
        return (delta.distinct(0),)
    columns = delta.columns()[:width]
    first, _ = numbered(keys_of(columns, 0))
    return tuple(column[first] for column in columns)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grouping:
    """The groups of a relation, `source`: its facts that agree in the first arguments, as many as the `width`."""

    summaries: tuple[Summary, ...]
    width: int
    source: Table
    terms: Terms
    meter: Meter

    @classmethod
    def of(cls, template: RuleTemplate, source: Table, terms: Terms, meter: Meter) -> Grouping:
        """The groups of a grouping rule whose body's relation has some facts."""
        return cls(template.summaries, _width(template), source, terms, meter)

    def values(self, touched: Table | None) -> Table | None:
        """The groups that some facts begin with, or all, each with its values; None for none. A group with a value in
        error has none."""
        if not self.width and all(map(self._counts_facts, self.summaries)):
            number = self.terms.integers(np.array([len(self.source)]))
            return table_of(tuple(number for _ in self.summaries)) if len(self.source) else None
        if not self.width:
            return self._of_members((), GroupRuns(np.zeros(1, dtype=np.int64), len(self.source)), None)
        if touched is None and self.width < self.source.arity:
            return self._of_all()
        groups = self.source.columns() if touched is None else _groups(touched, self.width)
        if self.width == self.source.arity:
            if touched is not None:
                present = self.source.contains(groups)
                groups = tuple(column[present] for column in groups)
            count = len(groups[0])
            return self._of_members(groups, GroupRuns(np.arange(count), count), groups)
        if self.width == 1 and all(map(self._counts_facts, self.summaries)):
            return self._counted(groups[0], self.source.fanout(0, groups[0]))
        return self._of_parts(self._looked_up(groups))

    def _looked_up(self, groups: Columns) -> Iterator[Part]:
        """Some groups and their members, a bounded number of rows at a time."""
        for index, members in self.source.lookups(dict(enumerate(groups)), rule_tuning.GROUPED_ROWS):
            rows, begins, ordered = grouped(index, members)
            yield tuple(column[rows] for column in groups), GroupRuns(begins, len(index)), ordered

    def _of_all(self) -> Table | None:
        """The values of all groups, of which none is looked up."""
        if self.width == 1 and all(map(self._counts_facts, self.summaries)):
            return self._counted(*self.source.fanouts())
        found = self.source.by_group(self.width, rule_tuning.GROUPED_ROWS)
        return self._of_parts((groups, GroupRuns(begins, len(facts[0])), facts) for groups, begins, facts in found)

    def _counts_facts(self, summary: Summary) -> bool:
        """Whether it counts all facts of a group."""
        return summary.function == "count" and self._takes_facts(summary)

    def _takes_facts(self, summary: Summary) -> bool:
        """Whether each fact of a group counts."""
        return not summary.over or {*range(self.width, self.source.arity)} <= {*summary.over}

    def _counted(self, group: Ids, counts: Index) -> Table | None:
        """The groups of some subjects, of which each has so many facts."""
        known = counts > 0
        if not known.any():
            return None
        numbers = self.terms.integers(counts[known])
        return table_of((group[known], *(numbers for _ in self.summaries)))

    def _of_members(self, groups: Columns, runs: GroupRuns, members: Columns | None) -> Table | None:
        """The values of groups by the columns of their members."""
        return self._of_parts([(groups, runs, members)]) if runs.count and runs.length else None

    def _of_parts(self, parts: Iterable[Part]) -> Table | None:
        """The values of groups that come part by part."""
        made = [self.terms.summariser(summary) for summary in self.summaries]
        groups: list[Columns] = []
        for some, runs, facts in parts:
            members = facts
            self.meter.tick()
            groups.append(some)
            for summary, summariser in zip(self.summaries, made, strict=True):
                if members is None and not self._counts_facts(summary):
                    members = self.source.columns()
                rows, mine = self._once(summary, runs, members)
                ids = members[summary.argument][rows] if members and summary.argument >= 0 else NO_IDS
                summariser.add(ids, mine)
        if not groups:
            return None
        columns = [np.concatenate(column) for column in zip(*groups, strict=True)]
        groups.clear()
        for summariser in made:
            columns.append(summariser.results())
            self.meter.tick()
        valid = np.logical_and.reduce([column != UNBOUND for column in columns[len(columns) - len(made) :]])
        if valid.all():
            return table_of(tuple(columns))
        return table_of(tuple(column[valid] for column in columns)) if valid.any() else None

    def _once(self, summary: Summary, runs: GroupRuns, members: Columns | None) -> tuple[Index | slice, GroupRuns]:
        """The members that count, of which those that are equal in some columns count once, and their groups."""
        if members is None or self._takes_facts(summary):
            return slice(None), runs
        over = [members[position] for position in summary.over]
        first, _ = numbered(keys_of([runs.numbers.astype(np.uint32), *over], 0))
        rows = np.sort(first)
        return rows, GroupRuns(np.searchsorted(rows, runs.begins), len(rows))
