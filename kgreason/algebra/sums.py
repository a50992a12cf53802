"""SUM and AVG over columns: exact for integers and decimals, in floats where one of the values is a float."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.decimal_units import scaled
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.member_groups import Groups, groups_of
from kgreason.algebra.row_keys import Counts, Ids, keys_of, numbered, summed
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
Units: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

_SAFE = 1 << 62
"""Sums below this fit in 64 bits."""
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
    which is 10 ** -places; where that is not exact, and for floats, it is in `numbers`, by its group."""

    classes: NDArray[np.uint8]
    units: Units
    places: int
    numbers: Mapping[int, Number]

    @classmethod
    def of_integers(cls, terms: LocalTerms, ids: Ids, groups: Groups) -> Totals | None:
        """Those of members that all are integers of a usual size, None of others: two passes."""
        numbers = terms.integers_of(ids)
        if numbers is None or max(float(numbers.max()), -float(numbers.min())) * len(numbers) >= _EXACT_FLOATS:
            return None
        units = groups.added(numbers).astype(np.int64)
        return cls(np.full(groups.count, ValueClass.INTEGER, dtype=np.uint8), units, 0, {})

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
            floats = np.bincount(numbers, weights=_weighted(values.numbers, counts), minlength=count)
        others = np.flatnonzero(~exact)
        inexact = dict(zip(others.tolist(), floats[others].tolist(), strict=True))
        return replace(known, numbers={**known.numbers, **inexact})

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
            apart = part.numbers if fits else range(len(part.classes))
            numbers.update((start + group, part.number(group)) for group in apart)
            start += len(part.classes)
        return cls(np.concatenate([part.classes for part in parts]), np.concatenate(units), places, numbers)

    @property
    def in_units(self) -> Mask:
        """For each group whether its sum is there, and in `units`."""
        found = _are_exact(self.classes)
        found[[*self.numbers]] = False
        return found

    def number(self, group: int) -> Number:
        """The sum of a group."""
        known = self.numbers.get(group)
        if known is not None:
            return known
        total = int(self.units[group])
        return Decimal(total).scaleb(-self.places) if self.places else total


def _are_exact(classes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray((classes == ValueClass.INTEGER) | (classes == ValueClass.DECIMAL))


def _weighted(numbers: NDArray[np.float64], counts: Counts | None) -> NDArray[np.float64]:
    return numbers if counts is None else numbers * counts


def _exact_totals(
    terms: LocalTerms, ids: Ids, groups: Groups, counts: Counts | None, values: ValueColumn
) -> tuple[Units, int, dict[int, Number]]:
    """Sums of integers and decimals, as the fields of `Totals`."""
    units = scaled(values.numbers) if bool(values.exact.all()) else None
    added = np.zeros(0) if units is None else _weighted(units[0], counts)
    size = float(np.abs(added).sum())
    if units is not None and size < _EXACT_FLOATS:
        return groups.added(added).astype(np.int64), units[1], {}
    if units is not None and size < _SAFE:
        whole = units[0].astype(np.int64)
        return groups.added(whole if counts is None else whole * counts), units[1], {}
    of_each, count = groups.numbers, groups.count
    first, numbers = numbered(keys_of([of_each.astype(np.uint32), ids], len(ids)))
    each = np.ones(len(ids), dtype=np.int64) if counts is None else counts
    weights = summed(numbers, each, len(first)).tolist()
    sums: dict[int, Number] = dict.fromkeys(range(count), 0)
    for row, weight in zip(first.tolist(), weights, strict=True):
        value = classified(terms.decode(int(ids[row])))[1]
        if not isinstance(value, int | Decimal):
            raise FunctionError(f"{value} is not a number")
        group = int(of_each[row])
        sums[group] = EXACT.add(Decimal(sums[group]), EXACT.multiply(Decimal(value), Decimal(weight)))
    return np.zeros(count, dtype=np.int64), 0, sums
