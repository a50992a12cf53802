"""From the text of a rule set to its rules: the draft's grammar over the readers of SPARQL's.

Beside it, CONSTRUCT as the draft's tests have it, and two forms of earlier drafts: ``IF { body } THEN { head }``, and
the declarations ``TRANSITIVE(:p)``, ``SYMMETRIC(:p)`` and ``INVERSE(:p, :q)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

from kgreason.algebra.expressions.tree import Variable, subexpressions
from kgreason.errors import Position, QueryError, RuleSyntaxError, TermError
from kgreason.program.rules import Expression, TripleAtom
from kgreason.rdf.keys import key_of
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import Expression as QueryExpression
from kgreason.sparql.algebra import Node, Path, TripleTermPattern
from kgreason.sparql.limits import too_deep
from kgreason.sparql.syntax.expressions import ExpressionReader
from kgreason.sparql.syntax.term_syntax import IRIS, Namespaces
from kgreason.sparql.syntax.triple_terms import Triple
from kgreason.sparql.syntax.triples import SUBJECTS
from kgreason.sparql_rl.construct import BASE_GRAPH, Bound, ConstructElement, rule_elements
from kgreason.sparql_rl.earlier_drafts import DECLARATIONS, declared_rules
from kgreason.sparql_rl.read_triples import atom_of, constant_of, makes_triple, parts_of
from kgreason.sparql_rl.rule_functions import RuleFunctions, check_depth, check_function, paired
from kgreason.sparql_rl.rule_paths import is_plain, unfolded
from kgreason.sparql_rl.rule_set import (
    Assign,
    Element,
    Fact,
    Filter,
    Import,
    Negation,
    Parts,
    Patterns,
    RuleSet,
    RuleText,
)

_STATEMENTS: Final = ("RULE", "CONSTRUCT", "DATA", "PREFIX", "BASE", "VERSION", "IMPORTS")


def read_rule_set(text: str, source: str, base: str | None = None, prefixes: Namespaces | None = None) -> RuleSet:
    """The rule set of a text: some microseconds for each of its words.

    Args:
        source: names the text in errors and in the names of rules without one.
        base: what relative IRIs start from, unless the text says so.
        prefixes: those that the text need not declare.

    Raises:
        RuleSyntaxError: it does not follow the grammar; with line and column.
    """
    try:
        return _Reader(text, source, base, prefixes or {}).rule_set()
    except RecursionError:
        raise RuleSyntaxError.like(too_deep()).locate(path=source) from None
    except QueryError as error:
        raise RuleSyntaxError.like(error).locate(path=source) from None


class _Reader(ExpressionReader):
    """Reads a rule set."""

    def __init__(self, text: str, source: str, base: str | None, prefixes: Namespaces) -> None:
        super().__init__(text, base, prefixes, RuleFunctions())
        self._source = source
        self._rules: list[RuleText] = []
        self._facts: list[Fact] = []
        self._imports: list[Import] = []

    def rule_set(self) -> RuleSet:
        """The whole text."""
        while self.kind != "end":
            self._statement()
        return RuleSet(tuple(self._rules), tuple(self._facts), tuple(self._imports), dict(self.declared))

    def _statement(self) -> None:
        self.prologue()
        match self.kind:
            case "end":
                return
            case "IMPORTS":
                position = self._position()
                self.next()
                self._imports.append(Import(self._absolute(self.iri()).value, position))
            case "RULE" | "CONSTRUCT":
                self._rules.append(self._rule())
            case "IF":
                self._rules.append(self._conditional())
            case "DATA":
                self._data()
            case word if word in DECLARATIONS:
                self._declaration(DECLARATIONS[word])
            case _:
                self.refuse(*_STATEMENTS)

    def _position(self) -> Position:
        return Position(self._source, *self.place(self.at))

    def group_node(self) -> Node:
        """EXISTS, which rules do not have."""
        self.wrong("EXISTS in a rule", expected="NOT { ... }")

    # -- rules ---------------------------------------------------------------------------------------------------

    def _rule(self) -> RuleText:
        position = self._position()
        name = f"{self._source}:{position.line}"
        if self.take("RULE") and self.kind in IRIS:
            name = self._absolute(self.iri()).value
        constructs = self.take("CONSTRUCT")
        self.new_scope()
        head, terms = self._head()
        if not self.take("WHERE"):
            self.refuse("WHERE")
        if constructs:
            elements, of_data = self._of_graph(self._construct_elements)
            return RuleText(head, tuple(rule_elements(elements, head)), of_data, name, position, terms)
        of_data = self.take("DATA")
        body = self._braced(self._elements, "WHERE" if of_data else "DATA")
        return RuleText(head, tuple(body), of_data, name, position, terms)

    def _conditional(self) -> RuleText:
        position = self._position()
        self.next()
        self.new_scope()
        body = self._braced(self._elements)
        self.expect("THEN")
        head, terms = self._head()
        return RuleText(head, tuple(body), False, f"{self._source}:{position.line}", position, terms)

    def _declaration(self, arity: int) -> None:
        position, word = self._position(), self.next().upper()
        self.expect("(")
        given = [self._absolute(self.iri())]
        while len(given) < arity:
            self.expect(",")
            given.append(self._absolute(self.iri()))
        self.expect(")")
        self._rules += declared_rules(word, given, f"{self._source}:{position.line}", position)

    def _head(self) -> tuple[tuple[TripleAtom, ...], dict[Variable, Parts]]:
        self.in_pattern = False
        if self.kind != "{":
            self.refuse("'{'")
        found: list[Triple] = []
        self._template(found)
        terms = {Variable(name): parts_of(call) for name, call in self.taken_computed().items() if makes_triple(call)}
        return tuple(atom_of(triple) for triple in found), terms

    def _template(self, found: list[Triple]) -> None:
        self.enter()
        self.expect("{")
        while self.kind in SUBJECTS:
            if not self.triples(found):
                break
        if not self.take("}"):
            self.refuse_iri("'}'", "'.'", "';'", "','")
        self.leave()

    def _data(self) -> None:
        position = self._position()
        self.next()
        self.new_scope()
        self.in_pattern = False
        self.without_variables = "DATA"
        found: list[Triple] = []
        self._template(found)
        self.without_variables = None
        terms = {Variable(name): parts_of(call) for name, call in self.taken_computed().items() if makes_triple(call)}
        for triple in found:
            atom = atom_of(triple)
            whole = TripleAtom(*(constant_of(part, terms) for part in atom.arguments))
            self._facts.append(Fact(whole, position))

    # -- bodies --------------------------------------------------------------------------------------------------

    def _braced(self, read: Callable[[], list[Any]], *others: str) -> list[Any]:
        if self.kind != "{":
            self.refuse("'{'", *others)
        self.enter()
        self.next()
        found = read()
        if not self.take("}"):
            self._refuse_element()
        self.leave()
        return found

    def _of_graph(self, read: Callable[[], list[Any]]) -> tuple[list[Any], bool]:
        """What braces have, and whether that is ``GRAPH <urn:graph:base> { ... }``, the base graph alone."""
        if self.kind != "{" or self.kind_after() != "GRAPH":
            return self._braced(read), False
        return self._braced(lambda: self._graph(read)), True

    def _graph(self, read: Callable[[], list[Any]]) -> list[Any]:
        at = self.at
        self.next()
        if self.kind not in IRIS or self.iri() != BASE_GRAPH:
            self.wrong("GRAPH in a rule", at, expected=f"GRAPH {BASE_GRAPH}")
        return self._braced(read)

    def _elements(self) -> list[Element]:
        """The elements of a body."""
        return self._listed({"FILTER": self._filter, "SET": self._set, "NOT": self._negation})

    def _inner(self) -> list[Element]:
        """The elements of a negation."""
        return self._listed({"FILTER": self._filter})

    def _construct_elements(self) -> list[ConstructElement]:
        """The elements of a CONSTRUCT."""
        return self._listed({"FILTER": self._construct_filter, "BIND": self._bind})

    def _listed(self, readers: Mapping[str, Callable[[], Any]]) -> list[Any]:
        found: list[Any] = []
        while True:
            if self.kind in SUBJECTS:
                found.append(self._patterns())
            reader = readers.get(self.kind)
            if reader is None:
                return found
            found.append(reader())
            self.take(".")

    def _refuse_element(self) -> NoReturn:
        if self.kind == "{":
            self.wrong("a group in a body", expected="triples, FILTER, NOT or SET")
        if self.kind in ("OPTIONAL", "UNION", "MINUS", "GRAPH", "SERVICE", "BIND", "VALUES", "SELECT"):
            self.wrong(f"{self.kind} in a rule", expected="triples, FILTER, NOT or SET")
        self.refuse_iri("'.'", "a triple", "FILTER", "NOT", "SET", "'}'")

    def _patterns(self) -> Patterns:
        found: list[Triple] = []
        self.in_pattern = True
        ended = self.triples(found)
        self.in_pattern = False
        if not ended and self.kind in SUBJECTS:
            self.refuse("'.'", "';'", "','", "'}'")
        triples: list[TripleAtom] = []
        terms: dict[Variable, Parts] = {}
        for triple in found:
            if isinstance(triple, TripleTermPattern):
                subject, verb, object = triple.subject, triple.predicate, triple.object
                assert isinstance(triple.term, Variable)
                terms[triple.term] = (subject, verb, object)
            else:
                triples += unfolded(*triple, self.new_variable)
        return Patterns(tuple(triples), terms)

    def _filter(self) -> Filter:
        position = self._position()
        self.next()
        return Filter(self._expression_at(position, self.constraint), position)

    def _construct_filter(self) -> ConstructElement:
        position = self._position()
        if self.kind_after() == "NOT":
            self.next()
            self.next()
            self.expect("EXISTS")
            elements, of_data = self._of_graph(self._inner)
            return Negation(tuple(elements), of_data, position)
        kinds = self.tokens.kinds[self.at + 1 : self.at + 3]
        if "BOUND" not in kinds[: 1 + (kinds[0] == "(")]:
            return self._filter()
        self.next()
        closing = ["("] * (1 + self.take("("))
        self.next()
        self.expect("(")
        variable = self.variable()
        for _ in closing:
            self.expect(")")
        return Bound(variable, position)

    def _bind(self) -> Assign:
        position = self._position()
        self.next()
        self.expect("(")
        expression = self._expression_at(position, self.expression, with_nodes=True)
        self.expect("AS", "an operator")
        variable = self.variable()
        self.expect(")")
        return Assign(variable, expression, position)

    def _set(self) -> Assign:
        position = self._position()
        self.next()
        self.expect("(")
        variable = self.variable()
        if self.kind != "name" or self.text != ":" or self.kind_after() != "=":
            self.refuse("':='")
        self.next()
        self.next()
        expression = self._expression_at(position, self.expression, with_nodes=True)
        self.expect(")", "an operator")
        return Assign(variable, expression, position)

    def _negation(self) -> Negation:
        position = self._position()
        self.next()
        of_data = self.take("DATA")
        elements = self._braced(self._inner, *(() if of_data else ("DATA",)))
        return Negation(tuple(elements), of_data, position)

    def path(self) -> Path:
        """A path of a rule: a sequence of properties, each forward or inverse."""
        at = self.at
        found = super().path()
        if not is_plain(found):
            self.wrong("a path with repetition, choice or '!'", at, expected="properties with '/' and '^'")
        return found

    # -- terms ---------------------------------------------------------------------------------------------------

    def iri(self, *others: str) -> IRI:
        """An IRI, which must be absolute."""
        return self._absolute(super().iri(*others))

    def _absolute(self, iri: IRI) -> IRI:
        try:
            key_of(iri)
        except TermError as error:
            self.wrong(error.reason, self.at - 1)
        return iri

    def _expression_at(
        self, at: Position, read: Callable[[], QueryExpression], *, with_nodes: bool = False
    ) -> Expression:
        """An expression of functions that rules may call; errors that know no place have that of the element."""
        try:
            expression = read()
            for part in subexpressions(expression):
                check_function(part, with_nodes=with_nodes)
            found = paired(expression)
            check_depth(found)
        except QueryError as error:
            raise error.locate(line=at.line, column=at.column) from None
        return found

