"""Directories on any file system that Hadoop knows: this machine's, HDFS, object stores."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from kgreason.errors import LoadError, SparkError
from kgreason_mapping.locations import name_of, pattern_of
from kgreason_spark.failures import clear_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORK: Final = "_work-"
"""How the names of folders begin that only matter while something is being written."""
UNMARKED: Final = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
"""Options of Spark's writers: without its file _SUCCESS, since a directory appears whole or not at all."""
VERIFIED: Final = {"parquet.page.verify-checksum.enabled": "true"}
"""Options of Spark's readers of Parquet: a page whose checksum is another than it was written with is refused."""


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory by its path, which may have a scheme; it need not exist."""

    spark: SparkSession
    path: str

    def __truediv__(self, name: str) -> Directory:
        return Directory(self.spark, f"{self.path.rstrip('/')}/{name}")

    def __str__(self) -> str:
        return self.path

    def names(self) -> list[str]:
        """The names in it, sorted; none when it does not exist. NotADirectoryError for a file."""
        files = self._files()
        if not files.exists(self._path()):
            return []
        if not files.getFileStatus(self._path()).isDirectory():
            raise NotADirectoryError(f"{self.path}: is not a directory")
        return sorted(status.getPath().getName() for status in files.listStatus(self._path()))

    def qualified(self) -> str:
        """Its path with the scheme and the place on its file system, as a name stands there: nothing is escaped."""
        return str(self._files().makeQualified(self._path()).toString())

    def uri(self) -> str:
        """Its path as a URI, with escapes, as Spark names files."""
        return str(self._files().makeQualified(self._path()).toUri().toString())

    def is_directory(self) -> bool:
        """Whether it is there, and no file."""
        return bool(self._files().exists(self._path()) and self._files().getFileStatus(self._path()).isDirectory())

    def entries(self) -> list[tuple[str, bool]]:
        """The names in it, and whether each is a directory, sorted. Cost: one call of the file system."""
        statuses = self._files().listStatus(self._path())
        return sorted((str(one.getPath().getName()), bool(one.isDirectory())) for one in statuses)

    def sizes(self, name: str) -> dict[str, int]:
        """The bytes of each file below a folder of it, by its path from here; none where there is no such folder."""
        root = str(self._path(name).makeQualified(self._files().getUri(), self._files().getWorkingDirectory()))
        if not self._files().exists(self._path(name)):
            return {}
        found: dict[str, int] = {}
        each = self._files().listFiles(self._path(name), True)
        while each.hasNext():
            status = each.next()
            found[name + str(status.getPath()).removeprefix(root)] = int(status.getLen())
        return found

    def size(self) -> int:
        """The bytes of all files in it."""
        return int(self._files().getContentSummary(self._path()).getLength())

    def exists(self) -> bool:
        """Whether there is anything at the path."""
        return bool(self._files().exists(self._path()))

    def why_missing(self) -> str:
        """Why nothing is found at the path: Hadoop takes what may not be looked at on this machine for missing."""
        scheme, _, path = self.qualified().partition(":")
        try:
            if scheme == "file":
                os.stat(f"/{path.lstrip('/')}")
        except PermissionError:
            return "permission denied"
        except (OSError, ValueError):  # no path has NUL
            pass
        return "no such file or directory"

    def delete(self, name: str = "") -> None:
        """Delete it, or what has a name in it, with all content; nothing happens when it is not there."""
        self._files().delete(self._path(name), True)

    def make(self) -> None:
        """Make it, with its parents; SparkError where that cannot be."""
        if not self._files().mkdirs(self._path()):
            raise SparkError("cannot be made: no permission, or no directory may be there", path=self.path)

    def move(self, name: str, target: Directory, new_name: str | None = None) -> None:
        """Move what has a name in it into another directory of its file system; SparkError where that cannot be."""
        destination = target._path(new_name or name)
        if not self._files().rename(self._path(name), destination):
            raise SparkError(f"{self.path}/{name}: cannot be moved to {destination}")

    def read_text(self, name: str = "") -> str:
        """The text of a small file in it, or of the file that it is.

        Raises:
            LoadError: it is not there, or cannot be read.
        """
        place = f"{self.path}/{name}" if name else self.path
        with clear_errors(f"reading {place}"):
            if not self._files().exists(self._path(name)):
                raise LoadError(f"cannot be read: {Directory(self.spark, place).why_missing()}", path=place)
            stream = self._files().open(self._path(name))
            try:
                return str(self._java().org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()

    @contextmanager
    def on_this_machine(self, *names: str) -> Iterator[Path]:
        """A folder of this machine with those of the names that are in the directory: itself, or a copy that goes with
        the body."""
        scheme, _, path = self.qualified().partition(":")
        if scheme == "file":
            yield Path(f"/{path.lstrip('/')}")
            return
        with TemporaryDirectory(prefix="kgreason-spark-") as folder:
            for name in filter(set(self.names()).__contains__, names):
                self._files().copyToLocalFile(False, self._path(name), _local(self, f"{folder}/{name}"), True)
            yield Path(folder)

    def upload(self, folder: Path) -> None:
        """Copy all that is in a folder of this machine into it."""
        self.make()
        for path in sorted(folder.iterdir()):
            self._files().copyFromLocalFile(False, True, _local(self, str(path)), self._path(path.name))

    def replace_text(self, name: str, text: str) -> None:
        """Write a file over the one that may be there, at once or not at all."""
        self.write_text(f"{name}.part", text)
        self.delete(name)
        self.move(f"{name}.part", self, name)

    def write_text(self, name: str, text: str) -> None:
        """Write a file."""
        stream = self._files().create(self._path(name), True)
        try:
            stream.write(bytearray(text, "utf-8"))
        finally:
            stream.close()

    def _path(self, name: str = "") -> Any:
        path = f"{self.path}/{name}" if name else self.path
        return self._java().org.apache.hadoop.fs.Path(path)

    def _files(self) -> Any:
        context: Any = self.spark.sparkContext
        return self._path().getFileSystem(context._jsc.hadoopConfiguration())

    def _java(self) -> Any:
        context: Any = self.spark.sparkContext
        return context._jvm


def _local(directory: Directory, path: str) -> Any:
    """A path of this machine as Hadoop names it."""
    return Directory(directory.spark, f"file://{path}")._path()


def matching(spark: SparkSession, pattern: str) -> list[Directory]:
    """The paths at a location that may be a pattern of Hadoop (``part-*``), files too, sorted; itself where it is
    there.

    Raises:
        LoadError: its file system cannot be reached, or there is none for its scheme.
    """
    given = Directory(spark, pattern)
    with clear_errors(f"reading {pattern}"):
        if given.exists():
            return [given]
        found = given._files().globStatus(given._path())
        return sorted((Directory(spark, str(one.getPath().toString())) for one in found or ()), key=str)


def exact_pattern(spark: SparkSession, pattern: str) -> str:
    """The pattern for a location that is there as it is written, such as ``a[1].csv``, and for it alone; else the
    pattern itself.

    Raises:
        LoadError, SparkError: as `matching`.
    """
    name = name_of(pattern)
    with clear_errors(f"reading {pattern}"):
        return pattern_of(name) if Directory(spark, name).exists() else pattern


@contextmanager
def replaced(directory: Directory, *, overwrite: bool, last: str = "") -> Iterator[tuple[Directory, Directory]]:
    """Two empty directories inside: what the body writes into the first takes the place of all that was in `directory`
    once it succeeds, the second is for what the body needs on the way.

    When the body raises, `directory` is as it was. What follows are renamings, `last` after all others;
    a killed process leaves its folder ``_work-*`` behind, which counts as nothing and goes with the next success.

    Raises:
        SparkError: `directory` has something in it, and `overwrite` does not allow to replace it; or Spark fails.
    """
    with clear_errors(f"writing to {directory}"):
        before = _names_before(directory, overwrite)
        existed = directory.exists()
        work = directory / f"{WORK}{uuid.uuid4().hex[:12]}"
        try:
            (work / "content").make()
            yield work / "content", work / "scratch"
            for name in before:
                directory.delete(name)
            for name in sorted((work / "content").names(), key=lambda name: (name == last, name)):
                (work / "content").move(name, directory)
        except BaseException:
            (work if existed else directory).delete()
            raise
        work.delete()


def _names_before(directory: Directory, overwrite: bool) -> list[str]:
    try:
        names = directory.names()
    except NotADirectoryError as error:
        raise SparkError(str(error)) from None
    if not overwrite and any(not name.startswith(WORK) for name in names):
        raise SparkError("exists and is not empty; choose another, or overwrite it", path=directory.path)
    return names
