"""What is asked of a table: its facts, how many there are, and which lead where. All but four questions have a default.

A scheme answers `arity`, `scheme`, `distinct` and `lookup`, and those of the others that it can answer better than by
these; the defaults are in `default_reads`, at the cost that each method states. In the costs, n is the number of facts,
k that of the ids or rows of an argument.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from kgreason.relations import default_reads

if TYPE_CHECKING:
    from kgreason.relations.table import Columns, Ids, Index, Mask, Table


class TableReads(ABC):
    """The reads of a `Table`; `columns` arguments are uint32 arrays of one length, one per position."""

    _length: int | None = None
    _estimate: int | None = None

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def arity(self) -> int:
        """How many arguments a fact has."""

    @property
    @abstractmethod
    def scheme(self) -> str:
        """The name of the storage scheme, for statistics."""

    @property
    @abstractmethod
    def is_virtual(self) -> bool:
        """Whether the facts are not written out, so that looking at all of them is to be avoided."""

    @property
    def is_transitive(self) -> bool:
        """Whether the pairs are known to be transitively closed. False unless a scheme says so."""
        return False

    @property
    def is_symmetric(self) -> bool:
        """Whether every pair is known to be there the other way round as well. False unless a scheme says so."""
        return False

    @property
    def is_dear(self) -> bool:
        """Whether it is known to take long to find the first fact. False unless a scheme says so."""
        return False

    # -- sizes --------------------------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        """Bytes held, shared columns included; those of `inputs` are not. 0 unless a scheme says more."""
        return 0

    def inputs(self) -> Iterable[Table]:
        """The plain tables that a virtual one keeps for itself. None unless a scheme names some."""
        return ()

    @property
    def estimate(self) -> int:
        """About how many facts there are: what a join order goes by. By default `len` where that is known, else from
        the fan-out of a few subjects: one `lookup`, once."""
        if self._length is not None:
            return self._length
        if self._estimate is None:
            self._estimate = default_reads.sampled_estimate(self)
        return self._estimate

    def distinct_estimate(self, position: int) -> int:
        """About how many distinct ids there are at a position. By default exact, at the cost of `distinct`."""
        return len(self.distinct(position))

    def __len__(self) -> int:
        """How many facts there are. By default counted in `chunks` when first asked: O(n), then O(1)."""
        if self._length is None:
            self._length = self.count()
        return self._length

    def count(self) -> int:
        """The number of facts, for `len`, which keeps it. By default O(n), by enumeration."""
        return sum(len(columns[0]) for columns in self.chunks())

    def __bool__(self) -> bool:
        """Whether there are any facts. By default the cost of `distinct`."""
        return len(self.distinct(0)) > 0

    # -- reading ------------------------------------------------------------------------------------------------

    @abstractmethod
    def distinct(self, position: int) -> Ids:
        """The distinct ids at a position, sorted."""

    @abstractmethod
    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        """Join with many keys: for each row of the bound columns, in any order and with duplicates, the facts that
        agree with it. At least one position is bound, and one is not unless the arity is 1.

        Returns:
            For each fact found the number of its row, int64, in any order, and the columns of the facts.
        """

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        """`lookup` a run of rows at a time: at most `most` facts at once, or those of one row. By default the cost of
        `fanout` more, unless `largest_fanout` says that there are fewer."""
        return default_reads.lookups(self, bound, most)

    def by_group(self, width: int, most: int) -> Iterator[tuple[Columns, Index, Columns]]:
        """All facts, those that agree in the first `width` arguments one after the other: the arguments of some such
        groups, where the facts of each begin, and the facts; at most `most` facts at a time, or those of one group. By
        default O(n log n), by `lookups` and sorts, and the facts of one subject may come at once."""
        return default_reads.by_group(self, width, most)

    def fanouts(self) -> tuple[Ids, Index]:
        """The distinct subjects, sorted, and how many facts each has, int64. By default the cost of `fanout`."""
        subjects = self.distinct(0)
        return subjects, self.fanout(0, subjects)

    def chunks(self) -> Iterator[Columns]:
        """All facts, a bounded number of rows at a time, in the order of `columns`. By default O(n), by `lookup`."""
        if self.arity == 1:
            yield (self.distinct(0),)
        else:
            yield from self.chunks_of(self.distinct(0))

    def chunks_of(self, subjects: Ids) -> Iterator[Columns]:
        """The facts of some subjects, each once, the first ones soon, then about `table_tuning.CHUNK` rows at a time;
        more where a single subject has more. By default O(facts), by `lookup`."""
        return default_reads.chunks_of(self, subjects)

    def some(self) -> Columns:
        """Some facts: none only where there is none. By default the first of `chunks`."""
        return next(self.chunks(), (np.empty(0, dtype=np.uint32),) * self.arity)

    def columns(self) -> Columns:
        """All facts as columns: O(n). Those of a plain table are sorted."""
        return default_reads.columns(self)

    def has(self, fact: tuple[int, ...]) -> bool:
        """Whether one fact is there. By default the cost of `contains`."""
        return bool(self.contains(tuple(np.array([term], dtype=np.uint32) for term in fact))[0])

    def contains(self, columns: Columns) -> Mask:
        """For each row of the columns whether it is a fact. By default O(facts that agree in all but the last
        argument), by `lookup`, in bounded memory."""
        return default_reads.contains(self, columns)

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        """For each id, in any order, whether a fact has it at the position. By default the cost of `distinct`, and
        O(k log n)."""
        return default_reads.has_key(self, position, identifiers)

    def may_have_key(self, position: int, identifiers: Ids) -> Mask:
        """For each id, in any order, whether a fact may have it at the position, as far as that is known before a fact
        is looked at. By default the cost of `has_key`."""
        return self.has_key(position, identifiers)

    def has_id(self, position: int, identifier: int) -> bool:
        """Whether a fact has one id at a position. By default the cost of `has_key`."""
        return bool(self.has_key(position, np.array([identifier], dtype=np.uint32))[0])

    def fanout(self, position: int, identifiers: Ids) -> Index:
        """For each id, in any order, how many facts have it at the position, int64. By default O(those facts), by
        `lookup`, in bounded memory."""
        return default_reads.fanout(self, position, identifiers)

    def fanout_of(self, position: int, identifier: int) -> int:
        """How many facts have one id at the position. By default as `fanout`."""
        return int(self.fanout(position, np.array([identifier], dtype=np.uint32))[0])

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        """About how many facts have one of some ids, at least one, at the position: for a plan. By default the mean of
        their `fanout`; a table that takes long to count them may look at fewer."""
        return float(self.fanout(position, identifiers).mean())

    def is_indexed(self, position: int) -> bool:
        """Whether facts are looked up by ids at the position as they are kept, so that nothing must be made first that
        takes as long as the table took. True unless a scheme says otherwise."""
        return True

    def largest_fanout(self, position: int) -> int:
        """No id has more facts at the position than this, as far as that is known. By default `estimate`."""
        return self.estimate

    def survey(self) -> None:
        """Have at hand what planners ask of pairs, where that is not another index: O(facts) in some steps."""
        self.largest_fanout(0)
        for position in (0, 1):
            self.distinct_estimate(position)

    def select(self, bound: dict[int, int]) -> Columns:
        """The facts with the given ids at the given positions, all their columns. By default the cost of `columns`
        for no position, of `contains` for all, else of `lookup`."""
        return default_reads.select(self, bound) if bound else self.columns()

    def objects_of(self, subject: int) -> Ids:
        """The objects of one subject in a table of pairs, each once, in any order. By default the cost of `select`."""
        return self.select({0: subject})[1]

    def image_of(self, position: int, identifier: int) -> Ids:
        """The ids at the other end of the pairs that have one id at a position: each once, in any order, perhaps a
        view of a larger column. By default the cost of `select`."""
        return self.select({position: identifier})[1 - position]

    def few_of(self, position: int, identifier: int, most: int) -> list[int] | None:
        """What `image_of` gives as Python's integers, for readers of single facts; None where there are more than
        `most`. By default the cost of `image_of`."""
        found = self.image_of(position, identifier)
        return found.tolist() if len(found) <= most else None

    # -- the ends of pairs alone, which spares a reader what makes a closure large: its pairs ---------------------

    def image(self, position: int, identifiers: Ids) -> Ids:
        """The ids at the other end of pairs that have one of some ids, in any order, at a position: sorted, each once.
        By default O(pairs found), by `lookup`, in bounded memory."""
        return default_reads.image(self, position, identifiers)

    def proper_image(self, position: int, identifiers: Ids) -> Ids:
        """The same, but for what is only paired with itself. By default O(pairs found), in bounded memory."""
        return default_reads.image(self, position, identifiers, is_proper=True)

    def between(self, subjects: Ids, objects: Ids) -> Columns:
        """The pairs whose ends are in two sorted sets, each once, in any order. By default O(pairs of the subjects), in
        bounded memory but for what is found."""
        return default_reads.between(self, subjects, objects)

    def reciprocal(self, other: Table) -> Columns:
        """The pairs that another table has the other way round, each once, in any order. By default the cost of
        `contains` for all pairs, or for those of the other table where it is written out and has fewer."""
        return default_reads.reciprocal(self, other)

    def loops(self) -> Ids:
        """The ids that are paired with themselves, in any order, each once. By default the cost of `contains` for
        every subject."""
        subjects = self.distinct(0)
        return subjects[self.contains((subjects, subjects))]

    def representatives(self, identifiers: Ids) -> Ids:
        """For each id one that all ids share which are paired with each other both ways, or itself: by default
        itself."""
        return identifiers

    def circles(self) -> Ids:
        """The ids, sorted, that share a representative with others: by default none."""
        return np.empty(0, dtype=np.uint32)

    def symmetric_count(self) -> int:
        """How many pairs are there the other way round as well. By default the cost of `contains` for all pairs."""
        return sum(int(self.contains(columns[::-1]).sum()) for columns in self.chunks())

    def symmetric_fanout(self, identifiers: Ids) -> Index:
        """For each id with how many it is paired in both directions, int64. By default the cost of `contains` for
        the pairs of these ids, in bounded memory."""
        return default_reads.symmetric_fanout(self, identifiers)
