"""Encoded triples written on this machine; Spark writes the same (`kgreason_spark`)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kgreason.columns import pairs, sorted_sets
from kgreason.dictionary.arrow_columns import mask_column, numbers_of, row_column
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import WriteError, one_line, quoted
from kgreason.io import file_tuning
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
from kgreason.io.line_blocks import each_in_threads, threads
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, TRIPLE_KIND

Ids: TypeAlias = NDArray[np.uint32]

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
    target = _Target(directory)
    files, order, counts = _written_terms(target, dictionary, used)
    numbers = np.zeros(int(used[-1]) + 1 if len(used) else 1, dtype=np.uint32)
    numbers[used[order]] = np.arange(len(order), dtype=np.uint32)
    graph = None
    if named.any():
        graph = np.where(named, numbers[np.where(named, graphs, 0)], np.uint32(DEFAULT_GRAPH))
    written = target.each(
        (path, _triple_slices(keys, names))
        for path, keys, names in _by_predicate(subjects, predicates, objects, graph, numbers)
    )
    files += written
    triples = sum(file.rows for file in written)
    manifest = Manifest(counts, triples, tuple(files))
    target.finish(manifest)
    return manifest


@dataclass(frozen=True, slots=True)
class _Target:
    """The directory; what goes wrong in it is reported by one error that names the file."""

    directory: Path

    def each(self, given: Iterable[tuple[Path, Iterator[pa.Table]]]) -> list[EncodedFile]:
        """Write several files, of which few are in memory at a time."""
        return list(each_in_threads(self.write, given, min(file_tuning.ENCODED_THREADS, threads())))

    def write(self, given: tuple[Path, Iterator[pa.Table]]) -> EncodedFile:
        """Write a file of one table or more, which is on the disk when this comes back."""
        path, tables = given
        target = self.directory / path
        first = next(tables)
        rows = first.num_rows
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as stream:
                options = {"compression": "zstd", "write_page_checksum": True}
                with pq.ParquetWriter(stream, first.schema, **options) as writer:
                    writer.write_table(first)
                    for table in tables:
                        rows += table.num_rows
                        writer.write_table(table)
                stream.flush()
                os.fsync(stream.fileno())
            return describe_file(self.directory, target, rows)
        except OSError as error:
            raise WriteError(f"cannot be written: {one_line(error)}", path=target) from error

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest, which appears whole or not at all; WriteError where it cannot be written."""
        part = self.directory / f"{MANIFEST}.part"
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            with part.open("w", encoding="utf-8") as stream:
                stream.write(manifest.to_json())
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(self.directory / MANIFEST)
        except OSError as error:
            raise WriteError(f"cannot be written: {one_line(error)}", path=part) from error


def _distinct(columns: list[Ids], size: int) -> Ids:
    """The sorted set of ids below `size` in several columns: O(n + size)."""
    flags = np.zeros(size, dtype=np.bool_)
    for column in columns:
        flags[column] = True
    return np.flatnonzero(flags).astype(np.uint32)


def _ordered(dictionary: Dictionary, used: Ids) -> tuple[pa.Array, NDArray[np.int64], TermCounts]:
    """The keys of the given ids, their positions in the order of the dictionary files, and how many there are."""
    try:
        keys = dictionary.key_column(used)
    except UnicodeEncodeError as error:
        raise WriteError(f"the term {error.object!r} is not Unicode and cannot be written") from error
    kinds = dictionary.kinds(used)
    _check_iris(keys, kinds == IRI_KIND)
    # Bytes compare as UTF-8 does, and strings of Arrow are bytes.
    order = numbers_of(pc.array_sort_indices(keys)).astype(np.int64)
    ordered_kinds = kinds[order]
    orders = [order[ordered_kinds == kind] for kind in (IRI_KIND, BLANK_KIND, LITERAL_KIND, TRIPLE_KIND)]
    order = np.concatenate(orders)
    return keys, order, TermCounts.of_sizes([*map(len, orders)])


def _check_iris(keys: pa.Array, is_iri: NDArray[np.bool_]) -> None:
    """Refuse IRIs that rdflib's graphs take and documents cannot have: 0.1 microseconds each."""
    for start in range(0, len(keys), file_tuning.COPIED_TERMS):
        some = slice(start, start + file_tuning.COPIED_TERMS)
        iris = keys[some].filter(mask_column(is_iri[some]))
        is_valid = pc.match_substring_regex(iris, _IRI)
        if not pc.all(is_valid, min_count=0).as_py():
            wrong = quoted(iris.filter(pc.invert(is_valid))[0].as_py())
            raise WriteError(f"{wrong} cannot be written (expected an absolute IRI without spaces)")


