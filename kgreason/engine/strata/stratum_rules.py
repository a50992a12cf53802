"""The rules of each stratum that its schemes may stand for, read off the rules that are in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, pairwise
from typing import Final

import numpy as np

from kgreason.checkpoints import passes
from kgreason.columns.sorted_columns import firsts
from kgreason.engine.rules.groups import Flags
from kgreason.engine.rules.rule_templates import Trait
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.definitions import InnerRule, ReplacingRule, Stratum
from kgreason.engine.strata.path_rules import may_be_implied
from kgreason.engine.strata.rules_by_stratum import RulesByStratum
from kgreason.sorting import argsort

REPLACED: Final = (0, 1)
"""The atoms that rules may replace things in."""


def strata_of(by_stratum: RulesByStratum, wanted: Flags, is_equality: Flags) -> dict[int, Stratum]:
    """Those of some strata that rules derive something in, with what each of the rules says of them: O(their rules).

    Args:
        wanted: a flag for each stratum.
        is_equality: a flag for each relation: whether a scheme keeps it as classes of equal things.
    """
    rules = by_stratum.rules
    replacing = [rules.replacing(inside, is_equality) for inside in REPLACED] if is_equality.any() else []
    return _StratumReader(by_stratum, replacing).read(wanted)


@dataclass(slots=True, eq=False, repr=False)
class _StratumReader:
    """The strata as far as they are read; `replacing` are the rules that replace things in each of the first atoms, of
    no atom where nothing is kept as equal."""

    by_stratum: RulesByStratum
    replacing: Sequence[Flags]
    found: dict[int, Stratum] = field(default_factory=dict)

    def read(self, wanted: Flags) -> dict[int, Stratum]:
        """The strata that are wanted, and have rules."""
        rules, components = self.by_stratum.rules, self.by_stratum.components
        concerned = rules.in_force & (rules.heads >= 0)
        concerned &= wanted[components[rules.heads]]
        copying = rules.that(Trait.COPIES_TRIPLES)
        self._record_copies(np.flatnonzero(concerned & copying))
        others = np.flatnonzero(concerned & ~copying & rules.leading_back(components))
        for numbers in rules.in_groups(others):
            self._record_others(numbers)
        for stratum, members in zip(self.found.values(), self.by_stratum.members([*self.found]), strict=True):
            stratum.members.update(members)
        return self.found

    def _of(self, number: int) -> Stratum:
        stratum = self.found.get(number)
        if stratum is None:
            stratum = self.found[number] = Stratum()
        return stratum

    def _record_copies(self, numbers: Numbers) -> None:
        """Note rules that copy, stratum by stratum."""
        rules, components = self.by_stratum.rules, self.by_stratum.components
        templates = [group.template for group in rules.groups]
        turn = np.array([not template.is_copy for template in templates], dtype=np.bool_)
        checked = np.array([template.checked for template in templates], dtype=np.bool_)
        numbers = numbers[argsort(components[rules.heads[numbers]])]
        strata, places = components[rules.heads[numbers]], rules.places[numbers]
        sources, heads = rules.firsts[numbers], rules.heads[numbers]
        copies = [*zip(rules.codes[sources].tolist(), rules.codes[heads].tolist(), turn[places].tolist(), strict=True)]
        is_inside = components[sources] == strata
        begins = np.flatnonzero(firsts(strata))
        for begin, end in passes(pairwise([*begins.tolist(), len(strata)])):
            stratum, inside = self._of(int(strata[begin])), is_inside[begin:end]
            stratum.arity = len(templates[places[end - 1]].body[0].arguments)
            stratum.copies.extend(compress(copies[begin:end], inside.tolist()))
            stratum.sources.update(compress(copies[begin:end], (~inside).tolist()))
        is_checked = checked[places]
        for number, head in zip(strata[is_checked].tolist(), rules.codes[heads[is_checked]].tolist(), strict=True):
            self._of(number).checked.add(head)

    def _record_others(self, numbers: Numbers) -> None:
        """Note rules of a group that lead from a stratum to itself, and are no copies."""
        rules, template = self.by_stratum.rules, self.by_stratum.rules.template(numbers)
        for each in template.replacements if self.replacing else ():
            replacing = self.replacing[each.inside][numbers]
            for inner, number in self._inner_rules(numbers[replacing]):
                stratum = self._of(number)
                stratum.arity = len(template.body[each.inside].arguments)
                equality = inner.parameters[template.body[1 - each.inside].relation]
                stratum.replacing.append(ReplacingRule(inner, each.position, equality))
            numbers = numbers[~replacing]
            if not len(numbers):
                return
        if not may_be_implied(template):
            for number in {*self.by_stratum.components[rules.heads[numbers]].tolist()}:
                self._of(number).is_open = True
            return
        for inner, number in self._inner_rules(numbers):
            self._of(number).others.append(inner)

    def _inner_rules(self, numbers: Numbers) -> Iterator[tuple[InnerRule, int]]:
        """Some rules of a group, each with the number of its stratum."""
        if len(numbers):
            rules = self.by_stratum.rules
            template, parameters = rules.template(numbers), rules.parameters(numbers).tolist()
            inside = self.by_stratum.components[rules.heads[numbers]].tolist()
            places = self.by_stratum.places[numbers].tolist()
            for place, row, stratum in passes(zip(places, parameters, inside, strict=True)):
                yield InnerRule(place, template, tuple(row)), stratum
