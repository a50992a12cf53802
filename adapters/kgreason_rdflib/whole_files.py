"""Files that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kgreason.errors import WriteError, one_line


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A stream to a file that takes its place when the body succeeds; until then, and after an error, what was there
    stays.

    Raises:
        WriteError: the file cannot be written.
    """
    try:
        part = path.with_name(f"{path.name}.part")
        try:
            with part.open("wb") as stream:
                yield stream
            part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        raise WriteError(f"cannot be written: {one_line(error)}", path=path) from error
