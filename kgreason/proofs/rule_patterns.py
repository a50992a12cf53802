"""The rules of a program with their constants as ids, found by the facts that their heads may give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from kgreason.algebra.expressions.tree import Variable, expression_variables
from kgreason.dictionary.dictionary import Dictionary
from kgreason.program.aggregation import Grouping
from kgreason.program.list_rules import local_variables
from kgreason.program.rules import (
    Aggregate,
    Argument,
    BodyAtom,
    Every,
    Expression,
    FactAtom,
    Member,
    Path,
    Rule,
    TripleAtom,
)
from kgreason.proofs.steps import TRIPLE
from kgreason.rdf.model import IRI, Literal, TripleTerm
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST, RDF_TYPE

IdArgument: TypeAlias = int | Variable
Binding: TypeAlias = Mapping[Variable, int]


@dataclass(frozen=True, slots=True)
class Pattern:
    """An atom over ids. `is_open` says that a variable stands for its relation: it sees no literal as a class."""

    relation: str
    arguments: tuple[IdArgument, ...]
    is_open: bool = False

    def put(self, binding: Binding) -> tuple[int | None, ...]:
        """The arguments with the values of variables, None where there is none yet."""
        return tuple(binding.get(part) if isinstance(part, Variable) else part for part in self.arguments)

    def unify(self, arguments: tuple[int | None, ...], binding: Binding) -> dict[Variable, int] | None:
        """The binding extended so that the pattern gives the arguments, as far as these are known; None where it
        cannot."""
        if len(arguments) != len(self.arguments):
            return None
        extended = dict(binding)
        for part, value in zip(self.arguments, arguments, strict=True):
            if value is None:
                continue
            known = extended.setdefault(part, value) if isinstance(part, Variable) else part
            if known != value:
                return None
        return extended


@dataclass(frozen=True, slots=True)
class EveryPattern:
    """``every(?m, ?l, ...)``; `local` are the variables that may differ from member to member, ?m among them."""

    member: Variable
    list: Variable
    atoms: tuple[Pattern, ...]
    local: frozenset[Variable]


@dataclass(frozen=True, slots=True)
class MemberPattern:
    """``member(?l, ?i, ?x)``, the place and the member as a pattern of the two."""

    list: Variable
    entry: Pattern


@dataclass(frozen=True, slots=True)
class PathPattern:
    """``path(?x, ?l, ?y)``."""

    start: IdArgument
    list: Variable
    end: IdArgument


@dataclass(frozen=True, slots=True, eq=False)
class AggregatePattern:
    """An aggregate by the facts of its auxiliary relations (`kgreason.program.aggregation`): `result` has its groups
    and their values, `bindings` their members; `inner` is its body as a rule."""

    aggregate: Aggregate
    result: Pattern
    bindings: Pattern
    inner: IdRule


ListPattern: TypeAlias = EveryPattern | MemberPattern | PathPattern
Part: TypeAlias = Pattern | ListPattern | AggregatePattern


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A filter, or an assignment to `variable`, to be evaluated when `inputs` have values; the same as itself only."""

    expression: Expression
    inputs: frozenset[Variable]
    variable: Variable | None = None


@dataclass(frozen=True, slots=True, eq=False)
class IdRule:
    """A rule with its constants as ids, the aggregates last in its body; the same as itself only."""

    rule: Rule
    heads: tuple[Pattern, ...]
    body: tuple[Part, ...]
    negated: tuple[Pattern, ...]
    checks: tuple[Check, ...]


