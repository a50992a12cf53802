"""Databases that were damaged: an error, or exactly what was there after one commit; never another closure."""

from __future__ import annotations

import logging
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from kgreason.durable.catalogue import FILE
from kgreason.errors import KGReasonError
from kgreason.knowledge.durability import DurableKnowledge, Wishes
from kgreason.terms.model import IRI
from kgreason.terms.vocabulary import OWL, RDF
from tests.facade import Triple, add, ex, remove, triples
from tests.fuzz.target import Target, expect_one_line

_COMMITS = 12


def _step(number: int) -> tuple[set[Triple], set[Triple]]:
    """What a commit adds and removes."""
    chain = {(ex(f"n{each}"), ex("p"), ex(f"n{each + 1}")) for each in range(number * 3, number * 3 + 3)}
    return chain, {(ex(f"n{number * 3 - 2}"), ex("p"), ex(f"n{number * 3 - 1}"))}


@cache
def _made() -> tuple[TemporaryDirectory[str], list[set[Triple]]]:
    """A store on disk, and what it showed before the first commit and after each."""
    folder = TemporaryDirectory(prefix="kgreason-fuzz-")
    store = DurableKnowledge(Path(folder.name), Wishes("rdfs-plus"), create=True)
    states: list[set[Triple]] = [set()]
    add(store.knowledge, (ex("p"), IRI(RDF + "type"), IRI(OWL + "TransitiveProperty")))
    for number in range(_COMMITS):
        added, removed = _step(number)
        add(store.knowledge, *added)
        remove(store.knowledge, *removed)
        store.commit({"a setting": str(number)})
        states.append(_shown(store))
        if number == _COMMITS // 2:
            store.write_snapshot()
    store.directory.close()
    return folder, states


def _shown(store: DurableKnowledge) -> set[Triple]:
    return triples(store.knowledge, store.knowledge.all())


def check(data: bytes) -> None:
    """The bytes of a catalogue; the first one says whether there is a snapshot as well."""
    folder, states = _made()
    with TemporaryDirectory(prefix="kgreason-fuzz-") as copy:
        for file in Path(folder.name).glob("snapshot-*") if data[:1] > b"\x7f" else ():
            shutil.copy(file, copy)
        Path(copy, FILE).write_bytes(data[1:])
        log = logging.getLogger("kgreason.durable")
        log.disabled = True
        try:
            store = DurableKnowledge(Path(copy), Wishes(default="rdfs-plus"))
        except KGReasonError as error:
            expect_one_line(error)
            return
        finally:
            log.disabled = False
        try:
            assert _shown(store) in states, "what never was there"
        finally:
            store.directory.close()


def _seeds() -> list[bytes]:
    data = Path(_made()[0].name, FILE).read_bytes()
    return [b"\0" + data, b"\xff" + data]


TARGET = Target(
    "catalogues",
    _seeds(),
    [b"\0", b"\xff", b"\0\0\0\1", b"\x0d", b"\x0a", b"\x05", b"\x10\0", b"rules", b"log", b"INTEGER", b"{", b"9"],
    check,
)
