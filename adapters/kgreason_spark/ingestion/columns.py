"""The terms of a row as columns, each computed once for all quads that it is part of.

Values come first, terms are made of them, and what arrays make of these comes last: Spark computes an expression again
wherever it stands, unless it is a column of the frame. A function over an array must not stand where rows become
entries, since Spark would interpret all entries for its sake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kgreason_mapping.plan.tree import BlankNodeTerm, ConstantTerm, FreshBlankNode, TermRule, unguarded
from kgreason_spark.ingestion.reference_values import (
    Many,
    Product,
    Term,
    Terms,
    Value,
    Values,
    as_array,
    many_terms,
    many_values,
)
from kgreason_spark.ingestion.term_expressions import Row, terms


class TermColumns:
    """Gathers the columns to add; `prefix` keeps the columns of two sides of a join apart."""

    def __init__(self, row: Row, prefix: str) -> None:
        self.row = replace(row, resolve=self._resolve)
        self._given = row.resolve
        self._prefix = prefix
        self._resolved: dict[str, Values] = {}
        self._placed: dict[TermRule, Terms] = {}
        self._layers: tuple[list[Column], list[Column], list[Column]] = ([], [], [])

    def added_to(self, frame: DataFrame) -> DataFrame:
        """The frame with the columns."""
        for layer in self._layers:
            frame = frame.select("*", *layer)
        return frame

    def place(self, rule: TermRule) -> Terms:
        """The terms of a rule, as columns; constants need none."""
        known = self._placed.get(rule)
        if known is None:
            known = terms(rule, self.row)
            if not isinstance(rule, ConstantTerm):
                blank = isinstance(unguarded(rule), BlankNodeTerm | FreshBlankNode)
                known = tuple(self._placed_term(one, blank) for one in known)
            self._placed[rule] = known
        return known

    def together(self, made: Sequence[Product], kind: str) -> Column:
        """All that was made, as one array; `kind` is the type of its elements."""
        arrays = [one for one in made if one.is_array]
        single = [one for one in made if not one.is_array]
        if not arrays:
            return as_array(single, kind)
        placed = Product(self._column(as_array(arrays, kind), 2), True)
        return as_array([*single, placed], kind)

    def _resolve(self, reference: str) -> Values:
        known = self._resolved.get(reference)
        if known is None:
            known = tuple(self._placed_value(one) for one in self._given(reference))
            self._resolved[reference] = known
        return known

    def _placed_value(self, found: Value | Many[Value]) -> Value | Many[Value]:
        if isinstance(found, Many):
            return many_values(self._column(found.column, 0))
        datatype = self._column(found.datatype, 0) if isinstance(found.datatype, Column) else found.datatype
        reason = self._column(found.reason, 0) if found.reason is not None else None
        return Value(self._column(found.text, 0), datatype, reason)

    def _placed_term(self, made: Term | Many[Term], blank: bool) -> Term | Many[Term]:
        if isinstance(made, Many):
            return many_terms(self._column(made.column, 1), blank=blank)
        reason = self._column(made.reason, 1) if made.reason is not None else None
        return Term(self._column(made.key, 1), reason, made.blank)

    def _column(self, column: Column, layer: int) -> Column:
        name = f"{self._prefix}{layer}_{len(self._layers[layer])}"
        self._layers[layer].append(column.alias(name))
        return F.col(name)
