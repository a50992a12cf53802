"""Random programs over random facts: every triple that holds has a proof that the checker accepts, and no other has one.

Then some of the facts go, so that what schemes and tables kept up with changes is explained as well.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgreason.datalog.model import Program
from kgreason.errors import ListError, StratificationError, UnknownTripleError
from kgreason.explanation import search
from kgreason.knowledge.base import KnowledgeBase
from kgreason.schemes.catalogue import AUTO, PLAIN, Catalogue
from tests import oracle
from tests.engine.test_histories import (
    CLASSES,
    GROUPS,
    JOINED,
    LITERALS,
    NODES,
    PROGRAMS,
    PROPERTIES,
    THOROUGH,
    TYPE,
)
from tests.facade import Triple, add, ex, remove
from tests.proofs import Checker
from tests.thresholds import shrink

EXAMPLES = int(os.environ.get("KGREASON_EXAMPLES", "1000" if THOROUGH else "30"))
SELDOM_TRUE = [
    *((NODES[0], property, node) for property in PROPERTIES for node in (*NODES, *LITERALS[:1])),
    *((node, TYPE, class_) for node in NODES for class_ in CLASSES),
    (ex("nobody"), ex("knows"), ex("this")),
]


@pytest.fixture(autouse=True)
def small_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)
    monkeypatch.setattr(search, "CHUNK", 2)


@given(
    schemes=st.sampled_from([AUTO, JOINED, PLAIN]),
    programs=st.lists(st.integers(0, len(PROGRAMS) - 1), min_size=1, max_size=6, unique=True),
    groups=st.lists(GROUPS, max_size=14),
    gone=st.integers(0, 4),
)
@settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_what_holds_and_nothing_else_has_a_proof(
    schemes: str | Catalogue, programs: list[int], groups: list[list[Triple]], gone: int
) -> None:
    program = Program(tuple(dict.fromkeys(rule for number in programs for rule in PROGRAMS[number].rules)))
    asserted = list(dict.fromkeys(triple for group in groups for triple in group))
    try:
        base = KnowledgeBase(program, schemes)
        add(base, *asserted)
        base.flush()
    except (ListError, StratificationError):
        return
    explain_everything(base, program, asserted)
    try:
        remove(base, *asserted[:gone])
        base.flush()
    except (ListError, StratificationError):
        return
    explain_everything(base, program, asserted[gone:])


def explain_everything(base: KnowledgeBase, program: Program, asserted: list[Triple]) -> None:
    """Explain every triple of the closure, and refuse to explain some that are not in it."""
    facts = oracle.facts(program, asserted)
    holding = {fact[1:] for fact in facts if fact[0] == "triple"}
    checker = Checker(program, asserted, facts)
    encode = base.dictionary.encode
    for triple in holding:
        checker.check(base.explain(*map(encode, triple)), triple)
    for triple in SELDOM_TRUE:
        if triple not in holding:
            with pytest.raises(UnknownTripleError):
                base.explain(*map(encode, triple))
