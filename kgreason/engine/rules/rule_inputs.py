"""What rules read: the facts of relations, and terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from kgreason.columns.mixing import Hashes
from kgreason.engine.rules.template_parts import Operation, Slot, Summary
from kgreason.relations.table import Columns, Ids, Index, Mask, Table

if TYPE_CHECKING:
    from kgreason.algebra.expressions.order_ranks import Ranks
    from kgreason.algebra.summaries import Summariser

Reader: TypeAlias = Callable[[int], Table | None]
"""From the code of a relation to its facts, None when there are none."""

MakeTable: TypeAlias = Callable[[Columns], Table | None]
"""From the columns of derived facts to a table of these, or of those among them that are wanted, None for none."""

Tick: TypeAlias = Callable[[], None]
"""Looks at the clock; raises BudgetError when time is up."""


KeysOfRows: TypeAlias = tuple[Hashes, Mask]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Side:
    """An operation, or a slot, over some rows: the columns of its slots."""

    operation: Operation | Slot
    columns: Mapping[Slot, Ids]
    length: int


class Terms(Protocol):
    """What the engine asks of terms; the dictionary and the built-in functions stand behind it."""

    def object_only_mask(self) -> Mask:
        """For each id whether it stands in the place of objects alone."""

    def names(self, identifiers: Ids, kind: int) -> Mask:
        """For each id whether it can name a relation of a kind."""

    def test(self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: Tick) -> Mask:
        """For each row whether the operation is true; an error is false. `tick` is called now and then."""

    def compute(
        self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: Tick
    ) -> tuple[Ids, Mask, int]:
        """For each row the id of the operation's value, and whether it has one; and how many characters have the terms
        that are new. `tick` is called now and then."""

    def keys(self, symbol: str, left: Side, right: Side, tick: Tick) -> tuple[KeysOfRows, KeysOfRows]:
        """For each row of two sides of ``=`` or ``sameterm`` a key, which is the same where it holds, and whether it
        may hold. `tick` is called now and then."""

    def ranks(self, sides: Sequence[Side], tick: Tick) -> list[Ranks]:
        """The ranks of the rows of several sides, by which values are found that are less or greater than others.
        `tick` is called now and then."""

    def summariser(self, summary: Summary) -> Summariser:
        """What an aggregate makes of groups, whose members are still to come."""

    def integers(self, numbers: Index) -> Ids:
        """The ids of integer literals."""
