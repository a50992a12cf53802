"""What may not follow any more when triples go: delete, of delete, rederive and insert (DRed, Gupta and others 1993).

The run is that of a fixpoint over the triples as they were, with all that followed from them as its first round. From
the facts that went, each round finds what was derived with one of them, as insertion does; a fact that is still
explicit stays, with all that follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kgreason.relations.codes import AUXILIARY
from kgreason_spark.materialisation import driver_limits
from kgreason_spark.materialisation.copies import compose, is_copying, with_copies
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.driver_limits import few_rows
from kgreason_spark.materialisation.fact_columns import RELATION, fact_columns
from kgreason_spark.materialisation.fixpoint import Fixpoint
from kgreason_spark.materialisation.given_round import ChangedFacts
from kgreason_spark.materialisation.levels import has_levels
from kgreason_spark.materialisation.parameter_frames import RuleGroup, on_cluster

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa


class NotMaintainedError(Exception):
    """What follows must be derived from the beginning; says why."""


@dataclass(frozen=True)
class DatasetBefore(Dataset):
    """The triples as they were: columns of ids of the dictionary of those that there are now, in files at `before`."""

    before: str

    @cached_property
    def local_triples(self) -> pa.Table | None:
        """None: they stay on the cluster."""
        return None

    def quads(self) -> DataFrame:
        """The columns `subject`, `predicate`, `object` and `graph`."""
        return self.spark.read.parquet(self.before)


@dataclass(frozen=True, slots=True)
class Remaining:
    """What a change leaves of the `facts` that followed, and what it `changed`; how many facts the driver had of each
    of its `residents`, and the ids of the `terms` that rules brought."""

    facts: DataFrame
    changed: ChangedFacts
    residents: dict[int, int]
    terms: dict[str, int]


class Overdeletion(Fixpoint):
    """A run over the triples as they were, whose first round is all that followed from them."""

    def remaining(self, followed: DataFrame, removed: DataFrame, explicit: DataFrame) -> Remaining:
        """Of the facts that followed those that are derived without any of the facts that went.

        Facts of resident relations are left out where the driver derives them again by itself.

        Args:
            followed: the facts that followed; not evaluated where the driver lost a fact that was explicit.
            removed: the facts that went.
            explicit: all explicit facts as they are now.

        Raises:
            NotMaintainedError: a resident relation lost a fact, or facts that were not written take part.
        """
        gone = self._checkpoints.keep(removed.distinct())
        lost = self._relations(gone)
        self._absorb(None)
        self._check_kept(lost)
        by_itself = self._sizes()
        self._absorb(self._checkpoints.next(0, lambda: followed))
        residents = self._sizes()
        self.terms.mapping()
        groups = [on_cluster(group, self.terms) for group in self.reasoner.groups()]
        if has_levels(groups):
            raise NotMaintainedError("rules with negation or aggregates")
        due = self._due_groups(groups, copying=False)
        if any((group.heads & 3 == AUXILIARY).any() for group in due):
            raise NotMaintainedError("relations of rules that are not triples")
        gone = self._overdeleted(due, gone, lost, explicit)
        columns = fact_columns(self._width)
        written = self._checkpoints.all()
        assert written is not None, "what followed is the first round"
        derived_again = sorted(code for code in self.residents if by_itself.get(code, 0) == residents.get(code, 0))
        kept = written.where(~F.col(RELATION).isin(derived_again))
        remaining = kept.join(gone, columns, "left_anti").join(explicit, columns, "left_anti")
        came = explicit.join(self.facts.all(), columns, "left_anti").distinct()
        return Remaining(remaining, ChangedFacts(came, gone), residents, self._checkpoints.terms)

    def _sizes(self) -> dict[int, int]:
        """How many facts resident relations have."""
        return {code: len(table) for code in self.residents if (table := self.table(code))}

    def _check_kept(self, relations: Sequence[int]) -> None:
        """NotMaintainedError where the driver lost a fact of some relations."""
        if self.residents & {*relations}:
            raise NotMaintainedError("the schema, a list or a closure lost a fact")

    def _overdeleted(
        self, due: Sequence[RuleGroup], removed: DataFrame, relations: Sequence[int], explicit: DataFrame
    ) -> DataFrame:
        """The facts that went, which are of some relations, and those that were derived with one of them and are not
        explicit."""
        copies = compose([group for group in due if is_copying(group.template)], self.residents, self._first_literal)
        joining = [group for group in due if not is_copying(group.template)]
        everything, columns = self.facts.all(), fact_columns(self._width)
        gone = frontier = removed
        while relations:
            self._check_kept(relations)
            plans = self._plans(joining).derived([], joining, frontier, relations) if joining else ()
            candidates = reduce(DataFrame.unionAll, [frontier, *plans])
            found = with_copies(candidates, copies, self._width, self._first_literal).distinct()
            known = found.join(everything, columns, "left_semi").join(explicit, columns, "left_anti")
            frontier = self._checkpoints.keep(known.join(gone, columns, "left_anti"))
            gone, relations = gone.unionAll(frontier), self._relations(frontier)
        return gone

    @staticmethod
    def _relations(facts: DataFrame) -> list[int]:
        codes = few_rows(facts.select(RELATION).distinct(), driver_limits.RELATIONS, "relations with facts")
        return [int(code) for code in codes[RELATION].to_pylist()]
