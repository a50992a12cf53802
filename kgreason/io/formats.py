"""RDF file formats and compressions, by file name."""

from __future__ import annotations

import bz2
import lzma
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from io import BufferedReader
from pathlib import PurePath
from typing import Final, TypeAlias

from pyoxigraph import RdfFormat

from kgreason.arrow import pa
from kgreason.errors import LoadError
from kgreason.io.hadoop_blocks import LZ4_MAGIC, HadoopBlocks
from kgreason.io.streams import Inflated, Readable


class OwlFormat(Enum):
    """The formats of ontologies that are not RDF: their triples are what the W3C maps them to."""

    FUNCTIONAL = "text/owl-functional"
    MANCHESTER = "text/owl-manchester"
    OWL_XML = "application/owl+xml"
    OBO = "text/obo"


Format: TypeAlias = RdfFormat | OwlFormat

_BY_NAME: Final[dict[str, Format]] = {
    "nt": RdfFormat.N_TRIPLES,
    "ntriples": RdfFormat.N_TRIPLES,
    "nq": RdfFormat.N_QUADS,
    "nquads": RdfFormat.N_QUADS,
    "ttl": RdfFormat.TURTLE,
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
    "rdf": RdfFormat.RDF_XML,
    "owl": RdfFormat.RDF_XML,
    "xml": RdfFormat.RDF_XML,
    "n3": RdfFormat.N3,
    "jsonld": RdfFormat.JSON_LD,
    "json": RdfFormat.JSON_LD,
    "json-ld": RdfFormat.JSON_LD,
    "ofn": OwlFormat.FUNCTIONAL,
    "owx": OwlFormat.OWL_XML,
    "omn": OwlFormat.MANCHESTER,
    "obo": OwlFormat.OBO,
}
_COMPRESSIONS: Final = {
    **{".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd", ".deflate": "deflate"},
    **{".lz4": "hadoop-lz4", ".snappy": "snappy"},
}
_MAGIC: Final = {
    **{b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"},
    LZ4_MAGIC: "lz4",
}
_LONGEST: Final = max(map(len, _MAGIC))
_PARQUET: Final = (".parquet", ".parq")
PARQUET_MAGIC: Final = b"PAR1"
_AMBIGUOUS: Final = frozenset((".xml", ".json"))
_ELEMENT: Final = re.compile(rb"<[^<>\s]+\s")


def format_of(name: str) -> Format:
    """The format of a name such as ``ttl``, ``turtle`` or ``application/rdf+xml``; LoadError when unknown."""
    known = _BY_NAME.get(name.lower().lstrip(".")) or format_of_media_type(name)
    if known is None:
        raise LoadError(f"unknown RDF format {name!r}; known are {', '.join(_BY_NAME)}")
    return known


def rdf_format_of(name: str) -> RdfFormat:
    """The format of RDF of a name, which can be written; LoadError for another."""
    known = format_of(name)
    if isinstance(known, OwlFormat):
        raise LoadError(f"{name} is not a format of RDF")
    return known


def format_of_media_type(name: str) -> Format | None:
    """The format that a server tells; None for an unknown one."""
    owl = {format.value: format for format in OwlFormat}
    return owl.get(name.partition(";")[0].strip().lower()) or RdfFormat.from_media_type(name)


def format_of_path(path: PurePath) -> Format | None:
    """The format that a file name tells, compression aside; None for an unknown one."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    return _BY_NAME.get(suffixes[-1][1:]) if suffixes else None


def is_ambiguous(path: PurePath) -> bool:
    """Whether a name that tells a format may as well stand for something else: ``.xml`` and ``.json``."""
    return bool({suffix.lower() for suffix in path.suffixes[-2:]} & _AMBIGUOUS)


def is_table(path: PurePath) -> bool:
    """Whether a file is Parquet by its name."""
    return path.suffix.lower() in _PARQUET


def is_rdf_file(path: PurePath) -> bool:
    """Whether a file in a folder is RDF, or a table of it, by its name; OBO is what beside it is OWL, as a rule."""
    known = format_of_path(path)
    return is_table(path) or (known not in (None, OwlFormat.OBO) and not is_ambiguous(path))


@contextmanager
def decompressed(stream: BufferedReader, name: PurePath) -> Iterator[Readable]:
    """A stream, decompressed as its name says, or its first bytes where the name says nothing; Arrow's readers notice
    when .gz and .zst break off.

    Raises:
        EOFError: a compressed stream that is empty, or cut off.
        OSError: it cannot be read.
        lzma.LZMAError, zlib.error: it is damaged.
    """
    suffix = name.suffix.lower()
    if suffix in _COMPRESSIONS and not stream.peek(1):
        raise EOFError("there is nothing in it")
    with ExitStack() as stack:
        compression = _COMPRESSIONS.get(suffix)
        if compression in (None, "hadoop-lz4"):
            compression = compression_of(stream.peek(_LONGEST)[:_LONGEST]) or compression
        match compression:
            case None:
                yield stream
            case "deflate":
                yield Inflated(stream)
            case "hadoop-lz4" | "snappy":
                yield HadoopBlocks(stream, compression.removeprefix("hadoop-"))
            case "bz2":
                yield stack.enter_context(bz2.open(stream))
            case "xz":
                yield stack.enter_context(lzma.open(stream))
            case _:
                source = pa.PythonFile(stream, "r")
                yield stack.enter_context(pa.CompressedInputStream(source, compression))


def compression_of(beginning: bytes) -> str | None:
    """The compression of a file that begins so; None for an unknown one."""
    return next((compression for magic, compression in _MAGIC.items() if beginning.startswith(magic)), None)


def looks_like_turtle(beginning: bytes) -> bool:
    """Whether a file that could be RDF/XML is Turtle: OWL tools write either under the same name."""
    stripped = beginning.lstrip(b"\xef\xbb\xbf \t\r\n")
    # The first element has attributes, at least the namespaces; an IRI has no blanks.
    is_xml = stripped.startswith((b"<?", b"<!")) or _ELEMENT.match(stripped) is not None
    return not (stripped.startswith(b"<") and is_xml)
