"""Conditions between two sets of rows: one side has variables of the one set, the other side those of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias

from kgreason.algebra.expressions.tree import FLIPPED, Call, Equation, Expression, Leaf, is_equation, is_ordering

OfRows: TypeAlias = Callable[[Expression[Any]], bool]
"""Whether an expression has variables, and no others than those of some rows."""


@dataclass(frozen=True, slots=True)
class Bounds(Generic[Leaf]):
    """Comparisons (``<``, ``<=``, ``>``, ``>=``) of several values of each row, on the left, with one value of each of
    others, on the right. With `is_turned` the rows on the left are those that were asked for on the right."""

    comparisons: Sequence[Call[Leaf]]
    is_turned: bool

    @property
    def symbols(self) -> list[str]:
        """Their operators."""
        return [each.function for each in self.comparisons]

    @property
    def lefts(self) -> list[Expression[Leaf]]:
        """The values that are the bounds."""
        return [each.arguments[0] for each in self.comparisons]

    @property
    def right(self) -> Expression[Leaf]:
        """The value that is within them."""
        return self.comparisons[0].arguments[1]

    def turned(self) -> Bounds[Leaf]:
        """The same of a single comparison with the sides changed over."""
        ((left, right),) = (each.arguments for each in self.comparisons)
        return Bounds((Call(FLIPPED[self.symbols[0]], (right, left)),), not self.is_turned)


def equation_of(conditions: Iterable[Expression[Leaf]], of_left: OfRows, of_right: OfRows) -> Equation[Leaf] | None:
    """The first condition for equal values of rows on the left and others on the right, turned so."""
    for each in conditions:
        if is_equation(each):
            left, right = each.arguments
            for one, other in ((left, right), (right, left)):
                if of_left(one) and of_right(other):
                    return Equation(one, other, each.function)
    return None


def bounds_of(conditions: Sequence[Expression[Leaf]], of_left: OfRows, of_right: OfRows) -> Bounds[Leaf] | None:
    """The most conditions for an order of rows on the left and others on the right that one value of one side has in
    common; None without any."""
    straight, turned = _agreeing(conditions, of_left, of_right), _agreeing(conditions, of_right, of_left)
    most = max(straight, turned, key=len)
    return Bounds(most, most is turned) if most else None


def _agreeing(conditions: Iterable[Expression[Leaf]], of_left: OfRows, of_right: OfRows) -> list[Call[Leaf]]:
    """The most conditions for an order that agree in the right side, each turned so that this is of the right rows."""
    found: dict[Expression[Leaf], list[Call[Leaf]]] = {}
    for each in conditions:
        if is_ordering(each):
            (left, right), symbol = each.arguments, each.function
            for one, other, sign in ((left, right, symbol), (right, left, FLIPPED[symbol])):
                if of_left(one) and of_right(other):
                    found.setdefault(other, []).append(Call(sign, (one, other)))
    return max(found.values(), key=len, default=[])
