"""Encoded triples on this machine, checked against their manifest and read without any parsing."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kgreason.encoded.manifest import (
    DICTIONARY,
    MANIFEST,
    NO_GRAPH,
    PREDICATE,
    TRIPLES,
    EncodedFile,
    Manifest,
    TermCounts,
    read_manifest,
)
from kgreason.errors import LoadError
from kgreason.terms.hashing import TEXT_LIMIT
from kgreason.terms.keys import kinds_of

Ids: TypeAlias = NDArray[np.uint32]

_THREADS: Final = 8


class EncodedTriples(NamedTuple):
    """Terms by their keys, each once, and triples as columns of positions among them; NO_GRAPH in the default graph."""

    terms: pa.Array
    graph: Ids
    subject: Ids
    predicate: Ids
    object: Ids


def read_encoded(directory: Path) -> EncodedTriples:
    """Read encoded triples, about 0.1 microseconds each on two processors.

    Raises:
        LoadError: a file is missing, has another checksum than in the manifest, or is no such file; a term or an id
            stands twice, or an id is none of the dictionary's.
    """
    manifest = read_manifest(directory)
    dictionary, triples = list(manifest.section(DICTIONARY)), list(manifest.section(TRIPLES))
    columns = [np.empty(manifest.triples, dtype=np.uint32) for _ in range(4)]
    ends = list(accumulate(file.rows for file in triples))
    with ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1), "kgreason-loading") as pool:
        reading = [pool.submit(_read_terms, directory, file) for file in dictionary]
        filling = [
            pool.submit(
                _read_triples, directory, file, manifest.terms, [column[end - file.rows : end] for column in columns]
            )
            for file, end in zip(triples, ends, strict=True)
        ]
        try:
            terms = _all_terms(directory, manifest, [task.result() for task in reading])
            for task in filling:
                task.result()
        finally:
            for waiting in reading:
                waiting.cancel()
            for filled in filling:
                filled.cancel()
    return EncodedTriples(terms, *columns)


def _checked_table(directory: Path, file: EncodedFile, names: Sequence[str]) -> pa.Table:
    """Some columns of a file that is what the manifest says it is."""
    path = directory / file.path
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LoadError(f"cannot read {path}, which {MANIFEST} names: {error.strerror}") from error
    if len(content) != file.bytes:
        raise LoadError(f"{path}: {len(content)} bytes, and {MANIFEST} says {file.bytes}")
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise LoadError(f"{path}: its SHA-256 is not the one in {MANIFEST}")
    try:
        parquet = pq.ParquetFile(pa.BufferReader(content))
        table = parquet.read(columns=list(names), use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise LoadError(f"{path}: not readable as Parquet: {' '.join(str(error).split())}") from error
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise LoadError(f"{path}: there is no column {', '.join(missing)}")
    if len(table) != file.rows:
        raise LoadError(f"{path}: {len(table)} rows, and {MANIFEST} says {file.rows}")
    return table


def _read_terms(directory: Path, file: EncodedFile) -> tuple[str, int, list[pa.Array]]:
    """The path of a dictionary file, its first id, and its keys in the order of their ids, without a gap."""
    path = directory / file.path
    table = _checked_table(directory, file, ("id", "term"))
    identifiers = _numbers(table.column("id"), path)
    if not len(identifiers):
        return file.path, 0, []
    steps = np.flatnonzero(np.diff(identifiers) != 1)
    if len(steps):
        before, after = identifiers[steps[0] : steps[0] + 2].tolist()
        reason = f"the id {after} stands twice" if before == after else f"the id {after} follows on {before}"
        raise LoadError(f"{path}: {reason}")
    terms = table.column("term")
    if terms.null_count or not (pa.types.is_string(terms.type) or pa.types.is_large_string(terms.type)):
        raise LoadError(f"{path}: a term is no text")
    try:
        terms.validate(full=True)
    except pa.ArrowInvalid as error:
        raise LoadError(f"{path}: a term is not valid UTF-8") from error
    return file.path, int(identifiers[0]), terms.chunks


def _all_terms(directory: Path, manifest: Manifest, files: list[tuple[str, int, list[pa.Array]]]) -> pa.Array:
    """The keys of all files in the order of their ids, each once."""
    counts = manifest.terms
    chunks: list[pa.Array] = []
    expected = counts.first
    for path, first, some in sorted((file for file in files if file[2]), key=lambda file: file[1]):
        if first != expected:
            reason = "stands twice" if first < expected else f"comes where {expected} is missing"
            raise LoadError(f"{directory / path}: the id {first} {reason}")
        expected += sum(map(len, some))
        chunks += some
    wide = sum(chunk.nbytes for chunk in chunks) > TEXT_LIMIT
    keys = pa.large_string() if wide else pa.string()
    terms = pa.concat_arrays([chunk.cast(keys) for chunk in chunks]) if chunks else pa.array([], keys)
    _check_order(directory, terms, counts)
    return terms


def _check_order(directory: Path, terms: pa.Array, counts: TermCounts) -> None:
    """Terms in order are of the kinds that their ids say, and none of them stands twice."""
    sizes = (counts.iris, counts.blank_nodes, counts.literals)
    wrong = np.flatnonzero(kinds_of(terms) != np.repeat(np.arange(len(sizes)), sizes))
    if len(wrong):
        raise LoadError(f"{directory / DICTIONARY}: {terms[int(wrong[0])]} is not of the kind that its id says")
    end = 0
    for size in sizes:
        begin, end = end, end + size
        some = terms[begin:end]
        rising = pc.less(some[:-1], some[1:]).to_numpy(zero_copy_only=False)
        wrong = np.flatnonzero(~rising)
        if len(wrong):
            before, after = some[int(wrong[0])].as_py(), some[int(wrong[0]) + 1].as_py()
            reason = "stands twice" if before == after else f"comes after {before}"
            raise LoadError(f"{directory / DICTIONARY}: the term {after} {reason}")


def _read_triples(directory: Path, file: EncodedFile, counts: TermCounts, columns: Sequence[Ids]) -> None:
    """Fill columns of graph, subject, predicate and object from a file."""
    path = directory / file.path
    table = _checked_table(directory, file, ("subject", "object", "graph"))
    graph, subject, predicate, object = columns
    predicate[:] = _predicate(directory, file, counts) - counts.first
    _fill(subject, table.column("subject"), counts.first, counts.first_literal, path)
    _fill(object, table.column("object"), counts.first, counts.first + len(counts), path)
    graphs = table.column("graph")
    graph[:] = NO_GRAPH
    if graphs.null_count < len(graphs):
        named = graphs.is_valid().to_numpy()
        some = np.empty(int(named.sum()), dtype=np.uint32)
        _fill(some, graphs.drop_null(), counts.first, counts.first_literal, path)
        graph[named] = some


def _predicate(directory: Path, file: EncodedFile, counts: TermCounts) -> int:
    folder = Path(file.path).parent.name
    number = folder.removeprefix(PREDICATE)
    if folder == number or not number.isdecimal() or not 0 <= int(number) - counts.first < counts.iris:
        raise LoadError(f"{directory / file.path}: {folder} is not {PREDICATE} and the id of an IRI")
    return int(number)


def _fill(target: Ids, column: pa.ChunkedArray, first: int, end: int, path: Path) -> None:
    """Ids from `first` on, before `end`, as positions."""
    numbers = _numbers(column, path)
    if len(numbers) and not (first <= int(numbers.min()) and int(numbers.max()) < end):
        wrong = numbers[(numbers < first) | (numbers >= end)][0]
        raise LoadError(f"{path}: the id {wrong} is not that of a term that may stand there")
    np.subtract(numbers, first, out=target, casting="unsafe")


def _numbers(column: pa.ChunkedArray, path: Path) -> NDArray[np.int64]:
    if column.null_count or not pa.types.is_integer(column.type):
        raise LoadError(f"{path}: an id is no number")
    return np.asarray(column.cast(pa.int64()).to_numpy())
