"""Few quads are encoded on the driver: one job of Spark fetches them, in place of a dozen that make what it makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kgreason.io.encoded.encoded_writer import Ids, triple_tables
from kgreason.io.encoded.manifest import DICTIONARY, Manifest, TermCounts
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, TRIPLE_KIND, kinds_of
from kgreason_mapping.arrow.local_ids import unpacked
from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.frames import CONTENT
from kgreason_spark.local_id_frames import PIECE, PLACE, TERM
from kgreason_spark.outputs.driver_files import write_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason_spark.directories import Directory

PART: Final = "part-00000.parquet"


NO_TERMS: Final = pa.array([], pa.string())


def encode_here(pieces: DataFrame, content: Directory, beside: pa.Array = NO_TERMS) -> Manifest:
    """Write quads of few terms (`local_id_frames`) into an empty directory, all but the manifest; the ids are those
    of any other way. The dictionary has the terms `beside`, too.

    Cost: a sort of the terms and one of the quads, in memory.
    """
    rows = to_arrow(pieces.select(PIECE, PLACE, TERM, CONTENT))
    rows = rows.sort_by([(PIECE, "ascending"), (PLACE, "ascending")])
    contents = rows[CONTENT].combine_chunks()
    local = rows[TERM].combine_chunks()
    terms, counts = _ordered(pa.concat_arrays([local.drop_null(), beside]).unique())
    found = pc.index_in(local, value_set=terms).fill_null(0).to_numpy().astype(np.uint32)
    columns: list[list[Ids]] = [[], [], [], []]
    start = 0
    for row in np.flatnonzero(contents.is_valid().to_numpy(zero_copy_only=False)).tolist():
        ids = np.append(found[start:row], np.uint32(DEFAULT_GRAPH))
        start = row + 1
        for column, one in zip(columns, unpacked(contents[row].as_buffer()), strict=True):
            column.append(ids[np.minimum(one, len(ids) - 1)])
    numbers = pa.table({"id": pa.array(np.arange(len(terms), dtype=np.int64)), "term": terms})
    subject, predicate, obj, graph = map(np.concatenate, columns)
    names = None if (graph == DEFAULT_GRAPH).all() else graph
    files = write_tables(content, [(f"{DICTIONARY}/{PART}", numbers), *by_predicate(subject, predicate, obj, names)])
    return Manifest(counts, sum(file.rows for file in files) - len(terms), tuple(sorted(files, key=lambda f: f.path)))


def by_predicate(
    subject: Ids, predicate: Ids, obj: Ids, graph: Ids | None
) -> Iterator[tuple[str, pa.Table]]:
    """A table for each predicate with the path of its file; DEFAULT_GRAPH stands for the default graph."""
    return ((path.as_posix(), table) for path, table in triple_tables(subject, predicate, obj, graph))


def _ordered(terms: pa.Array) -> tuple[pa.Array, TermCounts]:
    """The terms in the order of their ids: kinds, then UTF-8 bytes."""
    kinds = kinds_of(terms)
    parts = [terms.filter(pa.array(kinds == kind)) for kind in (IRI_KIND, BLANK_KIND, LITERAL_KIND, TRIPLE_KIND)]
    # Bytes compare as UTF-8 does, and strings of Arrow are bytes.
    ordered = pa.concat_arrays([part.take(pc.array_sort_indices(part)) for part in parts])
    return ordered, TermCounts.of_sizes([len(part) for part in parts])
