"""N-Triples, or N-Quads where there are named graphs, in parts."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Final, get_args

from pyspark.sql import Observation
from pyspark.sql import functions as F

from kgreason.errors import OptionError
from kgreason_mapping.run_outputs import Compression
from kgreason_spark.directories import Directory, replaced
from kgreason_spark.frames import CONTENT, GRAPH
from kgreason_spark.observations import counts_of, values_of
from kgreason_spark.outputs.key_checks import check_keys, no_keys, normal_quads
from kgreason_spark.outputs.zstandard import SKIPPED_FRAME, compressed
from kgreason_spark.token_columns import statement_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SUFFIXES: Final = {"gzip": ".gz", "zstd": ".zst", "none": ""}
_ROWS: Final = 10_000_000
EMPTY_MEMBER: Final = gzip.compress(b"", mtime=0).decode("iso-8859-1")
"""A member of gzip with nothing in it (RFC 1952, section 2.2), as text of which each character is a byte."""


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
        statement_line().alias("value")
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
    _place(written, content, bool(counted["named"]), compression)
    return counted["quads"]


def write_pieces(
    pieces: DataFrame, has_graphs: bool, content: Directory, scratch: Directory, compression: Compression
) -> None:
    """Write lines that are compressed already, in pieces one after the other, into an empty directory."""
    written = scratch / "parts"
    # What Spark's writer of text puts after each row says nothing.
    text = F.col(CONTENT).cast("string")
    if compression == "none":
        text = text.substr(F.lit(1), F.length(text) - 1)
    end = {"gzip": EMPTY_MEMBER, "zstd": SKIPPED_FRAME, "none": "\n"}[compression]
    lines = pieces.where(F.col(CONTENT).isNotNull()).select(text.alias("value"))
    lines.write.options(lineSep=end, encoding="ISO-8859-1").text(str(written), compression="none")
    _place(written, content, has_graphs, compression)


def _place(written: Directory, content: Directory, has_graphs: bool, compression: Compression) -> None:
    """Give parts the names of what is in them."""
    suffix = (".nq" if has_graphs else ".nt") + _SUFFIXES[compression]
    parts = [name for name in written.names() if name.startswith("part-")]
    for number, name in enumerate(parts):
        written.move(name, content, f"part-{number:05d}{suffix}")
