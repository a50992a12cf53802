"""Whether encoded triples are what a store would load: ids of terms that may stand where they do, and a dictionary in
order, each term once.

The checks are those of `kgreason.io.encoded.encoded_reader`. Without them a file whose checksum is right could have
triples of terms that are not there, or one term under two ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from kgreason.errors import LoadError
from kgreason.io.encoded.encoded_reader import Piece, check_pieces, check_terms, predicate_of
from kgreason.io.encoded.manifest import DICTIONARY, MANIFEST, TRIPLES, Manifest, TermCounts
from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.outputs.written_files import path_below

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_PIECE: Final = "file string, first long, rows long, before string, after string, fault string"


def check_triples(quads: DataFrame, manifest: Manifest, spaces: Sequence[TermCounts]) -> None:
    """Check the columns `subject`, `object` and `graph` of the files of a manifest, whose ids are those of the spaces.

    Raises:
        LoadError: with its path below the directory: a file with other rows than announced, or with an id that is none.

    Cost: a pass over the columns; one row for each file comes to the driver.
    """
    files = {file.path: file for file in manifest.section(TRIPLES)}
    for file in files.values():
        predicate_of(Path(), file, spaces)
    nodes = [(space.first, space.first_literal) for space in spaces]
    terms = [(spaces[0].first, spaces[-1].first + len(spaces[-1]))]
    wrong = [_least_beyond(*part) for part in (("subject", nodes), ("object", terms), ("graph", nodes))]
    counts = [F.count("*"), F.count("subject"), F.count("object")]
    found = quads.groupBy(F.col("_metadata.file_path").alias("file")).agg(*counts, *wrong)
    for uri, rows, subjects, objects, *identifiers in found.collect():
        path = path_below(TRIPLES, uri)
        if rows != files[path].rows:
            raise LoadError(f"{rows} rows, and {MANIFEST} says {files[path].rows}", path=path)
        if min(subjects, objects) < rows:
            raise LoadError("an id is not a number", path=path)
        for identifier in identifiers:
            if identifier is not None:
                raise LoadError(f"the id {identifier} is not that of a term that may stand there", path=path)


def _least_beyond(column: str, spans: Sequence[tuple[int, int]]) -> Column:
    """The least id in none of the spans, null where there is no such id."""
    inside = " OR ".join(f"({first} <= {column} AND {column} < {end})" for first, end in spans)
    return F.min(F.expr(f"IF({inside}, NULL, {column})"))


def check_dictionary(terms: DataFrame, manifest: Manifest) -> None:
    """Check the columns `id` and `term` of the files of a manifest.

    Raises:
        LoadError: with its path below the directory: a file with ids or terms that are not in order, or missing.

    Cost: a pass over the dictionary without a shuffle; a row for some thousand terms comes to the driver.
    """
    named = terms.select("id", "term", F.col("_metadata.file_path").alias("file"))
    found = to_arrow(named.mapInArrow(_Pieces(manifest.terms), _PIECE)).to_pylist()
    pieces = []
    for one in found:
        path = Path(path_below(DICTIONARY, one["file"]))
        if one["fault"] is not None:
            raise LoadError(one["fault"], path=path)
        pieces.append(Piece(path, one["first"], one["rows"], (one["before"], one["after"])))
    check_pieces(manifest.terms, sorted(pieces, key=lambda piece: piece.first))
    total = sum(piece.rows for piece in pieces)
    if total != len(manifest.terms):
        raise LoadError(f"{total} terms, and {MANIFEST} says {len(manifest.terms)}", path=DICTIONARY)


class _Pieces:
    """Checks the rows of a task, and says of each stretch of a file what is to be compared with the others."""

    def __init__(self, counts: TermCounts) -> None:
        self._counts = counts

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        schema = pa.schema([(name, pa.int64() if kind == "long" else pa.string())
                            for name, kind in (column.split() for column in _PIECE.split(", "))])  # fmt: skip
        for batch in batches:
            files = batch.column("file").dictionary_encode()
            changes = np.flatnonzero(np.diff(files.indices.to_numpy())) + 1
            edges = [0, *changes.tolist(), len(batch)] if len(batch) else []
            rows = [self._piece(batch.slice(start, end - start)) for start, end in pairwise(edges)]
            yield pa.RecordBatch.from_pylist(rows, schema)

    def _piece(self, rows: pa.RecordBatch) -> dict[str, object]:
        file = rows.column("file")[0].as_py()
        terms = rows.column("term")
        try:
            first = check_terms(Path(), rows.column("id"), terms, self._counts)
        except LoadError as error:
            return {"file": file, "fault": error.reason}
        ends = {"before": terms[0].as_py(), "after": terms[-1].as_py()}
        return {"file": file, "first": first, "rows": len(terms), **ends}
