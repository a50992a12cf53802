"""Integrity conditions, evaluated when somebody asks: which rules are violated, and by which triples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

import numpy as np

from kgreason.datalog.model import Rule, TripleAtom, Variable
from kgreason.datalog.specialise import TYPE, Template, substitute, templates
from kgreason.engine.bindings import Rows
from kgreason.engine.engine import Engine
from kgreason.engine.evaluation import Evaluation, Terms
from kgreason.knowledge.compiler import Relations, compile_rule
from kgreason.knowledge.specialiser import Specialiser
from kgreason.schemes.relations import CLASS, PROPERTY, identifier_of, kind_of
from kgreason.schemes.scheme import Ids
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.model import IRI, Literal, Term

Triple: TypeAlias = tuple[Term, Term, Term]


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """The name of a rule that derives a contradiction, and the triples that it derives it from."""

    rule: str
    triples: tuple[Triple, ...]

    def __str__(self) -> str:
        return f"{self.rule}: " + "; ".join(" ".join(map(str, triple)) for triple in self.triples)


def find_inconsistencies(
    engine: Engine, specialiser: Specialiser, dictionary: Dictionary, terms: Terms
) -> list[Inconsistency]:
    """Every violation once, whichever way round its triples come, in the order of the rules."""
    search = _Search(engine, specialiser.relations, dictionary, terms)
    found: dict[tuple[str, frozenset[Triple]], Inconsistency] = {}
    for rule in specialiser.constraints():
        for template in templates(rule):
            for violation in search.violations(template):
                found.setdefault((violation.rule, frozenset(violation.triples)), violation)
    return list(found.values())


class _Search:
    def __init__(self, engine: Engine, relations: Relations, dictionary: Dictionary, terms: Terms) -> None:
        self._facts = engine.facts
        self._relations = relations
        self._dictionary = dictionary
        self._evaluation = Evaluation(engine.facts.get, terms)

    def violations(self, template: Template) -> Iterator[Inconsistency]:
        """The violations of one template, guard row by guard row."""
        whole = replace(
            template.rule,
            body=tuple(dict.fromkeys((*template.guard, *template.rule.body))),
            filters=(*template.guard_filters, *template.rule.filters),
        )
        for values in self._bindings(template):
            yield from self._violations(substitute(whole, values))

    def _bindings(self, template: Template) -> Iterator[dict[Variable, Term]]:
        guards: list[tuple[Term, ...]] = [()]
        if template.schema:
            guard = Rule((), template.guard, filters=template.guard_filters)
            columns, _ = self._rows(guard)
            rows = np.stack([columns[variable] for variable in template.schema], axis=1)
            guards = [tuple(map(self._dictionary.decode, row)) for row in np.unique(rows, axis=0).tolist()]
        for row in guards:
            named = [self._relation_terms(template.is_class(variable)) for variable in template.universals]
            for universal in product(*named):
                values = dict(zip((*template.schema, *template.universals), (*row, *universal), strict=True))
                yield values

    def _relation_terms(self, classes: bool) -> list[Term]:
        kind = CLASS if classes else PROPERTY
        return [self._dictionary.decode(identifier_of(code)) for code in self._facts if kind_of(code) == kind]

    def _violations(self, rule: Rule) -> Iterator[Inconsistency]:
        if not _is_proper(rule):
            return
        if any(isinstance(atom, TripleAtom) and isinstance(atom.object, Variable) and atom.predicate == TYPE
               for atom in rule.body):  # fmt: skip
            for template in templates(rule):
                yield from self.violations(template)
            return
        columns, length = self._rows(rule)
        atoms = [atom for atom in rule.body if isinstance(atom, TripleAtom)]
        decode = self._dictionary.decode
        rows = {variable: column.tolist() for variable, column in columns.items()}
        for number in range(length):
            triples = [
                tuple(decode(rows[part][number]) if isinstance(part, Variable) else part for part in atom.arguments)
                for atom in atoms
            ]
            yield Inconsistency(rule.name, tuple(dict.fromkeys(triples)))  # type: ignore[arg-type]

    def _rows(self, rule: Rule) -> tuple[dict[Variable, Ids], int]:
        compiled = compile_rule(rule, (), self._relations)
        rows: Rows = self._evaluation.matches(compiled.shape, compiled.constants())
        none: Ids = np.empty(0, dtype=np.uint32)
        columns = {variable: rows.columns.get(i, none) for i, variable in enumerate(compiled.variables)}
        return columns, rows.length


def _is_proper(rule: Rule) -> bool:
    """Whether the values that were put into a rule are IRIs and resources where they must be."""
    for atom in (*rule.body, *rule.negated):
        if isinstance(atom, TripleAtom) and (isinstance(atom.subject, Literal) or not isinstance(atom.predicate, IRI)):
            return False
    return True
