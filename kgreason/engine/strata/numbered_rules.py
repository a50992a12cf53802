"""The rules of a group with densely numbered relations, as the strata and the definitions of schemes are found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.rules.groups import RuleGroup
from kgreason.engine.rules.rule_draft import RuleDraft

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


def columns_of(group: RuleGroup) -> list[Numbers]:
    """The relations of each rule of a group: of the body, of the negated atoms, and of the head, if there is one."""
    template = group.template
    atoms = [*template.body, *template.negated, *([template.head] if template.head is not None else [])]
    return [group.parameters[:, atom.relation] for atom in atoms]


class NumberedRules:
    """The rules of a group with their relations as dense numbers; `numbers` are those in force, by row."""

    def __init__(self, group: RuleGroup, draft: RuleDraft, relations: Sequence[Numbers], guard: int | None) -> None:
        """`draft` says which rules wait or were left out; `relations` are the dense numbers of the relations of each
        rule, in the order of `columns_of`, and `guard` is that of the guard relation."""
        self.group = group
        none = np.zeros(len(group.rows), dtype=np.bool_)
        self.fresh = draft.fresh.get(group.number, none)
        self.repeating = draft.repeating.get(group.number, none)
        self._before = draft.rows_before(group.number)
        template = group.template
        body, negated = len(template.body), len(template.negated)
        self.bodies, self.negated = relations[:body], relations[body : body + negated]
        self.heads = relations[-1]
        self.guard = guard
        self.numbers, self.leaving = np.arange(len(self.heads)), np.empty(0, dtype=np.int64)
        leaving = draft.leaving.get(group.number)
        if leaving is not None:
            self.numbers, self.leaving = np.flatnonzero(~leaving), np.flatnonzero(leaving)
        self.absorbed = np.zeros(len(self.heads), dtype=np.bool_)
        self.revived = self.silenced = np.empty(0, dtype=np.int64)

    def select(self, possible: Flags) -> None:
        """Keep the rules whose positive body relations are possible."""
        if self.bodies:
            kept = np.logical_and.reduce([possible[column] for column in self.bodies])
            self.numbers, self.leaving = self.numbers[kept[self.numbers]], self.leaving[kept[self.leaving]]

    def leave_out(self, repeating: Flags) -> None:
        """Drop the rules that only repeat others; `revived` are those that no longer do, `silenced` those that
        have been evaluated and were not left out."""
        before = self.repeating
        if not (repeating.any() or before.any()):
            return
        self.revived = self.numbers[before[self.numbers] & ~repeating[self.numbers]]
        self.silenced = np.flatnonzero((repeating & ~before & ~self.fresh)[: self._before])
        self.numbers = self.numbers[~repeating[self.numbers]]
        self.repeating = repeating

    def absorb(
        self, keepers: Numbers, fed: Numbers, whole: Flags, components: Numbers, inner: Sequence[int]
    ) -> None:
        """Drop the rules that a scheme stands for: the rows `inner`, and copies within a definition, from below, or
        from what feeds it.

        Args:
            keepers: for each relation the number of the definition that it is a member of, -1 for none.
            fed: for each relation the number of the definition that it feeds, -1 for none.
            whole: for each relation whether its definition is of its whole stratum.
        """
        if inner:
            self.absorbed[list(inner)] = True
        if self.group.template.copies:
            source, into = self.bodies[0], keepers[self.heads]
            below = whole[self.heads] & (components[source] != components[self.heads])
            self.absorbed |= below | ((into >= 0) & ((keepers[source] == into) | (fed[source] == into)))
        if not self.absorbed.any():
            return
        self.numbers = self.numbers[~self.absorbed[self.numbers]]
        self.leaving = self.leaving[~self.absorbed[self.leaving]]
        self.revived = self.revived[~self.absorbed[self.revived]]

    def leads_back(self, rows: Numbers, components: Numbers) -> Flags:
        """For each rule whether a body relation is in the stratum of its head."""
        found = np.zeros(len(rows), dtype=np.bool_)
        for column in self.bodies:
            found |= components[column[rows]] == components[self.heads[rows]]
        return found

    def inputs(self) -> Iterable[Numbers]:
        """The relations that the selected rules depend on positively, one column per atom, and the guard."""
        for column in self.bodies:
            yield column[self.numbers]
        if self.guard is not None:
            yield np.full(len(self.numbers), self.guard)

    def denied(self) -> Iterable[Numbers]:
        """The relations that must be in strata below those that the selected rules derive: negated ones, and that of
        which a grouping rule has the groups."""
        for column in (*self.negated, *(self.bodies if self.group.template.summaries else ())):
            yield column[self.numbers]
