"""Which relations can have facts, what depends on what, and the strata in topological order.

A relation is possible when it has facts or is the head of a rule whose positive body relations are all
possible; rules that are not possible concern nobody. Strata are the strongly connected components of the
dependency graph of the possible relations (body to head, guard to head).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, pairwise

import numpy as np
from numpy.typing import NDArray

from kgreason.columns.graphs import topological_components
from kgreason.engine.facts import external_key
from kgreason.engine.meter import Meter
from kgreason.engine.rules.families import Entry, Family, Use, Uses
from kgreason.engine.rules.repetition import repeating_rows
from kgreason.engine.strata.choice import Choice, NumberedRules, columns_of, define
from kgreason.errors import StratificationError
from kgreason.schemes.catalogue import Definition
from kgreason.schemes.relations import AUXILIARY, CLASS, PROPERTY
from kgreason.schemes.scheme import Table

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Dependency:
    """A relation that a module derives from another one, beside the rules."""

    source: int
    target: int


class Strata:
    """The strata of the rules over the relations that can have facts; made anew when either changes."""

    def __init__(
        self,
        families: Sequence[Family],
        with_facts: Iterable[int],
        modules: Sequence[Dependency],
        hidden: int,
        choice: Choice,
        meter: Meter | None = None,
        given: Collection[int] | None = None,
    ) -> None:
        """Families with universal columns get their rows for the relations that are possible now, but `hidden`.

        Args:
            choice: which definitions of the strata are used.
            meter: has the budget for the time and memory that many rules take.
            given: auxiliary relations whose facts are all there, as are then those of all classes and properties: the
                look-ups lead to no rule that derives any of these.

        Raises:
            StratificationError: a relation depends on its own negation.
            BudgetError: there are too many rules.
        """
        self._meter = meter = Meter() if meter is None else meter
        self._families = families
        self._facts = np.fromiter(with_facts, dtype=np.int64)
        self._modules = modules
        self._hidden = hidden
        self._given = given
        self._number()
        self._find_possible()
        meter.tick()
        self._order()
        meter.tick()
        if choice.strategy.skip_repeating:
            for rule, repeating in zip(self._rules, repeating_rows(self._rules, self._components), strict=True):
                rule.leave_out(repeating)
        meter.tick()
        self._define(choice)
        meter.tick()
        self._index()

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

    def rules_for(self, code: int) -> tuple[Sequence[Use], Sequence[Use]]:
        """The rules that derive a relation, the shortest first: those that read or are guarded by relations of its own
        stratum, and the others."""
        found = self._rules_for.get(code)
        if found is None:
            number = self._component.get(code)
            uses = sorted(self.heads.of(code), key=lambda use: len(use.family.shape.body))
            inside = [self._reads(use, number) for use in uses]
            recursive = [use for use, is_inside in zip(uses, inside, strict=True) if is_inside]
            others = [use for use, is_inside in zip(uses, inside, strict=True) if not is_inside]
            found = self._rules_for[code] = (recursive, others)
        return found

    def _reads(self, use: Use, number: int | None) -> bool:
        """Whether a rule reads a relation of a stratum, or its guard is one."""
        guard = use.family.guard
        read = [use.parameters[atom.relation] for atom in use.family.shape.body]
        return any(self._component.get(code) == number for code in (read if guard is None else [*read, guard]))

    def key(self, code: int) -> int:
        """Where other rules put what they derive of a relation: its external facts, if a scheme keeps it."""
        return external_key(code) if code in self._virtual else code

    def readers(self, code: int) -> Sequence[int]:
        """The strata whose scheme reads the relation as a source."""
        return self._readers.get(code, ())

    def members(self, number: int) -> list[int]:
        """The relations of a stratum: O(relations)."""
        return [code for code, component in self._component.items() if component == number]

    def settle(self) -> None:
        """No rule is fresh or leaving any more."""
        self.fresh = self.leaving = Uses(())

    def guarded(self, family: Family, guards: Table) -> Iterator[Use]:
        """The possible rules of the family whose guard facts are in the table, but those that are left out, or that a
        scheme stands for.

        When the guard fact of one of these goes, a module of its stratum sees to it, or else the next pass.
        """
        absorbed = self._absorbed.get(family)
        for use in self._with_guards(family, guards):
            if not (family.repeating[use.row] or (absorbed is not None and absorbed[use.row])):
                yield use

    def absorbed(self, code: int, guards: Table) -> Iterator[Use]:
        """The rules that a scheme stands for whose guard facts are in the table of the relation `code`."""
        for family in self.guards.get(code, ()):
            if family in self._absorbed:
                for use in self._with_guards(family, guards):
                    if self._absorbed[family][use.row]:
                        yield use

    def _with_guards(self, family: Family, guards: Table) -> Iterator[Use]:
        found = np.flatnonzero(family.find(np.stack(guards.columns(), axis=1).astype(np.int64)))
        for row in self._with_derived_heads(family, found).tolist():
            use = Use(family, row, -1, tuple(family.parameters[row].tolist()))
            if self.knows(use.head) and all(self.knows(use.parameters[a.relation]) for a in family.shape.body):
                yield use

    def _number(self) -> None:
        """Number the relations, and the relations of each rule, densely."""
        families = [family for family in self._families if len(family.rows)]
        guards = [family.guard for family in families if family.guard is not None]
        links = [code for link in self._modules for code in (link.source, link.target)]
        columns = [columns_of(family) for family in families]
        parts = [np.array([*guards, *links], dtype=np.int64), self._facts, *chain.from_iterable(columns)]
        self._codes, numbers = np.unique(np.concatenate(parts), return_inverse=True)
        ends = list(accumulate(map(len, parts)))
        relations = (numbers[begin:end] for begin, end in pairwise(ends[1:]))
        guard = iter(numbers[: len(guards)].tolist())
        self._rules = [
            NumberedRules(family, list(islice(relations, len(own))), None if family.guard is None else next(guard))
            for family, own in zip(families, columns, strict=True)
        ]

    def _find_possible(self) -> None:
        while True:
            possible = np.zeros(len(self._codes), dtype=np.bool_)
            possible[self._codes.searchsorted(self._facts)] = True
            self._possible = possible
            self._spread_possible()
            reached = self._codes[possible & (self._codes != self._hidden)]
            classes = reached[reached & 3 == CLASS] >> 2
            properties = reached[reached & 3 == PROPERTY] >> 2
            has_grown = False
            for family in self._families:
                if family.universals and len(family.bases) and self._constants_possible(family):
                    self._meter.begin_rules(family, family.rows_for(len(classes), len(properties)))
                    has_grown |= family.extend(classes, properties)
            if not has_grown:
                return
            self._number()

    def _constants_possible(self, family: Family) -> bool:
        """Whether the body relations that are the same in all rows of a universal family can have facts."""
        for atom in family.shape.body:
            source = family.sources[atom.relation]
            value = getattr(source, "value", None)
            if value is not None:
                at = int(self._codes.searchsorted(value))
                if at == len(self._codes) or self._codes[at] != value or not self._possible[at]:
                    return False
        return True

    def _spread_possible(self) -> None:
        possible = self._possible
        links = [(self._codes.searchsorted(m.source), self._codes.searchsorted(m.target)) for m in self._modules]
        grouped = _group_by_length(self._rules)
        changed = True
        while changed:
            before = int(np.count_nonzero(possible))
            for source, target in links:
                possible[target] |= possible[source]
            for bodies, heads in grouped:
                possible[heads[possible[bodies].all(axis=1)]] = True
            changed = int(np.count_nonzero(possible)) > before

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
            circular = components[column] == components[heads]
            if circular.any():
                raise StratificationError(f"rule {rule.family.name!r} makes a relation depend on its own negation")
        self._components = components
        self._component: dict[int, int] = {}
        numbered = zip(self._codes[self._possible].tolist(), components[self._possible].tolist(), strict=True)
        self._component.update(numbered)

    def _define(self, choice: Choice) -> None:
        """Find what schemes keep, and take the rules that they stand for out of the others."""
        reserved = {code for link in self._modules for code in (link.source, link.target)}
        self._definitions = define(self._rules, self._codes, self._components, self._component, reserved, choice)
        self._readers: dict[int, list[int]] = {}
        keepers = np.full(len(self._codes), -1, dtype=np.int64)
        whole = np.zeros(len(self._codes), dtype=np.bool_)
        inner: dict[int, list[int]] = {}
        for index, kept in enumerate(self._definitions.all()):
            members = [member.code for member in kept.definition.members]
            numbers = self._codes.searchsorted(members)
            keepers[numbers] = index
            whole[numbers] = not kept.definition.is_part
            for source in kept.definition.reads:
                self._readers.setdefault(source.code, []).append(self._component[members[0]])
            for rule in kept.absorbed:
                inner.setdefault(rule.family, []).append(rule.row)
        for number, rules in enumerate(self._rules):
            if rules.family.shape.head is not None:
                rules.absorb(keepers, whole, self._components, inner.get(number, ()))
        self._virtual = self.definitions().keys()
        self._absorbed = {rules.family: rules.absorbed for rules in self._rules if rules.absorbed.any()}

    def _index(self) -> None:
        """Look-ups from a relation to the rules that it concerns.

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
            family, shape = rule.family, rule.family.shape
            if shape.head is None or not (len(rule.numbers) or len(rule.leaving) or len(rule.silenced)):
                continue
            numbers = self._with_derived_heads(family, rule.numbers)
            for position, atom in enumerate(shape.body):
                body.append((family, numbers, position, family.parameters[numbers, atom.relation]))
            for position, atom in enumerate(shape.negated):
                negated.append((family, numbers, position, family.parameters[numbers, atom.relation]))
            head = family.parameters[:, shape.head.relation]
            heads.append((family, numbers, -1, head[numbers]))
            silenced = rule.silenced
            if len(silenced):
                silenced = silenced[np.isin(head[silenced], virtual)]
            chosen_rows = (numbers[family.fresh[numbers]], rule.revived), (rule.leaving, silenced)
            for chosen, entries in zip(chosen_rows, (fresh, leaving), strict=True):
                derived = (self._with_derived_heads(family, rows) for rows in chosen)
                entries += [(family, rows, -1, head[rows]) for rows in derived if len(rows)]
        self.body = Uses(body)
        self.negated = Uses(negated)
        self.heads = Uses(heads)
        self._rules_for: dict[int, tuple[Sequence[Use], Sequence[Use]]] = {}
        self.fresh = Uses(fresh)
        self.leaving = Uses(leaving)
        self.guards: dict[int, list[Family]] = {}
        for rule in self._rules:
            if rule.family.guard is not None:
                self.guards.setdefault(rule.family.guard, []).append(rule.family)

    def _with_derived_heads(self, family: Family, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some rules of a family that derive relations which are not given."""
        if self._given is None or family.shape.head is None:
            return numbers
        heads = family.parameters[numbers, family.shape.head.relation]
        derived = heads & 3 == AUXILIARY
        if self._given and derived.any():
            derived &= ~np.isin(heads, np.fromiter(self._given, dtype=np.int64, count=len(self._given)))
        kept: NDArray[np.int64] = numbers[derived]
        return kept


def _group_by_length(rules: Sequence[NumberedRules]) -> list[tuple[NDArray[np.int64], Codes]]:
    """All rules with bodies of the same length as one matrix of body relations and one column of heads."""
    groups: dict[int, list[NumberedRules]] = {}
    for rule in rules:
        if rule.family.shape.head is not None:
            groups.setdefault(len(rule.bodies), []).append(rule)
    grouped = []
    for length, members in groups.items():
        heads = np.concatenate([rule.heads for rule in members])
        columns = [np.concatenate([rule.bodies[position] for rule in members]) for position in range(length)]
        bodies = np.stack(columns, axis=1) if columns else np.empty((len(heads), 0), dtype=np.int64)
        grouped.append((bodies, heads))
    return grouped
