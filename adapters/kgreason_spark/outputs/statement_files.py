"""N-Triples, or N-Quads where there are named graphs, in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from pyspark.sql import Observation
from pyspark.sql import functions as F

from kgreason.errors import OptionError
from kgreason_mapping.run_outputs import Compression
from kgreason_spark.directories import Directory, replaced
from kgreason_spark.frames import GRAPH, OBJECT, PREDICATE, SUBJECT
from kgreason_spark.observations import counts_of, values_of
from kgreason_spark.outputs.key_checks import check_keys, no_keys, normal_quads
from kgreason_spark.outputs.zstandard import SKIPPED_FRAME, compressed
from kgreason_spark.token_columns import literal_token, node_token

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_SUFFIXES: Final = {"gzip": ".gz", "zstd": ".zst", "none": ""}
_ROWS: Final = 10_000_000


def write_ntriples(
    quads: DataFrame, directory: str, compression: Compression = "gzip", *, overwrite: bool = False
) -> int:
    """Write ``part-*.nt.gz`` and the like, ``.nq`` where there are named graphs; the number of lines.

    Raises:
        TermError: a value that is not a key of a term (`kgreason.rdf.keys`); names it and the column.
        OptionError: an unknown compression.
        SparkError: a directory with something in it unless it is to be overwritten, or Spark fails. The directory is
            then as it was.

    Cost: the quads are evaluated once, and a quad that comes twice is written twice.
    """
    if compression not in get_args(Compression):
        raise OptionError(
            f"unknown compression {compression!r}; there are {', '.join(get_args(Compression))}",
            "compression",
            compression,
        )
    with replaced(Directory(quads.sparkSession, directory), overwrite=overwrite) as (content, scratch):
        observed = Observation()
        keys = normal_quads(quads).observe(observed, *no_keys())
        lines = write_parts(keys, content, scratch, compression)
        check_keys(values_of(observed))
        return lines


def write_parts(quads: DataFrame, content: Directory, scratch: Directory, compression: Compression) -> int:
    """Write parts into an empty directory, by way of a folder in another one; the number of lines."""
    observed = Observation()
    lines = quads.observe(observed, F.count("*").alias("quads"), F.count(GRAPH).alias("named")).select(
        _line().alias("value")
    )
    # One row for each batch of lines: a limit on rows would be one on batches.
    limit = 0 if compression == "zstd" else _ROWS
    written = scratch / "parts"
    if compression == "zstd":
        lines = compressed(lines.select(F.concat("value", F.lit("\n")).alias("value")))
    end = SKIPPED_FRAME if compression == "zstd" else "\n"
    codec = "gzip" if compression == "gzip" else "none"
    lines.write.option("maxRecordsPerFile", limit).text(str(written), compression=codec, lineSep=end)
    counted = counts_of(observed)
    suffix = (".nq" if counted["named"] else ".nt") + _SUFFIXES[compression]
    parts = [name for name in written.names() if name.startswith("part-")]
    for number, name in enumerate(parts):
        written.move(name, content, f"part-{number:05d}{suffix}")
    return counted["quads"]


def _line() -> Column:
    space = F.lit(" ")
    graph = F.when(F.col(GRAPH).isNotNull(), F.concat(space, node_token(F.col(GRAPH)))).otherwise("")
    is_literal = F.startswith(OBJECT, F.lit('"'))
    term = F.when(is_literal, literal_token(F.col(OBJECT))).otherwise(node_token(F.col(OBJECT)))
    subject, predicate = node_token(F.col(SUBJECT)), node_token(F.col(PREDICATE))
    return F.concat(subject, space, predicate, space, term, graph, F.lit(" ."))
