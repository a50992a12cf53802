"""RDF file formats and compressions, by file name."""

from __future__ import annotations

import bz2
import lzma
from pathlib import Path
from typing import BinaryIO, Final, cast

import pyarrow
from pyoxigraph import RdfFormat

from kgreason.errors import LoadError

_BY_NAME: Final[dict[str, RdfFormat]] = {
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
}
_COMPRESSIONS: Final = frozenset((".gz", ".bz2", ".xz", ".zst"))


def format_of(name: str) -> RdfFormat:
    """The format of a name such as ``ttl``, ``turtle`` or ``application/rdf+xml``; LoadError when unknown."""
    known = _BY_NAME.get(name.lower().lstrip(".")) or RdfFormat.from_media_type(name)
    if known is None:
        raise LoadError(f"unknown RDF format {name!r}; known are {', '.join(_BY_NAME)}")
    return known


def format_of_path(path: Path) -> RdfFormat | None:
    """The format that a file name tells, compression aside; None when it tells none."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    return _BY_NAME.get(suffixes[-1][1:]) if suffixes else None


def is_rdf_file(path: Path) -> bool:
    """Whether a file in a folder is RDF by its name: ``.xml`` and ``.json`` alone may be anything."""
    suffixes = {suffix.lower() for suffix in path.suffixes[-2:]}
    return format_of_path(path) is not None and not suffixes & {".xml", ".json"}


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading, decompressed as its name says; Arrow's readers notice when .gz and .zst break off.

    Raises:
        EOFError: a compressed file of no bytes at all.
    """
    suffix = path.suffix.lower()
    if suffix in _COMPRESSIONS and not path.stat().st_size:
        raise EOFError("there is nothing in it")
    match suffix:
        case ".gz" | ".zst":
            # Python says more clearly than Arrow why a file cannot be opened.
            path.open("rb").close()
            return cast(BinaryIO, pyarrow.input_stream(str(path), compression="gzip" if suffix == ".gz" else "zstd"))
        case ".bz2":
            return cast(BinaryIO, bz2.open(path))
        case ".xz":
            return cast(BinaryIO, lzma.open(path))
    return path.open("rb")


def looks_like_turtle(beginning: bytes) -> bool:
    """Whether a file that could be RDF/XML is Turtle: OWL tools write either under the same name."""
    stripped = beginning.lstrip(b"\xef\xbb\xbf \t\r\n")
    is_xml = stripped.startswith((b"<?", b"<!")) or b"<rdf:RDF" in beginning
    return not (stripped.startswith(b"<") and is_xml)
