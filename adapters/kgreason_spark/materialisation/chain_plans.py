"""The plan of a chain (`rule_walks`): one for all of its rules, however many templates they are of.

A step joins the rows so far with the facts of all relations that rules of the chain look for, on the relation and what
is bound of its arguments; which columns these are, and which become variables, are data (`chain_tables`). So the
size of a plan does not grow with the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from kgreason.algebra.expressions.tree import leaves
from kgreason.engine.rules.template_parts import Slot
from kgreason.relations.codes import AUXILIARY
from kgreason_spark.arrow_frames import frame_of_arrow
from kgreason_spark.materialisation.chain_tables import RULE, ChainTable, Source, each_of, is_short
from kgreason_spark.materialisation.fact_columns import RELATION, argument, fact_columns, frame_of, of_relations
from kgreason_spark.materialisation.keyed_facts import ACCESS, Keyed, key, keyed_facts
from kgreason_spark.materialisation.local_files import of_codes
from kgreason_spark.materialisation.operation_frames import Values
from kgreason_spark.materialisation.parameter_frames import Codes, column_of, parameter, variable
from kgreason_spark.materialisation.residents import Residents
from kgreason_spark.materialisation.rule_walks import NEW, SMALL, SUBJECTS, VIRTUAL, Step, Walk

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Names = dict[Slot, str]
"""The columns of variables."""


@dataclass(frozen=True)
class Setting:
    """What the chains of a round have in common.

    Attributes:
        new: the facts that the last round brought.
        few: the facts of small relations.
        facts: gives all facts of the cluster of some relations, or at least those.
        values: what filters and assignments need.
        width: arguments of a derived fact.
        first_literal: the id from which on all terms are literals.
    """

    spark: SparkSession
    new: DataFrame | None
    few: pa.Table
    facts: Callable[[Codes], DataFrame]
    residents: Residents
    values: Values
    width: int
    first_literal: int

    def source(self, place: int, codes: Codes) -> DataFrame:
        """The facts of some relations at a place, or at least those."""
        if place == SUBJECTS:
            return self.residents.subjects(codes)
        if place == NEW:
            assert self.new is not None
            return self._padded(of_relations(self.new, codes))
        if place == SMALL:
            return frame_of(self.spark, of_codes(self.few, codes))
        here = np.isin(codes, [*self.residents.codes])
        parts = [self._padded(self.facts(codes[~here]))] if not here.all() else []
        if here.any():
            parts.append(of_relations(self.residents.rows, codes[here]))
        return parts[0] if len(parts) == 1 else parts[0].unionAll(parts[1])

    def _padded(self, facts: DataFrame) -> DataFrame:
        columns = fact_columns(self.residents.width)
        return facts.selectExpr("*", *(f"0L AS {name}" for name in columns[len(facts.columns) :]))


class Chain:
    """The rules of some walks of the same form, step by step: rows with the number of a rule and its variables."""

    def __init__(self, setting: Setting, walks: Sequence[Walk]) -> None:
        self._setting = setting
        self._walks = walks
        self._sizes = [len(each.group.parameters) for each in walks]
        self._names: list[Names] = [{} for _ in walks]
        self._rows: DataFrame | None = None

    def facts(self) -> DataFrame:
        """What the rules derive."""
        for number, step in enumerate(self._walks[0].steps):
            steps = [each.steps[number] for each in self._walks]
            if step.atom is None:
                self._operate(steps)
            elif step.place >= VIRTUAL:
                self._look_up(steps)
            else:
                self._join(steps)
        return self._heads()

    # -- steps --------------------------------------------------------------------------------------------------

    def _join(self, steps: Sequence[Step]) -> None:
        """Go on with the facts that agree with the rows, or with the rows that no fact agrees with."""
        place, is_denied = steps[0].place, steps[0].kind == "deny"
        if self._rows is None and not is_denied and is_short(sum(self._sizes)):
            self._begin(steps)
            return
        keyed = keyed_facts(steps, self._relations(steps), lambda codes: self._setting.source(place, codes))
        table = self._table()
        if keyed.accesses is not None:
            table.add(ACCESS, keyed.accesses, self._sizes)
        self._add_keys(table, steps, keyed.bound)
        names = self._add_variables(table, [step.needed for step in steps])
        self._rows = self._joined(table, keyed, place, is_denied)
        self._names = names
        if not is_denied:
            self._bring(steps)

    def _begin(self, steps: Sequence[Step]) -> None:
        """Begin with the facts that agree with the constants of few rules: no join."""
        relations, table = self._relations(steps), self._table()
        codes = np.concatenate(relations)
        conditions = []
        for position in sorted({position for step in steps for position in step.bound}):
            self._add_keys(table, steps, [position])
            table.add("binds", [self._constant(n, position in step.bound) for n, step in enumerate(steps)], self._sizes)
            constant, binds = table.expressions[key(position)], table.expressions["binds"]
            conditions.append(f"({binds} = 0 OR {argument(position)} = {constant})")
        for first, second in dict.fromkeys(pair for step in steps for pair in step.equal):
            agree = [self._constant(number, (first, second) in step.equal) for number, step in enumerate(steps)]
            table.add("agree", agree, self._sizes)
            conditions.append(f"({table.expressions['agree']} = 0 OR {argument(first)} = {argument(second)})")
        facts = self._setting.source(steps[0].place, np.unique(codes))
        rule = "0L" if len(codes) == 1 else each_of(codes, RELATION)
        needed = {argument(position) for step in steps for slot, position in step.brings if slot in step.needed}
        compared = {argument(p) for step in steps for p in (*step.bound, *(q for pair in step.equal for q in pair))}
        rows = facts.selectExpr(f"{rule} AS {RULE}", *sorted(needed | compared))
        self._rows = rows.filter(" AND ".join(conditions)) if conditions else rows
        self._names = [{} for _ in self._walks]
        self._bring(steps)

    def _joined(self, table: ChainTable, keyed: Keyed, place: int, is_denied: bool) -> DataFrame:
        is_first, rows = self._rows is None, self._made(table)
        facts = F.broadcast(keyed.facts) if place == SMALL and (is_denied or not is_first) else keyed.facts
        if is_denied:
            return rows.join(facts, keyed.keys or F.lit(True), "left_anti")
        if not keyed.keys:
            return rows.crossJoin(facts)
        return facts.join(F.broadcast(rows), keyed.keys) if is_first else rows.join(facts, keyed.keys)

    def _look_up(self, steps: Sequence[Step]) -> None:
        """The same with virtual tables."""
        relations, bound = self._relations(steps), steps[0].bound
        table = self._table()
        table.add(ACCESS, relations, self._sizes)
        self._add_keys(table, steps, bound)
        names = self._add_variables(table, [step.needed for step in steps])
        rows = self._made(table)
        virtual = self._setting.residents.virtual[steps[0].place - VIRTUAL]
        codes, keys = np.concatenate(relations), {position: key(position) for position in bound}
        if steps[0].kind == "deny":
            self._rows, self._names = virtual.without(rows, codes, ACCESS, keys), names
            return
        free = {position: argument(position) for position in range(2) if position not in bound}
        self._rows, self._names = virtual.expanded(rows, codes, ACCESS, keys, free), names
        self._bring(steps)

    def _operate(self, steps: Sequence[Step]) -> None:
        """The assignments or filters of the one template of the chain."""
        template, slots = self._walks[0].group.template, self._walks[0].operation_slots
        table = self._table()
        assigned = {number for number, _ in template.assignments}
        names = self._add_variables(table, [step.needed | slots | assigned for step in steps])
        for number in sorted({~slot for slot in slots if slot < 0}):
            table.add(parameter(number), [each.group.parameters[:, number] for each in self._walks], self._sizes)
        rows = self._made(table)
        if steps[0].kind == "assign":
            self._rows = self._setting.values.assigned(rows, template)
            names = [{**known, **{number: column_of(number) for number in assigned}} for known in names]
        else:
            self._rows = self._setting.values.filtered(rows, self._walks[0].filters)
        self._names = names

    def _heads(self) -> DataFrame:
        setting, table = self._setting, self._table()
        table.add(RELATION, [each.group.heads for each in self._walks], self._sizes)
        for position in range(setting.width):
            table.add(argument(position), [self._head(at, position) for at in range(len(self._walks))], self._sizes)
        conditions = [*self._checked(table), *self._compared(table)]
        facts = self._made(table, with_rule=False)
        if not conditions:
            return facts
        condition = " AND ".join(f"({condition})" for condition in conditions)
        return facts.filter(condition).select(*fact_columns(setting.width))

    def _head(self, number: int, position: int) -> Source:
        group = self._walks[number].group
        assert group.template.head is not None
        arguments = group.template.head.arguments
        return self._source(number, arguments[position]) if position < len(arguments) else self._constant(number, 0)

    def _checked(self, table: ChainTable) -> Iterator[str]:
        """That subjects of triples are no literals, where that is to be checked."""
        flags = [(each.group.heads & 3 != AUXILIARY) & each.group.template.checked for each in self._walks]
        if any(flag.any() for flag in flags):
            table.add("checked", [flag.astype(np.int64) for flag in flags], self._sizes)
            yield f"checked = 0 OR {argument(0)} < {self._setting.first_literal}"

    def _compared(self, table: ChainTable) -> Iterator[str]:
        """The filters that ids decide; rules with fewer of them compare a constant with itself."""
        for number in range(max(len(each.comparisons) for each in self._walks)):
            sides: tuple[list[Source], list[Source]] = ([], [])
            equal: list[Source] = []
            for at, each in enumerate(self._walks):
                has = number < len(each.comparisons)
                equal.append(self._constant(at, int(not has or each.comparisons[number].function == "=")))
                slots = list(leaves(each.comparisons[number])) if has else []
                for side, sources in enumerate(sides):
                    sources.append(self._source(at, slots[side]) if has else self._constant(at, 0))
            names = (f"left{number}", f"right{number}", f"equal{number}")
            for name, sources in zip(names, (*sides, equal), strict=True):
                table.add(name, sources, self._sizes)
            yield f"({names[0]} = {names[1]}) = ({names[2]} = 1)"

    # -- columns ------------------------------------------------------------------------------------------------

    def _table(self) -> ChainTable:
        return ChainTable(sum(self._sizes))

    def _relations(self, steps: Sequence[Step]) -> list[Codes]:
        return [each.relations(step) for each, step in zip(self._walks, steps, strict=True)]

    def _source(self, number: int, slot: Slot) -> Source:
        """Where the value of a slot is, in the rules of a walk."""
        return self._walks[number].group.parameters[:, ~slot] if slot < 0 else self._names[number][slot]

    def _add_keys(self, table: ChainTable, steps: Sequence[Step], bound: Sequence[int]) -> None:
        for position in bound:
            sources: list[Source] = []
            for number, step in enumerate(steps):
                assert step.atom is not None
                slot = step.atom.arguments[position] if position in step.bound else None
                sources.append(self._constant(number, 0) if slot is None else self._source(number, slot))
            table.add(key(position), sources, self._sizes)

    def _add_variables(self, table: ChainTable, wanted: Sequence[frozenset[Slot]]) -> list[Names]:
        """The variables that are known and wanted, and their new names; operations need those of the template."""
        kept = [sorted(slots & known.keys()) for slots, known in zip(wanted, self._names, strict=True)]
        if self._walks[0].has_operations:
            every = sorted(set().union(*kept))
            names = [{slot: column_of(slot) for slot in slots} for slots in kept]
        else:
            every = list(range(max(map(len, kept))))
            names = [{slot: variable(number) for number, slot in enumerate(slots)} for slots in kept]
        for slot in every:
            name = variable(slot)
            sources = [
                next((self._names[number][old] for old, new in known.items() if new == name), self._constant(number, 0))
                for number, known in enumerate(names)
            ]
            table.add(name, sources, self._sizes)
        return names

    def _bring(self, steps: Sequence[Step]) -> None:
        for known, step in zip(self._names, steps, strict=True):
            known.update({slot: argument(position) for slot, position in step.brings if slot in step.needed})

    def _constant(self, number: int, value: int) -> Codes:
        """The same for all rules of a walk."""
        return np.full(self._sizes[number], value, dtype=np.int64)

    def _made(self, table: ChainTable, *, with_rule: bool = True) -> DataFrame:
        """The rows with just the columns of a table."""
        rows, spark = self._rows, self._setting.spark
        if rows is None:
            rows = frame_of_arrow(spark, table.table())
        elif table.columns:
            rows = rows.join(F.broadcast(frame_of_arrow(spark, table.table())), RULE)
        made = (f"{expression} AS {name}" for name, expression in table.expressions.items())
        return rows.selectExpr(*([RULE] if with_rule else []), *made)
