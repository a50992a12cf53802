"""Files and folders of N-Triples and N-Quads, plain, compressed or as tables, as rows; column expressions only.

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
    GRAPH,
    OBJECT,
    PREDICATE,
    PROBLEM,
    QUAD,
    REASON,
    ROW,
    SOURCE,
    SUBJECT,
    TRIPLES_MAP,
    Extracted,
)
from kgreason_spark.sources.escapes import unescaped
from kgreason_spark.sources.extended_lines import SCOPE, extended_quads, may_be_extended
from kgreason_spark.sources.line_faults import reason_for
from kgreason_spark.sources.parquet_lines import table_lines
from kgreason_spark.sources.source_files import Kind, files_at
from kgreason_spark.sources.statement_grammar import IRI, PARTS, line_parts, line_pattern
from kgreason_spark.versions import is_valid_utf8

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_SCHEME: Final = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:/*|^/+")
_NOTHING: Final = r"\A[ \t]*+(?:#.*|(?i:VERSION)[ \t]*+(?:\"[^\"\\]*+\"|'[^'\\]*+')[ \t]*+(?:#.*)?+)?+\z"
"""Lines without a statement: blank ones, comments, and the version of RDF 1.2."""
_PART: Final = r"(?:(?:\A|/)[^/=]++=[^/]*+)*+(?:\A|/)part-[^/]*+\z"
_DOCUMENT: Final = "document"
_SEPARATOR: Final = "\x01"
_STRING: Final = "^^http://www.w3.org/2001/XMLSchema#string"
_NEEDS_LANGUAGE: Final = (
    "^^http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
    "^^http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString",
)


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
    placed = _placed(lines, shared)
    is_extended = may_be_extended(F.col(ROW))
    scoped = placed.where(is_extended).withColumn(SCOPE, _scope())
    extended = extended_quads(scoped, quads).withColumn("valid", F.col(ROW).isNull())
    return _with_reasons(_terms(_parts(placed.where(~is_extended), quads)), quads).unionByName(
        _with_reasons(extended, quads)
    )


def _with_reasons(terms: DataFrame, quads: bool) -> DataFrame:
    """The columns QUAD and PROBLEM of terms and whether they are `valid`."""
    bad = ~F.col("valid") | ~F.coalesce(is_valid_utf8(F.col(ROW)), F.lit(True)) | (F.col(SUBJECT) == "")
    return terms.select(
        *(F.when(~bad, F.col(column)).alias(column) for column in QUAD),
        SOURCE,
        F.lit(None).cast("string").alias(TRIPLES_MAP),
        F.lit(None).cast("string").alias(DETAIL),
        F.when(bad, reason_for(F.col(ROW), quads)).alias(REASON),
        F.when(bad, F.col(ROW)).alias(ROW),
    ).select(*QUAD, *PROBLEM)


def _placed(lines: DataFrame, shared: str) -> DataFrame:
    """SOURCE, ROW and what names the document, of lines that are statements or should be."""
    place = F.col("place")
    # A path is written as file:/ here and as file:/// there, so what comes before the shared folder is left open.
    start = F.instr(place, shared) + F.lit(len(shared) + 1 if shared else 0)
    name = F.substr(place, start, F.lit(0x7FFFFFFF)) if shared else place
    statements = lines.where(~F.col("value").rlike(_NOTHING))
    return statements.select(name.alias(SOURCE), _document(name).alias(_DOCUMENT), F.col("value").alias(ROW))


def _parts(statements: DataFrame, quads: bool) -> DataFrame:
    """SOURCE, ROW and PARTS without escape sequences; all parts are empty where a line is not a statement."""
    matched = F.regexp_replace(ROW, line_pattern(quads), line_parts(quads, _SEPARATOR))
    split = statements.select(
        SOURCE,
        _DOCUMENT,
        ROW,
        F.contains(ROW, F.lit("\\")).alias("escaped"),
        F.split(matched, _SEPARATOR, len(PARTS)).alias("parts"),
    )
    parts = [(name, F.col("parts")[number]) for number, name in enumerate(PARTS)]
    plain = [unescaped(part) if name == "lexical" else _plain_iri(part, name) for name, part in parts]
    return split.select(
        SOURCE,
        _DOCUMENT,
        ROW,
        *(
            F.when(F.col("escaped"), without).otherwise(part).alias(name)
            for without, (name, part) in zip(plain, parts, strict=True)
        ),
    )


def _plain_iri(part: Column, name: str) -> Column:
    """A part without escapes, null when it is not valid without them: an IRI that has none was looked at already."""
    pattern = rf"\A(?:\^\^)?{IRI}\z" if name == "suffix" else rf"\A{IRI}\z"
    plain = unescaped(part)
    return F.when(F.contains(part, F.lit("\\")), F.when(plain.rlike(pattern), plain)).otherwise(part)


def _terms(parts: DataFrame) -> DataFrame:
    """QUAD, SOURCE, ROW and whether the terms are valid."""
    subject, predicate, graph, node, suffix, lexical = (F.col(name) for name in PARTS)
    ending = F.when(suffix != _STRING, suffix).otherwise("")
    known = F.concat(subject, predicate, graph, node, suffix).isNotNull()
    return parts.select(
        _scoped(subject).alias(SUBJECT),
        predicate.alias(PREDICATE),
        F.when(lexical != "", F.concat(lexical, ending)).otherwise(_scoped(node)).alias(OBJECT),
        F.when(graph != "", _scoped(graph)).alias(GRAPH),
        SOURCE,
        ROW,
        (known & ~F.coalesce(suffix, F.lit("")).isin(*_NEEDS_LANGUAGE)).alias("valid"),
    )


def _document(name: Column) -> Column:
    """What names the document that a file is, or is a part of: for a part of a job the directory of the job, which
    begins above partitions, with a slash behind it (`kgreason.io.job_directories.job_root`)."""
    return F.when(name.rlike(_PART), F.concat(F.regexp_replace(name, _PART, ""), F.lit("/"))).otherwise(name)


def _scoped(node: Column) -> Column:
    """A blank node with the hash of its document, of fixed length, at the beginning of the label."""
    scoped = F.concat(F.lit("_:"), _scope(), F.substring(node, 3, 0x7FFFFFFF))
    return F.when(F.startswith(node, F.lit("_:")), scoped).otherwise(node)


def _scope() -> Column:
    return F.lower(F.lpad(F.hex(F.xxhash64(_DOCUMENT)), 16, "0"))
