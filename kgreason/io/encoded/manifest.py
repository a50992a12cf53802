"""The manifest of encoded triples: counts, and each file with its size and checksum."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from kgreason import memory
from kgreason.errors import LoadError, one_line

MANIFEST: Final = "manifest.json"
DICTIONARY: Final = "dictionary"
TRIPLES: Final = "triples"
PREDICATE: Final = "predicate="
VERSION: Final = 1

_ROW: Final = 8
"""Bytes of an id."""

_FORMAT: Final = "kgreason encoded triples"


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How many terms of each kind; their ids follow in this order, from `first` on."""

    iris: int = 0
    blank_nodes: int = 0
    literals: int = 0
    first: int = 0
    triple_terms: int = 0

    @classmethod
    def of_sizes(cls, sizes: Sequence[int]) -> TermCounts:
        """The counts of IRIs, blank nodes, literals and triple terms."""
        iris, blank_nodes, literals, triple_terms = sizes
        return cls(iris, blank_nodes, literals, triple_terms=triple_terms)

    @property
    def first_literal(self) -> int:
        """The id from which on all terms are literals or triple terms."""
        return self.first + self.iris + self.blank_nodes

    def __len__(self) -> int:
        return sum(self.sizes)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """The counts in the order of the kinds."""
        return self.iris, self.blank_nodes, self.literals, self.triple_terms


@dataclass(frozen=True, slots=True)
class EncodedFile:
    """A file by its path relative to the directory, its rows and bytes, and the SHA-256 of its content."""

    path: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DerivedFrom:
    """What inferred triples follow from, and under which rules.

    `place` is the directory of the explicit triples when they were derived, `manifest` the SHA-256 of the text of its
    manifest; `rules` is the digest of the program, `version` that of the software that derived them, and `definitions`
    the SHA-256 of ``definitions.json``, None where closures are written out as triples.
    """

    place: str
    manifest: str
    rules: str
    version: str
    definitions: str | None = None

    def __post_init__(self) -> None:
        texts = (self.place, self.manifest, self.rules, self.version)
        if not all(isinstance(text, str) for text in texts) or not isinstance(self.definitions, str | None):
            raise TypeError("what the triples follow from is not text")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a directory of encoded triples holds. Inferred ones have ids of other triples, too: those that they are
    `derived_from`, behind whose ids their own follow."""

    terms: TermCounts
    triples: int
    files: tuple[EncodedFile, ...]
    derived_from: DerivedFrom | None = None

    def section(self, name: str) -> Iterator[EncodedFile]:
        """The files below a folder: DICTIONARY or TRIPLES."""
        return (file for file in self.files if file.path.startswith(f"{name}/"))

    def to_json(self) -> str:
        """The text of ``manifest.json``."""
        content: dict[str, Any] = {"format": _FORMAT, "version": VERSION, **asdict(self)}
        if not self.terms.triple_terms:
            # Versions before these did not know of them.
            del content["terms"]["triple_terms"]
        if self.derived_from is None:
            del content["derived_from"]
        return json.dumps(content, indent=1) + "\n"

    @staticmethod
    def from_json(text: str, source: str) -> Manifest:
        """Read the text of a manifest; `source` names it in errors.

        Raises:
            LoadError: it is not a manifest, of a version that this program does not know, or its counts disagree.
        """
        try:
            content: dict[str, Any] = json.loads(text)
            if content["format"] != _FORMAT:
                raise ValueError(f"its format is {content['format']!r}")
            if content["version"] != VERSION:
                raise LoadError(f"version {content['version']} is not known; this program reads {VERSION}", path=source)
            manifest = Manifest._of(content)
        except RecursionError:
            raise LoadError("not a manifest of encoded triples: nested too deep", path=source) from None
        except (KeyError, TypeError, ValueError) as error:
            raise LoadError(f"not a manifest of encoded triples: {error!r}", path=source) from None
        manifest._check_rows(source)
        return manifest

    @staticmethod
    def _of(content: dict[str, Any]) -> Manifest:
        """A manifest from its fields; KeyError, TypeError or ValueError where one is missing or wrong."""
        files = tuple(EncodedFile(**file) for file in content["files"])
        if any({"", ".", ".."} & {*file.path.split("/")} for file in files):
            raise ValueError("a file is not below the directory")
        origin = content.get("derived_from")
        derived_from = None if origin is None else DerivedFrom(**origin)
        manifest = Manifest(TermCounts(**content["terms"]), int(content["triples"]), files, derived_from)
        counts = [*asdict(manifest.terms).values(), *(each for file in files for each in (file.rows, file.bytes))]
        if not all(type(count) is int and count >= 0 for count in counts):
            raise ValueError("a count is not a whole number from 0 on")
        return manifest

    def _check_rows(self, source: str) -> None:
        """Raise LoadError unless the files of each section have as many rows as announced, and room for them."""
        for section, count in ((DICTIONARY, len(self.terms)), (TRIPLES, self.triples)):
            rows = sum(file.rows for file in self.section(section))
            if rows != count:
                raise LoadError(f"the {section} files have {rows} rows, and {count} are announced", path=source)
            size = sum(file.bytes for file in self.section(section))
            most = memory.most_decompressed(size) // _ROW
            if rows > most:
                raise LoadError(f"{rows} rows in {size} bytes", path=source, expected=f"{most} rows at most")


def read_manifest(directory: Path) -> Manifest:
    """The manifest of a local directory; LoadError when there is none or it cannot be used."""
    path = directory / MANIFEST
    try:
        return Manifest.from_json(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(f"cannot be read: {one_line(error)}", path=path) from error


def current_version() -> str:
    """The version of this software, which says what rules derive."""
    # Slow, and used by writers alone.
    from importlib.metadata import version

    return version("kgreason")


def manifest_checksum(directory: Path) -> str:
    """The SHA-256 of the manifest of a local directory, which tells it from all others; LoadError without one."""
    path = directory / MANIFEST
    try:
        with path.open("rb") as stream:
            return file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise LoadError(f"cannot be read: {one_line(error)}", path=path) from error


def is_encoded(directory: Path) -> bool:
    """Whether a local directory holds encoded triples."""
    return (directory / MANIFEST).is_file()


def describe_file(directory: Path, path: Path, rows: int) -> EncodedFile:
    """The manifest's entry of a file that was written, reading it once for its checksum."""
    with path.open("rb") as stream:
        digest = file_digest(stream, "sha256").hexdigest()
    return EncodedFile(path.relative_to(directory).as_posix(), rows, path.stat().st_size, digest)
