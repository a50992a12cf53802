"""Facts that come and go at random, under rules that are compared with their definition after each change."""

from __future__ import annotations

import random
from collections.abc import Callable

from kgreason.program.parser import parse_program
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.facade import Triple, toggle, triples


def assert_rules_hold_throughout(
    rules: str, schemes: str, chance: random.Random, draw: Callable[[], Triple], changes: int
) -> None:
    """After each of some changes, of a fact that is drawn or of three, the store has what naive evaluation derives."""
    base, program, explicit = KnowledgeBase(rules, schemes=schemes), parse_program(rules), set[Triple]()
    for _ in range(changes):
        for _ in range(chance.choice([1, 3])):
            toggle(base, explicit, draw())
        assert triples(base, base.all()) == oracle.closure(program, explicit)
        base._check()
