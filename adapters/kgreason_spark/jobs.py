"""The files that jobs left in a directory on any file system, by the rules of `kgreason.io.job_directories`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
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
