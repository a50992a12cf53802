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
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, kinds_of
from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.frames import GRAPH, OBJECT, PREDICATE, SUBJECT
from kgreason_spark.outputs.driver_files import write_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason_spark.directories import Directory

PART: Final = "part-00000.parquet"


def encode_here(quads: DataFrame, content: Directory) -> Manifest:
    """Write quads of few terms into an empty directory, all but the manifest; the ids are those of any other way.

    Cost: a sort of the terms and one of the quads, in memory.
    """
    rows = to_arrow(quads)
    columns = {name: rows[name].combine_chunks() for name in (SUBJECT, PREDICATE, OBJECT, GRAPH)}
    terms, counts = _ordered(pa.concat_arrays([column.drop_null() for column in columns.values()]).unique())
    numbers = pa.table({"id": pa.array(np.arange(len(terms), dtype=np.int64)), "term": terms})
    subject, predicate, obj = (_ids(columns[name], terms) for name in (SUBJECT, PREDICATE, OBJECT))
    graph = None if columns[GRAPH].null_count == len(rows) else _ids(columns[GRAPH], terms)
    files = write_tables(content, [(f"{DICTIONARY}/{PART}", numbers), *by_predicate(subject, predicate, obj, graph)])
    return Manifest(counts, sum(file.rows for file in files) - len(terms), tuple(sorted(files, key=lambda f: f.path)))


def by_predicate(
    subject: Ids, predicate: Ids, obj: Ids, graph: Ids | None
) -> Iterator[tuple[str, pa.Table]]:
    """A table for each predicate with the path of its file; DEFAULT_GRAPH stands for the default graph."""
    return ((path.as_posix(), table) for path, table in triple_tables(subject, predicate, obj, graph))


def _ordered(terms: pa.Array) -> tuple[pa.Array, TermCounts]:
    """The terms in the order of their ids: kinds, then UTF-8 bytes."""
    kinds = kinds_of(terms)
    parts = [terms.filter(pa.array(kinds == kind)) for kind in (IRI_KIND, BLANK_KIND, LITERAL_KIND)]
    # Bytes compare as UTF-8 does, and strings of Arrow are bytes.
    return pa.concat_arrays([part.take(pc.array_sort_indices(part)) for part in parts]), TermCounts(*map(len, parts))


def _ids(keys: pa.Array, terms: pa.Array) -> Ids:
    encoded = keys.dictionary_encode()
    found = pc.index_in(encoded.dictionary, value_set=terms).to_numpy()
    known = np.append(found, DEFAULT_GRAPH).astype(np.uint32)
    ids: Ids = known[encoded.indices.fill_null(len(found)).to_numpy()]
    return ids
