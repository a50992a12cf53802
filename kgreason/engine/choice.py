"""Which strata a scheme keeps: the definitions that the rules allow, and those that are worth it.

A union that rule bodies join with other atoms is written out, if more of them do than the catalogue's limit says:
each of them would unite the parts anew for every change, and a bitmap or a column of keys is small beside what
the closures of transitive relations would take. Transitive closures and equivalences are never written out.
Measured with ``python -m tests.benchmarks.choice``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.definitions import Stratum
from kgreason.engine.families import Family
from kgreason.schemes.catalogue import PLAIN, SYMMETRIC, UNION, Catalogue, Definition

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(slots=True)
class Choice:
    """What decides about definitions: the catalogue, what it forces by code, and relations that turned out unsuited."""

    catalogue: Catalogue
    forced: Mapping[int, str] = field(default_factory=dict)
    unsuited: set[int] = field(default_factory=set)

    def accepts(self, definition: Definition, joins: int) -> bool:
        """Whether a scheme is to keep the relations that `joins` rule bodies join with others."""
        codes = {member.code for member in definition.members}
        wishes = {self.forced[code] for code in codes if code in self.forced}
        if PLAIN in wishes or codes & self.unsuited or definition.closure not in self.catalogue.schemes:
            return False
        if wishes:
            return True
        limited = definition.closure in (UNION, SYMMETRIC) and joins > self.catalogue.join_limit
        return self.catalogue.default != PLAIN and not limited


class NumberedRules:
    """The rules of a family with their relations as dense numbers; `numbers` are those in force, by row."""

    def __init__(self, family: Family, codes: Numbers) -> None:
        self.family = family
        shape = family.shape
        parameters = family.parameters
        self.bodies = [codes.searchsorted(parameters[:, atom.relation]) for atom in shape.body]
        self.negated = [codes.searchsorted(parameters[:, atom.relation]) for atom in shape.negated]
        head = shape.head.relation if shape.head is not None else 0
        self.heads = codes.searchsorted(parameters[:, head])
        self.guard = None if family.guard is None else int(codes.searchsorted(family.guard))
        self.numbers = np.flatnonzero(~family.leaving)
        self.leaving = np.flatnonzero(family.leaving)

    def select(self, possible: Flags) -> None:
        """Keep the rules whose positive body relations are possible."""
        if self.bodies:
            kept = np.logical_and.reduce([possible[column] for column in self.bodies])
            self.numbers, self.leaving = self.numbers[kept[self.numbers]], self.leaving[kept[self.leaving]]

    def absorb(self, defined: Flags, components: Numbers) -> None:
        """Drop the rules that a scheme stands for: those of its relations that are copies or lead back to them."""
        if self.family.shape.head is not None:
            self.numbers = self.numbers[~self._absorbed(self.numbers, defined, components)]
            self.leaving = self.leaving[~self._absorbed(self.leaving, defined, components)]

    def _absorbed(self, rows: Numbers, defined: Flags, components: Numbers) -> Flags:
        kept = defined[self.heads[rows]]
        return kept if self.family.shape.copies else kept & self.leads_back(rows, components)

    def leads_back(self, rows: Numbers, components: Numbers) -> Flags:
        """For each rule whether a body relation is in the stratum of its head."""
        found = np.zeros(len(rows), dtype=np.bool_)
        for column in self.bodies:
            found |= components[column[rows]] == components[self.heads[rows]]
        return found

    def inputs(self) -> Iterable[Numbers]:
        """What the selected rules depend on positively, one column per atom, and the guard."""
        for column in self.bodies:
            yield column[self.numbers]
        if self.guard is not None:
            yield np.full(len(self.numbers), self.guard)

    def denied(self) -> Iterable[Numbers]:
        """What the selected rules depend on negatively."""
        for column in self.negated:
            yield column[self.numbers]


def define(
    rules: Sequence[NumberedRules],
    codes: Numbers,
    components: Numbers,
    possible: Mapping[int, int],
    choice: Choice,
) -> dict[int, Definition]:
    """The definition of each stratum that a scheme keeps, by its number; `possible` gives it for the relations
    that can have facts."""
    strata: dict[int, Stratum] = {}
    excluded: set[int] = set()
    joins = np.zeros(len(codes), dtype=np.int64)
    for rule in rules:
        if rule.guard is not None:
            excluded.add(int(components[rule.guard]))
        if rule.family.shape.head is None:
            continue
        if rule.family.shape.copies and len(rule.family.shape.body[0].arguments) <= 2:
            _note_copies(rule, codes, components, strata)
        else:
            _note_others(rule, components, strata, excluded)
            if len(rule.bodies) + len(rule.negated) > 1:
                for column in (*rule.bodies, *rule.negated):
                    np.add.at(joins, column[rule.numbers], 1)
    strata = {number: stratum for number, stratum in strata.items() if number not in excluded}
    for code, number in possible.items():
        if number in strata:
            strata[number].members.add(code)
    found: dict[int, Definition] = {}
    for number, stratum in strata.items():
        definition = stratum.define()
        if definition is not None:
            most = max(int(joins[codes.searchsorted(code)]) for code in stratum.members)
            if choice.accepts(definition, most):
                found[number] = definition
    return found


def _note_copies(
    rule: NumberedRules, codes: Numbers, components: Numbers, strata: dict[int, Stratum]
) -> None:
    shape, rows = rule.family.shape, rule.numbers
    inverse = not shape.is_copy
    sources, heads = rule.bodies[0][rows], rule.heads[rows]
    columns = (codes[sources], codes[heads], components[sources], components[heads])
    for source, head, below, number in zip(*(column.tolist() for column in columns), strict=True):
        stratum = strata.setdefault(number, Stratum())
        stratum.arity = len(shape.body[0].arguments)
        stratum.checked |= shape.checked
        if below == number:
            stratum.copies.append((source, head, inverse))
        else:
            stratum.sources.add((source, head, inverse))


def _note_others(
    rule: NumberedRules, components: Numbers, strata: dict[int, Stratum], excluded: set[int]
) -> None:
    rows = rule.numbers[rule.leads_back(rule.numbers, components)]
    if not len(rows):
        return
    head = rule.family.shape.head
    if head is None or len(head.arguments) != 2:
        excluded.update(np.unique(components[rule.heads[rows]]).tolist())
        return
    for row in rows.tolist():
        number = int(components[rule.heads[row]])
        if number not in excluded:
            parameters = tuple(rule.family.parameters[row].tolist())
            strata.setdefault(number, Stratum()).others.append((rule.family.shape, parameters))
