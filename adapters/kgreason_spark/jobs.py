"""The files that jobs left in a directory on any file system, by the rules of `kgreason.io.job_directories`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kgreason.errors import LoadError
from kgreason.io.job_directories import SUCCESS, Contents, contents_of, is_ignored, is_partition
from kgreason_mapping.locations import folder_of, joined, shown
from kgreason_spark.directories import Directory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def contents_at(directory: Directory) -> Contents:
    """The files that count below a directory. Cost: a call of the file system for each directory."""
    return contents_of(_names(directory, ""), _succeeded_above(directory.spark, directory.qualified()))


def visible(places: Sequence[Directory]) -> list[Directory]:
    """The places that Spark reads: all but files that its readers pass over without a word, by their names.

    Raises:
        LoadError: there are such files alone, so nothing would be read.
    """
    hidden = {place.path for place in places if _is_hidden(posixpath.basename(place.path)) and not place.is_directory()}
    if hidden and len(hidden) == len(places):
        expected = "another name, or kgreason map or load, which read it"
        raise LoadError("Spark passes over files with such a name", path=shown(places[0].path), expected=expected)
    return [place for place in places if place.path not in hidden]


def _is_hidden(name: str) -> bool:
    """Whether readers of Spark pass over a file of that name (`HadoopFSUtils.shouldFilterOutPathName`)."""
    return (name.startswith("_") and "=" not in name) or name.startswith(".") or name.endswith("._COPYING_")


def check_finished(directory: Directory, contents: Contents) -> None:
    """Raise LoadError for a directory with what a job left that has not finished."""
    if not contents.leftovers:
        return
    first = contents.leftovers[0]
    more = f", and {len(contents.leftovers) - 1:,} more" if len(contents.leftovers) > 1 else ""
    expected = "what a finished job leaves; unfinished=True or --unfinished reads it anyway"
    place = shown(joined(directory.qualified(), first.path))
    raise LoadError(f"{first.reason}{more}", path=place, expected=expected)


def _names(directory: Directory, before: str) -> Iterator[str]:
    """The relative paths of all files, and of directories with ``/`` at their ends; of ignored ones the names alone."""
    for name, is_directory in directory.entries():
        yield f"{before}{name}/" if is_directory else f"{before}{name}"
        if is_directory and not is_ignored(name):
            yield from _names(directory / name, f"{before}{name}/")


def _succeeded_above(spark: SparkSession, place: str) -> bool:
    """Whether a directory that is a partition of a job stands below a ``_SUCCESS`` of this job."""
    while is_partition(posixpath.basename(place)):
        place = folder_of(place)
        if (Directory(spark, place) / SUCCESS).exists():
            return True
    return False
