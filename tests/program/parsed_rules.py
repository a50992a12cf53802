"""What suites of the parser share: terms, variables, and the only rule of a text."""

from __future__ import annotations

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.parser import parse_program
from kgreason.program.rules import FactAtom, Rule, TripleAtom
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDF_TYPE, XSD_INTEGER

PREFIX = "@prefix ex: <http://e/> .\n"
TYPE = IRI(RDF_TYPE)
X, Y, Z, V, W, L, M, I = map(Variable, "xyzvwlmi")  # noqa: E741 - rules under test have these names
ONE = Literal("1", XSD_INTEGER)


def ex(name: str) -> IRI:
    return IRI(f"http://e/{name}")


def only_rule(text: str) -> Rule:
    (rule,) = parse_program(PREFIX + text).rules
    return rule


P_XY = TripleAtom(X, ex("p"), Y)
Q_X = FactAtom("q", (X,))
