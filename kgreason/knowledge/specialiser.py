"""Keeps the engine's rules in step with the program and with the schema that the facts spell out.

Adding a rule adds its templates: a plain rule as it is; a rule with schema variables as a guard rule, which the
engine maintains like any other, and a family whose rows are the guard facts. Rules over lists are
unfolded for every length of list that occurs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

import numpy as np

from kgreason.datalog.model import FactAtom, Rule, TripleAtom, Variable
from kgreason.datalog.negation import projected
from kgreason.datalog.specialise import (
    LIST_DEMAND,
    LIST_ITEM,
    SEQUENCE_DEMAND,
    TYPE,
    Template,
    demands,
    list_variables,
    sequence_name,
    substitute,
    templates,
    unfold,
)
from kgreason.engine.engine import Engine
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.rules.families import Family, ParameterRows
from kgreason.engine.rules.shapes import Shape
from kgreason.knowledge.compiler import Relations, compile_rule
from kgreason.schemes.relations import CLASS, PROPERTY
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.keys import IRI_KIND, LITERAL_KIND
from kgreason.terms.model import IRI, Literal
from kgreason.terms.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST, XSD_INTEGER

PlainRule: TypeAlias = tuple[str, Shape, tuple[int, ...]]
"""Name, shape and parameters of a rule that needs no specialisation."""


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """What a rule of the program became; `known` are the unfolded and typed rules that were seen to already.

    Immutable, so that a snapshot of all records, which every change of an axiom takes, copies none of them.
    """

    plain: tuple[PlainRule, ...] = ()
    families: tuple[Family, ...] = ()
    known: frozenset[Rule] = frozenset()


@dataclass(frozen=True, slots=True)
class SpecialiserState:
    """A snapshot, for `restore`."""

    counts: Counter[Rule]
    plain: Counter[PlainRule]
    records: dict[Rule, RuleRecord]
    owners: dict[Family, tuple[Rule, Template]]
    guards: int


class Specialiser:
    """The program's rules, and what they became in the engine. Implements the engine's RuleSource."""

    def __init__(self, engine: Engine, dictionary: Dictionary) -> None:
        self._engine = engine
        self._dictionary = dictionary
        self.type_id = dictionary.encode(TYPE)
        self._counts: Counter[Rule] = Counter()
        self._plain: Counter[PlainRule] = Counter()
        self._records: dict[Rule, RuleRecord] = {}
        self._owners: dict[Family, tuple[Rule, Template]] = {}
        self._guards = 0
        self.relations = Relations(dictionary)
        self._lists = self._make_lists()

    def _make_lists(self) -> ListModule:
        relations, dictionary = self.relations, self._dictionary
        return ListModule(
            first=relations.of_property(IRI(RDF_FIRST)),
            rest=relations.of_property(IRI(RDF_REST)),
            nil=dictionary.encode(IRI(RDF_NIL)),
            demand=relations.auxiliary(LIST_DEMAND, 1),
            sequence_demand=relations.auxiliary(SEQUENCE_DEMAND, 1),
            item=relations.auxiliary(LIST_ITEM, 3),
            new_relation=lambda arity: relations.auxiliary(sequence_name(arity - 1), arity),
            integer=lambda number: dictionary.encode(Literal(str(number), XSD_INTEGER)),
        )

    # -- the program --------------------------------------------------------------------------------------------

    @property
    def rules(self) -> list[Rule]:
        """The rules of the program, each once."""
        return list(self._counts)

    @property
    def counts(self) -> dict[Rule, int]:
        """How often each rule was added."""
        return dict(self._counts)

    @property
    def lists(self) -> ListModule:
        """The module for lists, whether the engine has it or not."""
        return self._lists

    def list_atoms(self) -> list[tuple[TripleAtom, Variable]]:
        """The atoms by which rules name lists, each with its variable for the list: O(rules)."""
        found: dict[tuple[TripleAtom, Variable], None] = {}
        for rule in self._counts:
            for demand in demands(rule):
                variable, atom = demand.heads[0].arguments[0], demand.body[0]
                assert isinstance(variable, Variable)
                assert isinstance(atom, TripleAtom)
                found[atom, variable] = None
        return list(found)

    def owner(self, family: Family, head: int) -> Rule | None:
        """The rule of the program that became one of a family with this head: O(rules)."""
        if family in self._owners:
            return self._owners[family][0]
        atom = family.shape.head
        for rule, record in self._records.items():
            for name, shape, parameters in record.plain:
                if (name, shape) == (family.name, family.shape) and atom and parameters[atom.relation] == head:
                    return rule
        return None

    def add(self, rules: Iterable[Rule]) -> None:
        """Add rules; one that is there already is counted."""
        for rule in rules:
            self._counts[rule] += 1
            if self._counts[rule] == 1:
                self._records[rule] = RuleRecord()
                if list_variables(rule):
                    self._engine.lists = self._lists
                    for demand in demands(rule):
                        self._add_templates(rule, demand)
                self._add_unfolded(rule)

    def remove(self, rules: Iterable[Rule]) -> None:
        """Remove rules, each as often as it is given; a rule that is not there is ignored."""
        for rule in rules:
            if not self._counts[rule]:
                del self._counts[rule]
                continue
            self._counts[rule] -= 1
            if not self._counts[rule]:
                del self._counts[rule]
                record = self._records.pop(rule)
                for entry in record.plain:
                    self._remove_plain(entry)
                for family in record.families:
                    self._engine.retire_family(family)
                    del self._owners[family]

    def replace(self, rules: Mapping[Rule, int]) -> None:
        """Add and remove rules until there are these, each so many times."""
        known = self.counts
        for rule in known:
            missing = rules.get(rule, 0) - known.get(rule, 0)
            self.remove([rule] * -missing)
        for rule, count in rules.items():
            self.add([rule] * (count - known.get(rule, 0)))

    def constraints(self) -> Iterator[Rule]:
        """The integrity conditions, unfolded for the lists that there are."""
        for rule in self._counts:
            if not rule.heads:
                yield from (projected(unfolded)[0] for unfolded in self._unfolded(rule))

    def _unfolded(self, rule: Rule) -> Iterator[Rule]:
        names = [variable for variable, sequences in list_variables(rule).items() if sequences]
        for lengths in product(sorted(self._lists.sequences), repeat=len(names)):
            yield unfold(rule, dict(zip(names, lengths, strict=True)))

    def _add_unfolded(self, rule: Rule) -> None:
        for unfolded in self._unfolded(rule):
            if rule.heads:
                self._add_templates(rule, unfolded)
            else:
                for projection in projected(unfolded)[1]:
                    self._add_templates(rule, projection)

    def _add_templates(self, owner: Rule, rule: Rule) -> None:
        """Add the templates of a rule that the owner became, unless they are there."""
        record = self._records[owner]
        if rule in record.known:
            return
        self._records[owner] = replace(record, known=record.known | {rule})
        rule, projections = projected(rule)
        for projection in projections:
            self._add_templates(owner, projection)
        for template in templates(rule):
            if template.schema:
                self._add_guarded(owner, template)
            elif template.universals:
                self._add_universal(owner, template)
            else:
                compiled = compile_rule(template.rule, (), self.relations)
                self._add_plain(owner, (rule.name, compiled.shape, tuple(compiled.constants())))

    def _add_plain(self, owner: Rule, entry: PlainRule) -> None:
        record = self._records[owner]
        self._records[owner] = replace(record, plain=(*record.plain, entry))
        self._plain[entry] += 1
        if self._plain[entry] == 1:
            self._engine.add_rules(entry[0], entry[1], np.array([entry[2]], dtype=np.int64))

    def _remove_plain(self, entry: PlainRule) -> None:
        self._plain[entry] -= 1
        if not self._plain[entry]:
            del self._plain[entry]
            self._engine.remove_rules(entry[0], entry[1], np.array([entry[2]], dtype=np.int64))

    def _add_guarded(self, owner: Rule, template: Template) -> None:
        self._guards += 1
        head = FactAtom(f"guard {self._guards}", template.schema)
        name = template.rule.name
        self._add_templates(owner, Rule((head,), template.guard, filters=template.guard_filters, name=name))
        code = self.relations.auxiliary(head.name, len(template.schema))
        self._add_family(owner, template, code)

    def _add_universal(self, owner: Rule, template: Template) -> None:
        family = self._add_family(owner, template, None)
        family.add(np.empty((1, 0), dtype=np.int64))

    def _add_family(self, owner: Rule, template: Template, guard: int | None) -> Family:
        compiled = compile_rule(template.rule, (*template.schema, *template.universals), self.relations)
        kinds = tuple(CLASS if template.is_class(variable) else PROPERTY for variable in template.universals)
        family = Family(template.rule.name, compiled.shape, guard, compiled.sources, kinds)
        self._engine.add_family(family)
        record = self._records[owner]
        self._records[owner] = replace(record, families=(*record.families, family))
        self._owners[family] = (owner, template)
        return family

    # -- what the engine asks -----------------------------------------------------------------------------------

    def admit(self, family: Family, rows: ParameterRows) -> ParameterRows:
        """Drop rows that name a literal as a class or no IRI as a property; where one names rdf:type as a
        property, its rule is about classes, and becomes a template of its own. What is only denied may be any
        term: a relation without a proper name has no facts."""
        owner, template = self._owners[family]
        kept = np.ones(len(rows), dtype=np.bool_)
        affirmed, denied = family.relation_columns()
        for column, kinds in affirmed.items():
            if column < rows.shape[1]:
                terms = self._dictionary.kinds(rows[:, column].astype(np.uint32))
                kept &= (terms == IRI_KIND) if PROPERTY in kinds else (terms != LITERAL_KIND)
        for column in {*affirmed, *denied}:
            if column < rows.shape[1] and PROPERTY in affirmed.get(column, set()) | denied.get(column, set()):
                typed = kept & (rows[:, column] == self.type_id)
                for row in rows[typed].tolist():
                    self._add_typed(owner, template, row)
                kept &= ~typed
        return rows[kept]

    def _add_typed(self, owner: Rule, template: Template, row: list[int]) -> None:
        values = {v: self._dictionary.decode(term) for v, term in zip(template.schema, row, strict=True)}
        body = tuple(dict.fromkeys((*template.guard, *template.rule.body)))
        filters = (*template.guard_filters, *template.rule.filters)
        self._add_templates(owner, substitute(replace(template.rule, body=body, filters=filters), dict(values)))

    def sequences_found(self, lengths: tuple[int, ...]) -> None:
        """Unfold the rules over lists for new lengths."""
        for rule in list(self._counts):
            if any(list_variables(rule).values()):
                self._add_unfolded(rule)

    # -- going back ---------------------------------------------------------------------------------------------

    def state(self) -> SpecialiserState:
        """A snapshot: O(rules)."""
        records, owners = dict(self._records), dict(self._owners)
        return SpecialiserState(self._counts.copy(), self._plain.copy(), records, owners, self._guards)

    def restore(self, state: SpecialiserState) -> None:
        """Go back to a snapshot."""
        self._counts, self._plain = state.counts.copy(), state.plain.copy()
        self._records = dict(state.records)
        self._owners, self._guards = dict(state.owners), state.guards

