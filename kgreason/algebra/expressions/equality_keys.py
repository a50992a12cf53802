"""Keys by which equal values are found: where ``=`` or ``sameTerm`` is true of two terms, their keys are the same.

The reverse need not hold, so that what has the same key is compared: hashes of different values may be the same, and
some values are told apart by the operator alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.expressions.column_comparison import is_between_singles, texts_of
from kgreason.algebra.expressions.truth import Mask
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.row_keys import Ids, distinct_ids
from kgreason.columns.mixing import Hashes, mixed
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.keys import term_of
from kgreason.rdf.moments import Moment
from kgreason.rdf.numbers import single
from kgreason.rdf.triple_keys import triple_parts
from kgreason.rdf.value_classes import Exact, classified
from kgreason.rdf.value_classes import ValueClass as C

Rows: TypeAlias = NDArray[np.int64]

_BY_NUMBERS: Final = np.array([C.INTEGER <= c <= C.BOOLEAN or C.DATETIME <= c <= C.TIME_ZONED for c in C])
"""For each class whether numbers decide."""
_ARE_NUMBERS: Final = np.array([C.INTEGER <= c <= C.DOUBLE for c in C])
_KINDS: Final = np.array([C.INTEGER if C.INTEGER <= c <= C.DOUBLE else c for c in C], dtype=np.uint64)
"""For each class the least of those whose values may be equal by their numbers."""
_BITS: Final = 0xFFFFFFFFFFFFFFFF
_BY_TERMS: Final = np.uint64(0)
_NOTHING, _FLOAT, _DERIVED, _OTHER, _TRIPLE = map(int, (C.NOTHING, C.FLOAT, C.DERIVED, C.OTHER, C.TRIPLE))


def term_keys(ids: Ids) -> tuple[Hashes, Mask]:
    """For ``sameTerm``: for each id its key, and whether there is a term: O(n)."""
    return mixed(ids.astype(np.uint64)), ids != UNBOUND


def has_singles(ids: Ids, terms: LocalTerms) -> bool:
    """Whether some of the values are xsd:float, to which others are rounded to be compared with them."""
    rows = terms.have_values(ids)
    return bool((terms.values_of(ids[rows]).classes == _FLOAT).any())


def value_keys(ids: Ids, terms: LocalTerms, are_rounded: bool) -> tuple[Hashes, Mask]:
    """For ``=``: for each id the key of its value, and whether it may be equal to anything.

    Args:
        are_rounded: whether xsd:float is among the values on either side.

    Cost: O(n), and some microseconds for each distinct value of the rarer datatypes.
    """
    keys, there = term_keys(ids)
    rows = np.flatnonzero(terms.have_values(ids))
    if len(rows):
        # What resources are told apart by are their ids, and their values need not be looked at.
        keys[rows], there[rows] = _literal_keys(ids[rows], terms, are_rounded)
    return keys, there


def _literal_keys(ids: Ids, terms: LocalTerms, are_rounded: bool) -> tuple[Hashes, Mask]:
    values = terms.values_of(ids)
    classes = values.classes
    found = ids.astype(np.uint64)
    kinds = np.full(len(ids), _BY_TERMS)
    numeric = np.flatnonzero(_BY_NUMBERS[classes])
    found[numeric] = _number_keys(ids[numeric], values.take(numeric), terms, are_rounded)
    kinds[numeric] = _KINDS[classes[numeric]]
    derived = np.flatnonzero(classes == _DERIVED)
    if len(derived):
        # They are equal to the strings with the same text.
        found[derived] = terms.encode_keys([f'"{text}"' for text in texts_of(terms, ids[derived])])
    others = np.flatnonzero(classes == _OTHER)
    if len(others):
        found[others], kinds[others] = _content_keys(ids[others], terms), _OTHER
    triples = np.flatnonzero(classes == _TRIPLE)
    if len(triples):
        found[triples], kinds[triples] = _triple_keys(ids[triples], terms), _TRIPLE
    there = classes != _NOTHING
    there[numeric] &= ~np.isnan(values.numbers[numeric])
    return mixed(found ^ mixed(kinds)), there


def _number_keys(ids: Ids, values: ValueColumn, terms: LocalTerms, are_rounded: bool) -> Hashes:
    """The bits of the numbers; of numbers that are compared with xsd:float, of what they are rounded to."""
    numbers = values.numbers + 0.0  # makes 0.0 of -0.0, which is equal to it
    if are_rounded:
        rounded = np.flatnonzero(_ARE_NUMBERS[values.classes])
        with np.errstate(over="ignore"):
            numbers[rounded] = numbers[rounded].astype(np.float32)
        between = np.flatnonzero(is_between_singles(values))
        exact = (classified(term_of(key))[1] for key in terms.keys(ids[between]))
        numbers[between] = np.fromiter(map(single, exact), np.float64, len(between)) + 0.0
    return numbers.view(np.uint64)


def _content_keys(ids: Ids, terms: LocalTerms) -> Hashes:
    """Hashes of the values of rarer datatypes, one by one."""
    distinct, numbers = distinct_ids(ids)
    values = [_content(classified(term_of(key))[1]) for key in terms.keys(distinct)]
    return _hashed(values)[numbers]


def _triple_keys(ids: Ids, terms: LocalTerms) -> Hashes:
    """Hashes of subjects and predicates, which are the same in triple terms that are equal."""
    distinct, numbers = distinct_ids(ids)
    return _hashed([triple_parts(key)[:2] for key in terms.keys(distinct)])[numbers]


def _hashed(values: Sequence[Hashable]) -> Hashes:
    return np.fromiter((hash(value) & _BITS for value in values), np.uint64, len(values))


def _content(value: Exact) -> Hashable:
    """What is the same of values that are equal."""
    if isinstance(value, Moment):
        return value.kind, value.microseconds
    return value if isinstance(value, Hashable) else type(value).__name__
