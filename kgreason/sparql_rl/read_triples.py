"""Triples that SPARQL's readers give, as the atoms and terms of rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.program.rules import Argument, TripleAtom
from kgreason.rdf.model import IRI, BlankNode, Term, TripleTerm
from kgreason.sparql.algebra import TripleTermPattern
from kgreason.sparql.syntax.triple_terms import Triple
from kgreason.sparql_rl.rule_set import Parts


def atom_of(triple: Triple) -> TripleAtom:
    """The atom of a triple that is not a pattern of a triple term."""
    assert not isinstance(triple, TripleTermPattern), "of patterns alone"
    subject, verb, object = triple
    assert isinstance(verb, IRI | Variable)
    return TripleAtom(subject, verb, object)


def makes_triple(call: object) -> bool:
    """Whether an expression makes a triple term."""
    return isinstance(call, Call) and call.function == "triple"


def parts_of(call: Any) -> Parts:
    """What a triple term of a head is made of: blank nodes of it are what they were written as."""
    subject, verb, object = map(_written, call.arguments)
    return subject, verb, object


def _written(part: Argument) -> Argument:
    if isinstance(part, Variable) and part.name.startswith("_:new "):
        return BlankNode(part.name.removeprefix("_:new "))
    return part


def constant_of(part: Argument, terms: Mapping[Variable, Parts]) -> Term:
    """A term of a DATA block."""
    if not isinstance(part, Variable):
        return part
    subject, verb, object = (constant_of(inner, terms) for inner in terms[part])
    return TripleTerm(subject, verb, object)  # type: ignore[arg-type]  # the grammar has no other verbs
