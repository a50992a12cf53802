"""The facts of many classes and properties as those of one relation, for conditions that leave open which they name.

``false :- [?c, owl:disjointWith, ?d], [?x, a, ?c], [?x, a, ?d]`` is one condition for each pair of classes. Where there
are many, it is joined as it stands instead, over the members of all classes that come into question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from kgreason import memory
from kgreason.columns import sorted_sets
from kgreason.columns.id_columns import repeated
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.engine.rules.template_parts import Slot, TemplateAtom
from kgreason.program.rule_variables import TYPE, plain_body, relation_variables
from kgreason.program.rules import Atom, FactAtom, Rule, TripleAtom
from kgreason.relations.codes import class_code, property_code
from kgreason.relations.plain import table_of
from kgreason.relations.table import NO_IDS, Ids, Table
from kgreason.store.compiler import Compiled, RelationCodes

MEMBERS: Final = "members of any class"
TRIPLES: Final = "triples of any property"


def gathering(rule: Rule) -> Rule:
    """The rule over the facts of all classes and properties together, where it leaves open which it is about."""
    body = tuple(_gathered(atom) for atom in plain_body(rule))
    return replace(rule, body=body, negated=tuple(_gathered(atom) for atom in rule.negated))


def _gathered(atom: Atom) -> Atom:
    if not relation_variables(atom):
        return atom
    assert isinstance(atom, TripleAtom)
    if atom.predicate == TYPE:
        return FactAtom(MEMBERS, (atom.subject, atom.object))
    return FactAtom(TRIPLES, (atom.subject, atom.object, atom.predicate))


class GatheredFacts:
    """What a compiled rule of `gathering` reads, from what `read` gives of single relations. Type triples are not among
    the triples."""

    def __init__(self, compiled: Compiled, relations: RelationCodes, read: Reader) -> None:
        self._read = read
        self._compiled = compiled
        self._members = relations.auxiliaries.get((MEMBERS, 2))
        self._triples = relations.auxiliaries.get((TRIPLES, 3))
        self._known: dict[int, Table | None] = {}

    def get(self, code: int) -> Table | None:
        """The facts of a relation."""
        if code not in (self._members, self._triples):
            return self._read(code)
        if code not in self._known:
            self._known[code] = self._gather(code)
        return self._known[code]

    def _gather(self, code: int) -> Table | None:
        """The facts of the relations that come into question, each with the id of its relation: O(these facts)."""
        named = class_code if code == self._members else property_code
        template = self._compiled.template
        slots = {slots[-1] for other, slots in self._atoms((*template.body, *template.negated)) if other == code}
        ids = sorted_sets.union_all([NO_IDS, *map(self._bound, slots)]).tolist()
        tables = [(identifier, table) for identifier in ids if (table := self._read(named(identifier)))]
        if not tables:
            return None
        memory.check(16 * sum(table.estimate for _, table in tables), "a condition about many relations")
        columns = [(*table.columns(), repeated(identifier, len(table))) for identifier, table in tables]
        return table_of(tuple(map(np.concatenate, zip(*columns, strict=True))))

    def _atoms(self, atoms: Iterable[TemplateAtom]) -> Iterator[tuple[int, tuple[Slot, ...]]]:
        """The relations of atoms, and their arguments."""
        constants = self._compiled.constants()
        return ((constants[atom.relation], atom.arguments) for atom in atoms)

    def _bound(self, slot: int) -> Ids:
        """Ids, among them all that a variable can have: those that the rest of the body has in its place."""
        found = [
            table.distinct(arguments.index(slot))
            for code, arguments in self._atoms(self._compiled.template.body)
            if code not in (self._members, self._triples) and slot in arguments and (table := self._read(code))
        ]
        return min(found, key=len, default=NO_IDS)
