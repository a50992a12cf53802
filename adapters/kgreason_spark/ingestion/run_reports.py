"""The counts of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of a run, taken while its output was written.

    Attributes:
        rows: rows read, by logical source; malformed ones among them.
        triples: quads written, repeated ones counted each time.
        quarantined: rows in quarantine, by reason.
        without_subject: rows of which a triples map made nothing as they have no value for its subject, by triples map.
    """

    rows: Mapping[str, int]
    triples: int
    quarantined: Mapping[str, int]
    without_subject: Mapping[str, int]
