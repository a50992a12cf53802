"""Parts of documents on their way into a dictionary, and what the report says of each document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError, Place
from kgreason.io.encoded.manifest import read_manifest
from kgreason.io.inferred_quads import Inferred
from kgreason.io.load_report import FileReport, Loaded, LoadReport, Redeclaration
from kgreason.io.ontology_headers import Header, header_of_part
from kgreason.io.parsed_documents import Progress
from kgreason.io.parts import Part, encoded
from kgreason.io.quads import Quads

if TYPE_CHECKING:
    from kgreason.io.encoded.inferred_directory import InferredTriples


@dataclass(slots=True)
class Source:
    """What is being read, and how far."""

    name: str
    triples: int = 0
    lines: int = 0
    skipped: int = 0
    fault: str = ""
    is_table: bool = False

    def place(self, line: int, column: int | None = None) -> Place:
        """A line and its column, or a row, of what is being read next."""
        number = self.lines + line + 1
        return Place(path=self.name, row=number) if self.is_table else Place(path=self.name, line=number, column=column)


class GatheredParts:
    """What was read so far: the parts, their sources, and the prefixes that these declare."""

    def __init__(
        self, lenient: bool, progress: Progress | None, prefixes: dict[str, str] | None, wants_headers: bool
    ) -> None:
        self._lenient = lenient
        self._progress = progress
        self._prefixes = {} if prefixes is None else prefixes
        self._declared_by: dict[str, str] = {}
        self._redeclarations: dict[str, Redeclaration] = {}
        self._sources: list[Source] = []
        self._parts: list[Part] = []
        self._encoded: dict[Path, int] = {}
        self._inferred: list[tuple[InferredTriples, int, int]] = []
        self._wants_headers = wants_headers
        self.headers: list[tuple[str, Header]] = []
        """What was read of ontologies, by the names of the documents, where that is wanted."""

    def into(self, dictionary: Dictionary) -> Loaded:
        """Everything that was read, with the ids of a dictionary; once."""
        numbers = [number for _, *pair in self._inferred for number in pair]
        is_alone = len(self._parts) == 2
        quads, identifiers = encoded(self._parts, dictionary, numbers)
        inferred = tuple(
            Inferred.of(read, explicit, own, is_alone)
            for (read, *_), explicit, own in zip(self._inferred, identifiers[::2], identifiers[1::2], strict=True)
        )
        return Loaded(quads, self.report, inferred, dict(self._prefixes))

    @property
    def report(self) -> LoadReport:
        """What was read from which source."""
        reports = (FileReport(each.name, each.triples, each.skipped, each.fault) for each in self._sources)
        return LoadReport(tuple(reports), redeclarations=tuple(self._redeclarations.values()))

    def inferred(self, directory: Path, explicit: Path) -> None:
        """Read what follows from encoded triples, which were read before."""
        # With Parquet, which takes 0.1 seconds to import.
        from kgreason.io.encoded.inferred_directory import read_inferred

        read = read_inferred(directory, read_manifest(explicit))
        source = self._begun(str(directory))
        source.triples = len(read.triples.subject)
        self._inferred.append((read, self._encoded[explicit], len(self._parts)))
        self._parts.append(Part(read.triples.terms if len(read.triples.terms) else [], Quads.empty()))

    def _take_encoded(self, path: Path) -> None:
        # With Parquet, which takes 0.1 seconds to import.
        from kgreason.io.encoded.encoded_reader import read_encoded

        terms, *columns = read_encoded(path)
        self._encoded[path] = len(self._parts)
        self._take(self._begun(str(path)), Part(terms, Quads(*columns)))

    def _refuse(self, source: Source, error: LoadError) -> None:
        """Leave a malformed document out where reading is lenient, and raise the error where it is not."""
        if not self._lenient:
            raise error
        source.fault = str(error)

    def _declare(self, declared: Mapping[str, str], source: str) -> None:
        """Take the prefixes of a source, before those of earlier ones."""
        for prefix, namespace in declared.items():
            former, by = self._prefixes.get(prefix), self._declared_by.get(prefix)
            if former is not None and former != namespace and by is not None:
                self._redeclarations[prefix] = Redeclaration(prefix, namespace, source, former, by)
            if former != namespace:
                self._declared_by[prefix] = source
        self._prefixes.update(declared)

    def _begun(self, name: str) -> Source:
        self._sources.append(Source(name))
        return self._sources[-1]

    def _take(self, source: Source, part: Part) -> None:
        source.triples += len(part)
        self._parts.append(part)
        if self._wants_headers:
            header = header_of_part(part)
            if header.names or header.imports:
                self.headers.append((source.name, header))
