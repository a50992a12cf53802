"""The specialised rules that a rule without specialisation stands for (`unspecialised`), as rows of a frame.

    [?x, ?q, ?y] :- [?p, e:sub, ?q], [?x, ?p, ?y]

has an *instance* for each fact of e:sub. With ``e:a e:sub e:b`` it reads e:sub and e:a, and derives e:b. So the levels
of negation (`instance_levels`) are those of relations that data name, and not of the one relation of all triples.

What an instance reads, denies and derives are nodes (`instance_nodes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kgreason.algebra.expressions.tree import leaves
from kgreason.engine.rules.template_parts import Slot, TemplateAtom
from kgreason.relations.codes import CLASS, PROPERTY, identifier_of
from kgreason_spark.materialisation.fact_columns import argument
from kgreason_spark.materialisation.instance_nodes import (
    DENIED,
    HEAD,
    NONE,
    SOME_CLASS,
    SOME_RELATION,
    SOURCE,
    ranging,
)
from kgreason_spark.materialisation.parameter_frames import RuleGroup, variable

if TYPE_CHECKING:
    from pyspark.sql import Column

_LIST_BITS: Final = 44
_THERE: Final = "there"


def list_node(relation: int, cell: Column) -> Column:
    """The node of a relation along lists for the list that begins with a cell: below all codes."""
    return F.shiftleft(cell, 2) - ((identifier_of(relation) + 1) << _LIST_BITS)


@dataclass(frozen=True, slots=True)
class Naming:
    """What has nodes for each of its arguments: the relation of all `triples`, and the relations along `lists`;
    `type_id` is the cluster's id of rdf:type."""

    triples: int
    type_id: int
    lists: frozenset[int]

    def is_named_by_data(self, group: RuleGroup) -> bool:
        """Whether a rule of a group is about such relations."""
        ours = [self.triples, *self.lists]
        return any(np.isin(group.parameters[:, atom.relation], ours).any() for atom in _atoms(group))


@dataclass(frozen=True, slots=True)
class _Rule:
    """One rule: `values` are its constants by slot, and rdf:type in the place of variables that range over
    properties."""

    group: RuleGroup
    row: tuple[int, ...]
    naming: Naming
    values: Mapping[Slot, int] = field(default_factory=dict)

    def code(self, atom: TemplateAtom) -> int:
        return self.row[atom.relation]

    def value(self, slot: Slot) -> int | None:
        """The constant at a slot, None for a variable."""
        return self.row[~slot] if slot < 0 else self.values.get(slot)

    def index(self, atom: TemplateAtom) -> list[Slot]:
        """The variables that tell the node of an atom."""
        code, slots = self.code(atom), atom.arguments
        if code == self.naming.triples:
            named = slots[2] if self.value(slots[1]) == self.naming.type_id else slots[1]
        elif code in self.naming.lists:
            named = slots[0]
        else:
            return []
        return [named] if self.value(named) is None else []

    def is_class(self, atom: TemplateAtom) -> bool:
        """Whether an atom of the relation of all triples is about the members of a class."""
        return self.value(atom.arguments[1]) == self.naming.type_id

    def node(self, atom: TemplateAtom, bound: set[Slot], places: Mapping[Slot, tuple[int, int]]) -> Column:
        """The node of an atom: of what is bound by its columns, and of what ranges over relations by its place."""
        code, slots = self.code(atom), atom.arguments
        if code in self.naming.lists:
            return list_node(code, self.column(slots[0]))
        if code != self.naming.triples:
            return F.lit(code)
        if self.is_class(atom):
            return self._named(slots[2], CLASS, bound, places, SOME_CLASS)
        return self._named(slots[1], PROPERTY, bound, places, SOME_RELATION)

    def _named(
        self, slot: Slot, kind: int, bound: set[Slot], places: Mapping[Slot, tuple[int, int]], unnamed: int
    ) -> Column:
        if slot in bound or self.value(slot) is not None:
            return F.shiftleft(self.column(slot), 2) + kind
        return F.lit(ranging(*places[slot], kind) if slot in places else unnamed)

    @property
    def properties(self) -> set[Slot]:
        """The variables for properties."""
        atoms = [atom for atom in _atoms(self.group) if self.code(atom) == self.naming.triples]
        return {slot for atom in atoms if not self.is_class(atom) for slot in self.index(atom)}

    def different(self) -> Iterator[tuple[Slot, Slot]]:
        """The slots that filters keep apart."""
        for operation in self.group.template.filters:
            slots = [*leaves(operation)]
            if operation.function == "!=" and len(slots) == len(operation.arguments):
                yield slots[0], slots[1]

    @property
    def is_contradiction(self) -> bool:
        """Whether a filter keeps a constant apart from itself."""
        pairs = [(self.value(left), self.value(right)) for left, right in self.different()]
        return any(left is not None and left == right for left, right in pairs)

    def column(self, slot: Slot) -> Column:
        """The column of a variable that is bound, or a constant."""
        value = self.value(slot)
        return F.col(variable(slot)) if value is None else F.lit(value).cast("long")


