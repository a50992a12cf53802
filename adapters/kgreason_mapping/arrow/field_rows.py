"""Fields of a logical view over a batch of records: a row for each combination of their values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from kgreason.rdf.vocabulary import XSD_INTEGER
from kgreason_mapping.arrow.columns import Rows, ValueColumn, combinations, mask_of
from kgreason_mapping.arrow.row_batches import Fault, Records, RowBatch
from kgreason_mapping.arrow.terms import BatchTerms
from kgreason_mapping.arrow.text_records import checked_texts, records_in_texts
from kgreason_mapping.documents.mapping_model import ExpressionField, Field, IterableField
from kgreason_mapping.documents.view_names import POSITION, field_references
from kgreason_mapping.plan.term_rules import text_value


@dataclass(frozen=True, slots=True)
class FieldRows:
    """Values by the names of fields, as many in each column as there are rows; `rows` tells which row of a batch each
    is of, in ascending order."""

    rows: Rows
    columns: Mapping[str, ValueColumn]

    def filled(self, length: int) -> FieldRows:
        """With a row without values for each of so many rows that has none."""
        starts = np.searchsorted(self.rows, np.arange(length), "left")
        counts = np.searchsorted(self.rows, np.arange(length), "right") - starts
        if counts.all():
            return self
        rows = np.repeat(np.arange(length), np.maximum(counts, 1))
        is_known = counts[rows] > 0
        positions = np.zeros(len(rows), dtype=np.int64)
        positions[is_known] = np.arange(len(self.rows))
        at = pa.array(positions, mask=~is_known)
        return FieldRows(rows, {name: column.at(at) for name, column in self.columns.items()})

    def of(self, parents: Rows) -> FieldRows:
        """The same, as rows of what the rows are of."""
        return FieldRows(parents[self.rows], self.columns)


@dataclass(frozen=True, slots=True)
class FieldContext:
    """What fields are evaluated with: the `positions` that are asked for, the values that stand for none, and the
    faults of texts, which are gathered."""

    positions: Collection[str] = ()
    nulls: frozenset[str] = frozenset()
    faults: list[Fault] = field(default_factory=list)

    def position(self, name: str, numbers: Rows) -> dict[str, ValueColumn]:
        """The column of the positions of a field, where it is asked for."""
        return {name + POSITION: number_column(numbers)} if name + POSITION in self.positions else {}


def number_column(numbers: Rows) -> ValueColumn:
    """Numbers as values."""
    return ValueColumn(pa.array(numbers).cast(pa.string()), None, XSD_INTEGER)


def positions_in(rows: Rows) -> Rows:
    """The position of each element among those of its row."""
    return np.arange(len(rows)) - np.searchsorted(rows, rows, "left")


def product(each: Sequence[FieldRows], length: int) -> FieldRows:
    """All combinations of the rows of several for each row of a batch."""
    whole = np.arange(length)
    rows, positions = combinations([None if np.array_equal(one.rows, whole) else one.rows for one in each])
    return FieldRows(
        whole if rows is None else rows,
        {name: column.at(at) for one, at in zip(each, positions, strict=True) for name, column in one.columns.items()},
    )


def rows_of_fields(batch: RowBatch, fields: Sequence[Field], context: FieldContext, prefix: str = "") -> FieldRows:
    """The rows that fields make of a batch, for each of its rows one at least."""
    terms = BatchTerms(batch, "")
    each = [
        _of_expression(terms, one, context, prefix)
        if isinstance(one, ExpressionField)
        else _of_records(*batch.records(one.iterator or ""), one, context, prefix)
        for one in fields
    ]
    return product([one.filled(batch.length) for one in each], batch.length)


def _of_expression(terms: BatchTerms, asked: ExpressionField, context: FieldContext, prefix: str) -> FieldRows:
    name = prefix + asked.name
    column = terms.texts(text_value(asked.expression))
    rows = np.arange(terms.rows.length) if column.rows is None else column.rows
    places = positions_in(rows)
    known = np.flatnonzero(mask_of(column.texts.is_valid()))
    column, rows = column.at(known), rows[known]
    own = FieldRows(np.arange(len(rows)), {name: column, **context.position(name, places[known])})
    inside = [
        _of_records(*records_in_texts(one, column.texts, context.nulls, context.faults), one, context, f"{name}.")
        for one in asked.fields
    ]
    return product([own, *(one.filled(len(rows)) for one in inside)], len(rows)).of(rows)


def _of_records(
    parents: Rows, batch: RowBatch, asked: IterableField, context: FieldContext, prefix: str
) -> FieldRows:
    name = prefix + asked.name
    inner = rows_of_fields(batch, asked.fields, context, f"{name}.")
    places = context.position(name, positions_in(parents)[inner.rows])
    return FieldRows(inner.rows, {**inner.columns, **places}).of(parents)


def check_fields(records: Records, fields: Sequence[Field]) -> None:
    """Raise MappingError for a field that records of this form cannot have."""
    for one in fields:
        if isinstance(one, IterableField):
            check_fields(records.nested(one.iterator or ""), one.fields)
            continue
        for reference in field_references([one], deep=False):
            records.check(reference)
        for inner in one.fields:
            check_fields(checked_texts(inner), inner.fields)
