"""Errors of Spark and its Java, as one line that names the place and the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from kgreason.errors import LoadError, SparkError

if TYPE_CHECKING:
    from pyspark.sql import Column

_UNREADABLE_FILE: Final = re.compile(r"Encountered error while reading file (\S+?)\.?\s")
_UNREADABLE_TEXT: Final = re.compile(
    r": java\.(?:io|util\.zip)\.\w+: ([^\n]+)\n(?:\s+at [^\n]*\n)*\s+at [^\n]*\.RecordReaderIterator\."
)
"""Spark 3.5 does not say which file of text breaks off."""
_RAISED_BY_TASK: Final = re.compile(
    r"^(?:\[USER_RAISED_EXCEPTION\] )?kgreason\.errors\.(LoadError|SparkError): (.+?)(?: SQLSTATE: \w+)?$", re.MULTILINE
)
_MISSING: Final = re.compile(r"\[PATH_NOT_FOUND\] Path does not exist: (\S+?)\.?\s")


def raised_by_row(message: Column) -> Column:
    """An expression that fails the job with a LoadError of that message."""
    from pyspark.sql import functions as F

    return F.raise_error(F.concat(F.lit("kgreason.errors.LoadError: "), message))


@contextmanager
def clear_errors(task: str) -> Iterator[None]:
    """Run jobs of Spark in the body; `task` says in errors what they do.

    Raises:
        LoadError: a file that cannot be read: missing, cut off, not what its name says.
        SparkError: anything else that Spark reports, a full disk for instance, or the end of its Java process.
    """
    # Heavy, and not there where only files are listed.
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        raise described(error, task) from error


def described(error: Exception, task: str) -> LoadError | SparkError:
    """The error of ours for one of Spark's."""
    messages = list(_messages(error))
    if not messages:
        return SparkError(f"the Java process of Spark has ended, perhaps for want of memory: {error}", path=task)
    whole = "\n".join(messages) + "\n"
    if raised := _RAISED_BY_TASK.search(whole):
        return LoadError(raised[2]) if raised[1] == "LoadError" else SparkError(raised[2], path=task)
    for pattern in (_UNREADABLE_FILE, _MISSING):
        if found := pattern.search(whole):
            reason = _why(messages[-1]) if pattern is _UNREADABLE_FILE else "no such file or directory"
            return LoadError(f"cannot be read: {reason}", path=unquote(found.group(1).removeprefix("file://")))
    if found := _UNREADABLE_TEXT.search(whole):
        return LoadError(f"a file cannot be read: {found[1]}", path=task)
    return SparkError(one_line(messages[-1]), path=task)


def _why(message: str) -> str:
    """The reason why a file cannot be read. A reader of Parquet speaks of a socket where its bytes end too early."""
    line = one_line(message)
    return "its content ends too early or is damaged" if line.startswith("Socket is closed") else line


def _messages(error: Exception) -> Iterator[str]:
    """The message of a throwable, and those of its causes, down to the first; of what a Python worker raised Spark 3.5
    has the message alone."""
    # Heavy, and not there where only files are listed.
    from pyspark.errors import PySparkException

    thrown: Any = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if thrown is None and isinstance(error, PySparkException):
        yield str(getattr(error, "_desc", None) or error)
    while thrown is not None:
        yield str(thrown.getMessage() or thrown.getClass().getSimpleName())
        thrown = thrown.getCause()


def one_line(message: str) -> str:
    """The first line, or of Python's traceback the last that is not a code of Spark's."""
    lines = [line for line in map(str.strip, message.strip().splitlines()) if line and not line.startswith("SQLSTATE")]
    lines = lines or ["no reason given"]
    return lines[-1] if "Traceback (most recent call last)" in message else lines[0]
