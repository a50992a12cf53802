"""Proofs as documents: lines of `provenance` in N-Triples, N-Quads, Turtle, TriG or JSON-LD, one step at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO, RawIOBase
from typing import IO, Any, Final, cast

import pyoxigraph
from pyoxigraph import RdfFormat

from kgreason import progress
from kgreason.errors import OptionError, WriteError, quoted
from kgreason.proofs.provenance import REIFICATIONS, STATEMENTS, TRIPLE_TERMS
from kgreason.rdf.prefixes import declarable
from kgreason.rdf.vocabulary import PROOF, PROV, SHACL, STANDARD_PREFIXES

_FORMATS: Final = {
    "nt": RdfFormat.N_TRIPLES, "nq": RdfFormat.N_QUADS, "ttl": RdfFormat.TURTLE, "trig": RdfFormat.TRIG,
    "jsonld": RdfFormat.JSON_LD,
}  # fmt: skip
PROOF_FORMATS: Final = tuple(_FORMATS)
_PREFIXES: Final = {
    **STANDARD_PREFIXES, "prov": PROV, "sh": SHACL, "proof": PROOF, "step": "urn:x-kgreason:step:",
    "rule": "urn:x-kgreason:rule:",
}  # fmt: skip
_AT_ONCE: Final = 1 << 12


def reification_for(format: str, wanted: str | None = None) -> str:
    """How triples are reified in a format: by triple terms where it has them, unless something else is wanted.

    Raises:
        OptionError: an unknown format or reification, or triple terms in JSON-LD.
    """
    if format not in _FORMATS:
        raise OptionError(f"unknown format {quoted(format)}", "format", format, expected=", ".join(PROOF_FORMATS))
    if wanted is not None and wanted not in REIFICATIONS:
        known = ", ".join(REIFICATIONS)
        raise OptionError(f"unknown reification {quoted(wanted)}", "reification", wanted, expected=known)
    if format == "jsonld" and wanted == TRIPLE_TERMS:
        raise OptionError("JSON-LD has no triple terms", "reification", wanted, expected=STATEMENTS)
    return wanted or (STATEMENTS if format == "jsonld" else TRIPLE_TERMS)


def write_document(lines: Iterable[str], out: IO[bytes], format: str, namespaces: Mapping[str, str]) -> None:
    """Write lines of N-Triples in a format of `PROOF_FORMATS`, as they come.

    Raises:
        WriteError: an IRI that no format can have.
    """
    chosen = _FORMATS[format]
    if chosen == RdfFormat.N_TRIPLES:
        out.writelines(line.encode() for line in _counted(lines))
        return
    try:
        quads = pyoxigraph.parse(cast("IO[bytes]", _Lines(_counted(lines))), format=RdfFormat.N_TRIPLES)
        statements = quads if chosen.supports_datasets else (quad.triple for quad in quads)
        pyoxigraph.serialize(statements, output=out, format=chosen, prefixes={**declarable(namespaces), **_PREFIXES})
    except (ValueError, SyntaxError) as error:
        raise WriteError(f"cannot be written as {chosen.name}: {error}") from error
    if chosen == RdfFormat.JSON_LD:
        out.write(b"\n")


def document(lines: Iterable[str], format: str, namespaces: Mapping[str, str] = STANDARD_PREFIXES) -> str:
    """The text of a document that `write_document` writes."""
    stream = BytesIO()
    write_document(lines, stream, format, namespaces)
    return stream.getvalue().decode()


def _counted(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number % _AT_ONCE == 0:
            progress.advance(number)
        yield line


class _Lines(RawIOBase):
    """Lines of text as a stream of bytes that is read once."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._left = b""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0 at the end."""
        while not self._left:
            line = next(self._lines, None)
            if line is None:
                return 0
            self._left = line.encode()
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count
