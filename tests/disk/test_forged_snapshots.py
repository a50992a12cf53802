"""Snapshots from an attacker, with checksums that are right: each is refused with path and part, and the log is read.

Every part of the document and every kind of column is made wrong in turn: types, counts, ranges, order, references.
Would catch code of the attacker that is run, a class or module that is looked up by a name in the file, an index that
leads out of a column, a table that refers to itself, and an error that is not ours after the store is open.
"""

from __future__ import annotations

import builtins
import os
import pickle
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from rdflib import Graph, URIRef
from rdflib.namespace import RDF, RDFS

from kgreason import ReasoningStore
from kgreason.disk import commit_log
from kgreason.errors import KGReasonError
from tests.disk import forging
from tests.disk.snapshot_attacks import ATTACKS, Document
from tests.thresholds import tuning_context

EX = "http://example.org/"

RULES = """@prefix ex: <http://example.org/> .
ex:reach(?x, ?y) :- ex:p(?x, ?y) .
ex:reach(?x, ?z) :- ex:reach(?x, ?y), ex:reach(?y, ?z) .
ex:same(?y, ?x) :- ex:same(?x, ?y) .
ex:same(?x, ?z) :- ex:same(?x, ?y), ex:same(?y, ?z) .
ex:C(?x) :- ex:p(?x, ?y), ~ex:D(?x) .
wide(?x, ?y, ?z) :- ex:p(?x, ?y), ex:p(?y, ?z), ?x != ?z .
ex:twin(?y, ?x) :- ex:twin(?x, ?y) .
ex:twin(?x, ?z) :- ex:twin(?x, ?y), ex:twin(?y, ?z), ?x != ?z .
ex:near(?x, ?z) :- ex:near(?x, ?y), ex:near(?y, ?z), ?x != ?z, ?z != ex:n1, ?z != ex:n2 .
ex:likes(?y, ?z) :- ex:twin(?x, ?y), ex:likes(?x, ?z) .
ex:likes(?z, ?y) :- ex:twin(?x, ?y), ex:likes(?z, ?x) .
ex:E(?y) :- ex:twin(?x, ?y), ex:E(?x) .
ex:E(?x) :- ex:F(?x) .
[?x, ex:steps, #count(?y)], [?x, ex:steps, #min(?y)] :- ex:p(?x, ?y) .
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[Any]]:
    return make_store(tmp_path_factory.mktemp("made") / "store")


def make_store(path: Path) -> tuple[Path, set[Any]]:
    """A store with tables of most kinds, terms in columns, and a snapshot; and what it shows."""
    with tuning_context() as tuned, ReasoningStore(rules=["rdfs", RULES]) as store:
        tuned(SEGMENT_LEAST=20)
        store.open(str(path), create=True)
        graph = Graph(store=store)
        lines = [f"<{EX}n{i}> <{EX}p> <{EX}n{i * 7 % 23}> .\n" for i in range(30)]
        lines += [f'<{EX}n{i}> <{EX}label> "text {i}"@en-GB .\n' for i in range(30)]
        (path.parent / "some.nt").write_text("".join(lines))
        store.bulk_load(path.parent / "some.nt")
        for i in range(30):
            graph.add((URIRef(f"{EX}c{i}"), RDFS.subClassOf, URIRef(f"{EX}c{i + 1}")))
            graph.add((URIRef(f"{EX}n{i}"), URIRef(EX + "same"), URIRef(f"{EX}n{i + 8}")))
            graph.add((URIRef(f"{EX}n{i}"), URIRef(EX + "twin"), URIRef(f"{EX}n{i // 4}")))
            graph.add((URIRef(f"{EX}n{i}"), URIRef(EX + "near"), URIRef(f"{EX}n{i * 5 % 11}")))
            graph.add((URIRef(f"{EX}n{i}"), URIRef(EX + "likes"), URIRef(f"{EX}n{i * 5 % 7}")))
            graph.add((URIRef(f"{EX}n{i}"), RDF.type, URIRef(EX + "EF"[i % 2])))
        assert len([*graph.triples((None, URIRef(EX + "reach"), URIRef(EX + "n3")))])
        graph.commit()
        store.write_snapshot()
        shown = {*graph}
    (path.parent / "some.nt").unlink()
    return path, shown


@pytest.fixture
def store(tmp_path: Path, made: tuple[Path, set[Any]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that store, in a process that runs nothing."""
    (tmp_path / "outside").write_text("precious")
    (tmp_path / "payload.py").write_text("raise SystemExit('a module of the attacker was imported')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def forbidden(*arguments: object, **options: object) -> None:
        raise SystemExit("something was run")

    pa.array([""])  # The first column that pyarrow makes of a list imports pandas, which calls eval.
    for module, name in ((os, "system"), (subprocess, "Popen"), (builtins, "eval"), (pickle, "loads")):
        monkeypatch.setattr(module, name, forbidden)
    shutil.copytree(made[0], tmp_path / "store")
    return tmp_path / "store"


def shown_by(path: Path, *, read_only: bool = True) -> set[Any]:
    opened = ReasoningStore()
    opened.open(str(path), read_only=read_only)
    found = {*Graph(store=opened)}
    opened.close()
    return found


def test_snapshot_that_nobody_changed_is_used(
    store: Path, made: tuple[Path, set[Any]], caplog: pytest.LogCaptureFixture
) -> None:
    forging.edit_snapshot(store, lambda document, columns: None)
    assert shown_by(store) == made[1]
    assert not caplog.text


def test_snapshot_of_before_there_were_aggregates_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ReasoningStore(rules="@prefix ex: <http://example.org/> .\nex:q(?x, ?y) :- ex:p(?y, ?x), ~ex:C(?x) .") as made:
        made.open(str(tmp_path / "store"), create=True)
        Graph(store=made).add((URIRef(EX + "a"), URIRef(EX + "p"), URIRef(EX + "b")))
        made.commit()
        made.write_snapshot()
        shown = {*Graph(store=made)}

    def shortened(document: Document, columns: list[Any]) -> None:
        for record in (*document["templates"], *document["rules"]):
            assert record.pop() == []

    forging.edit_snapshot(tmp_path / "store", shortened)
    assert shown_by(tmp_path / "store") == shown
    assert not caplog.text


@pytest.mark.parametrize("name", ATTACKS)
def test_forged_snapshot_is_refused_with_path_and_part(
    store: Path, made: tuple[Path, set[Any]], name: str, caplog: pytest.LogCaptureFixture
) -> None:
    part, edit = ATTACKS[name]
    forging.edit_snapshot(store, edit)

    assert shown_by(store) == made[1]

    (record,) = caplog.records
    said = record.getMessage()
    assert str(store) in said
    assert "damaged" in said
    assert part in said.split("no use", 1)[1]
    assert "\n" not in said
    assert (store.parent / "outside").read_text() == "precious"
    assert sorted(os.listdir(store.parent)) == ["outside", "payload.py", "store"]


class Hostile:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch outside-was-touched",)


PICKLE = pickle.dumps(Hostile())


def _pickled(data: bytes) -> bytes:
    return PICKLE


def _of(**options: Any) -> Callable[[bytes], bytes]:
    def pack(data: bytes) -> bytes:
        held: list[Any] = []
        forging.edited(data, lambda document, columns: held.extend(columns))
        document = pa.ipc.open_file(data).get_batch(0).column(0)[0].as_py()
        return forging.packed(document, held, **options)

    return pack


@pytest.mark.parametrize(
    ("edit", "part"),
    [
        (_pickled, "no columns"),
        (lambda data: b"", ""),
        (lambda data: data[: len(data) // 2], "no columns"),
        (lambda data: forging.packed("[" * 100_000, []), "nested too deep"),
        (lambda data: forging.packed("{", []), "no JSON"),
        (lambda data: forging.packed("[]", []), "the document"),
        (lambda data: forging.packed("{}", [pa.array([[1]])]), "column 0"),
        (lambda data: forging.packed("{}", [pa.array([1.5])]), "column 0"),
        (lambda data: forging.packed("{}", [pa.array([b"x"])]), "column 0"),
        (_of(compression="zstd"), "compressed"),
        (_of(rows=2), "batches"),
        (_of(rows=0), "batches"),
    ],
)
def test_file_that_is_no_snapshot_is_refused(
    store: Path,
    made: tuple[Path, set[Any]],
    edit: Callable[[bytes], bytes],
    part: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    forging.replace_file(store, "snapshot", edit)
    assert shown_by(store) == made[1]
    assert part in caplog.text
    assert str(store) in caplog.text


def test_snapshot_of_version_0_1_0_is_not_read(
    store: Path, made: tuple[Path, set[Any]], tmp_path: Path
) -> None:
    """Its log is of format 1, with the same tables, and the snapshot a pickle."""
    (snapshot,) = store.glob("snapshot-*")
    snapshot.rename(snapshot.with_suffix(".bin"))
    forging.change(store, "UPDATE snapshot SET name = replace(name, '.arrow', '.bin')", "PRAGMA user_version = 1")
    forging.replace_file(store, "snapshot", _pickled)

    assert shown_by(store) == made[1]
    assert shown_by(store, read_only=False) == made[1]

    assert not [*store.glob("*.bin")]
    assert shown_by(store) == made[1]
    assert (store / commit_log.FILE).exists()


def test_set_of_labels_that_is_no_bitmap_is_an_error_of_ours(store: Path) -> None:
    """Sets are looked at when they are asked for: there may be a million."""
    def edit(document: Document, columns: list[Any]) -> None:
        for each in document["tables"]:
            if each[0] == "transitive":
                number, first, count = each[2][5][0]
                columns[number][first : first + count] = 255

    forging.edit_snapshot(store, edit)
    opened = ReasoningStore()
    opened.open(str(store), read_only=True)
    with pytest.raises(KGReasonError, match="damaged: a set of labels"):
        len({*Graph(store=opened)})


def test_snapshot_of_a_store_with_lists_is_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Relations of lists have numbers with gaps; all others follow each other."""
    chain = f"<{EX}p> <http://www.w3.org/2002/07/owl#propertyChainAxiom> ( <{EX}q> <{EX}r> ) . "
    with ReasoningStore(rules="owl-rl") as store:
        store.open(str(tmp_path / "store"), create=True)
        Graph(store=store).parse(data=f"{chain} <{EX}a> <{EX}q> <{EX}b> . <{EX}b> <{EX}r> <{EX}c> .", format="turtle")
        store.commit()
        store.write_snapshot()
        shown = {*Graph(store=store)}

    assert (URIRef(f"{EX}a"), URIRef(f"{EX}p"), URIRef(f"{EX}c")) in shown
    assert shown_by(tmp_path / "store") == shown
    assert not caplog.text
