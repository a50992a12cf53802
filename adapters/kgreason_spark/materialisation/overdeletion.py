"""What may not follow any more when triples go: delete, of delete, rederive and insert (DRed, Gupta and others 1993).

The run is that of a fixpoint over the triples as they were, with all that followed from them as its first round. From
the facts that went, each round finds what was derived with one of them, as insertion does; a fact that is still
explicit stays, with all that follows from it. What the driver's relations lose is known beforehand (`driver_losses`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kgreason.engine.rules.guard_rows import as_keys
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason_mapping.locations import pattern_of
from kgreason_spark import spark_tuning
from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.materialisation import driver_limits
from kgreason_spark.materialisation.cluster_facts import among
from kgreason_spark.materialisation.copies import compose, is_copying, with_copies
from kgreason_spark.materialisation.dataset import Dataset, Facts
from kgreason_spark.materialisation.driver_limits import few_rows
from kgreason_spark.materialisation.driver_losses import DriverLosses, NotMaintainedError, check_kept
from kgreason_spark.materialisation.fact_columns import (
    RELATION,
    Numbers,
    arrow_schema,
    fact_columns,
    frame_of,
    is_listed,
)
from kgreason_spark.materialisation.fixpoint import Fixpoint
from kgreason_spark.materialisation.given_round import ChangedFacts
from kgreason_spark.materialisation.levels import has_levels
from kgreason_spark.materialisation.parameter_frames import RuleGroup, on_cluster
from kgreason_spark.materialisation.residents import rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from kgreason.relations.table import Columns, Table
    from kgreason.store.state import State


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
        return self.spark.read.parquet(pattern_of(self.before))


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

    def remaining(
        self, followed: DataFrame, count: int, removed: DataFrame, added: DataFrame, explicit: Facts
    ) -> Remaining:
        """Of the facts that followed those that are derived without any of the facts that went.

        Facts of resident relations are left out where the driver derives them again by itself.

        Args:
            followed: the facts that followed, none of which was explicit; not evaluated where the driver derives most
                of them again.
            count: how many those are.
            removed: the explicit facts that went, each once and written down.
            added: those that came, likewise.
            explicit: all explicit facts as they are now.

        Raises:
            NotMaintainedError: the driver does not know by itself which facts its relations lost; or it has lost some
                and derives most facts by itself, which is cheaper than to maintain them; or facts that were not written
                take part.
        """
        self._absorb(None)
        alone, by_itself, lost = self.reasoner.state, self._sizes(), {}
        if not self.residents.isdisjoint(self._relations(removed)):
            self._check_share(count)
            lost = self._lost(alone, removed, added)
        self._absorb(self._checkpoints.next(0, lambda: followed))
        residents = self._sizes()
        self.terms.mapping()
        groups = [on_cluster(group, self.terms) for group in self.reasoner.groups()]
        if has_levels(groups):
            raise NotMaintainedError("rules with negation or aggregates")
        due = self._due_groups(groups, copying=False)
        if any((group.heads & 3 == AUXILIARY).any() for group in due):
            raise NotMaintainedError("relations of rules that are not triples")
        mixed = {code for code, size in residents.items() if by_itself.get(code, 0) != size}
        losses = self._losses(lost, groups, mixed)
        gone = self._overdeleted(due, losses, removed, mixed, explicit)
        columns = fact_columns(self._width)
        written = self._checkpoints.all()
        assert written is not None, "what followed is the first round"
        kept = written.where(~F.col(RELATION).isin(sorted(self.residents - mixed)))
        remaining = kept.join(gone, columns, "left_anti").join(added, columns, "left_anti")
        came = self.facts.few_unknown(added)
        changed = ChangedFacts(added if came is None else came, gone.where(F.col(RELATION).bitwiseAND(3) != AUXILIARY))
        return Remaining(remaining, changed, losses.left_of(residents), self._checkpoints.terms)

    def _sizes(self) -> dict[int, int]:
        """How many facts resident relations have."""
        return {code: len(table) for code in self.residents if (table := self.table(code))}

    def _check_share(self, count: int) -> None:
        """NotMaintainedError where the driver derives most of `count` facts by itself."""
        if self._derived_alone() > count * spark_tuning.DRIVER_SHARE:
            raise NotMaintainedError("the driver derives most of what follows by itself")

    def _derived_alone(self) -> int:
        """About how many triples the driver has derived by itself."""
        engine = self.reasoner.engine
        triples = [(code, table) for code, table in engine.facts.items() if kind_of(code) != AUXILIARY]
        explicit = sum(len(table) for code, _ in triples if (table := engine.explicit.get(code)) is not None)
        return sum(table.estimate for _, table in triples) - explicit

    def _lost(self, alone: State, removed: DataFrame, added: DataFrame) -> dict[int, Table]:
        """By the driver's codes the facts that the driver derived `alone`, and would not with the explicit facts that
        there are now."""
        of_driver = F.col(RELATION).isin(sorted(self.residents))
        here = [self._few_by_relation(facts.where(of_driver)) for facts in (removed, added)]
        return self.reasoner.lost(alone, *here)

    def _few_by_relation(self, facts: DataFrame) -> dict[int, Columns]:
        """Facts of resident relations by the driver's codes; NotMaintainedError where they are too many."""
        found = to_arrow(facts.limit(spark_tuning.LOST_FACTS + 1))
        if len(found) > spark_tuning.LOST_FACTS:
            raise NotMaintainedError("a large change of the driver's relations")
        return self._by_relation(found.cast(arrow_schema(self._width))) if len(found) else {}

    def _losses(self, lost: Mapping[int, Table], groups: Sequence[RuleGroup], mixed: set[int]) -> DriverLosses:
        """The lost facts with the rules that they take along.

        Raises:
            NotMaintainedError: the driver does not know them by itself.
        """
        if not lost:
            return DriverLosses()
        facts = {self.cluster_code(code): table for code, table in lost.items()}
        # The others were derived here alone: they go with these.
        given = {code: table for code, table in lost.items() if code in self.reasoner.engine.explicit}
        rules = [on_cluster(group, self.terms) for group in self.reasoner.rules_of(given)]
        losses = DriverLosses(facts, rules)
        lists = {self.cluster_code(code) for code in self.reasoner.list_relations()}
        losses.check(groups, self.residents, mixed, lists)
        if any(table.arity > self._width for table in facts.values()):
            raise NotMaintainedError("facts with more arguments than those of the cluster have")
        return losses

    def _overdeleted(
        self, due: Sequence[RuleGroup], losses: DriverLosses, removed: DataFrame, mixed: set[int], explicit: Facts
    ) -> DataFrame:
        """The facts that went or were lost, and those that were derived with one of them, or by a rule that went with
        them, and are not explicit."""
        copies = compose([group for group in due if is_copying(group.template)], self.residents, self._first_literal)
        joining = [group for group in due if not is_copying(group.template)]
        by_itself = F.col(RELATION).isin(sorted(self.residents - mixed))
        gone = frontier = self._first_gone(losses, removed.where(~by_itself), explicit)
        relations, rules = self._relations(frontier), self._rules_gone(due, losses)
        while relations or rules:
            check_kept(relations, mixed)
            reading = [*joining, *rules]
            plans = self._plans(reading).derived(rules, joining, frontier, relations) if reading else ()
            candidates = reduce(DataFrame.unionAll, [frontier, *plans])
            found = with_copies(candidates, copies, self._width, self._first_literal).distinct()
            # What the driver derives by itself is known to go, or to stay.
            frontier = self._inferred_among(found.where(~by_itself), gone, explicit)
            gone, relations, rules = gone.unionAll(frontier), self._relations(frontier), []
        return gone

    def _inferred_among(self, candidates: DataFrame, gone: DataFrame, explicit: Facts) -> DataFrame:
        """Those of some facts that were there, are not explicit, and not gone yet. Cost: all facts are shuffled where
        the candidates are many bytes; otherwise those of their relations are read."""
        columns = fact_columns(self._width)
        kept, here = self._checkpoints.keep_here(candidates)
        if here is None:
            known = kept.join(self.facts.all(), columns, "left_semi").join(explicit.all(), columns, "left_anti")
        else:
            relations = np.unique(here[RELATION].to_numpy())
            known = self._not_explicit(self.facts.known_among(kept, relations), relations, explicit)
        return self._checkpoints.keep(known.join(gone, columns, "left_anti"))

    def _first_gone(self, losses: DriverLosses, removed: DataFrame, explicit: Facts) -> DataFrame:
        """The explicit facts that went, and those that the driver lost and that are not explicit."""
        if not losses.facts:
            return removed
        rows = rows_of(losses.facts, self.terms, self._width)
        relations = np.unique(rows[RELATION].to_numpy())
        lost = self._not_explicit(frame_of(self.dataset.spark, rows), relations, explicit)
        return self._checkpoints.keep(removed.unionAll(lost).distinct())

    def _not_explicit(self, few: DataFrame, relations: Numbers, explicit: Facts) -> DataFrame:
        """Those of a few facts of some relations that are not explicit."""
        alike = explicit.of(relations) if is_listed(relations) else explicit.all()
        return few.join(F.broadcast(among(alike, few)), fact_columns(self._width), "left_anti")

    def _rules_gone(self, due: Sequence[RuleGroup], losses: DriverLosses) -> list[RuleGroup]:
        """The rules of the cluster that went."""
        found = []
        for group in losses.rules:
            for evaluated in due:
                if evaluated.family == group.family:
                    gone = evaluated.where(np.isin(as_keys(evaluated.parameters), as_keys(group.parameters)))
                    found += [gone] if len(gone.parameters) else []
        return found

    @staticmethod
    def _relations(facts: DataFrame) -> list[int]:
        codes = few_rows(facts.select(RELATION).distinct(), driver_limits.RELATIONS, "relations with facts")
        return [int(code) for code in codes[RELATION].to_pylist()]
