"""The atoms of all rules as columns: which rule each is of, its relation, and its place in the body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import pairs
from kgreason.columns.numbering import Numbering
from kgreason.engine.rules.groups import Flags, RuleGroup
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import TemplateAtom

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AtomColumns:
    """The atoms that rules have in one role: the number of the rule of each, its relation, and its position there.

    Relations are codes, until `numbered` makes them dense numbers.
    """

    rules: Numbers
    relations: Numbers
    positions: Numbers

    @classmethod
    def of(
        cls,
        groups: Sequence[RuleGroup],
        spans: Mapping[int, slice],
        role: Callable[[RuleTemplate], Sequence[TemplateAtom]],
    ) -> AtomColumns:
        """The atoms of the rules of groups, by the codes of their relations.

        Args:
            spans: which numbers the rules of each group have, by the number of the group.
            role: the atoms of a template that count.
        """
        begins, ends, relations, positions = [], [], [], []
        for group in groups:
            span = spans[group.number]
            for position, atom in enumerate(role(group.template)):
                begins.append(span.start)
                ends.append(span.stop)
                relations.append(group.parameters[:, atom.relation])
                positions.append(position)
        if not relations:
            return cls(*(np.empty(0, dtype=np.int64) for _ in range(3)))
        index, rules = pairs.spread(np.array(begins), np.array(ends))
        return cls(rules, np.concatenate(relations), np.array(positions)[index])

    def numbered(self, codes: Numbering) -> AtomColumns:
        """The atoms with the numbers of their relations."""
        return AtomColumns(self.rules, codes.places(self.relations), self.positions)

    def among(self, chosen: Flags) -> tuple[Numbers, Numbers]:
        """The rules and the relations of the atoms of chosen rules."""
        kept = chosen[self.rules]
        return self.rules[kept], self.relations[kept]

    def at(self, position: int, count: int) -> Numbers:
        """For each of `count` rules the relation of its atom at a position, -1 for none."""
        found = np.full(count, -1, dtype=np.int64)
        chosen = self.positions == position
        found[self.rules[chosen]] = self.relations[chosen]
        return found

    def any_of(self, flags: Flags, count: int) -> Flags:
        """For each of `count` rules whether one of its atoms is flagged."""
        found = np.zeros(count, dtype=np.bool_)
        found[self.rules[flags]] = True
        return found
