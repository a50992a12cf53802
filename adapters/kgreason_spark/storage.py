"""Small files on whatever file system Spark works on: local, HDFS, S3."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

from kgreason.errors import LoadError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Storage:
    """The file systems of a session, by way of Hadoop."""

    spark: SparkSession

    def read(self, path: str) -> str:
        """The text of a small file; LoadError when it cannot be read."""
        system, target = self._resolve(path)
        try:
            stream = system.open(target)
            try:
                content: str = self._java.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
                return content
            finally:
                stream.close()
        except Py4JJavaError as error:
            raise LoadError(f"cannot read {path}: {_reason(error)}") from None

    def write(self, path: str, text: str) -> None:
        """Write a small file at once or not at all; LoadError when it cannot be written."""
        system, target = self._resolve(path)
        part = self._resolve(f"{path}.part")[1]
        try:
            stream = system.create(part, True)
            try:
                stream.write(bytearray(text.encode("utf-8")))
            finally:
                stream.close()
            system.delete(target, False)
            system.rename(part, target)
        except Py4JJavaError as error:
            with suppress(Py4JJavaError):
                system.delete(part, False)
            raise LoadError(f"cannot write {path}: {_reason(error)}") from None

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        system, target = self._resolve(path)
        return bool(system.exists(target))

    def delete(self, path: str) -> None:
        """Take away a file or a folder with all that is in it, if it is there."""
        system, target = self._resolve(path)
        system.delete(target, True)

    @property
    def _java(self) -> Any:
        return self.spark.sparkContext._jvm

    def _resolve(self, path: str) -> tuple[Any, Any]:
        target = self._java.org.apache.hadoop.fs.Path(path)
        configuration = self.spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[attr-defined]
        return target.getFileSystem(configuration), target


def _reason(error: Py4JJavaError) -> str:
    return str(error.java_exception.getMessage() or error.java_exception.toString())
