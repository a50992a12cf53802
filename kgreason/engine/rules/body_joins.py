"""The bodies of rules as joins (`kgreason.algebra.conjunctions`), and the heads of their solutions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kgreason.algebra.bindings import UNIT, Bindings
from kgreason.algebra.conjunctions.conjunction import Conjunction
from kgreason.algebra.conjunctions.remainder import Join
from kgreason.columns.masks import all_of
from kgreason.engine.meter import Meter
from kgreason.engine.rules.output import ALL, Output
from kgreason.engine.rules.relation_buffer import RelationBuffer
from kgreason.engine.rules.rule_batches import RuleBatch
from kgreason.engine.rules.rule_conditions import RuleConditions
from kgreason.engine.rules.rule_inputs import MakeTable, Reader, Terms
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Parameters
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table


class BodyJoins:
    """Joins the facts that a reader gives, within the budget of a meter."""

    def __init__(self, read: Reader, terms: Terms, meter: Meter) -> None:
        self._read = read
        self._terms = terms
        self._meter = meter
        self._no_conditions = RuleConditions((), (), (), (), read, terms, meter)

    def facts(self, template: RuleTemplate, parameters: Parameters) -> list[Join[int]] | None:
        """The positive atoms of a rule with their relations' facts, None when one has none."""
        body: list[Join[int]] = []
        for atom in template.body:
            table = self._read(parameters[atom.relation])
            if not table:
                return None
            body.append((atom.plain or atom.of(parameters), table.written_few()))
        return body

    def heads(
        self,
        template: RuleTemplate,
        parameters: Parameters,
        body: list[Join[int]],
        first: Join[int] | None = None,
        without: int | None = None,
        derives: bool = True,
        is_filtered: bool = True,
        output: Output = ALL,
    ) -> Table | None:
        """The heads of all solutions, as the `output` has them.

        The atom `first` is joined before those of the `body`, the negated one at `without` is not denied; `derives`
        says that what is found is going to be facts; the filters are left out unless it `is_filtered`."""
        given = None if template.head is None else template.head.variables()
        rest = self.conjunction(template, parameters, body, without, template.kept, given, is_filtered)
        rest.interchangeable = output.interchangeable
        found: Table | None = None
        gathering: RelationBuffer | None = None
        head = partial(self.heads_of, template, parameters, make=output.make, derives=derives)
        for more in map(head, rest.solutions(UNIT, first)):
            if more is None:
                continue
            if gathering is None:
                if found is None:
                    found = more
                    continue
                assert template.head is not None
                known = self._read if derives else None
                gathering = RelationBuffer(self._meter, known, parameters[template.head.relation])
                gathering.add(found)
                found = None
            gathering.add(more)
        return found if gathering is None else gathering.table()

    def heads_of_batch(self, batch: RuleBatch) -> Iterator[tuple[int, Table]]:
        """The facts that rules derive together, by their relations; one may come several times."""
        joins = batch.joins(self._read)
        if joins is None:
            return
        conjunction = Conjunction(joins, self._no_conditions, batch.wanted, self._meter.tick, batch.wanted)
        for found in conjunction.solutions(batch.rows()):
            is_checked = batch.template.checked
            rows = found.where(~self._terms.object_only_mask().take(batch.subjects(found))) if is_checked else found
            self._meter.gave_rows(rows.length)
            if rows.length:
                yield from ((code, table_of(columns)) for code, columns in batch.heads(rows))

    def conjunction(
        self,
        template: RuleTemplate,
        parameters: Parameters,
        joins: list[Join[int]],
        without: int | None = None,
        kept: frozenset[int] | None = None,
        given: frozenset[int] | None = None,
        is_filtered: bool = True,
    ) -> Conjunction[int]:
        """A rule's whole body but for the positive atoms that are not in `joins`, the negated one at `without`, and the
        filters unless it `is_filtered`. Solutions bind the variables that are `kept`, and differ in those `given`."""
        negated = tuple(each for number, each in enumerate(template.negated) if number != without)
        filters = template.conditions if is_filtered else ()
        conditions, meter = self._no_conditions, self._meter
        if negated or filters or template.computations:
            read, terms = self._read, self._terms
            conditions = RuleConditions(parameters, negated, filters, template.computations, read, terms, meter)
        return Conjunction(joins, conditions, kept, meter.tick, given)

    def heads_of(
        self,
        template: RuleTemplate,
        parameters: Parameters,
        rows: Bindings[int],
        make: MakeTable = table_of,
        derives: bool = False,
    ) -> Table | None:
        """The heads of some solutions, as `make` has them."""
        if not rows.length or template.head is None:
            return None
        columns = template.head.of(parameters).columns(rows)
        if template.checked:
            resources = ~self._terms.object_only_mask().take(columns[0])
            if not all_of(resources):
                columns = tuple(column[resources] for column in columns)
        if derives:
            self._meter.gave_rows(len(columns[0]))
        return make(columns) if len(columns[0]) else None
