"""The terms of a row as columns, each computed once however many quads it is part of."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import Column
from pyspark.sql import functions as F

from kgreason_spark.ingestion.terms import Row, terms
from kgreason_spark.ingestion.values import Many, Term, Terms, many_terms
from kgreason_spark.mapping.model import Constant, TermMap, TermType


class TermColumns:
    """Gathers the columns to select; `prefix` keeps the columns of two sides of a join apart."""

    def __init__(self, row: Row, prefix: str) -> None:
        self._row = row
        self._prefix = prefix
        self._placed: dict[tuple[TermMap, str | None], Terms] = {}
        self._columns: list[Column] = []

    @property
    def selected(self) -> list[Column]:
        """The columns that the terms are in."""
        return list(self._columns)

    def place(self, term_map: TermMap, base: str | None) -> Terms:
        """The terms of a term map, as columns to be selected; constants need none."""
        known = self._placed.get((term_map, base))
        if known is None:
            made = terms(term_map, replace(self._row, base=base))
            if isinstance(term_map.expression, Constant):
                known = made
            else:
                known = tuple(self._placed_one(one, term_map.term_type) for one in made)
            self._placed[term_map, base] = known
        return known

    def _placed_one(self, made: Term | Many[Term], kind: TermType) -> Term | Many[Term]:
        if isinstance(made, Many):
            return many_terms(self._column(made.column), blank=kind is TermType.BLANK_NODE)
        reason = self._column(made.reason) if made.reason is not None else None
        return Term(self._column(made.key), reason, made.blank)

    def _column(self, column: Column) -> Column:
        name = f"{self._prefix}{len(self._columns)}"
        self._columns.append(column.alias(name))
        return F.col(name)
