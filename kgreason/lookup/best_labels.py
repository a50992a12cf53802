"""The label that suits a reader best, for every term that has one: by columns, for trees and lists of many terms.

A preferred name in the language of the reader comes before one without a language, one in English, and any other one;
an alternative name counts only where there is no preferred one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa, pc
from kgreason.dictionary.arrow_columns import mask_of, text_scalar
from kgreason.dictionary.dictionary import Dictionary
from kgreason.lookup.label_index import LABELS
from kgreason.rdf.keys import LITERAL_KIND
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import SKOS
from kgreason.store.triple_view import TripleView

_ALTERNATIVE: Final = (SKOS + "altLabel", SKOS + "hiddenLabel")
_OWN, _NONE, _ENGLISH, _OTHER = range(4)


@dataclass(frozen=True, slots=True)
class BestLabels:
    """For each of ascending `subjects` the literal that is its label, in `literals`."""

    subjects: NDArray[np.uint32]
    literals: NDArray[np.uint32]
    dictionary: Dictionary

    @classmethod
    def of(cls, view: TripleView, dictionary: Dictionary, language: str) -> BestLabels:
        """The labels of all terms of a view, for readers of a language: O(labels)."""
        empty = np.empty(0, dtype=np.uint32)
        subjects, literals, ranks = [empty], [empty], [np.empty(0, dtype=np.int64)]
        for rank, property in enumerate(LABELS):
            identifier = dictionary.lookup(IRI(property))
            for found, _, objects in () if identifier is None else view.match(None, identifier, None):
                named = dictionary.kinds(objects) == LITERAL_KIND
                subjects.append(found[named])
                literals.append(objects[named])
                ranks.append(np.full(len(literals[-1]), rank + 100 * (property in _ALTERNATIVE), dtype=np.int64))
        subject, literal, rank_of = np.concatenate(subjects), np.concatenate(literals), np.concatenate(ranks)
        distinct, numbers = np.unique(literal, return_inverse=True)
        suits = _suitability(dictionary.key_column(distinct), language)[numbers.reshape(-1)]
        order = np.lexsort((literal, rank_of % 100, suits, rank_of // 100, subject))
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = subject[order][1:] != subject[order][:-1]
        return cls(subject[order][first], literal[order][first], dictionary)

    def texts(self, terms: NDArray[np.uint32]) -> list[str | None]:
        """The label of each term, None for one without."""
        if not len(self.subjects):
            return [None] * len(terms)
        places = np.minimum(np.searchsorted(self.subjects, terms), len(self.subjects) - 1)
        has_label = self.subjects[places] == terms
        found = [self.dictionary.decode(literal) for literal in self.literals[places[has_label]].tolist()]
        texts = iter(label.lexical for label in found if isinstance(label, Literal))
        return [next(texts) if has else None for has in has_label.tolist()]


def _suitability(keys: pa.Array, language: str) -> NDArray[np.int64]:
    """How well literals suit a reader by their languages, the best with the least number."""
    tags = pc.utf8_lower(pc.replace_substring_regex(keys, r'(?s)^.*"@?([^"^]*)(\^\^[^"]*)?$', r"\1"))
    wanted = language.lower().partition("-")[0]

    def are_of(tag: str) -> NDArray[np.bool_]:
        return mask_of(pc.or_(pc.equal(tags, text_scalar(tag)), pc.starts_with(tags, f"{tag}-")))

    suits = np.full(len(keys), _OTHER, dtype=np.int64)
    suits[are_of("en")] = _ENGLISH
    suits[mask_of(pc.equal(tags, text_scalar("")))] = _NONE
    suits[are_of(wanted)] = _OWN
    return suits
