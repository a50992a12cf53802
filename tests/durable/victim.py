"""A process that applies a known random sequence of changes to a store, to be killed at any moment.

    python -m tests.durable.victim DIRECTORY SEED COUNT

It goes on where the directory's last commit was, which it knows by a triple that each commit has, and prints the number
of each commit when it has returned.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from kgreason.knowledge.base import DEFAULT_GRAPH, KnowledgeBase
from kgreason.knowledge.durability import DurableKnowledge, Wishes
from kgreason.loading.quads import Quads
from kgreason.terms.keys import key_of
from kgreason.terms.model import IRI
from kgreason.terms.vocabulary import OWL, RDF, RDFS
from tests.durable import small
from tests.facade import Triple, add, ex, remove

COUNTER, NUMBER = ex("victim"), ex("number")
RULES = "owl-rl"
_CLASSES = [ex(f"C{number}") for number in range(6)]
_NODES = [ex(f"n{number}") for number in range(30)]
_PROPERTIES = [ex(f"p{number}") for number in range(4)]


def number_of(step: int) -> Triple:
    """What says that a step is the last one that was committed."""
    return COUNTER, NUMBER, ex(f"step{step}")


def change(seed: int, step: int, explicit: set[Triple]) -> tuple[set[Triple], set[Triple]]:
    """What a step adds and what it removes, given what there is before it."""
    chance = random.Random(f"{seed} {step}")
    known = sorted((triple for triple in explicit if triple[0] != COUNTER), key=str)
    removed = set(chance.sample(known, min(len(known), chance.choice([0, 1, 1, 3]))))
    added = {_triple(chance, step) for _ in range(chance.choice([1, 1, 2, 5, 40]))}
    if step:
        removed.add(number_of(step - 1))
    added.add(number_of(step))
    return added, removed - added


def _triple(chance: random.Random, step: int) -> Triple:
    kind = chance.randrange(8)
    if kind == 0:
        return chance.choice(_CLASSES), IRI(RDFS + "subClassOf"), chance.choice(_CLASSES)
    if kind == 1:
        kinds = ["TransitiveProperty", "SymmetricProperty"]
        return chance.choice(_PROPERTIES), IRI(RDF + "type"), IRI(OWL + chance.choice(kinds))
    if kind == 2:
        return chance.choice(_NODES), IRI(RDF + "type"), chance.choice(_CLASSES)
    if kind == 3:
        return ex(f"new{step}-{chance.randrange(1000)}"), chance.choice(_PROPERTIES), chance.choice(_NODES)
    return chance.choice(_NODES), chance.choice(_PROPERTIES), chance.choice(_NODES)


def state(seed: int, step: int) -> set[Triple]:
    """The explicit triples after a step; -1 for before the first."""
    explicit: set[Triple] = set()
    for each in range(step + 1):
        added, removed = change(seed, each, explicit)
        explicit = explicit - removed | added
    return explicit


def step_of(base: KnowledgeBase) -> int:
    """The last step that a store has, -1 for none."""
    known = [base.dictionary.lookup(term) for term in (COUNTER, NUMBER)]
    if None in known:
        return -1
    found = [str(base.dictionary.decode(int(o))) for chunk in base.explicit().match(*known, None) for o in chunk[2]]
    assert len(found) < 2, "a step was committed in part"
    return int(found[0].removesuffix(">").rpartition("step")[2]) if found else -1


def main(folder: str, seed: int, count: int) -> None:
    """Apply the steps that are missing up to a number."""
    with pytest.MonkeyPatch.context() as patch:
        small.shrink(patch)
        store = DurableKnowledge(Path(folder), Wishes(RULES), create=True)
        begin = step_of(store.knowledge) + 1
        explicit = state(seed, begin - 1)
        for step in range(begin, count):
            added, removed = change(seed, step, explicit)
            _apply(store.knowledge, added, removed, in_bulk=step % 3 == 0)
            explicit = explicit - removed | added
            store.commit({})
            print(step, flush=True)
            if step % 5 == 4:
                store.write_snapshot()
        store.close()


def _apply(base: KnowledgeBase, added: set[Triple], removed: set[Triple], in_bulk: bool) -> None:
    remove(base, *removed)
    if not in_bulk:
        add(base, *added)
        return
    columns = [base.dictionary.encode_keys(map(key_of, column)) for column in zip(*added, strict=True)]
    quads = Quads.of_length(len(added))
    quads.graph[:] = DEFAULT_GRAPH
    for target, column in zip((quads.subject, quads.predicate, quads.object), columns, strict=True):
        target[:] = column
    base.add_quads(quads)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
