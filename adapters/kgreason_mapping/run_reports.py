"""What a run of a mapping, or of an ingestion, reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kgreason.io.encoded.manifest import TermCounts


@dataclass(frozen=True, slots=True)
class SourceReport:
    """The counts of one source by what became of its rows; a row may give several triples, and lose only some of
    them."""

    rows: int
    triples: int
    quarantined: int

    @property
    def is_lost(self) -> bool:
        """Whether it gave nothing but rows in quarantine."""
        return self.quarantined > 0 and self.triples == 0


@dataclass(frozen=True, slots=True)
class ProblemCount:
    """How many rows of a source are in quarantine for one reason because of one rule: a part of a triples map, and the
    references that it has. There is no rule for rows that cannot be read."""

    source: str
    triples_map: str | None
    part: str | None
    references: tuple[str, ...]
    reason: str
    rows: int


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a run.

    Attributes:
        sources: by name.
        triples_read: of all sources, duplicates included.
        triples_encoded, terms: distinct ones, None when no encoded Parquet was written.
        lines_written: of N-Triples, duplicates included; None when none were written.
        quarantined: rows by reason.
        seconds: by stage.
        engines: on Spark, what made the triples of each source of a mapping: ``arrow`` in executors, or ``columns`` of
            expressions.
        problems: what is in quarantine by rule, the most frequent first. On Spark, rules of the same part of a triples
            map count together.
        added, removed: distinct triples that came and went since an earlier run; None where none was named.
    """

    sources: Mapping[str, SourceReport]
    triples_read: int
    triples_encoded: int | None
    terms: TermCounts | None
    lines_written: int | None
    quarantined: Mapping[str, int]
    seconds: Mapping[str, float]
    added: int | None = None
    removed: int | None = None
    engines: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[ProblemCount, ...] = ()
