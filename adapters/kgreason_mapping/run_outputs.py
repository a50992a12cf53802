"""What a run writes into its directory, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Compression: TypeAlias = Literal["gzip", "zstd", "none"]

NTRIPLES: Final = "ntriples"
QUARANTINE: Final = "quarantine"


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs to write; quarantined rows are always written when there are any.

    Attributes:
        encoded: encoded Parquet, in the directory itself.
        ntriples: N-Triples with a compression, in the folder NTRIPLES; None for none.
    """

    encoded: bool = True
    ntriples: Compression | None = None
