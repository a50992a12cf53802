"""Parts of a query that something else solves, and other rows of terms: their solutions as columns of ids.

Rows are taken while they come, in pieces: the first is small, so that the first solutions are there soon.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from kgreason.algebra.joins import join_pieces
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.columns import bitmaps
from kgreason.rdf.model import Term
from kgreason.sparql import query_tuning
from kgreason.sparql.algebra import Fallback
from kgreason.sparql.solutions import Ids, Solutions
from kgreason.sparql.solver import Solver


def fallback_solutions(solver: Solver, node: Fallback) -> Iterator[Solutions]:
    """The solutions of a part by itself, one piece at least."""
    return _in_pieces(node.variables, node.solve(solver.limits, None), solver.terms)


def solutions_of_each(solver: Solver, node: Fallback, seed: Solutions) -> Iterator[Solutions]:
    """The solutions of a part that is given a term of the seed, for each that there is, joined with the seed."""
    assert node.given is not None
    column = seed.columns.get(node.given)
    for each in [UNBOUND] if column is None else bitmaps.distinct(column).tolist():
        solver.limits.check()
        term = None if each == UNBOUND else solver.terms.decode(each)
        rows = seed if column is None else seed.where(column == each)
        for found in _in_pieces(node.variables, node.solve(solver.limits, term), solver.terms):
            yield from join_pieces(rows, found)


def encoded_rows(variables: Sequence[str], rows: Sequence[Sequence[Term | None]], terms: LocalTerms) -> Solutions:
    """Rows of terms, None for what is unbound, as solutions."""
    columns: dict[str, Ids] = {}
    for at, name in enumerate(variables):
        column = (row[at] for row in rows)
        encoded = [UNBOUND if term is None else terms.encode(term) for term in column]
        columns[name] = np.array(encoded, dtype=np.uint32)
    return Solutions(columns, len(rows))


def _in_pieces(
    variables: tuple[str, ...], rows: Iterable[Mapping[str, Term]], terms: LocalTerms
) -> Iterator[Solutions]:
    waiting, size = iter(rows), query_tuning.FALLBACK_FIRST
    some = list(islice(waiting, size))
    yield encoded_rows(variables, [tuple(map(row.get, variables)) for row in some], terms)
    while len(some) == size:
        size = min(size * query_tuning.FALLBACK_GROWTH, query_tuning.FALLBACK_ROWS)
        some = list(islice(waiting, size))
        if some:
            yield encoded_rows(variables, [tuple(map(row.get, variables)) for row in some], terms)
