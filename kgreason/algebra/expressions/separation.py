"""Comparisons of sums, with one variable value on each side: ``?x - ?y < 2`` is ``?x < ?y + 2`` of numbers.

With a number in it, both values have to be numbers, too. Sums of floating-point numbers are rounded in another order:
what is found by such a comparison is found with some slack (`order_ranks.ranked`), and asked the one that was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from kgreason.algebra.expressions.tree import FLIPPED, Call, Expression, Leaf
from kgreason.rdf.model import Literal
from kgreason.rdf.value_classes import ValueClass, approximated, classified


@dataclass(frozen=True, slots=True, eq=False)
class Separated(Call[Leaf]):
    """A comparison of which numbers were brought to the other side; `moved` is how great they are in all."""

    moved: float

    def _own(self) -> tuple[object, ...]:
        return *Call._own(self), self.moved


def separated(condition: Call[Any]) -> Iterator[Separated[Any]]:
    """What a comparison for an order says of each of two values beside the other one, where it is of these and of
    numbers alone, or of how far they are from each other: ``abs(?x - ?y) < 2``. Nothing for others."""
    (left, right), symbol = condition.arguments, condition.function
    for one, other, sign in ((left, right, symbol), (right, left, FLIPPED[symbol])):
        if isinstance(one, Call) and one.function == "abs" and sign in ("<", "<="):
            (inside,) = one.arguments
            yield from _separated(inside, other, sign)
            yield from _separated(Call("u-", (inside,)), other, sign)
            return
    yield from _separated(left, right, symbol)


def _separated(left: Expression[Any], right: Expression[Any], symbol: str) -> Iterator[Separated[Any]]:
    values: list[tuple[int, Expression[Any]]] = []
    numbers: list[tuple[int, Expression[Any]]] = []
    moved = 0.0
    for sign, term in (*_terms(left, 1), *_terms(right, -1)):
        size = _size(term)
        if size is None:
            values.append((sign, term))
        else:
            numbers.append((sign, term))
            moved += size
    if len(values) != 2 or not numbers:
        return
    (own, value), (others, other) = values
    sum_of: Expression[Any] = numbers[0][1] if numbers[0][0] != own else Call("u-", (numbers[0][1],))
    for sign, number in numbers[1:]:
        sum_of = Call("+" if sign != own else "-", (sum_of, number))
    bound = Call("+", (other, sum_of)) if own != others else Call("-", (sum_of, other))
    yield Separated(symbol if own > 0 else FLIPPED[symbol], (value, bound), moved)


def _terms(expression: Expression[Any], sign: int) -> Iterator[tuple[int, Expression[Any]]]:
    """The terms of a sum, each with its sign."""
    waiting = [(sign, expression)]
    while waiting:
        own, each = waiting.pop()
        match each:
            case Call("+" | "-", (left, right)):
                waiting += [(own if each.function == "+" else -own, right), (own, left)]
            case Call("u+" | "u-", (inside,)):
                waiting.append((own if each.function == "u+" else -own, inside))
            case _:
                yield own, each


def _size(term: Expression[Any]) -> float | None:
    """How great a finite number is; None for all else."""
    if not isinstance(term, Literal):
        return None
    kind, value = classified(term)
    number = approximated(kind, value)[0] if ValueClass.INTEGER <= kind <= ValueClass.DOUBLE else inf
    return abs(number) if isfinite(number) else None
