"""ORDER BY (SPARQL 1.1, section 15.1): solutions by the order of terms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason import memory
from kgreason.algebra.row_keys import distinct_ids
from kgreason.algebra.term_order import ranks_of
from kgreason.sorting import lexsort
from kgreason.sparql.algebra import Expression
from kgreason.sparql.solution_expressions import Existence, Expressions
from kgreason.sparql.solutions import Index, Solutions


def order_of(
    keys: Sequence[tuple[Expression, bool]], rows: Solutions, expressions: Expressions, exists: Existence
) -> Index:
    """The rows in an order: by expressions, each with whether it goes down. Equal ones stay as they come."""
    memory.check(64 * rows.length * len(keys), "the order of solutions")
    columns = []
    for expression, descending in keys:
        ids, numbers = distinct_ids(expressions.values(expression, rows, exists))
        ranks = ranks_of(ids, expressions.terms)[numbers]
        columns.append(-ranks if descending else ranks)
    # The last column is the first that lexsort goes by.
    return lexsort(columns[::-1]) if columns else np.arange(rows.length)
