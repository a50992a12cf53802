"""ORDER BY (SPARQL 1.1, section 15.1)."""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.errors import QueryError
from kgreason.sparql.algebra import Expression
from kgreason.sparql.expressions.evaluation import Existence, Expressions
from kgreason.sparql.solutions import Index, Solutions


def order_of(
    keys: Sequence[tuple[Expression, bool]], rows: Solutions, expressions: Expressions, exists: Existence
) -> Index:
    """The rows in an order: by expressions, each with whether it goes down. Equal ones stay as they come."""
    raise QueryError("there is no order yet")
