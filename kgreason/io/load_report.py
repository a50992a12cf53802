"""What a load did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kgreason.io.inferred_quads import Inferred
from kgreason.io.quads import Quads
from kgreason.plurals import counted


@dataclass(frozen=True, slots=True)
class FileReport:
    """A file by its name: how many triples were read from it, and how many malformed lines were left out.

    A malformed file in another format than N-Triples and N-Quads is left out as a whole; `fault` is then where and why.
    """

    source: str
    triples: int
    skipped: int = 0
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Redeclaration:
    """A prefix that two sources declare for different namespaces: the later one counts."""

    prefix: str
    namespace: str
    source: str
    former_namespace: str
    former_source: str

    def __str__(self) -> str:
        return (
            f"the prefix {self.prefix}: is <{self.namespace}> of {self.source}, not <{self.former_namespace}> of "
            f"{self.former_source}, since the last file that declares it counts"
        )


@dataclass(frozen=True, slots=True)
class LoadReport:
    """Everything that one load read, file by file; a triple that stands twice counts twice."""

    files: tuple[FileReport, ...]
    notes: tuple[str, ...] = ()
    """What was read and is of no use here, and why."""
    redeclarations: tuple[Redeclaration, ...] = ()
    """The last one of each prefix, where prefixes were wanted."""

    @staticmethod
    def joined(reports: Iterable[LoadReport]) -> LoadReport:
        """Several loads as one."""
        parts = list(reports)
        files = tuple(file for report in parts for file in report.files)
        notes = tuple(note for report in parts for note in report.notes)
        return LoadReport(files, notes, tuple(each for report in parts for each in report.redeclarations))

    @property
    def triples(self) -> int:
        """Triples read from all files."""
        return sum(file.triples for file in self.files)

    @property
    def skipped(self) -> int:
        """Malformed lines left out of all files."""
        return sum(file.skipped for file in self.files)

    @property
    def left_out(self) -> tuple[FileReport, ...]:
        """The malformed files that were left out as a whole."""
        return tuple(file for file in self.files if file.fault)

    def __str__(self) -> str:
        lines = [f"{counted(self.triples, 'triple')} from {counted(len(self.files), 'file')}"]
        if self.skipped:
            lines[0] += f", {counted(self.skipped, 'malformed line')} skipped"
        if self.left_out:
            lines[0] += f", {counted(len(self.left_out), 'malformed file')} skipped"
        return "\n".join((*lines, *self.faults("line"), *self.notes))

    def faults(self, line: str = "malformed line") -> Iterator[str]:
        """A text for each file of which something was left out."""
        for file in self.files:
            if file.skipped:
                yield f"{file.source}: {counted(file.skipped, line)} skipped"
            if file.fault:
                yield f"{file.fault}: skipped"


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """What one change read: the triples to add, and those to remove, whether they were there or not."""

    added: LoadReport
    removed: LoadReport

    def __str__(self) -> str:
        return f"added: {self.added}\nremoved: {self.removed}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """Quads that were read, the report, what is known to follow from the quads of a directory among them, and the
    prefixes that the sources declare."""

    quads: Quads
    report: LoadReport
    inferred: tuple[Inferred, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
