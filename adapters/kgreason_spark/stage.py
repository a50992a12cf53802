"""The stage: what a source gives in Parquet, evaluated once, from which outputs, quarantine and counts are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import Observation
from pyspark.sql import functions as F

from kgreason_mapping.locations import pattern_of
from kgreason_spark.frames import CONTENT, DETAIL, LINES, NAMED, PROBLEM, QUAD, REASON, SOURCE, TRIPLES_MAP
from kgreason_spark.local_id_frames import PIECE_COLUMNS, TERM, with_local_ids
from kgreason_spark.observations import counts_of, values_of
from kgreason_spark.outputs.key_checks import check_keys, no_keys, normal_quads
from kgreason_spark.token_columns import language_tag

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from kgreason_spark.directories import Directory

PART: Final = "part"

_UNNAMED: Final = ""


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is: quads, bytes of their terms, each once in a piece, and terms whose language tag has a capital
    letter."""

    quads: int
    bytes: int
    capitals: int


@dataclass(frozen=True, slots=True, order=True)
class ProblemKind:
    """What quarantined rows are counted by. A row that cannot be read has no triples map and no part of one."""

    source: str
    reason: str
    triples_map: str | None = None
    part: str | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Quads of each source, quarantined rows of each by what they are counted by, and, of lines alone, how many are in
    named graphs."""

    quads: Mapping[str, int]
    quarantined: Mapping[ProblemKind, int]
    named: int | None

    @property
    def total(self) -> int:
        """Quads of all sources."""
        return sum(self.quads.values())

    def by_reason(self) -> dict[str, int]:
        """Quarantined rows of all sources, by reason."""
        return _sums((kind.reason, rows) for kind, rows in self.quarantined.items())

    def by_source(self) -> dict[str, int]:
        """Quarantined rows of each source."""
        return _sums((kind.source, rows) for kind, rows in self.quarantined.items())


@dataclass(frozen=True, slots=True)
class Staged:
    """Quads that were stored, duplicates included, as rows, local ids or lines (`kgreason_spark.frames`); `quarantine`
    has the columns PROBLEM."""

    quads: DataFrame
    quarantine: DataFrame
    counts: Counts


def stage(rows: DataFrame, folder: Directory) -> Staged:
    """Store rows in a folder. Cost: the rows are evaluated once, then two narrow columns of the stage are read."""
    rows.write.parquet(str(folder), mode="overwrite")
    stored = rows.sparkSession.read.schema(rows.schema).parquet(pattern_of(str(folder)))
    return _parted(stored, QUAD, _counts(stored, F.lit(1)))


def stage_ids(rows: DataFrame, folder: Directory) -> tuple[Staged, Size]:
    """Store local ids in a folder, with problems beside them; cost as of `stage`."""
    stored, size = _stored_ids(rows, folder)
    counted = stored.where(F.col(CONTENT).isNotNull() | F.col(REASON).isNotNull())
    return _parted(stored, PIECE_COLUMNS, _counts(counted, F.col(LINES))), size


def stage_lines(rows: DataFrame, folder: Directory) -> Staged:
    """Store lines in a folder; cost as of `stage`."""
    # What is compressed stays as it is.
    rows.write.parquet(str(folder), mode="overwrite", compression="uncompressed")
    stored = rows.sparkSession.read.schema(rows.schema).parquet(pattern_of(str(folder)))
    return _parted(stored, stored.columns, _counts(stored, F.col(LINES), F.col(NAMED)))


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
    stored = rows.sparkSession.read.schema(rows.schema).parquet(pattern_of(str(folder)))
    return stored, Size(found["quads"], found["bytes"], found["capitals"])


def _parted(stored: DataFrame, columns: Sequence[str], counts: Counts) -> Staged:
    """What was stored, quads and problems apart."""
    is_quad = F.col(REASON).isNull()
    return Staged(stored.where(is_quad).select(*columns), stored.where(~is_quad).select(*PROBLEM), counts)


def _counts(stored: DataFrame, quads: Column, named: Column | None = None) -> Counts:
    """`quads` is how many a row without a reason has, `named` how many of them are in named graphs."""
    quads_by_source: dict[str, int] = {}
    quarantined: dict[ProblemKind, int] = {}
    named_total = 0
    sums = [F.coalesce(F.sum(column), F.lit(0)) for column in (quads, F.lit(0) if named is None else named)]
    groups = stored.groupBy(SOURCE, REASON, TRIPLES_MAP, part_column()).agg(F.count("*"), *sums).collect()
    for source, reason, triples_map, part, rows, quads_of_source, named_of_source in groups:
        name = _UNNAMED if source is None else source
        if reason is None:
            quads_by_source[name] = quads_by_source.get(name, 0) + quads_of_source
            named_total += named_of_source
        else:
            quarantined[ProblemKind(name, reason, triples_map, part)] = rows
    return Counts(dict(sorted(quads_by_source.items())), quarantined, None if named is None else named_total)


def part_column() -> Column:
    """The part of a triples map that a quarantined row is about, null where it is about none."""
    # The texts of parts have no colon with a space after it, as IRIs have no spaces.
    return F.when(F.col(TRIPLES_MAP).isNotNull(), F.substring_index(DETAIL, ": ", 1)).alias(PART)


def _sums(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for name, number in counts:
        total[name] += number
    return dict(sorted(total.items()))
