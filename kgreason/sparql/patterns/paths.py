"""Property paths as relations (SPARQL 1.1, section 18.4)."""

from __future__ import annotations

from kgreason.errors import QueryError
from kgreason.sparql.algebra import PathPattern
from kgreason.sparql.patterns.relations import Relation
from kgreason.sparql.source import Source
from kgreason.sparql.terms import QueryTerms


class Paths:
    """The pairs that the paths of one query connect."""

    def __init__(self, terms: QueryTerms) -> None:
        self._terms = terms

    def __call__(self, pattern: PathPattern, source: Source) -> Relation:
        """The pairs of ends of a path in a graph."""
        raise QueryError("there are no paths yet")
