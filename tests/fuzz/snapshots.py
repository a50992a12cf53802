"""Snapshots whose checksum is right and whose bytes are not: one LoadError, or a knowledge base.

Nobody can say which one: who makes the checksum right may write anything. All that follows is an answer, or an error of
kgreason, also when the knowledge base is read, explained, changed and written again. Nothing is run, nothing
crashes, and no memory is taken that is not in the file.
"""

from __future__ import annotations

import copy
import random
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kgreason.dictionary.dictionary import Dictionary
from kgreason.disk.checked_files import Bytes
from kgreason.disk.codec import ColumnReader
from kgreason.disk.snapshot_format.whole_state import read_state, write_state
from kgreason.errors import KGReasonError, UnknownTripleError
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from tests.disk import forging
from tests.facade import add, ex, remove
from tests.fuzz.target import Target, expect_one_line
from tests.thresholds import replaced_constants

_TYPE = IRI(RDF + "type")
_RULES = """@prefix ex: <http://example.org/> .
ex:reach(?x, ?y) :- ex:p(?x, ?y) .
ex:reach(?x, ?z) :- ex:reach(?x, ?y), ex:reach(?y, ?z) .
ex:same(?y, ?x) :- ex:same(?x, ?y) .
ex:same(?x, ?z) :- ex:same(?x, ?y), ex:same(?y, ?z) .
ex:C(?x) :- ex:p(?x, ?y), ~ex:D(?x) .
wide(?x, ?y, ?z) :- ex:p(?x, ?y), ex:p(?y, ?z), ?x != ?z .
"""


@cache
def _filled(rules: str) -> KnowledgeBase:
    base = KnowledgeBase(rules)
    add(base, (ex("p"), _TYPE, IRI(OWL + "TransitiveProperty")), (ex("C"), IRI(RDFS + "subClassOf"), ex("D")))
    for number in range(12):
        node, other = ex(f"n{number}"), ex(f"n{number * 7 % 12}")
        add(base, (node, ex("p"), ex(f"n{number + 1}")), (node, ex("same"), other), (node, _TYPE, ex("C")))
        add(base, (node, ex("label"), Literal(f"text {number}", None, "en")), graph=base.dictionary.encode(ex("g")))
    return base


class _Parts(bytearray):
    """What is written."""

    def write(self, data: Bytes) -> None:
        self.extend(data)


def _written(rules: str, long: int) -> bytes:
    """A snapshot of a small knowledge base; columns of so many bytes are columns of their own."""
    with replaced_constants(LONG_COLUMN=long):
        parts = _Parts()
        write_state(_filled(rules).history.snapshot(), {"settings": {}})(parts)
        return bytes(parts)


def check(data: bytes) -> None:
    """All of a file."""
    try:
        state = read_state(ColumnReader(memoryview(data)))
        # Nobody can say what it holds. It can be read and changed, or there is an error of kgreason.
        base = KnowledgeBase("none", dictionary=Dictionary.of_state(state.dictionary))
        base.history.go_on_from(state)
        _read(base)
        add(base, (ex("n1"), ex("p"), ex("n0")), (ex("fresh"), _TYPE, ex("C")))
        _read(base)
        remove(base, (ex("n3"), ex("p"), ex("n4")), (ex("n1"), ex("p"), ex("n0")), (ex("n2"), ex("same"), ex("n2")))
        _read(base)
        write_state(base.history.snapshot(), {"settings": {}})(_Parts())
    except KGReasonError as error:
        expect_one_line(error)


def _read(base: KnowledgeBase) -> None:
    """Everything, and patterns of each kind."""
    view = base.all()
    seen: set[tuple[int, int, int]] = set()
    for chunk in view.match(None, None, None):
        for row in zip(*(column.tolist() for column in chunk), strict=True):
            base.dictionary.decode(row[2])
            seen.add(row)
    view.count()
    for s, p, o in sorted(seen)[:: max(1, len(seen) // 5)]:
        for pattern in ((s, None, None), (None, p, None), (None, None, o), (s, p, None), (None, p, o), (s, None, o)):
            for _ in view.match(*pattern):
                pass
        view.contains(s, p, o)
        with suppress(UnknownTripleError):
            str(base.explain(s, p, o))


def forged(chance: random.Random, seed: bytes) -> bytes:
    """A file that is whole, whose document and columns say something else: values of other types, other numbers,
    references to other columns, parts of other parts."""

    def edit(document: dict[str, Any], columns: list[Any]) -> None:
        for _ in range(chance.choice([1, 1, 2, 5])):
            if chance.random() < 0.3:
                _edit_column(chance, chance.choice(columns))
            else:
                _edit_document(chance, document)

    return forging.edited(seed, edit)


def _edit_document(chance: random.Random, place: Any) -> None:
    parent, step = None, None
    root = place
    while isinstance(place, (dict, list)) and place and (parent is None or chance.random() < 0.85):
        parent, step = place, chance.choice([*place] if isinstance(place, dict) else range(len(place)))
        place = place[step]
    if parent is None:
        return
    if isinstance(place, int) and chance.random() < 0.6:
        parent[step] = place + chance.choice([-1, 1, -place, 1000, -(1 << 40), 1 << 40, (1 << 63) - 1])
    else:
        values = [None, True, 0, -1, 1, 1.5, "", "x", [], {}, [0, 0, 0], [place, place]]
        parent[step] = copy.deepcopy(chance.choice([*values, chance.choice([*root.values()])]))


def _edit_column(chance: random.Random, column: Any) -> None:
    if isinstance(column, np.ndarray) and len(column):
        begin = chance.randrange(len(column))
        end = min(len(column), begin + chance.choice([1, 1, 2, 8, 100]))
        most = np.iinfo(column.dtype).max
        match chance.randrange(3):
            case 0:
                value = chance.choice([0, 1, 255, most, most >> 1, most >> 32])
                column[begin:end] = np.array(value).astype(column.dtype)
            case 1:
                column[begin:end] = column[chance.randrange(len(column))]
            case _:
                column[begin:end] = column[begin:end][chance.sample(range(end - begin), end - begin)]


@dataclass(frozen=True, slots=True)
class SealedTarget(Target):
    """Half of its inputs are files whose bytes were edited, half are whole files that say something else."""

    def mutated(self, chance: random.Random) -> bytes:
        """A seed after some edits."""
        if chance.random() < 0.8:
            return forged(chance, chance.choice(self.seeds))
        return Target.mutated(self, chance)


TARGET = SealedTarget(
    "snapshots",
    [_written(rules, long) for rules in ("rdfs", _RULES) for long in (0, 2048)],
    [
        *(b"ARROW1", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff" * 8, b"\x7f", b"uint", b"item", b"document", b'"pairs"'),
        *(b"[0,", b"[[", b"]]", b"{}", b"null", b"true", b"-1", b"9" * 20, b'"', b"transitive", b'"iri"', b'"rule"'),
    ],
    check,
)
