"""Many small transactions with readers beside them: memory stays flat, and the closure is right at the end.

What readers in threads and in another process see is always maintained. 500 transactions in the ordinary run,
100,000 in the thorough profile.
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from tests.disk.reader import resident
from tests.facade import Triple, add, ex, remove, triples
from tests.profiles import IS_THOROUGH

TRANSACTIONS = 100_000 if IS_THOROUGH else 500
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


@contextmanager
def reader(folder: Path) -> Iterator[None]:
    """Another process that reads meanwhile, has seen what is there, and takes no more memory for it than at first."""
    command = [sys.executable, "-m", "tests.disk.reader", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "reading\n"
        yield
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    count, last, early, late = map(int, told.split())
    print(f"another process read {count} times up to commit {last}, in {early >> 20} and then {late >> 20} MB")
    assert count > 2
    assert last > TRANSACTIONS // 2
    assert late - early < GROWTH, "memory of the reader grows"


@pytest.mark.slow
def test_small_transactions_with_readers(tmp_path: Path) -> None:
    chance = random.Random(7)
    store = DurableKnowledge(tmp_path, OpenOptions("owl-rl"), create=True)
    base = store.knowledge
    explicit = {*SCHEMA}
    add(base, *SCHEMA)
    known = [base.dictionary.encode(term) for term in (TYPE, ex("Cat"), ex("Animal"))]
    store.commit({})
    done, wrong = threading.Event(), []

    def read() -> None:
        while not done.wait(0.001):
            view = base.all()
            cats, animals = (sum(len(chunk[0]) for chunk in view.match(None, known[0], name)) for name in known[1:])
            if cats != animals:
                wrong.append((cats, animals))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for each in readers:
        each.start()
    sizes = []
    try:
        with reader(tmp_path):
            for number in range(TRANSACTIONS):
                batch = {choice(chance) for _ in range(chance.choice([1, 1, 2, 4]))}
                gone = batch & explicit
                remove(base, *gone)
                add(base, *(batch - gone))
                explicit ^= batch
                store.commit({})
                if number % (TRANSACTIONS // 10) == TRANSACTIONS // 10 - 1:
                    sizes.append(resident())
                    print(f"{number + 1} transactions: {sizes[-1] >> 20} MB", flush=True)
    finally:
        done.set()
        for each in readers:
            each.join()
    assert not wrong, "a reader saw what was not maintained"
    assert sizes[-1] - sizes[1] < GROWTH, f"memory grows: {[size >> 20 for size in sizes]} MB"
    store.directory.close()
    fresh = KnowledgeBase("owl-rl")
    add(fresh, *explicit)
    expected = triples(fresh, fresh.all())
    assert triples(base, base.all()) == expected
    again = DurableKnowledge(tmp_path, OpenOptions())
    assert triples(again.knowledge, again.knowledge.all()) == expected
    again.knowledge._check()
    again.close()
