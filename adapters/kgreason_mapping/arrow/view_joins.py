"""Joins of logical views: the fields that a parent gives, by what its rows are compared by, held in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from kgreason.rdf.hashing import Hashes, hash_column
from kgreason_mapping.arrow.columns import Rows, ValueColumn, combinations, taken
from kgreason_mapping.arrow.field_rows import FieldContext, FieldRows, positions_in, rows_of_fields
from kgreason_mapping.arrow.joins import compared, equal_keys
from kgreason_mapping.arrow.row_batches import Fault, Reader, RowBatch
from kgreason_mapping.arrow.terms import BatchTerms
from kgreason_mapping.documents.mapping_model import Expression, ViewJoin
from kgreason_mapping.plan.term_rules import text_value
from kgreason_mapping.plan.tree import TextValue


@dataclass(frozen=True, slots=True)
class JoinedView:
    """A join, and the rows of its parent by the hashes of what they are compared by."""

    join: ViewJoin
    hashes: Hashes
    keys: pa.Array
    columns: dict[str, ValueColumn]
    faults: Sequence[Fault]

    def matches(self, child: RowBatch, context: FieldContext) -> FieldRows:
        """The fields of the parent's rows for each row of a child's batch that has such."""
        rows, keys = child_keys(self.join, child)
        number, found = equal_keys(keys, self.hashes, self.keys)
        columns = {name: column.at(found) for name, column in self.columns.items()}
        places = positions_in(rows[number])
        for name in self.columns:
            columns |= context.position(name, places)
        return FieldRows(rows[number], columns)


@dataclass(frozen=True, slots=True)
class ParentFields:
    """What rows of a parent are compared by, and the values of the fields of a join, in the same order."""

    keys: pa.Array
    columns: dict[str, ValueColumn]


def child_keys(join: ViewJoin, batch: RowBatch) -> tuple[Rows, pa.Array]:
    """What rows of a child are compared by, and the row of each: where all is known."""
    return compared(BatchTerms(batch, ""), _texts([one.child for one in join.conditions]))


def parent_fields(join: ViewJoin, batch: RowBatch) -> ParentFields:
    """The rows of a batch of a parent."""
    rows, keys = compared(BatchTerms(batch, ""), _texts([one.parent for one in join.conditions]))
    fields = rows_of_fields(batch, join.fields, FieldContext())
    _, (at_keys, at_fields) = combinations([rows, fields.rows])
    assert at_keys is not None
    assert at_fields is not None
    return ParentFields(taken(keys, at_keys), {name: one.at(at_fields) for name, one in fields.columns.items()})


def joined_view(join: ViewJoin, reader: Reader) -> JoinedView:
    """The rows of the parent of a join, all of them."""
    parts: list[ParentFields] = []
    faults: list[Fault] = []
    for piece in reader.pieces():
        batch = reader.parse(piece)
        faults += batch.faults
        if batch.length:
            parts.append(parent_fields(join, batch))
    keys = pa.concat_arrays([pa.array([], pa.string()), *(one.keys for one in parts)])
    hashes = hash_column(keys)
    order = np.argsort(hashes, kind="stable")
    names = [one.name for one in join.fields]
    columns = {name: _together([one.columns[name] for one in parts]).at(order) for name in names}
    return JoinedView(join, hashes[order], taken(keys, order), columns, faults)


def _texts(sides: Sequence[Expression]) -> list[TextValue]:
    return [text_value(one) for one in sides]


def _together(columns: Sequence[ValueColumn]) -> ValueColumn:
    none = pa.array([], pa.string())
    datatypes = [one.datatype for one in columns]
    datatype: str | pa.Array | None = None
    if any(one is not None for one in datatypes):
        datatype = pa.concat_arrays([_each(kind, len(one.texts)) for kind, one in zip(datatypes, columns, strict=True)])
    problem = None
    if any(one.problem is not None for one in columns):
        problem = pa.concat_arrays([_each(one.problem, len(one.texts)) for one in columns])
    return ValueColumn(pa.concat_arrays([none, *(one.texts for one in columns)]), None, datatype, problem)


def _each(given: str | pa.Array | None, length: int) -> pa.Array:
    return given if isinstance(given, pa.Array) else pa.repeat(pa.scalar(given, pa.string()), length)
