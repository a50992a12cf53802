"""Snapshots whose checksum is right and whose bytes are not: one LoadError, or a knowledge base.

Which one, nobody can say: whoever makes the checksum right may write what he likes. But nothing is run, nothing
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

from kgreason.durable import codec
from kgreason.durable.codec import ColumnReader
from kgreason.durable.files import Bytes
from kgreason.errors import LoadError
from kgreason.knowledge.base import KnowledgeBase
from kgreason.knowledge.snapshot_format.state import read_state, write_state
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.model import IRI, Literal
from kgreason.terms.vocabulary import OWL, RDF, RDFS
from tests.durable import forging
from tests.facade import add, ex, triples
from tests.fuzz.target import Target, expect_one_line

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
    before, codec.LONG = codec.LONG, long
    try:
        parts = _Parts()
        write_state(_filled(rules).state(), {"settings": {}})(parts)
        return bytes(parts)
    finally:
        codec.LONG = before


def check(data: bytes) -> None:
    """All of a file."""
    try:
        state = read_state(ColumnReader(memoryview(data)))
    except LoadError as error:
        expect_one_line(error)
        return
    # What follows may be nonsense, of which `DurableKnowledge` makes a warning; it must not bring Python down.
    with suppress(Exception):
        base = KnowledgeBase("none", dictionary=Dictionary.of_state(state.dictionary))
        base.go_on_from(state)
        triples(base, base.all())
        add(base, (ex("n1"), ex("p"), ex("n0")), (ex("fresh"), _TYPE, ex("C")))
        base.all().count()


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
        value = chance.choice([0, 1, 255, most, most >> 1, most >> 32, int(column[chance.randrange(len(column))])])
        column[begin:end] = np.array(value).astype(column.dtype)


@dataclass(frozen=True, slots=True)
class SealedTarget(Target):
    """Half of its inputs are files whose bytes were edited, half are whole files that say something else."""

    def mutated(self, chance: random.Random) -> bytes:
        """A seed after some edits."""
        if chance.random() < 0.5:
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
