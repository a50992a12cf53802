"""RDF files, and encoded triples, to columns of ids: everything is read before anything is handed on.

A malformed file raises one LoadError that names the file, the line and the reason; then nothing has changed, not even
the dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, TypedDict, Unpack

from kgreason import progress
from kgreason.access import NOTHING, Access
from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.contents import Source
from kgreason.io.documents import Document, documents_of
from kgreason.io.formats import format_of
from kgreason.io.gathered import Gathered
from kgreason.io.imports import Imports, read_imports
from kgreason.io.load_report import Loaded
from kgreason.io.parsed_documents import Progress
from kgreason.io.quads import Quads
from kgreason.io.streams import AsBytes, Readable


class Options(TypedDict, total=False):
    """Options of reading, for all formats.

    Attributes:
        base: what relative IRIs are relative to, each file's own IRI unless given.
        lenient: skip malformed lines of N-Triples and N-Quads, rows of tables, and whole documents in other formats,
            and count them.
        progress: told of each source how many triples were read from it so far.
        prefixes: takes those that the sources declare.
        columns: the names of three or four columns in Parquet, of subjects, predicates, objects and graphs, where they
            are not called so.
        terms: how terms are written in Parquet, "ntriples" or "plain"; told by the first predicate unless given.
    """

    base: str | None
    lenient: bool
    progress: Progress | None
    prefixes: dict[str, str] | None
    columns: Sequence[str] | None
    terms: str | None


class FileOptions(Options, total=False):
    """How to find files, too: see `gather_files`."""

    format: str | None
    default_format: str | None
    unfinished: bool
    access: Access
    imports: Imports | None
    knows: Callable[[str], bool]


def gather_files(
    sources: Sequence[Source],
    *,
    format: str | None = None,
    default_format: str | None = None,
    unfinished: bool = False,
    access: Access = NOTHING,
    imports: Imports | None = None,
    knows: Callable[[str], bool] = lambda iri: False,
    **options: Unpack[Options],
) -> Gathered:
    """Read files, streams, directories of encoded triples, and what counts in other directories and in zip archives
    (see `documents_of`), for any dictionary. What is compressed is told by its name or by what it begins with.

    Args:
        sources: what to read: paths, URLs, bytes and streams.
        format: of all files, told by their names or by what they begin with unless given.
        default_format: of files whose names do not tell theirs.
        unfinished: read a directory although something in it says that a job has not finished.
        access: which servers may be reached for URLs; files that are named need none.
        imports: what is done about ``owl:imports``; nothing, unless given.
        knows: whether there is an ontology of some name already, which then need not be imported.
        options: those of `Options`.

    Raises:
        AccessError: a server may not be reached.
        LoadError: a file is missing, unreadable, of an unknown format, or malformed; a job has not finished.

    Warns:
        ImportsWarning: an ontology that is imported is missing.
    """
    documents = documents_of(sources, every=bool(format or default_format), unfinished=unfinished, access=access)
    gathered = Gathered(wants_headers=imports is not None, **options)
    explicit, inferred = _parted(documents)
    announced = _announced(explicit)
    gathered.run(job for document in announced for job in gathered.document(document, format, default_format))
    if imports is not None and any(header.imports for _, header in gathered.headers):
        read_imports(gathered, documents, imports, access, knows)
    for directory, source in inferred.items():
        gathered.inferred(directory, source)
    return gathered


def gather_documents(documents: Sequence[Document], **options: Unpack[Options]) -> Gathered:
    """Read documents that were found already, for any dictionary."""
    gathered = Gathered(**options)
    gathered.run(job for document in documents for job in gathered.document(document, None))
    return gathered


def _announced(documents: Sequence[Document]) -> Iterator[Document]:
    """The documents, each of which is reported before it is read."""
    sizes = [document.size for document in documents] if progress.is_reporting() else []
    for number, document in enumerate(documents):
        if sizes:
            detail = f"file {number + 1:,} of {len(sizes):,}: {document.name}" if len(sizes) > 1 else document.name
            total = sum(sizes) if all(sizes) else None
            progress.begin("reading", detail, offset=sum(sizes[:number]), total=total)
        yield document


def _parted(documents: Sequence[Document]) -> tuple[Sequence[Document], dict[Path, Path]]:
    """All documents but directories of inferred triples; and of each of these the one that it follows from.

    Raises:
        LoadError: a directory of inferred triples without the explicit ones.
    """
    directories = [document.path for document in documents if document.is_directory]
    if not directories:
        return documents, {}
    # With Parquet, which takes 0.1 seconds to import.
    from kgreason.io.encoded.inferred_directory import explicit_of, is_inferred

    found = [path for path in directories if is_inferred(path)]
    others = [path for path in directories if path not in found]
    inferred = {path: explicit_of(path, others) for path in found}
    return [document for document in documents if document.content or document.path not in inferred], inferred


def load_files(sources: Sequence[Source], dictionary: Dictionary, **options: Unpack[FileOptions]) -> Loaded:
    """`gather_files` into a dictionary, which learns all terms when everything is read."""
    return gather_files(sources, **options).into(dictionary)


def gather_stream(
    stream: BinaryIO | bytes, *, format: str, source: str = "standard input", **options: Unpack[Options]
) -> Gathered:
    """Read one stream of a given format, for any dictionary; `source` names it in errors, the rest is as for
    `gather_files`."""
    opened = BytesIO(stream) if isinstance(stream, bytes) else stream
    gathered = Gathered(**options)
    known, again = format_of(format), _reopening(opened)
    gathered.run(gathered.stream(AsBytes(opened), known, options.get("base"), source, again=again))
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


def read_files(sources: Sequence[Source], dictionary: Dictionary, **options: Unpack[FileOptions]) -> Quads:
    """The quads of `load_files`."""
    return load_files(sources, dictionary, **options).quads


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


def _reopening(stream: BinaryIO) -> Callable[[], AbstractContextManager[Readable]] | None:
    """What goes back to where a stream is now; None where that cannot be done."""
    try:
        begin = stream.tell()
    except (AttributeError, OSError):
        return None

    @contextmanager
    def again() -> Iterator[Readable]:
        stream.seek(begin)
        yield AsBytes(stream)

    return again
