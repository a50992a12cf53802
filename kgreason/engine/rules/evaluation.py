"""Rules over whole columns: what they derive from everything and from changes, and whether they derive a fact.

The questions that modules ask of a rule, each answered in the cheapest way there is: without a join
(`single_atom_rules`, `grouping`, `propagation`), by what is known before it (`narrowing`), or by the join of its body
(`body_joins`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import UNIT, Bindings
from kgreason.algebra.conjunctions.remainder import Join
from kgreason.algebra.extend import extend
from kgreason.engine import rule_tuning
from kgreason.engine.meter import Meter
from kgreason.engine.rules.between_groups import between_groups
from kgreason.engine.rules.body_joins import BodyJoins
from kgreason.engine.rules.cliques import Groups
from kgreason.engine.rules.grouping import Grouping, known_values
from kgreason.engine.rules.narrowing import finds_none, is_unasked, keeps_only_itself, narrowed, without_ends
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.output import ALL, Output
from kgreason.engine.rules.propagation import Propagation, Test, none_of
from kgreason.engine.rules.rings import bridges
from kgreason.engine.rules.rule_batches import RuleBatch
from kgreason.engine.rules.rule_inputs import Reader, Terms
from kgreason.engine.rules.rule_shapes import Clique
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.single_atom_rules import single_heads, singly_derivable
from kgreason.engine.rules.template_parts import Parameters
from kgreason.relations.plain import table_of
from kgreason.relations.table import Ids, Table


class Evaluation:
    """Evaluates templates against the facts that a reader gives, within the budget of a meter."""

    def __init__(self, read: Reader, terms: Terms, meter: Meter | None = None) -> None:
        self._read = read
        self._terms = terms
        self._meter = Meter() if meter is None else meter
        self._joins = BodyJoins(read, terms, self._meter)

    def heads(self, template: RuleTemplate, parameters: Parameters, output: Output = ALL) -> Table | None:
        """The facts that the whole rule derives, None when there are none; of those that a join gives, the `output`."""
        body = self._joins.facts(template, parameters)
        if body is None:
            return None
        if template.summaries:
            return self._values(template, body[0][1], None)
        if template.is_single:
            return self._single(template, parameters, body[0][1])
        for position in {bridge.position for bridge in bridges(template)}:
            found = self._between_groups(template, parameters, position, body[position][1])
            if found is not None:
                first = (body.pop(position)[0], found)
                return self._joins.heads(template, parameters, body, first, output=output) if found else None
        return self._joins.heads(template, parameters, body, output=output)

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
        body = self._joins.facts(template, parameters)
        if body is None:
            return None
        if template.summaries:
            return self._values(template, body[0][1], delta)
        is_filtered = not (template.replacements and keeps_only_itself(template, parameters, body))
        first = self._first(template, parameters, position, delta, body, asked)
        if first is None:
            return None
        del body[position]
        return self._joins.heads(template, parameters, body, first, is_filtered=is_filtered, output=output)

    def heads_together(self, batch: RuleBatch) -> Iterator[tuple[int, Table]]:
        """The facts that rules derive together, by their relations; one may come several times."""
        for use in batch.uses:
            self._meter.begin(use)
        return self._joins.heads_of_batch(batch)

    def heads_with(
        self, template: RuleTemplate, parameters: Parameters, slot: int, identifiers: Ids, output: Output
    ) -> Table | None:
        """The facts that a rule derives with some ids in the place of a variable."""
        body = self._joins.facts(template, parameters)
        if body is None:
            return None
        return self._joins.heads(template, parameters, body, (Atom.of([slot]), table_of((identifiers,))), output=output)

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
        body = self._joins.facts(template, parameters)
        if body is None:
            return None
        first = self._first(template, parameters, position, delta, body)
        if first is None:
            return None
        assert template.head is not None
        body[position] = first
        body.append((template.head.of(parameters), known))
        return self._joins.heads(template, parameters, body, derives=False)

    def _first(
        self,
        template: RuleTemplate,
        parameters: Parameters,
        position: int,
        delta: Table,
        body: list[Join[int]],
        asked: Table | None = None,
    ) -> Join[int] | None:
        """The atom at a position with those of its facts `delta` that the others leave, and what is `asked` for, as far
        as that is seen before a join; None where that is nothing."""
        is_virtual, atom = delta.is_virtual, body[position][0]
        if is_virtual and is_unasked(atom, delta, body, position):
            return None
        if is_virtual and delta.arity == 2:
            found = self._between_groups(template, parameters, position, delta)
            delta = narrowed(template, position, delta, body, asked) if found is None else found
            if not delta:
                return None
        first = (atom, delta)
        return None if len(body) > 1 and not is_virtual and finds_none(first, body, position) else first

    def _between_groups(
        self, template: RuleTemplate, parameters: Parameters, position: int, delta: Table
    ) -> Table | None:
        """Those of many facts `delta` of the atom at a position that lead from one group to another, where the rule
        pairs the members of both; None where it does not, where there are more members, and where they are many."""
        if delta.estimate < rule_tuning.GROUPED_PAIRS:
            return None
        for bridge in bridges(template):
            if bridge.position == position and bridge.clique.is_of(parameters):
                groups = self.groups(bridge.clique, template, parameters, ())
                if groups.estimate() * rule_tuning.GROUPED_EACH > delta.estimate:
                    return None
                rows = groups.rows_from(bridge.clique.half[0], None)
                return between_groups(bridge, rows, delta) if rows.length else None
        return None

    def heads_among(self, template: RuleTemplate, parameters: Parameters, candidates: Table) -> Table | None:
        """The facts that a rule whose body is an intersection derives from the facts `candidates` of any of its
        atoms."""
        body = self._joins.facts(template, parameters)
        if body is None:
            return None
        return self._joins.heads(template, parameters, body, (template.body[0].of(parameters), candidates))

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
        found = self._joins.heads_of(template, parameters, extend(UNIT, atom.of(parameters), delta))
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
        body = self._joins.facts(template, parameters)
        if body is None:
            return None
        first = (template.negated[position].of(parameters), delta)
        return self._joins.heads(template, parameters, body, first, without=position, output=output)

    def derivable(self, template: RuleTemplate, parameters: Parameters, wanted: Table) -> Table | None:
        """Those of the head facts `wanted` that the rule derives in one step, None for none of them.

        The body is joined with these, by the arguments that it binds; what the rule assigns is computed, and then
        compared. Where it assigns all arguments, the whole rule is evaluated.
        """
        self._meter.worked(wanted.estimate)
        body = self._joins.facts(template, parameters)
        if body is None:
            return None
        if template.summaries:
            derived = self._values(template, body[0][1], wanted)
            return None if derived is None else derived.intersection(wanted)
        if template.copies or template.projection is not None:
            return singly_derivable(template, body[0][1], wanted, self._terms)
        assert template.head is not None
        first = (template.head.of(parameters), wanted)
        computed = template.computed_ends
        if computed:
            known = without_ends(first, computed)
            if known is not None and finds_none(known, body):
                return None
            derived = self._joins.heads(template, parameters, body, known, derives=False)
            return None if derived is None else derived.intersection(wanted)
        if finds_none(first, body):
            return None
        return self._joins.heads(template, parameters, body, first, derives=False)

    def matches(self, template: RuleTemplate, parameters: Parameters) -> Iterator[Bindings[int]]:
        """All rows of variables that satisfy the body of a rule, a bounded number at a time."""
        body = self._joins.facts(template, parameters)
        if body is None:
            return iter(())
        return self._joins.conjunction(template, parameters, body).solutions(UNIT)

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
        """The facts that a rule of one atom derives from facts of it."""
        found = single_heads(template, source, self._terms)
        if found is None:
            return self._joins.heads(template, parameters, [], (template.body[0].of(parameters), source))
        self._meter.gave(found, rule_tuning.COPIED_WORK)
        return found
