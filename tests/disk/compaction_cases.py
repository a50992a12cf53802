"""Helpers of `test_compaction` and `test_compaction_meanwhile`."""

from __future__ import annotations

from pathlib import Path

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.log_file import FILE
from kgreason.disk.read_transaction import Position
from kgreason.disk.store_directory import StoreDirectory
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF, RDFS
from kgreason.store.knowledge_base import DEFAULT_GRAPH
from tests.disk.test_opening import FACTS, RULES, SCHEMA, held
from tests.facade import Triple, add, ex, remove

TYPE = IRI(RDF + "type")


LABEL = IRI(RDFS + "label")


# The key of a term that stores of version 0.1.0 may have, and that nobody can add any more.
NO_TEXT = '"\ud800, which is no Unicode"'


GRAPH = ex("graph")


def changed(path: Path, commits: int = 30) -> tuple[DurableKnowledge, set[Triple]]:
    """A store that has seen much more than what is left, and what is in it."""
    store = DurableKnowledge(path, RULES, create=True)
    base = store.knowledge
    add(base, SCHEMA, *FACTS[:3])
    base.add(DEFAULT_GRAPH, *map(base.dictionary.encode, (ex("c0"), LABEL)), base.dictionary.encode_key(NO_TEXT))
    base.add(base.dictionary.encode(GRAPH), *map(base.dictionary.encode, FACTS[4]))
    store.commit({"a setting": "first"})
    for number in range(commits):
        add(base, (ex(f"new{number}"), TYPE, ex("Cat")))
        remove(base, (ex(f"new{number - 1}"), TYPE, ex("Cat")))
        store.commit({"a setting": str(number)})
    return store, held(store)


def log_of(path: Path) -> tuple[int, int]:
    """How many commits the log has, and how many bytes the catalogue."""
    directory = StoreDirectory(path, read_only=True)
    with directory.reading() as moment:
        count = len(list(moment.commits(Position())))
    directory.close()
    return count, (path / FILE).stat().st_size


def without_snapshot(path: Path) -> StoreDirectory:
    """The directory for the one writer, with nothing but its log."""
    directory = StoreDirectory(path)
    directory.forget_snapshot()
    return directory


def from_log(path: Path) -> DurableKnowledge:
    """A store that was opened from its log alone."""
    without_snapshot(path).close()
    return DurableKnowledge(path, OpenOptions())
