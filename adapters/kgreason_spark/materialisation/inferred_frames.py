"""The results of a derivation: inferred triples, apart from explicit ones, and closures as labels or as pairs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from kgreason.io.encoded.label_tables import definitions_text
from kgreason.io.encoded.manifest import TermCounts
from kgreason.rdf import keys
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.catalogue import EQUIVALENCE, TRANSITIVE, Definition
from kgreason.relations.codes import AUXILIARY, CLASS, identifier_of, kind_of
from kgreason.relations.table import Table
from kgreason_spark.arrow_frames import frame_of_arrow
from kgreason_spark.materialisation import driver_limits
from kgreason_spark.materialisation.closure_tables import Labels, labels_of, written_definition
from kgreason_spark.materialisation.driver_limits import few_rows
from kgreason_spark.materialisation.fact_columns import RELATION, argument, fact_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason.relations.table import Ids
    from kgreason_spark.materialisation.derivation import Derivation
    from kgreason_spark.materialisation.fact_columns import Numbers

_PAIR = 2


@dataclass(frozen=True)
class Results:
    """The triples that follow from those of a dataset, and are not among them.

    With `pairs`, closures are written out, on the executors; otherwise `labels` and `definitions` say what they are,
    and of the relations in `definitions` only what other rules derive is among the triples.
    """

    derivation: Derivation
    pairs: bool

    @cached_property
    def terms(self) -> tuple[TermCounts, pa.Table]:
        """The terms that the triples and labels need beside those of the dataset, as columns `id` and `term`."""
        terms, wanted_ids = self.derivation.terms, self._used
        used = [key for key, identifier in terms.new.items() if identifier in wanted_ids]
        kinds = np.array([keys.kind_of(key) for key in used], dtype=np.int64)
        ordered = [
            sorted((key for key, kind in zip(used, kinds.tolist(), strict=True) if kind == wanted), key=str.encode)
            for wanted in (IRI_KIND, BLANK_KIND, LITERAL_KIND)
        ]
        iris, blanks, literals = map(len, ordered)
        counts = TermCounts(iris, blanks, literals, first=terms.first_new)
        names = [key for part in ordered for key in part]
        ids = np.arange(counts.first, counts.first + len(names), dtype=np.int64)
        return counts, pa.table({"id": pa.array(ids), "term": pa.array(names, pa.string())})

    @cached_property
    def table(self) -> pa.Table | None:
        """The inferred triples, each once, where they are on the driver, and few: `subject`, `predicate`, `object`."""
        if self._rows is None:
            return None
        relation, first, second = (column.to_numpy() for column in self._rows.columns)
        is_class = relation & 3 == CLASS
        type_id = int(self.derivation.terms.identify([RDF_TYPE])[0])
        predicate = np.where(is_class, type_id, relation >> 2)
        columns = (first.copy(), predicate, np.where(is_class, relation >> 2, second))
        names = ("subject", "predicate", "object")
        return pa.table({name: self._renamed(column) for name, column in zip(names, columns, strict=True)})

    @cached_property
    def triples(self) -> DataFrame:
        """The inferred triples, each once: `subject`, `predicate`, `object`."""
        return self._renumbered(self.cluster_triples)

    @cached_property
    def cluster_triples(self) -> DataFrame:
        """The same with the ids that terms have on the cluster, which are final only for those of the dataset."""
        kind = F.col(RELATION).bitwiseAND(3)
        named = F.shiftright(F.col(RELATION), 2)
        type_id = int(self.derivation.terms.identify([RDF_TYPE])[0])
        is_class = kind == CLASS
        return self._facts.select(
            F.col(argument(0)).alias("subject"),
            F.when(is_class, F.lit(type_id)).otherwise(named).alias("predicate"),
            F.when(is_class, named).otherwise(F.col(argument(1))).alias("object"),
        )

    @cached_property
    def labels(self) -> Labels:
        """The labels of the transitive relations, and the components of the equivalences."""
        tables = {self._labelled(code): table for code, table in self._closures.items()}
        for definition in self._definitions:
            code, inverse = self._code_of(definition), self._inverse_of(definition)
            if inverse is not None and code in self._closures:
                # A reader may number the members in another order, and begin with one that is turned round.
                tables[self._labelled(inverse)] = self._closures[code].inverse()
        return labels_of(tables, self._identify)

    @property
    def closed(self) -> int:
        """How many pairs the labels stand for."""
        return sum(map(len, self._closures.values()))

    @property
    def definitions(self) -> str:
        """How closures, and what is made of them, follow from other relations: JSON."""
        written = []
        for definition in self._definitions:
            code, inverse = self._code_of(definition), self._inverse_of(definition)
            labels = self._labelled(code) if code in self._closures else None
            inverse_labels = None if inverse is None or labels is None else self._labelled(inverse)
            written.append(written_definition(definition, labels, inverse_labels, self.derivation.reasoner))
        return definitions_text(written)

    @cached_property
    def _closures(self) -> dict[int, Table]:
        """The transitive relations and equivalences by the cluster's code of their first member."""
        found: dict[int, Table] = {}
        for definition in self._definitions:
            table = self.derivation.reasoner.table(definition.members[0].code)
            if table and definition.closure in (TRANSITIVE, EQUIVALENCE):
                found[self._code_of(definition)] = table
        return found

    def _code_of(self, definition: Definition) -> int:
        return self.derivation.cluster_code(definition.members[0].code)

    def _inverse_of(self, definition: Definition) -> int | None:
        """The cluster's code of the first member of a transitive relation that is the other way round."""
        turned = (member.code for member in definition.members if member.inverse)
        first = next(turned, None) if definition.closure == TRANSITIVE else None
        return None if first is None else self.derivation.cluster_code(first)

    def _labelled(self, code: int) -> int:
        """The number of a relation in labels: the id of its IRI, or for an auxiliary one a number that is not an id."""
        return ~identifier_of(code) if kind_of(code) == AUXILIARY else self._final(identifier_of(code))

    @cached_property
    def _definitions(self) -> list[Definition]:
        """The definitions of the resident relations that have facts."""
        reasoner = self.derivation.reasoner
        defined = self.derivation.definitions().items()
        return list({definition: None for code, definition in defined if reasoner.table(code)})

    # -- facts --------------------------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> pa.Table | None:
        return self.derivation.rows(self.pairs)

    @cached_property
    def _facts(self) -> DataFrame:
        if self._rows is not None:
            return frame_of_arrow(self.derivation.dataset.spark, self._rows)
        derivation = self.derivation
        derived = derivation.derived()
        is_auxiliary = F.col(RELATION).bitwiseAND(3) == AUXILIARY
        derived = derived.filter(~is_auxiliary & ~F.col(RELATION).isin(sorted(derivation.residents)))
        parts = [derived.select(*fact_columns(_PAIR))]
        columns = fact_columns(_PAIR)
        explicit = derivation.explicit.select(*columns)
        for resident in derivation.prepared(self._resident_tables, _PAIR).facts():
            parts.append(resident.join(explicit, columns, "left_anti"))
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.unionAll(part)
        return derivation.keep(whole)

    def sizes(self) -> dict[int, int]:
        """At most how many inferred triples there are of each predicate, where they are on the cluster."""
        type_id = int(self.derivation.terms.identify([RDF_TYPE])[0])
        found: Counter[int] = Counter()
        for code, size in self._sizes.items():
            found[self._final(type_id if kind_of(code) == CLASS else identifier_of(code))] += size
        return found

    @property
    def most(self) -> int:
        """At most how many inferred triples there are, where they are on the cluster."""
        return sum(self._sizes.values())

    @cached_property
    def _sizes(self) -> dict[int, int]:
        """At most how many facts of each relation are written as triples, by the cluster's codes."""
        derived, residents = self.derivation.sizes().items(), self.derivation.residents
        found = {code: size for code, size in derived if not (code in residents or kind_of(code) == AUXILIARY)}
        return found | {code: len(table) for code, table in self._resident_tables.items()}

    @cached_property
    def _resident_tables(self) -> dict[int, Table]:
        """The facts of resident relations that are written as triples, by the cluster's codes."""
        tables: dict[int, Table] = {}
        engine, defined = self.derivation.reasoner.engine, self.derivation.definitions()
        for code in self.derivation.residents:
            driver = self.derivation.driver_code(code)
            table = engine.facts.get(driver)
            if not table or kind_of(code) == AUXILIARY:
                continue
            if driver not in defined or self.pairs:
                tables[code] = table
            elif external := engine.external.get(driver):
                tables[code] = external
        return tables

    # -- ids of new terms ---------------------------------------------------------------------------------------

    @cached_property
    def _used(self) -> set[int]:
        """The ids of new terms in the facts and in the closures."""
        terms = self.derivation.terms
        if not terms.new:
            return set()
        found = self._fresh_ids()
        codes = [self._code_of(definition) for definition in self._definitions]
        named = [identifier_of(code) for code in codes if kind_of(code) != AUXILIARY]
        named.append(int(terms.identify([RDF_TYPE])[0]))
        for table in () if self.pairs else self._closures.values():
            named += terms.to_cluster(np.union1d(table.distinct(0), table.distinct(1))).tolist()
        return found | (set(named) & set(terms.new.values()))

    def _fresh_ids(self) -> set[int]:
        """The ids in the facts that are not the dataset's."""
        first_new = self.derivation.terms.first_new
        if self._rows is not None:
            relation, *arguments = (column.to_numpy() for column in self._rows.columns)
            ids = np.unique(np.concatenate([relation >> 2, *arguments]))
            return set(ids[(ids < 0) | (ids >= first_new)].tolist())
        places = [F.shiftright(F.col(RELATION), 2), F.col(argument(0)), F.col(argument(1))]
        are_fresh = [~place.between(0, first_new - 1) for place in places]
        named = [F.when(is_fresh, place) for is_fresh, place in zip(are_fresh, places, strict=True)]
        rows = self._facts.where(reduce(or_, are_fresh))
        fresh = rows.select(F.explode(F.array(*named)).alias("id")).where("id IS NOT NULL").distinct()
        return set(few_rows(fresh, driver_limits.TERMS, driver_limits.COMPUTED)["id"].to_pylist())

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """The final id of each new term that is used."""
        _, table = self.terms
        names, ids = table["term"].to_pylist(), table["id"].to_pylist()
        return {self.derivation.terms.new[name]: identifier for name, identifier in zip(names, ids, strict=True)}

    def _final(self, identifier: int) -> int:
        return self._numbers.get(identifier, identifier)

    def _identify(self, ids: Ids) -> Numbers:
        return self._renamed(self.derivation.terms.to_cluster(ids))

    def _renamed(self, found: Numbers) -> Numbers:
        """Final ids, in the same array."""
        fresh = np.flatnonzero((found < 0) | (found >= self.derivation.terms.first_new))
        found[fresh] = [self._final(identifier) for identifier in found[fresh].tolist()]
        return found

    def _renumbered(self, triples: DataFrame) -> DataFrame:
        if not self._numbers:
            return triples
        ids = pa.array([*self._numbers], pa.int64()), pa.array([*self._numbers.values()], pa.int64())
        final = F.broadcast(frame_of_arrow(triples.sparkSession, pa.table(ids, ["new", "final"])))
        for name in triples.columns:
            joined = triples.join(final, triples[name] == final["new"], "left")
            triples = joined.withColumn(name, F.coalesce("final", name)).drop("new", "final")
        return triples
