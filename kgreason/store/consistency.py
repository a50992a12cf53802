"""Integrity conditions, evaluated on demand: which rules are violated, and by which triples; which lists are
defective."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, islice, product
from typing import TypeAlias

import numpy as np

from kgreason.algebra.expressions.tree import Variable, expression_variables
from kgreason.checkpoints import passes
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.facts import Facts
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.rule_inputs import Terms
from kgreason.program.aggregation import Grouping, main_rule
from kgreason.program.list_rules import without_members
from kgreason.program.rule_variables import TYPE, plain_body, relation_variables, substitute
from kgreason.program.rules import Argument, FactAtom, Rule, TripleAtom
from kgreason.program.specialisation import Template, templates
from kgreason.proofs.matching import MEMBERS
from kgreason.rdf.model import IRI, Literal, Term, TripleTerm
from kgreason.relations.codes import CLASS, PROPERTY, identifier_of, kind_of
from kgreason.relations.plain import table_of
from kgreason.relations.table import Columns, Ids, Table
from kgreason.store import store_tuning
from kgreason.store.compiler import RelationCodes, compile_rule
from kgreason.store.condition_rows import ConditionRows
from kgreason.store.defective_lists import LIST
from kgreason.store.gathered_facts import GatheredFacts, gathering
from kgreason.store.state import Configuration, State, describer

Triple: TypeAlias = tuple[Term, Term, Term]
Values: TypeAlias = Mapping[Variable, Term]
Groups: TypeAlias = dict[str, tuple[tuple[Variable, ...], list[Rule]]]
"""By the names of the relations of their results, the groups of aggregates, and the bodies that these are of."""


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """The name of a rule that derives a contradiction, and the triples that it derives it from: of a group that an
    aggregate of the rule has, the first ones.

    A list that is cut off or cyclic is reported under the name "list". Its triples are those of the axioms that name
    it, which have no effect, and those of the list as far as it goes; its `reason` says where it breaks. The `reason`
    of a rule is empty.
    """

    rule: str
    triples: tuple[Triple, ...]
    reason: str = ""

    def __str__(self) -> str:
        name = f"{self.rule}: {self.reason}" if self.reason else self.rule
        return f"{name}: " + "; ".join(" ".join(map(str, triple)) for triple in self.triples)


def find_inconsistencies(state: State, configuration: Configuration, known: ConditionRows) -> list[Inconsistency]:
    """Every violation once, whichever way round its triples come, in the order of the rules; then defective lists.

    What is `known` of states with the same tables, before or in a branch, is not evaluated again.
    """
    dictionary, program = configuration.dictionary, state.program
    facts, sequences = state.engine.facts, state.engine.sequences
    terms, groups = configuration.engine.terms, _members(state)
    search = _Search(facts, program.relations(dictionary), dictionary, terms, groups, known)
    found: dict[tuple[str, frozenset[Triple]], Inconsistency] = {}
    for rule in program.constraints(sequences):
        for violation in search.violations(rule):
            found.setdefault((violation.rule, frozenset(violation.triples)), violation)
    return [*found.values(), *_defective_lists(state, configuration)]


def _members(state: State) -> Groups:
    """The aggregates of integrity conditions."""
    found: Groups = {}
    for aggregate in (aggregate for rule in state.program.counts if not rule.heads for aggregate in rule.aggregates):
        inner = state.program.unfolded(main_rule(aggregate.deriving()), state.engine.sequences)
        found[Grouping.of(aggregate).result.name] = aggregate.group, [*inner]
    return found


def _defective_lists(state: State, configuration: Configuration) -> Iterator[Inconsistency]:
    words = describer(state, configuration)
    for place in configuration.lists.breaks(state.engine.facts.get):
        found = words.describe(place)
        yield Inconsistency(LIST, (*found.axioms, *found.cells), str(found))


class _Search:
    def __init__(
        self,
        facts: Facts,
        relations: RelationCodes,
        dictionary: Dictionary,
        terms: Terms,
        groups: Groups,
        known: ConditionRows,
    ) -> None:
        self._facts = facts
        self._groups = groups
        self._relations = relations
        self._dictionary = dictionary
        self._terms = terms
        self._known = known

    def violations(self, rule: Rule) -> Iterator[Inconsistency]:
        """The violations of an integrity condition."""
        for instance, values in self._solutions(rule):
            triples = [*_triples(instance, values), *self._members_of(instance, values)]
            yield Inconsistency(rule.name, tuple(dict.fromkeys(triples)))

    def _solutions(self, rule: Rule) -> Iterator[tuple[Rule, Values]]:
        """All that satisfies the body of a rule."""
        for template in templates(rule):
            whole = _whole(template)
            if self._has_many(template, whole):
                yield from self._decoded(whole, self._rows(gathering(whole)))
                for variable in _properties(whole, template.schema):  # type triples are not among the triples
                    yield from self._solutions(substitute(whole, {variable: TYPE}))
                continue
            for instance in self._instances_of(template, whole):
                yield from self._decoded(instance, self._rows(instance))

    def _decoded(
        self, instance: Rule, found: Iterable[tuple[dict[Variable, Ids], int]]
    ) -> Iterator[tuple[Rule, Values]]:
        for columns, length in found:
            rows = {variable: column.tolist() for variable, column in columns.items()}
            for number in passes(range(length)):
                yield instance, {variable: self._dictionary.decode(row[number]) for variable, row in rows.items()}

    def _members_of(self, instance: Rule, values: Values) -> Iterator[Triple]:
        """The triples that the first members rest on of the groups that satisfy a body."""
        for atom in instance.body:
            if isinstance(atom, FactAtom) and atom.name in self._groups:
                group, bodies = self._groups[atom.name]
                arguments = [_value(argument, values) for argument in atom.arguments[: len(group)]]
                for body in bodies:
                    plain = replace(body, body=without_members(body))
                    members = self._solutions(substitute(plain, dict(zip(group, arguments, strict=True))))
                    for member, inner in islice(members, MEMBERS):
                        yield from _triples(member, inner)

    def _instances(self, rule: Rule) -> Iterator[Rule]:
        """The rule for each choice of the relations that its atoms leave open."""
        for template in templates(rule):
            yield from self._instances_of(template, _whole(template))

    def _instances_of(self, template: Template, whole: Rule) -> Iterator[Rule]:
        for values in self._bindings(template, whole):
            instance = _with_values(whole, values)
            if instance is None:
                continue
            if any(relation_variables(atom) for atom in (*instance.body, *instance.negated)):
                yield from self._instances(instance)
            else:
                yield instance

    def _has_many(self, template: Template, whole: Rule) -> bool:
        """Whether so many relations come into question that their facts are to be gathered."""
        guard = _guard(template, whole)
        if template.universals or not template.schema or any(map(relation_variables, guard.body)):
            return False
        counts = accumulate(length for _, length in self._rows(guard))
        return any(count > store_tuning.GATHERED_LEAST for count in counts)

    def _bindings(self, template: Template, whole: Rule) -> Iterator[dict[Variable, Term]]:
        """Values for the variables that name relations: those that satisfy the guard and all atoms whose relations are
        known."""
        guards: set[tuple[Term, ...]] = {()}
        if template.schema:
            guards = self._answers(_guard(template, whole))
        named = [self._relation_terms(variable, template, whole) for variable in template.universals]
        for row in guards:
            for universal in product(*named):
                yield dict(zip((*template.schema, *template.universals), (*row, *universal), strict=True))

    def _answers(self, rule: Rule) -> set[tuple[Term, ...]]:
        """The arguments of the head for everything that satisfies the body."""
        found: set[tuple[Term, ...]] = set()
        decode = self._dictionary.decode
        for instance in self._instances(rule):
            for columns, length in self._rows(instance):
                parts = [
                    columns[part].tolist() if isinstance(part, Variable) else [part] * length
                    for part in instance.heads[0].arguments
                ]
                rows = zip(*parts, strict=True)
                found.update(tuple(decode(v) if isinstance(v, int) else v for v in row) for row in passes(rows))
        return found

    def _relation_terms(self, variable: Variable, template: Template, whole: Rule) -> list[Term]:
        """The classes or properties with facts that a universal variable can stand for, by the filters about it."""
        classes = template.is_class(variable)
        kind = CLASS if classes else PROPERTY
        ids = np.array([identifier_of(code) for code in self._facts if kind_of(code) == kind], dtype=np.uint32)
        filters = tuple(each for each in whole.filters if {*expression_variables(each)} == {variable})
        if filters and len(ids):
            rule = Rule((), (FactAtom("named", (variable,)),), filters=filters)
            compiled, table = compile_rule(rule, (), self._relations), table_of((ids,))
            found = Evaluation(lambda _: table, self._terms).matches(compiled.template, compiled.constants())
            ids = np.concatenate([ids[:0], *(rows.columns[0] for rows in found)])
        terms = map(self._dictionary.decode, ids.tolist())
        return [term for term in terms if classes or term != TYPE]

    def _rows(self, rule: Rule) -> Iterator[tuple[dict[Variable, Ids], int]]:
        """The solutions of the body of a rule, as columns of its variables, a bounded number of rows at a time."""
        compiled = compile_rule(rule, (), self._relations)

        def evaluate(read: Callable[[int], Table | None]) -> Iterator[tuple[Columns, int]]:
            evaluation = Evaluation(GatheredFacts(compiled, self._relations, read).get, self._terms)
            for rows in evaluation.matches(compiled.template, compiled.constants()):
                yield tuple(rows.columns[number] for number in range(len(compiled.variables))), rows.length

        for columns, length in self._known.of((rule, compiled), self._facts, evaluate):
            yield dict(zip(compiled.variables, columns, strict=True)), length


def _whole(template: Template) -> Rule:
    """The rule of a template, with its guard."""
    body = tuple(dict.fromkeys((*template.guard, *template.rule.body)))
    return replace(template.rule, body=body, filters=(*template.guard_filters, *template.rule.filters))


def _properties(rule: Rule, variables: Iterable[Variable]) -> list[Variable]:
    """Those of some variables that stand for properties."""
    atoms = (*rule.body, *rule.negated)
    named = {atom.predicate for atom in atoms if isinstance(atom, TripleAtom)}
    return [variable for variable in variables if variable in named]


def _guard(template: Template, whole: Rule) -> Rule:
    """The guard with all atoms whose relations are known, which may be satisfied far less often: it alone is by any two
    members of any list, say."""
    closed = [atom for atom in plain_body(whole) if not relation_variables(atom)]
    body = tuple(dict.fromkeys((*template.guard, *closed)))
    bound = {argument for atom in body for argument in atom.arguments if isinstance(argument, Variable)}
    filters = tuple(each for each in whole.filters if bound.issuperset(expression_variables(each)))
    return Rule((FactAtom("guard", template.schema),), body, filters=filters)


def _value(argument: Argument, values: Values) -> Term:
    return values[argument] if isinstance(argument, Variable) else argument


def _triples(rule: Rule, values: Values) -> Iterator[Triple]:
    """The triples of a body."""
    for atom in rule.body:
        if isinstance(atom, TripleAtom):
            yield _value(atom.subject, values), _value(atom.predicate, values), _value(atom.object, values)


def _with_values(rule: Rule, values: dict[Variable, Term]) -> Rule | None:
    """The rule with relations put in, without what it denies of no proper relation; None when it asks for one."""
    found = substitute(rule, values)
    if not all(map(_is_proper, rule.body, found.body)):
        return None
    denied = zip(rule.negated, found.negated, strict=True)
    return replace(found, negated=tuple(atom for open_atom, atom in denied if _is_proper(open_atom, atom)))


def _is_proper(before: object, atom: object) -> bool:
    """Whether the values that were put into an atom are IRIs and resources where they must be."""
    if not isinstance(atom, TripleAtom):
        return True
    names_class = bool(relation_variables(before)) and atom.predicate == TYPE
    if names_class and isinstance(atom.object, Literal | TripleTerm):
        return False
    return not isinstance(atom.subject, Literal | TripleTerm) and isinstance(atom.predicate, IRI | Variable)
