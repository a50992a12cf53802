"""Encoded triples written on this machine; Spark writes the same (`kgreason_spark`)."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kgreason.encoded.manifest import (
    DICTIONARY,
    MANIFEST,
    PREDICATE,
    TRIPLES,
    EncodedFile,
    Manifest,
    TermCounts,
    describe_file,
)
from kgreason.terms.dictionary import BLANK_KIND, IRI_KIND, LITERAL_KIND, Dictionary

Ids = NDArray[np.uint32]

_NO_GRAPH = np.iinfo(np.uint32).max


def write_encoded(
    directory: Path, dictionary: Dictionary, subjects: Ids, predicates: Ids, objects: Ids, graphs: Ids, default: int
) -> Manifest:
    """Write triples with the terms that they use, and the manifest last.

    Args:
        directory: made when missing; what it holds already is not looked at.
        dictionary: of the ids in the columns.
        subjects, predicates, objects, graphs: columns of one length.
        default: what stands in `graphs` for the default graph.

    Cost: a sort of the terms and one of the triples.
    """
    named = graphs[graphs != default]
    used = np.unique(np.concatenate([subjects, predicates, objects, named]))
    order, counts = _ordered(dictionary, used)
    renumbered = np.full(int(used[-1]) + 1 if len(used) else 0, 0, dtype=np.int64)
    renumbered[order] = np.arange(len(order))
    directory.mkdir(parents=True, exist_ok=True)
    files = [_write_terms(directory, [dictionary.key(int(identifier)) for identifier in order])]
    is_default = graphs == default
    columns = {
        "subject": renumbered[subjects],
        "object": renumbered[objects],
        "graph": np.where(is_default, _NO_GRAPH, renumbered[np.where(is_default, 0, graphs)] if len(used) else 0),
    }
    files += _write_triples(directory, renumbered[predicates], columns)
    manifest = Manifest(counts, len(subjects), tuple(files))
    part = directory / f"{MANIFEST}.part"
    part.write_text(manifest.to_json(), encoding="utf-8")
    os.replace(part, directory / MANIFEST)
    return manifest


def _ordered(dictionary: Dictionary, used: Ids) -> tuple[Ids, TermCounts]:
    kinds = dictionary.kinds(used)
    parts = []
    for kind in (IRI_KIND, BLANK_KIND, LITERAL_KIND):
        of_kind = used[kinds == kind].tolist()
        parts.append(np.array(sorted(of_kind, key=lambda i: dictionary.key(i).encode()), dtype=np.uint32))
    return np.concatenate(parts), TermCounts(*map(len, parts))


def _write_terms(directory: Path, keys: list[str]) -> EncodedFile:
    table = pa.table({"id": pa.array(np.arange(len(keys), dtype=np.int64)), "term": pa.array(keys, pa.string())})
    return _write(directory, Path(DICTIONARY) / "part-00000.parquet", table)


def _write_triples(
    directory: Path, predicates: NDArray[np.int64], columns: dict[str, NDArray[np.int64]]
) -> list[EncodedFile]:
    order = np.lexsort((columns["graph"], columns["object"], columns["subject"], predicates))
    predicates = predicates[order]
    columns = {name: column[order] for name, column in columns.items()}
    values, starts = np.unique(predicates, return_index=True)
    files = []
    for predicate, start, end in zip(values, starts, [*starts[1:], len(predicates)], strict=True):
        rows = {name: column[start:end] for name, column in columns.items()}
        graph = pa.array(rows.pop("graph"), mask=columns["graph"][start:end] == _NO_GRAPH)
        table = pa.table({**{name: pa.array(column) for name, column in rows.items()}, "graph": graph})
        files.append(_write(directory, Path(TRIPLES) / f"{PREDICATE}{predicate}" / "part-00000.parquet", table))
    return files


def _write(directory: Path, path: Path, table: pa.Table) -> EncodedFile:
    target = directory / path
    target.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, target, compression="zstd")
    return describe_file(directory, target, table.num_rows)
