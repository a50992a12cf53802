"""Encoded Parquet, the form that a store loads without parsing (`kgreason.io.encoded`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason.errors import SparkError
from kgreason.io.encoded.manifest import DICTIONARY, MANIFEST, PREDICATE, TRIPLES, Manifest, TermCounts
from kgreason_spark import spark_tuning
from kgreason_spark.directories import UNMARKED, Directory, replaced
from kgreason_spark.frames import GRAPH, OBJECT, QUAD, SUBJECT
from kgreason_spark.frames import PREDICATE as PREDICATE_COLUMN
from kgreason_spark.local_id_frames import PIECE, PLACE, TERM, USES
from kgreason_spark.outputs.dense_ids import ID, WrittenDictionary, written_dictionary
from kgreason_spark.outputs.driver_encoding import encode_here
from kgreason_spark.outputs.piece_ids import with_ids
from kgreason_spark.outputs.spellings import with_one_spelling
from kgreason_spark.outputs.written_files import list_files
from kgreason_spark.stage import Size, stage_quads

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_FOLDER_COLUMN: Final = PREDICATE.rstrip("=")
PARTS: Final = "parts"

PART: Final = "part"


@dataclass(frozen=True, slots=True)
class Layout:
    """How large files may become.

    Attributes:
        rows: of one predicate in one file, about; those of a popular one are spread over several files.
        bytes: of terms in one file of the dictionary, at most about.
        local: so few quads, if they have no more than DRIVER_ENCODED_BYTES, are encoded on the driver; the files have
            the same content. With 0 the cluster always encodes.
    """

    rows: int = 4_000_000
    bytes: int = 256 << 20
    local: int = 1_000_000


def write_encoded(quads: DataFrame, directory: str, *, overwrite: bool = False, layout: Layout = Layout()) -> Manifest:
    """Write quads, in the columns `kgreason_spark.frames.QUAD`, each once; the same quads always get the same ids.

    Raises:
        TermError: a value that is not a key of a term (`kgreason.rdf.keys`); names it and the column.
        SparkError: the directory has something in it, unless it is to be overwritten; or Spark fails, with a full disk
            for instance. The directory is then as it was.

    Cost: the quads are evaluated once and stored beside the output on the way.
    """
    target = Directory(quads.sparkSession, directory)
    with replaced(target, overwrite=overwrite, last=MANIFEST) as (content, scratch):
        staged, size = stage_quads(quads, scratch / "quads")
        return encode(staged, size, content, layout)


def encode(
    pieces: DataFrame, size: Size, content: Directory, layout: Layout = Layout(), beside: DataFrame | None = None
) -> Manifest:
    """Write stored quads with local ids into an empty directory, and the manifest last; the dictionary has the terms
    `beside`, in the column TERM, too."""
    if not size.quads:
        return _written(Manifest(TermCounts(), 0, ()), content)
    # Without a capital letter, there is one spelling of each tag.
    pieces = with_one_spelling(pieces) if size.capitals else pieces
    if beside is None and size.quads <= layout.local and size.bytes <= spark_tuning.DRIVER_ENCODED_BYTES:
        return _written(encode_here(pieces, content), content)
    cores = pieces.sparkSession.sparkContext.defaultParallelism
    ranges = max(1, min(cores, size.quads // 50_000), ceil(size.bytes / layout.bytes))
    tasks = max(2 * cores, 2 * ceil(size.quads / layout.rows))
    terms = pieces.where(F.col(TERM).isNotNull()).select(TERM, PIECE, PLACE, USES)
    if beside is not None:
        kinds = {PIECE: "long", PLACE: "int", USES: "int"}
        terms = terms.unionByName(beside.select(TERM, *(F.lit(None).cast(kinds[name]).alias(name) for name in kinds)))
    with written_dictionary(terms, content / DICTIONARY, ranges) as dictionary:
        ids = with_ids(pieces, dictionary.places, tasks)
        placed = with_parts(ids, _large(dictionary.places, layout), layout)
        write_triples(spread(placed, tasks).dropDuplicates([*QUAD, PART]), content / TRIPLES)
    files = (*list_files(content, DICTIONARY), *list_files(content, TRIPLES))
    triples = sum(file.rows for file in files if file.path.startswith(f"{TRIPLES}/"))
    _check_ids(dictionary)
    return _written(Manifest(dictionary.counts, triples, files), content)


def encode_few(pieces: DataFrame, size: Size, content: Directory, beside: pa.Array) -> Manifest:
    """The same on the driver, in the driver's own layout. The terms `beside` are on the driver already; none of them
    has a language tag with a capital letter."""
    if not size.quads:
        return _written(Manifest(TermCounts(), 0, ()), content)
    return _written(encode_here(pieces, content, beside), content)


def _written(manifest: Manifest, content: Directory) -> Manifest:
    """The manifest as it is read back, which checks that the files have as many rows as announced."""
    text = manifest.to_json()
    content.write_text(MANIFEST, text)
    return Manifest.from_json(text, f"{content}/{MANIFEST}")


def _large(places: DataFrame, layout: Layout) -> dict[int, int]:
    """The predicates that do not fit one file, with how many rows there are of each, duplicates included."""
    uses = places.where(F.col(USES) > 0).groupBy(ID).agg(F.sum(USES).alias("count"))
    # They are at most as many as there are full files.
    return {one[ID]: one["count"] for one in uses.where(F.col("count") > layout.rows).collect()}


def with_parts(ids: DataFrame, sizes: Mapping[int, int], layout: Layout = Layout()) -> DataFrame:
    """Ids in the columns QUAD, and in how many PARTS the rows of the predicate are to be, given how many rows there are
    of each predicate; those of one file may be left out."""
    rows = [(predicate, ceil(size / layout.rows)) for predicate, size in sizes.items() if size > layout.rows]
    if not rows:
        return ids.withColumn(PARTS, F.lit(1))
    parts = ids.sparkSession.createDataFrame(rows, f"{PREDICATE_COLUMN} long, {PARTS} int")
    joined = ids.join(F.broadcast(parts), PREDICATE_COLUMN, "left")
    return joined.withColumn(PARTS, F.coalesce(PARTS, F.lit(1)))


def spread(placed: DataFrame, tasks: int) -> DataFrame:
    """Ids in the columns QUAD among tasks, so that those of a file, which are those of a PART of a predicate, come
    together.

    The column PARTS says over how many files the rows of the predicate are to be spread. They are told by subject and
    object together: neither a popular subject nor a popular object gathers in one of them.
    """
    part = F.pmod(F.xxhash64(SUBJECT, OBJECT), F.col(PARTS))
    return placed.withColumn(PART, part).drop(PARTS).repartition(tasks, PREDICATE_COLUMN, PART)


def write_triples(rows: DataFrame, target: Directory) -> None:
    """Write ids that were `spread`, each quad once, in a folder for its predicate, sorted in each file."""
    (
        rows.sortWithinPartitions(PREDICATE_COLUMN, SUBJECT, OBJECT, GRAPH)
        .select(F.col(PREDICATE_COLUMN).alias(_FOLDER_COLUMN), SUBJECT, OBJECT, GRAPH)
        .write.options(**UNMARKED)
        .partitionBy(_FOLDER_COLUMN)
        .parquet(str(target), compression="zstd")
    )


def _check_ids(dictionary: WrittenDictionary) -> None:
    """Each file of the dictionary has ids without a gap, and the next one continues where it ends."""
    first = F.col(ID) - F.col("_metadata.row_index")
    by_file = dictionary.terms.groupBy(F.col("_metadata.file_path").alias("file"))
    expected = dictionary.counts.first
    for _, least, most, count in sorted(
        by_file.agg(F.min(first).alias("least"), F.max(first).alias("most"), F.count("*").alias("rows")).collect(),
        key=lambda row: (row["least"], row["rows"]),
    ):
        if least != most or least != expected:
            raise SparkError(f"the ids of the dictionary are not dense: {least} where {expected} should be")
        expected += count
