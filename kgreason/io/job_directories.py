"""Directories that jobs of Spark and Hadoop left, told from names alone: local paths and Hadoop's take the same rules.

* Names that begin with ``.`` or ``_`` and checksums (``*.crc``) count as nothing, files and folders, at every level. A
  folder ``_name=value`` is the one exception: a partition of Hive by a column ``_name``.
* ``part-*`` are the parts of one job. Parts below the same root are one document: a blank node label means the same
  in all of them. The root is their folder, or the first folder above it that is not a partition (``dt=2026``).
* Some names are what a job leaves that has not finished (`unfinished_reason`), and so are parts under the names that
  Spark and Hadoop give them (`needs_success`) where neither their folder nor one up to the root has a ``_SUCCESS``.
  A part that was renamed to ``part-00000.nt`` needs none: kgreason renames parts when a job has succeeded.

    >>> found = contents_of(["a.nt", "out/_SUCCESS", "out/part-00000.txt.gz", "out/.part-00000.txt.gz.crc"])
    >>> found.files, found.jobs, found.leftovers
    (('a.nt',), (Job(root='out', parts=('out/part-00000.txt.gz',)),), ())

Sources: Hadoop's ``FileOutputCommitter`` and Spark's ``InMemoryFileIndex.shouldFilterOutPathName``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote

SUCCESS: Final = "_SUCCESS"
WORK: Final = "_work-"
"""How the names of the folders begin in which kgreason writes until a job has succeeded."""
NULL: Final = "__HIVE_DEFAULT_PARTITION__"
"""What Hive and Spark write for null as the value of a partition."""

_UUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_BY_A_JOB: Final = re.compile(
    rf"part-(?:[mr]-\d+.*|\d+-(?:attempt_|tid-|{_UUID}).*|\d+(?:\.txt)?(?:\.(?:gz|deflate|bz2|zst|lz4|snappy|xz))?)",
    re.IGNORECASE,
)
_PARTITION: Final = re.compile(r"[^=]+=.*")
_ENCODED: Final = frozenset(("dictionary", "triples"))
_MANIFEST: Final = "manifest.json"
_NTRIPLES: Final = "ntriples/"
_QUARANTINE: Final = "quarantine/"


@dataclass(frozen=True, slots=True)
class Job:
    """The parts of one job, in the order of their paths; `root` is the path of its directory, empty for the one that
    was listed."""

    root: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Leftover:
    """A path that says that a job has not finished, and why it does."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What counts among the paths below a directory: single files, each a document, and jobs, each a document."""

    files: tuple[str, ...]
    jobs: tuple[Job, ...]
    leftovers: tuple[Leftover, ...]
    is_empty_result: bool
    """Whether a job ended with success and an empty result."""


def is_partition(name: str) -> bool:
    """Whether a folder is a partition of Hive, ``column=value``."""
    return _PARTITION.fullmatch(name) is not None


def is_ignored(name: str) -> bool:
    """Whether a file or folder counts as nothing by its own name."""
    if name.startswith("_"):
        return not is_partition(name)
    return name.startswith(".") or name.endswith(".crc")


def is_part(name: str) -> bool:
    """Whether a file is a part of a job by its own name."""
    return name.startswith("part-")


def needs_success(name: str) -> bool:
    """Whether a part has the name that Spark or Hadoop gives it from the beginning, so that only ``_SUCCESS`` says
    that the job has finished."""
    return _BY_A_JOB.fullmatch(name) is not None


def unfinished_reason(name: str) -> str | None:
    """Why a file or folder of this name says that a job has not finished; None when it does not say that."""
    if name == "_temporary":
        return "a job of Spark or Hadoop has not finished"
    if name.startswith(WORK):
        return "a job of kgreason has not finished"
    if name.startswith(".spark-staging-"):
        return "a job of Spark has not finished"
    return "a copy has not finished" if name.endswith("._COPYING_") else None


