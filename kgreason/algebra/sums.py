"""SUM and AVG over columns: exact for integers and decimals, in floats where one of the values is a float."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.expressions.arithmetic import scaled
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.row_keys import Counts, Ids, Index, keys_of, numbered, summed
from kgreason.arrow import pa, pc
from kgreason.dictionary.arrow_columns import row_column, text_scalar
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.errors import FunctionError
from kgreason.rdf.keys import key_of
from kgreason.rdf.literal_values import EXACT
from kgreason.rdf.model import Literal
from kgreason.rdf.numbers import decimal_text, number_literal
from kgreason.rdf.value_classes import ValueClass, classified
from kgreason.rdf.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT, XSD_INTEGER

Number = int | Decimal | float
Units: TypeAlias = NDArray[np.int64]

_SAFE = 1 << 62


def sums(terms: LocalTerms, ids: Ids, groups: Index, counts: Counts, count: int) -> Ids:
    """For each group the id of the sum, 0 without members, UNBOUND where one of them is not a number."""
    totals = _Totals.of(terms, ids, groups, counts, count)
    found = np.full(count, UNBOUND, dtype=np.uint32)
    whole = totals.classes == ValueClass.INTEGER if totals.is_whole else np.zeros(count, dtype=np.bool_)
    if whole.any():
        found[whole] = _encoded(totals.units[whole], f'"^^{XSD_INTEGER}', terms)
    rest = np.flatnonzero(~whole & (totals.classes != ValueClass.NOTHING))
    keys = [key_of(_literal(int(totals.classes[group]), totals.number(group))) for group in rest.tolist()]
    found[rest] = terms.encode_keys(keys)
    return found


def averages(terms: LocalTerms, ids: Ids, groups: Index, counts: Counts, count: int) -> Ids:
    """For each group the id of the sum divided by the number of members; 0 without any."""
    totals = _Totals.of(terms, ids, groups, counts, count)
    members = summed(groups, counts, count)
    found = np.full(count, UNBOUND, dtype=np.uint32)
    whole = np.zeros(count, dtype=np.bool_)
    if totals.is_whole:
        quotients, rests = np.divmod(totals.units, np.maximum(members, 1))
        whole = totals.are_exact & (members > 0) & (rests == 0)
        if whole.any():
            found[whole] = _encoded(quotients[whole], f'.0"^^{XSD_DECIMAL}', terms)
    rest = np.flatnonzero(~whole & (totals.classes != ValueClass.NOTHING))
    found[rest] = terms.encode_keys([_quotient_key(totals, group, int(members[group])) for group in rest.tolist()])
    return found


def _encoded(numbers: Units, suffix: str, terms: LocalTerms) -> Ids:
    """The ids of literals of whole numbers, each made once, from their digits and what follows these."""
    distinct, places = np.unique(numbers, return_inverse=True)
    digits = row_column(distinct).cast(pa.string())
    keys = pc.binary_join_element_wise(text_scalar('"'), digits, text_scalar(suffix), text_scalar(""))
    return np.asarray(terms.encode_column(keys)[places.reshape(-1)])


def _quotient_key(totals: _Totals, group: int, members: int) -> str:
    total = totals.number(group)
    if not members:
        return f'"0"^^{XSD_INTEGER}'
    if isinstance(total, float):
        return key_of(_literal(int(totals.classes[group]), total / members))
    return f'"{decimal_text(Decimal(total) / members)}"^^{XSD_DECIMAL}'


def _literal(value_class: int, total: Number) -> Literal:
    match value_class:
        case ValueClass.INTEGER:
            return number_literal(total, XSD_INTEGER)
        case ValueClass.DECIMAL:
            return number_literal(total, XSD_DECIMAL)
        case ValueClass.FLOAT:
            return number_literal(total, XSD_FLOAT)
    return number_literal(total, XSD_DOUBLE)


@dataclass(frozen=True, slots=True)
class _Totals:
    """The sums of groups: the class of each, NOTHING where there is none, and the sums that are exact as numbers of
    `units`, each of which is 10 ** -places; where that cannot be, and for floats, they are in `numbers`."""

    classes: NDArray[np.uint8]
    units: Units
    places: int
    numbers: Mapping[int, Number]

    @classmethod
    def of(cls, terms: LocalTerms, ids: Ids, groups: Index, counts: Counts, count: int) -> _Totals:
        """Some passes over the members."""
        values = terms.values_of(ids)
        classes = np.full(count, ValueClass.INTEGER, dtype=np.uint8)
        if bool((values.classes != ValueClass.INTEGER).any()):
            np.maximum.at(classes, groups, values.classes)
            is_number = (values.classes >= ValueClass.INTEGER) & (values.classes <= ValueClass.DOUBLE)
            classes[groups[~is_number]] = ValueClass.NOTHING
        exact = _are_exact(classes)
        if exact.all():
            return cls(classes, *_exact_totals(terms, ids, groups, counts, values, count))
        rows = np.flatnonzero(exact[groups])
        known = cls(classes, *_exact_totals(terms, ids[rows], groups[rows], counts[rows], values.take(rows), count))
        with np.errstate(over="ignore", invalid="ignore"):
            floats = np.bincount(groups, weights=values.numbers * counts, minlength=count)
        others = np.flatnonzero(~exact)
        inexact = dict(zip(others.tolist(), floats[others].tolist(), strict=True))
        return replace(known, numbers={**known.numbers, **inexact})

    @property
    def are_exact(self) -> NDArray[np.bool_]:
        """For each group whether all members are integers or decimals."""
        return _are_exact(self.classes)

    @property
    def is_whole(self) -> bool:
        """Whether the exact sums are whole numbers, in `units`."""
        return len(self.units) > 0 and not self.places

    def number(self, group: int) -> Number:
        """The sum of a group."""
        known = self.numbers.get(group)
        if known is not None:
            return known
        total = int(self.units[group])
        return Decimal(total).scaleb(-self.places) if self.places else total


def _are_exact(classes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray((classes == ValueClass.INTEGER) | (classes == ValueClass.DECIMAL))


def _exact_totals(
    terms: LocalTerms, ids: Ids, groups: Index, counts: Counts, values: ValueColumn, count: int
) -> tuple[Units, int, dict[int, Number]]:
    """Sums of integers and decimals, as the fields of `_Totals`."""
    units = scaled(values.numbers) if bool(values.exact.all()) else None
    if units is not None and float(np.abs(units[0] * counts).sum()) < _SAFE:
        totals = np.zeros(count, dtype=np.int64)
        np.add.at(totals, groups, units[0].astype(np.int64) * counts)
        return totals, units[1], {}
    first, numbers = numbered(keys_of([groups.astype(np.uint32), ids], len(ids)))
    weights = summed(numbers, counts, len(first)).tolist()
    sums: dict[int, Number] = dict.fromkeys(range(count), 0)
    for row, weight in zip(first.tolist(), weights, strict=True):
        value = classified(terms.decode(int(ids[row])))[1]
        if not isinstance(value, int | Decimal):
            raise FunctionError(f"{value} is not a number")
        group = int(groups[row])
        sums[group] = EXACT.add(Decimal(sums[group]), EXACT.multiply(Decimal(value), Decimal(weight)))
    return np.zeros(0, dtype=np.int64), 0, sums
