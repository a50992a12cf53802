"""The labels of a knowledge base by their words, kept up with its changes.

A lookup reads the labels as they are by columns and compares them with those that are indexed: new ones are indexed by
themselves, those that are gone no longer count, and all are indexed anew when these are many. So an index needs no
subscription, and a lookup after a change costs what the change does, and a comparison of two sorted columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.arrow import pc
from kgreason.dictionary.arrow_columns import row_column
from kgreason.dictionary.dictionary import Dictionary
from kgreason.lookup.label_words import LabelWords
from kgreason.rdf.keys import LITERAL_KIND
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import RDFS, SKOS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.state import State
from kgreason.store.triple_view import TripleView

LABELS: Final = (
    SKOS + "prefLabel",
    RDFS + "label",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    SKOS + "altLabel",
    SKOS + "hiddenLabel",
)
"""The properties whose values are labels, the names that are preferred first."""

@dataclass(frozen=True, slots=True)
class LabelMatch:
    """A term with the label by which it was found."""

    term: Term
    label: Literal
    property: IRI


@dataclass(frozen=True, slots=True)
class _Part:
    """Labels that were indexed together: pairs of a subject and a literal, ascending, and for each the number of the
    most preferred property that it has."""

    pairs: NDArray[np.uint64]
    ranks: NDArray[np.int64]
    words: LabelWords

    @classmethod
    def of(cls, pairs: NDArray[np.uint64], ranks: NDArray[np.int64], dictionary: Dictionary) -> _Part:
        literals, rows = np.unique((pairs & np.uint64(0xFFFFFFFF)).astype(np.uint32), return_inverse=True)
        keys = dictionary.key_column(literals).take(row_column(rows.reshape(-1)))
        return cls(pairs, ranks, LabelWords.of(pc.replace_substring_regex(keys, r'(?s)^"(.*)"[^"]*$', r"\1")))


class LabelIndex:
    """Finds terms by their labels. May be called from several threads."""

    def __init__(self, properties: Sequence[str] = LABELS, *, keeps_ids: bool = False) -> None:
        """Nothing is read before the first lookup.

        Args:
            properties: those of labels, preferred ones first.
            keeps_ids: all knowledge bases that are asked are committed versions of one store, in which a term that is
                stated once has its id for good.
        """
        self._keeps_ids = keeps_ids
        self._properties = [IRI(property) for property in properties]
        self._lock = Lock()
        self._state: State | None = None
        self._dictionary: Dictionary | None = None
        self._parts: list[_Part] = []
        self._now: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)

    def find(
        self, knowledge: KnowledgeBase, text: str, limit: int = 10, language: str | None = None
    ) -> list[LabelMatch]:
        """The terms with a label whose words begin as those of a text, the best first, each with its best label.

        Labels in a language that is wanted, or in a variety of it, come first among those that are as good.
        Cost: that of the rows that the rarest word matches, once labels are indexed.
        """
        with self._lock:
            dictionary = self._refreshed(knowledge)
            found: dict[int, tuple[tuple[int, ...], LabelMatch]] = {}
            for part in self._parts:
                for order, subject, match in self._matches(part, text, limit, language, dictionary):
                    if subject not in found or order < found[subject][0]:
                        found[subject] = order, match
        return [match for _, match in sorted(found.values(), key=lambda entry: entry[0])[:limit]]

    def _matches(
        self, part: _Part, text: str, limit: int, language: str | None, dictionary: Dictionary
    ) -> Iterator[tuple[tuple[int, ...], int, LabelMatch]]:
        """Matches in one part, with what they are to be sorted by; enough for the best `limit` of them."""
        rows, fits = part.words.rows(text)
        there = _are_among(part.pairs[rows], self._now)
        subjects = set[int]()
        for row, fit in zip(rows[there].tolist(), fits[there].tolist(), strict=True):
            subject, literal = divmod(int(part.pairs[row]), 1 << 32)
            label, rank = dictionary.decode(literal), int(part.ranks[row])
            assert isinstance(label, Literal), "a label that is not a literal was indexed"
            subjects.add(subject)
            if len(subjects) > 4 * limit:  # the rest is longer, or fits less well
                return
            order = (fit, not _is_of(label, language), len(label.lexical), rank, subject)
            yield order, subject, LabelMatch(dictionary.decode(subject), label, self._properties[rank])

    # -- keeping up --------------------------------------------------------------------------------------------------

    def _refreshed(self, knowledge: KnowledgeBase) -> Dictionary:
        """Index what has changed; the dictionary of the ids."""
        state, dictionary = knowledge.flushed(), knowledge.dictionary
        if state is self._state and dictionary is self._dictionary:
            return dictionary
        pairs, ranks = self._labels(knowledge.all(), dictionary)
        parts = self._parts if self._keeps_ids or dictionary is self._dictionary else []
        indexed = np.sort(np.concatenate([pairs[:0], *(part.pairs for part in parts)]), kind="stable")
        fresh = ~_are_among(pairs, indexed)
        count = int(fresh.sum())
        gone = len(indexed) + count - len(pairs)
        apart = sum(len(part.pairs) for part in parts[1:])
        if not parts or count + gone + apart > max(tuning.LABELS_APART, len(pairs) // 10):
            self._parts = [_Part.of(pairs, ranks, dictionary)]
        elif count:
            self._parts = [*parts, _Part.of(pairs[fresh], ranks[fresh], dictionary)]
        self._state, self._dictionary, self._now = state, dictionary, pairs
        return dictionary

    def _labels(self, view: TripleView, dictionary: Dictionary) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """All labels as pairs, ascending, each with its most preferred property."""
        pairs, ranks = [np.empty(0, dtype=np.uint64)], [np.empty(0, dtype=np.int64)]
        for rank, property in enumerate(self._properties):
            identifier = dictionary.lookup(property)
            for subjects, _, objects in () if identifier is None else view.match(None, identifier, None):
                named = dictionary.kinds(objects) == LITERAL_KIND
                pairs.append(subjects[named].astype(np.uint64) << np.uint64(32) | objects[named])
                ranks.append(np.full(len(pairs[-1]), rank, dtype=np.int64))
        every, first = np.unique(np.concatenate(pairs), return_index=True)
        return every, np.concatenate(ranks)[first]


def _is_of(label: Literal, language: str | None) -> bool:
    """Whether a label is in a language or a variety of it; any is where none is wanted."""
    if language is None:
        return True
    tag, wanted = (label.language or "").lower(), language.lower()
    return tag == wanted or tag.startswith(f"{wanted}-")


def _are_among(pairs: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """For each pair whether it is among others, which ascend."""
    if not len(others):
        return np.zeros(len(pairs), dtype=np.bool_)
    places = np.minimum(np.searchsorted(others, pairs), len(others) - 1)
    return np.asarray(others[places] == pairs)
