"""From what a user names to documents: which files are read, and which of them share their blank nodes.

A file is a document of its own, and so are all parts of one job together (`job_directories`), whether they are found in
a directory or named one by one. A zip archive is read like a directory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Final, TypeAlias
from uuid import uuid4

from kgreason import progress
from kgreason.access import NOTHING, Access
from kgreason.errors import LoadError
from kgreason.io.archives import is_archive, is_archive_file, members_of
from kgreason.io.contents import Allowance, Allowed, Content, Source, Stream, buffered
from kgreason.io.directory_files import choose_files, listed_files
from kgreason.io.formats import decompressed, format_of_path
from kgreason.io.job_directories import is_part, job_root, partition_values
from kgreason.io.streams import Measured, Readable, whole_content

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]+://|file:/", re.IGNORECASE)
_FILE: Final = re.compile(r"file:/", re.IGNORECASE)
_TEXT: Final = re.compile(r"\n|^\s*(?:<|\{|@prefix\s|@base\s|prefix\s+\S*:\s*<)", re.IGNORECASE)
"""How text of RDF begins, or goes on, and hardly a path."""
Choose: TypeAlias = Callable[..., Sequence[str]]
"""`choose_files` with its options."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file, or a directory of encoded triples, to be read; or some other content under the name `path`."""

    path: Path
    scope: str | None = None
    """What goes before the labels of blank nodes in all parts of a job; None for what is a document of its own."""
    content: Content | None = None

    @property
    def name(self) -> str:
        """What errors and reports call it."""
        return str(self.path) if self.content is None else self.content.name

    @property
    def base(self) -> str | None:
        """What relative IRIs in it are relative to."""
        return self.path.absolute().as_uri() if self.content is None else self.content.base

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory of encoded triples."""
        return self.content is None and self.path.is_dir()

    @property
    def partition(self) -> dict[str, str | None]:
        """The columns that the folders of the file stand for."""
        path = self.path.absolute()
        return partition_values(path.relative_to(job_root(path.as_posix())).as_posix())

    @property
    def again(self) -> Callable[[], AbstractContextManager[Readable]] | None:
        """What opens it once more, None where that cannot be done."""
        return self.opened if self.content is None or self.content.read_again else None

    @property
    def size(self) -> int:
        """The bytes of the file as it is on disk, 0 where that is unknown."""
        return self.path.stat().st_size if self.content is None and self.path.is_file() else 0

    @contextmanager
    def opened(self) -> Iterator[Readable]:
        """Its content, decompressed as its name or its first bytes say; see `decompressed` for what this raises."""
        with ExitStack() as stack:
            if self.content is None:
                file = stack.enter_context(self.path.open("rb"))
                content = stack.enter_context(decompressed(file, self.path))
                yield Measured(content, file.tell) if progress.is_reporting() else content
                return
            raw = stack.enter_context(self.content.open())
            stream = stack.enter_context(decompressed(buffered(raw), self.path))
            allowance = self.content.allowance
            yield stream if allowance is None else Allowed(stream, allowance, self.content.name)


def documents_of(
    sources: Sequence[Source], *, every: bool = False, unfinished: bool, access: Access = NOTHING
) -> list[Document]:
    """The documents that some sources stand for: files, streams and directories of encoded triples as they are, in
    other directories and in archives what counts: parts of jobs, and files whose names tell RDF or Parquet.

    Args:
        sources: paths of files and directories, URLs, bytes and streams.
        every: read all visible files of a directory where no name tells anything.
        unfinished: read directories although something in them says that a job has not finished.
        access: which servers may be reached for URLs.

    Raises:
        AccessError: a server may not be reached.
        LoadError: there is nothing at a path, nothing to read in a directory, or a job in it has not finished.
    """
    choose = partial(choose_files, every=every, unfinished=unfinished)
    found = [
        document
        for number, source in enumerate(sources, 1)
        for document in _documents_of_source(source, number, choose, access)
    ]
    return _with_scopes(found)


def documents_at_iri(iri: str, access: Access) -> list[Document]:
    """The document that an IRI leads to, or what counts in the archive there; files, too, ask the access.

    Raises:
        AccessError: it may not be reached for.
        LoadError: it cannot be fetched.
    """
    choose = partial(choose_files, every=False, unfinished=False)
    return _with_scopes(_documents_of_fetched(iri, access, choose))


def _with_scopes(found: Iterable[Document]) -> list[Document]:
    scopes: dict[str, str] = {}
    return [_with_scope(document, scopes) for document in found]


def _with_scope(document: Document, scopes: dict[str, str]) -> Document:
    has_neighbours = document.content is None or document.content.in_archive
    if not (has_neighbours and is_part(document.path.name)):
        return document
    root = job_root(document.path.absolute().as_posix())
    return replace(document, scope=scopes.setdefault(root, f"b{uuid4().hex}"))


def _documents_of_source(source: Source, number: int, choose: Choose, access: Access) -> Iterator[Document]:
    match source:
        case bytes() | bytearray() | memoryview():
            yield from _documents_of_stream(BytesIO(source), f"argument {number} (bytes)", choose)
        case Stream(stream, name):
            yield from _documents_of_stream(stream, name, choose)
        case "":  # which Path would take for the current directory
            raise LoadError(f"argument {number}: an empty path (expected the path of a file or a directory)")
        case str() if _FILE.match(source):
            yield from _documents_at(_path_of_url(source), choose)
        case str() if is_remote(source):
            yield from _documents_of_fetched(source, access, choose)
        case str() if _TEXT.search(source) and not os.path.lexists(source):
            raise LoadError(f"argument {number} is text, not a path (expected text as bytes: `text.encode()`)")
        case str() | os.PathLike():
            yield from _documents_at(Path(source), choose)
        case _ if hasattr(source, "read"):
            yield from _documents_of_stream(source, _name_of_stream(source, number), choose)
        case _:
            expected = "a path, a URL, bytes, or a stream"
            if isinstance(source, list | tuple | set):
                expected += "; several sources are several arguments"
            raise TypeError(f"argument {number} is of type {type(source).__name__} (expected {expected})")


def is_url(source: str) -> bool:
    """Whether a source is not the path of a file, but the URL of a document."""
    return _URL.match(source) is not None


def is_remote(source: str) -> bool:
    """Whether a source is the URL of a document that a server has."""
    return is_url(source) and not _FILE.match(source)


def _path_of_url(url: str) -> Path:
    """The path of a ``file:`` URL."""
    # Heavy: HTTP and mail headers, on some systems.
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise LoadError(f"not an address: {error}", path=url) from None
    path = url2pathname(parts.path)
    if parts.netloc not in ("", "localhost") or parts.query or "\0" in path:
        raise LoadError("not a file of this machine", path=url)
    return Path(path)


def _documents_at(path: Path, choose: Choose) -> Iterator[Document]:
    if os.path.isdir(path):  # unlike that of a path, it takes all names
        encoded, names = listed_files(path)
        files = [path / name for name in choose(path, names, has_more=bool(encoded))]
        yield from map(Document, sorted([*files, *encoded]))
    elif not os.path.exists(path):
        raise LoadError("no such file or directory", path=path)
    elif is_archive_file(path, format_of_path(path) is not None):
        yield from _members(path, path, str(path), path.absolute().as_uri(), choose)
    else:
        yield Document(path)


def _documents_of_stream(stream: IO[bytes] | IO[str], name: str, choose: Choose) -> Iterator[Document]:
    """A stream, or the members of the archive in it: those need all of it at hand, as their list is at its end."""
    begin = _position(stream)
    own = buffered(stream)
    if is_archive(own.peek(4)[:4]):
        yield from _members(BytesIO(whole_content(own, "an archive from a stream")), Path(name), name, None, choose)
        return
    if begin is None:
        content = Content(name, lambda: nullcontext(own), read_again=False)
    else:
        content = Content(name, partial(_rewound, stream, begin))
    yield Document(Path(name), content=content)


def _documents_of_fetched(iri: str, access: Access, choose: Choose) -> Iterator[Document]:
    # Heavy: HTTP, TLS and mail headers, for stores that may reach for servers.
    from kgreason.io.remote_documents import fetch_document

    found = fetch_document(iri, access)
    if is_archive(found.data):
        name, base = found.content.name, found.content.base
        yield from _members(BytesIO(found.data), found.path, name, base, choose, found.content.allowance)
    else:
        yield Document(found.path, content=found.content)


def _members(
    source: Path | BytesIO,
    path: Path,
    name: str,
    base: str | None,
    choose: Choose,
    allowance: Allowance | None = None,
) -> Iterator[Document]:
    chosen = partial(choose, path)
    for member, content in members_of(source, name, base, chosen, allowance):
        # The name of a member may be any text: it is put behind the path, and never leads out of it.
        yield Document(Path(f"{path}/{member}"), content=content)


def _position(stream: IO[bytes] | IO[str]) -> int | None:
    """Where a stream is, None for one that cannot go back."""
    try:
        return stream.tell() if stream.seekable() else None
    except (AttributeError, OSError, ValueError):
        return None


@contextmanager
def _rewound(stream: IO[bytes] | IO[str], begin: int) -> Iterator[Readable]:
    stream.seek(begin)
    yield buffered(stream)


def _name_of_stream(stream: object, number: int) -> str:
    """The name that a stream has, or its place among the arguments."""
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) and name and not name.startswith("<") else f"argument {number} (stream)"
