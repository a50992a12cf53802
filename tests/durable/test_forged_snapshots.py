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

import numpy as np
import pyarrow as pa
import pytest
from rdflib import Graph, URIRef
from rdflib.namespace import RDFS

from kgreason import ReasoningStore
from kgreason.durable import catalogue
from kgreason.terms import dictionary
from tests.durable import forging

EX = "http://example.org/"
RULES = """@prefix ex: <http://example.org/> .
ex:reach(?x, ?y) :- ex:p(?x, ?y) .
ex:reach(?x, ?z) :- ex:reach(?x, ?y), ex:reach(?y, ?z) .
ex:same(?y, ?x) :- ex:same(?x, ?y) .
ex:same(?x, ?z) :- ex:same(?x, ?y), ex:same(?y, ?z) .
ex:C(?x) :- ex:p(?x, ?y), ~ex:D(?x) .
wide(?x, ?y, ?z) :- ex:p(?x, ?y), ex:p(?y, ?z), ?x != ?z .
"""
Document = dict[str, Any]
Edit = Callable[[Document, list[Any]], None]


def at(*path: Any, value: Any) -> Edit:
    """Puts a value somewhere into the document; a function of what was there gives it."""

    def edit(document: Document, columns: list[Any]) -> None:
        place: Any = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value(place[path[-1]]) if callable(value) else value

    return edit


def without(name: str) -> Edit:
    return lambda document, columns: document.pop(name)


def table(document: Document, word: str) -> list[Any]:
    """The first table of a kind."""
    return next(each for each in document["tables"] if each[0] == word)


def in_table(word: str, *path: Any, value: Any) -> Edit:
    return lambda document, columns: at(*path, value=value)({"table": table(document, word)}, columns)


def in_column(word: str, *path: Any, values: Callable[[np.ndarray], Any]) -> Edit:
    """Puts other values into the column that a table refers to, of the same length."""

    def edit(document: Document, columns: list[Any]) -> None:
        place: Any = table(document, word) if word in TABLES else document[word]
        for step in path:
            place = place[step]
        number, first, count = place
        assert count, "there is nothing to change"
        columns[number][first : first + count] = values(columns[number][first : first + count].copy())

    return edit


def shape_of(kind: str, part: int, value: Any) -> Edit:
    """Changes a part of the first shape that has one of a kind."""

    def edit(document: Document, columns: list[Any]) -> None:
        found = next(each for each in document["shapes"] if each[part] or kind == "any")
        found[part] = value(found[part]) if callable(value) else value

    return edit


def family_of(part: int, value: Any, *, guarded: bool = False) -> Edit:
    def edit(document: Document, columns: list[Any]) -> None:
        found = next(each for each in document["families"] if (each[2] is not None) == guarded)
        found[part] = value(found[part]) if callable(value) else value

    return edit


def deep(document: Document, columns: list[Any]) -> None:
    """Unions of unions of unions ..."""
    first = next(number for number, each in enumerate(document["tables"]) if each[0] == "pairs")
    count = len(document["tables"])
    document["tables"] += [["union", [first if not each else count + each - 1]] for each in range(5000)]


def wide(document: Document, columns: list[Any]) -> None:
    """Chains of chains of chains, each three times: 3 ** 30 of them."""
    first = next(number for number, each in enumerate(document["tables"]) if each[0] == "pairs")
    count = len(document["tables"])
    for each in range(30):
        of = first if not each else count + each - 1
        document["tables"].append(["chain", of, of, of, [of]])


def many_calls(value: list[Any]) -> list[Any]:
    found: Any = ["variable", "x"]
    for _ in range(400):
        found = ["call", "strlen", [found]]
    return [found]


