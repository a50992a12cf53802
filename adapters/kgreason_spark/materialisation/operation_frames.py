"""Filters and assignments on the cluster: ids decide where they can, otherwise the terms are looked up.

Built-ins are those of every store, evaluated batch by batch, once for each combination of terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from kgreason.algebra.expressions.tree import Call, leaves
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Operation
from kgreason.relations.codes import AUXILIARY
from kgreason.store.column_operations import Operations
from kgreason_spark.arrow_frames import frame_of_arrow
from kgreason_spark.materialisation import driver_limits
from kgreason_spark.materialisation.driver_limits import few_rows
from kgreason_spark.materialisation.fact_columns import frame_of, schema_text
from kgreason_spark.materialisation.parameter_frames import RuleGroup, column_of
from kgreason_spark.materialisation.sent import Batches
from kgreason_spark.materialisation.term_ids import Terms

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason.relations.table import Ids

_TERM: Final = "term of "
_RESULT: Final = "value"


@dataclass(frozen=True)
class Values:
    """The terms of the cluster: `dictionary` gives the columns `id` and `term`, those of terms that were computed just
    now among them; `keep` writes rows down and reads them back, before something looks at them twice, and gives them
    here, too, where they are few bytes; `triple` is the relation of all triples, where rules have it."""

    dictionary: Callable[[], DataFrame]
    terms: Terms
    keep: Callable[[DataFrame], tuple[DataFrame, pa.Table | None]]
    triple: int | None = None

    def assigned(self, rows: DataFrame, template: RuleTemplate) -> DataFrame:
        """The rows with the variables that the template assigns, as far as they have a value."""
        waiting = list(template.assignments)
        while waiting:
            number, operation = next(a for a in waiting if _columns(a[1]) <= set(rows.columns))
            waiting.remove((number, operation))
            rows = self._assign(rows, number, operation)
        return rows

    def filtered(self, rows: DataFrame, operations: Sequence[Operation]) -> DataFrame:
        """The rows that pass some filters of their template."""
        for operation in operations:
            rows = self._test(rows, operation)
        return rows

    def is_decided_by_ids(self, operation: Operation, group: RuleGroup) -> bool:
        """Whether an equality is never between two literals, which may have the same value as different terms."""
        if operation.function not in ("=", "!=") or any(isinstance(part, Call) for part in operation.arguments):
            return False
        return any(self._is_resource(slot, group) for slot in leaves(operation))

    def _is_resource(self, slot: int, group: RuleGroup) -> bool:
        template, parameters = group.template, group.parameters
        if slot < 0:
            constants = np.unique(parameters[:, ~slot]).tolist()
            return not any(self.terms.is_literal(identifier) for identifier in constants)
        for atom in [*template.body, *([template.head] if template.head is not None else [])]:
            codes = parameters[:, atom.relation]
            is_every = self.triple is not None and bool((codes == self.triple).all())
            if is_every and slot in atom.arguments[:2]:  # a head with a literal there is no triple
                return True
            is_checked = atom is not template.head or template.checked
            if is_checked and bool(((codes & 3) != AUXILIARY).all()) and atom.arguments[0] == slot:
                return True
        return False

    def _test(self, rows: DataFrame, operation: Operation) -> DataFrame:
        names = rows.columns
        with_terms = self._with_terms(rows, operation)
        return with_terms.mapInArrow(_tester(operation), with_terms.schema).select(*names)

    def _assign(self, rows: DataFrame, number: int, operation: Operation) -> DataFrame:
        names = rows.columns
        target = column_of(number)
        with_terms = self._with_terms(rows, operation)
        schema = f"{schema_text(with_terms)}, {_RESULT} string"
        computed, here = self.keep(with_terms.mapInArrow(_computer(operation), schema).select(*names, _RESULT))
        joined, _ = self.identified(computed, here, _RESULT, "found")
        if target in names:
            return joined.filter(f"{target} = found").drop("found")
        return joined.withColumnRenamed("found", target)

    def identified(
        self, rows: DataFrame, here: pa.Table | None, name: str, target: str
    ) -> tuple[DataFrame, pa.Table | None]:
        """Rows, and those that are `here`, with the ids of the terms whose keys a column has in place of the column."""
        results = here if here is not None else _computed(rows.select(name))
        found = results[name].unique().to_pylist()
        ids = self.terms.identify(found)
        if here is None:
            table = pa.table({name: pa.array(found, pa.string()), target: pa.array(ids)})
            return rows.join(F.broadcast(frame_of_arrow(rows.sparkSession, table)), name).drop(name), None
        numbers = pc.index_in(here[name], value_set=pa.array(found, pa.string())).to_numpy()
        table = here.drop_columns([name]).append_column(target, pa.array(ids[numbers], pa.int64()))
        return frame_of(rows.sparkSession, table), table

    def _with_terms(self, rows: DataFrame, operation: Operation) -> DataFrame:
        """The rows with the term of each column that the operation reads."""
        dictionary = self.dictionary()
        for column in sorted(_columns(operation)):
            terms = dictionary.selectExpr(f"id AS {column}", f"term AS `{_TERM}{column}`")
            rows = rows.join(terms, column)
        return rows


def _computed(keys: DataFrame) -> pa.Table:
    """The distinct keys of terms that were computed; SparkError where they are too many."""
    return few_rows(keys.distinct(), driver_limits.TERMS, driver_limits.COMPUTED)


def _columns(operation: Operation) -> set[str]:
    return {column_of(slot) for slot in leaves(operation)}


def _tester(operation: Operation) -> Callable[[Batches], Batches]:
    def test(batches: Batches) -> Batches:
        for batch in batches:
            dictionary, columns = _encoded(batch, operation)
            kept = Operations(dictionary).test(operation, columns, batch.num_rows)
            yield batch.filter(pa.array(np.asarray(kept)))

    return test


def _computer(operation: Operation) -> Callable[[Batches], Batches]:
    def compute(batches: Batches) -> Batches:
        for batch in batches:
            dictionary, columns = _encoded(batch, operation)
            values, defined, _ = Operations(dictionary).compute(operation, columns, batch.num_rows)
            values, defined = np.broadcast_to(values, batch.num_rows), np.broadcast_to(defined, batch.num_rows)
            keys = keys_of(dictionary, values[defined])
            yield batch.filter(pa.array(defined)).append_column(_RESULT, keys)

    return compute


def keys_of(dictionary: Dictionary, ids: Ids) -> pa.Array:
    """The keys of ids."""
    distinct, back = np.unique(ids, return_inverse=True)
    return pa.array([dictionary.key(i) for i in distinct.tolist()], pa.string()).take(pa.array(back))


def _encoded(batch: pa.RecordBatch, operation: Operation) -> tuple[Dictionary, Mapping[int, Ids]]:
    """A dictionary of the terms in a batch, and its columns by slot."""
    dictionary = Dictionary()
    columns: dict[int, Ids] = {}
    slots: Sequence[int] = sorted(set(leaves(operation)))
    for slot in slots:
        encoded = batch.column(_TERM + column_of(slot)).dictionary_encode()
        ids = dictionary.encode_keys(encoded.dictionary.to_pylist())
        columns[slot] = ids[encoded.indices.to_numpy(zero_copy_only=False)] if len(ids) else ids
    return dictionary, columns
