"""A first round that is not derived: what is left of what followed from earlier triples, and what has changed since.

    given = GivenRound(came={8: 3}, gone={8: 1, 9: 2}, residents={16: 40})

Rules that were evaluated before need to be evaluated only with facts that came, and for facts that are gone, which they
may derive in another way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from kgreason_mapping.locations import pattern_of
from kgreason_spark.materialisation.fact_columns import facts_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason_spark.directories import Directory

Counts: TypeAlias = Mapping[int, int]
"""How many facts there are of relations."""

_CAME: Final = "came"
_GONE: Final = "gone"


@dataclass(frozen=True, slots=True)
class GivenRound:
    """How many facts of each relation `came` as explicit ones, and are `gone` from those that were explicit or
    followed; and how many the driver had before, of the relations that were its `residents`."""

    came: Counts
    gone: Counts
    residents: Counts

    @classmethod
    def from_json(cls, given: Mapping[str, Mapping[str, int]]) -> GivenRound:
        """The counts as JSON has them, whose names are strings."""
        return cls(**{name: {int(code): count for code, count in counts.items()} for name, counts in given.items()})


@dataclass(frozen=True, slots=True)
class ChangedFacts:
    """The facts that came and those that are gone."""

    came: DataFrame
    gone: DataFrame

    def write(self, directory: Directory) -> None:
        """Write them into a folder."""
        for name, facts in ((_CAME, self.came), (_GONE, self.gone)):
            facts.write.mode("overwrite").parquet(str(directory / name))

    @classmethod
    def read(cls, directory: Directory, width: int) -> ChangedFacts:
        """Those that `write` wrote."""
        reader = directory.spark.read.schema(facts_schema(width))
        return cls(*(reader.parquet(pattern_of(str(directory / name))) for name in (_CAME, _GONE)))
