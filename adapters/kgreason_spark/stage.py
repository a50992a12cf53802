"""The stage: what a source gives in Parquet, evaluated once, from which outputs, quarantine and counts are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import Observation
from pyspark.sql import functions as F

from kgreason_spark.frames import CONTENT, LINES, NAMED, PROBLEM, QUAD, REASON, SOURCE
from kgreason_spark.local_dictionaries import PIECE_COLUMNS, TERM, with_local_ids
from kgreason_spark.observations import counts_of, values_of
from kgreason_spark.outputs.key_checks import check_keys, no_keys, normal_quads
from kgreason_spark.token_columns import language_tag

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from kgreason_spark.directories import Directory

_UNNAMED: Final = ""


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is: quads, bytes of their terms, each once in a piece, and terms whose language tag has a capital
    letter."""

    quads: int
    bytes: int
    capitals: int


@dataclass(frozen=True, slots=True)
class Staged:
    """Rows that were stored.

    Attributes:
        quads: in the columns QUAD, duplicates included.
        quarantine: in the columns PROBLEM.
        count: how many quads there are.
        quads_out: how many quads came from each source.
        quarantined: how many rows of each source were quarantined, by reason.
    """

    quads: DataFrame
    quarantine: DataFrame
    count: int
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
    rows.write.parquet(str(folder), mode="overwrite")
    stored = rows.sparkSession.read.schema(rows.schema).parquet(str(folder))
    is_quad = F.col(REASON).isNull()
    counts = _Counts.of(stored, F.lit(1))
    return Staged(
        stored.where(is_quad).select(*QUAD),
        stored.where(~is_quad).select(*PROBLEM),
        sum(counts.out.values()),
        counts.out,
        counts.quarantined,
    )


@dataclass(frozen=True, slots=True)
class StagedIds:
    """Local ids that were stored (`local_dictionaries`), and their size; the rest is as of `Staged`."""

    pieces: DataFrame
    quarantine: DataFrame
    size: Size
    quads_out: Mapping[str, int]
    quarantined: Mapping[str, Mapping[str, int]]


def stage_ids(rows: DataFrame, folder: Directory) -> StagedIds:
    """Store local ids in a folder, with problems beside them; cost as of `stage`."""
    pieces, size = _stored_ids(rows, folder)
    is_problem = F.col(REASON).isNotNull()
    counts = _Counts.of(pieces.where(F.col(CONTENT).isNotNull() | is_problem), F.col(LINES))
    quads = pieces.where(~is_problem).select(*PIECE_COLUMNS)
    return StagedIds(quads, pieces.where(is_problem).select(*PROBLEM), size, counts.out, counts.quarantined)


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
    counts = _Counts.of(stored, F.col(LINES))
    return StagedLines(
        stored.where(~is_problem),
        stored.where(is_problem).select(*PROBLEM),
        sum(counts.out.values()),
        counts.named,
        counts.out,
        counts.quarantined,
    )


def stage_quads(quads: DataFrame, folder: Directory, *, are_keys: bool = False) -> tuple[DataFrame, Size]:
    """Store the local ids of quads; without `are_keys` they come from elsewhere than a source.

    Raises:
        TermError: a value that is not a term; names it and the column.
    """
    if are_keys:
        return _stored_ids(with_local_ids(quads), folder)
    observed = Observation()
    normal = normal_quads(quads).observe(observed, *no_keys())
    return _stored_ids(with_local_ids(normal), folder, lambda: check_keys(values_of(observed)))


def _stored_ids(rows: DataFrame, folder: Directory, check: Callable[[], None] | None = None) -> tuple[DataFrame, Size]:
    observed = Observation()
    quads = F.coalesce(F.sum(LINES), F.lit(0)).alias("quads")
    length = F.coalesce(F.sum(F.octet_length(TERM)), F.lit(0)).alias("bytes")
    capitals = F.count_if(language_tag(F.col(TERM)).rlike("[A-Z]")).alias("capitals")
    rows.observe(observed, quads, length, capitals).write.parquet(str(folder), mode="overwrite")
    if check is not None:
        check()
    found = counts_of(observed)
    stored = rows.sparkSession.read.schema(rows.schema).parquet(str(folder))
    return stored, Size(found["quads"], found["bytes"], found["capitals"])


@dataclass(frozen=True, slots=True)
class _Counts:
    """Quads of each source, how many of all are in named graphs, and quarantined rows of each by reason."""

    out: dict[str, int]
    quarantined: dict[str, dict[str, int]]
    named: int

    @classmethod
    def of(cls, stored: DataFrame, quads: Column) -> _Counts:
        """`quads` is how many a row without a reason has."""
        out: dict[str, int] = {}
        quarantined: dict[str, dict[str, int]] = {}
        in_graphs = 0
        named = F.col(NAMED) if NAMED in stored.columns else F.lit(0)
        sums = [F.coalesce(F.sum(column), F.lit(0)) for column in (quads, named)]
        for source, reason, rows, found, own in stored.groupBy(SOURCE, REASON).agg(F.count("*"), *sums).collect():
            name = _UNNAMED if source is None else source
            in_graphs += own
            if reason is None:
                out[name] = found
            else:
                quarantined.setdefault(name, {})[reason] = rows
        by_name = {source: dict(sorted(reasons.items())) for source, reasons in sorted(quarantined.items())}
        return cls(dict(sorted(out.items())), by_name, in_graphs)
