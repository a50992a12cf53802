"""The dependency graph of relations, and its strata in topological order.

Strata are the strongly connected components of the
dependency graph of the possible relations (body to head, guard to head).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kgreason.columns.components import topological_components
from kgreason.engine.facts import external_key
from kgreason.engine.meter import Meter
from kgreason.engine.rules.copying import naming_of
from kgreason.engine.rules.groups import Flags, RuleGroup
from kgreason.engine.rules.occurrences import NO_RULES, Entry, Occurrence, RuleDelta, RuleIndex
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.strata.numbered_rules import Numbers
from kgreason.engine.strata.possible_relations import Dependency, Guards, PossibleRelations
from kgreason.engine.strata.repetition import repeating_rows
from kgreason.engine.strata.scheme_policy import SchemePolicy, define
from kgreason.errors import StratificationError
from kgreason.program.dependency_graph import shortest_path
from kgreason.relations.catalogue import Definition, Naming
from kgreason.relations.codes import AUXILIARY
from kgreason.relations.table import Table


class CircularError(StratificationError):
    """A rule of `group` that makes the first relation of a `cycle` depend on its own negation, or on an aggregate of
    itself: the codes of the relations, each of which the next one depends on."""

    def __init__(self, group: RuleGroup, cycle: Sequence[int]) -> None:
        self.what = "an aggregate of itself" if group.template.summaries else "its own negation"
        super().__init__(f"rule {group.name!r} makes a relation depend on {self.what}")
        self.group = group
        self.cycle = cycle


class Strata:
    """The strata of the rules over the relations that can have facts; a value, made anew when either changes."""

    def __init__(
        self,
        draft: RuleDraft,
        with_facts: Iterable[int],
        modules: Sequence[Dependency],
        hidden: int,
        policy: SchemePolicy,
        guards: Guards,
        meter: Meter | None = None,
        given: Collection[int] | None = None,
    ) -> None:
        """Groups with universal columns get their rows for the relations that are possible now, but `hidden`.

        Args:
            draft: the rules. It gets the universal rows, and those of relations that are reached for the first time,
                and learns which rules repeat others.
            policy: which definitions of the strata are used.
            guards: the guard facts, some of which become rules when a relation is reached.
            meter: has the budget for the time and memory that many rules take.
            given: auxiliary relations whose facts are all there, as are then those of all classes and properties: the
                look-ups lead to no rule that derives any of these.

        Raises:
            CircularError: a relation depends on its own negation, or on an aggregate of itself.
            BudgetError: there are too many rules.
        """
        self._meter = meter = Meter() if meter is None else meter
        self._draft = draft
        self._modules = modules
        self._given = given
        reached = PossibleRelations(draft, np.fromiter(with_facts, dtype=np.int64), modules, hidden, guards, meter)
        self._codes, self._rules, self._possible = reached.codes, reached.rules, reached.possible
        meter.tick()
        self._order()
        meter.tick()
        self._repeating: dict[int, Flags] = {}
        if policy.strategy.skip_repeating:
            self._leave_out()
        meter.tick()
        self._define(policy, self._copied(hidden))
        meter.tick()
        self._coming = self._index()
        del self._draft, self._meter

    def take_coming(self) -> RuleDelta:
        """The rules that come and go in the pass for which these strata were made; none when asked again."""
        coming, self._coming = self._coming, NO_RULES
        return coming

    def component(self, code: int) -> int:
        """The number of the stratum of a relation; sources come first. KeyError for an impossible one."""
        return self._component[code]

    def knows(self, code: int) -> bool:
        """Whether the relation is possible."""
        return code in self._component

    def definition(self, number: int) -> Definition | None:
        """How a scheme keeps the stratum as a whole; None where it does not."""
        kept = self._definitions.whole.get(number)
        return kept.definition if kept is not None else None

    def parts(self, number: int) -> list[Definition]:
        """How schemes keep relations of a stratum that other rules of it feed."""
        return [kept.definition for kept in self._definitions.parts.get(number, ())]

    def definitions(self) -> dict[int, Definition]:
        """The definition of each relation that has one."""
        found = (kept.definition for kept in self._definitions.all())
        return {member.code: definition for definition in found for member in definition.members}

    def recursive_rules(self, code: int) -> Sequence[Occurrence]:
        """The rules that read a relation in a positive atom, and derive relations of the same stratum."""
        found = self._recursive_rules.get(code)
        if found is None:
            number = self._component.get(code)
            found = [use for use in self.body.of(code) if self._component[use.head] == number]
            self._recursive_rules[code] = found
        return found

    def rules_for(self, code: int) -> tuple[Sequence[Occurrence], Sequence[Occurrence]]:
        """The rules that derive a relation, the shortest first: those that read or are guarded by relations of its own
        stratum, and the others."""
        found = self._rules_for.get(code)
        if found is None:
            number = self._component.get(code)
            uses = sorted(self.heads.of(code), key=lambda use: len(use.group.template.body))
            inside = [self._reads(use, number) for use in uses]
            recursive = [use for use, is_inside in zip(uses, inside, strict=True) if is_inside]
            others = [use for use, is_inside in zip(uses, inside, strict=True) if not is_inside]
            found = self._rules_for[code] = (recursive, others)
        return found

    def _reads(self, use: Occurrence, number: int | None) -> bool:
        """Whether a rule reads a relation of a stratum, or its guard is one."""
        guard = use.group.guard
        read = [use.parameters[atom.relation] for atom in use.group.template.body]
        return any(self._component.get(code) == number for code in (read if guard is None else [*read, guard]))

    def key(self, code: int) -> int:
        """Where other rules put what they derive of a relation: its external facts, if a scheme keeps it."""
        return external_key(code) if code in self._virtual else code

    def readers(self, code: int) -> Sequence[int]:
        """The strata whose scheme reads the relation as a source."""
        return self._readers.get(code, ())

    def members(self, number: int) -> list[int]:
        """The relations of a stratum: O(relations) when first asked."""
        if not self._members:
            for code, component in self._component.items():
                self._members.setdefault(component, []).append(code)
        return self._members.get(number, [])

    def guarded(self, group: RuleGroup, guards: Table) -> Iterator[Occurrence]:
        """The possible rules of the group whose guard facts are in the table, but those that are left out, or that a
        scheme stands for.

        When the guard fact of one of these goes, a module of its stratum sees to it, or else the next pass.
        """
        rows = group.find_guards(guards)
        for left_out in (self._absorbed.get(group.number), self._repeating.get(group.number)):
            if left_out is not None:
                rows &= ~left_out
        yield from self._occurrences(group, rows)

    def absorbed(self, code: int, guards: Table) -> Iterator[Occurrence]:
        """The rules that a scheme stands for whose guard facts are in the table of the relation `code`."""
        for group in self.guards.get(code, ()):
            absorbed = self._absorbed.get(group.number)
            if absorbed is not None:
                yield from self._occurrences(group, group.find_guards(guards) & absorbed)

    def _occurrences(self, group: RuleGroup, rows: Flags) -> Iterator[Occurrence]:
        """The possible rules among some of a group."""
        for row in self._with_derived_heads(group, np.flatnonzero(rows)).tolist():
            use = Occurrence.of(group, row)
            if self.knows(use.head) and all(self.knows(use.parameters[a.relation]) for a in group.template.body):
                yield use

    def _order(self) -> None:
        sources, targets, negative = [], [], []
        for rule in self._rules:
            rule.select(self._possible)
            for column in rule.inputs():
                sources.append(column)
                targets.append(rule.heads[rule.numbers])
            for column in rule.denied():
                negative.append((rule, column, rule.heads[rule.numbers]))
                sources.append(column)
                targets.append(rule.heads[rule.numbers])
        for link in self._modules:
            sources.append(np.array([self._codes.searchsorted(link.source)]))
            targets.append(np.array([self._codes.searchsorted(link.target)]))
        source = np.concatenate(sources) if sources else np.empty(0, dtype=np.int64)
        target = np.concatenate(targets) if targets else np.empty(0, dtype=np.int64)
        components = topological_components(len(self._codes), source, target)
        for rule, column, heads in negative:
            circular = np.flatnonzero(components[column] == components[heads])
            if len(circular):
                begin, end = int(heads[circular[0]]), int(column[circular[0]])
                cycle = self._codes[[end, *_path(len(self._codes), source, target, begin, end)]]
                raise CircularError(rule.group, cycle.tolist())
        self._components = components
        self.count = int(components.max()) + 1 if len(components) else 0
        self._component: dict[int, int] = {}
        self._members: dict[int, list[int]] = {}
        numbered = zip(self._codes[self._possible].tolist(), components[self._possible].tolist(), strict=True)
        self._component.update(numbered)

    def _leave_out(self) -> None:
        """Drop the rules that only repeat others."""
        for rule, repeating in zip(self._rules, repeating_rows(self._rules, self._components), strict=True):
            rule.leave_out(repeating)
            if rule.repeating.any():
                self._repeating[rule.group.number] = rule.repeating
        self._draft.repeating = dict(self._repeating)

    def _copied(self, hidden: int) -> dict[int, Naming]:
        """The guards whose rules all copy facts from what one id names to what the other names."""
        groups = self._draft.groups
        found: dict[int, Naming] = {}
        for guard, numbers in self._draft.guarded.items():
            namings = {naming_of(groups[number], hidden) for number in numbers}
            if len(namings) == 1 and (naming := namings.pop()) is not None:
                found[guard] = naming
        return found

    def _define(self, policy: SchemePolicy, copied: Mapping[int, Naming]) -> None:
        """Find what schemes keep, and take the rules that they stand for out of the others."""
        reserved = {code for link in self._modules for code in (link.source, link.target)}
        self._definitions = define(
            self._rules, self._codes, self._components, self._component, reserved, copied, policy
        )
        self._readers: dict[int, list[int]] = {}
        keepers, fed = (np.full(len(self._codes), -1, dtype=np.int64) for _ in range(2))
        whole = np.zeros(len(self._codes), dtype=np.bool_)
        inner: dict[int, list[int]] = {}
        for index, kept in enumerate(self._definitions.all()):
            members = [member.code for member in kept.definition.members]
            numbers = self._codes.searchsorted(members)
            keepers[numbers] = index
            whole[numbers] = not kept.definition.is_part
            for feed in () if kept.definition.is_mutual else kept.definition.feeds:
                fed[self._codes.searchsorted(feed.relation.code)] = index
            for source in kept.definition.reads:
                self._readers.setdefault(source.code, []).append(self._component[members[0]])
            for rule in kept.absorbed:
                inner.setdefault(rule.group, []).append(rule.row)
        for number, rules in enumerate(self._rules):
            if rules.group.template.head is not None:
                rules.absorb(keepers, fed, whole, self._components, inner.get(number, ()))
        self._virtual = self.definitions().keys()
        self._absorbed = {rules.group.number: rules.absorbed for rules in self._rules if rules.absorbed.any()}

    def _index(self) -> RuleDelta:
        """Make look-ups from a relation to the rules that it concerns; the rules that come and go.

        A rule that is left out from now on leaves what it derived to those that derive the same; only where that is
        external to a scheme it must go.
        """
        virtual = np.fromiter(self._virtual, dtype=np.int64)
        body: list[Entry] = []
        negated: list[Entry] = []
        heads: list[Entry] = []
        fresh: list[Entry] = []
        leaving: list[Entry] = []
        for rule in self._rules:
            group, template = rule.group, rule.group.template
            if template.head is None or not (len(rule.numbers) or len(rule.leaving) or len(rule.silenced)):
                continue
            numbers = self._with_derived_heads(group, rule.numbers)
            for position, atom in enumerate(template.body):
                body.append((group, numbers, position, group.parameters[numbers, atom.relation]))
            for position, atom in enumerate(template.negated):
                negated.append((group, numbers, position, group.parameters[numbers, atom.relation]))
            head = group.parameters[:, template.head.relation]
            heads.append((group, numbers, -1, head[numbers]))
            silenced = rule.silenced
            if len(silenced):
                silenced = silenced[np.isin(head[silenced], virtual)]
            chosen_rows = (numbers[rule.fresh[numbers]], rule.revived), (rule.leaving, silenced)
            for chosen, entries in zip(chosen_rows, (fresh, leaving), strict=True):
                derived = (self._with_derived_heads(group, rows) for rows in chosen)
                entries += [(group, rows, -1, head[rows]) for rows in derived if len(rows)]
        self.body = RuleIndex(body)
        self.negated = RuleIndex(negated)
        self.heads = RuleIndex(heads)
        self._recursive_rules: dict[int, Sequence[Occurrence]] = {}
        self._rules_for: dict[int, tuple[Sequence[Occurrence], Sequence[Occurrence]]] = {}
        self.guards: dict[int, list[RuleGroup]] = {}
        for rule in self._rules:
            if rule.group.guard is not None:
                self.guards.setdefault(rule.group.guard, []).append(rule.group)
        draft = self._draft
        return RuleDelta(RuleIndex(fresh), RuleIndex(leaving), dict(draft.fresh), dict(draft.leaving))

    def _with_derived_heads(self, group: RuleGroup, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some rules of a group that derive relations which are not given."""
        if self._given is None or group.template.head is None:
            return numbers
        heads = group.parameters[numbers, group.template.head.relation]
        derived = heads & 3 == AUXILIARY
        if self._given and derived.any():
            derived &= ~np.isin(heads, np.fromiter(self._given, dtype=np.int64, count=len(self._given)))
        kept: NDArray[np.int64] = numbers[derived]
        return kept


def _path(count: int, sources: Numbers, targets: Numbers, begin: int, end: int) -> list[int]:
    """The relations on a shortest way from one to another, both included."""
    successors: list[list[int]] = [[] for _ in range(count)]
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        successors[source].append(target)
    return shortest_path(successors, begin, end)
