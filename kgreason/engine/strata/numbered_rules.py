"""All rules with densely numbered relations, as the strata and the definitions of schemes are found: one table, since
there are many groups of few rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.columns.numbering import Numbering
from kgreason.engine.rules.groups import Flags, RuleGroup
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.rules.rule_templates import RuleTemplate, Trait
from kgreason.engine.strata.atom_columns import AtomColumns, Numbers


@dataclass(slots=True, eq=False, repr=False)
class NumberedRules:
    """The rules of all groups that have some, one after the other; flags and columns have an entry for each.

    Attributes:
        codes: the relations, in order; they are numbered by their places in it.
        groups: the groups; `places` is the place of the group of each rule here, and `rows` its row there.
        guards: for each rule the relation of its guard, -1 for none.
        heads: the relation that it derives, -1 for an integrity condition.
        firsts, seconds: the relations of the first atoms of its body, -1 for none.
        in_force: the rules that run; `select`, `leave_out`, and `absorb` take some away.
        fresh, leaving, repeating: those that wait for a pass, and those that were left out before, or are now.
        evaluated: those that the state had before the draft.
        revived: rules that no longer repeat others.
        silenced: rules that have been evaluated, and were not left out.
        absorbed: rules that a scheme stands for.
    """

    codes: Numbers
    groups: Sequence[RuleGroup]
    places: Numbers
    rows: Numbers
    guards: Numbers
    heads: Numbers
    bodies: AtomColumns
    negated: AtomColumns
    in_force: Flags
    fresh: Flags
    leaving: Flags
    repeating: Flags
    evaluated: Flags
    firsts: Numbers = field(init=False)
    seconds: Numbers = field(init=False)
    revived: Flags = field(init=False)
    silenced: Flags = field(init=False)
    absorbed: Flags = field(init=False)
    _traits: Numbers = field(init=False)

    def __post_init__(self) -> None:
        self.firsts, self.seconds = (self.bodies.at(position, len(self)) for position in (0, 1))
        traits = np.array([int(group.template.traits) for group in self.groups], dtype=np.int64)
        self._traits = traits[self.places]
        self.revived, self.silenced, self.absorbed = (np.zeros(len(self), dtype=np.bool_) for _ in range(3))

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, draft: RuleDraft, others: Numbers) -> NumberedRules:
        """The rules of a draft, whose relations are numbered together with `others`: O(rules log rules)."""
        groups = [group for group in draft.groups.values() if len(group.rows)]
        sizes = [len(group.rows) for group in groups]
        ends = [0, *accumulate(sizes)]
        spans = {group.number: slice(*span) for group, span in zip(groups, pairwise(ends), strict=True)}
        bodies = AtomColumns.of(groups, spans, lambda template: template.body)
        negated = AtomColumns.of(groups, spans, lambda template: template.negated)
        derived = AtomColumns.of(groups, spans, lambda template: () if template.head is None else (template.head,))
        guards = np.array([-1 if group.guard is None else group.guard for group in groups], dtype=np.int64)
        guarded = guards >= 0
        parts = (guards[guarded], bodies.relations, negated.relations, derived.relations, others)
        numbering = Numbering.of(parts)
        guards[guarded] = numbering.places(guards[guarded])
        heads = np.full(ends[-1], -1, dtype=np.int64)
        heads[derived.rules] = numbering.places(derived.relations)
        rows = np.arange(ends[-1]) - np.repeat(np.array(ends[:-1], dtype=np.int64), sizes)
        before = np.array([draft.rows_before(group.number) for group in groups], dtype=np.int64)
        leaving = _flags(spans, ends[-1], draft.leaving)
        return cls(
            numbering.numbers,
            groups,
            np.repeat(np.arange(len(groups)), sizes),
            rows,
            np.repeat(guards, sizes),
            heads,
            bodies.numbered(numbering),
            negated.numbered(numbering),
            ~leaving,
            _flags(spans, ends[-1], draft.fresh),
            leaving,
            _flags(spans, ends[-1], draft.repeating),
            rows < np.repeat(before, sizes),
        )

    def that(self, trait: Trait) -> Flags:
        """The rules whose template has a trait."""
        return np.asarray(self._traits & int(trait) > 0)

    def by_group(self, flags: Flags) -> dict[int, Flags]:
        """The flags of each group that has some, by its number."""
        found = sorted_sets.unique(self.places[flags]).tolist()
        return {self.groups[place].number: flags[self.span(place)] for place in found}

    def span(self, place: int) -> slice:
        """The rules of a group."""
        return slice(*self.places.searchsorted([place, place + 1]).tolist())

    def copies(self, components: Numbers) -> tuple[Numbers, Numbers]:
        """What the copies in force copy, and where to, without those that are `guarded_inside`; those that turn pairs
        round are none of them."""
        copying = self.in_force & self.that(Trait.IS_COPY)
        numbers = np.flatnonzero(copying & ~self.guarded_inside(components))
        return self.firsts[numbers], self.heads[numbers]

    def guarded_inside(self, components: Numbers) -> Flags:
        """The rules whose guard is in the stratum of their head: they may be there because of what they derive."""
        is_guarded = (self.guards >= 0) & (self.heads >= 0)
        return np.asarray(is_guarded & (components[self.guards] == components[self.heads]))

    def in_groups(self, numbers: Numbers) -> list[Numbers]:
        """Some rules, whose numbers go up, group by group."""
        if not len(numbers):
            return []
        places = self.places[numbers]
        borders = [0, *((places[1:] != places[:-1]).nonzero()[0] + 1).tolist(), len(numbers)]
        return [numbers[begin:end] for begin, end in pairwise(borders)]

    def template(self, numbers: Numbers) -> RuleTemplate:
        """The template of some rules of a group."""
        return self.groups[int(self.places[numbers[0]])].template

    def parameters(self, numbers: Numbers) -> Numbers:
        """The parameters of rules of groups with as many of them, in the order of the numbers, which go up."""
        found = ((self.groups[int(self.places[some[0]])], self.rows[some]) for some in self.in_groups(numbers))
        return np.concatenate([group.parameters[rows] for group, rows in found])

    def by_template(self, concerned: Flags) -> Iterator[tuple[RuleTemplate, Numbers]]:
        """The rules in force of each template of which some rules in force are concerned."""
        found = sorted_sets.unique(self.places[self.in_force & concerned]).tolist()
        templates = {self.groups[place].template for place in found}
        places: dict[RuleTemplate, list[int]] = {}
        for place, group in enumerate(self.groups if templates else ()):
            if group.template in templates:
                places.setdefault(group.template, []).append(place)
        for template, some in places.items():
            spans = [self.span(place) for place in some]
            numbers = np.concatenate([np.arange(span.start, span.stop) for span in spans])
            yield template, numbers[self.in_force[numbers]]

    def about(self, relations: Flags) -> Flags:
        """The rules that read, deny or derive a flagged relation."""
        found = (self.heads >= 0) & relations[self.heads]
        for atoms in (self.bodies, self.negated):
            found |= atoms.any_of(relations[atoms.relations], len(self))
        return found

    # -- what they depend on ------------------------------------------------------------------------------------

    def lacking(self, possible: Flags) -> Flags:
        """The rules with a relation in the body that is not possible."""
        return self.bodies.any_of(~possible[self.bodies.relations], len(self))

    def leading_back(self, components: Numbers) -> Flags:
        """The rules with a relation in the body that is in the stratum of their head."""
        bodies = self.bodies
        inside = components[bodies.relations] == components[self.heads[bodies.rules]]
        return bodies.any_of(inside, len(self)) & (self.heads >= 0)

    def inputs(self) -> tuple[Numbers, Numbers]:
        """The relations that the rules in force depend on positively, guards among them, and what they derive."""
        chosen = self.in_force & (self.heads >= 0)
        rules, relations = self.bodies.among(chosen)
        guarded = chosen & (self.guards >= 0)
        return np.append(relations, self.guards[guarded]), np.append(self.heads[rules], self.heads[guarded])

    def denied(self) -> tuple[Numbers, Numbers]:
        """The rules in force, with the relations that must be in strata below what they derive: negated ones, and those
        of which grouping rules have the groups."""
        chosen = self.in_force & (self.heads >= 0)
        grouping = self.bodies.among(chosen & self.that(Trait.GROUPS))
        rules, relations = zip(self.negated.among(chosen), grouping, strict=True)
        return np.concatenate(rules), np.concatenate(relations)

    def joining(self) -> Flags:
        """The rules in force that join several atoms."""
        return np.asarray(self.in_force & self.that(Trait.JOINS))

    def pairs_read(self, inside: int) -> Flags:
        """For each relation whether rules in force may replace things by what it pairs them with, in the atom `inside`
        their body."""
        chosen = (self.in_force & self._may_replace(inside))[self.bodies.rules] & (self.bodies.positions != inside)
        found = np.zeros(len(self.codes), dtype=np.bool_)
        found[self.bodies.relations[chosen]] = True
        return found

    def replacing(self, inside: int, is_equality: Flags) -> Flags:
        """The rules that only replace things in the atom `inside` their body, of the relation that they derive, by what
        a flagged one makes equal to them."""
        facts, equalities = (self.seconds, self.firsts) if inside else (self.firsts, self.seconds)
        is_same = (facts == self.heads) & ~is_equality[self.heads] & is_equality[equalities]
        return np.asarray(self._may_replace(inside) & is_same)

    def _may_replace(self, inside: int) -> Flags:
        """The rules that replace things in an atom of their body if another one says what is equal."""
        return self.that(Trait.REPLACES_SECOND if inside else Trait.REPLACES_FIRST)

    # -- which run ----------------------------------------------------------------------------------------------

    def select(self, possible: Flags) -> None:
        """Keep the rules whose positive body relations are possible."""
        kept = ~self.lacking(possible)
        self.in_force &= kept
        self.leaving &= kept

    def without(self, some: Flags) -> NumberedRules:
        """The same rules, of which some do not run."""
        return replace(self, in_force=self.in_force & ~some)

    def copy(self) -> NumberedRules:
        """The same rules, before any were left out or absorbed."""
        return replace(self, in_force=self.in_force.copy(), leaving=self.leaving.copy())

    def silenced_by(self, repeating: Flags) -> Flags:
        """The rules that have been evaluated, and were not left out, among those that are going to be."""
        return repeating & ~self.repeating & ~self.fresh & self.evaluated

    def evaluated_all(self, repeating: Flags) -> NumberedRules:
        """The same rules after a pass in which all have been evaluated but the repeating ones, if none leaves."""
        none, every = np.zeros(len(self), dtype=np.bool_), np.ones(len(self), dtype=np.bool_)
        evaluated = replace(self, fresh=none, leaving=none, repeating=repeating, evaluated=every)
        return evaluated.copy()

    def leave_out(self, repeating: Flags) -> None:
        """Drop the rules that only repeat others."""
        self.revived = self.in_force & self.repeating & ~repeating
        self.silenced = self.silenced_by(repeating)
        self.in_force &= ~repeating
        self.repeating = repeating

    def absorb(self, keepers: Numbers, fed: Numbers, whole: Flags, components: Numbers, inner: Numbers) -> None:
        """Drop the rules that a scheme stands for: the `inner` ones, and copies within a definition, from below, or
        from what feeds it. One that was left out, and reads what it derives alone, has made nothing external to a
        scheme of its whole stratum.

        Args:
            keepers: for each relation the number of the definition that it is a member of, -1 for none.
            fed: for each relation the number of the definition that it feeds, -1 for none.
            whole: for each relation whether its definition is of its whole stratum.
        """
        copies = np.flatnonzero(self.that(Trait.COPIES))
        sources, heads = self.firsts[copies], self.heads[copies]
        into = keepers[heads]
        below = whole[heads] & (components[sources] != components[heads])
        self.absorbed[copies] = below | ((into >= 0) & ((keepers[sources] == into) | (fed[sources] == into)))
        self.absorbed[inner] = True
        kept = ~self.absorbed
        self.in_force &= kept
        self.leaving &= kept
        self.revived &= kept
        self.silenced &= ~(whole[self.heads] & ~self._read_others())

    def _read_others(self) -> Flags:
        """The rules that read another relation than the one that they derive."""
        bodies, negated = (
            atoms.any_of(atoms.relations != self.heads[atoms.rules], len(self)) for atoms in (self.bodies, self.negated)
        )
        return bodies | negated


def _flags(spans: Mapping[int, slice], count: int, which: Mapping[int, Flags]) -> Flags:
    """The flags of all rules, from those of some groups."""
    found = np.zeros(count, dtype=np.bool_)
    for number, flags in which.items():
        if number in spans:
            found[spans[number]] = flags
    return found
