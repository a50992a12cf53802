"""LOAD: a document from where its IRI leads, if the owner of the store allows it."""

from __future__ import annotations

from rdflib.term import URIRef

from kgreason.checkpoints import heeding
from kgreason.engine.budget import Budget
from kgreason.io.documents import documents_at_iri
from kgreason.io.gathered import Gathered
from kgreason.io.readers import gather_documents
from kgreason.sparql.limits import Limits


def document(source: URIRef, limits: Limits, budget: Budget) -> Gathered:
    """The quads of a document, for any dictionary; in the format that its server, its name or its content tells.

    Raises:
        AccessError: the owner of the store has not allowed to reach for it.
        LoadError: it cannot be fetched, or read in any of them.
        QueryLimitError: it took longer than the request may.
        BudgetError: it took longer than the budget of the store allows.
    """
    reading = budget.reading()

    def check(rows: int) -> None:
        limits.check(rows)
        reading(rows)

    with heeding(check):
        return gather_documents(documents_at_iri(str(source), limits.access))
