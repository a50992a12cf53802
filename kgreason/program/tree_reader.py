"""From the parse tree to rules: names with arguments become atoms, the rest filters and assignments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lark import Token, Tree

from kgreason.algebra.expressions.function_table import FUNCTIONS
from kgreason.algebra.expressions.tree import Call, Variable, expression_variables
from kgreason.checkpoints import passes
from kgreason.errors import RuleSyntaxError
from kgreason.program.aggregate_reader import AggregateReader
from kgreason.program.expression_reader import ExpressionReader, Node
from kgreason.program.rules import (
    Aggregate,
    AggregateValue,
    Argument,
    Assignment,
    Atom,
    BodyAtom,
    Every,
    Expression,
    FactAtom,
    Member,
    Path,
    Program,
    Rule,
    TripleAtom,
)
from kgreason.program.safety import ASSERTED, is_asserted
from kgreason.program.specialisation import TYPE, any_variables
from kgreason.rdf.model import IRI, Literal

_LIST_ATOMS: Final = {
    "member": "member(?list, ?index, member)",
    "every": "every(?member, ?list, atom, ...)",
    "path": "path(start, ?list, end)",
}
_DEEPEST: Final = 20
"""So many aggregates are nested at most: each is a stratum of its own."""
_NAME_ATTRIBUTE: Final = re.compile(r'#\[\s*name\s*\(\s*"((?:[^"\\]|\\.)*)"\s*\)\s*\]', re.DOTALL)
_IGNORED_ATTRIBUTE: Final = re.compile(r"#\[\s*display\s*\(")
"""How Nemo shows the facts of a rule."""


def read_program(tree: Tree[Token], source: str, prefixes: Mapping[str, str]) -> Program:
    """The program of a parse tree; `prefixes` are known beside those that it declares."""
    statements = [statement for statement in tree.children if isinstance(statement, Tree)]
    reader = _Reader(source, dict(prefixes), _relations(statements))
    rules = [rule for statement in passes(statements) for rule in reader.statement(statement)]
    return Program(tuple(rules), reader.declared)


def _relations(statements: list[Tree[Token]]) -> set[str]:
    """The names that the text has rules for: they mean these relations, even where a built-in has the name too."""
    heads = (head for statement in statements if statement.data == "rule" for head in _split(statement.children)[1])
    return {str(name) for head in heads if isinstance(head, Tree) and isinstance(name := head.children[0], Token)}


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
        self._aggregates = AggregateReader(self._expressions)
        self._error = self._expressions.error
        self._depth = 0
        self.declared: dict[str, str] = {}

    # -- statements -----------------------------------------------------------------------------------------------

    def statement(self, node: Tree[Token]) -> list[Rule]:
        """Read a rule, which makes one more for each head with aggregates, or take note of a prefix or base."""
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
        read = [self._head(head, body) for head in heads] if heads != ["false"] else []
        conjunction = _conjunction(body)
        name, position = self._name(attributes), self._expressions.position(heads[0])
        plain = [atom for atom, values in read if not values]
        if not (read or items):
            raise self._error("an integrity condition needs a body: false :- atom, ...", heads[0])
        rules = [conjunction.deriving(*plain, name=name, position=position)] if plain or not read else []
        for atom, values in read:
            if values:
                results = {value.variable for value in values}
                group = tuple(v for v in dict.fromkeys(any_variables(atom)) if v not in results)
                aggregate = replace(conjunction, group=group, values=tuple(values))
                rules.append(Rule((atom,), (), name=name, position=position, aggregates=(aggregate,)))
        return rules

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
        atom = self._plain_atom(head, "a list atom cannot be a head")
        if is_asserted(atom):
            raise self._error(f"{ASSERTED} cannot be a head: it holds for what is asserted", node)
        return atom, values

    def _item(self, node: Node, body: _Body) -> None:
        if isinstance(node, Token):
            raise self._no_atom(node)
        first, read = node.children[0], self._expressions.expression
        match node.data:
            case "negation":
                body.negated.append(self._plain_atom(node.children[1], "a list atom cannot be negated"))
            case "filter":
                body.constraints.append(_Constraint(read(first)))
            case "bind":
                body.bind(Variable(str(node.children[1])[1:]), read(first))
            case "aggregate":
                body.aggregates.append(self._aggregate(node))
            case "operation" | "signed":
                body.constraints.append(_constraint(read(node)))
            case "call" if self._is_function(str(first)):
                body.constraints.append(_Constraint(read(node)))
            case _:
                body.atoms.append(self._atom(node))

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

    def _is_function(self, name: str) -> bool:
        """Whether a name means a built-in where an atom may stand: tests do, and all functions in capitals."""
        function = FUNCTIONS.get(name.lower())
        means_function = function is not None and (function.is_test or (function.in_rules and name.isupper()))
        return means_function and name not in self._relations

    # -- atoms ------------------------------------------------------------------------------------------------------

    def _plain_atom(self, node: Node, otherwise: str) -> Atom:
        atom = self._atom(node)
        if not isinstance(atom, TripleAtom | FactAtom):
            raise self._error(otherwise, node)
        return atom

    def _atom(self, node: Node) -> BodyAtom:
        if isinstance(node, Tree) and node.data == "triple":
            return self._triple(node)
        if not isinstance(node, Tree) or node.data not in ("call", "bracket"):
            raise self._no_atom(node)
        name, *nodes = node.children
        assert isinstance(name, Token)
        if name in _LIST_ATOMS:
            return self._list_atom(node, str(name), nodes)
        return self._named_atom(name, self._arguments(nodes))

    def _no_atom(self, node: Node) -> RuleSyntaxError:
        what = f", not {' '.join(node.split())}; an atom has arguments" if isinstance(node, Token) else ""
        return self._error(f"expected an atom here{what}", node)

    def _arguments(self, nodes: Sequence[Node]) -> tuple[Argument, ...]:
        if len(nodes) == 1 and isinstance(nodes[0], Token) and nodes[0].type == "ARGUMENTS":
            return self._expressions.simple_arguments(nodes[0])
        return tuple(map(self._expressions.argument, nodes))

    def _named_atom(self, name: Token, arguments: tuple[Argument, ...]) -> Atom:
        if not arguments:
            raise self._error(f"{name} has no arguments; an atom has one or more", name)
        if name[0] != "<" and ":" not in name:
            return FactAtom(str(name), arguments)
        iri = self._expressions.name(name)
        assert isinstance(iri, IRI)
        if len(arguments) > 2:
            return FactAtom(iri.value, arguments)
        self._check_subject(arguments[0], name)
        return TripleAtom(arguments[0], *((TYPE, iri) if len(arguments) == 1 else (iri, arguments[1])))

    def _triple(self, node: Tree[Token]) -> TripleAtom:
        first, *parts = node.children
        if isinstance(first, Token) and first.type == "TRIPLE":
            subject, predicate, object_ = self._expressions.simple_triple(first)
            place: Node = first
        elif len(parts) != 3:
            raise self._error(f"a triple atom has three parts, this one has {len(parts)}", node)
        else:
            place = parts[1]
            subject, object_ = map(self._expressions.argument, parts[::2])
            predicate = TYPE if place == "a" else self._expressions.argument(place)
            self._check_subject(subject, parts[0])
        if not isinstance(predicate, Variable | IRI):
            raise self._error(f"{predicate} cannot be a predicate", place)
        return TripleAtom(subject, predicate, object_)

    def _check_subject(self, term: Argument, node: Node) -> None:
        if isinstance(term, Literal):
            raise self._error(f"the literal {term} cannot be a subject", node)

    def _list_atom(self, node: Node, name: str, nodes: list[Node]) -> BodyAtom:
        if name == "every":
            first, second = self._arguments(nodes[:2]) if len(nodes) > 2 else (None, None)
            if isinstance(first, Variable) and isinstance(second, Variable):
                reason = "every is about triples and facts"
                return Every(first, second, tuple(self._plain_atom(atom, reason) for atom in nodes[2:]))
        else:
            match name, self._arguments(nodes):
                case "member", (Variable() as first, Variable() as second, third):
                    return Member(first, second, third)
                case "path", (first, Variable() as second, third):
                    self._check_subject(first, node)
                    return Path(first, second, third)
                case "path", (first, second):
                    # Every text on Datalog has a relation path(?x, ?y); a path along a list has three arguments.
                    return FactAtom(name, (first, second))
        raise self._error(f"{name} is used as {_LIST_ATOMS[name]}", node)


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