def partition_values(path: str) -> dict[str, str | None]:
    """The columns and values that the folders of a path stand for, ``p=a%2Fb/part-0`` as ``{"p": "a/b"}``; None for
    null."""
    found: dict[str, str | None] = {}
    for name in PurePosixPath(path).parts[:-1]:
        if is_partition(name):
            column, value = name.split("=", 1)
            found[unquote(column)] = None if value == NULL else unquote(value)
    return found


def job_root(path: str) -> str:
    """The directory of the job that a part belongs to, empty when that is where the path begins."""
    folder = PurePosixPath(path).parent
    while is_partition(folder.name):
        folder = folder.parent
    return "" if folder == PurePosixPath() else str(folder)


def _visible(paths: Iterable[str]) -> list[str]:
    """The files among paths, but for those that Spark and Hadoop ignore."""
    return [path for path in paths if not path.endswith("/") and not any(map(is_ignored, path.split("/")))]


def contents_of(paths: Iterable[str], succeeded: bool = False) -> Contents:
    """What counts among paths of files below one directory, relative to it, with ``/`` between names.

    Args:
        paths: of all files and, where they are known, of folders; a folder that ends in ``/`` is not a file.
        succeeded: whether a ``_SUCCESS`` stands above the directory, which then is a partition of a job.
    """
    given = _without_quarantine(sorted(set(paths)))
    leftovers = [found for path in given for found in _leftovers(path)]
    done = {folder_of(path) for path in given if path.rsplit("/", 1)[-1] == SUCCESS}
    files: list[str] = []
    parts: dict[str, list[str]] = {}
    for path in _visible(given):
        name = path.rsplit("/", 1)[-1]
        if not is_part(name):
            files.append(path)
            continue
        root = job_root(path)
        parts.setdefault(root, []).append(path)
        if needs_success(name) and not (succeeded and not root) and not done.intersection(_up_to(path, root)):
            leftovers.append(Leftover(path, f"there is no {SUCCESS}: the job that wrote it has not finished"))
    leftovers += _without_manifest(given)
    jobs = tuple(Job(root, tuple(some)) for root, some in parts.items())
    is_empty_result = (bool(done) or succeeded) and not (files or jobs)
    return Contents(tuple(files), jobs, tuple(dict.fromkeys(leftovers)), is_empty_result)


def _without_quarantine(paths: Sequence[str]) -> list[str]:
    """The paths without those of rows that ``kgreason spark ingest`` could not read, which it writes beside what it
    read."""
    above = [path.removesuffix(_NTRIPLES) for path in paths if f"/{path}".endswith(f"/{_NTRIPLES}")]
    unread = tuple(f"{folder}{_QUARANTINE}" for folder in above)
    return [path for path in paths if not path.startswith(unread)]


def folder_of(path: str) -> str:
    """The folder of a file, empty for the one where paths begin."""
    return path.rpartition("/")[0]


def _leftovers(path: str) -> Iterator[Leftover]:
    """The first name in a path that says that something has not finished; within it, nothing counts anyway."""
    names = path.rstrip("/").split("/")
    for depth, name in enumerate(names, 1):
        reason = unfinished_reason(name)
        if reason is not None:
            yield Leftover("/".join(names[:depth]), reason)
        if reason is not None or is_ignored(name):
            return


def _up_to(path: str, root: str) -> Iterator[str]:
    """The folder of a part, and those above it up to the root of its job."""
    folder = folder_of(path)
    yield folder
    while folder != root:
        folder = folder_of(folder)
        yield folder


def _without_manifest(paths: Iterable[str]) -> Iterator[Leftover]:
    """Directories that look like encoded triples, which are written with their manifest last, and have none."""
    folders: dict[str, set[str]] = {}
    for path in paths:
        names = path.split("/")
        for depth, name in enumerate(names):
            if name in _ENCODED or name == _MANIFEST:
                folders.setdefault("/".join(names[:depth]), set()).add(name)
    for folder, names_there in folders.items():
        if names_there >= _ENCODED and _MANIFEST not in names_there:
            path = f"{folder}/{_MANIFEST}".lstrip("/")
            yield Leftover(path, "it is missing beside dictionary/ and triples/: their job has not finished")
