"""Readers in several threads see whole batches and their consequences, never a part, while a writer works."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.triple_view import TripleView
from tests.facade import EX, add, ex, remove, triples
from tests.thresholds import Tuned

RULES = f"@prefix e: <{EX}> . e:q(?y, ?x) :- e:p(?x, ?y) . e:r(?x, ?z) :- e:p(?x, ?y), e:q(?y, ?z) ."


def test_readers_beside_a_writer(tuned: Tuned) -> None:
    tuned(BLOCKS_MERGE_LEAST=4)
    base = KnowledgeBase(RULES)
    p, q = (base.dictionary.encode(ex(name)) for name in "pq")
    done = Event()

    def consistent(view: TripleView) -> bool:
        def pairs(predicate: int) -> set[tuple[int, int]]:
            chunks = view.match(None, predicate, None)
            return {pair for c in chunks for pair in zip(c[0].tolist(), c[2].tolist(), strict=True)}

        forward, backward = pairs(p), {(o, s) for s, o in pairs(q)}
        single = all(view.contains(o, q, s) for s, o in list(forward)[:3])
        return forward == backward and view.count(None, p, None) == len(forward) and single

    def read() -> int:
        rounds = 0
        while not done.is_set():
            view = base.all()
            assert consistent(view)
            assert consistent(view), "a snapshot has changed"
            rounds += 1
        return rounds

    def write() -> None:
        try:
            for step in range(150):
                batch = [(ex(f"s{(step * 7 + i) % 40}"), ex("p"), ex(f"o{i}")) for i in range(6)]
                (remove if step % 3 == 2 else add)(base, *batch)
                base.flush()
        finally:
            done.set()

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        pool.submit(write).result(timeout=60)
        assert all(reader.result(timeout=60) > 0 for reader in readers)
    base._check()
    assert len(triples(base, base.all())) > 0
