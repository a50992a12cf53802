"""SUBJECT, PREDICATE and OBJECT over whole columns: the parts of triple terms by id, and no term object."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator
from kgreason.algebra.expressions.term_functions import called
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.row_keys import Ids
from kgreason.rdf.functions import evaluate

PLACES: Final = {"subject": 1, "predicate": 2, "object": 3}
"""Columns of a dictionary's triple terms by the names of functions."""

WORTH: Final = 40
"""Taking a triple term apart for one row costs as much as looking at so many terms of the dictionary."""


def part(function: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids | None:
    """The ids of a part of triple terms, UNBOUND for other terms: O(n log m), once the m triple terms of the dictionary
    were looked at. None where few rows would have many terms looked at for the first time."""
    terms = evaluator.terms
    if terms.dictionary.unseen_by_parts() > WORTH * len(batch):
        return None
    column = evaluator.ids_of(arguments[0], batch)
    triples = terms.dictionary.triple_terms()
    found = np.full(len(column), UNBOUND, dtype=np.uint32)
    if len(triples):
        rows = np.minimum(triples.ids.searchsorted(column), len(triples) - 1)
        known = triples.ids[rows] == column
        found[known] = triples.columns[PLACES[function]][rows[known]]
    made = np.flatnonzero((column > terms.highest) & (column != UNBOUND))
    if len(made):
        found[made] = called(partial(evaluate, function), [column[made]], len(made), terms, evaluator.tick)
    return found
