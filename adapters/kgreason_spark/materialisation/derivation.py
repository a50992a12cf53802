"""All facts that follow from a dataset, wherever they are: what `inferred_frames` reads.

Resident relations are on the driver, whole; the facts of others are on the cluster, explicit and derived ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason_spark.arrow_frames import frame_of_arrow
from kgreason_spark.materialisation.driver_limits import Limits
from kgreason_spark.materialisation.fact_columns import frame_of
from kgreason_spark.materialisation.label_frames import WrittenLabels
from kgreason_spark.materialisation.residents import Preparation, Residents

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason.relations.catalogue import Definition
    from kgreason.relations.table import Table
    from kgreason_spark.materialisation.dataset import Dataset, Facts
    from kgreason_spark.materialisation.reasoner import Reasoner
    from kgreason_spark.materialisation.round_checkpoints import Checkpoints
    from kgreason_spark.materialisation.term_ids import Terms


class Derivation:
    """The facts of a dataset and those that follow; `residents` are relations by the cluster's codes."""

    def __init__(
        self, dataset: Dataset, reasoner: Reasoner, terms: Terms, checkpoints: Checkpoints, limits: Limits
    ) -> None:
        self.dataset = dataset
        self.reasoner = reasoner
        self.terms = terms
        self.residents: set[int] = set()
        self._checkpoints = checkpoints
        self._width = checkpoints.width
        labels = WrittenLabels(dataset.spark, terms, checkpoints.keep_all)
        self._preparation = Preparation(dataset.spark, terms, labels, checkpoints.keep, limits)

    @cached_property
    def _triples(self) -> Facts:
        return self.dataset.facts(self.dataset.ids([RDF_TYPE]).get(RDF_TYPE), self._width)

    @cached_property
    def explicit(self) -> DataFrame:
        """All explicit facts."""
        return self._triples.all()

    def derived(self) -> DataFrame:
        """All facts that rounds derived."""
        found = self._checkpoints.all()
        return self.explicit.limit(0) if found is None else found

    def sizes(self) -> Counter[int]:
        """How many facts rounds derived of each relation."""
        return sum((Counter(one.relations) for one in self._checkpoints.rounds), Counter())

    def rows(self, pairs: bool) -> pa.Table | None:
        """Where all facts are on the driver, and few: the inferred ones of classes and properties as columns
        `fact_columns(2)`, those of labels only with `pairs`."""
        return None

    def dictionary(self) -> DataFrame:
        """The columns `id` and `term`, also of terms that rules brought."""
        here = self.dataset.local_dictionary
        if here is None and not self.terms.new:
            return self.dataset.dictionary()
        ids, terms = pa.array([*self.terms.new.values()], pa.int64()), pa.array([*self.terms.new], pa.string())
        new = pa.table({"id": ids, "term": terms})
        if here is not None:
            return frame_of(self.dataset.spark, pa.concat_tables([here, new]))
        return self.dataset.dictionary().unionAll(frame_of_arrow(self.dataset.spark, new))

    def definitions(self) -> Mapping[int, Definition]:
        """How schemes keep the resident relations, by the driver's codes."""
        residents = {self.driver_code(code) for code in self.residents}
        defined = self.reasoner.engine.definitions
        return {code: definition for code, definition in defined.items() if code in residents}

    def table(self, code: int) -> Table | None:
        """All facts of a resident relation, by the cluster's code, with the driver's ids."""
        return self.reasoner.table(self.driver_code(code))

    def prepared(self, tables: Mapping[int, Table], width: int) -> Residents:
        """Tables of resident relations, by the cluster's codes, ready for joins; rows have `width` arguments."""
        return self._preparation.residents(tables, self.residents, width)

    def keep(self, rows: DataFrame) -> DataFrame:
        """Rows written down beside the rounds, and read back."""
        return self._checkpoints.keep(rows)

    def driver_code(self, code: int) -> int:
        """The driver's code of a relation."""
        return int(self.terms.relations_to_driver(np.array([code]))[0])

    def cluster_code(self, code: int) -> int:
        """The cluster's code of a relation."""
        return int(self.terms.relations_to_cluster(np.array([code]))[0])
