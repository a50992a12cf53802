"""A Program as a text in SPARQL-RL, as far as the language goes.

Written are rules over triples, with filters, assignments, negation, and functions of ours as ``<urn:kgreason:NAME>``. A
relation that is no triple is written where it is denied, as what derives it. Rules that cannot be written are named by
comments with the reason: list atoms, aggregates, integrity conditions, other relations, blank nodes in bodies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kgreason.algebra.expressions.function_table import NAMESPACE
from kgreason.algebra.expressions.tree import OPERATORS, Call, Variable, expression_variables, with_leaves
from kgreason.program.rule_variables import TYPE, any_variables
from kgreason.program.rules import Argument, Atom, Expression, FactAtom, Program, Rule, TripleAtom
from kgreason.program.safety import ASSERTED
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.sparql.syntax.builtins import ARITIES, name_of
from kgreason.sparql_rl.bodies import SEED

_LOCAL: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_FUNCTIONS: Final = frozenset(map(name_of, ARITIES))
_SIGNS: Final = {"!": "!", "u-": "-", "u+": "+"}
_SETS: Final = {"in": "IN", "notin": "NOT IN"}


@dataclass(frozen=True, slots=True)
class Written:
    """A rule set as text, and the rules that it does not have, each with the reason."""

    text: str
    left_out: tuple[tuple[Rule, str], ...]


class _UnwritableError(Exception):
    """A rule that the language has no words for; the reason in words."""


def write_rule_set(program: Program) -> Written:
    """The rule set of a program: O(its size)."""
    writer = _Writer(program.prefixes, _derivations(program.rules))
    blocks = [f"PREFIX {name}: <{iri}>" for name, iri in program.prefixes.items()]
    left_out: list[tuple[Rule, str]] = []
    for rule in program.rules:
        if _is_helper(rule):
            continue
        try:
            block = writer.rule(rule)
        except _UnwritableError as error:
            left_out.append((rule, str(error)))
            block = f"# {_label(rule) or 'a rule'} is not in SPARQL-RL: {error}"
        blocks.append(block)
    return Written("\n".join(blocks) + "\n", tuple(left_out))


def _derivations(rules: Iterable[Rule]) -> dict[tuple[str, int], list[Rule]]:
    """The rules that derive each relation that is no triple."""
    found: dict[tuple[str, int], list[Rule]] = {}
    for rule in rules:
        for head in rule.heads:
            if isinstance(head, FactAtom):
                found.setdefault((head.name, len(head.arguments)), []).append(rule)
    return found


def _is_helper(rule: Rule) -> bool:
    """Whether a rule is written where its relation is denied, or is what rules without patterns have."""
    names = [head.name for head in rule.heads if isinstance(head, FactAtom)]
    return bool(names) and all(name == SEED.name or name.startswith("denied-") for name in names)


def _label(rule: Rule) -> str:
    """The name of a rule, in a line."""
    return " ".join(rule.name.split())


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes rules under some prefixes."""

    prefixes: Mapping[str, str]
    derivations: Mapping[tuple[str, int], Sequence[Rule]] = field(default_factory=dict)

    def rule(self, rule: Rule) -> str:
        """A rule, or a DATA block for a fact."""
        if not rule.heads:
            raise _UnwritableError("an integrity condition")
        if rule.aggregates:
            raise _UnwritableError("an aggregate")
        heads = " . ".join(self._triple(head) for head in rule.heads)
        if not (rule.body or rule.negated or rule.assignments or rule.filters):
            return f"DATA {{ {heads} }}"
        if any(isinstance(part, BlankNode) for head in rule.heads for part in head.arguments):
            raise _UnwritableError("a blank node of the rule set in a head, where it would be a new one")
        is_iri = ":" in rule.name and not any(c in rule.name for c in ' <>"{}|^`\\') and "://" in rule.name
        name = f" {self._term(IRI(rule.name))}" if is_iri else ""
        comment = f"# {_label(rule)}\n" if rule.name and not is_iri else ""
        where, body = self._body(rule)
        return f"{comment}RULE{name} {{ {heads} }} WHERE {where}{{ {body} }}"

    def _body(self, rule: Rule) -> tuple[str, str]:
        """The body, and DATA where all of it is about asserted triples."""
        positive = [atom for atom in rule.body if atom != SEED]
        of_data = [isinstance(atom, FactAtom) and atom.name == ASSERTED for atom in positive]
        if any(of_data) and not all(of_data):
            raise _UnwritableError("asserted triples alone beside others")
        whole = bool(of_data) and all(of_data)
        parts = [self.pattern(atom) for atom in positive]
        text = " . ".join(parts)
        more = [*self._assignments(rule), *(f"FILTER {self.bracketed(each)}" for each in rule.filters)]
        bound = {v for atom in positive for v in any_variables(atom)} | {each.variable for each in rule.assignments}
        more += [self._negation(atom, whole, bound) for atom in rule.negated]
        return ("DATA " if whole else ""), " ".join(filter(None, [text, *more]))

    def _assignments(self, rule: Rule) -> Iterator[str]:
        """The assignments, each behind those that it needs."""
        names = {each.variable for each in rule.assignments}
        waiting = list(rule.assignments)
        while waiting:
            ready = [each for each in waiting if not names & {*expression_variables(each.expression)}]
            for each in ready:
                yield f"SET ({each.variable} := {self._expression(each.expression)})"
                names.discard(each.variable)
            waiting = [each for each in waiting if each not in ready]

    def _negation(self, atom: Atom, whole: bool, bound: set[Variable]) -> str:
        if isinstance(atom, TripleAtom):
            if whole:
                raise _UnwritableError("asserted triples alone beside others")
            return f"NOT {{ {self.pattern(atom)} }}"
        if atom.name == ASSERTED:
            return f"NOT {'' if whole else 'DATA '}{{ {self.pattern(atom)} }}"
        known = self.derivations.get((atom.name, len(atom.arguments)), ())
        if len(known) != 1 or known[0].negated or known[0].assignments or known[0].aggregates:
            raise _UnwritableError(f"the relation {atom.name}, which is not a triple")
        return self._inlined(atom, known[0], whole, bound)

    def _inlined(self, atom: FactAtom, derivation: Rule, whole: bool, bound: set[Variable]) -> str:
        """What derives a relation, in the place of its denial."""
        head = next(each for each in derivation.heads if isinstance(each, FactAtom))
        values: dict[Argument, Argument] = dict(zip(head.arguments, atom.arguments, strict=True))
        if not all(isinstance(part, Variable) or part == value for part, value in values.items()):
            raise _UnwritableError(f"the relation {atom.name}, which is not a triple")
        local = (v for each in derivation.body for v in any_variables(each) if v not in values)
        taken = {variable.name for variable in bound}
        for variable in dict.fromkeys(local):
            name = variable.name
            while name in taken:
                name += "_"
            values[variable] = Variable(name)
        named = _Renaming(self, values)
        return named.negation(derivation, whole)

    # -- atoms and terms -----------------------------------------------------------------------------------------

    def pattern(self, atom: object) -> str:
        """A triple of a body."""
        if isinstance(atom, FactAtom) and atom.name == ASSERTED:
            atom = TripleAtom(*atom.arguments)
        if not isinstance(atom, TripleAtom | FactAtom):
            raise _UnwritableError("an atom about RDF lists")
        if any(isinstance(part, BlankNode) for part in atom.arguments):
            raise _UnwritableError("a blank node in a body, where it would be a variable")
        return self._triple(atom)

    def _triple(self, atom: Atom) -> str:
        if isinstance(atom, FactAtom):
            raise _UnwritableError(f"the relation {atom.name}, which is not a triple")
        subject, predicate, object = map(self._argument, atom.arguments)
        return f"{subject} {'a' if atom.predicate == TYPE else predicate} {object}"

    def _argument(self, part: Argument) -> str:
        return str(part) if isinstance(part, Variable) else self._term(part)

    def _term(self, term: Term) -> str:
        if isinstance(term, TripleTerm):
            return f"<<( {self._term(term.subject)} {self._term(term.predicate)} {self._term(term.object)} )>>"
        if isinstance(term, Literal) and term.datatype is not None:
            return f"{Literal(term.lexical)}^^{self._iri(term.datatype)}"
        return self._iri(term.value) if isinstance(term, IRI) else str(term)

    def _iri(self, iri: str) -> str:
        """An IRI, with a prefix where one is known."""
        for name, namespace in self.prefixes.items():
            if iri.startswith(namespace) and _LOCAL.fullmatch(iri, len(namespace)):
                return f"{name}:{iri[len(namespace) :]}"
        return f"<{iri}>"

    # -- expressions ---------------------------------------------------------------------------------------------

    def bracketed(self, expression: Expression) -> str:
        """An expression as FILTER takes it."""
        text = self._expression(expression)
        return text if text.startswith("(") and isinstance(expression, Call) else f"({text})"

    def _expression(self, expression: Expression) -> str:
        if not isinstance(expression, Call):
            if isinstance(expression, BlankNode):
                raise _UnwritableError("a blank node in an expression")
            return self._argument(expression)
        function, arguments = expression.function, [self._expression(each) for each in expression.arguments]
        if len(arguments) == 1 and function in _SIGNS:
            return f"({_SIGNS[function]}({arguments[0]}))"
        if function in OPERATORS:
            return f"({f' {function} '.join(arguments)})"
        if function in _SETS:
            return f"({arguments[0]} {_SETS[function]} ({', '.join(arguments[1:])}))"
        if function in _FUNCTIONS:
            return f"{function.upper()}({', '.join(arguments)})"
        name = function if ":" in function else NAMESPACE + function
        return f"{self._iri(name)}({', '.join(arguments)})"


