"""What a pass asks about a relation: its stratum, the scheme that keeps it, and the rules that it concerns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from kgreason.engine.facts import external_key
from kgreason.engine.rules.groups import RuleGroup
from kgreason.engine.rules.occurrences import Occurrence, RuleIndex
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.definitions import InnerRule
from kgreason.engine.strata.possible_relations import Dependency
from kgreason.engine.strata.scheme_plan import SchemePlan
from kgreason.relations.catalogue import Definition
from kgreason.relations.table import Table

Deriving: TypeAlias = tuple[Sequence[Occurrence], Sequence[Occurrence]]
"""The rules that derive a relation: those that depend on relations of its own stratum, and the others."""


class StratumLookups:
    """Look-ups of strata, whose maker sets what they are made of. Each answer is found once.

    Args:
        plan: which schemes keep strata, or relations of them.
        body, negated, heads: the rules by the relations of their positive atoms, negated atoms and heads, but those
            that are left out, or that a scheme stands for.
        guards: the groups of rules by the relations of their guard facts.
    """

    plan: SchemePlan
    body: RuleIndex
    negated: RuleIndex
    heads: RuleIndex
    guards: dict[int, list[RuleGroup]]

    _component: dict[int, int]
    _members: Numbers
    _strata: Numbers
    _definitions: Mapping[int, Definition]
    _modules: Sequence[Dependency]

    def _forget(self) -> None:
        """Begin with no answers, when what they are made of has been set."""
        self._inert: dict[int, bool] = {}
        self._recursive_rules: dict[int, Sequence[Occurrence]] = {}
        self._rules_for: dict[int, Deriving] = {}

    def component(self, code: int) -> int:
        """The number of the stratum of a relation; sources come first. KeyError for an impossible one."""
        return self._component[code]

    def knows(self, code: int) -> bool:
        """Whether the relation is possible."""
        return code in self._component

    def is_member(self, code: int, number: int) -> bool:
        """Whether a relation is possible and of a stratum."""
        return self._component.get(code) == number

    def definition(self, number: int) -> Definition | None:
        """How a scheme keeps the stratum as a whole; None where it does not."""
        kept = self.plan.whole(number)
        return kept.definition if kept is not None else None

    def parts(self, number: int) -> list[Definition]:
        """How schemes keep relations of a stratum that other rules of it feed."""
        return [kept.definition for kept in self.plan.parts(number)]

    def definitions(self) -> Mapping[int, Definition]:
        """The definition of each relation that has one."""
        return self._definitions

    def inner_rules(self, code: int) -> Sequence[InnerRule]:
        """The rules that the scheme stands for which keeps the whole stratum of a relation."""
        kept = self.plan.whole(self._component[code])
        return () if kept is None else kept.absorbed

    def is_inert(self, code: int) -> bool:
        """Whether a possible relation is one that no rule, scheme or module reads or derives."""
        found = self._inert.get(code)
        if found is None:
            used = self.body.count(code) or self.negated.count(code) or self.heads.count(code)
            linked = any(code in (link.source, link.target) for link in self._modules)
            kept = code in self._definitions or self.plan.readers_of(code) or code in self.guards
            found = self._inert[code] = self.knows(code) and not (used or linked or kept)
        return found

    def spanned(self, code: int) -> Definition | None:
        """The definition by which a scheme keeps all that paths of the external facts of a relation connect."""
        definition = self._definitions.get(code)
        return definition if definition is not None and definition.spans else None

    def recursive_rules(self, code: int) -> Sequence[Occurrence]:
        """The rules that read a relation in a positive atom, and derive relations of the same stratum."""
        found = self._recursive_rules.get(code)
        if found is None:
            number = self._component.get(code)
            found = self.body.deriving(code, lambda head: self._component[head] == number)
            self._recursive_rules[code] = found
        return found

    def rules_within(self, number: int) -> Iterator[tuple[int, Occurrence]]:
        """The rules by which relations of a stratum lead to each other, each with the relation that it reads."""
        return ((code, use) for code in self.members(number) for use in self.recursive_rules(code))

    def recursive_rules_with(self, code: int, facts: Table, read: Reader) -> Sequence[Occurrence]:
        """The same without those that some facts of the relation cannot match, where there are many."""
        if not self.body.are_many_for(code, facts):
            return self.recursive_rules(code)
        number = self._component.get(code)
        return [use for use in self.body.matching(code, facts, read) if self._component[use.head] == number]

    def rules_for(self, code: int) -> Deriving:
        """The rules that derive a relation, the shortest first: those that read or are guarded by relations of its own
        stratum, and the others; without facts where there are many, which `facts_for` gives."""
        found = self._rules_for.get(code)
        if found is None:
            found = self._rules_for[code] = self._divided(code, self.heads.divided(code)[0])
        return found

    def facts_for(self, code: int) -> Sequence[tuple[RuleGroup, Numbers]]:
        """The rules without a condition that derive a relation, where there are many: rows of groups."""
        return self.heads.divided(code)[1]

    def rules_for_some(self, code: int, facts: Table, read: Reader) -> Deriving:
        """Those that can derive some facts of the relation, where there are many, or all."""
        if not self.heads.are_many_for(code, facts):
            return self.rules_for(code)
        return self._divided(code, self.heads.matching(code, facts, read))

    def key(self, code: int) -> int:
        """Where other rules put what they derive of a relation: its external facts, if a scheme keeps it."""
        return external_key(code) if code in self._definitions else code

    def readers(self, code: int) -> Sequence[int]:
        """The strata whose scheme reads the relation as a source."""
        return self.plan.readers_of(code)

    def members(self, number: int) -> list[int]:
        """The relations of a stratum."""
        begin, end = (self._strata.searchsorted(number, side) for side in ("left", "right"))
        found: list[int] = self._members[begin:end].tolist()
        return found

    def _divided(self, code: int, rules: Sequence[Occurrence]) -> Deriving:
        number = self._component.get(code)
        uses = sorted(rules, key=lambda use: len(use.group.template.body))
        inside = [self._reads(use, number) for use in uses]
        recursive = [use for use, is_inside in zip(uses, inside, strict=True) if is_inside]
        others = [use for use, is_inside in zip(uses, inside, strict=True) if not is_inside]
        return recursive, others

    def _reads(self, use: Occurrence, number: int | None) -> bool:
        """Whether a rule reads a relation of a stratum, or its guard is one."""
        guard = use.group.guard
        read = [use.parameters[atom.relation] for atom in use.group.template.body]
        return any(self._component.get(code) == number for code in (read if guard is None else [*read, guard]))

