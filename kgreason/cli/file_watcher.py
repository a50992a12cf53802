"""Files that change, noticed by asking the file system now and then: on every system, network folders too.

A file counts as changed when it is another one than was handled last, by its times, size or inode, and has stayed the
same from one look to the next: a file that is being written is left alone, and so is the moment in which an editor
replaces a file by another one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from kgreason.errors import LoadError
from kgreason.io.documents import documents_of

Signature: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class FileChanges:
    """The files that are new or changed, those that are gone from a directory, and those that are missing though they
    were named."""

    changed: tuple[str, ...]
    gone: tuple[str, ...]
    missing: tuple[str, ...]


class FileWatcher:
    """Looks at files, and at what counts in directories."""

    def __init__(self, paths: Sequence[str], *, unfinished: bool = False) -> None:
        """`unfinished` is as for `documents_of`."""
        self._paths = paths
        self._unfinished = unfinished
        self._handled: dict[str, Signature] = {}
        self._seen: dict[str, Signature] = {}

    def start(self) -> tuple[str, ...]:
        """All files as they are now, which count as handled."""
        self._handled = self._seen = dict(self._look())
        return tuple(self._handled)

    def changes(self) -> FileChanges:
        """What has changed since the files were handled last, which counts as handled then."""
        now = dict(self._look())
        changed = [name for name in now if now[name] != self._handled.get(name) and now[name] == self._seen.get(name)]
        absent = [name for name in self._handled if name not in now and name not in self._seen]
        for name in changed:
            self._handled[name] = now[name]
        for name in absent:
            del self._handled[name]
        self._seen = now
        missing = tuple(name for name in absent if name in self._paths)
        return FileChanges(tuple(changed), tuple(name for name in absent if name not in missing), missing)

    def _look(self) -> Iterator[tuple[str, Signature]]:
        for path in self._paths:
            for name in self._names(path):
                try:
                    found = os.stat(name)
                except OSError:
                    continue
                if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for
                    continue
                yield name, (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)

    def _names(self, path: str) -> list[str]:
        if not Path(path).is_dir():
            return [path]
        try:
            return [document.name for document in documents_of([path], unfinished=self._unfinished)]
        except (LoadError, OSError):  # nothing to read in it, for now
            return []
