"""What is said of a term: its triples in groups by property, asserted and inferred told apart, with labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.lookup.best_labels import BestLabels
from kgreason.lookup.readable_terms import ReadableTerms
from kgreason.rdf.model import BlankNode, Term
from kgreason.store.knowledge_base import KnowledgeBase

VALUES: Final = 50
"""So many values of a property are shown, asserted ones first."""


@dataclass(frozen=True, slots=True)
class ResourceSummary:
    """Describes the terms of a knowledge base that nobody changes."""

    knowledge: KnowledgeBase
    labels: BestLabels
    prefixes: dict[str, str]

    def of(self, term: Term) -> dict[str, Any]:
        """The groups of triples that begin or end with a term."""
        identifier = self.knowledge.dictionary.lookup(term)
        found = {"term": str(term), **self._name(identifier, term)}
        if identifier is None:
            return {**found, "outgoing": [], "incoming": []}
        return {**found, "outgoing": self._groups(identifier, True), "incoming": self._groups(identifier, False)}

    def _groups(self, term: int, is_subject: bool) -> list[dict[str, Any]]:
        """A group for each property, with as many values as are shown."""
        everything, explicit = self.knowledge.all(), self.knowledge.explicit()
        pattern = (term, None, None) if is_subject else (None, None, term)
        values: dict[int, list[int]] = {}
        counts: dict[int, int] = {}
        asserted: dict[int, dict[int, None]] = {}
        for view, is_explicit in ((explicit, True), (everything, False)):
            for subjects, predicates, objects in view.match(*pattern):
                ends = objects if is_subject else subjects
                for predicate in sorted_sets.unique(predicates).tolist():
                    own = ends[predicates == predicate]
                    if is_explicit:
                        asserted.setdefault(predicate, {}).update(dict.fromkeys(own[:VALUES].tolist()))
                    else:
                        counts[predicate] = counts.get(predicate, 0) + len(own)
                        values.setdefault(predicate, []).extend(own[: 2 * VALUES].tolist())
        groups = [
            self._group(predicate, asserted.get(predicate, {}), values[predicate], counts[predicate])
            for predicate in values
        ]
        return sorted(groups, key=lambda group: (-group["asserted"], str(group["label"]).casefold()))

    def _group(self, predicate: int, asserted: dict[int, None], values: list[int], count: int) -> dict[str, Any]:
        shown = [*dict.fromkeys((*asserted, *values))][:VALUES]
        property = self.knowledge.dictionary.decode(predicate)
        return {
            "property": str(property),
            **self._name(predicate, property),
            "count": count,
            "asserted": len(asserted),
            "values": [self._value(value, value in asserted) for value in shown],
        }

    def _value(self, value: int, is_asserted: bool) -> dict[str, Any]:
        term = self.knowledge.dictionary.decode(value)
        return {"term": str(term), **self._name(value, term), "asserted": is_asserted}

    def _name(self, identifier: int | None, term: Term) -> dict[str, Any]:
        """What to call a term: its label, or for a blank node what is said of it."""
        if isinstance(term, BlankNode):
            return {"label": ReadableTerms(self.knowledge, self.prefixes, deepest=2).term(term)}
        label = None if identifier is None else self.labels.texts(np.array([identifier], dtype=np.uint32))[0]
        return {"label": label}
