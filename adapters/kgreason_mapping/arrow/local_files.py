"""Files of this machine that a location means: a file, a folder, or a pattern of Hadoop."""

from __future__ import annotations

import gzip
import lzma
import os
import re
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import Path
from typing import IO, Final, cast

import pyarrow as pa

from kgreason.access import Access
from kgreason.errors import LoadError, MappingError, one_line
from kgreason.io.job_directories import contents_of
from kgreason_mapping.locations import is_uri, location, name_of, without_braces
from kgreason_mapping.sources.source_reach import check_links

_LOCAL: Final = re.compile(r"file:(?://(?=/))?(?=/)")
_ARROW: Final = {".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_FINISHED: Final = "what a finished job leaves; unfinished=True or --unfinished reads it anyway"


def local_path(place: str) -> str:
    """The path, or pattern, of a location.

    Raises:
        MappingError: it is on another file system, which Spark reads.
    """
    found = _LOCAL.match(place)
    if found is None and is_uri(place):
        raise MappingError(f"{place} is not on this machine", expected="a path, or kgreason spark ingest")
    return place[found.end() :] if found else place


def files_at(place: str, *, unfinished: bool) -> list[str]:
    """The files that a location means, in order.

    Raises:
        LoadError: there is none, or a folder has what a job left that has not finished.
    """
    files: list[str] = []
    found = _paths_at(place)
    for path in found:
        files += _files_in(path, unfinished) if os.path.isdir(path) else [path]
    if not found:
        raise LoadError("cannot be read: no such file or directory", path=local_path(place))
    return files


def check_reach(place: str, folders: Sequence[str], access: Access) -> None:
    """Refuse what is at a location where it is a link to somewhere else; MappingError."""
    for path in _paths_at(place):
        check_links(location(Path(path)), folders, access)


def _paths_at(place: str) -> list[str]:
    """The files and folders at a location, in order: itself where it is there, else what it matches as a pattern."""
    pattern = local_path(place)
    name = name_of(pattern)
    if os.path.lexists(name):
        return [name]
    found = {path for one in without_braces(pattern) for path in glob(_python_pattern(one), include_hidden=True)}
    return sorted(found)


def opened(path: str) -> IO[bytes]:
    """A file as a stream, unpacked where its name says that it is compressed; LoadError where it cannot be read."""
    suffix = os.path.splitext(path)[1].lower()
    try:
        if suffix == ".gz":
            return cast("IO[bytes]", gzip.open(path, "rb"))
        if suffix == ".xz":
            return cast("IO[bytes]", lzma.open(path, "rb"))
        if suffix in _ARROW:
            return cast("IO[bytes]", pa.input_stream(path, compression=_ARROW[suffix]))
        return open(path, "rb")
    except OSError as error:
        raise unreadable(path, error) from error


def blocks(path: str, size: int) -> Iterator[bytes]:
    """The content of a file in blocks; LoadError where it cannot be read."""
    with opened(path) as stream:
        while True:
            try:
                read = stream.read(size)
            except (OSError, EOFError, lzma.LZMAError) as error:
                raise unreadable(path, error) from error
            if not read:
                return
            yield read


def unreadable(path: str, error: Exception) -> LoadError:
    """The error of ours for a file that cannot be read."""
    return LoadError(f"cannot be read: {one_line(error)}", path=path)


def _files_in(folder: str, unfinished: bool) -> list[str]:
    paths = []
    for parent, folders, names in os.walk(folder):
        relative = os.path.relpath(parent, folder)
        before = "" if relative == "." else f"{relative}/"
        paths += [f"{before}{name}/" for name in folders] + [f"{before}{name}" for name in names]
    contents = contents_of(paths)
    if contents.leftovers and not unfinished:
        first = contents.leftovers[0]
        raise LoadError(first.reason, path=os.path.join(folder, first.path), expected=_FINISHED)
    # As for Spark, folders in a folder count only where they are partitions of Hive.
    files = [*contents.files, *(part for job in contents.jobs for part in job.parts)]
    kept = (path for path in files if all("=" in name for name in path.split("/")[:-1]))
    return sorted(os.path.join(folder, path) for path in kept)


def _python_pattern(pattern: str) -> str:
    """A pattern of Hadoop, in which a backslash escapes, as one of Python, in which brackets do."""

    def written(found: re.Match[str]) -> str:
        character = found[1]
        return f"[{character}]" if character in "*?[" else character

    return re.sub(r"\\(.)", written, pattern)
