"""The bodies of rules: triples, filters, assignments and negations, from tokens to elements of a rule set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from kgreason.algebra.expressions.tree import Variable, subexpressions
from kgreason.errors import Position, QueryError, TermError
from kgreason.program.rules import Expression, TripleAtom
from kgreason.rdf.keys import key_of
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import Expression as QueryExpression
from kgreason.sparql.algebra import Node, Path, TripleTermPattern
from kgreason.sparql.syntax.expressions import ExpressionReader
from kgreason.sparql.syntax.term_syntax import IRIS, Namespaces
from kgreason.sparql.syntax.triple_terms import Triple
from kgreason.sparql.syntax.triples import SUBJECTS
from kgreason.sparql_rl.construct import BASE_GRAPH, Bound, ConstructElement
from kgreason.sparql_rl.rule_functions import RuleFunctions, check_depth, check_function, paired
from kgreason.sparql_rl.rule_paths import is_plain, unfolded
from kgreason.sparql_rl.rule_set import Assign, Element, Filter, Negation, Parts, Patterns


class BodyReader(ExpressionReader):
    """Reads the elements of bodies; `source` names the text in errors."""

    def __init__(self, text: str, source: str, base: str | None, prefixes: Namespaces) -> None:
        super().__init__(text, base, prefixes, RuleFunctions())
        self.source = source

    def position(self) -> Position:
        """Where the next token is."""
        return Position(self.source, *self.place(self.at))

    def group_node(self) -> Node:
        """EXISTS, which rules do not have."""
        self.wrong("EXISTS in a rule", expected="NOT { ... }")

    def braced(self, read: Callable[[], list[Any]], *others: str) -> list[Any]:
        """What braces have, by its reader; `others` are words that might stand in their place."""
        if self.kind != "{":
            self.refuse("'{'", *others)
        self.enter()
        self.next()
        found = read()
        if not self.take("}"):
            self._refuse_element()
        self.leave()
        return found

    def of_graph(self, read: Callable[[], list[Any]]) -> tuple[list[Any], bool]:
        """What braces have, and whether that is ``GRAPH <urn:graph:base> { ... }``, the base graph alone."""
        if self.kind != "{" or self.kind_after() != "GRAPH":
            return self.braced(read), False
        return self.braced(lambda: self._graph(read)), True

    def _graph(self, read: Callable[[], list[Any]]) -> list[Any]:
        at = self.at
        self.next()
        if self.kind not in IRIS or self.iri() != BASE_GRAPH:
            self.wrong("GRAPH in a rule", at, expected=f"GRAPH {BASE_GRAPH}")
        return self.braced(read)

    def elements(self) -> list[Element]:
        """The elements of a body."""
        return self._listed({"FILTER": self._filter, "SET": self._set, "NOT": self._negation})

    def _inner(self) -> list[Element]:
        """The elements of a negation."""
        return self._listed({"FILTER": self._filter})

    def construct_elements(self) -> list[ConstructElement]:
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
        position = self.position()
        self.next()
        return Filter(self._expression_at(position, self.constraint), position)

    def _construct_filter(self) -> ConstructElement:
        position = self.position()
        if self.kind_after() == "NOT":
            self.next()
            self.next()
            self.expect("EXISTS")
            elements, of_data = self.of_graph(self._inner)
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
        position = self.position()
        self.next()
        self.expect("(")
        expression = self._expression_at(position, self.expression, with_nodes=True)
        self.expect("AS", "an operator")
        variable = self.variable()
        self.expect(")")
        return Assign(variable, expression, position)

    def _set(self) -> Assign:
        position = self.position()
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
        position = self.position()
        self.next()
        of_data = self.take("DATA")
        elements = self.braced(self._inner, *(() if of_data else ("DATA",)))
        return Negation(tuple(elements), of_data, position)

    def path(self) -> Path:
        """A path of a rule: a sequence of properties, each forward or inverse."""
        at = self.at
        found = super().path()
        if not is_plain(found):
            self.wrong("a path with repetition, choice or '!'", at, expected="properties with '/' and '^'")
        return found

    def iri(self, *others: str) -> IRI:
        """An IRI, which must be absolute."""
        return self.absolute(super().iri(*others))

    def absolute(self, iri: IRI) -> IRI:
        """An IRI that was just read, which must be absolute."""
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
