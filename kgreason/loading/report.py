"""What a load did."""

from __future__ import annotations

from dataclasses import dataclass

from kgreason.loading.quads import Quads


@dataclass(frozen=True, slots=True)
class FileReport:
    """A file by its name: how many triples were read from it, and how many malformed lines were left out."""

    source: str
    triples: int
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class LoadReport:
    """Everything that one load read, file by file; a triple that stands twice counts twice."""

    files: tuple[FileReport, ...]

    @property
    def triples(self) -> int:
        """Triples read from all files."""
        return sum(file.triples for file in self.files)

    @property
    def skipped(self) -> int:
        """Malformed lines left out of all files."""
        return sum(file.skipped for file in self.files)

    def __str__(self) -> str:
        lines = [f"{self.triples:,} triples from {len(self.files):,} files"]
        if self.skipped:
            lines[0] += f", {self.skipped:,} malformed lines skipped"
            lines += [f"{file.source}: {file.skipped:,} lines skipped" for file in self.files if file.skipped]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Quads that were read, and the report."""

    quads: Quads
    report: LoadReport