class Vocabulary:
    """The ids of the terms that have a meaning of their own, and patterns over ids."""

    def __init__(self, terms: Dictionary) -> None:
        self.terms = terms
        self.type = terms.encode(IRI(RDF_TYPE))
        self.first = terms.encode(IRI(RDF_FIRST))
        self.rest = terms.encode(IRI(RDF_REST))
        self.nil = terms.encode(IRI(RDF_NIL))

    def has_no_class(self, relation: str, arguments: tuple[int | None, ...]) -> bool:
        """Whether a literal or triple term stands for its class: variables in the place of classes do not see it."""
        if relation != TRIPLE or arguments[1] != self.type or arguments[2] is None:
            return False
        return isinstance(self.terms.decode(arguments[2]), Literal | TripleTerm)

    def argument(self, argument: Argument) -> IdArgument:
        """A variable as it is, a term as its id."""
        return argument if isinstance(argument, Variable) else self.terms.encode(argument)

    def pattern(self, atom: TripleAtom | FactAtom) -> Pattern:
        """An atom over ids."""
        arguments = tuple(map(self.argument, atom.arguments))
        if isinstance(atom, FactAtom):
            return Pattern(atom.name, arguments)
        names_class = arguments[1] == self.type and isinstance(atom.object, Variable)
        return Pattern(TRIPLE, arguments, names_class or isinstance(atom.predicate, Variable))

    def part(self, rule: Rule, atom: BodyAtom) -> Part:
        """A body atom over ids."""
        match atom:
            case Member():
                entry = Pattern(TRIPLE, (atom.index, self.argument(atom.member)))
                return MemberPattern(atom.list, entry)
            case Every():
                local = frozenset({*local_variables(rule, atom), atom.member})
                return EveryPattern(atom.member, atom.list, tuple(map(self.pattern, atom.atoms)), local)
            case Path():
                return PathPattern(self.argument(atom.start), atom.list, self.argument(atom.end))
            case _:
                return self.pattern(atom)

    def rule(self, rule: Rule) -> IdRule:
        """A rule over ids."""
        checks = [Check(part.expression, _inputs(part.expression), part.variable) for part in rule.assignments]
        checks += [Check(expression, _inputs(expression)) for expression in rule.filters]
        return IdRule(
            rule,
            tuple(map(self.pattern, rule.heads)),
            (*(self.part(rule, atom) for atom in rule.body), *map(self._aggregate, rule.aggregates)),
            tuple(map(self.pattern, rule.negated)),
            tuple(checks),
        )


    def _aggregate(self, aggregate: Aggregate) -> AggregatePattern:
        grouping = Grouping.of(aggregate)
        patterns = self.pattern(grouping.result), self.pattern(grouping.bindings)
        return AggregatePattern(aggregate, *patterns, self.rule(aggregate.deriving()))


def _inputs(expression: Expression) -> frozenset[Variable]:
    return frozenset(expression_variables(expression))


class RulesByHead:
    """The rules by what their heads may give; a rule is taken over into ids when something first asks for it."""

    def __init__(self, rules: Iterable[Rule], vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._rules = list(rules)
        self._known: dict[int, IdRule] = {}
        self._by_head: dict[tuple[str, int | None], dict[int, None]] = {}
        for number, rule in enumerate(self._rules):
            for head in rule.heads:
                self._by_head.setdefault(self._key(vocabulary.pattern(head)), {})[number] = None

    def giving(
        self, relation: str, arguments: tuple[int | None, ...]
    ) -> Iterator[tuple[IdRule, Pattern, dict[Variable, int]]]:
        """The rules that may give facts with these arguments, as far as they are known, each with its head and what
        they say about its variables."""
        keys = [(relation, arguments[1]), (relation, None)] if relation == TRIPLE else [(relation, None)]
        hidden = self.vocabulary.has_no_class(relation, arguments)
        for number in (number for key in keys for number in self._by_head.get(key, ())):
            rule = self._known.get(number)
            if rule is None:
                rule = self._known[number] = self.vocabulary.rule(self._rules[number])
            for head in rule.heads:
                binding = head.unify(arguments, {}) if head.relation == relation else None
                if binding is not None and not (hidden and head.is_open):
                    yield rule, head, binding

    @staticmethod
    def _key(head: Pattern) -> tuple[str, int | None]:
        predicate = head.arguments[1] if head.relation == TRIPLE else None
        return head.relation, None if isinstance(predicate, Variable) else predicate
