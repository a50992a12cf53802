"""Directories of encoded triples that are damaged, unfinished or cannot be written: one error that names the place."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import KGReasonError, LoadError
from kgreason.io.encoded import encoded_writer as writing
from kgreason.io.encoded.encoded_reader import read_encoded
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.encoded.manifest import MANIFEST, EncodedFile, describe_file, is_encoded, read_manifest
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.io.readers import load_files
from kgreason.store.knowledge_base import KnowledgeBase
from tests.io import encoded_cases
from tests.io.encoded_cases import file_of, rewritten, with_column, write
from tests.thresholds import Tuned


@pytest.fixture
def encoded(tmp_path: Path) -> Path:
    """A directory of encoded triples."""
    write(tmp_path / "encoded")
    return tmp_path / "encoded"


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


def deep_manifest(directory: Path) -> None:
    (directory / MANIFEST).write_text('{"format": ' + "[" * 100_000)


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
    "missing": (missing, r"part-00000\.parquet: manifest\.json names it, and it cannot be read: No such file"),
    "cut off": (cut_off, r"part-00000\.parquet: \d+ bytes, and manifest\.json says \d+"),
    "checksum": (flipped, r"dictionary/part-00000\.parquet: its SHA-256 is not the one"),
    "no Parquet": (no_parquet, r"part-00000\.parquet: not readable as Parquet"),
    "deep manifest": (deep_manifest, r"manifest\.json: not a manifest of encoded triples: nested too deep"),
    "no manifest": (no_manifest_format, r"manifest\.json: not a manifest of encoded triples"),
    "later version": (later_version, r"manifest\.json: version 99 is not known"),
    "id twice": (changed("dictionary", "id", lambda ids: [0, *ids[:-1]]), r"dictionary/.*: the id 0 stands twice"),
    "id left out": (changed("dictionary", "id", lambda ids: [*ids[:-1], 99]), r"the id 99 follows on 10"),
    "first id": (changed("dictionary", "id", lambda ids: [i + 1 for i in ids]), r"the ids 1 to 12 are not among"),
    "term twice": (changed("dictionary", "term", lambda t: [t[0], t[0], *t[2:]]), r"the term .* stands twice"),
    "out of order": (changed("dictionary", "term", lambda t: [t[1], t[0], *t[2:]]), r"the term .* comes after"),
    "wrong kind": (changed("dictionary", "term", lambda t: ['"x"', *t[1:]]), r'"x" is not of the kind'),
    "no term": (changed("dictionary", "term", lambda t: [None, *t[1:]]), r"dictionary/.*: a term is not text"),
    "no id": (changed("triples", "subject", lambda ids: [None, *ids[1:]]), r"triples/.*: an id is not a number"),
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
    name: str, values: list[object], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tuned: Tuned
) -> None:
    tuned(TERMS_IN_A_FILE=3)
    text = "".join(f"<http://e/{each}> <http://e/p> <http://e/a> .\n" for each in "abcdefo")
    write(tmp_path / "encoded", text)
    second = [*read_manifest(tmp_path / "encoded").section("dictionary")][1]
    monkeypatch.setattr(encoded_cases, "file_of", lambda *_: second)
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
        original = pq.ParquetWriter

        def opened(stream: Any, schema: pa.Schema, **options: Any) -> pq.ParquetWriter:
            if place in str(stream.name):
                full()
            return original(stream, schema, **options)

        monkeypatch.setattr(pq, "ParquetWriter", opened)
    with pytest.raises(KGReasonError, match=rf"{place}.*: cannot be written: No space left on device"):
        write(tmp_path / "encoded")
    assert not is_encoded(tmp_path / "encoded")


def test_half_a_surrogate_pair_cannot_be_written(tmp_path: Path) -> None:
    dictionary = Dictionary()
    ids = dictionary.encode_keys(["urn:s", "urn:p", '"\ud800"'])
    columns = [np.array([i], dtype=np.uint32) for i in (*ids.tolist(), DEFAULT_GRAPH)]
    with pytest.raises(KGReasonError, match="is not Unicode"):
        write_encoded(tmp_path / "encoded", dictionary, *columns, DEFAULT_GRAPH)
    shutil.rmtree(tmp_path)
