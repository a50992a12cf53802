"""Rules as DataFrame plans: one plan for all rules of a template that find their facts in the same places.

The parameters of the rules are a small table that every executor has; a body atom joins the facts with it on the
relation, and with the rows so far on the variables. Seminaive: the facts of one body atom are the new ones, in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from kgreason.engine.rules.rule_templates import RuleTemplate, TemplateAtom
from kgreason.relations.codes import AUXILIARY
from kgreason_spark.materialisation.dataset import RELATION, argument, fact_columns
from kgreason_spark.materialisation.operation_frames import Values
from kgreason_spark.materialisation.parameter_frames import Codes, RuleGroup, column_of, parameter, variable
from kgreason_spark.materialisation.residents import Residents

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

CLUSTER: Final = 0
ROWS: Final = 1
VIRTUAL: Final = 2
"""From here on: the place of virtual tables, by number."""
LISTED: Final = 256


Start: TypeAlias = "tuple[int, DataFrame] | None"
"""The position of the body atom that takes new facts, and these."""


@dataclass(frozen=True)
class Plans:
    """The facts that rules derive, as DataFrames.

    `facts` gives all facts of the cluster of some relations, or at least those; `values` what filters and assignments
    need; `first_literal` is the id from which on all terms are literals.
    """

    spark: SparkSession
    facts: Callable[[Codes], DataFrame]
    residents: Residents
    values: Values
    width: int
    first_literal: int

    def everything(self, group: RuleGroup) -> Iterator[DataFrame]:
        """The facts that the rules derive from all facts."""
        for places, part in self._by_places(group):
            yield self._derived(part, places, None)

    def from_new(self, group: RuleGroup, new: DataFrame, relations: Sequence[int]) -> Iterator[DataFrame]:
        """The facts that the rules derive from bodies with at least one of the new facts, which are of some
        relations."""
        fresh = np.asarray(relations, dtype=np.int64)
        for places, part in self._by_places(group):
            for position, place in enumerate(places[: len(group.template.body)]):
                if place == CLUSTER:
                    concerned = part.where(np.isin(part.body(position), fresh))
                    if len(concerned.parameters):
                        yield self._derived(concerned, places, (position, new))

    def _by_places(self, group: RuleGroup) -> Iterator[tuple[tuple[int, ...], RuleGroup]]:
        """The rules by where the facts of their atoms are, positive and negated."""
        atoms = [*group.template.body, *group.template.negated]
        places = np.zeros((len(group.parameters), len(atoms)), dtype=np.int64)
        residents = list(self.residents.codes)
        for number, atom in enumerate(atoms):
            column = group.parameters[:, atom.relation]
            places[np.isin(column, residents), number] = ROWS
            for place, virtual in enumerate(self.residents.virtual, VIRTUAL):
                places[np.isin(column, list(virtual.codes)), number] = place
        for distinct in np.unique(places, axis=0):
            yield tuple(distinct.tolist()), group.where((places == distinct).all(axis=1))

    def _derived(self, group: RuleGroup, places: tuple[int, ...], start: Start) -> DataFrame:
        template = group.template
        rows: DataFrame | None = None
        bound: set[int] = set()
        waiting = list(range(len(template.body)))
        while waiting:
            position = self._next(template, places, waiting, bound, start)
            waiting.remove(position)
            atom, codes = template.body[position], group.body(position)
            if places[position] >= VIRTUAL:
                rows = self._parameters(group) if rows is None else rows
                rows = self._expand(rows, atom, bound, places[position], codes)
            else:
                is_start = start is not None and position == start[0]
                facts = of_relations(start[1], codes) if start and is_start else self._rows_at(places[position], codes)
                rows = self._first(group, atom, facts) if rows is None else self._join(rows, atom, bound, facts)
            bound |= atom.variables()
        rows = self._parameters(group) if rows is None else rows
        rows = self.values.assigned(rows, template)
        for number, atom in enumerate(template.negated):
            rows = self._deny(rows, atom, places[len(template.body) + number], group.denied(number))
        rows = self.values.filtered(rows, template, group)
        return self._head(rows, template)

    def _rows_at(self, place: int, codes: Codes) -> DataFrame:
        return self.facts(codes) if place == CLUSTER else of_relations(self.residents.rows, codes)

    @staticmethod
    def _next(
        template: RuleTemplate, places: Sequence[int], waiting: Sequence[int], bound: set[int], start: Start
    ) -> int:
        """The new facts first, then atoms that share a variable; rows before virtual tables."""
        if start is not None and start[0] in waiting:
            return start[0]

        def cost(position: int) -> tuple[int, int, int]:
            atom = template.body[position]
            free = sum(slot >= 0 and slot not in bound for slot in atom.arguments)
            connected = bool(atom.variables() & bound)
            return (0 if connected or not bound else 1, int(places[position] >= VIRTUAL), free)

        return min(waiting, key=cost)

    def _parameters(self, group: RuleGroup) -> DataFrame:
        count = group.parameters.shape[1]
        columns = {parameter(number): pa.array(group.parameters[:, number]) for number in range(count)}
        return F.broadcast(self.spark.createDataFrame(pa.table(columns)))

    def _first(self, group: RuleGroup, atom: TemplateAtom, facts: DataFrame) -> DataFrame:
        """The facts of the first atom with the parameters of their rules: no join where there is one rule."""
        if len(group.parameters) > 1:
            return self._join(self._parameters(group), atom, set(), facts)
        row = group.parameters[0].tolist()
        condition = facts[RELATION] == row[atom.relation]
        fresh: dict[int, Column] = {}
        for position, slot in enumerate(atom.arguments):
            column = facts[argument(position)]
            if slot >= 0 and slot not in fresh:
                fresh[slot] = column
            else:
                condition &= column == (row[~slot] if slot < 0 else fresh[slot])
        parameters = (F.lit(value).cast("long").alias(parameter(number)) for number, value in enumerate(row))
        variables = (column.alias(variable(slot)) for slot, column in fresh.items())
        return facts.filter(condition).select(*parameters, *variables)

    def _join(self, rows: DataFrame, atom: TemplateAtom, bound: set[int], facts: DataFrame) -> DataFrame:
        """Extend rows by the facts of an atom that agree with them."""
        facts, conditions, fresh = self._matched(rows, atom, bound, facts)
        joined = rows.join(facts, conditions)
        kept = [rows[name] for name in rows.columns]
        return joined.select(*kept, *(facts[name].alias(variable(slot)) for slot, name in fresh.items()))

    def _matched(
        self, rows: DataFrame, atom: TemplateAtom, bound: set[int], facts: DataFrame
    ) -> tuple[DataFrame, Column, dict[int, str]]:
        """The facts of an atom, the condition of their join with the rows, and the columns of new variables."""
        renamed = facts.select(*(facts[name].alias(f"fact_{name}") for name in facts.columns))
        condition = rows[parameter(atom.relation)] == renamed[f"fact_{RELATION}"]
        fresh: dict[int, str] = {}
        for position, slot in enumerate(atom.arguments):
            name = f"fact_{argument(position)}"
            if slot < 0 or slot in bound:
                condition &= rows[column_of(slot)] == renamed[name]
            elif slot in fresh:
                renamed = renamed.filter(renamed[name] == renamed[fresh[slot]])
            else:
                fresh[slot] = name
        return renamed, condition, fresh

    def _expand(self, rows: DataFrame, atom: TemplateAtom, bound: set[int], place: int, codes: Codes) -> DataFrame:
        """Extend rows by the facts of an atom over virtual tables, from all subjects where nothing is bound."""
        if not any(slot < 0 or slot in bound for slot in atom.arguments):
            subject = TemplateAtom(atom.relation, atom.arguments[:1])
            rows = self._join(rows, subject, bound, self.residents.subjects(codes))
            bound = bound | subject.variables()
        columns = {position: column_of(slot) for position, slot in enumerate(atom.arguments)}
        keys = {at: name for at, name in columns.items() if atom.arguments[at] < 0 or atom.arguments[at] in bound}
        free = {at: name for at, name in columns.items() if at not in keys}
        virtual = self.residents.virtual[place - VIRTUAL]
        return virtual.expanded(rows, codes, parameter(atom.relation), keys, free)

    def _deny(self, rows: DataFrame, atom: TemplateAtom, place: int, codes: Codes) -> DataFrame:
        if place >= VIRTUAL:
            columns = {position: column_of(slot) for position, slot in enumerate(atom.arguments)}
            return self.residents.virtual[place - VIRTUAL].without(rows, codes, parameter(atom.relation), columns)
        facts = self._rows_at(place, codes)
        if len(atom.arguments) >= len(facts.columns):  # nothing derives such wide facts
            return rows
        facts, condition, _ = self._matched(rows, atom, set(atom.variables()), facts)
        return rows.join(facts, condition, "left_anti")

    def _head(self, rows: DataFrame, template: RuleTemplate) -> DataFrame:
        assert template.head is not None
        columns = [F.col(parameter(template.head.relation)).alias(RELATION)]
        for position in range(self.width):
            column = F.lit(0).cast("long")
            if position < len(template.head.arguments):
                slot = template.head.arguments[position]
                column = F.col(column_of(slot))
            columns.append(column.alias(argument(position)))
        facts = rows.select(*columns).select(*fact_columns(self.width))
        if template.checked:
            is_auxiliary = F.col(RELATION).bitwiseAND(3) == AUXILIARY
            facts = facts.filter(is_auxiliary | (F.col(argument(0)) < self.first_literal))
        return facts


def of_relations(facts: DataFrame, codes: Codes) -> DataFrame:
    """The facts of some relations; where they are many, all: the join itself sees to it."""
    distinct = np.unique(codes)
    return facts.filter(facts[RELATION].isin(distinct.tolist())) if len(distinct) <= LISTED else facts
