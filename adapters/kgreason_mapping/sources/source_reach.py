"""Which files a mapping may name: a mapping may come from a stranger, and its sources are read with the owner's rights.

A source is in the folder of the inputs, or where no folder is given in that of the mapping or where the process is.
What leads out of these, by ``..``, an absolute path, a URI or a link, is refused, unless the owner has allowed the
folder. An input that the owner gives by the name of a source may be anywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from kgreason.access import Access
from kgreason.errors import MappingError
from kgreason_mapping.locations import is_relative, without_braces

_LOCAL_URI: Final = re.compile(r"file:(?://(?=/))?(?=/)")
_BETWEEN_NAMES: Final = re.compile(r"[/{},]")
_EXPECTED: Final = "a file there, an input of that name, or a folder that the owner allows"


def check_location(named: str, folders: Sequence[str], access: Access) -> None:
    """Refuse the location of a source, which may be a pattern of Hadoop, unless it is in one of some folders.

    Args:
        named: relative to one of the folders, a path, or a URI.
        folders: locations; empty for where the process is.
        access: which other folders of this machine may be read.

    Raises:
        MappingError: it leads elsewhere, or is a pattern that stands for too many locations.
    """
    # In a pattern, an escape stands for the character behind it, and braces for each of what is between them.
    plain = named.replace("\\", "")
    climbs = any(".." in _BETWEEN_NAMES.split(one) for one in (plain, *without_braces(plain)))
    if climbs or not (is_relative(named) or _is_in(named, folders) or _is_allowed(named, access)):
        raise _outside(named, folders)


def check_links(found: str, folders: Sequence[str], access: Access) -> None:
    """Refuse a file of this machine, or a folder with one, that is a link to somewhere else: a look at each entry.

    Args:
        found: the URI of what is there; other file systems have no links that Hadoop follows.
        folders, access: as above.

    Raises:
        MappingError: it leads elsewhere.
    """
    path = _local(found)
    if path is None:
        return
    real = [folder for each in folders if (folder := _local(each)) is not None]
    real = [os.path.realpath(folder) for folder in real]
    for each in (path, *_links_in(path)):
        target = os.path.realpath(each)
        if not (_is_in(target, real) or _is_allowed(target, access)):
            raise _outside(each, folders)


def _links_in(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(parent, name)
            if os.path.islink(path):
                yield path


def _is_in(place: str, folders: Sequence[str]) -> bool:
    whole = _comparable(place)
    return any(whole == folder or whole.startswith(folder.rstrip("/") + "/") for folder in map(_comparable, folders))


def _is_allowed(place: str, access: Access) -> bool:
    path = _local(place)
    return path is not None and any(
        Path(os.path.realpath(path)).is_relative_to(Path(folder).resolve()) for folder in access.folders
    )


def _comparable(place: str) -> str:
    """A location so that one which is below another begins with it."""
    path = _local(place)
    return place if path is None else os.path.normpath(path)


def _local(place: str) -> str | None:
    """The path on this machine, None on another file system."""
    if place.startswith("/") or (is_relative(place) and ":" not in place.partition("/")[0]):
        return os.path.abspath(place)
    match = _LOCAL_URI.match(place)
    return os.path.abspath(place[match.end() :]) if match else None


def _outside(named: str, folders: Sequence[str]) -> MappingError:
    shown = " or ".join(dict.fromkeys(folder or "the working directory" for folder in folders))
    return MappingError(f"its source {named!r} is outside of {shown}", expected=_EXPECTED)
