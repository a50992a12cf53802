"""From tokens to terms and expressions, under the prefixes and the base that hold where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, count
from typing import Final, TypeAlias, TypeVar, cast
from urllib.parse import urljoin

from lark import Token, Tree

from kgreason.algebra.expressions.function_table import FUNCTIONS, Function
from kgreason.algebra.expressions.tree import OPERATORS, Call, Variable
from kgreason.errors import Position, RuleSyntaxError, TermError
from kgreason.program.relation_names import AGGREGATES
from kgreason.program.rules import Argument, Expression
from kgreason.program.specialisation import TYPE
from kgreason.rdf.keys import iri_key, key_of
from kgreason.rdf.model import IRI, BlankNode, Literal, TripleTerm
from kgreason.rdf.vocabulary import STANDARD_PREFIXES, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER

Node: TypeAlias = Tree[Token] | Token
_Checked = TypeVar("_Checked", Literal, TripleTerm)

_PRECEDENCE: Final = {"||": 1, "&&": 2, "+": 4, "-": 4, "*": 5, "/": 5}
_COMPARISON: Final = 3
_DEEPEST: Final = 100
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", '"': '"', "'": "'"}
_LOCAL_ESCAPE: Final = re.compile(r"\\(.)")
_ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_VARIABLE: Final = re.compile(r"[?$](\w+)")
_SIMPLE: Final = re.compile(r"[?$]\w+|<[^>]*>|[^\s,()\[\]]+")


class ExpressionReader:
    """Reads terms, variables and expressions; remembers prefixes and base on the way through a text."""

    def __init__(self, source: str, prefixes: dict[str, str]) -> None:
        self._source = source
        self._prefixes = {**STANDARD_PREFIXES, **prefixes}
        self._base = ""
        self._names: dict[str, Argument] = {}
        self._rule: Tree[Token] | None = None
        self._taken: set[str] = set()
        self._fresh: Iterator[Variable] = iter(())

    # -- what holds from here on ----------------------------------------------------------------------------------

    def declare_prefix(self, name: str, iri: Token) -> str:
        """Take note of a prefix; gives its IRI."""
        self._prefixes[name] = self._resolve(iri, iri)
        self._names.clear()
        return self._prefixes[name]

    def declare_base(self, iri: Token) -> None:
        """Take note of the base of relative IRIs."""
        self._base = self._resolve(iri, iri)
        self._names.clear()

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

    # -- arguments --------------------------------------------------------------------------------------------------

    def argument(self, node: Node) -> Argument:
        """The variable or term at a place where an atom has its arguments."""
        expression = self._expression(node)
        if isinstance(expression, Call):
            raise self.error(f"{expression} cannot be an argument of an atom; bind it to a variable", node)
        return expression

    def simple_arguments(self, token: Token) -> tuple[Argument, ...]:
        """The arguments in a token that holds a list of variables and simple names."""
        return tuple([self._names.get(text) or self._name(text, token) for text in _SIMPLE.findall(token)])

    def simple_triple(self, token: Token) -> tuple[Argument, Argument, Argument]:
        """The subject, predicate and object in a token that holds variables and simple names."""
        subject, predicate, object_ = _SIMPLE.findall(token)
        return (
            self._names.get(subject) or self._name(subject, token),
            TYPE if predicate == "a" else self._names.get(predicate) or self._name(predicate, token),
            self._names.get(object_) or self._name(object_, token),
        )

    def name(self, token: Token) -> Argument:
        """The term of a name: an IRI, or true or false."""
        return self._names.get(str(token)) or self._name(str(token), token)

    def _name(self, text: str, token: Token) -> Argument:
        if text[0] in "?$":
            named: Argument = Variable(text[1:])
        elif text[0] == "<":
            named = IRI(self._resolve(text, token))
        elif ":" in text:
            prefix, _, local = text.partition(":")
            if prefix not in self._prefixes:
                raise self._inner_error(f"the prefix {prefix}: is not declared", text, token)
            named = IRI(self._valid(self._prefixes[prefix] + _LOCAL_ESCAPE.sub(r"\1", local), text, token))
        elif text in ("true", "false"):
            named = Literal(text, XSD_BOOLEAN)
        else:
            reason = f"{text} is neither a variable nor a term; is a prefix or a '?' missing?"
            raise self._inner_error(reason, text, token)
        self._names[text] = named
        return named

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

    def text(self, quoted: Token) -> str:
        """The text of a string."""
        quotes = 3 if quoted.startswith(('"""', "'''")) else 1
        return self.unescaped(quoted[quotes:-quotes], quoted)

    def _literal(self, quoted: Token, suffix: Token | None = None) -> Literal:
        lexical = self.text(quoted)
        if suffix is None:
            return Literal(lexical)
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

    def unescaped(self, text: str, token: Token) -> str:
        """A text in a token without its backslashes."""
        try:
            return unescape(text)
        except ValueError as error:
            raise self.error(str(error), token) from None

    def _resolve(self, quoted: str, token: Token) -> str:
        iri = self.unescaped(quoted[1:-1], token)
        if not is_absolute(iri):
            if not self._base:
                raise self._inner_error(f"<{iri}> is a relative IRI, and there is no @base", quoted, token)
            resolved = urljoin(self._base, iri)
            # urljoin knows hierarchical schemes only; to others a name is simply appended.
            iri = resolved if is_absolute(resolved) else self._base + iri
        return self._valid(iri, quoted, token)

    def _valid(self, iri: str, text: str, token: Token) -> str:
        try:
            return iri_key(iri)
        except TermError as error:
            raise self._inner_error(str(error), text, token) from None

    # -- places -----------------------------------------------------------------------------------------------------

    def position(self, node: Node) -> Position:
        """Where a node begins."""
        while isinstance(node, Tree):
            node = node.children[0]
        return Position(self._source, node.line or 0, node.column or 0)

    def error(self, reason: str, node: Node) -> RuleSyntaxError:
        """An error at the beginning of a node."""
        return RuleSyntaxError(reason, self.position(node))

    def _inner_error(self, reason: str, text: str, token: Token) -> RuleSyntaxError:
        """An error at a name, which may stand in the middle of a token."""
        offset = next((found.start() for found in _SIMPLE.finditer(token) if found.group() == text), 0)
        before = " " * ((token.column or 1) - 1) + token[:offset]
        line = (token.line or 0) + before.count("\n")
        return RuleSyntaxError(reason, Position(self._source, line, len(before) - before.rfind("\n")))


def is_absolute(iri: str) -> bool:
    """Whether an IRI begins with a scheme."""
    return _ABSOLUTE.match(iri) is not None


def unescape(text: str) -> str:
    """A quoted text without its backslashes; ValueError for what is not an escape."""
    return _ESCAPE.sub(_escaped, text) if "\\" in text else text


def _escaped(found: re.Match[str]) -> str:
    code = found.group(1)
    if code in _ESCAPES:
        return _ESCAPES[code]
    number = int(code[1:], 16) if len(code) > 1 else -1
    if not 0 <= number <= 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise ValueError(f"{found.group().strip()} is not an escape of a character; a backslash is written twice")
    return chr(number)


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
