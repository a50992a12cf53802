"""Files and folders of N-Triples and N-Quads, plain, compressed or as tables, as rows.

The terms are those that pyoxigraph gives, but for blank nodes: their labels begin with a hash of the document's name,
relative to the folder that all files have in common, so that a label means the same node within one document alone, in
every run. A file is a document, and so are all parts of one job together.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kgreason.io.term_tables import TableOptions
from kgreason_mapping.locations import folder_of, pattern_of
from kgreason_spark.directories import Directory
from kgreason_spark.failures import clear_errors
from kgreason_spark.frames import (
    DETAIL,
    PROBLEM,
    QUAD,
    REASON,
    ROW,
    SOURCE,
    TRIPLES_MAP,
    Extracted,
)
from kgreason_spark.sources.line_faults import reason_for
from kgreason_spark.sources.parquet_lines import table_lines
from kgreason_spark.sources.source_files import Kind, files_at
from kgreason_spark.sources.statement_lines import SCOPE, quads_of_lines

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_SCHEME: Final = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:/*|^/+")
_NOTHING: Final = r"\A[ \t]*+(?:#.*|(?i:VERSION)[ \t]*+(?:\"[^\"\\]*+\"|'[^'\\]*+')[ \t]*+(?:#.*)?+)?+\z"
"""Lines without a statement: blank ones, comments, and the version of RDF 1.2."""
_PART: Final = r"(?:(?:\A|/)[^/=]++=[^/]*+)*+(?:\A|/)part-[^/]*+\z"


@dataclass(frozen=True, slots=True)
class NTriplesFiles:
    """Files and directories of N-Triples, N-Quads, and tables with a column for each place of a triple or quad.

    Attributes:
        paths: their locations on any file system of Hadoop, which may be patterns.
        unfinished: read a directory although something in it says that a job has not finished.
        columns: of tables: the names for subjects, predicates, objects and perhaps graphs; None for ``s``, ``p``,
            ``o``, ``g`` or ``subject``, ``predicate``, ``object``, ``graph``.
        terms: how terms are written in tables, ``ntriples`` or ``plain``; None to tell by the first predicate.
    """

    paths: Sequence[str]
    unfinished: bool = False
    columns: Sequence[str] | None = None
    terms: str | None = None

    def extract(self, spark: SparkSession) -> Extracted:
        """One row for each line that is a statement or should be one; comments and blank lines are not rows.

        Raises:
            LoadError: a path that does not exist, a directory without such files, with RDF in another format, or with
                what a job left that has not finished.
        """
        with clear_errors("reading the names of files"):
            found = files_at(spark, self.paths, unfinished=self.unfinished)
            shared = _shared_folder(spark, [file for files in found.values() for file in files])
        frames = []
        for kind in (Kind.TRIPLES, Kind.QUADS):
            if found[kind]:
                lines = spark.read.text([pattern_of(file) for file in found[kind]])
                placed = lines.select("value", F.col("_metadata.file_path").alias("place"))
                frames.append(_rows(placed, shared, kind is Kind.QUADS))
        with clear_errors("reading the columns of tables"):
            tables = table_lines(spark, found[Kind.TABLE], TableOptions.of(self.columns, self.terms))
        frames += [_rows(lines, shared, True) for lines in tables]
        if not frames:
            frames = [spark.createDataFrame([], ", ".join(f"{name} string" for name in (*QUAD, *PROBLEM)))]
        return Extracted(reduce(DataFrame.unionByName, frames), _rows_in)


def _rows_in(staged: Mapping[str, int]) -> Mapping[str, int]:
    """A line is one quad, or one quarantined row."""
    return staged


def _shared_folder(spark: SparkSession, files: Sequence[str]) -> str:
    """The folder that all files have in common, as Spark writes it in their URIs, without scheme and first slashes."""
    folders = {folder_of(file) for file in files}
    with_escapes = [_SCHEME.sub("", Directory(spark, folder).uri()) for folder in folders]
    return posixpath.commonpath(with_escapes) if with_escapes else ""


def _rows(lines: DataFrame, shared: str, quads: bool) -> DataFrame:
    """The columns QUAD and PROBLEM of lines in the column `value`, with the URI of their file in `place`."""
    read = quads_of_lines(_placed(lines, shared), quads)
    bad = F.col(ROW).isNotNull()
    return read.select(
        *QUAD,
        SOURCE,
        F.lit(None).cast("string").alias(TRIPLES_MAP),
        F.lit(None).cast("string").alias(DETAIL),
        F.when(bad, reason_for(F.col(ROW), quads)).alias(REASON),
        ROW,
    ).select(*QUAD, *PROBLEM)


def _placed(lines: DataFrame, shared: str) -> DataFrame:
    """SOURCE, ROW, and what is put before labels of blank nodes, of lines that are statements or should be."""
    place = F.col("place")
    # A path is written as file:/ here and as file:/// there, so what comes before the shared folder is left open.
    start = F.instr(place, shared) + F.lit(len(shared) + 1 if shared else 0)
    name = F.substr(place, start, F.lit(0x7FFFFFFF)) if shared else place
    statements = lines.where(~F.col("value").rlike(_NOTHING))
    scope = F.lower(F.lpad(F.hex(F.xxhash64(_document(name))), 16, "0"))
    return statements.select(name.alias(SOURCE), scope.alias(SCOPE), F.col("value").alias(ROW))


def _document(name: Column) -> Column:
    """What names the document that a file is, or is a part of: for a part of a job the directory of the job, which
    begins above partitions, with a slash behind it (`kgreason.io.job_directories.job_root`)."""
    return F.when(name.rlike(_PART), F.concat(F.regexp_replace(name, _PART, ""), F.lit("/"))).otherwise(name)

