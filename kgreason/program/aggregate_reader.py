"""Aggregates as texts write them: RDFox's atom in bodies, Nemo's terms in heads; both become an `Aggregate`.

``total(?x, #sum(?y)) :- p(?x, ?y, ?z)`` is ``total(?x, ?sum_y) :- AGGREGATE(p(?x, ?y, ?z) ON ?x BIND SUM(DISTINCT ?y)
AS ?sum_y)``: Nemo's terms are of the distinct values of their variables, RDFox's of all bindings of the atom.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from lark import Token, Tree

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.expression_reader import ExpressionReader
from kgreason.program.name_reader import Node
from kgreason.program.relation_names import AGGREGATES
from kgreason.program.rules import AggregateValue, Atom, Expression, TripleAtom
from kgreason.rdf.model import Literal

Bind: TypeAlias = Callable[[Variable, Expression], None]
"""Adds to a body that a variable is the value of an expression."""

_SEPARATED: Final = "group_concat"
_LITERALS: Final = AGGREGATES - {"min", "max"}
"""Those that give a literal of any terms."""


class AggregateReader:
    """Reads the parts of aggregates; what is not a variable under an aggregate is bound to one in its body."""

    def __init__(self, expressions: ExpressionReader) -> None:
        self._expressions = expressions
        self._error = expressions.error

    def variables(self, group: Node) -> tuple[Variable, ...]:
        """The variables after ON, each once."""
        assert isinstance(group, Tree)
        return tuple(dict.fromkeys(Variable(str(token)[1:]) for token in group.children))

    def value(self, node: Node, bind: Bind) -> AggregateValue:
        """What ``BIND SUM(?y) AS ?s`` says."""
        assert isinstance(node, Tree)
        name, *parts, variable = node.children
        assert isinstance(name, Token)
        target, function = Variable(str(variable)[1:]), str(name).lower()
        if function not in AGGREGATES:
            raise self._error(f"{name} is not an aggregate (expected one of {', '.join(sorted(AGGREGATES))})", name)
        distinct = [part for part in parts if isinstance(part, Token) and part.type == "DISTINCT"]
        parts = [part for part in parts if part not in distinct]
        if isinstance(parts[0], Token) and parts[0].type == "NO_ARGUMENT":
            if parts[0] != "*" or function != "count":
                raise self._error("only COUNT(*) has no argument", parts[0])
            return AggregateValue(target, function, None)
        given, separator = self._arguments(function, parts, node)
        if len(given) > 1 and not distinct:
            raise self._error(f"{name} takes one argument, or several after DISTINCT", node)
        variables = tuple(self._variable(argument, function, bind) for argument in given)
        over = tuple(dict.fromkeys(variables)) if distinct else ()
        return AggregateValue(target, function, variables[0], over, separator)

    def of_head(self, head: Node, bind: Bind) -> tuple[Node, list[AggregateValue]]:
        """A head with variables in the place of its aggregates, and what these are."""
        if not isinstance(head, Tree):
            return head, []
        values: list[AggregateValue] = []
        children = [
            self._replaced(child, values, bind) if isinstance(child, Tree) and child.data == "summary" else child
            for child in head.children
        ]
        return (Tree(head.data, children, head.meta), values) if values else (head, [])

    def check_places(self, head: Node, atom: Atom, values: Sequence[AggregateValue]) -> None:
        """Refuse a literal as the subject or the predicate of a head that `of_head` gave."""
        if not isinstance(atom, TripleAtom) or not isinstance(head, Tree):
            return
        for value in values:
            for place, term in (("subject", atom.subject), ("predicate", atom.predicate)):
                if term == value.variable and value.function in _LITERALS:
                    written = next(child for child in head.children if child == str(term))
                    reason = f"what #{value.function} gives is a literal, which cannot be a {place}"
                    raise self._error(reason, written)

    def _replaced(self, node: Tree[Token], values: list[AggregateValue], bind: Bind) -> Token:
        name, *parts = node.children
        assert isinstance(name, Token)
        function = str(name)[1:].lower()
        given, separator = self._arguments(function, parts, node)
        variables = tuple(self._variable(argument, function, bind) for argument in given)
        target = self._expressions.unused(f"{function}_{variables[0].name}")
        values.append(AggregateValue(target, function, variables[0], tuple(dict.fromkeys(variables)), separator))
        return Token.new_borrow_pos("VARIABLE", str(target), name)

    def _arguments(self, function: str, parts: Sequence[Node], node: Node) -> tuple[list[Expression], str]:
        """The arguments of an aggregate, and what group_concat puts between texts."""
        separator = " "
        if isinstance(parts[-1], Tree) and parts[-1].data == "separator":
            sign, text = parts[-1].children
            if sign != "=" or function != _SEPARATED:
                raise self._error('only group_concat has a separator: ; SEPARATOR = ", "', parts[-1])
            assert isinstance(text, Token)
            separator = self._expressions.text(text)
            parts = parts[:-1]
        if isinstance(parts[0], Token) and parts[0].type == "ARGUMENTS":
            if parts[0].startswith("["):
                raise self._error("the arguments of an aggregate stand in round brackets", node)
            return list(self._expressions.simple_arguments(parts[0])), separator
        given = [self._expressions.expression(part) for part in parts]
        for argument, part in zip(given[1:], parts[1:], strict=True):
            if isinstance(argument, Literal) and function == _SEPARATED:
                raise self._error(f"{argument} tells no members apart; a separator is ; SEPARATOR = {argument}", part)
        return given, separator

    def _variable(self, argument: Expression, function: str, bind: Bind) -> Variable:
        if isinstance(argument, Variable):
            return argument
        variable = self._expressions.unused(f"{function}_of")
        bind(variable, argument)
        return variable