@dataclass(frozen=True, slots=True)
class _Renaming:
    """Writes a rule under other names of its variables."""

    writer: _Writer
    values: Mapping[Argument, Argument]

    def negation(self, rule: Rule, whole: bool) -> str:
        """NOT of the body of a rule."""
        of_data = [isinstance(atom, FactAtom) and atom.name == ASSERTED for atom in rule.body]
        if any(of_data) and not all(of_data):
            raise _UnwritableError("asserted triples alone beside others")
        if whole and not all(of_data):
            raise _UnwritableError("asserted triples alone beside others")
        patterns = " . ".join(self.writer.pattern(self._renamed(atom)) for atom in rule.body)
        put = self._value
        filters = [f"FILTER {self.writer.bracketed(with_leaves(each, put))}" for each in rule.filters]
        return f"NOT {'DATA ' if all(of_data) and not whole else ''}{{ {' '.join([patterns, *filters])} }}"

    def _value(self, part: Argument) -> Argument:
        return self.values.get(part, part)

    def _renamed(self, atom: object) -> object:
        if isinstance(atom, TripleAtom):
            return TripleAtom(*map(self._value, atom.arguments))
        if isinstance(atom, FactAtom):
            return FactAtom(atom.name, tuple(map(self._value, atom.arguments)))
        return atom
