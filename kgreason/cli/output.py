"""What comes out: triples of a view into a file that appears whole or not at all, or into stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from kgreason.cli.reporting import UsageError

if TYPE_CHECKING:
    from kgreason.knowledge.view import TripleView
    from kgreason.terms.dictionary import Dictionary
    from kgreason.terms.model import Term

    Triple: TypeAlias = tuple[Term, Term, Term]

FORMATS = {".nt": "nt", ".ttl": "ttl", ".rdf": "rdf", ".xml": "rdf", ".owl": "rdf"}
BLOCK = 1 << 16


def output_format(path: Path | None, named: str | None) -> str:
    """The format that was named, or else the one of the extension, N-Triples for stdout.

    Raises:
        UsageError: there is no such format.
    """
    if named is not None:
        if named not in FORMATS.values():
            raise UsageError(f"unknown output format {named}; there are nt, ttl and rdf")
        return named
    if path is None:
        return "nt"
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        raise UsageError(
            f"{path}: unknown extension; use one of {', '.join(FORMATS)} or --output-format"
        ) from None


def check_target(path: Path | None) -> None:
    """Refuse, before anything long begins, a file that cannot be written.

    Raises:
        UsageError: its directory does not exist, or it is a directory itself.
    """
    if path is not None and path.is_dir():
        raise UsageError(f"{path}: is a directory")
    if path is not None and not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: its directory does not exist")


def decoded(view: TripleView, dictionary: Dictionary) -> Iterator[Triple]:
    """The triples of a view as terms, in blocks, so that memory stays flat."""
    decode = dictionary.decode
    for subjects, predicates, objects in view.match(None, None, None):
        for start in range(0, len(subjects), BLOCK):
            block = slice(start, start + BLOCK)
            yield from zip(
                map(decode, subjects[block].tolist()),
                map(decode, predicates[block].tolist()),
                map(decode, objects[block].tolist()),
                strict=True,
            )


@contextmanager
def written(path: Path | None) -> Iterator[BinaryIO]:
    """A stream for the output: stdout, or a file that takes its place when the body succeeds.

    Until then, and after an error, what was at `path` stays. Devices and pipes are written directly.
    """
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    path = path.resolve()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as stream:
            yield stream
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
