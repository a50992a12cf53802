"""SUM and AVG over columns: exact for integers and decimals, in floats where one of the values is a float."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import repeat
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.decimal_units import LARGEST_UNITS, Units, scaled, units_of
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.member_groups import Groups, groups_of
from kgreason.algebra.row_keys import Counts, Ids, Index, distinct_ids
from kgreason.columns.id_columns import repeated
from kgreason.dictionary.decimal_texts import LARGEST_DIVISOR
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.errors import FunctionError
from kgreason.rdf.keys import key_of
from kgreason.rdf.literal_values import EXACT
from kgreason.rdf.model import Literal
from kgreason.rdf.numbers import decimal_text, number_literal
from kgreason.rdf.value_classes import ValueClass, classified
from kgreason.rdf.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT, XSD_INTEGER

Number = int | Decimal | float
Mask: TypeAlias = NDArray[np.bool_]

_SAFE = 1 << 62
"""Sums below this fit in 64 bits."""
_HALF = 31
"""Units are added in halves of so many bits."""
_MOST = 1 << _HALF
"""The sum of so many halves fits in 64 bits."""
_EXACT_FLOATS = 1 << 53
"""Sums of integers below this are exact as floating-point numbers."""


def sums(totals: Totals, terms: LocalTerms) -> Ids:
    """For each group the id of its sum, 0 without members, UNBOUND where there is none."""
    found = repeated(UNBOUND, len(totals.classes))
    in_units = totals.in_units
    whole = in_units & (totals.classes == ValueClass.INTEGER)
    if whole.all():
        return terms.encode_integers(totals.units // 10**totals.places if totals.places else totals.units)
    found[whole] = terms.encode_integers(totals.units[whole] // 10**totals.places)
    broken = in_units & ~whole
    found[broken] = terms.encode_quotients(totals.units[broken], np.full(broken.sum(), 10**totals.places))
    left = ~in_units & (totals.classes != ValueClass.NOTHING)
    doubles = totals.in_doubles
    if doubles.any():
        found[doubles] = terms.encode_doubles(totals.floats[doubles])
        left &= ~doubles
    rest = np.flatnonzero(left)
    keys = [key_of(_literal(int(totals.classes[group]), totals.number(group))) for group in rest.tolist()]
    found[rest] = terms.encode_keys(keys)
    return found


def averages(totals: Totals, members: Counts, terms: LocalTerms) -> Ids:
    """For each group the id of its sum divided by the number of its members; 0 without any."""
    found = repeated(UNBOUND, len(totals.classes))
    left = totals.classes != ValueClass.NOTHING
    if int(members.max(initial=0)) <= LARGEST_DIVISOR // 10**totals.places:
        exact = totals.in_units & (members > 0)
        if exact.all():
            return terms.encode_quotients(totals.units, members * 10**totals.places if totals.places else members)
        divisors = members[exact] * 10**totals.places
        found[exact] = terms.encode_quotients(totals.units[exact], divisors)
        left &= ~exact
    doubles = totals.in_doubles & (members > 0)
    if doubles.any():
        found[doubles] = terms.encode_doubles(totals.floats[doubles] / members[doubles])
        left &= ~doubles
    rest = np.flatnonzero(left)
    found[rest] = terms.encode_keys([_quotient_key(totals, group, int(members[group])) for group in rest.tolist()])
    return found


def _quotient_key(totals: Totals, group: int, members: int) -> str:
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
class Totals:
    """The sums of groups: the class of each, NOTHING where there is none, and each sum as a number of `units`, each of
    which is 10 ** -places; where that is not exact, it is in `numbers`, by its group. Sums of floats are in `floats`,
    which has no rows where there are none."""

    classes: NDArray[np.uint8]
    units: Units
    places: int
    numbers: Mapping[int, Number]
    floats: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of_integers(cls, terms: LocalTerms, ids: Ids, groups: Groups) -> Totals | None:
        """Those of members that all are integers which floats hold exactly, None of others: two passes, more where
        they are large."""
        numbers = terms.integers_of(ids)
        largest = _SAFE if numbers is None else max(float(numbers.max()), -float(numbers.min()))
        if numbers is None or largest >= LARGEST_UNITS:
            return None
        large: dict[int, Number] = {}
        if largest * len(numbers) < _EXACT_FLOATS:
            units = groups.added(numbers).astype(np.int64)
        else:
            units, large = _added(numbers.astype(np.int64), groups, None, 0)
        return cls(np.full(groups.count, ValueClass.INTEGER, dtype=np.uint8), units, 0, large)

    @classmethod
    def of(
        cls, terms: LocalTerms, values: ValueColumn, ids: Ids, groups: Groups, counts: Counts | None
    ) -> Totals:
        """Some passes over the members.

        Args:
            values: those of the ids, the members.
            counts: how often each member counts, None where all count once.
        """
        count = groups.count
        classes = np.full(count, ValueClass.INTEGER, dtype=np.uint8)
        if bool((values.classes != ValueClass.INTEGER).any()):
            classes = np.maximum(classes, groups.greatest(values.classes))
            is_number = (values.classes >= ValueClass.INTEGER) & (values.classes <= ValueClass.DOUBLE)
            classes[groups.numbers[~is_number]] = ValueClass.NOTHING
        exact = _are_exact(classes)
        if exact.all():
            return cls(classes, *_exact_totals(terms, ids, groups, counts, values))
        numbers = groups.numbers
        rows = np.flatnonzero(exact[numbers])
        some, inside = None if counts is None else counts[rows], groups_of(numbers[rows], count)
        known = cls(classes, *_exact_totals(terms, ids[rows], inside, some, values.take(rows)))
        with np.errstate(over="ignore", invalid="ignore"):
            weights = values.numbers if counts is None else values.numbers * counts
            floats: NDArray[np.float64] = np.bincount(numbers, weights=weights, minlength=count).astype(np.float64)
        return replace(known, floats=floats)

    @classmethod
    def joined(cls, parts: Sequence[Totals]) -> Totals:
        """The groups of several, one after the other: O(groups)."""
        if len(parts) == 1:
            return parts[0]
        places = max(part.places for part in parts)
        units: list[Units] = []
        numbers: dict[int, Number] = {}
        start = 0
        for part in parts:
            fits = float(np.abs(part.units).max(initial=0)) * 10.0 ** (places - part.places) < _SAFE
            units.append(part.units * 10 ** (places - part.places) if fits else np.zeros_like(part.units))
            apart = part.numbers if fits else np.flatnonzero(_are_exact(part.classes)).tolist()
            numbers.update((start + group, part.number(group)) for group in apart)
            start += len(part.classes)
        found = cls(np.concatenate([part.classes for part in parts]), np.concatenate(units), places, numbers)
        if not any(len(part.floats) for part in parts):
            return found
        floats = [part.floats if len(part.floats) else np.zeros(len(part.classes)) for part in parts]
        return replace(found, floats=np.concatenate(floats))

    @property
    def in_units(self) -> Mask:
        """For each group whether its sum is there, and in `units`."""
        found = _are_exact(self.classes)
        found[[*self.numbers]] = False
        return found

    @property
    def in_doubles(self) -> Mask:
        """For each group whether its sum is one of doubles."""
        return np.asarray(self.classes == ValueClass.DOUBLE)

    def number(self, group: int) -> Number:
        """The sum of a group."""
        known = self.numbers.get(group)
        if known is not None:
            return known
        if self.classes[group] in (ValueClass.FLOAT, ValueClass.DOUBLE):
            return float(self.floats[group])
        total = int(self.units[group])
        return Decimal(total).scaleb(-self.places) if self.places else total


def _are_exact(classes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray((classes == ValueClass.INTEGER) | (classes == ValueClass.DECIMAL))


def _exact_totals(
    terms: LocalTerms, ids: Ids, groups: Groups, counts: Counts | None, values: ValueColumn
) -> tuple[Units, int, dict[int, Number]]:
    """Sums of integers and decimals, as the fields of `Totals`."""
    short = scaled(values.numbers) if bool(values.exact.all()) else None
    if short is not None:
        added = short[0] if counts is None else short[0] * counts
        if float(np.abs(added).sum()) < _EXACT_FLOATS:
            return groups.added(added).astype(np.int64), short[1], {}
    units, places, known = units_of(values.numbers)
    known &= values.exact
    if counts is not None and int(counts.sum()) > _MOST:
        known[:] = False
    others: dict[int, Number] = {}
    if not known.all():
        is_other = np.zeros(groups.count, dtype=np.bool_)
        is_other[groups.numbers[~known]] = True
        rows = np.flatnonzero(is_other[groups.numbers])
        others = _one_by_one(terms, ids[rows], groups.numbers[rows], None if counts is None else counts[rows])
        units[rows] = 0
    totals, large = _added(units, groups, counts, places)
    return totals, places, {**large, **others}


def _added(
    units: Units, groups: Groups, counts: Counts | None, places: int
) -> tuple[Units, dict[int, Number]]:
    """The sums of units, and those that may not fit in 64 bits, as numbers: in halves, of which so many fit."""
    largest, members = int(np.abs(units).max(initial=0)), len(units) if counts is None else int(counts.sum())
    if largest * members < _SAFE:
        return groups.added(units if counts is None else units * counts), {}
    high, low = units >> _HALF, units & ((1 << _HALF) - 1)
    if counts is not None:
        high, low = high * counts, low * counts
    highs, lows = groups.added(high), groups.added(low)
    highs += lows >> _HALF
    lows &= (1 << _HALF) - 1
    fits = np.abs(highs) < _SAFE >> _HALF
    large = np.flatnonzero(~fits)
    found: dict[int, Number] = {}
    for group, upper, lower in zip(large.tolist(), highs[large].tolist(), lows[large].tolist(), strict=True):
        total = (upper << _HALF) + lower
        found[group] = EXACT.scaleb(Decimal(total), -places) if places else total
    highs[large] = 0
    return (highs << _HALF) + lows, found


def _one_by_one(terms: LocalTerms, ids: Ids, numbers: Index, counts: Counts | None) -> dict[int, Number]:
    """The sums of some groups, by the number of each member's: a look at each term, and Python's sums."""
    distinct, places = distinct_ids(ids)
    values = [classified(term)[1] for term in map(terms.decode, distinct.tolist())]
    sums: dict[int, Number] = dict.fromkeys(numbers.tolist(), 0)
    weights = repeat(1) if counts is None else counts.tolist()
    for group, place, weight in zip(numbers.tolist(), places.tolist(), weights, strict=False):
        value = values[place]
        if not isinstance(value, int | Decimal):
            raise FunctionError(f"{value} is not a number")
        sums[group] = EXACT.add(Decimal(sums[group]), EXACT.multiply(Decimal(value), Decimal(weight)))
    return sums
