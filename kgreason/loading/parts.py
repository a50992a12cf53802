"""What one piece of a source gives: quads over terms of its own, until all pieces meet in one dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason.loading.quads import DEFAULT_GRAPH, Ids, Quads
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.key_columns import KeyColumn


@dataclass(frozen=True, slots=True)
class Part:
    """Quads whose ids are positions in `terms`, in which a term may stand twice."""

    terms: KeyColumn
    quads: Quads

    def __len__(self) -> int:
        return len(self.quads)

    @staticmethod
    def joined(parts: Sequence[Part]) -> Part:
        """Several parts as one, in their order."""
        if len(parts) == 1:
            return parts[0]
        shifts = np.cumsum([0, *(len(part.terms) for part in parts)])
        shifted = [_shifted(part.quads, np.uint32(shift)) for part, shift in zip(parts, shifts, strict=False)]
        return Part(KeyColumn.joined([part.terms for part in parts]), Quads.concatenated(shifted))


def encoded(parts: list[Part], dictionary: Dictionary) -> Quads:
    """The quads of parts with the ids of a dictionary, which learns their terms in one step.

    The list is emptied on the way, so that nothing is held longer than it is needed.
    """
    columns = [part.terms for part in parts]
    rows = [part.quads for part in parts]
    parts.clear()
    places = dictionary.encode_columns(columns)
    # Arrow keeps what was freed, and nothing here asks it for as much again.
    pa.default_memory_pool().release_unused()
    quads = Quads.of_length(sum(map(len, rows)))
    rows.reverse()
    end = 0
    for identifiers in places:
        own = rows.pop()
        begin, end = end, end + len(own)
        _translate(own, identifiers, quads, slice(begin, end))
    return quads


def _translate(quads: Quads, identifiers: Ids, target: Quads, rows: slice) -> None:
    """Write quads with other ids into rows of `target`."""
    for own, column in ((quads.subject, target.subject), (quads.predicate, target.predicate),
                        (quads.object, target.object)):  # fmt: skip
        np.take(identifiers, own, out=column[rows])
    named = quads.graph != DEFAULT_GRAPH
    target.graph[rows] = DEFAULT_GRAPH
    if named.any():
        target.graph[rows][named] = identifiers[quads.graph[named]]


def _shifted(quads: Quads, shift: np.uint32) -> Quads:
    named: NDArray[np.bool_] = quads.graph != DEFAULT_GRAPH
    graph = np.where(named, quads.graph + shift, quads.graph)
    return Quads(graph, quads.subject + shift, quads.predicate + shift, quads.object + shift)
