"""From the parse tree to rules: names with arguments become atoms, the rest filters and assignments.

An equality with a variable assigns to it where nothing else of the body binds the variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lark import Token, Tree

from kgreason.algebra.expressions.tree import Call, Variable, expression_variables
from kgreason.checkpoints import passes
from kgreason.errors import RuleSyntaxError
from kgreason.program.aggregate_reader import AggregateReader
from kgreason.program.atom_reader import AtomReader, is_square
from kgreason.program.expression_reader import ExpressionReader
from kgreason.program.fact_reader import FACTS, FactReader, relations_of
from kgreason.program.name_reader import Node
from kgreason.program.relation_names import is_built_in
from kgreason.program.rule_variables import any_variables
from kgreason.program.rules import (
    Aggregate,
    AggregateValue,
    Assignment,
    Atom,
    BodyAtom,
    Expression,
    Program,
    Rule,
    TripleAtom,
)
from kgreason.program.safety import ASSERTED, is_asserted
from kgreason.rdf.model import TripleTerm

_DEEPEST: Final = 20
"""So many aggregates are nested at most: each is a stratum of its own."""
_NAME_ATTRIBUTE: Final = re.compile(r'#\[\s*name\s*\(\s*"((?:[^"\\]|\\.)*)"\s*\)\s*\]', re.DOTALL)
_IGNORED_ATTRIBUTE: Final = re.compile(r"#\[\s*display\s*\(")
"""How Nemo shows the facts of a rule."""


def read_program(tree: Tree[Token], source: str, prefixes: Mapping[str, str]) -> Program:
    """The program of a parse tree; `prefixes` are known beside those that it declares."""
    statements = [node for node in tree.children if isinstance(node, Tree) or node.type == FACTS]
    reader = _Reader(source, dict(prefixes), _relations(statements))
    rules = [rule for statement in passes(statements, 32) for rule in reader.statement(statement)]
    return Program(tuple(rules), reader.declared)


def _relations(statements: Sequence[Node]) -> set[str]:
    """The names that the text has rules for: they mean these relations, even where a built-in has the name too."""
    rules = (each for each in statements if isinstance(each, Tree) and each.data == "rule")
    heads = (head for rule in rules for head in _split(rule.children)[1])
    names = {str(name) for head in heads if isinstance(head, Tree) and isinstance(name := head.children[0], Token)}
    return names.union(*(relations_of(each) for each in statements if isinstance(each, Token)))


@dataclass(frozen=True, slots=True)
class _Constraint:
    """A filter, or an equality that may bind the variables of `assigned` instead."""

    expression: Expression
    assigned: tuple[Assignment, ...] = ()


@dataclass(slots=True)
class _Body:
    """What a rule demands, kind by kind, each in the order of the text."""

    atoms: list[BodyAtom] = field(default_factory=list)
    negated: list[Atom] = field(default_factory=list)
    constraints: list[_Constraint] = field(default_factory=list)
    aggregates: list[Aggregate] = field(default_factory=list)

    def bind(self, variable: Variable, expression: Expression) -> None:
        """Demand that a variable has the value of an expression, which may bind it."""
        assigned = Assignment(variable, expression)
        self.constraints.append(_Constraint(Call("=", (variable, expression)), (assigned,)))


class _Reader:
    def __init__(self, source: str, prefixes: dict[str, str], relations: set[str]) -> None:
        self._relations = relations
        self._expressions = ExpressionReader(source, prefixes)
        self._atoms = AtomReader(self._expressions)
        self._aggregates = AggregateReader(self._expressions)
        self._facts = FactReader(self._expressions, self._atoms)
        self._error = self._expressions.error
        self._depth = 0
        self.declared: dict[str, str] = {}

    # -- statements -----------------------------------------------------------------------------------------------

    def statement(self, node: Node) -> Iterable[Rule]:
        """Read facts, or a rule, which makes one more for each head with aggregates, or take note of a prefix or
        base."""
        if isinstance(node, Token):
            return self._facts.rules(node)
        if node.data == "rule":
            try:
                return self._rules(node)
            except RecursionError:
                raise self._error("a rule is nested too deeply", node) from None
        iri = node.children[-1]
        assert isinstance(iri, Token)
        if node.data == "base":
            self._expressions.declare_base(iri)
        else:
            name = str(node.children[0])[:-1]
            self.declared[name] = self._expressions.declare_prefix(name, iri)
        return []

    def _rules(self, node: Tree[Token]) -> list[Rule]:
        self._expressions.enter_rule(node)
        self._depth = 0
        attributes, heads, items = _split(node.children)
        try:
            body = self._body(items)
        except RuleSyntaxError:
            # What is wrong with a head stands before what is wrong with the body.
            for head in heads if heads != ["false"] else ():
                self._head(head, _Body())
            raise
        name, position = self._name(attributes), self._expressions.position(heads[0])
        plain: list[Atom] = []
        grouped: list[Rule] = []
        for head in heads if heads != ["false"] else ():
            # The expressions of a head's aggregates are bound in a body of its own: an error there is of no other head.
            own = replace(body, constraints=[*body.constraints])
            atom, values = self._head(head, own)
            if values:
                aggregate = _grouped(atom, values, _conjunction(own))
                grouped.append(Rule((atom,), (), name=name, position=position, aggregates=(aggregate,)))
            else:
                plain.append(atom)
        if not (plain or grouped or items):
            raise self._error("an integrity condition needs a body: false :- atom, ...", heads[0])
        if grouped and not plain:
            return grouped
        return [_conjunction(body).deriving(*plain, name=name, position=position), *grouped]

    def _body(self, items: Sequence[Node]) -> _Body:
        body = _Body()
        for item in items:
            self._item(item, body)
        return body

    def _name(self, attributes: list[Token]) -> str:
        name = ""
        for attribute in attributes:
            if found := _NAME_ATTRIBUTE.fullmatch(attribute):
                name = name or self._expressions.unescaped(found.group(1), attribute)
            elif _IGNORED_ATTRIBUTE.match(attribute) is None:
                written = " ".join(attribute.split())
                raise self._error(f'the attribute {written} is not like #[name("...")]', attribute)
        return name

    # -- items of a rule --------------------------------------------------------------------------------------------

    def _head(self, node: Node, body: _Body) -> tuple[Atom, list[AggregateValue]]:
        if isinstance(node, Tree) and node.data == "negation":
            raise self._error("a head cannot be negated", node)
        head, values = self._aggregates.of_head(node, body.bind)
        atom = self._atoms.plain(head, "a list atom cannot be a head")
        if isinstance(atom, TripleAtom) and isinstance(atom.subject, TripleTerm):
            raise self._error(f"the triple term {atom.subject} cannot be a subject", node)
        if is_asserted(atom):
            raise self._error(f"{ASSERTED} cannot be a head: it holds for what is asserted", node)
        self._aggregates.check_places(head, atom, values)
        return atom, values

    def _item(self, node: Node, body: _Body) -> None:
        if isinstance(node, Token):
            raise self._atoms.refused(node)
        first, read = node.children[0], self._expressions.expression
        match node.data:
            case "negation":
                body.negated.append(self._negated(node.children[1]))
            case "filter":
                body.constraints.append(_Constraint(read(first)))
            case "bind":
                body.bind(Variable(str(node.children[1])[1:]), read(first))
            case "aggregate":
                body.aggregates.append(self._aggregate(node))
            case "operation" | "signed":
                body.constraints.append(_constraint(read(node)))
            case "call" if self._is_function(node):
                body.constraints.append(_Constraint(read(node)))
            case _:
                body.atoms.append(self._atoms.atom(node))

    def _negated(self, node: Node) -> Atom:
        if isinstance(node, Tree) and node.data == "call" and self._is_function(node):
            self._expressions.expression(node)
            named = node.children[0]
            raise self._error(f"{named} is a built-in, not a relation: it is negated as !{named}(...)", node)
        return self._atoms.plain(node, "a list atom cannot be negated")

    def _aggregate(self, node: Tree[Token]) -> Aggregate:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("aggregates are nested too deeply", node)
        parts = {"group": list[Node](), "value": list[Node]()}
        items: list[Node] = []
        for child in node.children[1:]:
            parts.get(child.data if isinstance(child, Tree) else "", items).append(child)
        body = self._body(items)
        values = tuple(self._aggregates.value(value, body.bind) for value in parts["value"])
        group = tuple(v for part in parts["group"] for v in self._aggregates.variables(part))
        self._depth -= 1
        return replace(_conjunction(body), group=group, values=values)

    def _is_function(self, call: Tree[Token]) -> bool:
        """Whether a call where an atom may stand is one of a built-in."""
        name = str(call.children[0])
        return is_built_in(name) and name not in self._relations and not is_square(call)


def _split(children: Sequence[Node]) -> tuple[list[Token], list[Node], list[Node]]:
    """The attributes of a rule, its heads and the items of its body."""
    attributes: list[Token] = []
    heads: list[Node] = []
    items: list[Node] = []
    part = heads
    for child in children:
        if isinstance(child, Token) and child.type == "ATTRIBUTE":
            attributes.append(child)
        elif isinstance(child, Token) and child.type == "ARROW":
            part = items
        else:
            part.append(child)
    return attributes, heads, items


def _constraint(expression: Expression) -> _Constraint:
    """A bare expression: an equality may assign to a variable on either side."""
    if not isinstance(expression, Call) or expression.function != "=":
        return _Constraint(expression)
    left, right = expression.arguments
    sides = ((left, right), (right, left))
    return _Constraint(expression, tuple(Assignment(v, other) for v, other in sides if isinstance(v, Variable)))


def _conjunction(body: _Body) -> Aggregate:
    """What a body says, as an aggregate without groups and values."""
    filters, assignments = _filters_and_assignments(body)
    atoms, negated, aggregates = tuple(body.atoms), tuple(body.negated), tuple(body.aggregates)
    return Aggregate(atoms, (), (), negated, filters, assignments, aggregates)


def _grouped(head: Atom, values: Sequence[AggregateValue], conjunction: Aggregate) -> Aggregate:
    """The aggregate of a body for the values in a head, whose other variables are the group."""
    results = {value.variable for value in values}
    group = tuple(v for v in dict.fromkeys(any_variables(head)) if v not in results)
    return replace(conjunction, group=group, values=tuple(values))


def _filters_and_assignments(body: _Body) -> tuple[tuple[Expression, ...], tuple[Assignment, ...]]:
    """Decide which equalities assign: those to a variable that nothing else binds, in any order."""
    bound = {variable for atom in body.atoms for variable in any_variables(atom)}
    bound |= {variable for aggregate in body.aggregates for variable in aggregate.bound}
    chosen: dict[int, Assignment] = {}
    while True:
        before = len(chosen)
        for number, constraint in enumerate(body.constraints):
            for assignment in constraint.assigned:
                known = set(expression_variables(assignment.expression)) <= bound
                if number not in chosen and known and assignment.variable not in bound:
                    chosen[number] = assignment
                    bound.add(assignment.variable)
        if len(chosen) == before:
            break
    filters = (constraint.expression for number, constraint in enumerate(body.constraints) if number not in chosen)
    return tuple(filters), tuple(chosen[number] for number in sorted(chosen))
