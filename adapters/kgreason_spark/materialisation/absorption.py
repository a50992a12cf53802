"""What the driver takes in before a round: the facts of resident relations, which its reasoner derives from.

New rules may come of them, new facts of closures, and facts of other relations, which join the next round. With new
facts more relations may become resident ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason_spark.materialisation.cluster_facts import ClusterFacts
from kgreason_spark.materialisation.derivation import Derivation
from kgreason_spark.materialisation.driver_limits import check_residents
from kgreason_spark.materialisation.every_triple import EveryTriple
from kgreason_spark.materialisation.fact_columns import RELATION, Numbers, argument, of_relations

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from kgreason.relations.table import Columns, Table
    from kgreason_spark.materialisation.dataset import Dataset
    from kgreason_spark.materialisation.driver_limits import Limits
    from kgreason_spark.materialisation.parameter_frames import Codes
    from kgreason_spark.materialisation.reasoner import Reasoner
    from kgreason_spark.materialisation.round_checkpoints import Checkpoints, Round
    from kgreason_spark.materialisation.term_ids import Terms


@dataclass(slots=True)
class News:
    """The facts that the driver learned before a round: resident relations with new facts, and facts of other
    relations."""

    residents: set[int] = field(default_factory=set)
    shipped: dict[int, list[Table]] = field(default_factory=dict)

    def follow(self, earlier: News) -> None:
        """Add what was learned before a round that was not derived from it."""
        self.residents |= earlier.residents
        for code, tables in earlier.shipped.items():
            self.shipped.setdefault(code, []).extend(tables)


class Absorption(Derivation):
    """A derivation whose driver takes in facts of the cluster's, round after round."""

    def __init__(
        self, dataset: Dataset, reasoner: Reasoner, terms: Terms, checkpoints: Checkpoints, limits: Limits
    ) -> None:
        super().__init__(dataset, reasoner, terms, checkpoints, limits)
        self._every: EveryTriple | None = None
        if reasoner.triple is not None:
            type_id = int(terms.identify([RDF_TYPE])[0])
            self._every = EveryTriple(reasoner.triple, type_id, dataset.manifest.terms, terms, self._width)
        self.facts = ClusterFacts(self._triples, checkpoints, self._every)
        self._limits = limits
        self._counts = Counter(self._triples.counts())

    def _absorb(self, last: Round | None) -> News:
        """Let the driver take in what the last round, or the explicit triples, have of resident relations.

        Raises:
            BudgetError: with what the driver derives of them, there are more facts than the budget allows.
        """
        news = News()
        if last is None:
            self._record(self.reasoner.begin(), news)
        else:
            self._counts.update(last.relations)
            self._check_residents()
            came = self.residents & last.relations.keys()
            if came:
                self._take(self._checkpoints.last_of(_codes(came)), news)
        while True:
            fresh = self._new_residents()
            if not fresh:
                break
            self.residents |= fresh
            self._check_residents()
            if known := fresh & self._counts.keys():
                self._take(self.facts.gathered(_codes(known)), news)
            news.residents |= {code for code in fresh if self.table(code)}
        for code in news.shipped.keys() & self.residents:
            del news.shipped[code]
        self._checkpoints.check_with(self.reasoner.derived(map(self.driver_code, self.residents)))
        return news

    def _new_residents(self) -> set[int]:
        codes = np.fromiter(self._counts, dtype=np.int64)
        driver = self.terms.relations_to_driver(codes).tolist()
        movable = dict(zip(driver, self._counts.values(), strict=True))
        moved = self.terms.relations_to_driver(_codes(self._checkpoints.moved)).tolist()
        every = [] if self._every is None else [self._every.code]
        found = self.reasoner.residents(
            [*driver, *every], movable, self._limits.moved, self._limits.driver_facts, [*moved, *every]
        )
        return set(self.terms.relations_to_cluster(np.fromiter(found, dtype=np.int64)).tolist()) - self.residents

    def _check_residents(self) -> None:
        """MovedError where resident relations have more facts than may be on the driver."""
        sizes = {code: self._counts[code] for code in self.residents & self._counts.keys()}
        codes = [{self.cluster_code(code) for code in closure} for closure in self.reasoner.closures]
        rules_about = self.reasoner.rules_about
        check_residents(sizes, codes, self._limits.driver_facts, lambda code: rules_about(self.driver_code(code)))

    def _take(self, found: pa.Table, news: News) -> None:
        """Hand facts of resident relations over to the reasoner."""
        self._record(self.reasoner.add(self._by_relation(found)), news)

    def _by_relation(self, found: pa.Table) -> dict[int, Columns]:
        """The columns of facts of resident relations, by the driver's codes and with its ids."""
        relation = numbers(found, RELATION)
        columns = [numbers(found, argument(position)) for position in range(self._width)]
        columns_of: dict[int, Columns] = {}
        # One look through the dictionary; 0 stands where a relation has no argument, and is an id or that of no term.
        self.terms.to_driver(np.concatenate([column[column != 0] for column in columns]))
        for code in np.unique(relation).tolist():
            rows = relation == code
            driver = self.driver_code(code)
            arity = self.reasoner.arity(driver)
            columns_of[driver] = tuple(self.terms.to_driver(column[rows]) for column in columns[:arity])
        return columns_of

    def _record(self, added: Mapping[int, Table], news: News) -> None:
        for driver, table in added.items():
            code = self.cluster_code(driver)
            if code in self.residents:
                news.residents.add(code)
            else:
                news.shipped.setdefault(code, []).append(table)

    def facts_of(self, code: int) -> DataFrame:
        """The facts of a relation, wherever they are."""
        table = self.table(code) if code in self.residents else None
        codes = np.array([code])
        if table is None:
            return of_relations(self.facts.of(codes), codes)
        return reduce(DataFrame.unionAll, self.prepared({code: table}, table.arity).facts())

    def _with_facts(self) -> Codes:
        """The relations that have facts, here or there."""
        found = [*self._counts, *(code for code in self.residents if self.table(code))]
        return np.array(self.facts.with_every(found), dtype=np.int64)


def numbers(table: pa.Table, name: str) -> Numbers:
    """A column of a table here."""
    return np.asarray(table[name].to_numpy(), dtype=np.int64)


def _codes(relations: set[int]) -> Codes:
    return np.array(sorted(relations), dtype=np.int64)