TABLES = ("bitmap", "pairs", "rows", "equivalence", "transitive", "inverse", "union", "union of sets", "chain")
_OUT = 1 << 40
_FAR = np.uint64(1 << 31)
ATTACKS: dict[str, tuple[str, Edit]] = {
    "settings that are a list": ("settings", at("settings", value=[])),
    "setting that is a number": ("setting", at("settings", "rules", value=1)),
    "place of two parts": ("place", at("place", value=[1, 2])),
    "place of texts": ("place", at("place", value=["1", "2", "3"])),
    "no dictionary": ("dictionary", without("dictionary")),
    "dictionary that is an object": ("dictionary", at("dictionary", value={})),
    "runs of another kind": ("keys", at("dictionary", 0, 0, 0, value="os.system")),
    "keys in no column": ("column", at("dictionary", 0, 0, 1, value=[10_000, 0, 1])),
    "keys in a column below zero": ("column", at("dictionary", 0, 0, 1, value=[-1, 0, 1])),
    "keys in a column of another type": ("a column of", lambda d, c: at(*_KEYS, value=_wide_column(c))(d, c)),
    "reference that is no list": ("keys", at("dictionary", 0, 0, 1, value="x")),
    "reference of two parts": ("keys", at("dictionary", 0, 0, 1, value=[0, 0])),
    "reference that begins below zero": ("first", at("dictionary", 3, 1, value=-5)),
    "reference that is too long": ("length", at("dictionary", 3, 2, value=_OUT)),
    "reference with a fraction": ("number", at("dictionary", 3, 2, value=1.5)),
    "reference with a flag": ("number", at("dictionary", 3, 2, value=True)),
    "kinds that there are not": ("kinds", in_column("dictionary", 3, values=lambda old: old + 9)),
    "ordered keys of no run": ("order", at("dictionary", 2, value=10**9)),
    "ordered keys that are text": ("order", at("dictionary", 2, value="0")),
    "index of no terms": ("index", in_column("dictionary", 1, 0, 1, values=lambda old: old + 10**6)),
    "index that is out of order": ("index", in_column("dictionary", 1, 0, 0, values=lambda old: old[::-1])),
    "index of another length": ("index", at("dictionary", 1, 0, 1, 2, value=lambda old: old - 1)),
    "spellings of no row": ("spellings", in_column("dictionary", 0, 0, 2, 0, values=lambda old: old + 10**9)),
    "spellings out of order": ("spellings", in_column("dictionary", 0, 0, 2, 0, values=lambda old: old[::-1])),
    "spellings with no suffix": ("spellings", in_column("dictionary", 0, 0, 2, 1, values=lambda old: old + 9)),
    "spellings that are numbers": ("spellings", at("dictionary", 0, 0, 2, 2, value=[5])),
    "spellings that are no tags": ("spellings", at("dictionary", 0, 0, 2, 2, value=["^^"])),
    "auxiliary relation without arguments": ("arity", at("auxiliaries", 0, 1, value=0)),
    "auxiliary relation with the code of another": ("code", at("auxiliaries", 0, 2, value=8)),
    "auxiliary relation with the code of a class": ("code", at("auxiliaries", 0, 2, value=9)),
    "auxiliary relation with a name that is no text": ("name", at("auxiliaries", 0, 0, value=None)),
    "facts of no relation": ("relation", in_column("facts", 0, values=lambda old: old + _OUT)),
    "facts of a relation below zero": ("relation", in_column("facts", 0, values=lambda old: -old)),
    "facts of one relation twice": ("relation", in_column("facts", 0, values=lambda old: old * 0 + old[0])),
    "facts in no table": ("table", in_column("facts", 1, values=lambda old: old + 9999)),
    "facts in a table of another arity": ("table", in_column("facts", 1, values=lambda old: old * 0)),
    "external facts of a plain relation": ("external", lambda d, c: at("external", value=d["facts"])(d, c)),
    "graph with the name of no term": ("graph", at("graphs", 0, 0, value=10**7)),
    "graph below zero": ("graph", at("graphs", 0, 0, value=-1)),
    "lists that are no flag": ("lists", at("has lists", value=0)),
    "tables that are an object": ("tables", at("tables", value={})),
    "table of no kind": ("table 0", at("tables", 0, 0, value="builtins.eval")),
    "table whose kind is a list": ("table 0", at("tables", 0, 0, value=["pairs"])),
    "table of too many parts": ("table 0", at("tables", 0, value=lambda old: [*old, 1])),
    "table that refers to itself": ("its mirror", in_table("pairs", "table", 2, value=0)),
    "table that refers to a later one": ("its edges", in_table("transitive", "table", 1, value=10**6)),
    "table that refers to one below zero": ("its edges", in_table("transitive", "table", 1, value=-1)),
    "tables nested deep": ("nested too deep", deep),
    "tables that unfold to 3 ** 30": ("too large", wide),
    "bitmap of other bytes": ("bitmap", in_column("bitmap", 1, values=lambda old: old * 0 + 255)),
    "bitmap of no bytes": ("bitmap", in_table("bitmap", "table", 1, 2, value=0)),
    "bitmap with a wrong cardinality": ("bitmap", in_column("bitmap", 1, values=lambda old: _with(old, 10, 200))),
    "bitmap of terms that there are not": ("bitmap", in_column("bitmap", 1, values=lambda old: _with(old, 9, 255))),
    "pairs out of order": ("order", in_column("pairs", 1, 0, values=lambda old: old[::-1])),
    "pairs twice": ("order", in_column("pairs", 1, 0, values=lambda old: old * 0 + old[0])),
    "pairs of no terms": ("no term", in_column("pairs", 1, 0, values=lambda old: old + np.uint64(1 << 60))),
    "pairs with objects of no terms": ("no term", in_column("pairs", 1, 0, values=lambda old: old + _FAR)),
    "pairs that came twice": ("was there", in_table("pairs", "table", 1, value=lambda old: [old[0], old[0], old[2]])),
    "pairs of two blocks": ("blocks", in_table("pairs", "table", 1, value=lambda old: old[:2])),
    "pairs with an end too many": ("end", in_table("pairs", "table", 3, value=[[2, 5]])),
    "pairs with ends below zero": ("ends", in_table("pairs", "table", 3, value=[[0, -5]])),
    "rows with two arguments": ("arity", in_table("rows", "table", 1, value=2)),
    "rows that are not whole": ("rows", in_table("rows", "table", 2, 2, value=lambda old: old - 1)),
    "rows out of order": ("order", in_column("rows", 2, values=lambda old: old.reshape(-1, 12)[::-1].reshape(-1))),
    "rows of no terms": ("no term", in_column("rows", 2, values=lambda old: _with(old, len(old) - 12, 200))),
    "components in no order": ("components", in_column("equivalence", 3, values=lambda old: old[::-1])),
    "component that begins outside": ("components", in_column("equivalence", 3, values=lambda old: old + 5)),
    "members twice": ("members", in_column("equivalence", 2, values=lambda old: old * 0 + old[0])),
    "members of no terms": ("members", in_column("equivalence", 2, values=lambda old: old + 10**8)),
    "edges that are no pairs": ("its edges", in_table("equivalence", "table", 1, value=lambda old: "x")),
    "nodes of no terms": ("nodes", in_column("transitive", 2, 0, values=lambda old: old + 10**8)),
    "nodes twice": ("nodes", in_column("transitive", 2, 0, values=lambda old: old * 0 + old[0])),
    "components out of range": ("components", in_column("transitive", 2, 1, values=lambda old: old + 10**8)),
    "components below zero": ("components", in_column("transitive", 2, 1, values=lambda old: old - 10**8)),
    "components of others": ("components", in_column("transitive", 2, 1, values=lambda old: np.roll(old, 1))),
    "groups out of range": ("groups", in_column("transitive", 2, 2, values=lambda old: old + 10**8)),
    "groups that begin outside": ("groups", in_column("transitive", 2, 3, values=lambda old: old + 10**8)),
    "groups of labels out of range": ("groups", in_column("transitive", 2, 4, values=lambda old: old + 10**8)),
    "groups of the labels of others": ("groups", in_column("transitive", 2, 4, values=lambda old: old[::-1] * 0)),
    "sets outside of the columns": ("sets", in_column("transitive", 2, 5, 3, values=lambda old: old + 10**8)),
    "small sets outside of the columns": ("sets", in_column("transitive", 2, 5, 2, values=lambda old: old - 10**8)),
    "small sets of no labels": ("small sets", in_column("transitive", 2, 5, 1, values=lambda old: old + 10**8)),
    "sets for some labels": ("sets", in_table("transitive", "table", 2, 5, 2, 2, value=lambda old: old - 1)),
    "changed sets of no set": ("changed", in_table("transitive", "table", 2, 5, 4, value=lambda old: [old[0], 0, 3])),
    "count of pairs below zero": ("pairs", in_table("transitive", "table", 2, 6, 0, value=-1)),
    "order that is no flag": ("ordered", in_table("transitive", "table", 2, 6, 2, value="yes")),
    "closure of five parts": ("closure", in_table("transitive", "table", 2, value=lambda old: old[:5])),
    "shape of no word": ("shape 0", at("shapes", 0, 0, value="subprocess.Popen")),
    "shape whose atom has no relation": ("shape", at("shapes", 0, 2, 0, 1, value=99)),
    "shape whose atom has no arguments": ("shape", at("shapes", 0, 2, 0, 2, value=[])),
    "shape with a parameter that it has not": ("shape", at("shapes", 0, 2, 0, 2, 0, value=-99)),
    "shape with a head that nothing binds": ("shape", at("shapes", 0, 1, 2, 0, value=77)),
    "shape with a filter that nothing binds": ("shape", at("shapes", 0, 4, value=[["operation", "=", [55, 55]]])),
    "shape with a slot that is text": ("shape", at("shapes", 0, 2, 0, 2, 0, value="0")),
    "shape with parameters below zero": ("shape", at("shapes", 0, 6, value=-1)),
    "family of no shape": ("shape", family_of(1, 999)),
    "family with a name that is no text": ("name", family_of(0, 5)),
    "family with a guard of no relation": ("guard", family_of(2, _OUT, guarded=True)),
    "family that is not that of its guard": ("famil", family_of(2, lambda old: 4, guarded=True)),
    "family with a source of no row": ("column", family_of(3, lambda old: [["column", 9, 1], *old[1:]], guarded=True)),
    "family with a source of no class": ("damaged", family_of(3, lambda old: [["iri", "x"], *old[1:]], guarded=True)),
    "family with columns of no kind": ("columns", family_of(4, [3])),
    "family with rows of another width": ("rows", family_of(5, lambda old: [old[0], [old[1][0], 2, 1], old[2]])),
    "family with rows that are not there": ("rows", family_of(5, lambda old: [old[0], [old[1][0], 99, 2], old[2]])),
    "family with parameters of no relation": ("damaged", lambda d, c: _shift_parameters(d, c, _OUT)),
    "family with parameters below zero": ("damaged", lambda d, c: _shift_parameters(d, c, -_OUT)),
    "family with too few flags": ("rows", family_of(6, lambda old: [*old[:3], [*old[3][:2], 0]])),
    "family with flags of 7": ("flag", lambda d, c: _set_flags(d, c)),
    "guards of no families": ("famil", at("guarded", 0, 1, value=[999])),
    "plain family that has a guard": ("plain", lambda d, c: at("plain", value=list(range(len(d["families"]))))(d, c)),
    "retired family that there is not": ("family", at("retired", value=[-1])),
    "sequences of lists of no relation": ("lists", at("sequences", value=[[1, 4]])),
    "rule of another kind": ("rule 0", at("rules", 0, value=["iri", "x"])),
    "rule of no word": ("rule 0", at("rules", 0, 0, value="__import__")),
    "rule with a body of text": ("rule 0", at("rules", 0, 2, value="body")),
    "rule with a variable that is a number": ("rule 0", at("rules", 0, 1, 0, 1, value=["variable", 5])),
    "rule nested deep": ("rule 0", at("rules", 0, 4, value=many_calls)),
    "program that is a list": ("program", at("program", value=[])),
    "program without counts": ("counts", at("program", "counts", value=None)),
    "program that counts no rule": ("number of a rule", at("program", "counts", 0, 0, value=9999)),
    "program that counts below one": ("count", at("program", "counts", 0, 1, value=0)),
    "program of which nothing became": ("program", at("program", "records", value=[])),
    "program with other plain rules": ("program", at("program", "plain", value=lambda old: old[1:])),
    "plain rule with too few parameters": ("plain rule", at("program", "plain", 0, 2, value=[1])),
    "owner of no family": ("family", at("program", "owners", 0, 0, value=9999)),
    "template of four parts": ("template", at("program", "owners", 0, 2, value=lambda old: old[:4])),
    "template of a rule that there is not": ("rule", at("program", "owners", 0, 2, 0, value=-1)),
    "guards below zero": ("guards", at("program", "guards", value=-1)),
    "definition of no scheme": ("definition 0", at("definitions", 0, 1, value="os")),
    "definition of nothing": ("definition 0", at("definitions", 0, 3, value=[])),
    "definition of no relation": ("definition 0", at("definitions", 0, 3, 0, 1, value=_OUT)),
    "definition of another arity": ("definition 0", at("definitions", 0, 2, value=1)),
    "relation with the definition of another": ("definition", at("defined", 0, 0, value=5)),
    "relation with no definition": ("definition", at("defined", 0, 1, value=77)),
}


