"""The parts of commits, their checksums right: one LoadError, or terms and quads that make a knowledge base."""

from __future__ import annotations

import numpy as np

from kgreason.dictionary.dictionary import Dictionary
from kgreason.disk import commit_columns as columns
from kgreason.disk import commit_records as records
from kgreason.disk.commit_records import Commit, Keys, Step
from kgreason.disk.commit_replay import take_in
from kgreason.errors import LoadError
from kgreason.io.quads import Quads
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from tests.facade import triples
from tests.fuzz.target import Target, expect_one_line

_KEYS = ["http://e/a", "http://e/p", "_:b", '"text"@en-GB', '"1"^^http://e/t', '"\ud800"', "é" * 50, ""]
_STEP = (Quads(*np.array([[DEFAULT_GRAPH, 1, 1], [0, 2, 1], [1, 1, 1], [0, 3, 2]], dtype=np.uint32)), Quads.empty())
_GONE = (Quads.empty(), _STEP[0].rows(slice(0, 2)))


def check(data: bytes) -> None:
    """The first byte says what the rest is: keys or steps, in a row or in a file."""
    dictionary = Dictionary()
    try:
        keys, steps = _parts(data)
        found, _ = take_in(dictionary, [Commit(0, keys, steps)], {})
    except LoadError as error:
        expect_one_line(error)
        return
    base = KnowledgeBase("none", dictionary=dictionary)
    base.history.advance(found)
    triples(base, base.all())
    base._check()


def _parts(data: bytes) -> tuple[Keys, list[Step]]:
    rest = data[1:]
    match data[:1]:
        case b"k":
            return records.keys_from_bytes(rest), [_STEP]
        case b"K":
            return columns.keys_of_file(memoryview(rest)), [_STEP]
        case b"s":
            return _KEYS, records.steps_from_bytes(rest)
    return _KEYS, columns.steps_of_file(memoryview(rest))


TARGET = Target(
    "commits",
    [
        b"k" + records.keys_to_bytes(_KEYS),
        b"K" + bytes(columns.keys_file(_KEYS)),
        b"K" + bytes(columns.keys_file(Dictionary().key_column(np.empty(0, dtype=np.uint32)))),
        b"s" + records.steps_to_bytes([_STEP, _GONE]),
        b"S" + bytes(columns.steps_file([_STEP, _GONE])),
    ],
    [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x01\0\0\0", b"\xff\xff\xff\x7f", b"ARROW1", b"key", b"graph", b"\x10"],
    check,
)
