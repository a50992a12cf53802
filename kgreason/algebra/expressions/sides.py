"""Conditions between two sets of rows: one side has variables of the one set, the other side those of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeAlias

from kgreason.algebra.expressions.separation import Separated
from kgreason.algebra.expressions.tree import FLIPPED, Call, Equation, Expression, Leaf, is_equation, is_ordering

OfRows: TypeAlias = Callable[[Expression[Any]], bool]
"""Whether an expression has variables, and no others than those of some rows."""

_BEFORE: Final = ("<", "<=")


@dataclass(frozen=True, slots=True)
class Bounds(Generic[Leaf]):
    """Comparisons (``<``, ``<=``, ``>``, ``>=``) of several values of each row, on the left, with one value of each of
    others, on the right. With `is_turned` the rows on the left are those that were asked for on the right.

    A single comparison may have one of other values, of both sides, that is `crossing` it: the other way round, as
    intervals overlap where each begins before the other one ends.
    """

    comparisons: Sequence[Call[Leaf]]
    is_turned: bool
    crossing: Call[Leaf] | None = None

    @property
    def overlap(self) -> tuple[tuple[Expression[Leaf], Expression[Leaf]], tuple[Expression[Leaf], Expression[Leaf]]]:
        """Where the intervals of the left and of the right rows begin and end, of two comparisons that cross."""
        assert self.crossing is not None, "no comparison crosses"
        (one,), other = self.comparisons, self.crossing
        before, after = (one, other) if one.function in _BEFORE else (other, one)
        (begin, last), (end, first) = before.arguments, after.arguments
        return (begin, end), (first, last)

    @property
    def moved(self) -> float | None:
        """How great the numbers are in all that were brought from one side of a comparison to the other one; None where
        none were."""
        own = (*self.comparisons, *(() if self.crossing is None else (self.crossing,)))
        found = [each.moved for each in own if isinstance(each, Separated)]
        return sum(found) if found else None

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
        (only,) = self.comparisons
        turned = replace(only, function=FLIPPED[only.function], arguments=only.arguments[::-1])
        return Bounds((turned,), not self.is_turned)


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
    if not most:
        return None
    return Bounds(most, most is turned, _crossing(most[0], conditions, of_left, of_right) if len(most) == 1 else None)


def _crossing(
    known: Call[Leaf], conditions: Iterable[Expression[Leaf]], of_left: OfRows, of_right: OfRows
) -> Call[Leaf] | None:
    """The first condition for the other order than one with rows on the left, turned so."""
    for each in _turned(conditions, of_left, of_right):
        if (each.function in _BEFORE) != (known.function in _BEFORE):
            return each
    return None


def _agreeing(conditions: Iterable[Expression[Leaf]], of_left: OfRows, of_right: OfRows) -> list[Call[Leaf]]:
    """The most conditions for an order that agree in the right side, each turned so that this is of the right rows."""
    found: dict[Expression[Leaf], list[Call[Leaf]]] = {}
    for each in _turned(conditions, of_left, of_right):
        found.setdefault(each.arguments[1], []).append(each)
    return max(found.values(), key=len, default=[])


def _turned(
    conditions: Iterable[Expression[Leaf]], of_left: OfRows, of_right: OfRows
) -> Iterator[Call[Leaf]]:
    """The conditions for an order of rows on the left and others on the right, each turned so."""
    for each in conditions:
        if is_ordering(each):
            (left, right), symbol = each.arguments, each.function
            for one, other, sign in ((left, right, symbol), (right, left, FLIPPED[symbol])):
                if of_left(one) and of_right(other):
                    yield replace(each, function=sign, arguments=(one, other))
