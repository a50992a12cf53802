"""Places of files and directories as Hadoop names them: URIs with a scheme, or paths on the file system by default.

No path class of this machine may touch them: ``pathlib`` makes ``s3a:/b`` of ``s3a://b``. As in Hadoop, a name in a
location stands for itself, ``%20`` too; Spark's lists of files, and IRIs in mappings, have such characters escaped.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import Final, TypeAlias
from urllib.parse import quote, unquote

from kgreason.errors import MappingError

Location: TypeAlias = str | os.PathLike[str]
"""A location as callers give it: a URI or a path as text, or a path object, which is one of this machine."""

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")
_LOCAL_URI: Final = re.compile(r"file:(?://(?=/))?(?=/)")
_GLOB: Final = re.compile(r"([{}\[\]*?\\,])")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_BRACES: Final = re.compile(r"(?<!\\)\{((?:[^{}\\]|\\.)*)\}")
_MOST_CHOICES: Final = 10_000
_SAFE: Final = "/:@!$&'()*+,;=~"


def location(given: Location) -> str:
    """A location as text; a path object is one of this machine, with any default file system."""
    return given if isinstance(given, str) else f"file://{os.path.abspath(os.fspath(given))}"


def is_uri(place: str) -> bool:
    """Whether a location has a scheme."""
    return _SCHEME.match(place) is not None


def is_relative(place: str) -> bool:
    """Whether a location needs a directory that it begins at."""
    return not is_uri(place) and not place.startswith("/")


def joined(directory: str, relative: str) -> str:
    """A location in a directory, which may be empty for where the process is."""
    if not directory or not is_relative(relative):
        return relative
    return directory + relative if directory.endswith("/") else f"{directory}/{relative}"


def folder_of(place: str) -> str:
    """The directory that a file is in; empty where its path does not say."""
    folder, slash, _ = place.rpartition("/")
    return folder if folder and not folder.endswith(("/", ":")) else folder + slash


def suffix_of(place: str) -> str:
    """The ending of the last name, with its point, in lower case; empty where it has none."""
    return posixpath.splitext(place.rstrip("/"))[1].lower()


def as_iri(place: str) -> str:
    """A location as an IRI, the base of relative ones in a document that is there."""
    scheme, colon, path = place.partition(":") if is_uri(place) else ("file", ":", f"//{os.path.abspath(place)}")
    return f"{scheme}{colon}{quote(path, safe=_SAFE)}"


def of_iri(iri: str) -> str:
    """The location that an IRI or an entry of Spark's lists of files stands for."""
    return unquote(iri)


def shown(uri: str) -> str:
    """How errors call a file of Spark's lists: a path for one of this machine."""
    return _LOCAL_URI.sub("", unquote(uri))


def pattern_of(place: str) -> str:
    """What to give to Spark's readers, which take locations for patterns, for exactly one location."""
    return _GLOB.sub(r"\\\1", place)


def name_of(pattern: str) -> str:
    """The location that a pattern means where it is taken as it is written, but for its escapes."""
    return _ESCAPED.sub(r"\1", pattern)


def without_braces(pattern: str) -> list[str]:
    """The patterns that one with braces stands for, in order: ``a.csv`` and ``b.csv`` for ``{a,b}.csv``.

    Raises:
        MappingError: they are more than anyone writes on purpose.
    """
    patterns = [pattern]
    while any(found := [_BRACES.search(one) for one in patterns]):
        patterns = [choice for one, braces in zip(patterns, found, strict=True) for choice in _choices(one, braces)]
        if len(patterns) > _MOST_CHOICES:
            reason = f"a pattern that stands for more than {_MOST_CHOICES:,} locations"
            raise MappingError(reason, path=pattern, expected="fewer braces")
    return patterns


def _choices(pattern: str, braces: re.Match[str] | None) -> list[str]:
    if braces is None:
        return [pattern]
    before, after = pattern[: braces.start()], pattern[braces.end() :]
    return [f"{before}{choice}{after}" for choice in braces[1].split(",")]