def _written_terms(
    target: _Target, dictionary: Dictionary, used: Ids
) -> tuple[list[EncodedFile], NDArray[np.int64], TermCounts]:
    """The files of the terms of ids, and the positions of the terms in these among the ids."""
    keys, order, counts = _ordered(dictionary, used)
    files = range(0, max(len(order), 1), file_tuning.TERMS_IN_A_FILE)
    return (
        target.each(
            (Path(DICTIONARY) / f"part-{number:05}.parquet", _term_slices(keys, order, start))
            for number, start in enumerate(files)
        ),
        order,
        counts,
    )


def _term_slices(keys: pa.Array, order: NDArray[np.int64], begin: int) -> Iterator[pa.Table]:
    """The terms of one file in the order of their ids, which are their positions in it."""
    end = max(min(begin + file_tuning.TERMS_IN_A_FILE, len(order)), begin + 1)
    for start in range(begin, end, file_tuning.COPIED_TERMS):
        some = keys.take(row_column(order[start : min(start + file_tuning.COPIED_TERMS, end)]))
        identifiers = np.arange(start, start + len(some), dtype=np.int64)
        yield pa.table({"id": row_column(identifiers), "term": some.cast(pa.string())})


def triple_tables(subjects: Ids, predicates: Ids, objects: Ids, graphs: Ids | None) -> Iterator[tuple[Path, pa.Table]]:
    """A table for each predicate, each triple once, ordered by subject and object."""
    for path, keys, names in _by_predicate(subjects, predicates, objects, graphs, None):
        yield path, pa.concat_tables(_triple_slices(keys, names))


def _by_predicate(
    subjects: Ids, predicates: Ids, objects: Ids, graphs: Ids | None, numbers: Ids | None
) -> Iterator[tuple[Path, NDArray[np.uint64], Ids | None]]:
    """The file of each predicate, the pairs of its triples, each once and in order, and their graphs.

    Args:
        graphs: ids as they are written; None where all triples are in the default graph.
        numbers: what is written for the ids in the other columns; None for these themselves.

    Memory: 10 bytes a triple, and some 30 for each one of the predicate that is at hand.
    """
    small = predicates.astype(np.uint16) if not len(predicates) or predicates.max() <= 0xFFFF else predicates
    order = np.argsort(small, kind="stable")
    values, starts = np.unique(predicates[order], return_index=True)
    for predicate, start, end in zip(values.tolist(), starts, np.append(starts, len(order))[1:], strict=True):
        rows = order[start:end]
        subject, object_ = subjects[rows], objects[rows]
        written = predicate
        if numbers is not None:
            written, subject, object_ = int(numbers[predicate]), numbers[subject], numbers[object_]
        keys = pairs.pack(subject, object_)
        path = Path(TRIPLES) / f"{PREDICATE}{written}" / "part-00000.parquet"
        if graphs is None:
            yield path, sorted_sets.unique(keys), None
        else:
            yield path, *_distinct_quads(keys, graphs[rows])


def _distinct_quads(keys: NDArray[np.uint64], graphs: Ids) -> tuple[NDArray[np.uint64], Ids]:
    order = np.lexsort((graphs, keys))
    keys, graphs = keys[order], graphs[order]
    first = np.ones(len(keys), dtype=np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (graphs[1:] != graphs[:-1])
    return keys[first], graphs[first]


def _triple_slices(keys: NDArray[np.uint64], graphs: Ids | None) -> Iterator[pa.Table]:
    """Tables of some rows each."""
    for start in range(0, max(len(keys), 1), file_tuning.ROW_GROUP):
        some = keys[start : start + file_tuning.ROW_GROUP]
        graph = nowhere = pa.nulls(len(some), pa.int64())
        if graphs is not None:
            names = graphs[start : start + file_tuning.ROW_GROUP]
            graph = pc.if_else(mask_column(names == DEFAULT_GRAPH), nowhere, row_column(names.astype(np.int64)))
        columns = {"subject": pairs.subjects(some), "object": pairs.objects(some)}
        yield pa.table({**{name: row_column(ids.astype(np.int64)) for name, ids in columns.items()}, "graph": graph})
