"""Which missing facts are of a schema, and how far a derivation is that lacks some."""

from __future__ import annotations

from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.proofs.rule_patterns import Vocabulary
from kgreason.proofs.steps import TRIPLE
from kgreason.proofs.why_not import FailedDerivation, OpenFact
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF_FIRST, RDF_REST, RDF_TYPE, RDFS

WEIGHT: Final = 2
"""A missing axiom counts as so many missing facts more."""


class SchemaAtoms:
    """Tells facts in the vocabulary of RDFS and OWL, list cells, and facts of auxiliary relations from data."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._terms = vocabulary.terms

    def rank(self, derivation: FailedDerivation[int]) -> int:
        """Its distance, with more for missing facts of a schema."""
        return derivation.distance + WEIGHT * self.missing(derivation)

    def missing(self, derivation: FailedDerivation[int]) -> int:
        """How many facts of a schema it lacks."""
        return sum(map(self.has, derivation.missing))

    def has(self, fact: OpenFact[int]) -> bool:
        """Whether a fact is of a schema."""
        if fact.relation != TRIPLE:
            return True
        _, predicate, object = map(self._iri, fact.arguments)
        named = object if predicate == RDF_TYPE else predicate
        return named.startswith((RDFS, OWL)) or named in (RDF_FIRST, RDF_REST)

    def _iri(self, part: int | Variable) -> str:
        term = None if isinstance(part, Variable) else self._terms.decode(part)
        return term.value if isinstance(term, IRI) else ""
