"""Which strata a scheme keeps: the definitions that the rules allow, and those that are worth it.

A union that rule bodies join with other atoms is written out, if more of them do than the catalogue's limit says:
each of them would unite the parts anew for every change, and a bitmap or a column of keys is small beside what
the closures of transitive relations would take. Transitive closures and equivalences are never written out.
Measured with ``python -m tests.benchmarks.union_choice``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kgreason.engine.rules.rule_templates import Replacement
from kgreason.engine.strata.definitions import InnerRule, ReplacingRule, SchemeAssignment, Stratum
from kgreason.engine.strata.mutual_pairs import with_mutual
from kgreason.engine.strata.numbered_rules import Flags, NumberedRules, Numbers
from kgreason.engine.strata.path_rules import may_be_implied
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
        wishes = {self.forced[code] for code in codes if code in self.forced}
        if PLAIN in wishes or codes & self.unsuited or not self.catalogue.has(definition):
            return False
        if definition.is_part and not self.strategy.modules:
            return False
        if wishes:
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
    rules: Sequence[NumberedRules], codes: Numbers, components: Numbers, equalities: frozenset[int] = frozenset()
) -> dict[int, Stratum]:
    """The strata that rules derive something in, with what each of the rules says of them.

    `equalities` are the relations that schemes keep as classes of equal things.
    """
    strata: dict[int, Stratum] = {}
    for index, rule in enumerate(rules):
        if rule.group.template.head is None:
            continue
        if rule.group.template.copies and len(rule.group.template.body[0].arguments) <= 2:
            _note_copies(rule, codes, components, strata)
        else:
            _note_others(index, rule, components, strata, equalities)
    return strata


def define(
    rules: Sequence[NumberedRules],
    codes: Numbers,
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
    guards = {int(codes[rule.guard]) for rule in rules if rule.guard is not None}
    choice = _Choice(policy, codes, reserved, guards, copied, _joins(rules, codes, frozenset()))
    strata = _with_members(_strata_of(rules, codes, components), possible)
    equalities = _equalities(rules, strata, choice)
    if equalities:
        choice = replace(choice, joins=_joins(rules, codes, equalities))
        strata = _with_members(_strata_of(rules, codes, components, equalities), possible)
    found = SchemePlan({}, {})
    for number, stratum in strata.items():
        kept = choice.of(stratum)
        if kept and kept[0].definition.is_part:
            found.parts[number] = kept
        elif kept:
            found.whole[number] = kept[0]
    return found


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
        written = self.policy.writes_out(kept.definition, joins)
        return replace(kept, definition=replace(kept.definition, is_written=written))

    def _is_free(self, stratum: Stratum) -> bool:
        """Whether a scheme may keep the whole stratum."""
        if not self.reserved.isdisjoint(stratum.members):
            return False
        return self.guards.isdisjoint(stratum.members) or (len(stratum.members) == 1 and not stratum.others)

    def _most(self, definition: Definition) -> int:
        """How many rule bodies join a member with others."""
        return max(int(self.joins[self.codes.searchsorted(member.code)]) for member in definition.members)


def _with_members(strata: dict[int, Stratum], possible: Mapping[int, int]) -> dict[int, Stratum]:
    for code, number in possible.items():
        if number in strata:
            strata[number].members.add(code)
    return strata


def _equalities(rules: Sequence[NumberedRules], strata: Mapping[int, Stratum], choice: _Choice) -> frozenset[int]:
    """The relations that are kept as classes of equal things, if rules replace these by each other."""
    if not any(rule.group.template.replacements and len(rule.numbers) for rule in rules):
        return frozenset()
    kept = [each for stratum in strata.values() if stratum.others for each in choice.of(stratum)]
    found = (each.definition for each in kept if each.definition.closure == EQUALITY)
    return frozenset(member.code for definition in found for member in definition.members)


def _joins(rules: Sequence[NumberedRules], codes: Numbers, equalities: frozenset[int]) -> Numbers:
    """For each relation how many rule bodies join it with others, but for those that replace things by equal ones."""
    joins = np.zeros(len(codes), dtype=np.int64)
    for rule in rules:
        if rule.group.template.head is not None and len(rule.bodies) + len(rule.negated) > 1:
            rows = rule.numbers[~_are_replacing(rule, rule.numbers, equalities)]
            for column in (*rule.bodies, *rule.negated):
                np.add.at(joins, column[rows], 1)
    return joins


def _are_replacing(
    rule: NumberedRules, rows: Numbers, equalities: frozenset[int], which: Replacement | None = None
) -> Flags:
    """For some rules of a group whether they only replace things by equal ones; in one way, if it is given."""
    template = rule.group.template
    found = np.zeros(len(rows), dtype=np.bool_)
    for each in (template.replacements if which is None else (which,)) if equalities else ():
        assert template.head is not None
        parameters, known = rule.group.parameters[rows], sorted(equalities)
        heads = parameters[:, template.head.relation]
        is_equality = np.isin(parameters[:, template.body[1 - each.inside].relation], known) & ~np.isin(heads, known)
        found |= is_equality & (parameters[:, template.body[each.inside].relation] == heads)
    return found


def _note_copies(
    rule: NumberedRules, codes: Numbers, components: Numbers, strata: dict[int, Stratum]
) -> None:
    template, rows = rule.group.template, rule.numbers
    inverse = not template.is_copy
    sources, heads = rule.bodies[0][rows], rule.heads[rows]
    columns = (codes[sources], codes[heads], components[sources], components[heads])
    for source, head, below, number in zip(*(column.tolist() for column in columns), strict=True):
        stratum = strata.setdefault(number, Stratum())
        stratum.arity = len(template.body[0].arguments)
        if template.checked:
            stratum.checked.add(head)
        if below == number:
            stratum.copies.append((source, head, inverse))
        else:
            stratum.sources.add((source, head, inverse))


def _note_others(
    index: int,
    rule: NumberedRules,
    components: Numbers,
    strata: dict[int, Stratum],
    equalities: frozenset[int],
) -> None:
    rows = rule.numbers[rule.leads_back(rule.numbers, components)]
    template = rule.group.template
    for each in template.replacements if equalities else ():
        replacing = _are_replacing(rule, rows, equalities, each)
        for row in rows[replacing].tolist():
            stratum = strata.setdefault(int(components[rule.heads[row]]), Stratum())
            stratum.arity = len(template.body[each.inside].arguments)
            inner = InnerRule(index, row, template, tuple(rule.group.parameters[row].tolist()))
            equality = inner.parameters[template.body[1 - each.inside].relation]
            stratum.replacing.append(ReplacingRule(inner, each.position, equality))
        rows = rows[~replacing]
    numbers = components[rule.heads[rows]].tolist()
    if not may_be_implied(template):
        for number in {*numbers}:
            strata.setdefault(number, Stratum()).is_open = True
        return
    for row, number in zip(rows.tolist(), numbers, strict=True):
        parameters = tuple(rule.group.parameters[row].tolist())
        inner = InnerRule(index, row, template, parameters)
        strata.setdefault(number, Stratum()).others.append(inner)
