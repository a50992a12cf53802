"""LUBM after changes equals LUBM from scratch, relation by relation.

VLog's DRed leaves 150 stale types after a thousand deletions from LUBM(10,0) under program L; this is one of the cases.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgreason.io.quads import Quads
from kgreason.io.readers import read_files
from kgreason.store.knowledge_base import KnowledgeBase
from tests.shared_data import shared, unpacked

pytestmark = pytest.mark.slow

CASES = [
    ("lubm/rules/LUBM_L.dlog", 10, "modular"),
    pytest.param("lubm/rules/LUBM_L.dlog", 10, "plain", marks=pytest.mark.thorough),
    ("lubm/rules/LUBM_LE.dlog", 1, "modular"),
    ("lubm/rules/LUBM_LE.dlog", 1, "plain"),
    ("owl-rl", 1, "modular"),
    ("rdfs", 1, "modular"),
]


def fresh(rules: str | Path, size: int, strategy: str) -> tuple[KnowledgeBase, Quads]:
    """An empty knowledge base, and the triples in its ids, which are the same each time."""
    base = KnowledgeBase(rules, strategy=strategy)
    return base, read_files([shared("lubm/univ-bench.owl"), unpacked(f"lubm/lubm{size}.nt.bz2")], base.dictionary)


@pytest.mark.parametrize(("name", "size", "strategy"), CASES)
def test_a_thousand_deletions_and_half_of_them_put_back(name: str, size: int, strategy: str) -> None:
    rules = shared(name) if name.endswith(".dlog") else name
    base, quads = fresh(rules, size, strategy)
    data = np.arange(1000, len(quads))  # the first thousand hold the ontology, whose lists must stay whole
    rows = np.random.default_rng(7).choice(data, 1000, replace=False)
    base.add_quads(quads)
    base.flush()
    for gone in np.split(rows, [1, 20, 400]):
        base.remove_quads(quads.where(np.isin(np.arange(len(quads)), gone)))
        base.flush()
    base.add_quads(quads.where(np.isin(np.arange(len(quads)), rows[:500])))
    other, same = fresh(rules, size, "modular")
    assert all(np.array_equal(getattr(quads, column), getattr(same, column)) for column in ("subject", "object"))
    other.add_quads(same.where(~np.isin(np.arange(len(same)), rows[500:])))
    assert len(base.all()) == len(other.all())
    facts, expected = base.state.engine.facts, other.state.engine.facts
    assert {*facts} == {*expected}
    for code, table in facts.items():
        wanted = expected.get(code)
        assert wanted is not None
        assert len(table) == len(wanted)
        assert not table.difference(wanted), "stale facts"
    base._check()
