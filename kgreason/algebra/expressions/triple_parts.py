"""TRIPLE, SUBJECT, PREDICATE and OBJECT over whole columns: by ids, and no term object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

import numpy as np

from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator
from kgreason.algebra.expressions.term_functions import encoded_keys
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.row_keys import Ids, distinct_ids, keys_of, numbered
from kgreason.columns.id_columns import repeated
from kgreason.errors import TermError
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND
from kgreason.rdf.triple_keys import is_triple_key, triple_key, triple_parts

PLACES: Final = {"subject": 1, "predicate": 2, "object": 3}
"""Columns of a dictionary's triple terms by the names of functions."""

T = TypeVar("T")


def part(function: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids | None:
    """The ids of a part of triple terms, UNBOUND for other terms: O(n log m), once the m triple terms of the dictionary
    were looked at. None where few rows would have many terms looked at for the first time."""
    terms = evaluator.terms
    if not terms.dictionary.triple_terms_pay(len(batch)):
        return None
    column = evaluator.ids_of(arguments[0], batch)
    triples = terms.dictionary.triple_terms()
    found = repeated(UNBOUND, len(column))
    if len(triples):
        rows = np.minimum(triples.ids.searchsorted(column), len(triples) - 1)
        known = triples.ids[rows] == column
        found[known] = triples.columns[PLACES[function]][rows[known]]
    made = np.flatnonzero((column > terms.highest) & (column != UNBOUND))
    if len(made):
        distinct, numbers = distinct_ids(column[made])
        keys = [_part_of(key, PLACES[function] - 1) for key in _ticked(terms.keys(distinct), evaluator)]
        found[made] = encoded_keys(keys, terms)[numbers]
    return found


def triple(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids | None:
    """The ids of the triple terms of three parts, UNBOUND where these make none: two binary searches for one that the
    dictionary has, some microseconds for each other one. None as by `part`."""
    terms = evaluator.terms
    if not terms.dictionary.triple_terms_pay(len(batch)):
        return None
    columns = [evaluator.ids_of(argument, batch) for argument in arguments]
    found = repeated(UNBOUND, len(batch))
    rows = np.flatnonzero(np.logical_and.reduce([column != UNBOUND for column in columns]))
    known = terms.dictionary.triple_terms().with_parts(*(column[rows] for column in columns))
    has_one = known >= 0
    found[rows[has_one]] = known[has_one]
    rows = rows[~has_one]
    kinds = [terms.kinds(column[rows]) for column in columns[:2]]
    rows = rows[((kinds[0] == IRI_KIND) | (kinds[0] == BLANK_KIND)) & (kinds[1] == IRI_KIND)]
    if len(rows):
        found[rows] = _made([column[rows] for column in columns], evaluator)
    return found


def _made(columns: Sequence[Ids], evaluator: Evaluator) -> Ids:
    """Triple terms that the dictionary may not have, once for each distinct row of parts."""
    first, numbers = numbered(keys_of(columns, len(columns[0])))
    parts = [evaluator.terms.keys(column[first]) for column in columns]
    keys = [_key(*row) for row in _ticked([*zip(*parts, strict=True)], evaluator)]
    return encoded_keys(keys, evaluator.terms)[numbers]


def _key(subject: str, predicate: str, object: str) -> str | None:
    """The key of a triple term; None where too many would be inside of each other."""
    try:
        return triple_key(subject, predicate, object)
    except TermError:
        return None


def _part_of(key: str, place: int) -> str | None:
    """The key of a part of a triple term; None for another key."""
    return triple_parts(key)[place] if is_triple_key(key) else None


def _ticked(items: Sequence[T], evaluator: Evaluator) -> Iterator[T]:
    for number, item in enumerate(items):
        if not number % 256:
            evaluator.tick()
        yield item
