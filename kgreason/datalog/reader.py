"""From the parse tree to rules: names become IRIs, calls become atoms or built-ins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count
from typing import Any, TypeAlias

from lark import Token, Tree

from kgreason.datalog.model import (
    Argument,
    Assignment,
    Atom,
    BodyAtom,
    Call,
    Every,
    Expression,
    FactAtom,
    Member,
    Path,
    Program,
    Rule,
    TripleAtom,
    Variable,
)
from kgreason.errors import Position, RuleSyntaxError, TermError
from kgreason.terms.dictionary import iri_key
from kgreason.terms.functions import FUNCTION_NAMES, arity_of
from kgreason.terms.model import IRI, BlankNode, Literal, Term
from kgreason.terms.vocabulary import RDF_TYPE, STANDARD_PREFIXES, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER

Node: TypeAlias = Any
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_OPERATORS = {"comparison", "sum", "product", "any_of", "all_of", "deny", "signed"}
_TERMS = {"iri", "prefixed", "blank", "literal", "double", "decimal", "integer"}
_LIST_ATOMS = {"member": "(list, index, member)", "every": "(member, list, atom, ...)", "path": "(start, list, end)"}
_NAME_ATTRIBUTE = re.compile(r'name\(\s*"((?:[^"\\]|\\.)*)"\s*\)')
_UNSUPPORTED_FUNCTIONS = {"AGGREGATE": "aggregation", "COUNT": "aggregation", "SUM": "aggregation"}


def read_program(tree: Tree[Token], source: str, prefixes: Mapping[str, str]) -> Program:
    """The program of a parse tree."""
    reader = _Reader(source, {**STANDARD_PREFIXES, **prefixes})
    rules = [rule for statement in tree.children if (rule := reader.statement(statement)) is not None]
    return Program(tuple(rules), reader.prefixes)


class _Reader:
    def __init__(self, source: str, prefixes: dict[str, str]) -> None:
        self._source = source
        self.prefixes = prefixes
        self._base = ""
        self._anonymous = count(1)

    # -- statements ---------------------------------------------------------------------------------------------

    def statement(self, node: Node) -> Rule | None:
        """Read a rule, or take note of a prefix or base."""
        match node.data:
            case "prefix":
                name, iri = (child for child in node.children if child.type in ("PREFIX_NAME", "IRIREF"))
                self.prefixes[name[:-1]] = self._resolve(iri)
            case "base":
                self._base = self._resolve(node.children[-1])
            case "unsupported":
                raise self._error(f"{node.children[0]} is not supported", node.children[0])
            case _:
                return self._rule(node)
        return None

    def _rule(self, node: Node) -> Rule:
        attributes = [child for child in node.children if child.data == "attribute"]
        heads = next(child for child in node.children if child.data == "heads")
        body = [child for child in node.children if child.data == "body"]
        items = [self._item(item) for part in body for item in part.children]
        name = ""
        for attribute in attributes:
            found = _NAME_ATTRIBUTE.search(attribute.children[0])
            name = found.group(1) if found else name
        bound = {v for item in items if isinstance(item, BodyAtom) for v in _variables(item)}
        assignments, filters = self._split_equalities([i for i in items if isinstance(i, Expression | Assignment)
                                                       and not isinstance(i, BodyAtom | _Negated)], bound)  # fmt: skip
        return Rule(
            heads=self._heads(heads),
            body=tuple(item for item in items if isinstance(item, BodyAtom)),
            negated=tuple(item.atom for item in items if isinstance(item, _Negated)),
            filters=tuple(filters),
            assignments=tuple(assignments),
            name=name,
            position=self._position(heads),
        )

    def _heads(self, node: Node) -> tuple[Atom, ...]:
        if len(node.children) == 1 and node.children[0].data == "bare" and node.children[0].children[0] == "false":
            return ()
        heads = []
        for child in node.children:
            atom = self._atom(child)
            if not isinstance(atom, TripleAtom | FactAtom):
                raise self._error("a list atom cannot be a head", child)
            heads.append(atom)
        return tuple(heads)

    @staticmethod
    def _split_equalities(
        items: list[Expression | Assignment], bound: set[Variable]
    ) -> tuple[list[Assignment], list[Expression]]:
        """``?v = expression`` assigns where nothing else binds ?v, and compares otherwise."""
        assignments: list[Assignment] = []
        filters: list[Expression] = []
        for item in items:
            if isinstance(item, Assignment):
                assignments.append(item)
            elif isinstance(item, Call) and item.function == "=":
                left, right = item.arguments
                known = bound | {assignment.variable for assignment in assignments}
                if isinstance(left, Variable) and left not in known:
                    assignments.append(Assignment(left, right))
                elif isinstance(right, Variable) and right not in known:
                    assignments.append(Assignment(right, left))
                else:
                    filters.append(item)
            else:
                filters.append(item)
        return assignments, filters

    # -- atoms --------------------------------------------------------------------------------------------------

    def _item(self, node: Node) -> BodyAtom | _Negated | Expression | Assignment:
        match node.data:
            case "negation":
                atom = self._atom(node.children[-1])
                if not isinstance(atom, TripleAtom | FactAtom):
                    raise self._error("a list atom cannot be negated", node)
                return _Negated(atom)
            case "filter":
                return self._expression(node.children[-1])
            case "bind":
                return Assignment(Variable(str(node.children[-1])[1:]), self._expression(node.children[1]))
            case "call" if self._is_function(node):
                return self._expression(node)
            case data if data in _OPERATORS:
                return self._expression(node)
        return self._atom(node)

    @staticmethod
    def _is_function(node: Node) -> bool:
        """Functions are written in capitals where an atom could stand."""
        name = node.children[0]
        return bool(name.data == "bare" and name.children[0].isupper() and name.children[0].lower() in FUNCTION_NAMES)

    def _atom(self, node: Node) -> BodyAtom:
        match node.data:
            case "triple":
                parts = node.children[0].children
                if len(parts) != 3:
                    raise self._error(f"a triple atom has three parts, this one has {len(parts)}", node)
                return self._triple(parts[0], parts[1], parts[2])
            case "call" | "bracket":
                return self._named_atom(node, node.children[0], node.children[1].children)
            case "bare":
                raise self._error(f"{node.children[0]} has no arguments; an atom has one or more", node)
        raise self._error("expected an atom here", node)

    def _named_atom(self, node: Node, name: Node, arguments: list[Node]) -> BodyAtom:
        if name.data == "bare":
            text = str(name.children[0])
            if text in _LIST_ATOMS:
                return self._list_atom(node, text, arguments)
            if text in _UNSUPPORTED_FUNCTIONS:
                raise self._error(f"{text} ({_UNSUPPORTED_FUNCTIONS[text]}) is not supported", node)
        if not arguments:
            raise self._error("an atom has one or more arguments", node)
        terms = tuple(map(self._argument, arguments))
        if name.data == "bare":
            return FactAtom(str(name.children[0]), terms)
        iri = self._term(name)
        assert isinstance(iri, IRI)
        if len(terms) > 2:
            return FactAtom(iri.value, terms)
        self._check_subject(terms[0], arguments[0])
        if len(terms) == 1:
            return TripleAtom(terms[0], IRI(RDF_TYPE), iri)
        return TripleAtom(terms[0], iri, terms[1])

    def _triple(self, subject: Node, predicate: Node, object_: Node) -> TripleAtom:
        if predicate.data == "bare" and predicate.children[0] == "a":
            named: Argument = IRI(RDF_TYPE)
        else:
            named = self._argument(predicate)
        if not isinstance(named, Variable | IRI):
            raise self._error(f"{named} cannot be a predicate", predicate)
        first = self._argument(subject)
        self._check_subject(first, subject)
        return TripleAtom(first, named, self._argument(object_))

    def _check_subject(self, term: Argument, node: Node) -> None:
        if isinstance(term, Literal):
            raise self._error(f"the literal {term} cannot be a subject", node)

    def _list_atom(self, node: Node, name: str, arguments: list[Node]) -> BodyAtom:
        wrong = self._error(f"{name} is used as {name}{_LIST_ATOMS[name]}", node)
        if len(arguments) < 3 or (len(arguments) > 3 and name != "every"):
            raise wrong
        first, second = self._argument(arguments[0]), self._argument(arguments[1])
        if name == "every":
            atoms = tuple(map(self._atom, arguments[2:]))
            if not (isinstance(first, Variable) and isinstance(second, Variable)):
                raise wrong
            if not all(isinstance(atom, TripleAtom | FactAtom) for atom in atoms):
                raise wrong
            return Every(first, second, atoms)  # type: ignore[arg-type]
        third = self._argument(arguments[2])
        if name == "member":
            if not (isinstance(first, Variable) and isinstance(second, Variable)):
                raise wrong
            return Member(first, second, third)
        if not isinstance(second, Variable):
            raise wrong
        return Path(first, second, third)

    # -- terms and expressions ----------------------------------------------------------------------------------

    def _argument(self, node: Node) -> Argument:
        expression = self._expression(node)
        if isinstance(expression, Call):
            raise self._error(f"{expression} cannot be an argument of an atom; bind it to a variable", node)
        return expression

    def _expression(self, node: Node) -> Expression:
        match node.data:
            case "variable":
                return Variable(str(node.children[0])[1:])
            case "anonymous":
                return Variable(f"_{next(self._anonymous)}")
            case "bare":
                text = str(node.children[0])
                if text in ("true", "false"):
                    return Literal(text, XSD_BOOLEAN)
                raise self._error(f"{text} is neither a variable nor a term; is a prefix or a '?' missing?", node)
            case "call":
                return self._call(node)
            case "existential":
                raise self._error(f"existential variables ({node.children[0]}) are not supported", node)
            case "signed":
                return self._signed(node)
            case "deny":
                return Call("!", (self._expression(node.children[0]),))
            case "any_of" | "all_of":
                operator = "||" if node.data == "any_of" else "&&"
                return Call(operator, tuple(map(self._expression, node.children)))
            case "comparison" | "sum" | "product":
                return self._infix(node)
            case data if data in _TERMS:
                return self._term(node)
        raise self._error("expected a term or an expression here", node)

    def _infix(self, node: Node) -> Expression:
        result = self._expression(node.children[0])
        for operator, operand in zip(node.children[1::2], node.children[2::2], strict=True):
            name = "=" if operator == "==" else str(operator)
            result = Call(name, (result, self._expression(operand)))
        return result

    def _signed(self, node: Node) -> Expression:
        sign, operand = str(node.children[0]), self._expression(node.children[1])
        if isinstance(operand, Literal) and operand.datatype in (XSD_INTEGER, XSD_DECIMAL, XSD_DOUBLE):
            return Literal(("-" if sign == "-" else "") + operand.lexical, operand.datatype)
        return Call(sign, (Literal("0", XSD_INTEGER), operand))

    def _call(self, node: Node) -> Expression:
        name, arguments = node.children
        function = str(name.children[0]).lower()
        if name.data != "bare" or function not in FUNCTION_NAMES:
            raise self._error(f"there is no function {name.children[0]}", node)
        least, most = arity_of(function)
        if not least <= len(arguments.children) <= most:
            raise self._error(f"{function} does not take {len(arguments.children)} arguments", node)
        return Call(function, tuple(map(self._expression, arguments.children)))

    def _term(self, node: Node) -> Term:
        text = str(node.children[0])
        match node.data:
            case "iri":
                return IRI(self._resolve(node.children[0]))
            case "prefixed":
                prefix, _, local = text.partition(":")
                if prefix not in self.prefixes:
                    raise self._error(f"the prefix {prefix}: is not declared", node)
                return IRI(self.prefixes[prefix] + local)
            case "blank":
                return BlankNode(text[2:])
            case "double":
                return Literal(text, XSD_DOUBLE)
            case "decimal":
                return Literal(text, XSD_DECIMAL)
            case "integer":
                return Literal(text, XSD_INTEGER)
        return self._literal(node)

    def _literal(self, node: Node) -> Literal:
        text = str(node.children[0])
        quotes = 3 if text.startswith(('"""', "'''")) else 1
        lexical = _ESCAPE.sub(self._unescape, text[quotes:-quotes])
        if len(node.children) == 1:
            return Literal(lexical)
        suffix = node.children[1]
        if isinstance(suffix, Token):
            return Literal(lexical, None, str(suffix[1:]))
        datatype = self._term(suffix) if suffix.data != "bare" else None
        if not isinstance(datatype, IRI):
            raise self._error("a datatype is an IRI", node)
        return Literal(lexical, datatype.value)

    @staticmethod
    def _unescape(found: re.Match[str]) -> str:
        code = found.group(1)
        return chr(int(code[1:], 16)) if code[0] in "uU" and len(code) > 1 else _ESCAPES.get(code, code)

    def _resolve(self, token: Token) -> str:
        iri = str(token)[1:-1]
        if not re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:", iri):
            if not self._base:
                raise self._error(f"<{iri}> is a relative IRI, and there is no @base", token)
            iri = self._base + iri
        try:
            return iri_key(iri)
        except TermError as error:
            raise self._error(str(error), token) from None

    def _position(self, node: Node) -> Position:
        if isinstance(node, Token):
            return Position(self._source, node.line or 0, node.column or 0)
        if node.meta.empty:
            return Position(self._source, 0, 0)
        return Position(self._source, node.meta.line, node.meta.column)

    def _error(self, reason: str, node: Node) -> RuleSyntaxError:
        return RuleSyntaxError(reason, self._position(node))


class _Negated:
    """A negated body atom, on its way into a rule."""

    def __init__(self, atom: Atom) -> None:
        self.atom = atom


def _variables(atom: BodyAtom) -> set[Variable]:
    match atom:
        case TripleAtom() | FactAtom():
            parts: tuple[object, ...] = atom.arguments
        case Member(list_, index, member):
            parts = (list_, index, member)
        case Every(member, list_, atoms):
            parts = (member, list_, *(argument for inner in atoms for argument in inner.arguments))
        case Path(start, list_, end):
            parts = (start, list_, end)
    return {part for part in parts if isinstance(part, Variable)}
