"""From a program and the guard facts that the schema spells out to the rules that the engine runs, as a function.

Adding a rule adds its templates: a plain rule as it is; a rule with schema variables as a guard rule, which the
engine maintains like any other, and a group whose rows are the guard facts. Rules over lists are
unfolded for every length of list that occurs. The whole life of a rule is in `kgreason.engine.rules.groups`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from kgreason.checkpoints import passes
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.engine_state import GuardDelta
from kgreason.engine.rules.groups import RuleGroup
from kgreason.engine.rules.guard_rows import ParameterRows, as_rows, distinct_guards
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.state_rules import Rules
from kgreason.program.aggregation import expanded
from kgreason.program.list_rules import demands, list_variables, sequence_name
from kgreason.program.negation import projected
from kgreason.program.rule_variables import TYPE, substitute
from kgreason.program.rules import FactAtom, Rule
from kgreason.program.safety import asserted_atoms
from kgreason.program.specialisation import Template, templates
from kgreason.relations.codes import CLASS, PROPERTY, property_code
from kgreason.relations.table import Table
from kgreason.store import store_tuning
from kgreason.store.column_operations import Operations
from kgreason.store.compiler import compile_fact, compile_rule
from kgreason.store.specialised_program import PlainRule, RuleEdit, RuleRecord, SpecialisedProgram, unfolded_rules


@dataclass(slots=True, eq=False, repr=False)
class Specialisation:
    """Specialises rules in one change; `program` is the last version that it gave."""

    dictionary: Dictionary
    program: SpecialisedProgram

    def __call__(
        self, program: SpecialisedProgram, rules: Rules, delta: GuardDelta
    ) -> tuple[SpecialisedProgram, Rules]:
        """The next version of the program and of its rules, given what a pass brought."""
        draft = _ProgramDraft(program, rules, delta.sequences, self.dictionary)
        for code, table in delta.added.items():
            for number in rules.guarded[code]:
                draft.add_guards(number, table)
        if delta.lengths:
            draft.unfold_again()
        self.program, rules = draft.versions()
        return self.program, rules

    def edited(
        self, edit: RuleEdit, rules: Rules, sequences: Mapping[int, int]
    ) -> tuple[SpecialisedProgram, Rules]:
        """The program and its rules after an edit; what is new waits to be evaluated."""
        draft = _ProgramDraft(self.program, rules, sequences, self.dictionary)
        draft.remove(edit.removed)
        draft.add(edit.added)
        self.program, rules = draft.versions()
        return self.program, rules


class _RecordDraft:
    """What a rule of the program becomes while it is specialised."""

    def __init__(self, owner: Rule, record: RuleRecord) -> None:
        self.owner = owner
        self.plain = list(record.plain)
        self.groups = list(record.groups)
        self.known = set(record.known)

    def record(self) -> RuleRecord:
        """What it has become."""
        return RuleRecord(tuple(self.plain), tuple(self.groups), frozenset(self.known))


class _ProgramDraft:
    """A program that is being changed, with its rules."""

    def __init__(
        self, program: SpecialisedProgram, rules: Rules, sequences: Mapping[int, int], dictionary: Dictionary
    ) -> None:
        self._rules = RuleDraft(rules)
        self._sequences = sequences
        self._dictionary = dictionary
        self._operations = Operations(dictionary)
        self._type = dictionary.encode(TYPE)
        self._counts = dict(program.counts)
        self._plain = dict(program.plain)
        self._new = defaultdict[tuple[str, RuleTemplate], list[tuple[int, ...]]](list)
        self._records = dict(program.records)
        self._owners = dict(program.owners)
        self._guards = program.guards
        self._relations = program.relations(dictionary)
        names = {(sequence_name(length), length + 1): code for length, code in sequences.items()}
        self._relations.auxiliaries.update(names)

    def versions(self) -> tuple[SpecialisedProgram, Rules]:
        """The rules as they are now."""
        for (name, template), parameters in self._new.items():
            self._rules.add_plain(name, template, np.array(parameters, dtype=np.int64))
        self._new.clear()
        program = SpecialisedProgram(
            self._counts, self._plain, self._records, self._owners, self._guards, self._relations.auxiliaries
        )
        return program, self._rules.rules()

    # -- the program --------------------------------------------------------------------------------------------

    def add(self, rules: Iterable[Rule]) -> None:
        """Add rules; one that is there already is counted."""
        for rule in passes(rules, 32):  # one over schema triples takes more than a millisecond
            self._counts[rule] = count = self._counts.get(rule, 0) + 1
            if count > 1:
                continue
            draft = _RecordDraft(rule, RuleRecord())
            if rule.is_fact:
                for head in rule.heads:
                    self._add_plain(draft, (rule.name, *compile_fact(head, self._relations)))
                self._records[rule] = draft.record()
                continue
            for part in expanded(rule):
                for atom in asserted_atoms(part):
                    self._relations.of_asserted(atom)
                if list_variables(part):
                    self._rules.has_lists = True
                    for demand in demands(part):
                        self._add_templates(draft, demand)
                self._add_unfolded(draft, part)
            self._records[rule] = draft.record()

    def remove(self, rules: Iterable[Rule]) -> None:
        """Remove rules, each as often as it is given; a rule that is not there is ignored."""
        gone = defaultdict[tuple[str, RuleTemplate], list[tuple[int, ...]]](list)
        for rule in passes(rules):
            count = self._counts.get(rule, 0)
            if count > 1:
                self._counts[rule] = count - 1
            elif count:
                del self._counts[rule]
                record = self._records.pop(rule)
                for entry in record.plain:
                    self._plain[entry] -= 1
                    if not self._plain[entry]:
                        del self._plain[entry]
                        gone[entry[:2]].append(entry[2])
                for number in record.groups:
                    self._rules.retire(number)
                    del self._owners[number]
        for (name, template), parameters in gone.items():
            self._rules.remove_plain(name, template, np.array(parameters, dtype=np.int64))

    def unfold_again(self) -> None:
        """Unfold the rules over lists, for lengths that are new."""
        for rule in list(self._counts):
            parts = [part for part in expanded(rule) if any(list_variables(part).values())]
            if parts:
                draft = _RecordDraft(rule, self._records[rule])
                for part in parts:
                    self._add_unfolded(draft, part)
                self._records[rule] = draft.record()

    def _add_unfolded(self, draft: _RecordDraft, rule: Rule) -> None:
        for unfolded in unfolded_rules(rule, sorted(self._sequences)):
            if rule.heads:
                self._add_templates(draft, unfolded)
            else:
                for projection in projected(unfolded)[1]:
                    self._add_templates(draft, projection)

    def _add_templates(self, draft: _RecordDraft, rule: Rule) -> None:
        """Add the templates of a rule that the owner became, unless they are there."""
        if rule in draft.known:
            return
        draft.known.add(rule)
        rule, projections = projected(rule)
        for projection in projections:
            self._add_templates(draft, projection)
        for template in templates(rule):
            if template.schema:
                self._add_guarded(draft, template)
            elif template.universals:
                self._add_universal(draft, template)
            else:
                compiled = compile_rule(template.rule, (), self._relations)
                self._add_plain(draft, (rule.name, compiled.template, tuple(compiled.constants())))

    def _add_plain(self, draft: _RecordDraft, entry: PlainRule) -> None:
        draft.plain.append(entry)
        self._plain[entry] = count = self._plain.get(entry, 0) + 1
        if count == 1:
            self._new[entry[:2]].append(entry[2])

    def _add_guarded(self, draft: _RecordDraft, template: Template) -> None:
        self._guards += 1
        head = FactAtom(f"guard {self._guards}", template.schema)
        name = template.rule.name
        # A guard that only copies a relation needs no facts of its own. Its filters are left to the rows.
        filters = () if _is_copied(template) else template.guard_filters
        self._add_templates(draft, Rule((head,), template.guard, filters=filters, name=name))
        code = self._relations.auxiliary(head.name, len(template.schema))
        self._add_group(draft, template, code)

    def _add_universal(self, draft: _RecordDraft, template: Template) -> None:
        group = self._add_group(draft, template, None)
        self._rules.add_rows(group.number, np.empty((1, 0), dtype=np.int64))

    def _add_group(self, draft: _RecordDraft, template: Template, guard: int | None) -> RuleGroup:
        filters = template.guard_filters if _is_copied(template) else ()
        rule = replace(template.rule, filters=(*filters, *template.rule.filters))
        compiled = compile_rule(rule, (*template.schema, *template.universals), self._relations)
        kinds = tuple(CLASS if template.is_class(variable) else PROPERTY for variable in template.universals)
        group = self._rules.add_group(template.rule.name, compiled.template, guard, compiled.sources, kinds)
        draft.groups.append(group.number)
        self._owners[group.number] = (draft.owner, template)
        return group

    # -- guard facts --------------------------------------------------------------------------------------------

    def add_guards(self, number: int, guards: Table) -> None:
        """Add the rules of guard facts to a group, as far as they have been reached, but for rows that name a literal
        as a class or no IRI as a property.

        Where a row names rdf:type as a property, its rule is about classes, and becomes a template of its own. What is
        only denied may be any term: a relation without a proper name has no facts."""
        owned = self._owners.get(number)
        if owned is None:  # the group was retired in the same change
            return
        group = self._rules.groups[number]
        rows = self._rows_of(guards, group)
        typed = group.have_name(rows, property_code(self._type))
        self._add_typed(*owned, rows[typed & group.are_named(rows, self._operations.names)])
        rows = rows[~typed]
        kept = group.are_named(rows, self._operations.names)
        if self._rules.reached is not None:
            kept &= group.are_reached(rows, self._rules.reached)
        rows = rows[kept]
        rows = rows[group.passes(rows, self._operations.test)]
        if len(rows):
            self._rules.add_rows(number, rows)

    def _rows_of(self, guards: Table, group: RuleGroup) -> ParameterRows:
        """Guard facts as rows: those of a large table only where they may become rules."""
        reached = self._rules.reached
        if reached is None or guards.estimate < store_tuning.GUARD_ROWS or not group.named():
            return as_rows(guards.columns())
        typed = np.array([self._type], dtype=np.uint32)
        found = [group.rows_reached(guards, reached, reached)]
        properties = group.columns_naming(PROPERTY, guards.arity)
        found += [as_rows(guards.lookup({column: typed})[1]) for column in properties]
        return distinct_guards(np.concatenate(found))

    def _add_typed(self, owner: Rule, template: Template, rows: ParameterRows) -> None:
        if not len(rows):
            return
        draft = _RecordDraft(owner, self._records[owner])
        body = tuple(dict.fromkeys((*template.guard, *template.rule.body)))
        rule = replace(template.rule, body=body, filters=(*template.guard_filters, *template.rule.filters))
        for row in rows.tolist():
            values = {v: self._dictionary.decode(term) for v, term in zip(template.schema, row, strict=True)}
            self._add_templates(draft, substitute(rule, dict(values)))
        self._records[owner] = draft.record()


def _is_copied(template: Template) -> bool:
    """Whether the guard is one atom of distinct schema variables, so that its facts are those of a relation."""
    if len(template.guard) != 1:
        return False
    atom = template.guard[0]
    arguments = atom.arguments if isinstance(atom, FactAtom) else (atom.subject, atom.object)
    if not isinstance(atom, FactAtom) and atom.predicate == TYPE:
        arguments = (atom.subject,)
    return len({*arguments}) == len(arguments) and {*arguments} == {*template.schema}