@dataclass(frozen=True, slots=True)
class Variant:
    """A rule whose variables for relations are bound by its `guard`, or range over classes or properties
    (`universals`), as in `kgreason.program.specialisation`."""

    rule: _Rule
    guard: tuple[TemplateAtom, ...]
    universals: Mapping[Slot, int]

    @property
    def reads(self) -> set[int]:
        """The relations of the guard."""
        return {self.rule.code(atom) for atom in self.guard}

    @property
    def columns(self) -> list[str]:
        """The columns of its bindings."""
        wanted = {slot for atom in _atoms(self.rule.group) for slot in self.rule.index(atom)}
        return sorted(variable(slot) for slot in wanted & self._guarded)

    @property
    def _guarded(self) -> set[Slot]:
        return {slot for atom in self.guard for slot in atom.arguments if self.rule.value(slot) is None}

    def bindings(self, facts: Callable[[int], DataFrame]) -> DataFrame | None:
        """The answers to the guard, each once; None where there is no guard."""
        rows: DataFrame | None = None
        waiting = list(self.guard)
        while waiting:
            known = set() if rows is None else set(rows.columns)
            atom = max(waiting, key=lambda atom: len(known & {variable(slot) for slot in atom.arguments}))
            waiting.remove(atom)
            found = self._answers(atom, facts(self.rule.code(atom)))
            if rows is None:
                rows = found
                continue
            shared = [name for name in found.columns if name in known]
            rows = rows.join(found, shared) if shared else rows.crossJoin(found)
        return None if rows is None else self._kept(rows).select(_there(), *self.columns).distinct()

    def _kept(self, rows: DataFrame) -> DataFrame:
        """The rows for which variables for relations differ as filters want it."""
        known = {slot for atom in _atoms(self.rule.group) for slot in self.rule.index(atom)} & self._guarded
        for left, right in self.rule.different():
            if all(slot in known or self.rule.value(slot) is not None for slot in (left, right)):
                rows = rows.where(self.rule.column(left) != self.rule.column(right))
        for slot in self.rule.properties & known:
            rows = rows.where(self.rule.column(slot) != self.rule.naming.type_id)
        return rows

    def _answers(self, atom: TemplateAtom, facts: DataFrame) -> DataFrame:
        """The facts of an atom as columns of its variables."""
        names: dict[Slot, str] = {}
        for position, slot in enumerate(atom.arguments):
            value, column = self.rule.value(slot), argument(position)
            if value is not None:
                facts = facts.where(F.col(column) == value)
            elif slot in names:
                facts = facts.where(F.col(column) == F.col(names[slot]))
            names.setdefault(slot, column)
        variables = {slot: name for slot, name in names.items() if self.rule.value(slot) is None}
        if not variables:
            return facts.select(_there().alias(f"{_THERE} {self.rule.code(atom)}")).distinct()
        return facts.select(*(F.col(name).alias(variable(slot)) for slot, name in variables.items()))

    def instances(self, bindings: DataFrame, width: tuple[int, int]) -> DataFrame:
        """The instances, with the nodes that they read and deny, as many columns as `width` says.

        Args:
            bindings: the answers to the guard, or one row.
        """
        template = self.rule.group.template
        bound = self._guarded & {slot for slot in self._slots if variable(slot) in bindings.columns}
        places = {slot: (number, over) for number, (slot, over) in enumerate(self.universals.items())}
        assert template.head is not None
        columns = [self.rule.node(template.head, bound, places).cast("long").alias(HEAD)]
        for atoms, name, most in zip((template.body, template.negated), (SOURCE, DENIED), width, strict=True):
            nodes = [self.rule.node(atom, bound, places) for atom in atoms]
            nodes += [F.lit(NONE)] * (most - len(nodes))
            columns += [node.cast("long").alias(f"{name}{number}") for number, node in enumerate(nodes)]
        return bindings.select(*columns)

    @property
    def _slots(self) -> set[Slot]:
        return {slot for atom in _atoms(self.rule.group) for slot in atom.arguments if slot >= 0}


def variants(groups: Sequence[RuleGroup], naming: Naming) -> Iterator[Variant]:
    """The rules that data specialise, each with rdf:type in the place of some of the variables for properties, and with
    properties in the place of the others."""
    for group in groups:
        for row in group.parameters.tolist():
            rule = _Rule(group, tuple(row), naming)
            waiting, known = [rule], [rule.values]
            while waiting:
                rule = waiting.pop()
                if not rule.is_contradiction:
                    yield _variant(rule)
                for slot in rule.properties:
                    other = replace(rule, values={**rule.values, slot: naming.type_id})
                    if other.values not in known:
                        known.append(other.values)
                        waiting.append(other)


def _variant(rule: _Rule) -> Variant:
    template = rule.group.template
    index = [slot for atom in _atoms(rule.group) for slot in rule.index(atom)]
    named = {slot for atom in template.body for slot in rule.index(atom)}
    wanted, data_named = {*index}, [rule.naming.triples, *rule.naming.lists]
    guard = [a for a in template.body if rule.code(a) not in data_named and (wanted | {*rule.values}) & {*a.arguments}]
    bound = {slot for atom in guard for slot in atom.arguments}
    for slot in wanted - named - bound:
        guard += [atom for atom in template.body if slot in atom.arguments and atom not in guard]
    bound = {slot for atom in guard for slot in atom.arguments}
    universals: dict[Slot, int] = {}
    for atom in template.body:
        for slot in rule.index(atom):
            if slot not in bound and index.count(slot) > 1:  # SOME_CLASS or SOME_RELATION say as much of one atom
                universals[slot] = PROPERTY if universals.get(slot) == PROPERTY or not rule.is_class(atom) else CLASS
    return Variant(rule, tuple(guard), universals)


def _there() -> Column:
    """A column of bindings, which may have no other one."""
    return F.lit(1).alias(_THERE)


def _atoms(group: RuleGroup) -> Iterator[TemplateAtom]:
    template = group.template
    if template.head is not None:
        yield template.head
    yield from template.body
    yield from template.negated
