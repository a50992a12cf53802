"""The facts on the cluster, explicit and derived: all of them, those of some relations, or these here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.materialisation.fact_columns import (
    RELATION,
    arrow_schema,
    fact_columns,
    gathered,
    is_listed,
    of_relations,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason_spark.materialisation.dataset import Facts
    from kgreason_spark.materialisation.every_triple import EveryTriple
    from kgreason_spark.materialisation.parameter_frames import Codes
    from kgreason_spark.materialisation.round_checkpoints import Checkpoints


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """The facts of triples and rounds. The relation of all triples, where rules have it, is made of them and of
    `others`, the facts that are on the driver alone."""

    triples: Facts
    checkpoints: Checkpoints
    everything: EveryTriple | None = None
    others: tuple[DataFrame, ...] = ()

    def all(self) -> DataFrame:
        """All facts, but those of the relation of all triples."""
        derived = self.checkpoints.all()
        return self.triples.all() if derived is None else self.triples.all().unionAll(derived)

    def of(self, relations: Codes) -> DataFrame:
        """The facts of some relations, or all of them where they are many."""
        distinct = np.unique(relations)
        if self.everything is None or self.everything.code not in distinct:
            return self._of_stored(distinct)
        every, others = self._every(), distinct[distinct != self.everything.code]
        return self._of_stored(others).unionAll(every) if len(others) else every

    def gathered(self, relations: Codes) -> pa.Table:
        """The facts of some relations, here."""
        if self.everything is None or self.everything.code not in relations:
            return self._gathered_stored(relations)
        every = to_arrow(self._every()).cast(arrow_schema(self.checkpoints.width))
        others = relations[relations != self.everything.code]
        return pa.concat_tables([self._gathered_stored(others), every]) if len(others) else every

    def new(self) -> DataFrame:
        """The facts that the last round derived."""
        last = self.checkpoints.last()
        return last if self.everything is None else last.unionAll(self.everything.of([last]))

    def unknown(self, candidates: DataFrame) -> DataFrame:
        """Those of some facts that are not known. Cost: all facts are shuffled."""
        return candidates.join(self.all(), fact_columns(self.checkpoints.width), "left_anti")

    def few_unknown(self, candidates: DataFrame) -> DataFrame | None:
        """The same where they are probably few; None where there are no candidates. Cost: these are written down, and
        facts of their relations are read; all are shuffled only where the candidates are many bytes."""
        kept, here = self.checkpoints.keep_here(candidates)
        if here is None:
            return self.unknown(kept)
        if not len(here):
            return None
        known = self.known_among(kept, np.unique(here[RELATION].to_numpy()))
        return kept.join(F.broadcast(known), fact_columns(self.checkpoints.width), "left_anti")

    def known_among(self, few: DataFrame, relations: Codes) -> DataFrame:
        """Those of a few facts of some relations that are known. Cost: these are sent to all executors, and the facts
        of their relations read."""
        return among(self._of_stored(relations), few).distinct()

    def with_every(self, relations: Iterable[int]) -> list[int]:
        """Some relations, and that of all triples where a class or a property is among them."""
        found = list(relations)
        return found if self.everything is None else [*found, *self.everything.code_for(found)]

    def _every(self) -> DataFrame:
        assert self.everything is not None
        return self.everything.of([self.all(), *self.others])

    def _of_stored(self, distinct: Codes) -> DataFrame:
        if not is_listed(distinct):
            return self.all()
        explicit, derived = self.triples.of(distinct), self.checkpoints.all()
        return explicit if derived is None else explicit.unionAll(of_relations(derived, distinct))

    def _gathered_stored(self, relations: Codes) -> pa.Table:
        explicit, derived = self.triples.gathered(relations), self.checkpoints.gathered(relations)
        if explicit is None and derived is None:
            return gathered(self._of_stored(np.unique(relations)), relations)
        if explicit is None:
            explicit = gathered(self.triples.of(relations), relations)
        if derived is None:
            everything = self.checkpoints.all()
            assert everything is not None, "no rounds are no bytes"
            derived = gathered(everything, relations)
        return pa.concat_tables([explicit, derived])


def among(facts: DataFrame, few: DataFrame) -> DataFrame:
    """The facts that are among a few others: those are sent, and the facts stay where they are."""
    return facts.join(F.broadcast(few), facts.columns, "left_semi")
