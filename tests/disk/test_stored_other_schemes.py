"""Stores on disk whose relations are kept by a third party's scheme.

Would catch a snapshot that loses such a table, or a commit that fails because it cannot be written to a file.
"""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.errors import KGReasonError
from tests.facade import add, ex, remove, triples
from tests.relations.sequences import SequenceScheme, SequenceTable, StoredSequences, catalogue

RULES = """@prefix ex: <http://example.org/> .
ex:before(?x, ?z) :- ex:before(?x, ?y), ex:before(?y, ?z) .
ex:before(?x, ?y) :- ex:next(?x, ?y) .
ex:known(?x, ?y) :- ex:before(?x, ?y) .
ex:known(?x, ?y) :- ex:seen(?x, ?y) .
"""


def opened(path: Path, scheme: SequenceScheme, create: bool = False) -> DurableKnowledge:
    return DurableKnowledge(path, OpenOptions(RULES, schemes=catalogue(scheme)), create=create)


def held(store: DurableKnowledge) -> set:
    return triples(store.knowledge, store.knowledge.all())


def filled(path: Path, scheme: SequenceScheme) -> DurableKnowledge:
    store = opened(path, scheme, create=True)
    add(store.knowledge, *((ex(f"n{at}"), ex("next"), ex(f"n{at + 1}")) for at in range(5)))
    add(store.knowledge, (ex("n0"), ex("seen"), ex("n9")))
    store.commit({})
    return store


def test_snapshot_of_a_scheme_with_a_stored_form_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = filled(tmp_path, SequenceScheme(StoredSequences))
    expected = held(store)
    store.write_snapshot()
    store.directory.close()
    scheme = SequenceScheme(StoredSequences)

    with caplog.at_level(logging.WARNING):
        store = opened(tmp_path, scheme)

    assert held(store) == expected
    assert scheme.made == 0, "the table was made again"
    assert not caplog.records
    remove(store.knowledge, (ex("n2"), ex("next"), ex("n3")))
    assert (ex("n0"), ex("before"), ex("n3")) not in held(store)
    store.knowledge._check()
    store.close()


def test_snapshot_without_its_reader_is_left_for_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = filled(tmp_path, SequenceScheme(StoredSequences))
    expected = held(store)
    store.write_snapshot()
    store.directory.close()

    with caplog.at_level(logging.WARNING):
        store = DurableKnowledge(tmp_path, OpenOptions(RULES))

    assert held(store) == expected
    assert "the snapshot is of no use" in caplog.text
    store.close()


def test_scheme_without_a_stored_form_is_made_again_from_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = filled(tmp_path, SequenceScheme(SequenceTable))
    expected = held(store)
    with pytest.raises(KGReasonError, match=r"tables of the scheme 'sequence' .* cannot be written to a file"):
        store.write_snapshot()
    with caplog.at_level(logging.WARNING):
        store.compact()
    assert "no snapshot was written" in caplog.text
    store.close()
    scheme = SequenceScheme(SequenceTable)

    store = opened(tmp_path, scheme)

    assert held(store) == expected
    assert scheme.made
    store.close()