_KEYS = ("dictionary", 0, 0, 1, 0)


def _wide_column(columns: list[Any]) -> int:
    return next(number for number, column in enumerate(columns) if getattr(column, "dtype", None) == np.uint64)


def _with(column: np.ndarray, at: int, value: int) -> np.ndarray:
    column[at] = value
    return column


def _shift_parameters(document: Document, columns: list[Any], by: int) -> None:
    family = next(each for each in document["families"] if each[5][2][1])
    number, first, count = family[5][2][0]
    columns[number][first : first + count] += by


def _set_flags(document: Document, columns: list[Any]) -> None:
    number, first, count = next(each for each in document["families"] if each[6][1][2])[6][1]
    columns[number][first : first + count] = 7


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[Any]]:
    """A store with tables of most kinds, terms in columns, and a snapshot; and what it shows."""
    path = tmp_path_factory.mktemp("made") / "store"
    with pytest.MonkeyPatch.context() as patch, ReasoningStore(rules=["rdfs", RULES]) as store:
        patch.setattr(dictionary, "SEGMENT_LEAST", 20)
        store.open(str(path), create=True)
        graph = Graph(store=store)
        lines = [f"<{EX}n{i}> <{EX}p> <{EX}n{i * 7 % 23}> .\n" for i in range(30)]
        lines += [f'<{EX}n{i}> <{EX}label> "text {i}"@en-GB .\n' for i in range(30)]
        (path.parent / "some.nt").write_text("".join(lines))
        store.bulk_load(path.parent / "some.nt")
        for i in range(30):
            graph.add((URIRef(f"{EX}c{i}"), RDFS.subClassOf, URIRef(f"{EX}c{i + 1}")))
            graph.add((URIRef(f"{EX}n{i}"), URIRef(EX + "same"), URIRef(f"{EX}n{i + 8}")))
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
    """Its catalogue is of format 1, with the same tables, and the snapshot a pickle."""
    (snapshot,) = store.glob("snapshot-*")
    snapshot.rename(snapshot.with_suffix(".bin"))
    forging.change(store, "UPDATE snapshot SET name = replace(name, '.arrow', '.bin')", "PRAGMA user_version = 1")
    forging.replace_file(store, "snapshot", _pickled)

    assert shown_by(store) == made[1]
    assert shown_by(store, read_only=False) == made[1]

    assert not [*store.glob("*.bin")]
    assert shown_by(store) == made[1]
    assert (store / catalogue.FILE).exists()


def test_set_of_labels_that_is_no_bitmap_is_an_error_of_ours(store: Path) -> None:
    """Sets are looked at when they are asked for: there may be a million."""
    from kgreason.errors import KGReasonError


    def edit(document: Document, columns: list[Any]) -> None:
        for each in document["tables"]:
            if each[0] == "transitive":
                number, first, count = each[2][5][0]
                columns[number][first : first + count] = 255

    forging.edit_snapshot(store, edit)
    opened = ReasoningStore()
    opened.open(str(store), read_only=True)
    with pytest.raises(KGReasonError, match="damaged snapshot: a set of labels"):
        len({*Graph(store=opened)})
