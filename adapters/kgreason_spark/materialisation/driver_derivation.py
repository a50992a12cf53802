"""Few triples: everything is derived on the driver, by the engine of every store, without any job of Spark.

Planning and starting the stages of a round takes seconds, even where they have little to do; the engine derives a
million facts in one. So it gets all triples where they are no more than `spark_tuning.DRIVER_DERIVED`, and gives up
once as many facts follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from kgreason.errors import BudgetError
from kgreason.io.parts import Part, encoded
from kgreason.io.quads import Quads
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason_spark import spark_tuning
from kgreason_spark.budgets import capped, is_of_cap
from kgreason_spark.materialisation.derivation import Derivation
from kgreason_spark.materialisation.driver_limits import LIMITS
from kgreason_spark.materialisation.fact_columns import Numbers, fact_columns
from kgreason_spark.materialisation.reasoner import Reasoner
from kgreason_spark.materialisation.round_checkpoints import Checkpoints, Round
from kgreason_spark.materialisation.term_ids import Terms

if TYPE_CHECKING:
    from kgreason.program.rules import Program
    from kgreason.relations.catalogue import Catalogue, Definition
    from kgreason.relations.table import Table
    from kgreason_spark.materialisation.dataset import Dataset

_PAIR: Final = 2


class DriverDerivation(Derivation):
    """A dataset on the driver, with all that follows from it: every relation is resident."""

    def __init__(self, dataset: Dataset, reasoner: Reasoner, terms: Terms, checkpoints: Checkpoints, most: int) -> None:
        super().__init__(dataset, reasoner, terms, checkpoints, LIMITS)
        self._most = most + dataset.manifest.triples
        engine = reasoner.engine
        terms.mapping()  # before something asks which terms are new
        codes = np.fromiter(engine.facts, dtype=np.int64)
        self.residents = set(terms.relations_to_cluster(codes).tolist())
        explicit = {code: len(table) for code, table in engine.explicit.items()}
        self._labelled = reasoner.residents(codes.tolist(), explicit, LIMITS.moved)

    def definitions(self) -> Mapping[int, Definition]:
        """How schemes keep the relations that would be resident beside a cluster, too: all others are written out, and
        so is a closure that takes part in a recursion with other rules."""
        return {code: found for code, found in self.reasoner.engine.definitions.items() if code in self._labelled}

    def as_round(self, seconds: float) -> Round:
        """The one round that this was, with the facts that the engine wrote out."""
        derived = {self.cluster_code(code): len(table) for code, table in self._inferred(pairs=False)}
        return Round(0, {code: facts for code, facts in derived.items() if facts}, round(seconds, 3))

    def is_small(self, pairs: bool) -> bool:
        """Whether the facts are few enough to be written out here; those of labels count with `pairs`."""
        return sum(table.estimate for _, table in self._stored(pairs)) <= self._most

    def rows(self, pairs: bool) -> pa.Table | None:
        """The inferred facts, if they are few."""
        if not self.is_small(pairs):
            return None
        found: list[list[Numbers]] = [[np.empty(0, dtype=np.int64)] * (_PAIR + 1)]
        for code, table in self._inferred(pairs):
            if kind_of(code) == AUXILIARY:
                continue
            for columns in table.chunks():
                arguments = [self.terms.to_cluster(column) for column in columns]
                nothing = [np.zeros(len(columns[0]), dtype=np.int64)] * (_PAIR - len(arguments))
                found.append([np.full(len(columns[0]), self.cluster_code(code), dtype=np.int64), *arguments, *nothing])
        merged = map(np.concatenate, zip(*found, strict=True))
        return pa.table(dict(zip(fact_columns(_PAIR), merged, strict=True)))

    def _inferred(self, pairs: bool) -> Iterator[tuple[int, Table]]:
        """The stored facts that are not explicit."""
        for code, table in self._stored(pairs):
            known = self.reasoner.engine.explicit.get(code)
            yield code, table.difference(known) if known else table

    def _stored(self, pairs: bool) -> Iterator[tuple[int, Table]]:
        """By the driver's codes the facts that labels do not say; all facts with `pairs`."""
        engine, defined = self.reasoner.engine, {} if pairs else self.definitions()
        for code, table in engine.facts.items():
            found = engine.external.get(code) if code in defined else table
            if found:
                yield code, found


def derived_here(
    dataset: Dataset, program: Program, checkpoints: Checkpoints, schemes: str | Catalogue, most: int
) -> DriverDerivation | None:
    """A dataset of at most `most` triples with what follows; None where it has more, or more follow.

    Raises:
        BudgetError: more follows than the budget of the checkpoints allows.
        LoadError: the dataset cannot be read.
        StratificationError: the rules cannot be used.
    """
    manifest = dataset.manifest
    size = sum(file.bytes for file in manifest.files)
    if not most or manifest.triples > most or size > spark_tuning.DRIVER_DERIVED_BYTES:
        return None
    begin = monotonic()
    reasoner = Reasoner(program, schemes=schemes, is_alone=True)
    read = dataset.read()
    part = Part(read.terms, Quads(read.graph, read.subject, read.predicate, read.object))
    quads, (ids,) = encoded([part], reasoner.dictionary, [0])
    if len(np.unique(ids)) < len(ids):  # two terms of the cluster are one here
        return None
    terms = Terms(reasoner.dictionary, dataset, checkpoints.terms)
    terms.learn_all(ids)
    try:
        reasoner.derive(quads, capped(checkpoints.budget, most))
    except BudgetError as error:
        if is_of_cap(error, checkpoints.budget, most):
            return None
        raise
    found = DriverDerivation(dataset, reasoner, terms, checkpoints, most)
    if not found.is_small(pairs=False):
        return None
    checkpoints.rounds.append(found.as_round(monotonic() - begin))
    return found
