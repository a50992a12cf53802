"""Which relations schemes keep: the definitions of all strata, those of strata that have not changed as they were
(`planned_strata`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kgreason.checkpoints import passes
from kgreason.engine.rules.groups import Flags
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.definitions import SchemeAssignment
from kgreason.engine.strata.numbered_rules import NumberedRules
from kgreason.engine.strata.planned_strata import Assignments, Consequences, PlannedStrata
from kgreason.engine.strata.rules_by_stratum import RulesByStratum
from kgreason.engine.strata.scheme_policy import SchemeChoice, SchemePolicy
from kgreason.engine.strata.stratum_rules import REPLACED, strata_of
from kgreason.relations.catalogue import EQUALITY, Definition, Naming
from kgreason.sorting import argsort


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SchemePlan:
    """The relations that schemes keep: strata as a whole, and parts of the others; with the rules they stand for.

    Attributes:
        assignments: what schemes keep of each stratum, by its number.
        is_whole: the strata that a scheme keeps as a whole, by number.
        partial: the numbers of those of which schemes keep parts.
        definitions: the definition of each relation that has one.
        absorbed: the numbers of the rules that schemes stand for, but for copies that a definition implies.
        read, readers: the relations that definitions read, in order, and for each of them the stratum that reads it.
        policy, groups: the policy, and the template and the guard of each group of rules by its number; where these are
            the same, so are the assignments of strata with the same contents.
        closures, planned: these, of strata that may be equalities, and of all.
        consequences: what follows from them.
    """

    assignments: Sequence[Assignments]
    is_whole: Flags
    partial: Sequence[int]
    definitions: Mapping[int, Definition]
    absorbed: Numbers
    read: Numbers
    readers: Numbers
    policy: SchemePolicy
    groups: Mapping[int, tuple[RuleTemplate, int | None]]
    closures: PlannedStrata
    planned: PlannedStrata
    consequences: Consequences

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
        known = before if before is not None and before._knows(policy, groups) else None
        by_stratum = RulesByStratum(rules, components, possible)
        planner = _Planner(by_stratum, reserved, copied, policy)
        closures, _ = planner.planned(planner.closing(), None, known.closures if known else None)
        strata = np.flatnonzero(by_stratum.inhabited())
        planned, origins = planner.planned(strata, _equal(closures), known.planned if known else None)
        consequences, kept_before = (known.consequences, known.planned.kept) if known else (Consequences.none(), ())
        consequences = consequences.followed(kept_before, planned.kept, origins)
        assignments: list[Assignments] = [()] * by_stratum.count
        for number, kept in zip(strata.tolist(), planned.kept, strict=True):
            assignments[number] = kept
        is_whole = np.zeros(by_stratum.count, dtype=np.bool_)
        is_whole[strata] = consequences.is_whole
        absorbed, reads = consequences.absorbed, consequences.reads
        order = argsort(reads.values)
        return cls(
            assignments,
            is_whole,
            strata[consequences.has_parts].tolist(),
            consequences.definitions,
            by_stratum.rules_at(strata[absorbed.places], absorbed.values),
            reads.values[order],
            strata[reads.places[order]],
            policy,
            groups,
            closures,
            planned,
            consequences,
        )

    def _knows(self, policy: SchemePolicy, groups: Mapping[int, tuple[RuleTemplate, int | None]]) -> bool:
        """Whether what is known holds for a policy and some groups, too."""
        return self.policy == policy and all(self.groups.get(number, each) == each for number, each in groups.items())

    def whole(self, number: int) -> SchemeAssignment | None:
        """How a scheme keeps a stratum as a whole, None where it does not."""
        return self.assignments[number][0] if self.is_whole[number] else None

    def parts(self, number: int) -> Assignments:
        """How schemes keep relations of a stratum that other rules of it feed."""
        return () if self.is_whole[number] else self.assignments[number]

    def readers_of(self, code: int) -> list[int]:
        """The strata whose scheme reads a relation."""
        begin, end = self.read.searchsorted(code), self.read.searchsorted(code, side="right")
        found: list[int] = self.readers[begin:end].tolist()
        return found


def _equal(closures: PlannedStrata) -> frozenset[int]:
    """The relations that are kept as classes of equal things."""
    found = (each.definition for kept in closures.kept for each in kept)
    return frozenset(m.code for definition in found if definition.closure == EQUALITY for m in definition.members)


@dataclass(slots=True, eq=False, repr=False)
class _Planner:
    """What a plan is made of."""

    by_stratum: RulesByStratum
    reserved: set[int]
    copied: Mapping[int, Naming]
    policy: SchemePolicy

    def closing(self) -> Numbers:
        """The strata of relations by which rules replace things: some may be kept as classes of equal things."""
        rules, components = self.by_stratum.rules, self.by_stratum.components
        wanted = np.zeros(self.by_stratum.count, dtype=np.bool_)
        for inside in REPLACED:
            wanted[components[rules.pairs_read(inside)]] = True
        return np.flatnonzero(wanted)

    def planned(
        self, strata: Numbers, equalities: frozenset[int] | None, before: PlannedStrata | None
    ) -> tuple[PlannedStrata, Numbers]:
        """What schemes keep of some strata; and for each of these its place among those of a plan before, -1 for one
        that has changed."""
        is_equality = np.zeros(len(self.by_stratum.rules.codes), dtype=np.bool_)
        is_equality[self.by_stratum.rules.codes.searchsorted(sorted(equalities or ()))] = True
        traits = self._traits(is_equality)
        contents = self.by_stratum.contents(strata, traits)
        origins = np.full(len(strata), -1, dtype=np.int64)
        if before is not None:
            origins = before.same_as(contents, equalities)
            origins[np.isin(strata, self._strata_of(before.recopied(self.copied)))] = -1
        fresh = strata[origins < 0].tolist()
        made = self._anew(fresh, traits, is_equality, equalities is None) if fresh else {}
        known = before.kept if before is not None else ()
        kept = [
            made[number] if place < 0 else known[place]
            for number, place in zip(strata.tolist(), origins.tolist(), strict=True)
        ]
        return PlannedStrata(contents, self.copied, equalities, kept), origins

    def _strata_of(self, codes: Sequence[int]) -> Numbers:
        """The strata of some relations, as far as there are any."""
        known = self.by_stratum.rules.codes
        found = known.searchsorted(codes)
        return np.asarray(self.by_stratum.components[found[known.take(found, mode="clip") == codes]])

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
