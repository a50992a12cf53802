"""Helpers of `test_encoded` and `test_damaged_encoded`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.encoded.manifest import MANIFEST, EncodedFile, describe_file, read_manifest
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.io.readers import read_stream

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
