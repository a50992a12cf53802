"""Many small transactions with readers beside them: memory stays flat, and the closure is right at the end.

What readers in threads see is always maintained. 500 transactions in the ordinary run, 100,000 with
KGREASON_THOROUGH.
"""

from __future__ import annotations

import os
import random
import threading
from pathlib import Path

from kgreason.knowledge.base import KnowledgeBase
from kgreason.knowledge.durability import DurableKnowledge, Wishes
from kgreason.terms.model import IRI
from kgreason.terms.vocabulary import OWL, RDF, RDFS
from tests.facade import Triple, add, ex, remove, triples

THOROUGH = bool(os.environ.get("KGREASON_THOROUGH"))
TRANSACTIONS = 100_000 if THOROUGH else 500
GROWTH = 48 << 20
TYPE = IRI(RDF + "type")
SCHEMA = [
    (ex("partOf"), TYPE, IRI(OWL + "TransitiveProperty")),
    (ex("Cat"), IRI(RDFS + "subClassOf"), ex("Animal")),
]


def choice(chance: random.Random) -> Triple:
    if chance.random() < 0.5:
        return ex(f"n{chance.randrange(60)}"), ex("partOf"), ex(f"n{chance.randrange(60)}")
    return ex(f"n{chance.randrange(300)}"), TYPE, ex("Cat")


def resident() -> int:
    """Bytes of this process in memory, 0 where the system does not say."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if status.exists() else 0


def test_small_transactions_with_readers(tmp_path: Path) -> None:
    chance = random.Random(7)
    store = DurableKnowledge(tmp_path, Wishes("owl-rl"), create=True)
    base = store.knowledge
    explicit = {*SCHEMA}
    add(base, *SCHEMA)
    known = [base.dictionary.encode(term) for term in (TYPE, ex("Cat"), ex("Animal"))]
    done, wrong = threading.Event(), []

    def read() -> None:
        while not done.wait(0.001):
            view = base.all()
            cats, animals = (sum(len(chunk[0]) for chunk in view.match(None, known[0], name)) for name in known[1:])
            if cats != animals:
                wrong.append((cats, animals))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        sizes = []
        for number in range(TRANSACTIONS):
            batch = {choice(chance) for _ in range(chance.choice([1, 1, 2, 4]))}
            gone = batch & explicit
            remove(base, *gone)
            add(base, *(batch - gone))
            explicit ^= batch
            store.commit({})
            if number % (TRANSACTIONS // 10) == TRANSACTIONS // 20:
                sizes.append(resident())
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert not wrong, "a reader saw what was not maintained"
    assert sizes[-1] - sizes[2] < GROWTH, f"memory grows: {[size >> 20 for size in sizes]} MB"
    store.directory.close()
    fresh = KnowledgeBase("owl-rl")
    add(fresh, *explicit)
    expected = triples(fresh, fresh.all())
    assert triples(base, base.all()) == expected
    again = DurableKnowledge(tmp_path, Wishes())
    assert triples(again.knowledge, again.knowledge.all()) == expected
    again.knowledge._check()
    again.close()
