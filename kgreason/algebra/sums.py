"""SUM and AVG over columns: exact for integers and decimals, in floats where one of the values is a float."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.expressions.arithmetic import scaled
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.row_keys import Counts, Ids, Index, keys_of, numbered, summed
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.errors import FunctionError
from kgreason.rdf.keys import key_of
from kgreason.rdf.literal_values import EXACT
from kgreason.rdf.model import Literal
from kgreason.rdf.numbers import number_literal
from kgreason.rdf.value_classes import ValueClass, classified
from kgreason.rdf.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT, XSD_INTEGER

Number = int | Decimal | float

_SAFE = 1 << 62


def sums(terms: LocalTerms, ids: Ids, groups: Index, counts: Counts, count: int) -> Ids:
    """For each group the id of the sum, 0 without members, UNBOUND where one of them is not a number."""
    classes, totals = _totals(terms, ids, groups, counts, count)
    found = np.full(count, UNBOUND, dtype=np.uint32)
    known = np.flatnonzero(classes != ValueClass.NOTHING)
    found[known] = terms.encode_keys([_key(int(classes[group]), totals[group]) for group in known.tolist()])
    return found


def averages(terms: LocalTerms, ids: Ids, groups: Index, counts: Counts, count: int) -> Ids:
    """For each group the id of the sum divided by the number of members; 0 without any."""
    classes, totals = _totals(terms, ids, groups, counts, count)
    members = summed(groups, counts, count).tolist()
    found = np.full(count, UNBOUND, dtype=np.uint32)
    known = np.flatnonzero(classes != ValueClass.NOTHING)
    literals = (_quotient(int(classes[group]), totals[group], members[group]) for group in known.tolist())
    found[known] = terms.encode_keys([*map(key_of, literals)])
    return found


def _quotient(value_class: int, total: Number, members: int) -> Literal:
    if not members:
        return Literal("0", XSD_INTEGER)
    if isinstance(total, float):
        return _literal(value_class, total / members)
    return number_literal(Decimal(total) / members, XSD_DECIMAL)


def _key(value_class: int, total: Number) -> str:
    """The key of a sum. Most are integers, and one for each group."""
    if value_class == ValueClass.INTEGER and isinstance(total, int):
        return f'"{total}"^^{XSD_INTEGER}'
    return key_of(_literal(value_class, total))


def _literal(value_class: int, total: Number) -> Literal:
    match value_class:
        case ValueClass.INTEGER:
            return number_literal(total, XSD_INTEGER)
        case ValueClass.DECIMAL:
            return number_literal(total, XSD_DECIMAL)
        case ValueClass.FLOAT:
            return number_literal(total, XSD_FLOAT)
    return number_literal(total, XSD_DOUBLE)


def _totals(
    terms: LocalTerms, ids: Ids, groups: Index, counts: Counts, count: int
) -> tuple[NDArray[np.uint8], list[Number]]:
    """For each group the class of the sum, NOTHING where there is none, and the sum."""
    values = terms.values_of(ids)
    classes = np.full(count, ValueClass.INTEGER, dtype=np.uint8)
    np.maximum.at(classes, groups, values.classes)
    classes[groups[(values.classes < ValueClass.INTEGER) | (values.classes > ValueClass.DOUBLE)]] = ValueClass.NOTHING
    with np.errstate(over="ignore", invalid="ignore"):
        floats = np.bincount(groups, weights=values.numbers * counts, minlength=count)
    totals: list[Number] = [*floats.tolist()]
    exact = np.isin(classes, (ValueClass.INTEGER, ValueClass.DECIMAL))
    rows = np.flatnonzero(exact[groups])
    known = _exact_totals(terms, ids[rows], groups[rows], counts[rows], values.take(rows), count)
    for group in np.flatnonzero(exact).tolist():
        totals[group] = known[group]
    return classes, totals


def _exact_totals(
    terms: LocalTerms, ids: Ids, groups: Index, counts: Counts, values: ValueColumn, count: int
) -> list[Number]:
    """Sums of integers and decimals."""
    units = scaled(values.numbers) if bool(values.exact.all()) else None
    if units is not None and float(np.abs(units[0] * counts).sum()) < _SAFE:
        totals = np.zeros(count, dtype=np.int64)
        np.add.at(totals, groups, units[0].astype(np.int64) * counts)
        return [Decimal(total).scaleb(-units[1]) if units[1] else total for total in totals.tolist()]
    first, numbers = numbered(keys_of([groups.astype(np.uint32), ids], len(ids)))
    weights = summed(numbers, counts, len(first)).tolist()
    sums: list[Number] = [0] * count
    for row, weight in zip(first.tolist(), weights, strict=True):
        value = classified(terms.decode(int(ids[row])))[1]
        if not isinstance(value, int | Decimal):
            raise FunctionError(f"{value} is not a number")
        group = int(groups[row])
        sums[group] = EXACT.add(Decimal(sums[group]), EXACT.multiply(Decimal(value), Decimal(weight)))
    return sums
