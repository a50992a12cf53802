"""What came and what went between two sets of triples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgreason_spark.frames import QUAD

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Changes:
    """The distinct triples that came, and those that went."""

    added: DataFrame
    removed: DataFrame


def changes_between(before: DataFrame, after: DataFrame) -> Changes:
    """What must be added and removed to make the second set of triples of the first. Cost: a shuffle of both, twice."""
    old, new = before.select(*QUAD), after.select(*QUAD)
    # `subtract` takes nulls for equal, and gives each row once.
    return Changes(new.subtract(old), old.subtract(new))
