"""From tokens to terms and expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, count
from typing import Final, TypeVar, cast

from lark import Token, Tree

from kgreason.algebra.expressions.function_table import FUNCTIONS, Function
from kgreason.algebra.expressions.tree import OPERATORS, Call, Variable
from kgreason.errors import TermError
from kgreason.program.name_reader import NameReader, Node
from kgreason.program.relation_names import AGGREGATES
from kgreason.program.rules import Argument, Expression
from kgreason.rdf.keys import key_of
from kgreason.rdf.model import IRI, BlankNode, Literal, TripleTerm
from kgreason.rdf.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER

_Checked = TypeVar("_Checked", Literal, TripleTerm)

_PRECEDENCE: Final = {"||": 1, "&&": 2, "+": 4, "-": 4, "*": 5, "/": 5}
_COMPARISON: Final = 3
_DEEPEST: Final = 100
_VARIABLE: Final = re.compile(r"[?$](\w+)")


class ExpressionReader(NameReader):
    """Reads terms, variables and expressions."""

    def __init__(self, source: str, prefixes: dict[str, str]) -> None:
        super().__init__(source, prefixes)
        self._rule: Tree[Token] | None = None
        self._taken: set[str] = set()
        self._fresh: Iterator[Variable] = iter(())

    # -- variables --------------------------------------------------------------------------------------------------

    def enter_rule(self, rule: Tree[Token]) -> None:
        """Anonymous variables get new names in each rule, so that equal texts are equal rules."""
        self._fresh = _fresh_variables(rule)
        self._rule = rule
        self._taken.clear()

    def unused(self, stem: str) -> Variable:
        """A variable that the rule does not have, and that is given once."""
        if not self._taken and self._rule is not None:
            self._taken |= _names(self._rule)
        name = next(name for name in chain((stem,), (f"{stem}_{n}" for n in count(2))) if name not in self._taken)
        self._taken.add(name)
        return Variable(name)

    def argument(self, node: Node) -> Argument:
        """The variable or term at a place where an atom has its arguments."""
        expression = self._expression(node)
        if isinstance(expression, Call):
            raise self.error(f"{expression} cannot be an argument of an atom; bind it to a variable", node)
        return expression

    def simple_constant(self, text: str, token: Token) -> Argument:
        """The term of a simple name, of digits or of a quoted text in a token."""
        if text[0] == '"':
            return self._literal(Token("STRING", text, line=token.line, column=token.column))
        return _number(text) if text.isdecimal() else self.known(text) or self.inner_name(text, token)

    # -- expressions ------------------------------------------------------------------------------------------------

    def expression(self, node: Node) -> Expression:
        """The expression of a node; RuleSyntaxError for anything else, or for one that is nested too deep."""
        expression = self._expression(node)
        depth, level = 0, [expression]
        while level:
            depth += 1
            level = [argument for part in level if isinstance(part, Call) for argument in part.arguments]
        if depth > _DEEPEST:
            raise self.error("an expression is nested too deeply", node)
        return expression

    def _expression(self, node: Node) -> Expression:
        if isinstance(node, Token):
            return self._token(node)
        match node.data:
            case "operation":
                return self._operation(node.children)
            case "signed":
                return self._signed(*node.children)
            case "literal":
                return self._literal(*cast("list[Token]", node.children))
            case "triple_term":
                return self._triple_term(node)
            case "call":
                return self._call(node)
            case "summary":
                raise self.error(f"{node.children[0]} stands where an argument of a head does, and nowhere else", node)
        raise self.error("expected a term or an expression here", node)

    def _token(self, token: Token) -> Argument:
        match token.type:
            case "VARIABLE" | "NAME":
                return self.name(token)
            case "ANONYMOUS":
                return next(self._fresh)
            case "BLANK":
                return BlankNode(str(token[2:]))
            case "NUMBER":
                return _number(str(token))
        return self._literal(token)

    def _operation(self, parts: list[Node]) -> Expression:
        """Operators of a flat sequence, by precedence climbing."""
        operators = [str(part) for part in parts[1::2]]
        operands = [self._expression(part) for part in parts[::2]]
        at = 0

        def climb(least: int) -> Expression:
            nonlocal at
            left = operands[at]
            while at < len(operators) and (level := _PRECEDENCE.get(operators[at], _COMPARISON)) >= least:
                operator = operators[at]
                at += 1
                left = Call("=" if operator == "==" else operator, (left, climb(level + 1)))
                if level == _COMPARISON and at < len(operators) and operators[at] not in _PRECEDENCE:
                    raise self.error("comparisons cannot be chained; use && or parentheses", parts[2 * at + 1])
            return left

        return climb(0)

    def _signed(self, sign: Node, node: Node) -> Expression:
        operand = self._expression(node)
        if sign == "!":
            return Call("!", (operand,))
        if isinstance(node, Token) and isinstance(operand, Literal) and node.type == "NUMBER":
            return Literal(f"{sign}{operand.lexical}", operand.datatype)
        return Call(f"u{sign}", (operand,))

    def _call(self, node: Tree[Token]) -> Expression:
        name, *arguments = node.children
        function, known = self._function(name, node)
        if arguments and isinstance(arguments[0], Token) and arguments[0].type == "ARGUMENTS":
            if arguments[0].startswith("["):
                raise self.error("expected a term or an expression here", node)
            values: tuple[Expression, ...] = self.simple_arguments(arguments[0])
        else:
            values = tuple(map(self._expression, arguments))
        least, most = known.least, known.most
        if not least <= len(values) <= most:
            takes = str(least) if least == most else f"{least} or more" if most > 100 else f"{least} to {most}"
            plural = "" if takes == "1" else "s"
            raise self.error(f"{function} takes {takes} argument{plural}, not {len(values)}", node)
        return Call(function, values)

    def _function(self, name: Node, node: Node) -> tuple[str, Function]:
        """A function by its name in any case, or by the IRI of the datatype that it casts to."""
        function = str(name).lower()
        if isinstance(name, Token) and (":" in function or function[0] == "<"):
            function = str(self.name(name))[1:-1]
        elif function in AGGREGATES:
            form = f"AGGREGATE(atom, ... ON ?x BIND {function.upper()}(?y) AS ?z), or #{function}(?y) in a head"
            raise self.error(f"{name} is an aggregate, not a function: write {form}", node)
        known = FUNCTIONS.get(function)
        if known is None or function in OPERATORS:
            raise self.error(f"unknown function {name}", node)
        if not known.in_rules:
            raise self.error(f"{name} is a function of queries alone: its value is not that of its arguments", node)
        return function, known

    def _literal(self, quoted: Token, suffix: Token | None = None) -> Literal:
        lexical = self.text(quoted)
        if suffix is None:
            return self._checked(Literal(lexical), quoted)
        if suffix.type == "LANGUAGE":
            language, _, direction = suffix[1:].partition("--")
            return self._checked(Literal(lexical, None, language, direction or None), suffix)
        datatype = self.name(suffix)
        if not isinstance(datatype, IRI):
            raise self.error("a datatype is an IRI", suffix)
        return self._checked(Literal(lexical, datatype.value), suffix)

    def _triple_term(self, node: Tree[Token]) -> TripleTerm:
        parts = [self._expression(part) for part in node.children]
        if any(isinstance(part, Call | Variable) for part in parts):
            raise self.error("a triple term of constants alone stands here; triple(?s, ?p, ?o) is of variables", node)
        subject, predicate, object = parts
        return self._checked(TripleTerm(subject, predicate, object), node)  # type: ignore[arg-type]  # the key says

    def _checked(self, term: _Checked, node: Node) -> _Checked:
        try:
            key_of(term)
        except TermError as error:
            raise self.error(str(error), node) from None
        return term

def _number(text: str) -> Literal:
    if "e" in text or "E" in text:
        return Literal(text, XSD_DOUBLE)
    return Literal(text, XSD_DECIMAL if "." in text else XSD_INTEGER)


def _names(rule: Tree[Token]) -> set[str]:
    """The names of the variables of a rule."""
    return {name for token in rule.scan_values(lambda value: True) for name in _VARIABLE.findall(token)}


def _fresh_variables(rule: Tree[Token]) -> Iterator[Variable]:
    """Variables that the rule does not have; looks for these only when the first is needed."""
    taken = _names(rule)
    for number in count(1):
        if f"_{number}" not in taken:
            yield Variable(f"_{number}")
