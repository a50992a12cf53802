"""Rows in quarantine, as lines of JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO

from kgreason_mapping.arrow.quads import Problem, json_line


class QuarantineFile:
    """A folder with a file of JSON lines, made when something comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[str] | None = None

    def take(self, source: str, problems: Sequence[Problem]) -> None:
        """Write what could not become quads."""
        if not problems:
            return
        if self._file is None:
            self._folder.mkdir()
            self._file = (self._folder / "part-00000.json").open("w", encoding="utf-8", errors="replace")
        self._file.writelines(json_line(source, problem) for problem in problems)

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()
