"""RDF files, and encoded triples, to columns of ids: everything is read before anything is handed on.

A malformed file raises one LoadError that names the file, the line and the reason; then nothing has changed, not even
the dictionary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, TypedDict, Unpack

from kgreason.encoded.manifest import is_encoded
from kgreason.errors import LoadError
from kgreason.loading.formats import format_of, is_rdf_file
from kgreason.loading.gathering import Gathered
from kgreason.loading.parsed import Progress
from kgreason.loading.quads import Quads
from kgreason.loading.report import Loaded
from kgreason.loading.streams import AsBytes
from kgreason.terms.dictionary import Dictionary


class Options(TypedDict, total=False):
    """How to read, whatever it is.

    Attributes:
        base: what relative IRIs are relative to, each file's own IRI unless given.
        lenient: skip malformed lines of N-Triples and N-Quads, and count them.
        progress: told of each source how many triples were read from it so far.
        prefixes: takes those that the sources declare.
    """

    base: str | None
    lenient: bool
    progress: Progress | None
    prefixes: dict[str, str] | None


def gather_files(paths: Sequence[str | Path], *, format: str | None = None, **options: Unpack[Options]) -> Gathered:
    """Read files, directories of encoded triples, and all RDF files in other directories, for any dictionary.

    Args:
        paths: what to read; compressed files are told by their names.
        format: of the files, told by each file's name unless given.
        options: those of `Options`.

    Raises:
        LoadError: a file is missing, unreadable, of an unknown format, or malformed.
    """
    gathered = Gathered(**options)
    gathered.run(job for path in _expanded(paths) for job in gathered.file(path, format))
    return gathered


def load_files(
    paths: Sequence[str | Path], dictionary: Dictionary, *, format: str | None = None, **options: Unpack[Options]
) -> Loaded:
    """`gather_files` into a dictionary, which learns all terms when everything is read."""
    return gather_files(paths, format=format, **options).into(dictionary)


def gather_stream(
    stream: BinaryIO | bytes, *, format: str, source: str = "standard input", **options: Unpack[Options]
) -> Gathered:
    """Read one stream of a given format, for any dictionary; `source` names it in errors, the rest is as for
    `gather_files`."""
    opened = BytesIO(stream) if isinstance(stream, bytes) else AsBytes(stream)
    gathered = Gathered(**options)
    gathered.run(gathered.stream(opened, format_of(format), options.get("base"), source))
    return gathered


def load_stream(
    stream: BinaryIO | bytes,
    dictionary: Dictionary,
    *,
    format: str,
    source: str = "standard input",
    **options: Unpack[Options],
) -> Loaded:
    """`gather_stream` into a dictionary."""
    return gather_stream(stream, format=format, source=source, **options).into(dictionary)


def read_files(
    paths: Sequence[str | Path], dictionary: Dictionary, *, format: str | None = None, **options: Unpack[Options]
) -> Quads:
    """The quads of `load_files`."""
    return load_files(paths, dictionary, format=format, **options).quads


def read_stream(
    stream: BinaryIO | bytes,
    dictionary: Dictionary,
    *,
    format: str,
    source: str = "standard input",
    **options: Unpack[Options],
) -> Quads:
    """The quads of `load_stream`."""
    return load_stream(stream, dictionary, format=format, source=source, **options).quads


def _expanded(paths: Sequence[str | Path]) -> Iterator[Path]:
    for given in paths:
        path = Path(given)
        if path.is_dir() and not is_encoded(path):
            files = sorted(file for file in path.rglob("*") if file.is_file() and is_rdf_file(file))
            if not files:
                raise LoadError(f"there are no RDF files in the directory {path}")
            yield from files
        elif not path.exists():
            raise LoadError(f"there is no file {path}")
        else:
            yield path
