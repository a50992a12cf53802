"""Which strata a scheme keeps: the definitions that the rules allow, and those that are worth it.

A union that rule bodies join with other atoms is written out, if more of them do than the catalogue's limit says:
each of them would unite the parts anew for every change, and a bitmap or a column of keys is small beside what
the closures of transitive relations would take. Transitive closures and equivalences are never written out.
Measured with ``python -m tests.benchmarks.union_choice``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from kgreason.checkpoints import passes
from kgreason.columns import sorted_sets
from kgreason.engine.rules.groups import Flags
from kgreason.engine.rules.rule_templates import Replacement
from kgreason.engine.strata.definitions import InnerRule, ReplacingRule, SchemeAssignment, Stratum
from kgreason.engine.strata.mutual_pairs import with_mutual
from kgreason.engine.strata.numbered_rules import NumberedRules, Numbers
from kgreason.engine.strata.path_rules import may_be_implied
from kgreason.engine.strata.represented_parts import with_represented
from kgreason.engine.strategy import Strategy
from kgreason.relations.catalogue import (
    EQUALITY,
    PLAIN,
    STEPS,
    SYMMETRIC,
    UNION,
    VIRTUAL,
    Catalogue,
    Definition,
    Naming,
)


@dataclass(frozen=True, slots=True)
class SchemePolicy:
    """What decides about definitions: the catalogue, what it forces by code, relations that turned out unsuited, and
    the strategy of the engine."""

    catalogue: Catalogue
    strategy: Strategy = field(default_factory=Strategy)
    forced: Mapping[int, str] = field(default_factory=dict)
    unsuited: frozenset[int] = frozenset()

    def accepts(self, definition: Definition, joins: int) -> bool:
        """Whether a scheme is to keep the relations that `joins` rule bodies join with others."""
        codes = {member.code for member in definition.members}
        forced = {self.forced[code] for code in codes if code in self.forced}
        if PLAIN in forced or codes & self.unsuited or not self.catalogue.has(definition):
            return False
        if definition.is_part and not self.strategy.modules:
            return False
        if forced:
            return True
        limited = definition.closure in (UNION, SYMMETRIC) and joins > self.catalogue.join_limit
        return self.catalogue.default != PLAIN and not limited

    def writes_out(self, definition: Definition, joins: int) -> bool:
        """Whether what is kept over representatives is written out there, since rules join it with others."""
        forced = any(self.forced.get(member.code) == VIRTUAL for member in definition.members)
        return definition.within in (UNION, SYMMETRIC) and joins > self.catalogue.join_limit and not forced


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SchemePlan:
    """The relations that schemes keep: strata as a whole, by number, and parts of the others; with the rules they stand
    for."""

    whole: dict[int, SchemeAssignment]
    parts: dict[int, list[SchemeAssignment]]

    def all(self) -> Iterator[SchemeAssignment]:
        """Every definition with its rules."""
        yield from self.whole.values()
        for parts in self.parts.values():
            yield from parts


def _strata_of(
    rules: NumberedRules,
    components: Numbers,
    possible: Mapping[int, int],
    concerned: Flags,
    equalities: frozenset[int] = frozenset(),
) -> dict[int, Stratum]:
    """The strata that some rules derive something in, with what each of the rules says of them.

    `possible` are the numbers of the strata of relations that can have facts; `equalities` are the relations that
    schemes keep as classes of equal things.
    """
    strata: dict[int, Stratum] = {}
    copying = rules.that(lambda template: template.copies and len(template.body[0].arguments) <= 2)
    _record_copies(rules, np.flatnonzero(concerned & copying), components, strata)
    others = np.flatnonzero(concerned & ~copying & rules.leading_back(components))
    for numbers in rules.in_groups(others):
        _record_others(rules, numbers, components, strata, equalities)
    for code, number in possible.items():
        if number in strata:
            strata[number].members.add(code)
    return strata


def define(
    rules: NumberedRules,
    components: Numbers,
    possible: Mapping[int, int],
    reserved: set[int],
    copied: Mapping[int, Naming],
    policy: SchemePolicy,
) -> SchemePlan:
    """The definitions of what schemes keep.

    Args:
        possible: the number of the stratum of each relation that can have facts.
        reserved: relations that a module derives from others.
        copied: guards whose rules all copy facts from what one id names to what the other names.
    """
    guards = {group.guard for group in rules.groups if group.guard is not None}
    choice = _Choice(policy, rules.codes, reserved, guards, copied, _joins(rules, frozenset()))
    equalities = _equalities(rules, components, possible, choice)
    if equalities:
        choice = replace(choice, joins=_joins(rules, equalities))
    strata = _strata_of(rules, components, possible, rules.in_force, equalities)
    found = SchemePlan({}, {})
    for number, assignments in _assignments(choice, strata).items():
        if assignments and assignments[0].definition.is_part:
            inside = np.flatnonzero(rules.in_force & (components[rules.heads] == number) & (rules.heads >= 0))
            found.parts[number] = choice.with_represented(rules, inside, strata[number], assignments)
        elif assignments:
            found.whole[number] = assignments[0]
    return found


def _assignments(choice: _Choice, strata: Mapping[int, Stratum]) -> dict[int, list[SchemeAssignment]]:
    return {number: choice.of(stratum) for number, stratum in passes(strata.items())}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Choice:
    """What is worth it: the policy, and how many rule bodies join each relation with others.

    No scheme keeps the `reserved` relations; of guards, each alone, it keeps copies of others, and of those that are
    `copied` only the steps.
    """

    policy: SchemePolicy
    codes: Numbers
    reserved: set[int]
    guards: set[int]
    copied: Mapping[int, Naming]
    joins: Numbers

    def of(self, stratum: Stratum) -> list[SchemeAssignment]:
        """The definition of a stratum as a whole, or else those of its parts."""
        if stratum.replacing:
            kept = self._represented(stratum)
            return [kept] if kept is not None else self.of(stratum.written_out())
        kept = stratum.whole() if self._is_free(stratum) else None
        if kept is not None and (steps := self._steps(kept.definition)) is not None:
            return [replace(kept, definition=steps)]
        if kept is not None:
            return [kept] if self.policy.accepts(kept.definition, self._most(kept.definition)) else []
        reserved = self.reserved | self.guards
        parts = [part for part in stratum.parts(reserved) if self.policy.accepts(part.definition, 0)]
        return with_mutual(stratum, parts, reserved, lambda definition: self.policy.accepts(definition, 0))

    def _steps(self, definition: Definition) -> Definition | None:
        """The definition of a guard that is enough for its rules, which follow its pairs step by step."""
        naming = self.copied.get(definition.members[0].code)
        if naming is None or definition.closure != UNION or definition.arity != 2:
            return None
        steps = replace(definition, closure=STEPS, naming=naming)
        return steps if self.policy.accepts(steps, 0) else None

    def _represented(self, stratum: Stratum) -> SchemeAssignment | None:
        """The definition of a whole stratum over representatives."""
        if not self._is_free(stratum) or (kept := stratum.represented()) is None:
            return None
        joins = self._most(kept.definition)
        if not self.policy.accepts(kept.definition, joins):
            return None
        if not self.policy.writes_out(kept.definition, joins):
            return kept
        return SchemeAssignment(replace(kept.definition, is_written=True), kept.absorbed)

    def with_represented(
        self, rules: NumberedRules, inside: Numbers, stratum: Stratum, parts: list[SchemeAssignment]
    ) -> list[SchemeAssignment]:
        """The parts of a stratum, with the relations that are kept over representatives of an equality among them."""
        reserved = self.reserved | self.guards

        def accepts(definition: Definition) -> bool:
            return definition.members[0].code not in reserved and self.policy.accepts(definition, 0)

        return with_represented(rules, inside, stratum, parts, accepts) if stratum.replacing else parts

    def _is_free(self, stratum: Stratum) -> bool:
        """Whether a scheme may keep the whole stratum."""
        if not self.reserved.isdisjoint(stratum.members):
            return False
        return self.guards.isdisjoint(stratum.members) or (len(stratum.members) == 1 and not stratum.others)

    def _most(self, definition: Definition) -> int:
        """How many rule bodies join a member with others."""
        return max(int(self.joins[self.codes.searchsorted(member.code)]) for member in definition.members)


def _equalities(
    rules: NumberedRules, components: Numbers, possible: Mapping[int, int], choice: _Choice
) -> frozenset[int]:
    """The relations that are kept as classes of equal things, among those by which rules replace things."""
    replacing = rules.in_force & rules.that(lambda template: template.replacements)
    read = {code for numbers in rules.in_groups(np.flatnonzero(replacing)) for code in _read_as_equal(rules, numbers)}
    concerned = rules.in_force & np.isin(components[rules.heads], [possible[code] for code in read if code in possible])
    strata = _strata_of(rules, components, possible, concerned)
    # Without copies that turn pairs round no relation is symmetric.
    kept = _assignments(choice, {number: stratum for number, stratum in strata.items() if stratum.copies})
    found = (each.definition for assignments in kept.values() for each in assignments)
    return frozenset(m.code for definition in found if definition.closure == EQUALITY for m in definition.members)


def _read_as_equal(rules: NumberedRules, numbers: Numbers) -> Iterator[int]:
    """The relations by which rules of a group may replace things."""
    template, parameters = rules.template(numbers), rules.parameters(numbers)
    for each in template.replacements:
        yield from sorted_sets.unique(parameters[:, template.body[1 - each.inside].relation]).tolist()


def _joins(rules: NumberedRules, equalities: frozenset[int]) -> Numbers:
    """For each relation how many rule bodies join it with others, but for those that replace things by equal ones."""
    joining = rules.in_force & rules.that(lambda template: template.head and len(template.body + template.negated) > 1)
    if equalities:
        replacing = joining & rules.that(lambda template: template.replacements)
        for numbers in rules.in_groups(np.flatnonzero(replacing)):
            joining[numbers] = ~_are_replacing(rules, numbers, equalities)
    relations = np.concatenate([atoms.among(joining)[1] for atoms in (rules.bodies, rules.negated)])
    return np.bincount(relations, minlength=len(rules.codes))


def _are_replacing(
    rules: NumberedRules, numbers: Numbers, equalities: frozenset[int], which: Replacement | None = None
) -> Flags:
    """For some rules of a group whether they only replace things by equal ones; in one way, if it is given."""
    template, parameters = rules.template(numbers), rules.parameters(numbers)
    known = np.array(sorted(equalities), dtype=np.int64)
    found = np.zeros(len(numbers), dtype=np.bool_)
    for each in template.replacements if which is None else (which,):
        assert template.head is not None
        heads = parameters[:, template.head.relation]
        is_equality = sorted_sets.contains(known, parameters[:, template.body[1 - each.inside].relation])
        is_equality &= ~sorted_sets.contains(known, heads)
        found |= is_equality & (parameters[:, template.body[each.inside].relation] == heads)
    return found


def _record_copies(rules: NumberedRules, numbers: Numbers, components: Numbers, strata: dict[int, Stratum]) -> None:
    """Note rules that copy."""
    templates = [group.template for group in rules.groups]
    sources, heads = rules.firsts[numbers], rules.heads[numbers]
    relations = (rules.codes[sources], rules.codes[heads], components[sources], components[heads])
    columns = (column.tolist() for column in (rules.places[numbers], *relations))
    for place, source, head, below, number in passes(zip(*columns, strict=True)):
        template = templates[place]
        stratum = strata.setdefault(number, Stratum())
        stratum.arity = len(template.body[0].arguments)
        if template.checked:
            stratum.checked.add(head)
        if below == number:
            stratum.copies.append((source, head, not template.is_copy))
        else:
            stratum.sources.add((source, head, not template.is_copy))


def _record_others(
    rules: NumberedRules,
    numbers: Numbers,
    components: Numbers,
    strata: dict[int, Stratum],
    equalities: frozenset[int],
) -> None:
    """Note rules of a group that lead from a stratum to itself, and are no copies."""
    template = rules.template(numbers)
    for each in template.replacements if equalities else ():
        replacing = _are_replacing(rules, numbers, equalities, each)
        for inner, number in _inner_rules(rules, numbers[replacing], components):
            stratum = strata.setdefault(number, Stratum())
            stratum.arity = len(template.body[each.inside].arguments)
            equality = inner.parameters[template.body[1 - each.inside].relation]
            stratum.replacing.append(ReplacingRule(inner, each.position, equality))
        numbers = numbers[~replacing]
        if not len(numbers):
            return
    if not may_be_implied(template):
        for number in {*components[rules.heads[numbers]].tolist()}:
            strata.setdefault(number, Stratum()).is_open = True
        return
    for inner, number in _inner_rules(rules, numbers, components):
        strata.setdefault(number, Stratum()).others.append(inner)


def _inner_rules(rules: NumberedRules, numbers: Numbers, components: Numbers) -> Iterator[tuple[InnerRule, int]]:
    """Some rules of a group, each with the number of its stratum."""
    if len(numbers):
        template, parameters = rules.template(numbers), rules.parameters(numbers).tolist()
        inside = components[rules.heads[numbers]].tolist()
        for number, row, stratum in passes(zip(numbers.tolist(), parameters, inside, strict=True)):
            yield InnerRule(number, template, tuple(row)), stratum
