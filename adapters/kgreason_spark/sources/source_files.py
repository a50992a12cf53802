"""Which files at given locations are read, and what each is: told by names, and by content where a name tells nothing.

Files are documents of their own, and the parts of one job are one, by the same rules as on one machine
(`kgreason.io.job_directories`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from pyoxigraph import RdfFormat
from pyspark.sql import functions as F

from kgreason.errors import LoadError
from kgreason.io.encoded.manifest import MANIFEST
from kgreason.io.format_sniffing import format_of_content
from kgreason_mapping.locations import joined, pattern_of, shown
from kgreason_spark.directories import Directory, matching
from kgreason_spark.jobs import check_finished, contents_at, visible

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OTHER_RDF: Final = frozenset((".ttl", ".turtle", ".trig", ".rdf", ".owl", ".n3", ".jsonld"))
_COMPRESSIONS: Final = (".gz", ".bz2", ".zst", ".deflate", ".lz4", ".snappy")
_OTHER_COMPRESSIONS: Final = (".xz", ".zip", ".7z", ".br")
_LINES: Final = 200
"""How many lines of a job are looked at to tell what it is."""
_SHOWN: Final = 80


class Kind(Enum):
    """The kind of content of a file."""

    TRIPLES = "N-Triples"
    QUADS = "N-Quads"
    TABLE = "Parquet"


_BY_SUFFIX: Final = {
    ".nt": Kind.TRIPLES,
    ".ntriples": Kind.TRIPLES,
    ".nq": Kind.QUADS,
    ".nquads": Kind.QUADS,
    ".parquet": Kind.TABLE,
    ".parq": Kind.TABLE,
}


@dataclass(frozen=True, slots=True)
class _Group:
    """Files of which the first one tells what all are: a file that was named, or the parts of a job."""

    files: tuple[str, ...]


def files_at(spark: SparkSession, places: Sequence[str], *, unfinished: bool = False) -> dict[Kind, list[str]]:
    """The files at locations, which may be patterns, by what they are.

    Args:
        unfinished: read a directory although something in it says that a job has not finished.

    Raises:
        LoadError: there is nothing at a location, or nothing to read; a job has not finished; or a file is something
            else than N-Triples, N-Quads or a table.

    Cost: a call of the file system for each directory, and a small job for each job or file whose name says nothing.
    """
    found: dict[Kind, list[str]] = {kind: [] for kind in Kind}
    for place in places:
        given = matching(spark, place)
        if not given:
            raise LoadError(f"cannot be read: {Directory(spark, place).why_missing()}", path=shown(place))
        groups = [group for one in visible(given) for group in _groups(one, unfinished)]
        for group in groups:
            for file, kind in _told(spark, group):
                found[kind].append(file)
    return {kind: list(dict.fromkeys(files)) for kind, files in found.items()}


def _groups(place: Directory, unfinished: bool) -> Iterator[_Group]:
    root = place.qualified()
    if not place.is_directory():
        yield _Group((root,))
        return
    contents = contents_at(place)
    if any(posixpath.basename(name) == MANIFEST for name in contents.files):
        raise LoadError("there are encoded triples in it, which stores load as they are", path=shown(root))
    if not unfinished:
        check_finished(place, contents)
    chosen = [_Group((joined(root, name),)) for name in contents.files if _suffixes(name)[0] in _BY_SUFFIX | _RDF]
    chosen += [_Group(tuple(joined(root, part) for part in job.parts)) for job in contents.jobs]
    if not (chosen or contents.is_empty_result):
        raise LoadError("there are no N-Triples or N-Quads here", path=shown(root))
    yield from chosen


def _told(spark: SparkSession, group: _Group) -> Iterator[tuple[str, Kind]]:
    unknown = []
    for file in group.files:
        suffix, compression = _suffixes(file)
        if suffix in _OTHER_RDF or (compression in _OTHER_COMPRESSIONS and suffix in _BY_SUFFIX):
            raise LoadError("neither N-Triples nor N-Quads, plain or as .gz, .bz2 or .zst", path=shown(file))
        if suffix in _BY_SUFFIX:
            yield file, _BY_SUFFIX[suffix]
        else:
            unknown.append(file)
    if unknown:
        kind = _kind_of_content(spark, unknown)
        yield from ((file, kind) for file in unknown)


def _kind_of_content(spark: SparkSession, files: Sequence[str]) -> Kind:
    """What files are that one job wrote, by the first lines in them."""
    lines = spark.read.text([pattern_of(file) for file in files])
    head = lines.select("value", F.col("_metadata.file_path")).head(_LINES)
    text = "\n".join(row[0] for row in head)
    if text.startswith("PAR1"):
        return Kind.TABLE
    told = format_of_content(text.encode(), len(head) < _LINES)
    if told in (RdfFormat.N_QUADS, RdfFormat.N_TRIPLES):
        return Kind.QUADS
    file = shown(head[0][1])
    what = f"it is {told}" if told is not None else f"it begins with {text[:_SHOWN]!r}"
    raise LoadError(f"neither its name nor its content is that of N-Triples or N-Quads: {what}", path=file)


def _suffixes(file: str) -> tuple[str, str]:
    """The ending of a name that tells the format, and that of the compression."""
    name = posixpath.basename(file).lower()
    stem, suffix = posixpath.splitext(name)
    if suffix not in _COMPRESSIONS + _OTHER_COMPRESSIONS:
        return suffix, ""
    return posixpath.splitext(stem)[1], suffix


_RDF: Final = dict.fromkeys(_OTHER_RDF, Kind.QUADS)
