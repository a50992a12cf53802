"""Guard facts as rows of ids, and which of them name relations that have been reached."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import sorted_columns, sorted_sets
from kgreason.engine import rule_tuning
from kgreason.engine.rules.reached import Reached
from kgreason.relations.plain import table_of
from kgreason.relations.table import Columns, Table

ParameterRows: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Named: TypeAlias = Collection[tuple[int, int]]
"""Columns whose ids name relations, each with the kind of these."""


def as_rows(columns: Columns) -> ParameterRows:
    """Facts as guard rows."""
    return np.stack(columns, axis=1).astype(np.int64)


def distinct_guards(rows: ParameterRows) -> ParameterRows:
    """Guard rows in order, each once: as keys of facts, in a tenth of the time that numpy takes for rows."""
    return as_rows(table_of(columns_of(rows)).columns()) if rows.size else rows[:1]


def columns_of(rows: ParameterRows) -> Columns:
    """Guard rows as columns of facts."""
    return tuple(np.ascontiguousarray(column, dtype=np.uint32) for column in rows.T)


def as_keys(rows: ParameterRows) -> sorted_columns.Column:
    """Rows of ids and codes as one sortable column."""
    if rows.shape[1] == 1:
        return rows[:, 0]
    return np.ascontiguousarray(rows.astype(">i8")).view(f"S{8 * rows.shape[1]}").reshape(-1)


def facts_naming(guards: Table, named: Named, reached: Reached) -> ParameterRows:
    """The guard facts that name one of some relations at least, in order: a look-up for each column that names any, or
    where there are few facts of three columns and more, a look at all."""
    wanted = {position: reached.of(kind) for position, kind in named if len(reached.of(kind))}
    if not wanted:
        return np.empty((0, guards.arity), dtype=np.int64)
    if guards.arity > 2 and len(guards) <= rule_tuning.SCANNED_GUARDS:
        rows = as_rows(guards.columns())
        return rows[_name(rows, named, reached).any(axis=1)]
    found = [as_rows(guards.lookup({position: ids.astype(np.uint32)})[1]) for position, ids in wanted.items()]
    return distinct_guards(np.concatenate(found))


def name_all(rows: ParameterRows, named: Named, reached: Reached) -> Flags:
    """For each guard row whether the relations that it names are all among some."""
    return np.asarray(_name(rows, named, reached).all(axis=1))


def _name(rows: ParameterRows, named: Named, reached: Reached) -> Flags:
    """For each guard row and each of the columns that name relations, whether it names one of some there."""
    flags = np.empty((len(rows), len(named)), dtype=np.bool_)
    kinds = np.array([kind for _, kind in named], dtype=np.int64)
    positions = np.array([position for position, _ in named], dtype=np.int64)
    for kind in sorted_sets.unique(kinds):
        those = kinds == kind
        ids = rows[:, positions[those]]
        flags[:, those] = sorted_sets.contains(reached.of(int(kind)), ids.reshape(-1)).reshape(ids.shape)
    return flags
