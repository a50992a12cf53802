"""Triples of a CONSTRUCT by ids: catches one that is lost or doubled where parts meet, and work without checkpoints."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.checkpoints import heeding
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.sparql.answer_triples import each_once

IDS = st.sampled_from([0, 1, 2, 3, 255, 256, 1 << 31, (1 << 32) - 2])
CHUNKS = st.lists(st.lists(st.tuples(IDS, IDS, IDS), max_size=40), max_size=6)


def chunk_of(rows):
    return tuple(np.array(rows, dtype=np.uint32).reshape(-1, 3).T)


@given(chunks=CHUNKS, together=st.integers(2, 12))
def test_each_triple_comes_once_and_in_order(chunks, together) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rdflib_tuning, "ORDERED_TRIPLES", together)
        patch.setattr(rdflib_tuning, "ORDERED_STRIDE", 2)

        found = [*each_once(map(chunk_of, chunks))]

    rows = [row for chunk in found for row in zip(*(column.tolist() for column in chunk), strict=True)]
    assert rows == sorted({row for chunk in chunks for row in chunk})


def test_many_triples_are_put_in_order_with_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib_tuning, "ORDERED_TRIPLES", 512)
    random = np.random.default_rng(1)
    chunks = [tuple(random.integers(0, 1 << 20, (3, 4000)).astype(np.uint32)) for _ in range(4)]
    looks: list[int] = []

    with heeding(looks.append):
        found = [*each_once(chunks)]

    assert sum(len(chunk[0]) for chunk in found) == 16_000
    assert len(looks) >= 20
    assert max(len(chunk[0]) for chunk in found) < 3000
