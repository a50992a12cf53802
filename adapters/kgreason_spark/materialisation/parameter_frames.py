"""Groups of rules: one template, many rows of parameters, given by the driver and evaluated on the cluster."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.expressions.tree import leaves
from kgreason.engine.rules.groups import Flags, ParameterRows
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason_spark.materialisation.term_ids import Terms

Codes = NDArray[np.int64]


def parameter(number: int) -> str:
    """The column of a parameter."""
    return f"p{number}"


def variable(number: int) -> str:
    """The column of a variable."""
    return f"v{number}"


def column_of(slot: int) -> str:
    """The column of a variable or parameter."""
    return parameter(~slot) if slot < 0 else variable(slot)


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules of one template, a row of `parameters` each: relation codes and ids, the driver's or the cluster's.

    `family` is the number of the family that they are of; `guard` the relation whose facts the rows come from, None
    for plain rules.
    """

    family: int
    name: str
    template: RuleTemplate
    parameters: ParameterRows
    guard: int | None

    @property
    def heads(self) -> Codes:
        """The relation that each rule derives."""
        assert self.template.head is not None
        return self.parameters[:, self.template.head.relation]

    @property
    def arity(self) -> int:
        """How many arguments a derived fact has."""
        return len(self.template.head.arguments) if self.template.head is not None else 0

    def body(self, position: int) -> Codes:
        """The relation of a positive body atom in each rule."""
        return self.parameters[:, self.template.body[position].relation]

    def denied(self) -> Codes:
        """The relations that must be complete before a rule is evaluated: of negated atoms, and of what a grouping rule
        has the groups of."""
        template = self.template
        atoms = [*template.negated, *(template.body if template.summaries else ())]
        return np.unique(self.parameters[:, [atom.relation for atom in atoms]])

    def where(self, mask: Flags) -> RuleGroup:
        """The rules for which the mask is true."""
        return replace(self, parameters=self.parameters[mask])

    def reading(self, relations: Iterable[int]) -> Flags:
        """For each rule whether a positive body atom is of one of the relations."""
        wanted = np.fromiter(relations, dtype=np.int64)
        found = np.zeros(len(self.parameters), dtype=np.bool_)
        for position in range(len(self.template.body)):
            found |= np.isin(self.body(position), wanted)
        return found

    def reads(self) -> set[int]:
        """All relations of body atoms, negated ones included."""
        positions = {atom.relation for atom in (*self.template.body, *self.template.negated)}
        return {code for position in positions for code in np.unique(self.parameters[:, position]).tolist()}

    def confined(self, relations: Iterable[int]) -> Flags:
        """For each rule whether all positive body atoms are of these relations."""
        return self.possible(np.fromiter(relations, dtype=np.int64))

    def possible(self, relations: Codes) -> Flags:
        """For each rule whether all positive body relations are among those."""
        found = np.ones(len(self.parameters), dtype=np.bool_)
        for position in range(len(self.template.body)):
            found &= np.isin(self.body(position), relations)
        return found


def on_cluster(group: RuleGroup, terms: Terms) -> RuleGroup:
    """A group in the cluster's codes and ids."""
    template = group.template
    atoms = [*template.body, *template.negated, *([template.head] if template.head is not None else [])]
    relations = {atom.relation for atom in atoms}
    slots = {slot for atom in atoms for slot in atom.arguments}
    operations = (*template.filters, *(operation for _, operation in template.assignments))
    slots |= {slot for operation in operations for slot in leaves(operation)}
    parameters = np.zeros_like(group.parameters)
    for position in relations:
        parameters[:, position] = terms.relations_to_cluster(group.parameters[:, position])
    for position in (~slot for slot in slots if slot < 0):
        parameters[:, position] = terms.to_cluster(group.parameters[:, position].astype(np.uint32))
    return replace(group, parameters=parameters)
