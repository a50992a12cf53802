"""Atoms as texts write them: of one argument or two with an IRI, as triples in brackets, of any relation, and along
lists."""

from __future__ import annotations

from collections.abc import Sequence

from lark import Token, Tree

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import RuleSyntaxError
from kgreason.program.expression_reader import ExpressionReader
from kgreason.program.name_reader import Node
from kgreason.program.relation_names import LIST_ATOMS
from kgreason.program.rule_variables import TYPE
from kgreason.program.rules import Argument, Atom, BodyAtom, Every, FactAtom, Member, Path, TripleAtom
from kgreason.rdf.model import IRI, Literal


class AtomReader:
    """Reads the atoms of rules, with the prefixes of `expressions`; RuleSyntaxError for what is none."""

    def __init__(self, expressions: ExpressionReader) -> None:
        self._expressions = expressions
        self._error = expressions.error

    def plain(self, node: Node, otherwise: str) -> Atom:
        """An atom that is not along a list; RuleSyntaxError with the reason `otherwise` for others."""
        atom = self.atom(node)
        if not isinstance(atom, TripleAtom | FactAtom):
            raise self._error(otherwise, node)
        return atom

    def atom(self, node: Node) -> BodyAtom:
        """An atom as it stands in a body."""
        if isinstance(node, Tree) and node.data == "triple":
            return self._triple(node)
        if not isinstance(node, Tree) or node.data not in ("call", "bracket"):
            raise self.refused(node)
        name, *nodes = node.children
        assert isinstance(name, Token)
        if name in LIST_ATOMS and not is_square(node):
            return self._list_atom(node, str(name), nodes)
        return self.named(name, self._arguments(nodes))

    def refused(self, node: Node) -> RuleSyntaxError:
        """The error for what stands where an atom is expected."""
        what = f", not {' '.join(node.split())}; an atom has arguments" if isinstance(node, Token) else ""
        return self._error(f"expected an atom here{what}", node)

    def _arguments(self, nodes: Sequence[Node]) -> tuple[Argument, ...]:
        if len(nodes) == 1 and isinstance(nodes[0], Token) and nodes[0].type == "ARGUMENTS":
            return self._expressions.simple_arguments(nodes[0])
        return tuple(map(self._expressions.argument, nodes))

    def named(self, name: Token, arguments: tuple[Argument, ...]) -> Atom:
        """The atom of a relation by its name: triples where that is an IRI with one argument or two."""
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
                return Every(first, second, tuple(self.plain(atom, reason) for atom in nodes[2:]))
        else:
            match name, self._arguments(nodes):
                case "member", (Variable() as first, Variable() as second, third):
                    return Member(first, second, third)
                case "path", (first, Variable() as second, third):
                    self._check_subject(first, node)
                    return Path(first, second, third)
                case "path", (first, second):
                    return FactAtom(name, (first, second))
        raise self._error(f"{name} is used as {LIST_ATOMS[name]}", node)


def is_square(node: Tree[Token]) -> bool:
    """Whether the arguments of an atom stand in square brackets: then its name is that of a relation."""
    first = node.children[1] if len(node.children) > 1 else None
    return node.data == "bracket" or (isinstance(first, Token) and first.startswith("["))
