"""Changes of a few facts, replayed on a knowledge base beside the oracle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgreason.program.rules import Program
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.facade import Follower, Triple, add, remove, show, triples
from tests.thresholds import shrink, tuning_context

Step = tuple[Sequence[int], Sequence[Triple]]
"""Numbers of asserted triples to take away, and triples to add."""


def replay(
    program: Program, schemes: str, start: Sequence[Triple], steps: Sequence[Step]
) -> Iterator[tuple[KnowledgeBase, set[Triple]]]:
    """After the start and after each step the knowledge base equals the oracle, and so does what its change feed told;
    gives it with its triples."""
    explicit = set(start)
    with tuning_context() as tuned:
        shrink(tuned)
        base = KnowledgeBase(program, schemes)
        follower = Follower(base)
        add(base, *start)
        for removals, additions in [([], []), *steps]:
            known = sorted(explicit, key=str)
            gone = {known[number % len(known)] for number in removals} if known else set()
            explicit = explicit - gone | {*additions}
            remove(base, *(gone - {*additions}))
            add(base, *additions)
            base._check()
            expected = oracle.closure(program, explicit)
            found = triples(base, base.all())
            assert found == expected, f"missing:\n{show(expected - found)}\nwrong:\n{show(found - expected)}"
            assert follower.triples == found, "the changes that were announced do not lead here"
            yield base, found
