"""Rules of Notation3 (N3): ``{ body } => { head } .``, forward and without built-ins.

Triples between the rules are facts. Variables are ``?x``, blank nodes of a body are variables of it, lists are RDF
lists. ``{ head } <= { body }`` says the same as the rule the other way round, and ``{ body } => false`` is an integrity
condition. The tokens of N3 that matter here are those of SPARQL, so its scanner and its reader of triples serve.

Source: Notation3 Language, W3C community group report of 2024 (https://w3c.github.io/N3/spec/).
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final, NoReturn

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import Position, QueryError, RuleSyntaxError
from kgreason.program.rules import Program, Rule, TripleAtom
from kgreason.program.safety import check_safety
from kgreason.rdf.model import IRI, BlankNode, Literal
from kgreason.rdf.vocabulary import OWL
from kgreason.sparql.algebra import Path, TripleTermPattern
from kgreason.sparql.syntax.term_syntax import IRIS, LITERALS
from kgreason.sparql.syntax.triple_terms import TYPE, Operand, Triple
from kgreason.sparql.syntax.triples import SUBJECTS, TripleReader

_SWAP: Final = "http://www.w3.org/2000/10/swap/"
_IMPLIES: Final = IRI(f"{_SWAP}log#implies")
_SAME: Final = IRI(OWL + "sameAs")
_BODY, _HEAD = "the body of a rule", "the head of a rule"
_REFUSED: Final = {
    "HAS": "has ... says a triple in other words",
    "IS": "is ... of says a triple the other way round",
}


def parse_n3(text: str, source: str = "rules", base: str | None = None) -> Program:
    """The rules and facts of a text: O(its length).

    Raises:
        RuleSyntaxError: it is not N3, or has what no rule can say: a built-in, a new node in a head, a formula inside
            of a formula, a quantifier; with line and column.
        UnsafeRuleError: a variable of a head that the body does not bind.
    """
    reader = _N3Reader(text, source, base)
    try:
        reader.document()
        for rule in reader.rules:
            check_safety(rule)
    except QueryError as error:
        raise RuleSyntaxError.like(error).locate(path=source) from error
    except RecursionError:
        raise RuleSyntaxError("a rule is nested too deeply", Position(source, 1, 1)) from None
    return Program(tuple(reader.rules), reader.declared)


class _N3Reader(TripleReader):
    """Reads a document; its tokens are those of SPARQL, with ``@prefix`` as a tag and ``=>`` in two."""

    def __init__(self, text: str, source: str, base: str | None) -> None:
        super().__init__(text, base, {})
        self.rules: list[Rule] = []
        self._source = source
        self._number = 0
        self._digest = sha256(text.encode()).hexdigest()[:12]

    def document(self) -> None:
        """The whole text."""
        while self.kind != "end":
            if self.kind == "tag":
                self._directive()
            elif self.kind in ("PREFIX", "BASE"):
                self.prologue()
            elif self.kind in ("{", "TRUE"):
                self._rule()
            else:
                self._facts()

    def _directive(self) -> None:
        word = self.text
        if word not in ("@prefix", "@base"):
            self.wrong(f"{word} has no counterpart in a rule", expected="?x for each variable, @prefix, @base")
        self.next()
        if word == "@prefix":
            self._prefix()
        else:
            self.base = self._resolved(self._iri_token()[1:-1])
        self._iris.clear()
        self.expect(".")

    # -- rules ---------------------------------------------------------------------------------------------------

    def _rule(self) -> None:
        line, column = self.place(self.at)
        start = self.at
        self._skip_formula()
        is_forward = self._arrow()
        after = self.at
        self.back_to(start if is_forward else after)
        body = self._formula(_BODY)
        end = self.at
        self.back_to(after if is_forward else start)
        heads = None if self.kind == "FALSE" and is_forward else self._formula(_HEAD)
        if heads is None:
            self.next()
        self.back_to(max(self.at, end))
        if self.kind != "end":
            self.expect(".")
        if heads is None and not body:
            self.wrong("what is always true is called false", start)
        if heads != []:
            position = Position(self._source, line, column)
            self.rules.append(Rule(tuple(heads or ()), tuple(body), position=position))

    def _skip_formula(self) -> None:
        """Go on behind a formula, whose end shows which way the rule goes."""
        if self.take("TRUE"):
            return
        self.expect("{")
        depth = 1
        while depth:
            if self.kind in ("end", "bad"):
                self.refuse("'}'")
            depth += (self.kind == "{") - (self.kind == "}")
            self.next()

    def _arrow(self) -> bool:
        """Whether the rule goes forward."""
        if self.take("<="):
            return False
        if self.kind == "=" and self.kind_after() == ">":
            self.next()
            self.next()
            return True
        if self.kind in IRIS and self.iri() == _IMPLIES:
            return True
        self.wrong("a formula that is not a rule", expected="=> or <= behind it")

    def _formula(self, part: str) -> list[TripleAtom]:
        if self.take("TRUE"):
            return []
        if self.kind != "{":
            self.refuse("'{'")
        self.next()
        self.basic += 1
        self._labels.clear()
        self.in_pattern = part == _BODY
        self.without_blanks = _HEAD if part == _HEAD else None
        found: list[Triple] = []
        start = self.at
        if self.kind in SUBJECTS or self.kind == "{":
            self.triples(found)
        self.expect("}", "'.'", "a triple")
        return [self._atom(triple, part, start) for triple in found]

    def _atom(self, triple: Triple, part: str, at: int) -> TripleAtom:
        if isinstance(triple, TripleTermPattern):
            self.wrong("a triple term with variables, which no rule can take apart", at, part=part)
        subject, verb, object = triple
        if isinstance(verb, IRI) and verb.value.startswith(_SWAP):
            self.wrong(f"{verb} is a built-in", at, part=part, expected="properties of the data")
        if isinstance(subject, Literal):
            self.wrong(f"the literal {subject} as a subject", at, part=part, expected="an IRI or a variable")
        assert isinstance(verb, IRI | Variable), "a verb of N3 is not a path"
        return TripleAtom(subject, verb, object)

    # -- facts ---------------------------------------------------------------------------------------------------

    def _facts(self) -> None:
        """One statement, whose triples hold in any case."""
        start, found = self.at, list[Triple]()
        self.in_pattern, self.without_blanks, self.without_variables = False, None, "a fact"
        if self.kind not in SUBJECTS:
            self.refuse_iri("a rule in braces", "a triple")
        self._same_subject(found)
        self.without_variables = None
        if self.kind != "end":
            self.expect(".", "';'", "','")
        atoms = tuple(self._atom(triple, _HEAD, start) for triple in found)
        self.rules.append(Rule(atoms, (), position=Position(self._source, *self.place(start))))

    # -- what differs from SPARQL --------------------------------------------------------------------------------

    def node(self, found: list[Triple]) -> Operand:
        """A subject or an object."""
        if self.kind == "{":
            self.wrong("a formula inside of a formula, or as a term")
        known = super().node(found)
        if self.kind in ("!", "^"):
            self.wrong(f"a path with {self.text}", expected="its triples with a variable in between")
        return known

    def _verb(self) -> Path | Variable:
        if self.kind in _REFUSED:
            self.wrong(_REFUSED[self.kind], expected="subject property object")
        if self.kind == "variable":
            return self.operand_variable()
        if self.take("a"):
            return TYPE
        if self.kind == "=" and self.kind_after() != ">":
            self.next()
            return _SAME
        if self.kind in LITERALS or self.kind in ("[", "(", "{", "label"):
            self.refuse("a property")
        return self.iri("a variable", "'a'")

    def new_node(self) -> Operand:
        """A new blank node, whose name a rule can be written with."""
        self._number += 1
        return Variable(f"blank_node_{self._number}") if self.in_pattern else self._blank_node(str(self._number))

    def _labelled(self) -> Operand:
        found = super()._labelled()
        if isinstance(found, BlankNode):
            return self._blank_node(found.label)
        return Variable(f"blank_node_{found.name[2:]}") if isinstance(found, Variable) else found

    def _blank_node(self, label: str) -> BlankNode:
        """A blank node of this text, and of no other one."""
        return BlankNode(f"n3-{self._digest}-{label}")

    def take_no_blank(self) -> None:
        """Refuse a blank node, which in a head would be a new one."""
        if self.without_blanks is not None:
            self.refuse_new_node()

    def refuse_new_node(self) -> NoReturn:
        """Say that a rule makes no new nodes."""
        self.wrong("a blank node, which would be a new one for each match", part=_HEAD, expected="?x or an IRI")
