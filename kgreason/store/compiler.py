"""From templates over terms to templates over ids: what the engine runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import cast

from kgreason.algebra.cores import core
from kgreason.algebra.expressions.tree import Call, Variable, leaves
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.rules.groups import Column, Constant, Source
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Operation, Slot, Summary, TemplateAtom, operation_variables
from kgreason.program.rule_variables import TYPE, plain_body
from kgreason.program.rules import Aggregate, Argument, Atom, Expression, FactAtom, Rule, TripleAtom
from kgreason.program.safety import ASSERTED
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.relations.codes import CLASS, PROPERTY, auxiliary_code, class_code, kind_of, property_code
from kgreason.store.asserted_triples import name_of

_TRIPLE = 3


@dataclass(slots=True, eq=False, repr=False)
class RelationCodes:
    """The codes of relations by what rules call them; auxiliary ones are numbered as they come."""

    dictionary: Dictionary
    auxiliaries: dict[tuple[str, int], int] = field(default_factory=dict)

    def auxiliary(self, name: str, arity: int) -> int:
        """The code of an auxiliary relation, a new one at first sight; 1-based numbers in order."""
        key = (name, arity)
        if key not in self.auxiliaries:
            self.auxiliaries[key] = auxiliary_code(len(self.auxiliaries) + 1)
        return self.auxiliaries[key]

    def schemes_by_code(self, schemes: Mapping[str, str]) -> dict[int, str]:
        """Schemes by the codes of what has a name: the class and the property of an IRI, auxiliary relations of one or
        two arguments."""
        found: dict[int, str] = {}
        for name, scheme in schemes.items():
            identifier = self.dictionary.encode(IRI(name))
            codes = (class_code(identifier), property_code(identifier), *(self.auxiliary(name, n) for n in (1, 2)))
            found.update(dict.fromkeys(codes, scheme))
        return found

    def of_property(self, predicate: Term) -> int:
        """The binary relation of a property."""
        return property_code(self.dictionary.encode(predicate))

    def of_triple(self, predicate: Term, object_: Argument) -> int:
        """The class of a type triple with a resource as class, otherwise the property."""
        if predicate == TYPE and not isinstance(object_, Literal | TripleTerm):
            assert isinstance(object_, Term)
            return class_code(self.dictionary.encode(object_))
        return self.of_property(predicate)

    def of_asserted(self, atom: TripleAtom) -> tuple[int, tuple[Argument, ...]]:
        """The relation of asserted triples that an atom is about, and its arguments: see
        `kgreason.store.asserted_triples`. Those of rules as they are written come first; once there is one of all
        triples, it serves what is new, so that no change brings a relation whose facts it does not have."""
        is_type = atom.predicate == TYPE and not isinstance(atom.object, Literal | TripleTerm)
        if not isinstance(atom.predicate, Variable) and not (is_type and isinstance(atom.object, Variable)):
            arguments = (atom.subject,) if is_type else (atom.subject, atom.object)
            key = name_of(self.of_triple(atom.predicate, atom.object)), len(arguments)
            if key in self.auxiliaries or (ASSERTED, _TRIPLE) not in self.auxiliaries:
                return self.auxiliary(*key), arguments
        return self.auxiliary(ASSERTED, _TRIPLE), atom.arguments


@dataclass(frozen=True, slots=True)
class Compiled:
    """A template, where its parameters come from, and the variables that it numbers."""

    template: RuleTemplate
    sources: tuple[Source, ...]
    variables: tuple[Variable, ...]

    def constants(self) -> list[int]:
        """The parameters of a rule without columns."""
        return [source.value for source in self.sources if isinstance(source, Constant)]


def compile_rule(rule: Rule, schema: Sequence[Variable], relations: RelationCodes) -> Compiled:
    """Compile a rule without list atoms; `schema` are the variables that the guard row binds, in its order."""
    return _Compiler(rule, schema, relations).compile()


def compile_fact(atom: Atom, relations: RelationCodes) -> tuple[RuleTemplate, tuple[int, ...]]:
    """The template of a rule that has no body, and the parameters of one whose head is an atom without variables."""
    terms = cast("tuple[Term, ...]", atom.arguments)
    if isinstance(atom, FactAtom):
        code = relations.auxiliary(atom.name, len(terms))
    else:
        code = relations.of_triple(*terms[1:])
        terms = terms[:1] if kind_of(code) == CLASS else terms[::2]
    return _fact_template(len(terms)), (code, *map(relations.dictionary.encode, terms))


@cache
def _fact_template(arity: int) -> RuleTemplate:
    head = TemplateAtom(0, tuple(~position for position in range(1, arity + 1)))
    return RuleTemplate(head, (), parameters=arity + 1)


class _Compiler:
    def __init__(self, rule: Rule, schema: Sequence[Variable], relations: RelationCodes) -> None:
        self._rule = rule
        self._columns = {variable: position for position, variable in enumerate(schema)}
        self._relations = relations
        self._sources: list[Source] = []
        self._numbers: dict[Variable, int] = {}

    def compile(self) -> Compiled:
        rule = self._rule
        if rule.aggregates:
            return self._grouping(rule.aggregates[0])
        body = tuple(self._atom(atom) for atom in self._body())
        negated = tuple(self._atom(atom) for atom in rule.negated)
        assignments = tuple((self._number(a.variable), self._operation(a.expression)) for a in rule.assignments)
        operations = [self._operation(expression) for expression in rule.filters]
        # What a filter says of the row of a rule alone is looked at when the row comes.
        on_rows = [each for each in operations if self._columns and not operation_variables(each)]
        filters = tuple(each for each in operations if each not in on_rows)
        compared = zip(rule.filters, operations, strict=True)
        by_value = frozenset(each for expression, each in compared if each in filters and self._is_by_value(expression))
        head = self._atom(rule.heads[0]) if rule.heads else None
        count, is_checked = len(self._sources), self._is_checked()
        template = RuleTemplate(
            head, body, negated, filters, assignments, count, is_checked, (), tuple(on_rows), by_value
        )
        return Compiled(template, tuple(self._sources), tuple(self._numbers))

    def _grouping(self, aggregate: Aggregate) -> Compiled:
        """A grouping rule: see `kgreason.program.aggregation`."""
        source, head = aggregate.body[0], self._rule.heads[0]
        assert isinstance(source, FactAtom)
        body = (self._atom(source), *map(self._atom, plain_body(self._rule)))
        columns = {argument: position for position, argument in enumerate(source.arguments)}
        summaries = tuple(
            Summary(
                value.function,
                -1 if value.argument is None else columns[value.argument],
                tuple(columns[variable] for variable in value.distinct),
                value.separator,
            )
            for value in aggregate.values
        )
        template = RuleTemplate(self._atom(head), body, parameters=len(self._sources), summaries=summaries)
        return Compiled(template, tuple(self._sources), tuple(self._numbers))

    def _body(self) -> Sequence[Atom]:
        """The positive atoms, of a rule with a head without those that others imply."""
        body = plain_body(self._rule)
        if not self._rule.heads:
            return body
        expressions = (*self._rule.filters, *(each.expression for each in self._rule.assignments))
        used = chain(*(atom.arguments for atom in (*self._rule.heads, *self._rule.negated)), *map(leaves, expressions))
        taken = {*used, *self._columns, *(each.variable for each in self._rule.assignments)}
        free = {each for atom in body for each in atom.arguments if isinstance(each, Variable)} - taken
        kept = core([(_relation_of(atom), atom.arguments) for atom in body], free)
        return [body[number] for number in kept]

    def _is_checked(self) -> bool:
        """Whether the subject of the head may be a literal: nothing in the body has it as a subject."""
        if not self._rule.heads or not isinstance(self._rule.heads[0], TripleAtom):
            return False
        subject = self._rule.heads[0].subject
        if not isinstance(subject, Variable) or subject in self._columns:
            return False
        return not any(isinstance(atom, TripleAtom) and atom.subject == subject for atom in self._rule.body)

    def _is_by_value(self, expression: Expression) -> bool:
        """Whether a filter says that two terms differ of which both may be literals."""
        if not isinstance(expression, Call) or expression.function != "!=":
            return False
        return not any(not isinstance(each, Call) and self._is_resource(each) for each in expression.arguments)

    def _is_resource(self, argument: Argument) -> bool:
        """Whether the rule derives nothing where an argument is a literal: it is the subject or the predicate of a
        triple in the body, or of the head, which is checked."""
        if not isinstance(argument, Variable):
            return isinstance(argument, IRI | BlankNode)
        head = self._rule.heads[:1] if self._is_checked() else ()
        atoms = [atom for atom in (*head, *self._rule.body) if isinstance(atom, TripleAtom)]
        return any(argument in (atom.subject, atom.predicate) for atom in atoms)

    def _atom(self, atom: Atom) -> TemplateAtom:
        if isinstance(atom, FactAtom):
            if atom.name == ASSERTED and len(atom.arguments) == _TRIPLE:
                return self._asserted(TripleAtom(*atom.arguments))
            code = self._relations.auxiliary(atom.name, len(atom.arguments))
            return TemplateAtom(self._source(Constant(code)), tuple(map(self._slot, atom.arguments)))
        is_type = atom.predicate == TYPE and not isinstance(atom.object, Literal | TripleTerm)
        named = atom.object if is_type else atom.predicate
        if isinstance(named, Variable):
            relation = self._source(Column(self._columns[named], CLASS if is_type else PROPERTY))
        else:
            assert not isinstance(atom.predicate, Variable)
            relation = self._source(Constant(self._relations.of_triple(atom.predicate, atom.object)))
        arguments = (atom.subject,) if is_type else (atom.subject, atom.object)
        return TemplateAtom(relation, tuple(map(self._slot, arguments)))

    def _asserted(self, atom: TripleAtom) -> TemplateAtom:
        """An atom about asserted triples."""
        code, arguments = self._relations.of_asserted(atom)
        return TemplateAtom(self._source(Constant(code)), tuple(map(self._slot, arguments)))

    def _slot(self, argument: Argument) -> Slot:
        if not isinstance(argument, Variable):
            return ~self._source(Constant(self._relations.dictionary.encode(argument)))
        if argument in self._columns:
            return ~self._source(Column(self._columns[argument]))
        return self._number(argument)

    def _number(self, variable: Variable) -> int:
        return self._numbers.setdefault(variable, len(self._numbers))

    def _source(self, source: Source) -> int:
        self._sources.append(source)
        return len(self._sources) - 1

    def _operation(self, expression: Expression) -> Operation:
        if isinstance(expression, Call):
            parts = (
                self._operation(part) if isinstance(part, Call) else self._slot(part) for part in expression.arguments
            )
            return Call(expression.function, tuple(parts))
        return Call("identity", (self._slot(expression),))


def _relation_of(atom: Atom) -> tuple[str, int]:
    """What an atom is of: an auxiliary relation, or the triples."""
    return (atom.name if isinstance(atom, FactAtom) else "", len(atom.arguments))
