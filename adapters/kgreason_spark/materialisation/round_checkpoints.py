"""Rounds on disk: what each derived is written and read back, so that plans stay short and a killed job goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from kgreason.engine.budget import Budget
from kgreason.errors import StratificationError
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason_mapping.locations import pattern_of
from kgreason_spark import spark_tuning
from kgreason_spark.budgets import UNLIMITED, check_derived, limited
from kgreason_spark.directories import Directory
from kgreason_spark.materialisation import driver_limits
from kgreason_spark.materialisation.driver_limits import few_rows
from kgreason_spark.materialisation.fact_columns import (
    RELATION,
    Numbers,
    arrow_schema,
    facts_schema,
    frame_of,
    gathered,
)
from kgreason_spark.materialisation.given_round import ChangedFacts, GivenRound
from kgreason_spark.materialisation.local_files import of_codes, small_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_STATE: Final = "rounds.json"


@dataclass(frozen=True, slots=True)
class Round:
    """How many facts of each relation a round derived, at which level of negation it was, and its seconds."""

    level: int
    relations: dict[int, int]
    seconds: float

    @property
    def facts(self) -> int:
        """How many facts it derived."""
        return sum(self.relations.values())


@dataclass(slots=True)
class Checkpoints:
    """The rounds of one job in a folder; `job` tells it from others, `levels` are the least levels of relations,
    `moved` the relations that are too large for the driver, `unspecialised` the numbers of the rules about such ones;
    `given` says what has changed before the first round, where that was not derived.

    `terms` are the ids of terms that rules brought, which the facts of the rounds use; callers add their own. All
    rounds together keep to the `budget`.
    """

    spark: SparkSession
    folder: str
    job: str
    width: int
    rounds: list[Round] = field(default_factory=list)
    levels: dict[int, int] = field(default_factory=dict)
    moved: set[int] = field(default_factory=set)
    unspecialised: set[int] = field(default_factory=set)
    given: GivenRound | None = None
    terms: dict[str, int] = field(default_factory=dict)
    budget: Budget = UNLIMITED
    _kept: int = 0
    _position: int = 0
    _locals: dict[int, pa.Table | None] = field(default_factory=dict)
    _frames: dict[tuple[int, ...], DataFrame] = field(default_factory=dict)

    def resume(self) -> None:
        """Go on from what is in the folder, if it is of this job; otherwise clear it."""
        if _STATE not in self._directory.names():
            return
        state = json.loads(self._directory.read_text(_STATE))
        if state["job"] != self.job:
            self.clear()
            return
        self.levels = {int(code): level for code, level in state["levels"].items()}
        self.moved = set(state["moved"])
        self.given = None if state["given"] is None else GivenRound.from_json(state["given"])
        self.unspecialised = set(state.get("unspecialised", ()))
        self.terms = state["terms"]
        self.rounds = [
            Round(entry["level"], {int(code): n for code, n in entry["relations"].items()}, entry["seconds"])
            for entry in state["rounds"]
        ]

    def clear(self) -> None:
        """Forget all rounds."""
        self.rounds, self.terms, self._position, self.given = [], {}, 0, None
        self._locals, self._frames = {}, {}
        self._directory.delete()

    def restart(self, levels: dict[int, int]) -> None:
        """Begin again, with least levels of relations; StratificationError where they are the ones of before."""
        if levels == self.levels:
            raise StratificationError("the levels of negation do not settle: a relation depends on its own negation")
        self.clear()
        self.levels = levels

    def begin_after(
        self, facts: DataFrame, changed: ChangedFacts, residents: Mapping[int, int], terms: dict[str, int]
    ) -> None:
        """Begin again, with facts that were derived before and still are, as those of the first round.

        Args:
            changed: the other facts that there were, and those that there are now as explicit ones.
            residents: how many facts the driver had of each resident relation.
            terms: the ids of terms that rules brought before.
        """
        self.clear()
        changed.write(self._directory)
        came, gone = (self._counts_of(kept) for kept in (self.changed.came, self.changed.gone))
        self.given, self.terms = GivenRound(came, gone, residents), {**terms}
        self.next(0, lambda: facts)
        self._position = 0

    @property
    def changed(self) -> ChangedFacts:
        """What has changed before a first round that was given."""
        return ChangedFacts.read(self._directory, self.width)

    def move(self, relations: Iterable[int], rules: Iterable[int] = ()) -> None:
        """Begin again, with more relations that are not the driver's, by ids that terms keep, and more rules that are
        not specialised. With those, auxiliary relations get other codes."""
        terms, more = self.terms, {*rules} - self.unspecialised
        self.clear()
        self.terms = terms
        self.moved |= {*relations}
        if more:
            self.unspecialised |= more
            self.moved = {code for code in self.moved if kind_of(code) != AUXILIARY}
            self.levels = {}

    def next(self, level: int, derive: Callable[[], DataFrame | None]) -> Round:
        """The next round: the one that is there, or one derived now; it counts once all is written.

        Raises:
            BudgetError: there are more facts than the budget allows.
        """
        before = sum(one.facts for one in self.rounds[: self._position])
        if self._position < len(self.rounds):
            self._position += 1
            done = self.rounds[self._position - 1]
            check_derived(self.budget, before + done.facts, self.width, self._position)
            return done
        begin = monotonic()
        derived = derive()
        relations: dict[int, int] = {}
        if derived is not None:
            # Facts of one relation lie together, so that readers of a few relations can leave out the rest of a file.
            derived = limited(derived, self.budget, before, self.width)
            derived.sortWithinPartitions(RELATION).write.mode("overwrite").parquet(self._round(self._position))
            relations = self._counted(self._position)
        self.rounds.append(Round(level, relations, round(monotonic() - begin, 3)))
        self._save()
        self._position += 1
        check_derived(self.budget, before + self.rounds[-1].facts, self.width, self._position)
        return self.rounds[-1]

    def check_with(self, derived: int) -> None:
        """BudgetError where the rounds so far, and so many facts derived on the driver, exceed the budget."""
        rounds = sum(one.facts for one in self.rounds[: self._position])
        check_derived(self.budget, rounds + derived, self.width, self._position)

    def _counted(self, number: int) -> dict[int, int]:
        """How many facts of each relation a round has written."""
        local = self._local(number)
        if local is not None:
            counts = local.group_by(RELATION).aggregate([([], "count_all")])
            return dict(zip(counts[RELATION].to_pylist(), counts["count_all"].to_pylist(), strict=True))
        return self._counts_of(self._read([number]))

    @staticmethod
    def _counts_of(facts: DataFrame) -> dict[int, int]:
        found = few_rows(facts.groupBy(RELATION).count(), driver_limits.RELATIONS, "relations with facts")
        return dict(zip(found[RELATION].to_pylist(), found["count"].to_pylist(), strict=True))

    def keep(self, rows: DataFrame) -> DataFrame:
        """Rows written down and read back, so that looking at them twice computes them once."""
        return self.keep_all([rows])

    def keep_here(self, rows: DataFrame) -> tuple[DataFrame, pa.Table | None]:
        """The same, and the rows themselves, where they are few bytes."""
        kept = self.keep(rows)
        local = small_table(Directory(self.spark, self._kept_path), None)
        return (kept, None) if local is None else (frame_of(self.spark, local), local)

    def keep_all(self, parts: Iterable[DataFrame]) -> DataFrame:
        """The same for several parts, at least one, written one after the other."""
        self._kept += 1
        path = self._kept_path
        mode, schema = "overwrite", None
        for rows in parts:
            rows.write.mode(mode).parquet(path)
            mode, schema = "append", rows.schema
        assert schema is not None, "nothing to keep"
        return self.spark.read.schema(schema).parquet(pattern_of(path))

    def last(self) -> DataFrame:
        """The facts that the round before derived."""
        return self._frame([self._position - 1])

    def all(self) -> DataFrame | None:
        """The facts that all rounds so far derived; None before the first."""
        numbers = self._numbers
        return self._frame(numbers) if numbers else None

    def gathered(self, relations: Numbers) -> pa.Table | None:
        """The facts of some relations that rounds so far derived, where these are few bytes."""
        found = self._together(self._numbers)
        return None if found is None else of_codes(found, relations)

    def last_of(self, relations: Numbers) -> pa.Table:
        """The facts of some relations that the round before derived."""
        local = self._local(self._position - 1)
        return of_codes(local, relations) if local is not None else gathered(self.last(), relations)

    @property
    def _numbers(self) -> list[int]:
        """The rounds so far that derived anything."""
        return [number for number in range(self._position) if self.rounds[number].relations]

    def _frame(self, numbers: Sequence[int]) -> DataFrame:
        wanted = tuple(numbers)
        if wanted not in self._frames:
            local = self._together(wanted)
            self._frames[wanted] = self._read(wanted) if local is None else frame_of(self.spark, local)
        return self._frames[wanted]

    def _together(self, numbers: Sequence[int]) -> pa.Table | None:
        """The facts of some rounds, where they are few bytes."""
        if sum(self.rounds[number].facts for number in numbers) > spark_tuning.ROUND_FACTS:
            return None
        tables = [arrow_schema(self.width).empty_table()]
        for number in numbers:
            local = self._local(number)
            if local is None:
                return None
            tables.append(local)
        return pa.concat_tables(tables)

    def _local(self, number: int) -> pa.Table | None:
        """The facts of a round, where they are few bytes."""
        if number not in self._locals:
            place = Directory(self.spark, self._round(number))
            self._locals[number] = small_table(place, arrow_schema(self.width))
        return self._locals[number]

    def _read(self, numbers: Sequence[int]) -> DataFrame:
        paths = map(self._round, numbers)
        return self.spark.read.schema(facts_schema(self.width)).parquet(*map(pattern_of, paths))

    @property
    def _kept_path(self) -> str:
        return f"{self.folder}/kept-{self._kept:05}"

    @property
    def _directory(self) -> Directory:
        return Directory(self.spark, self.folder)

    def _round(self, number: int) -> str:
        return f"{self.folder}/round-{number:05}"

    def _save(self) -> None:
        rounds = [asdict(entry) for entry in self.rounds]
        state = {
            "job": self.job, "levels": self.levels, "moved": sorted(self.moved), "terms": self.terms,
            "unspecialised": sorted(self.unspecialised), "given": self.given and asdict(self.given), "rounds": rounds,
        }  # fmt: skip
        self._directory.replace_text(_STATE, json.dumps(state))
