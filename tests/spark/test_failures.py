"""Errors of Spark as errors of ours. Catches a message of a Python worker that is taken for the end of Java, and one
of Spark 3.5 about a broken file that is not told as an error of the data."""

from __future__ import annotations

import pytest
from pyspark.errors.exceptions.captured import PythonException

from kgreason.errors import KGReasonError, LoadError, SparkError
from kgreason_spark.failures import described

TRACEBACK = """
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "/x/csv_records.py", line 107, in end
    raise LoadError("...")
"""


@pytest.mark.usefixtures("quick_spark")
@pytest.mark.parametrize(
    ("raised", "kind", "told"),
    [
        ("kgreason.errors.LoadError: a.csv:8: never closed", LoadError, "a.csv:8: never closed"),
        ("kgreason.errors.SparkError: no room", SparkError, "reading: no room"),
        ("ZeroDivisionError: division by zero", SparkError, "reading: ZeroDivisionError: division by zero"),
    ],
)
def test_what_a_python_worker_raised_has_no_java_in_spark_3_5(
    raised: str, kind: type[KGReasonError], told: str
) -> None:
    found = described(PythonException(TRACEBACK + raised, ""), "reading")

    assert type(found) is kind
    assert str(found) == told


class Thrown:
    """A throwable of Java."""

    def __init__(self, message: str, cause: Thrown | None = None) -> None:
        self._message, self._cause = message, cause

    def getMessage(self) -> str:
        return self._message

    def getCause(self) -> Thrown | None:
        return self._cause


class Caught(Exception):
    """An exception of py4j, with the throwable that it is for."""

    def __init__(self, message: str, thrown: Thrown | None) -> None:
        super().__init__(message)
        self.java_exception = thrown


def caught(*messages: str) -> Exception:
    """The exception of py4j for a throwable with its causes."""
    thrown = None
    for message in reversed(messages):
        thrown = Thrown(message, thrown)
    return Caught(messages[0], thrown)


STAGE = "Job aborted due to stage failure: Task 0 in stage 8.0 failed 1 times, most recent failure: Lost task 0.0"
TEXT_BREAKS_OFF = f"""{STAGE} (TID 1) (h executor driver): java.io.EOFException: Unexpected end of input stream
\tat org.apache.hadoop.io.compress.DecompressorStream.decompress(DecompressorStream.java:165)
\tat org.apache.spark.sql.execution.datasources.RecordReaderIterator.hasNext(RecordReaderIterator.scala:39)
\tat org.apache.spark.sql.execution.datasources.FileScanRDD$$anon$1.hasNext(FileScanRDD.scala:131)
"""
DISK_IS_FULL = f"""{STAGE} (TID 1) (h executor driver): java.io.IOException: No space left on device
\tat java.base/java.io.FileOutputStream.writeBytes(Native Method)
\tat org.apache.spark.sql.execution.datasources.text.TextOutputWriter.write(TextOutputWriter.scala:33)
"""
DAMAGED = (
    f"{STAGE} (TID 1): org.apache.spark.SparkException: Encountered error while reading file file:///a%20b.parquet. "
    "Details:\n\tat org.apache.spark.sql.errors.QueryExecutionErrors$.cannotReadFilesError(Errors.scala:864)\n"
)


@pytest.mark.parametrize(
    ("messages", "kind", "told"),
    [
        ((TEXT_BREAKS_OFF, "Unexpected end of input stream"), LoadError, "reading: a file cannot be read: Unexpected"),
        ((DISK_IS_FULL, "No space left on device"), SparkError, "reading: No space left on device"),
        ((DAMAGED, "CRC checksum verification failed"), LoadError, "/a b.parquet: cannot be read: CRC checksum"),
    ],
)
def test_files_that_spark_3_5_cannot_read_are_errors_of_the_data(
    messages: tuple[str, ...], kind: type[KGReasonError], told: str
) -> None:
    found = described(caught(*messages), "reading")

    assert type(found) is kind
    assert str(found).startswith(told)


def test_end_of_java_is_told() -> None:
    assert "the Java process of Spark has ended" in str(described(ConnectionError("reset"), "reading"))
