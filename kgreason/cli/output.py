"""Where output goes: a file that appears whole or not at all, or stdout."""

from __future__ import annotations

import errno
import gzip
import io
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

from kgreason.arrow import pa
from kgreason.cli.error_lines import UsageError, check_stdout
from kgreason.errors import WriteError, one_line

NAMES: Final = ("nt", "nq", "ttl", "trig", "n3", "rdf", "jsonld")
_NO_MORE: Final = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
COMPRESSIONS: Final = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


def output_format(path: Path | None, named: str | None) -> str:
    """The format that was named, or else the one of the extension, compression aside; N-Triples for stdout.

    Raises:
        UsageError: an unknown format.
    """
    from kgreason.errors import LoadError
    from kgreason.io.formats import OwlFormat, format_of_path, rdf_format_of

    if named is None and path is None:
        return "nt"
    try:
        found = rdf_format_of(named) if named is not None else format_of_path(cast(Path, path))
    except LoadError:
        raise UsageError(f"unknown output format {named}; there are {', '.join(NAMES)}") from None
    if found is None or isinstance(found, OwlFormat):
        known = ", ".join(f".{name}" for name in NAMES)
        raise UsageError(f"unknown extension; use one of {known} or --output-format", path=path)
    return found.file_extension


def chosen_format(
    named: str | None, path: Path | None, formats: Sequence[str], endings: Mapping[str, str]
) -> str | None:
    """The format of `--format`, or the one that the ending of a name tells, compression aside; None without a name or
    an ending.

    Raises:
        UsageError: the format is none of `formats`, or the ending none of `endings`.
    """
    if named is not None:
        if named not in formats:
            raise UsageError(f"unknown format {named}; there are {', '.join(formats)}")
        return named
    if path is None:
        return None
    name = path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path
    if not name.suffix:
        return None
    if name.suffix.lower() not in endings:
        raise UsageError(f"unknown extension; use one of {', '.join(endings)} or --format", path=path)
    return endings[name.suffix.lower()]


def check_target(path: Path | None) -> None:
    """Refuse, before anything long begins, a file that cannot be written.

    Raises:
        UsageError: its directory does not exist, or it is a directory itself.
    """
    if path is not None and path.is_dir():
        raise UsageError("is a directory", path=path)
    if path is not None and not path.absolute().parent.is_dir():
        raise UsageError("its directory does not exist", path=path)


def check_new_directory(path: Path) -> None:
    """Refuse, before anything long begins, a directory that has something in it, or that cannot be made.

    Raises:
        UsageError: it is a file, it is not empty, or its parent does not exist.
    """
    if path.exists() and not path.is_dir():
        raise UsageError("is a file; a directory will be made", path=path)
    if path.is_dir() and any(path.iterdir()):
        raise UsageError("there is something in it; give a new directory", path=path)
    if not path.absolute().parent.is_dir():
        raise UsageError("its parent directory does not exist", path=path)


@contextmanager
def written_directory(path: Path) -> Iterator[Path]:
    """A directory to fill, which takes its place when the body succeeds, and is gone when it does not."""
    path = path.absolute()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        _make(part, path)
        yield part
        part.replace(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def written(path: Path | None) -> Iterator[BinaryIO]:
    """A stream for the output: stdout, or a file that takes its place when the body succeeds.

    Until then, and after an error, what was at `path` stays. Devices and pipes are written directly.
    """
    if path is None:
        check_stdout()
        with _named("stdout"), _whole_writes(sys.stdout.buffer) as stream:
            yield stream
        return
    if path.exists() and not path.is_file():
        with _named(path), path.open("wb") as stream:
            yield stream
        return
    path = path.resolve()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _named(path), _opened(part, path) as stream:
            if path.suffix.lower() in COMPRESSIONS:
                with _compressed(stream, COMPRESSIONS[path.suffix.lower()]) as compressed:
                    yield compressed
            else:
                yield stream
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _named(path: Path | str) -> Iterator[None]:
    """Have the error of a disk that takes no more name what was written, which a write itself does not."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_MORE or error.filename is not None:
            raise
        raise WriteError(f"cannot be written: {one_line(error)}", path=path) from error


def _opened(part: Path, path: Path) -> BinaryIO:
    """The file that becomes the one at `path`, which errors name."""
    try:
        return part.open("wb")
    except OSError as error:
        raise WriteError(f"cannot be written: {one_line(error)}", path=path) from error


def _make(part: Path, path: Path) -> None:
    """Make the directory that becomes the one at `path`, which errors name."""
    try:
        part.mkdir()
    except OSError as error:
        raise WriteError(f"cannot be made: {one_line(error)}", path=path) from error


@contextmanager
def _whole_writes(stream: BinaryIO) -> Iterator[BinaryIO]:
    """The same stream, buffered also where Python runs unbuffered: a raw one may write a part in silence."""
    if not isinstance(stream, io.RawIOBase):
        yield stream
        stream.flush()
        return
    buffered = io.BufferedWriter(stream)
    try:
        yield buffered
        buffered.flush()
    finally:
        buffered.detach()


def _compressed(stream: BinaryIO, compression: str) -> AbstractContextManager[BinaryIO]:
    """A stream that compresses what is written to it; what is written twice is the same byte for byte."""
    if compression == "gzip":
        return cast("AbstractContextManager[BinaryIO]", gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0))
    return cast("AbstractContextManager[BinaryIO]", pa.CompressedOutputStream(pa.PythonFile(stream, "w"), compression))
