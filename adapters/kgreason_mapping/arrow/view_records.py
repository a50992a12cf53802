"""Logical views as sources of rows: the fields of a batch of records, and those of the views that it is joined with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from kgreason_mapping.arrow.columns import ValueColumn
from kgreason_mapping.arrow.csv_batches import as_json
from kgreason_mapping.arrow.field_rows import (
    FieldContext,
    FieldRows,
    check_fields,
    number_column,
    product,
    rows_of_fields,
)
from kgreason_mapping.arrow.row_batches import Fault, Reader, Records, RowBatch, no_records
from kgreason_mapping.arrow.view_joins import JoinedView, joined_view
from kgreason_mapping.documents.mapping_model import AnySource, LogicalView
from kgreason_mapping.documents.view_names import (
    ROOT_POSITION,
    check_name,
    expression_references,
    field_references,
    names_in,
)

MakeReader: TypeAlias = Callable[[], Reader]


@dataclass(frozen=True, slots=True)
class ViewRows:
    """Rows of a view: a column for each field, with one value in each row."""

    name: str
    length: int
    columns: Mapping[str, ValueColumn]
    faults: Sequence[Fault]

    def values(self, reference: str) -> ValueColumn:
        """The column of a field, or of its positions."""
        return self.columns[reference]

    def records(self, iterator: str) -> Any:
        """Fields have values, and no records."""
        return no_records(self.name, iterator)

    def row_json(self, row: int) -> str:
        """The row as an object, without the fields that have no value."""
        texts = {name: column.texts[row].as_py() for name, column in self.columns.items()}
        return as_json({name: text for name, text in texts.items() if text is not None})


def rows_of_view(view: LogicalView, batch: RowBatch, asked: Collection[str], first: int = 0) -> ViewRows:
    """The rows that the fields of a view make of a batch, without its joins; `asked` has the positions that are of use,
    and `first` is that of the batch."""
    context = FieldContext(asked, _nulls(view))
    made = rows_of_fields(batch, view.fields, context)
    root = {ROOT_POSITION: number_column(first + made.rows)} if ROOT_POSITION in asked else {}
    return ViewRows(view.name, len(made.rows), {**made.columns, **root}, (*batch.faults, *context.faults))


class ViewRecords:
    """What may be asked of the rows of a view."""

    def __init__(self, view: LogicalView) -> None:
        self.name = view.name
        self._view = view

    def check(self, reference: str) -> None:
        """Raise MappingError for a field that the view does not have."""
        check_name(self._view, reference)

    def nested(self, iterator: str) -> Records:
        """Fields have values, and no records."""
        return no_records(self.name, iterator)


@dataclass(frozen=True, slots=True)
class _Faults:
    """A piece of no rows, for the rows of parents that cannot be read."""

    rows: ViewRows


class ViewReader(ViewRecords):
    """The rows of a view, batch by batch; its parents are held."""

    def __init__(
        self, view: LogicalView, base: Reader, parents: Callable[[], Sequence[JoinedView]], asked: Collection[str]
    ) -> None:
        super().__init__(view)
        self._base, self._parents = base, parents
        self._asked = frozenset(asked) | frozenset(child_references(view))
        check_fields(base, view.fields)
        for reference in child_references(view):
            self.check(reference)

    def pieces(self) -> Iterator[tuple[int, Any]]:
        """The pieces of the base, or, where records are counted, their rows with the position of the first one."""
        parents = self._parents()
        if faults := [fault for one in parents for fault in one.faults]:
            names = (*names_in(self._view), *self._asked)
            none = ValueColumn(pa.array([], pa.string()))
            yield 0, _Faults(ViewRows(self.name, 0, dict.fromkeys(names, none), faults))
        first = 0
        for piece in self._base.pieces():
            if ROOT_POSITION not in self._asked:
                yield 0, piece
                continue
            rows = self._base.parse(piece)
            yield first, rows
            first += rows.length

    def parse(self, piece: tuple[int, Any]) -> ViewRows:
        """The rows of a piece."""
        first, given = piece
        if isinstance(given, _Faults):
            return given.rows
        batch = given if ROOT_POSITION in self._asked else self._base.parse(given)
        own = rows_of_view(self._view, batch, self._asked, first)
        return with_parents(own, self._parents(), self._asked)


def with_parents(own: ViewRows, parents: Sequence[JoinedView], asked: Collection[str]) -> ViewRows:
    """The rows of a view with the fields of its joins."""
    if not parents:
        return own
    context = FieldContext(asked)
    matches = [one.matches(own, context) for one in parents]
    filled = [
        made if one.join.is_inner else made.filled(own.length) for one, made in zip(parents, matches, strict=True)
    ]
    made = product([FieldRows(np.arange(own.length), own.columns), *filled], own.length)
    return ViewRows(own.name, len(made.rows), made.columns, own.faults)


def view_reader(
    view: LogicalView, asked: Collection[str], read: Callable[[AnySource, Collection[str]], MakeReader]
) -> MakeReader:
    """What makes readers of a view; `read` gives what makes those of its sources. The parents are read once.

    Raises:
        MappingError: a field or a condition of a join refers to what does not exist.
    """
    base = read(view.on, field_references(view.fields))
    parents = []
    for join in view.joins:
        of_parent = [one for both in join.conditions for one in expression_references(both.parent)]
        of_parent += field_references(join.fields)
        parent = read(join.parent, of_parent)
        checked = parent()
        for reference in of_parent:
            checked.check(reference)
        parents.append((join, parent))
    held = cache(lambda: tuple(joined_view(join, parent()) for join, parent in parents))
    return lambda: ViewReader(view, base(), held, asked)


def child_references(view: LogicalView) -> list[str]:
    """The fields of a view that its joins compare."""
    return [one for join in view.joins for both in join.conditions for one in expression_references(both.child)]


def _nulls(view: LogicalView) -> frozenset[str]:
    on = view.on
    return _nulls(on) if isinstance(on, LogicalView) else on.nulls
