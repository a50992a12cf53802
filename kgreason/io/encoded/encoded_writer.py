"""Encoded triples written on this machine; Spark writes the same (`kgreason_spark`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kgreason import memory, tuning
from kgreason.columns import pairs, sorted_sets
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import WriteError, quoted
from kgreason.io.encoded.manifest import (
    DICTIONARY,
    MANIFEST,
    PREDICATE,
    TRIPLES,
    EncodedFile,
    Manifest,
    TermCounts,
    describe_file,
)
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, TRIPLE_KIND

Ids: TypeAlias = NDArray[np.uint32]

_THREADS: Final = 8
_IRI: Final = r'^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]*$'


def write_encoded(
    directory: Path, dictionary: Dictionary, subjects: Ids, predicates: Ids, objects: Ids, graphs: Ids, default: int
) -> Manifest:
    """Write triples, each once, with the terms that they use, and the manifest last.

    Args:
        directory: made when missing; what it holds already is not looked at.
        dictionary: of the ids in the columns.
        subjects, predicates, objects, graphs: columns of one length.
        default: what stands in `graphs` for the default graph.

    Raises:
        KGReasonError: a file that cannot be written, or a term that is not Unicode; there is no manifest then.

    Cost: a sort of the terms and one of the triples.
    """
    named = graphs != default
    used = _distinct([subjects, predicates, objects, graphs[named]], len(dictionary))
    terms, order, counts = _ordered(dictionary, used)
    numbers = np.zeros(int(used[-1]) + 1 if len(used) else 1, dtype=np.uint32)
    numbers[used[order]] = np.arange(len(order), dtype=np.uint32)
    target = _Target(directory)
    workers = ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1), "kgreason-writing")
    with memory.starting_threads(), workers as pool:
        tasks = [pool.submit(target.write, path, table) for path, table in _term_tables(terms)]
        tasks += [
            pool.submit(target.write, path, table)
            for path, table in triple_tables(
                numbers[subjects],
                numbers[predicates],
                numbers[objects],
                np.where(named, numbers[np.where(named, graphs, 0)], np.uint32(DEFAULT_GRAPH)) if named.any() else None,
            )
        ]
        try:
            files = [task.result() for task in tasks]
        finally:
            for task in tasks:
                task.cancel()
    triples = sum(file.rows for file in files) - len(terms)
    manifest = Manifest(counts, triples, tuple(files))
    target.finish(manifest)
    return manifest


@dataclass(frozen=True, slots=True)
class _Target:
    """The directory; what goes wrong in it is reported by one error that names the file."""

    directory: Path

    def write(self, path: Path, table: pa.Table) -> EncodedFile:
        """Write a file that is on the disk when this comes back."""
        target = self.directory / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as stream:
                pq.write_table(table, stream, compression="zstd")
                stream.flush()
                os.fsync(stream.fileno())
            return describe_file(self.directory, target, table.num_rows)
        except OSError as error:
            raise WriteError(f"cannot be written: {error.strerror or error}", path=target) from error

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest, which appears whole or not at all."""
        part = self.directory / f"{MANIFEST}.part"
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            with part.open("w", encoding="utf-8") as stream:
                stream.write(manifest.to_json())
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(self.directory / MANIFEST)
        except OSError as error:
            raise WriteError(f"cannot be written: {error.strerror or error}", path=part) from error


def _distinct(columns: list[Ids], size: int) -> Ids:
    """The sorted set of ids below `size` in several columns: O(n + size)."""
    flags = np.zeros(size, dtype=np.bool_)
    for column in columns:
        flags[column] = True
    return np.flatnonzero(flags).astype(np.uint32)


def _ordered(dictionary: Dictionary, used: Ids) -> tuple[pa.Array, NDArray[np.int64], TermCounts]:
    """The keys of the given ids in the order of the dictionary files, and their positions among the ids."""
    try:
        keys = dictionary.key_column(used)
    except UnicodeEncodeError as error:
        raise WriteError(f"the term {error.object!r} is not Unicode and cannot be written") from error
    kinds = dictionary.kinds(used)
    _check_iris(keys.filter(pa.array(kinds == IRI_KIND)))
    orders = []
    for kind in (IRI_KIND, BLANK_KIND, LITERAL_KIND, TRIPLE_KIND):
        rows = np.flatnonzero(kinds == kind)
        # Bytes compare as UTF-8 does, and strings of Arrow are bytes.
        orders.append(rows[pc.array_sort_indices(keys.take(pa.array(rows))).to_numpy()])
    order = np.concatenate(orders)
    return keys.take(pa.array(order)), order, TermCounts.of_sizes([*map(len, orders)])


def _check_iris(iris: pa.Array) -> None:
    """Refuse IRIs that rdflib's graphs take and documents cannot have: 0.1 microseconds each."""
    is_valid = pc.match_substring_regex(iris, _IRI)
    if not pc.all(is_valid, min_count=0).as_py():
        wrong = quoted(iris.filter(pc.invert(is_valid))[0].as_py())
        raise WriteError(f"{wrong} cannot be written (expected an absolute IRI without spaces)")


def _term_tables(terms: pa.Array) -> Iterator[tuple[Path, pa.Table]]:
    for number, start in enumerate(range(0, max(len(terms), 1), tuning.TERMS_IN_A_FILE)):
        some = terms[start : start + tuning.TERMS_IN_A_FILE]
        identifiers = np.arange(start, start + len(some), dtype=np.int64)
        path = Path(DICTIONARY) / f"part-{number:05}.parquet"
        yield path, pa.table({"id": pa.array(identifiers), "term": some.cast(pa.string())})


def triple_tables(subjects: Ids, predicates: Ids, objects: Ids, graphs: Ids | None) -> Iterator[tuple[Path, pa.Table]]:
    """A table for each predicate, each triple once, ordered by subject and object."""
    small = predicates.astype(np.uint16) if not len(predicates) or predicates.max() <= 0xFFFF else predicates
    order = np.argsort(small, kind="stable")
    values, starts = np.unique(predicates[order], return_index=True)
    for predicate, start, end in zip(values.tolist(), starts, np.append(starts, len(order))[1:], strict=True):
        rows = order[start:end]
        keys = pairs.pack(subjects[rows], objects[rows])
        graph = None if graphs is None else graphs[rows]
        path = Path(TRIPLES) / f"{PREDICATE}{predicate}" / "part-00000.parquet"
        yield path, _triple_table(keys, graph)


def _triple_table(keys: NDArray[np.uint64], graphs: Ids | None) -> pa.Table:
    if graphs is None:
        keys = sorted_sets.unique(keys)
        graph = pa.nulls(len(keys), pa.int64())
    else:
        order = np.lexsort((graphs, keys))
        keys, graphs = keys[order], graphs[order]
        first = np.ones(len(keys), dtype=np.bool_)
        first[1:] = (keys[1:] != keys[:-1]) | (graphs[1:] != graphs[:-1])
        keys, graphs = keys[first], graphs[first]
        graph = pa.array(graphs.astype(np.int64), mask=graphs == DEFAULT_GRAPH)
    columns = {"subject": pairs.subjects(keys), "object": pairs.objects(keys)}
    return pa.table({**{name: pa.array(ids.astype(np.int64)) for name, ids in columns.items()}, "graph": graph})
