"""Which relations schemes keep: the definitions of all strata, those of strata that have not changed as they were.

What the schemes of a stratum are depends on its relations and its rules alone, on what is equal, and on a few traits of
each relation. So a plan knows all of these for each of its strata, and the next one takes over what is still the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from kgreason.checkpoints import passes
from kgreason.engine.rules.groups import Flags
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.definitions import SchemeAssignment
from kgreason.engine.strata.numbered_rules import NumberedRules
from kgreason.engine.strata.rules_by_stratum import RulesByStratum, StratumKey
from kgreason.engine.strata.scheme_policy import SchemeChoice, SchemePolicy
from kgreason.engine.strata.stratum_rules import REPLACED, strata_of
from kgreason.relations.catalogue import EQUALITY, Naming

Key: TypeAlias = tuple[StratumKey, tuple[tuple[int, Naming], ...], frozenset[int] | None]
"""A stratum, how rules copy along guards in it, and what is kept as classes of equal things; None where that is being
found."""

Assignments: TypeAlias = Sequence[SchemeAssignment]

@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SchemePlan:
    """The relations that schemes keep: strata as a whole, by number, and parts of the others; with the rules they stand
    for.

    Attributes:
        absorbed: the numbers of these rules, but for copies that a definition implies.
        policy, groups: the policy, and the template and the guard of each group of rules by its number; where these are
            the same, so are the assignments that are `known` for a key.
    """

    whole: Mapping[int, SchemeAssignment]
    parts: Mapping[int, Assignments]
    absorbed: Numbers
    policy: SchemePolicy
    groups: Mapping[int, tuple[RuleTemplate, int | None]]
    known: Mapping[Key, Assignments]

    @classmethod
    def of(
        cls,
        rules: NumberedRules,
        components: Numbers,
        possible: Flags,
        reserved: set[int],
        copied: Mapping[int, Naming],
        policy: SchemePolicy,
        before: SchemePlan | None = None,
    ) -> SchemePlan:
        """The definitions of what schemes keep.

        Args:
            components: the number of the stratum of each relation.
            possible: which relations can have facts.
            reserved: relations that a module derives from others.
            copied: guards whose rules all copy facts from what one id names to what the other names.
            before: a plan of rules that these come from.
        """
        groups = {group.number: (group.template, group.guard) for group in rules.groups}
        known = before.known if before is not None and before._knows(policy, groups) else {}
        planner = _Planner(RulesByStratum(rules, components, possible), reserved, copied, policy, known)
        whole: dict[int, SchemeAssignment] = {}
        parts: dict[int, Assignments] = {}
        absorbed: list[tuple[int, int]] = []
        for number, kept in passes(planner.assignments().items()):
            if kept[0].definition.is_part:
                parts[number] = kept
            else:
                whole[number] = kept[0]
            absorbed += [(number, rule.place) for each in kept for rule in each.absorbed]
        return cls(whole, parts, planner.by_stratum.rules_at(absorbed), policy, groups, planner.kept)

    def _knows(self, policy: SchemePolicy, groups: Mapping[int, tuple[RuleTemplate, int | None]]) -> bool:
        """Whether what is known holds for a policy and some groups, too."""
        return self.policy == policy and all(self.groups.get(number, each) == each for number, each in groups.items())

    def all(self) -> Iterator[SchemeAssignment]:
        """Every definition with its rules."""
        yield from self.whole.values()
        for parts in self.parts.values():
            yield from parts


@dataclass(slots=True, eq=False, repr=False)
class _Planner:
    """What is found for a plan, and `kept` for the next one."""

    by_stratum: RulesByStratum
    reserved: set[int]
    copied: Mapping[int, Naming]
    policy: SchemePolicy
    known: Mapping[Key, Assignments]
    kept: dict[Key, Assignments] = field(default_factory=dict)

    def assignments(self) -> dict[int, Assignments]:
        """What schemes keep of each stratum of which they keep something."""
        everything = np.ones(self.by_stratum.count, dtype=np.bool_)
        return self._assignments(everything, self._equalities())

    def _equalities(self) -> frozenset[int]:
        """The relations that are kept as classes of equal things, among those by which rules replace things."""
        rules, components = self.by_stratum.rules, self.by_stratum.components
        wanted = np.zeros(self.by_stratum.count, dtype=np.bool_)
        for inside in REPLACED:
            wanted[components[rules.pairs_read(inside)]] = True
        kept = self._assignments(wanted, None)
        found = (each.definition for assignments in kept.values() for each in assignments)
        return frozenset(m.code for definition in found if definition.closure == EQUALITY for m in definition.members)

    def _assignments(self, wanted: Flags, equalities: frozenset[int] | None) -> dict[int, Assignments]:
        """What schemes keep of some strata."""
        is_equality = np.zeros(len(self.by_stratum.rules.codes), dtype=np.bool_)
        is_equality[self.by_stratum.rules.codes.searchsorted(sorted(equalities or ()))] = True
        traits = self._traits(is_equality)
        keys, copied = self.by_stratum.keys(traits), self._copied()
        mine: dict[int, Key] = {
            number: (keys[number], copied.get(number, ()), equalities) for number in np.flatnonzero(wanted).tolist()
        }
        fresh = [number for number, key in mine.items() if key not in self.known]
        made = self._anew(fresh, traits, is_equality, equalities is None) if fresh else {}
        self.kept.update((key, self.known[key] if key in self.known else made[number]) for number, key in mine.items())
        return {number: kept for number, key in mine.items() if (kept := self.kept[key])}

    def _copied(self) -> dict[int, tuple[tuple[int, Naming], ...]]:
        """The guards in each stratum whose rules all copy facts along their pairs."""
        codes, components = self.by_stratum.rules.codes, self.by_stratum.components
        guards = sorted({*self.copied}.intersection(codes.tolist()))
        found: dict[int, tuple[tuple[int, Naming], ...]] = {}
        for guard, number in zip(guards, components[codes.searchsorted(guards)].tolist(), strict=True):
            found[number] = (*found.get(number, ()), (guard, self.copied[guard]))
        return found

    def _anew(
        self, numbers: list[int], traits: Sequence[Flags], is_equality: Flags, are_closed: bool
    ) -> dict[int, Assignments]:
        """The same, as it follows from the rules of the strata; where only closures are asked for, nothing of strata
        that cannot be symmetric."""
        rules = self.by_stratum.rules
        wanted = np.zeros(self.by_stratum.count, dtype=np.bool_)
        wanted[numbers] = True
        strata = strata_of(self.by_stratum, wanted, is_equality)
        joined, reserved, guards = ({*rules.codes[each].tolist()} for each in traits)
        choice = SchemeChoice(self.policy, joined, reserved, guards, self.copied)
        found: dict[int, Assignments] = dict.fromkeys(numbers, ())
        for number, stratum in passes(strata.items()):
            if are_closed:
                # Without copies that turn pairs round no relation is symmetric.
                found[number] = choice.of(stratum) if stratum.copies else ()
            else:
                found[number] = choice.all_of(stratum, rules, self.by_stratum.inside(number))
        return found

    def _traits(self, is_equality: Flags) -> tuple[Flags, Flags, Flags]:
        """The relations that too many rule bodies join with others, but for those that replace things by equal ones;
        those that are reserved; and guards."""
        rules = self.by_stratum.rules
        joining = rules.joining()
        for inside in REPLACED if is_equality.any() else ():
            joining &= ~rules.replacing(inside, is_equality)
        relations = np.concatenate([atoms.among(joining)[1] for atoms in (rules.bodies, rules.negated)])
        joined = np.bincount(relations, minlength=len(rules.codes)) > self.policy.catalogue.join_limit
        reserved, guards = (np.zeros(len(rules.codes), dtype=np.bool_) for _ in range(2))
        reserved[rules.codes.searchsorted(sorted(self.reserved))] = True
        guards[rules.guards[rules.guards >= 0]] = True
        return joined, reserved, guards
