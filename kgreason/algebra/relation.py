"""What a join asks of a relation. Every `kgreason.relations.table.Table` is one; a query makes others of tables, such
as what a property path connects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeAlias

from kgreason.algebra.bindings import Mask
from kgreason.algebra.row_keys import Ids, Index
from kgreason.relations.table import Table

Columns: TypeAlias = tuple[Ids, ...]


class Relation(Protocol):
    """A set of facts of one arity. The methods mean what those of `Table` mean."""

    @property
    def arity(self) -> int:
        """How many arguments a fact has."""

    @property
    def estimate(self) -> int:
        """About how many facts there are."""

    def __len__(self) -> int:
        """How many facts there are, without making them where that is possible."""

    def __bool__(self) -> bool:
        """Whether there are any facts."""

    def distinct_estimate(self, position: int) -> int:
        """About how many distinct ids there are at a position."""

    def distinct(self, position: int) -> Ids:
        """The distinct ids at a position."""

    def chunks(self) -> Iterator[Columns]:
        """All facts, a bounded number of rows at a time."""

    def select(self, bound: dict[int, int]) -> Columns:
        """The facts with the given ids at the given positions, all their columns."""

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        """For each row of the bound columns the facts that agree with it: the number of its row, and the facts."""

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        """`lookup` a run of rows at a time: at most `most` facts at once, or those of one row."""

    def contains(self, columns: Columns) -> Mask:
        """For each row of the columns whether it is a fact."""

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        """For each id whether a fact has it at the position."""

    def fanout(self, position: int, identifiers: Ids) -> Index:
        """For each id how many facts have it at the position."""

    def fanout_of(self, position: int, identifier: int) -> int:
        """How many facts have one id at the position."""

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        """About how many facts have one of some ids at the position."""

    def is_indexed(self, position: int) -> bool:
        """Whether facts are looked up by ids at a position without anything that must be made first."""

    def image(self, position: int, identifiers: Ids) -> Ids:
        """The ids at the other end of pairs that have one of some ids at a position, each once."""

    def loops(self) -> Ids:
        """The ids that are paired with themselves, each once."""

    # -- what a closure of pairs is made from ----------------------------------------------------------------------

    @property
    def is_transitive(self) -> bool:
        """Whether the pairs are known to be transitively closed."""

    def generators(self) -> Iterable[Relation]:
        """Relations of pairs that have together the same transitive closure."""

    def tables(self) -> Iterable[Table]:
        """Tables that have together the same facts, written out only where there is none."""
