"""From the text of a rule set to its rules: the draft's grammar over the readers of SPARQL's.

Beside it, CONSTRUCT as the draft's tests have it, and two forms of earlier drafts: ``IF { body } THEN { head }``, and
the declarations ``TRANSITIVE(:p)``, ``SYMMETRIC(:p)`` and ``INVERSE(:p, :q)``.
"""

from __future__ import annotations

from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import QueryError, RuleSyntaxError
from kgreason.program.rules import TripleAtom
from kgreason.sparql.limits import too_deep
from kgreason.sparql.syntax.term_syntax import IRIS, Namespaces
from kgreason.sparql.syntax.triple_terms import Triple
from kgreason.sparql.syntax.triples import SUBJECTS
from kgreason.sparql_rl.body_reader import BodyReader
from kgreason.sparql_rl.construct import rule_elements
from kgreason.sparql_rl.earlier_drafts import DECLARATIONS, declared_rules
from kgreason.sparql_rl.read_triples import atom_of, constant_of, makes_triple, parts_of
from kgreason.sparql_rl.rule_set import Fact, Import, Parts, RuleSet, RuleText

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


class _Reader(BodyReader):
    """Reads a rule set."""

    def __init__(self, text: str, source: str, base: str | None, prefixes: Namespaces) -> None:
        super().__init__(text, source, base, prefixes)
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
                position = self.position()
                self.next()
                self._imports.append(Import(self.absolute(self.iri()).value, position))
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

    def _rule(self) -> RuleText:
        position = self.position()
        name = f"{self.source}:{position.line}"
        if self.take("RULE") and self.kind in IRIS:
            name = self.absolute(self.iri()).value
        constructs = self.take("CONSTRUCT")
        self.new_scope()
        head, terms = self._head()
        if not self.take("WHERE"):
            self.refuse("WHERE")
        if constructs:
            elements, of_data = self.of_graph(self.construct_elements)
            return RuleText(head, tuple(rule_elements(elements, head)), of_data, name, position, terms)
        of_data = self.take("DATA")
        body = self.braced(self.elements, "WHERE" if of_data else "DATA")
        return RuleText(head, tuple(body), of_data, name, position, terms)

    def _conditional(self) -> RuleText:
        position = self.position()
        self.next()
        self.new_scope()
        body = self.braced(self.elements)
        self.expect("THEN")
        head, terms = self._head()
        return RuleText(head, tuple(body), False, f"{self.source}:{position.line}", position, terms)

    def _declaration(self, arity: int) -> None:
        position, word = self.position(), self.next().upper()
        self.expect("(")
        given = [self.absolute(self.iri())]
        while len(given) < arity:
            self.expect(",")
            given.append(self.absolute(self.iri()))
        self.expect(")")
        self._rules += declared_rules(word, given, f"{self.source}:{position.line}", position)

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
        position = self.position()
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
