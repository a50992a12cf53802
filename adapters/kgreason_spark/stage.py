"""The stage: rows of a source in Parquet, evaluated once, from which outputs, quarantine and counts are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import Observation
from pyspark.sql import functions as F

from kgreason_spark.frames import GRAPH, LINES, NAMED, OBJECT, PROBLEM, QUAD, REASON, SOURCE
from kgreason_spark.observations import counts_of, values_of
from kgreason_spark.outputs.key_checks import check_keys, no_keys, normal_quads
from kgreason_spark.token_columns import language_tag

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from kgreason_spark.directories import Directory

_UNNAMED: Final = ""
_QUAD_SCHEMA: Final = ", ".join(f"{column} string" for column in QUAD)


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is: quads, those in named graphs, bytes of all their terms, and quads whose language tag has a
    capital letter."""

    quads: int
    named: int
    bytes: int
    capitals: int = 0


@dataclass(frozen=True, slots=True)
class Staged:
    """Rows that were stored.

    Attributes:
        quads: in the columns QUAD, duplicates included.
        quarantine: in the columns PROBLEM.
        size: of the quads.
        quads_out: how many quads came from each source.
        quarantined: how many rows of each source were quarantined, by reason.
    """

    quads: DataFrame
    quarantine: DataFrame
    size: Size
    quads_out: Mapping[str, int]
    quarantined: Mapping[str, Mapping[str, int]]


def by_reason(quarantined: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Quarantined rows of all sources, by reason."""
    total: Counter[str] = Counter()
    for reasons in quarantined.values():
        total.update(reasons)
    return dict(total)


def stage(rows: DataFrame, folder: Directory) -> Staged:
    """Store rows in a folder. Cost: the rows are evaluated once, then two narrow columns of the stage are read."""
    observed = Observation()
    is_quad = F.col(REASON).isNull()
    measured = rows.observe(observed, *_measures(is_quad))
    measured.write.parquet(str(folder), mode="overwrite")
    stored = rows.sparkSession.read.schema(rows.schema).parquet(str(folder))
    quads_out: dict[str, int] = {}
    quarantined: dict[str, dict[str, int]] = {}
    for source, reason, count in stored.groupBy(SOURCE, REASON).count().collect():
        name = _UNNAMED if source is None else source
        if reason is None:
            quads_out[name] = count
        else:
            quarantined.setdefault(name, {})[reason] = count
    return Staged(
        stored.where(is_quad).select(*QUAD),
        stored.where(~is_quad).select(*PROBLEM),
        _size(observed),
        dict(sorted(quads_out.items())),
        {source: dict(sorted(reasons.items())) for source, reasons in sorted(quarantined.items())},
    )


@dataclass(frozen=True, slots=True)
class StagedLines:
    """Lines that were stored: `pieces` have them in the column CONTENT; `quarantine` has the columns PROBLEM.

    `lines` and `named` are how many there are, and how many of them are in named graphs; `lines_out` and `quarantined`
    are as of `Staged`.
    """

    pieces: DataFrame
    quarantine: DataFrame
    lines: int
    named: int
    lines_out: Mapping[str, int]
    quarantined: Mapping[str, Mapping[str, int]]


def stage_lines(rows: DataFrame, folder: Directory) -> StagedLines:
    """Store lines in a folder. Cost: the rows are evaluated once, then narrow columns of the stage are read."""
    # What is compressed stays as it is.
    rows.write.parquet(str(folder), mode="overwrite", compression="uncompressed")
    stored = rows.sparkSession.read.schema(rows.schema).parquet(str(folder))
    is_problem = F.col(REASON).isNotNull()
    lines_out: dict[str, int] = {}
    quarantined: dict[str, dict[str, int]] = {}
    named = 0
    sums = [F.coalesce(F.sum(column), F.lit(0)).alias(column) for column in (LINES, NAMED)]
    for source, reason, count, lines, in_graphs in (
        stored.groupBy(SOURCE, REASON).agg(F.count("*"), *sums).collect()
    ):
        if reason is None:
            lines_out[source] = lines
            named += in_graphs
        else:
            quarantined.setdefault(source, {})[reason] = count
    return StagedLines(
        stored.where(~is_problem),
        stored.where(is_problem).select(*PROBLEM),
        sum(lines_out.values()),
        named,
        dict(sorted(lines_out.items())),
        {source: dict(sorted(reasons.items())) for source, reasons in sorted(quarantined.items())},
    )


def stage_quads(quads: DataFrame, folder: Directory) -> tuple[DataFrame, Size]:
    """Store quads that come from elsewhere than a source.

    Raises:
        TermError: a value that is not a term; names it and the column.
    """
    observed = Observation()
    measures = [*_measures(F.lit(True)), *no_keys()]
    normal_quads(quads).observe(observed, *measures).write.parquet(str(folder), mode="overwrite")
    check_keys(values_of(observed))
    return quads.sparkSession.read.schema(_QUAD_SCHEMA).parquet(str(folder)), _size(observed)


def _measures(is_quad: Column) -> list[Column]:
    length = sum((F.coalesce(F.octet_length(column), F.lit(0)) for column in QUAD), start=F.lit(0).cast("bigint"))
    return [
        F.count_if(is_quad).alias("quads"),
        F.count(F.when(is_quad, F.col(GRAPH))).alias("named"),
        F.coalesce(F.sum(F.when(is_quad, length)), F.lit(0)).alias("bytes"),
        F.count_if(is_quad & language_tag(F.col(OBJECT)).rlike("[A-Z]")).alias("capitals"),
    ]


def _size(observed: Observation) -> Size:
    found = counts_of(observed)
    return Size(found["quads"], found["named"], found["bytes"], found["capitals"])
