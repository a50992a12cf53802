"""Proofs of many triples of one state as lines of N-Triples, one search after the other.

A fact that has a step is a premise like an asserted one, so that each search goes no further than what is new: some
hundred microseconds for a triple of a closure. Memory grows by a few bytes for each fact that was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from functools import lru_cache

from kgreason import progress
from kgreason.checkpoints import checkpoint
from kgreason.proofs.provenance import CompactFacts, Provenance
from kgreason.proofs.steps import TRIPLE, Fact
from kgreason.store import store_tuning
from kgreason.store.explanations import Searches
from kgreason.store.triple_view import TripleView
from kgreason.store.triple_writer import token_of


def proof_lines(
    searches: Searches, triples: Iterable[tuple[int, int, int]], lock: AbstractContextManager[object], reification: str
) -> Iterator[str]:
    """The lines of `Provenance` for proofs of some triples, each step once; the lock is held during a search.

    Raises:
        UnknownTripleError: a triple that neither is asserted nor follows.
        WriteError: an IRI that RDF does not allow.
    """
    decode = searches.dictionary.decode

    @lru_cache(store_tuning.PROOF_TEXTS)
    def token(identifier: int) -> str:
        return token_of(decode(identifier))

    written = CompactFacts()
    provenance = Provenance(token, written, reification)
    for number, triple in enumerate(triples):
        if number % store_tuning.PROOF_TRIPLES == 0:
            progress.advance(number)
        checkpoint()
        if Fact(TRIPLE, triple) not in written:
            with lock:
                steps = searches.steps(triple, written)
            yield from provenance.lines(steps)


def rows_of(view: TripleView) -> Iterator[tuple[int, int, int]]:
    """The triples of a view, one by one."""
    for chunk in view.match(None, None, None):
        for start in range(0, len(chunk[0]), store_tuning.PROOF_TRIPLES):
            rows = slice(start, start + store_tuning.PROOF_TRIPLES)
            yield from zip(*(column[rows].tolist() for column in chunk), strict=True)
