"""Encoded triples: what is written comes back, and whatever is wrong with a directory is one clear error."""

from __future__ import annotations

import errno
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from kgreason.encoded import parquet, writing
from kgreason.encoded.manifest import MANIFEST, EncodedFile, describe_file, is_encoded, read_manifest
from kgreason.encoded.reading import read_encoded
from kgreason.encoded.writing import write_encoded
from kgreason.errors import KGReasonError, LoadError
from kgreason.knowledge.base import KnowledgeBase
from kgreason.loading.quads import DEFAULT_GRAPH, Quads
from kgreason.loading.reading import load_files, read_files, read_stream
from kgreason.terms import dictionary as dictionary_module
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.key_columns import KeyColumn
from kgreason.terms.ordered_keys import OrderedPieces

NQUADS = """
<http://e/s> <http://e/p> <http://e/o> .
<http://e/s> <http://e/p> <http://e/o> .
<http://e/s> <http://e/p> <http://e/o> <http://e/g> .
<http://e/s> <http://e/p> "ü"@en <http://e/g> .
_:b <http://e/q> "1"^^<http://www.w3.org/2001/XMLSchema#int> _:g .
<http://e/a> <http://e/q> "a\\nb" .
<http://e/a> <http://e/q> <http://e/é> .
"""


def keys(quads: Quads, dictionary: Dictionary) -> set[tuple[str | None, ...]]:
    """Quads by the keys of their terms, blank nodes by being some."""

    def key(identifier: int) -> str | None:
        found = None if identifier == DEFAULT_GRAPH else dictionary.key(identifier)
        return "_:" if found is not None and found.startswith("_:") else found

    columns = (quads.graph, quads.subject, quads.predicate, quads.object)
    return {tuple(map(key, row)) for row in zip(*(column.tolist() for column in columns), strict=True)}


def write(directory: Path, text: str = NQUADS) -> set[tuple[str | None, ...]]:
    """Write quads as encoded triples, and give them."""
    dictionary = Dictionary()
    dictionary.encode_key("urn:unused")
    quads = read_stream(text.encode(), dictionary, format="nq")
    write_encoded(directory, dictionary, quads.subject, quads.predicate, quads.object, quads.graph, DEFAULT_GRAPH)
    return keys(quads, dictionary)


@pytest.fixture
def encoded(tmp_path: Path) -> Path:
    """A directory of encoded triples."""
    write(tmp_path / "encoded")
    return tmp_path / "encoded"


@pytest.mark.parametrize("least", [1, 1 << 14])
def test_round_trip(least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary_module, "SEGMENT_LEAST", least)
    written = write(tmp_path / "encoded")
    assert is_encoded(tmp_path / "encoded")
    for known in ([], ["http://e/o", '"ü"@EN', "urn:other"]):
        dictionary = Dictionary()
        dictionary.encode_keys(known)
        loaded = load_files([tmp_path / "encoded"], dictionary)
        assert keys(loaded.quads, dictionary) == {
            tuple('"ü"@EN' if part == '"ü"@en' and known else part for part in row) for row in written
        }
        assert loaded.report.triples == len(written) == 6
        assert dictionary.lookup_key("urn:unused") is None
        dictionary._check()


