"""From paths to documents: which files are read, and which of them share their blank nodes.

A file is a document of its own, and so are all parts of one job together (`job_directories`), whether they are found in
a directory or named one by one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from kgreason.errors import LoadError
from kgreason.io.encoded.manifest import is_encoded
from kgreason.io.formats import is_rdf_file
from kgreason.io.job_directories import (
    SUCCESS,
    Contents,
    Leftover,
    contents_of,
    is_ignored,
    is_part,
    is_partition,
    job_root,
    partition_values,
    unfinished_reason,
)


@dataclass(frozen=True, slots=True)
class Document:
    """A file, or a directory of encoded triples, to be read."""

    path: Path
    scope: str | None = None
    """What goes before the labels of blank nodes in all parts of a job; None for what is a document of its own."""

    @property
    def partition(self) -> dict[str, str | None]:
        """The columns that the folders of the file stand for."""
        path = self.path.absolute()
        return partition_values(path.relative_to(job_root(path.as_posix())).as_posix())


def documents_of(paths: Sequence[str | Path], *, every: bool = False, unfinished: bool = False) -> list[Document]:
    """The documents at some paths: files and directories of encoded triples as they are, in other directories what
    counts: parts of jobs, and files whose names tell RDF or Parquet.

    Args:
        paths: of files and directories.
        every: read all visible files of a directory where no name tells anything.
        unfinished: read directories although something in them says that a job has not finished.

    Raises:
        LoadError: there is nothing at a path, nothing to read in a directory, or a job in it has not finished.
    """
    found = [path for given in paths for path in _expanded(Path(given), every, unfinished)]
    scopes: dict[str, str] = {}
    documents = []
    for path in found:
        scope = None
        if is_part(path.name):
            root = job_root(path.absolute().as_posix())
            scope = scopes.setdefault(root, f"b{uuid4().hex}")
        documents.append(Document(path, scope))
    return documents


def _expanded(path: Path, every: bool, unfinished: bool) -> Iterable[Path]:
    if not path.is_dir():
        if not path.exists():
            raise LoadError("no such file or directory", path=path)
        return (path,)
    encoded, names = _listed(path)
    contents = contents_of(names, _succeeded_above(path))
    if contents.leftovers and not unfinished:
        raise _refusal(path, contents.leftovers)
    files = [path / name for name in _chosen(contents, every)]
    if not (files or encoded or contents.is_empty_result):
        expected = "parts of a job, or files whose names tell RDF or Parquet"
        raise LoadError("there are no RDF files in the directory", path=path, expected=expected)
    return sorted([*files, *encoded])


def _listed(directory: Path) -> tuple[list[Path], list[str]]:
    """Directories of encoded triples, and the relative paths of all else; folders end in ``/``.

    Ignored files and encoded triples are listed by name only.
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
    raise LoadError(f"cannot be read: {error.strerror}", path=error.filename) from error


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
