"""Functions of terms over columns: once for each distinct combination of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kgreason.errors import FunctionError
from kgreason.sparql.expressions.distinct import distinct_ids
from kgreason.sparql.expressions.functions import key_made
from kgreason.sparql.limits import Limits
from kgreason.sparql.rows import keys_of, numbered
from kgreason.sparql.solutions import UNBOUND, Ids
from kgreason.sparql.terms import QueryTerms
from kgreason.terms.keys import term_of
from kgreason.terms.lengths import check_length
from kgreason.terms.model import Term


def called(
    apply: Callable[[Sequence[Term]], Term], columns: Sequence[Ids], length: int, terms: QueryTerms, limits: Limits
) -> Ids:
    """The ids of a function's values, UNBOUND where an argument is unbound or the function in error."""
    if not columns:
        return np.full(length, _encoded([_once(apply, (), limits)], terms)[0], dtype=np.uint32)
    distinct = [distinct_ids(column) for column in columns]
    if len(columns) == 1:
        ids, numbers = distinct[0]
        choices = [ids]
    else:
        first, numbers = numbered(keys_of([n.astype(np.uint32) for _, n in distinct], length))
        choices = [column[first] for column in columns]
    bound = np.flatnonzero(np.logical_and.reduce([ids != UNBOUND for ids in choices]))
    arguments = zip(*(_terms_of(ids[bound], terms) for ids in choices), strict=True)
    found = np.full(len(choices[0]), UNBOUND, dtype=np.uint32)
    found[bound] = _encoded([_once(apply, row, limits) for row in arguments], terms)
    return np.asarray(found[numbers])


def _once(apply: Callable[[Sequence[Term]], Term], arguments: Sequence[Term], limits: Limits) -> str | None:
    """The key of the value, None for an error."""
    limits.check()
    try:
        key = key_made(apply(arguments))
    except FunctionError:
        return None
    check_length(len(key))
    return key


def _encoded(keys: Sequence[str | None], terms: QueryTerms) -> Ids:
    found = np.full(len(keys), UNBOUND, dtype=np.uint32)
    made = [row for row, key in enumerate(keys) if key is not None]
    found[made] = terms.encode_keys([key for key in keys if key is not None])
    return found


def _terms_of(ids: Ids, terms: QueryTerms) -> list[Term]:
    """The terms of ids; one that comes again and again is made once."""
    distinct, numbers = distinct_ids(ids)
    made = [*map(term_of, terms.keys(distinct))]
    return [made[number] for number in numbers.tolist()]