@pytest.mark.parametrize("known", [[], ["http://e/o", '"ü"@EN', "urn:other"]])
def test_few_rows_at_a_time(known: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_ROWS", 2)
    monkeypatch.setattr(dictionary_module, "SEGMENT_LEAST", 1)
    monkeypatch.setattr(dictionary_module, "LOOK_UP", 0)
    written = write(tmp_path / "encoded")
    dictionary = Dictionary()
    dictionary.encode_keys(known)
    quads = read_files([tmp_path / "encoded"], dictionary)
    assert keys(quads, dictionary) == {
        tuple('"ü"@EN' if part == '"ü"@en' and known else part for part in row) for row in written
    }
    dictionary._check()
    again = read_files([tmp_path / "encoded"], dictionary)
    assert keys(again, dictionary) == keys(quads, dictionary)
    dictionary._check()


def test_nothing_at_all(tmp_path: Path) -> None:
    assert write(tmp_path / "empty", "") == set()
    assert len(read_files([tmp_path / "empty"], Dictionary())) == 0


def test_several_dictionary_files_beside_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_TERMS_IN_A_FILE", 3)
    written = write(tmp_path / "encoded")
    assert len(list((tmp_path / "encoded" / "dictionary").iterdir())) == 4
    (tmp_path / "more.nt").write_text("<http://e/s> <http://e/p> <http://e/more> .\n")
    dictionary = Dictionary()
    quads = read_files([tmp_path / "more.nt", tmp_path / "encoded"], dictionary)
    assert keys(quads, dictionary) == written | {(None, "http://e/s", "http://e/p", "http://e/more")}


def written_with(directory: Path, *objects: str) -> None:
    """Write triples by the keys of their objects: a parser would give language tags in lower case."""
    dictionary = Dictionary()
    subject, predicate, *others = dictionary.encode_keys(["http://e/s", "http://e/p", *objects]).tolist()
    rows = [(subject, predicate, each, DEFAULT_GRAPH) for each in others]
    write_encoded(directory, dictionary, *np.array(rows, dtype=np.uint32).T, DEFAULT_GRAPH)


@pytest.mark.parametrize(("tag", "kind"), [("us", OrderedPieces), ("ca", KeyColumn)])
def test_tags_in_upper_case(tag: str, kind: type, tmp_path: Path) -> None:
    objects = {'"a"@en-GB', f'"a"@en-{tag}'}
    written_with(tmp_path / "encoded", *objects)
    assert isinstance(read_encoded(tmp_path / "encoded").terms, kind)
    dictionary = Dictionary()
    quads = read_files([tmp_path / "encoded"], dictionary)
    assert {row[3] for row in keys(quads, dictionary)} == objects
    dictionary._check()


def test_one_term_in_two_spellings(tmp_path: Path) -> None:
    written_with(tmp_path / "encoded", '"a"@en', '"a"@fr')
    rewritten(tmp_path / "encoded", "dictionary", with_column("term", lambda t: [*t[:2], '"a"@EN', '"a"@en']))
    base = KnowledgeBase("none")
    base.bulk_load(tmp_path / "encoded")
    assert len(base.all()) == 1
    base._check()


def test_terms_are_ordered_by_kind_and_bytes(encoded: Path) -> None:
    terms = read_encoded(encoded).terms.hashed().keys.listed()
    kinds = ["_:" if term.startswith("_:") else '"' if term.startswith('"') else "" for term in terms]
    assert kinds == [""] * 7 + ["_:"] * 2 + ['"'] * 3
    assert terms[:7] == sorted(terms[:7], key=str.encode)


def test_a_later_first_id(encoded: Path) -> None:
    expected = keys(read_files([encoded], before := Dictionary()), before)
    manifest = read_manifest(encoded)
    files = []
    for file in manifest.files:
        table = pq.read_table(encoded / file.path, partitioning=None)
        names = table.column_names
        columns = {name: table[name] if name == "term" else pc.add(table[name], 100) for name in names}
        path = encoded / file.path
        if "predicate=" in file.path:
            number = int(path.parent.name.partition("=")[2])
            moved = path.parent.with_name(f"predicate={number + 100}")
            moved.mkdir()
            path.unlink()
            path = moved / path.name
        pq.write_table(pa.table(columns), path)
        files.append(describe_file(encoded, path, len(table)))
    shifted = replace(manifest, terms=replace(manifest.terms, first=100), files=tuple(files))
    (encoded / MANIFEST).write_text(shifted.to_json())
    assert keys(read_files([encoded], after := Dictionary()), after) == expected


# -- faults ---------------------------------------------------------------------------------------------------------


def file_of(directory: Path, section: str) -> EncodedFile:
    return next(read_manifest(directory).section(section))


def rewritten(directory: Path, section: str, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change a file, and have the manifest agree with it."""
    manifest = read_manifest(directory)
    file = file_of(directory, section)
    path = directory / file.path
    table = change(pq.read_table(path, partitioning=None))
    pq.write_table(table, path)
    files = tuple(describe_file(directory, path, len(table)) if each == file else each for each in manifest.files)
    terms = manifest.terms
    if section == "dictionary":
        terms = replace(terms, literals=terms.literals + len(table) - file.rows)
    triples = manifest.triples + (len(table) - file.rows) * (section == "triples")
    (directory / MANIFEST).write_text(replace(manifest, files=files, terms=terms, triples=triples).to_json())


def with_column(name: str, values: Callable[[list[object]], list[object]]) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        at = table.column_names.index(name)
        return table.set_column(at, name, pa.array(values(table[name].to_pylist()), table[name].type))

    return change


def missing(directory: Path) -> None:
    (directory / file_of(directory, "triples").path).unlink()


def cut_off(directory: Path) -> None:
    path = directory / file_of(directory, "triples").path
    path.write_bytes(path.read_bytes()[:-1])


def flipped(directory: Path) -> None:
    path = directory / file_of(directory, "dictionary").path
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def no_parquet(directory: Path) -> None:
    manifest, file = read_manifest(directory), file_of(directory, "triples")
    (directory / file.path).write_text("something else")
    entry = describe_file(directory, directory / file.path, file.rows)
    files = tuple(entry if each == file else each for each in manifest.files)
    (directory / MANIFEST).write_text(replace(manifest, files=files).to_json())


def no_manifest_format(directory: Path) -> None:
    (directory / MANIFEST).write_text('{"format": "something else"}')


def later_version(directory: Path) -> None:
    content = json.loads((directory / MANIFEST).read_text())
    (directory / MANIFEST).write_text(json.dumps(content | {"version": 99}))


def no_iri_predicate(directory: Path) -> None:
    manifest, file = read_manifest(directory), file_of(directory, "triples")
    path = "triples/predicate=11/part-00000.parquet"
    (directory / path).parent.mkdir()
    (directory / file.path).rename(directory / path)
    files = tuple(EncodedFile(**{**asdict(each), "path": path}) if each == file else each for each in manifest.files)
    (directory / MANIFEST).write_text(replace(manifest, files=files).to_json())


def announced(more: int) -> Callable[[Path], None]:
    """The manifest says that a file has more rows than it has, or fewer."""

    def change(directory: Path) -> None:
        manifest, file = read_manifest(directory), file_of(directory, "triples")
        entry = replace(file, rows=file.rows + more)
        files = tuple(entry if each == file else each for each in manifest.files)
        text = replace(manifest, files=files, triples=manifest.triples + more).to_json()
        (directory / MANIFEST).write_text(text)

    return change


def changed(section: str, name: str, values: Callable[[list], list]) -> Callable[[Path], None]:
    return lambda directory: rewritten(directory, section, with_column(name, values))


FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing": (missing, r"cannot read .*part-00000\.parquet, which manifest\.json names: No such file"),
    "cut off": (cut_off, r"part-00000\.parquet: \d+ bytes, and manifest\.json says \d+"),
    "checksum": (flipped, r"dictionary/part-00000\.parquet: its SHA-256 is not the one"),
    "no Parquet": (no_parquet, r"part-00000\.parquet: not readable as Parquet"),
    "no manifest": (no_manifest_format, r"manifest\.json: not a manifest of encoded triples"),
    "later version": (later_version, r"manifest\.json: version 99 is not known"),
    "id twice": (changed("dictionary", "id", lambda ids: [0, *ids[:-1]]), r"dictionary/.*: the id 0 stands twice"),
    "id left out": (changed("dictionary", "id", lambda ids: [*ids[:-1], 99]), r"the id 99 follows on 10"),
    "first id": (changed("dictionary", "id", lambda ids: [i + 1 for i in ids]), r"the ids 1 to 12 are not among"),
    "term twice": (changed("dictionary", "term", lambda t: [t[0], t[0], *t[2:]]), r"the term .* stands twice"),
    "out of order": (changed("dictionary", "term", lambda t: [t[1], t[0], *t[2:]]), r"the term .* comes after"),
    "wrong kind": (changed("dictionary", "term", lambda t: ['"x"', *t[1:]]), r'"x" is not of the kind'),
    "no term": (changed("dictionary", "term", lambda t: [None, *t[1:]]), r"dictionary/.*: a term is no text"),
    "no id": (changed("triples", "subject", lambda ids: [None, *ids[1:]]), r"triples/.*: an id is no number"),
    "a literal": (changed("triples", "subject", lambda ids: [11] * len(ids)), r"triples/.*: the id 11 is not that"),
    "unknown object": (changed("triples", "object", lambda ids: [99] * len(ids)), r"triples/.*: the id 99 is not that"),
    "negative": (changed("triples", "object", lambda ids: [-1] * len(ids)), r"triples/.*: the id -1 is not that"),
    "literal graph": (changed("triples", "graph", lambda ids: [11] * len(ids)), r"triples/.*: the id 11 is not that"),
    "too few rows": (announced(1), r"triples/.*: \d+ rows, and manifest\.json says \d+"),
    "too many rows": (announced(-1), r"triples/.*: \d+ rows, and manifest\.json says \d+"),
    "predicate": (no_iri_predicate, r"predicate=11 is not predicate= and the id of an IRI"),
    "column": (
        lambda directory: rewritten(directory, "triples", lambda table: table.drop_columns(["graph"])),
        r"triples/.*: there is no column graph",
    ),
}


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("id", [0, 1, 2], r"part-0000\d\.parquet: the id 0 stands twice"),
        ("id", [4, 5, 6], r"part-0000\d\.parquet: the id 4 comes where 3 is missing"),
        ("term", ["a:1", "a:2", "a:3"], r"part-00001\.parquet: the term a:1 comes after http"),
        ("term", ["http://e/c", "http://e/d", "http://e/e"], r"part-00001\.parquet: the term http://e/c stands twice"),
    ],
)
def test_dictionary_files_that_do_not_fit_together(
    name: str, values: list[object], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_TERMS_IN_A_FILE", 3)
    text = "".join(f"<http://e/{each}> <http://e/p> <http://e/a> .\n" for each in "abcdefo")
    write(tmp_path / "encoded", text)
    second = [*read_manifest(tmp_path / "encoded").section("dictionary")][1]
    monkeypatch.setattr(sys.modules[__name__], "file_of", lambda *_: second)
    terms = read_encoded(tmp_path / "encoded").terms.hashed().keys.listed()
    assert terms[:3] == ["http://e/a", "http://e/b", "http://e/c"]
    rewritten(tmp_path / "encoded", "dictionary", with_column(name, lambda _: values))
    with pytest.raises(LoadError, match=message):
        read_encoded(tmp_path / "encoded")


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_leave_everything_as_it_was(fault: str, encoded: Path, tmp_path: Path) -> None:
    damage, message = FAULTS[fault]
    damage(encoded)
    (tmp_path / "good.nt").write_text("<http://e/s> <http://e/new> <http://e/o> .\n")
    base = KnowledgeBase("none")
    base.add(DEFAULT_GRAPH, *base.dictionary.encode_keys(["urn:s", "urn:p", "urn:o"]).tolist())
    before = len(base.dictionary)
    with pytest.raises(LoadError, match=message) as caught:
        base.bulk_load(tmp_path / "good.nt", encoded)
    assert "\n" not in str(caught.value)
    assert len(base.dictionary) == before
    assert len(base.all()) == 1
    base._check()


def test_a_directory_without_a_manifest_is_not_finished(encoded: Path) -> None:
    (encoded / MANIFEST).unlink()
    with pytest.raises(LoadError, match=r"manifest\.json: it is missing"):
        load_files([encoded], Dictionary())


@pytest.mark.parametrize("place", ["dictionary", "triples", "manifest"])
def test_a_full_disk(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if place == "manifest":
        monkeypatch.setattr(writing.Manifest, "to_json", full)
    else:
        original = pq.write_table

        def write_table(table: pa.Table, stream: Any, **options: Any) -> None:
            full() if place in str(stream.name) else original(table, stream, **options)

        monkeypatch.setattr(pq, "write_table", write_table)
    with pytest.raises(KGReasonError, match=rf"cannot write .*{place}.*: No space left on device"):
        write(tmp_path / "encoded")
    assert not is_encoded(tmp_path / "encoded")


def test_half_a_surrogate_pair_cannot_be_written(tmp_path: Path) -> None:
    dictionary = Dictionary()
    ids = dictionary.encode_keys(["urn:s", "urn:p", '"\ud800"'])
    columns = [np.array([i], dtype=np.uint32) for i in (*ids.tolist(), DEFAULT_GRAPH)]
    with pytest.raises(KGReasonError, match="is no Unicode"):
        write_encoded(tmp_path / "encoded", dictionary, *columns, DEFAULT_GRAPH)
    shutil.rmtree(tmp_path)
