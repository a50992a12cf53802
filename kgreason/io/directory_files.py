"""Which files of a directory, or members of an archive, are read: parts of jobs, and files whose names tell RDF."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from kgreason.errors import LoadError, one_line
from kgreason.io.encoded.manifest import is_encoded
from kgreason.io.formats import is_rdf_file
from kgreason.io.job_directories import (
    SUCCESS,
    Contents,
    Leftover,
    contents_of,
    is_ignored,
    is_partition,
    unfinished_reason,
)


def choose_files(
    path: Path, names: Sequence[str], *, has_more: bool = False, every: bool, unfinished: bool
) -> Sequence[str]:
    """Those of all names in a directory that are read.

    Args:
        path: the directory, or the archive.
        names: relative paths of what is in it; folders end in ``/``.
        has_more: there is something to read beside these, so that none of them may be.
        every: all visible files are read where no name tells anything.
        unfinished: a job that has not finished is read.

    Raises:
        LoadError: there is nothing to read, or a job has not finished.
    """
    contents = contents_of(names, _succeeded_above(path))
    if contents.leftovers and not unfinished:
        raise _refusal(path, contents.leftovers)
    chosen = list(_chosen(contents, every))
    if not (chosen or has_more or contents.is_empty_result):
        expected = "parts of a job, or files whose names tell RDF or Parquet"
        kind = "directory" if path.is_dir() else "archive"
        raise LoadError(f"there are no RDF files in the {kind}", path=path, expected=expected)
    return chosen


def listed_files(directory: Path) -> tuple[list[Path], list[str]]:
    """Directories of encoded triples, and the relative paths of all else; folders end in ``/``.

    Ignored files and encoded triples are listed by name only. LoadError where a folder cannot be read.
    """
    encoded: list[Path] = []
    names: list[str] = []
    for folder, folders, files in os.walk(directory, onerror=_raise):
        here = Path(folder).relative_to(directory)
        entries = [*files, *(f"{name}/" for name in folders)]
        if is_encoded(Path(folder)):
            encoded.append(Path(folder))
            entries = [name for name in entries if unfinished_reason(name.rstrip("/")) is not None]
            folders.clear()
        names += [name if here == Path() else f"{here.as_posix()}/{name}" for name in entries]
        folders[:] = [name for name in folders if not is_ignored(name)]
    return encoded, names


def _raise(error: OSError) -> None:
    raise LoadError(f"cannot be read: {one_line(error)}", path=error.filename) from error


def _chosen(contents: Contents, every: bool) -> Iterator[str]:
    told = [name for name in contents.files if is_rdf_file(Path(name))]
    yield from told or (contents.files if every and not contents.jobs else ())
    for job in contents.jobs:
        yield from job.parts


def _succeeded_above(directory: Path) -> bool:
    """Whether a directory that is a partition of a job stands below a ``_SUCCESS`` of this job."""
    folder = directory.absolute()
    while is_partition(folder.name):
        folder = folder.parent
        if (folder / SUCCESS).exists():
            return True
    return False


def _refusal(directory: Path, leftovers: Sequence[Leftover]) -> LoadError:
    first = leftovers[0]
    others = f", and {len(leftovers) - 1:,} more" if len(leftovers) > 1 else ""
    return LoadError(
        f"{first.reason}{others}",
        path=directory / first.path,
        expected="what a finished job leaves; unfinished=True or --unfinished reads it anyway",
    )
