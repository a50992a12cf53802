"""A log that is compacted says the same in less room, also while it is read or copied, and when a step fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.disk import compaction
from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.log_file import FILE
from kgreason.disk.store_directory import StoreDirectory
from kgreason.errors import KGReasonError
from kgreason.rdf.model import IRI
from kgreason.store.knowledge_base import DEFAULT_GRAPH
from tests.disk import small
from tests.disk.compaction_cases import GRAPH, TYPE, changed, from_log, log_of, without_snapshot
from tests.disk.test_opening import FACTS, RULES, held
from tests.facade import Triple, add, ex, triples
from tests.thresholds import Tuned


@pytest.mark.slow
def test_the_same_in_less_room(tmp_path: Path) -> None:
    store, found = changed(tmp_path, 800)
    ids = {triple: [store.knowledge.dictionary.lookup(term) for term in triple] for triple in found}
    early = DurableKnowledge(tmp_path, OpenOptions(), read_only=True)
    large = log_bytes(tmp_path)
    store.compact()
    assert held(store) == found
    add(store.knowledge, FACTS[9])
    store.commit({})
    expected = held(store)
    store.directory.close()
    assert log_of(tmp_path)[0] == 2
    assert held(early) == found
    early.knowledge._check()
    early.close()
    assert log_bytes(tmp_path) < large / 2
    without_snapshot(tmp_path).close()
    assert (tmp_path / FILE).stat().st_size < large / 2, "what is free is not given back"
    again = DurableKnowledge(tmp_path, OpenOptions())
    assert held(again) == expected
    assert again.settings["a setting"] == "799"
    assert triples(again.knowledge, again.knowledge.graph(again.knowledge.dictionary.encode(GRAPH))) == {FACTS[4]}
    lookup = again.knowledge.dictionary.lookup
    assert {triple: [lookup(term) for term in triple] for triple in found} == ids, "ids are not what they were"
    again.close()


def log_bytes(path: Path) -> int:
    """What the log takes, files and catalogue together."""
    directory = StoreDirectory(path, read_only=True)
    with directory.reading() as moment:
        size = moment.sizes().log
    directory.close()
    return size


def test_a_log_that_grows_is_compacted_by_itself(tmp_path: Path, tuned: Tuned) -> None:
    small.shrink(tuned)
    tuned(COMPACTION_LEAST=1 << 15, COMPACTION_SHARE=3)
    store, _ = changed(tmp_path, 500)
    store.close()
    commits, room = log_of(tmp_path)
    assert commits < 350
    assert room < 1 << 17
    assert len({file.name for file in tmp_path.iterdir()}) < 8, "files that nobody names"


@pytest.mark.slow
def test_a_log_that_has_only_grown_is_left_alone(tmp_path: Path, tuned: Tuned) -> None:
    tuned(COMPACTION_LEAST=1 << 12)
    store = DurableKnowledge(tmp_path, RULES, create=True)
    add(store.knowledge, *((ex(f"c{number}"), TYPE, ex("Cat")) for number in range(20_000)))
    store.commit({})
    store.close()
    before = {file.name for file in tmp_path.glob("[tq]*.arrow")}
    store = DurableKnowledge(tmp_path, RULES)
    add(store.knowledge, *((ex(f"d{number}"), TYPE, ex("Cat")) for number in range(20_000)))
    store.commit({})
    store.close()
    assert before <= {file.name for file in tmp_path.glob("[tq]*.arrow")}
    assert log_of(tmp_path)[0] == 3


def test_what_is_not_committed_is_not_compacted(tmp_path: Path) -> None:
    store, found = changed(tmp_path)
    add(store.knowledge, FACTS[9])
    with pytest.raises(KGReasonError, match="commit first"):
        store.compact()
    store.roll_back()
    store.compact()
    reader = DurableKnowledge(tmp_path, OpenOptions(), read_only=True)
    with pytest.raises(KGReasonError, match="reading only"):
        reader.compact()
    assert held(reader) == held(store) == found
    for each in (reader, store):
        each.close()


def test_terms_that_nothing_uses_are_dropped(tmp_path: Path, tuned: Tuned) -> None:
    small.shrink(tuned)
    store, found = changed(tmp_path)
    quads = held_in(store)
    early = DurableKnowledge(tmp_path, OpenOptions(), read_only=True)
    store.directory.close()
    directory = StoreDirectory(tmp_path)
    before = directory.end()
    compaction.drop_unused_terms(directory)
    after = directory.end()
    directory.close()
    assert (after.number, after.chain) == (before.number, before.chain)
    used = {term for graph, triple in quads for term in (*triple, graph)} - {None}
    assert after.terms == len(used) < before.terms
    store = DurableKnowledge(tmp_path, OpenOptions())
    assert held(early) == held(store) == found
    assert held_in(store) == quads
    add(store.knowledge, FACTS[9])
    store.commit({})
    found = held(store)
    for each in (early, store):
        each.close()
    store = from_log(tmp_path)
    assert held(store) == found
    store.close()


def held_in(store: DurableKnowledge) -> set[tuple[IRI | None, Triple]]:
    base = store.knowledge
    graphs = {DEFAULT_GRAPH: None, base.dictionary.encode(GRAPH): GRAPH}
    return {(name, triple) for graph, name in graphs.items() for triple in triples(base, base.graph(graph))}
