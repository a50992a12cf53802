"""Rules over whole columns: what they derive from everything and from changes, and whether they derive a fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import UNIT, Bindings
from kgreason.algebra.conjunctions.conjunction import Conjunction
from kgreason.algebra.conjunctions.remainder import Join
from kgreason.algebra.extend import extend
from kgreason.columns.masks import all_of, any_of
from kgreason.engine import rule_tuning
from kgreason.engine.meter import Meter
from kgreason.engine.rules.cliques import Groups
from kgreason.engine.rules.grouping import Grouping, known_values
from kgreason.engine.rules.narrowing import finds_none, keeps_only_itself, narrowed, without_ends
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.output import ALL, Output
from kgreason.engine.rules.propagation import Propagation, Test, none_of
from kgreason.engine.rules.relation_buffer import RelationBuffer
from kgreason.engine.rules.rule_conditions import RuleConditions
from kgreason.engine.rules.rule_inputs import MakeTable, Reader, Terms
from kgreason.engine.rules.rule_templates import Clique, Parameters, RuleTemplate
from kgreason.relations.plain import table_of
from kgreason.relations.table import Ids, Table


class Evaluation:
    """Evaluates templates against the facts that a reader gives, within the budget of a meter."""

    def __init__(self, read: Reader, terms: Terms, meter: Meter | None = None) -> None:
        self._read = read
        self._terms = terms
        self._meter = Meter() if meter is None else meter
        self._no_conditions = RuleConditions((), (), (), (), read, terms, self._meter.tick)

    def heads(self, template: RuleTemplate, parameters: Parameters, output: Output = ALL) -> Table | None:
        """The facts that the whole rule derives, None when there are none; of those that a join gives, the `output`."""
        body = self._body(template, parameters)
        if body is None:
            return None
        if template.summaries:
            return self._values(template, body[0][1], None)
        if template.is_single:
            return self._single(template, parameters, body[0][1])
        return self._finish(template, parameters, body, output=output)

    def heads_from(
        self,
        template: RuleTemplate,
        parameters: Parameters,
        position: int,
        delta: Table,
        output: Output = ALL,
        asked: Table | None = None,
    ) -> Table | None:
        """The facts that the rule derives from the facts `delta` of its positive body atom at `position`; of a grouping
        rule those of the groups that `delta` begins with; of those that a join gives, the `output`. Perhaps not all
        where some facts of its head alone are `asked` for."""
        if template.is_single:
            return self._single(template, parameters, delta)
        body = self._body(template, parameters)
        if body is None:
            return None
        if template.summaries:
            return self._values(template, body[0][1], delta)
        is_filtered = not (template.replacements and keeps_only_itself(template, parameters, body))
        first = self._first(template, parameters, position, delta, body, asked)
        if first is None:
            return None
        del body[position]
        return self._finish(template, parameters, body, first, is_filtered=is_filtered, output=output)

    def heads_with(
        self, template: RuleTemplate, parameters: Parameters, slot: int, identifiers: Ids, output: Output
    ) -> Table | None:
        """The facts that a rule derives with some ids in the place of a variable."""
        body = self._body(template, parameters)
        if body is None:
            return None
        return self._finish(template, parameters, body, (Atom.of([slot]), table_of((identifiers,))), output=output)

    def passed_on(self, use: Occurrence, delta: Table) -> Table | None:
        """What a rule that passes a set on derives from the facts `delta` of the set, from what it derives of these,
        and so on: facts that are not known."""
        is_barred = self._terms.object_only_mask().take if use.group.template.checked else none_of
        return self._passed_on(use, delta, self._read(use.head), is_barred)

    def lost_with(self, use: Occurrence, delta: Table, stays: Test, most: float) -> Table | None:
        """The facts of a set that a rule passes on, of which `stays` does not say that they hold without it, that
        depend on the facts `delta`: all, or more than `most`."""
        return self._passed_on(use, delta, delta, stays, most)

    def _passed_on(
        self, use: Occurrence, delta: Table, known: Table | None, is_barred: Test, most: float = inf
    ) -> Table | None:
        outside = use.group.template.body[1 - use.position]
        (along,) = use.group.template.body[use.position].arguments
        steps = self._read(use.parameters[outside.relation])
        if not known or not steps:
            return None
        propagation = Propagation(steps, outside.arguments.index(along), is_barred, self._meter.tick)
        found = propagation.reached(delta.distinct(0), known, most)
        derived = table_of((found,)) if len(found) else None
        self._meter.gave(derived)
        return derived

    def groups(
        self, clique: Clique, template: RuleTemplate, parameters: Parameters, excluded: Sequence[int]
    ) -> Groups:
        """The groups of a rule that pairs their members with each other; no path leads to the `excluded` ids."""
        return Groups(clique, template, parameters, excluded, self._read, self._terms, self._meter)

    def known_heads_from(
        self, template: RuleTemplate, parameters: Parameters, position: int, delta: Table, known: Table
    ) -> Table | None:
        """Those of some head facts `known` that the rule derives from the facts `delta` of its positive body atom at
        `position`."""
        body = self._body(template, parameters)
        if body is None:
            return None
        first = self._first(template, parameters, position, delta, body)
        if first is None:
            return None
        assert template.head is not None
        body[position] = first
        body.append((template.head.of(parameters), known))
        return self._finish(template, parameters, body, derives=False)

    @staticmethod
    def _first(
        template: RuleTemplate,
        parameters: Parameters,
        position: int,
        delta: Table,
        body: list[Join[int]],
        asked: Table | None = None,
    ) -> Join[int] | None:
        """The atom at a position with those of its facts `delta` that the others leave, and what is `asked` for, as far
        as that is seen before a join; None where that is nothing."""
        is_virtual = delta.is_virtual
        if is_virtual and delta.arity == 2:
            delta = narrowed(template, position, delta, body, asked)
            if not delta:
                return None
        first = (template.body[position].of(parameters), delta)
        return None if len(body) > 1 and not is_virtual and finds_none(first, body, position) else first

    def heads_among(self, template: RuleTemplate, parameters: Parameters, candidates: Table) -> Table | None:
        """The facts that a rule whose body is an intersection derives from the facts `candidates` of any of its
        atoms."""
        body = self._body(template, parameters)
        if body is None:
            return None
        return self._finish(template, parameters, body, (template.body[0].of(parameters), candidates))

    def only_repeats(
        self, template: RuleTemplate, parameters: Parameters, position: int, delta: Table, known: Table | None
    ) -> bool:
        """Whether the facts that a rule with a long body derives from few facts `delta` of its positive body atom at
        `position` are `known` already; the other atoms do not matter."""
        head, atom = template.head, template.body[position]
        if len(template.body) < tuning.LONG_BODY or template.summaries or delta.estimate > rule_tuning.FEW_ROWS:
            return False
        if head is None or not head.variables() <= atom.variables():
            return False
        if not known:
            return False
        found = self._head(template, parameters, extend(UNIT, atom.of(parameters), delta))
        return found is None or not found.difference(known)

    def heads_from_negated(
        self,
        template: RuleTemplate,
        parameters: Parameters,
        position: int,
        delta: Table,
        output: Output = ALL,
    ) -> Table | None:
        """The facts that the rule derives with the negated atom at `position` matched by `delta` instead of denied."""
        body = self._body(template, parameters)
        if body is None:
            return None
        first = (template.negated[position].of(parameters), delta)
        return self._finish(template, parameters, body, first, without=position, output=output)

    def derivable(self, template: RuleTemplate, parameters: Parameters, wanted: Table) -> Table | None:
        """Those of the head facts `wanted` that the rule derives in one step, None for none of them.

        The body is joined with these, by the arguments that it binds; what the rule assigns is computed, and then
        compared. Where it assigns all arguments, the whole rule is evaluated.
        """
        self._meter.worked(wanted.estimate)
        body = self._body(template, parameters)
        if body is None:
            return None
        if template.summaries:
            derived = self._values(template, body[0][1], wanted)
            return None if derived is None else derived.intersection(wanted)
        if template.copies or template.projection is not None:
            return self._singly_derivable(template, body[0][1], wanted)
        assert template.head is not None
        first = (template.head.of(parameters), wanted)
        computed = template.computed_ends
        if computed:
            known = without_ends(first, computed)
            if known is not None and finds_none(known, body):
                return None
            derived = self._finish(template, parameters, body, known, derives=False)
            return None if derived is None else derived.intersection(wanted)
        if finds_none(first, body):
            return None
        return self._finish(template, parameters, body, first, derives=False)

    def matches(self, template: RuleTemplate, parameters: Parameters) -> Iterator[Bindings[int]]:
        """All rows of variables that satisfy the body of a rule, a bounded number at a time."""
        joins = self._body(template, parameters)
        if joins is None:
            return iter(())
        return self._rest(template, parameters, joins, None, None, None).solutions(UNIT)

    def _body(self, template: RuleTemplate, parameters: Parameters) -> list[Join[int]] | None:
        """The positive atoms with their relations' facts, None when one has none."""
        body: list[Join[int]] = []
        for atom in template.body:
            table = self._read(parameters[atom.relation])
            if not table:
                return None
            body.append((atom.plain or atom.of(parameters), table.written_few()))
        return body

    def derived_before(self, template: RuleTemplate, parameters: Parameters, delta: Table) -> Table | None:
        """The known facts of a grouping rule's head that are of the groups that `delta` begins with."""
        assert template.head is not None
        known = self._read(parameters[template.head.relation])
        return None if known is None else known_values(template, known, delta)

    def _values(self, template: RuleTemplate, source: Table, touched: Table | None) -> Table | None:
        """The values of the groups that some facts are of, or of all."""
        found = Grouping.of(template, source, self._terms, self._meter).values(touched)
        self._meter.gave(found)
        return found

    def _single(self, template: RuleTemplate, parameters: Parameters, source: Table) -> Table | None:
        found = self._copied(template, source)
        if found is None:
            return self._finish(template, parameters, [], (template.body[0].of(parameters), source))
        self._meter.gave(found, rule_tuning.COPIED_WORK)
        return found

    def _copied(self, template: RuleTemplate, source: Table) -> Table | None:
        """The facts that a copy, an inverse copy or a projection derives, None for other rules."""
        if template.is_copy:
            return source
        if template.is_inverse_copy:
            return self._resources(source.inverse()) if template.checked else source.inverse()
        if template.projection is not None:
            members = source.new_keys(template.projection)
            return table_of((members[~self._terms.object_only_mask().take(members)] if template.checked else members,))
        return None

    def _singly_derivable(self, template: RuleTemplate, source: Table, wanted: Table) -> Table | None:
        """Those of some facts that a copy, an inverse copy or a projection derives from its source."""
        if template.is_copy:
            return source.intersection(wanted)
        columns = wanted.columns()
        if len(columns[0]) == 1:
            return self._one_derivable(template, source, wanted, tuple(column.item() for column in columns))
        if template.projection is None:
            found = source.contains(columns[::-1])
        else:
            found = source.has_key(template.projection, columns[0])
        if not any_of(found):
            return None
        derived = wanted if all_of(found) else wanted.filter(found)
        return self._resources(derived) if template.checked else derived

    def _one_derivable(
        self, template: RuleTemplate, source: Table, wanted: Table, fact: tuple[int, ...]
    ) -> Table | None:
        """The same for one fact."""
        at = template.projection
        if not (source.has(fact[::-1]) if at is None else source.has_id(at, fact[0])):
            return None
        return self._resources(wanted) if template.checked else wanted

    def _resources(self, table: Table) -> Table:
        """The facts whose subject is not a literal."""
        literal = self._terms.object_only_mask().take(table.columns()[0])
        return table.filter(~literal) if any_of(literal) else table

    def _finish(
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

        The atom `first` is joined first, the negated one at `without` is not denied; `derives` says that what is found
        is going to be facts; the filters are left out unless it `is_filtered`."""
        given = None if template.head is None else template.head.variables()
        wanted = template.last_use if is_filtered or given is None else given
        rest = self._rest(template, parameters, body, without, wanted, given, is_filtered)
        rest.interchangeable = output.interchangeable
        found: Table | None = None
        gathering: RelationBuffer | None = None
        head = partial(self._head, template, parameters, make=output.make, derives=derives)
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

    def _rest(
        self,
        template: RuleTemplate,
        parameters: Parameters,
        joins: list[Join[int]],
        without: int | None,
        wanted: frozenset[int] | None,
        given: frozenset[int] | None,
        is_filtered: bool = True,
    ) -> Conjunction[int]:
        """A rule's whole body but for the positive atoms that are not in `joins`, the negated one at `without`, and the
        filters unless it `is_filtered`."""
        negated = tuple(each for number, each in enumerate(template.negated) if number != without)
        filters = template.conditions if is_filtered else ()
        conditions, tick = self._no_conditions, self._meter.tick
        if negated or filters or template.computations:
            read, terms = self._read, self._terms
            conditions = RuleConditions(parameters, negated, filters, template.computations, read, terms, tick)
        return Conjunction(joins, conditions, wanted, tick, given)

    def _head(
        self,
        template: RuleTemplate,
        parameters: Parameters,
        rows: Bindings[int],
        make: MakeTable = table_of,
        derives: bool = False,
    ) -> Table | None:
        """The heads of some solutions."""
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
