"""Encoded triples: what is written comes back, and a fault of a directory is one clear error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.dictionary.ordered_keys import OrderedPieces
from kgreason.io.encoded.encoded_reader import read_encoded
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.encoded.manifest import MANIFEST, describe_file, is_encoded, read_manifest
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.io.readers import load_files, read_files
from kgreason.store.knowledge_base import KnowledgeBase
from tests.io.encoded_cases import keys, rewritten, with_column, write
from tests.thresholds import Tuned


@pytest.fixture
def encoded(tmp_path: Path) -> Path:
    """A directory of encoded triples."""
    write(tmp_path / "encoded")
    return tmp_path / "encoded"


@pytest.mark.parametrize("least", [1, 1 << 14])
def test_round_trip(least: int, tmp_path: Path, tuned: Tuned) -> None:
    tuned(SEGMENT_LEAST=least)
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
def test_few_rows_at_a_time(known: list[str], tmp_path: Path, tuned: Tuned) -> None:
    tuned(PARQUET_ROWS=2, SEGMENT_LEAST=1, KEY_LOOK_UP=0)
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


def test_several_dictionary_files_beside_other_files(tmp_path: Path, tuned: Tuned) -> None:
    tuned(TERMS_IN_A_FILE=3)
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
