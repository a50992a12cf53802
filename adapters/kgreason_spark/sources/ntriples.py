"""Files and folders of N-Triples and N-Quads, plain or compressed, as rows; column expressions only.

The terms are those that pyoxigraph gives, but for blank nodes: their labels begin with a hash of the file's name,
relative to the folder that all files have in common, so that a label means the same node within one file alone, in
every run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from pyspark.sql import functions as F

from kgreason.errors import LoadError
from kgreason_spark.failures import clear_errors
from kgreason_spark.rows import (
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
from kgreason_spark.sources.grammar import IRI, PARTS, line_parts, line_pattern
from kgreason_spark.sources.reasons import reason_for

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

COMPRESSIONS: Final = ("", ".gz", ".bz2", ".zst")

_QUADS_SUFFIX: Final = {".nt": False, ".ntriples": False, ".nq": True, ".nquads": True}
_OTHER_RDF: Final = frozenset((".ttl", ".turtle", ".trig", ".rdf", ".owl", ".n3", ".jsonld"))
_OTHER_COMPRESSIONS: Final = frozenset((".xz", ".zip", ".7z", ".lz4", ".br"))
_SCHEME: Final = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:/*|^/+")
_GLOB: Final = re.compile(r"([{}\[\]*?\\,])")
_SEPARATOR: Final = "\x01"
_STRING: Final = "^^http://www.w3.org/2001/XMLSchema#string"
_NEEDS_LANGUAGE: Final = (
    "^^http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
    "^^http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString",
)


@dataclass(frozen=True, slots=True)
class NTriplesFiles:
    """Files and folders, which may have schemes and globs; the names tell the format and the compression."""

    paths: Sequence[str]

    def extract(self, spark: SparkSession) -> Extracted:
        """One row for each line that is a statement or should be one; comments and blank lines are no rows.

        Raises:
            LoadError: a path that does not exist, a folder without such files, or one with RDF in another format.
        """
        with clear_errors("reading the names of files"):
            files = [file for path in self.paths for file in _files(spark, path)]
        shared = _shared_folder(files)
        frames = []
        for quads in (False, True):
            of_kind = [_path_of(file) for file in files if _is_quads(file) == quads]
            if of_kind:
                frames.append(_rows(spark.read.text(of_kind), shared, quads))
        rows = frames[0] if len(frames) == 1 else frames[0].unionByName(frames[1])
        return Extracted(rows, _rows_in)


def _rows_in(staged: Mapping[str, int]) -> Mapping[str, int]:
    """A line is one quad, or one quarantined row."""
    return staged


def _files(spark: SparkSession, path: str) -> list[str]:
    """The files at a path, as URIs."""
    listing = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(path)
    found = sorted(listing.inputFiles())
    files = [file for file in found if _is_quads(file) is not None]
    for file in found:
        suffixes = _suffixes(file)
        if suffixes & _OTHER_RDF or (suffixes & _OTHER_COMPRESSIONS and suffixes & _QUADS_SUFFIX.keys()):
            raise LoadError(f"{_path_of(file)}: neither N-Triples nor N-Quads, plain or as .gz, .bz2 or .zst")
    if not files:
        raise LoadError(f"{path}: there are no N-Triples or N-Quads here")
    return files


def _suffixes(file: str) -> frozenset[str]:
    return frozenset(f".{part}" for part in posixpath.basename(file).lower().split(".")[1:][-2:])


def _is_quads(file: str) -> bool | None:
    """Whether a file is N-Quads by its name; None when it is not N-Triples either."""
    name = posixpath.basename(file).lower()
    for compression in COMPRESSIONS[1:]:
        name = name.removesuffix(compression)
    return _QUADS_SUFFIX.get(posixpath.splitext(name)[1])


def _path_of(file: str) -> str:
    """The path to read for a URI: Spark takes it for a glob."""
    return _GLOB.sub(r"\\\1", unquote(file.removeprefix("file://")))


def _shared_folder(files: Sequence[str]) -> str:
    """The folder that all URIs have in common, without scheme and first slashes."""
    return posixpath.commonpath([posixpath.dirname(_SCHEME.sub("", file)) for file in files])


def _rows(lines: DataFrame, shared: str, quads: bool) -> DataFrame:
    terms = _terms(_parts(lines, shared, quads))
    bad = ~F.col("valid") | ~F.is_valid_utf8(ROW) | (F.col(SUBJECT) == "")
    return terms.select(
        *(F.when(~bad, F.col(column)).alias(column) for column in QUAD),
        SOURCE,
        F.lit(None).cast("string").alias(TRIPLES_MAP),
        F.lit(None).cast("string").alias(DETAIL),
        F.when(bad, reason_for(F.col(ROW), quads)).alias(REASON),
        F.when(bad, F.col(ROW)).alias(ROW),
    ).select(*QUAD, *PROBLEM)


def _parts(lines: DataFrame, shared: str, quads: bool) -> DataFrame:
    """SOURCE, ROW and PARTS without escape sequences; all parts are empty where a line is no statement."""
    place = F.col("_metadata.file_path")
    # A path is written as file:/ here and as file:/// there, so what comes before the shared folder is left open.
    start = F.instr(place, shared) + F.lit(len(shared) + 1 if shared else 0)
    name = F.substr(place, start, F.lit(0x7FFFFFFF)) if shared else place
    statements = lines.where(~F.col("value").rlike(r"\A[ \t]*+(?:#.*)?+\z"))
    matched = F.regexp_replace("value", line_pattern(quads), line_parts(quads, _SEPARATOR))
    split = statements.select(
        name.alias(SOURCE),
        F.col("value").alias(ROW),
        F.contains("value", F.lit("\\")).alias("escaped"),
        F.split(matched, _SEPARATOR, len(PARTS)).alias("parts"),
    )
    parts = [(name, F.col("parts")[number]) for number, name in enumerate(PARTS)]
    plain = [unescaped(part) if name == "lexical" else _plain_iri(part, name) for name, part in parts]
    return split.select(
        SOURCE,
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
    ending = F.when(F.startswith(suffix, F.lit("@")), F.lower(suffix)).when(suffix != _STRING, suffix).otherwise("")
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


def _scoped(node: Column) -> Column:
    """A blank node with the hash of its file, of fixed length, at the beginning of the label."""
    scope = F.lower(F.lpad(F.hex(F.xxhash64(SOURCE)), 16, "0"))
    scoped = F.concat(F.lit("_:"), scope, F.substring(node, 3, 0x7FFFFFFF))
    return F.when(F.startswith(node, F.lit("_:")), scoped).otherwise(node)
