"""The protocol of a table: an immutable set of facts of one arity, read a column at a time, in any storage scheme.

A change makes a new version that shares what did not change, so a reader that holds a version keeps a consistent
snapshot, and the engine keeps the view before a change for nothing. With that, the views of Zhang et al. 2023 are:
I-before, the version before; I, the version after; Delta, the one without the other (`difference`).

A table of a new scheme derives from `VirtualTable` (in `virtual`) and gives four things: `arity`, `scheme`, `distinct`
and `lookup`. All else follows from these; a scheme overrides what it can do better. What a table is asked for is in
`table_reads`; here is what is made of it: other tables, and comparisons with them. Readers outside of this package know
this class alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import sorted_sets
from kgreason.relations.comparisons import Comparisons
from kgreason.relations.paths import Path, Step
from kgreason.relations.table_reads import TableReads

if TYPE_CHECKING:
    from kgreason.relations.labels import ReachabilityLabels
    from kgreason.relations.stored import Part, PartWriter

Ids: TypeAlias = NDArray[np.uint32]
Columns: TypeAlias = tuple[Ids, ...]
Mask: TypeAlias = NDArray[np.bool_]
Index: TypeAlias = NDArray[np.int64]

NO_IDS: Ids = np.empty(0, dtype=np.uint32)


class Table(TableReads):
    """A set of facts of one arity, which never changes."""

    stored_as: ClassVar[str | None] = None
    """The name under which `stored` reads the table back, which each class says for itself; None for a table that
    cannot be written to a file."""

    _compared: Comparisons | None = None

    # -- other tables -------------------------------------------------------------------------------------------

    @abstractmethod
    def materialised(self) -> Table:
        """The facts written out in a plain table, which is its own."""

    @abstractmethod
    def inverse(self) -> Table:
        """The facts with their arguments in reverse order; may be kept for the next time."""

    @abstractmethod
    def filter(self, kept: Mask) -> Table:
        """The facts for which the mask is true, in the order of `columns`."""

    @abstractmethod
    def union(self, other: Table) -> Table:
        """All facts of both; shares this table's columns where `other` is small."""

    @abstractmethod
    def difference(self, other: Table) -> Table:
        """The facts that are not in `other`; shares this table's columns where `other` is small."""

    def lacking(self, other: Table) -> Table:
        """The facts of another table that this one does not have: its difference, where this one cannot tell better."""
        return other.difference(self)

    @abstractmethod
    def intersection(self, other: Table) -> Table:
        """The facts of both."""

    def insert(self, other: Table) -> tuple[Table, Table]:
        """The union with another table, and the facts of that one that are new."""
        return self.union(other), other.difference(self)

    def delete(self, other: Table) -> tuple[Table, Table]:
        """The facts that are not in another table, and those that are."""
        return self.difference(other), self.intersection(other)

    def compacted(self) -> Table:
        """The same facts, tidied once no reader needs the version before (the merge of Zhang et al. 2023); by default
        itself."""
        return self

    def written_few(self) -> Table:
        """The same facts, to be read by rules: where they are few, in a plain table; by default itself."""
        return self

    def consolidated(self) -> Table:
        """The same facts, to be read often: what small changes left beside them is merged in; by default itself."""
        return self

    # -- versions -----------------------------------------------------------------------------------------------

    def changed_subjects(self, other: Table) -> Ids | None:
        """The subjects whose objects may differ from those in another table of pairs, sorted; None where only a look
        at all pairs would tell, which is the default. Found once for each other table, since all unions above ask."""
        if self is other or not self:
            return NO_IDS
        if not other:
            return self.distinct(0)
        if self._compared is None:
            self._compared = Comparisons()
        if other not in self._compared:
            self._compared[other] = self._changed_subjects(other)
        return self._compared[other]

    def _changed_subjects(self, other: Table) -> Ids | None:
        """The same for two tables with facts."""
        return None

    def changed_objects(self, other: Table) -> Ids | None:
        """The same of the objects of virtual tables. By default those of the pairs that differ, and that are there."""
        if self is other:
            return NO_IDS
        if self.changed_subjects(other) is None:
            return None
        come, gone = self.difference(other), other.difference(self)
        ends: Ids = sorted_sets.union(come.distinct(1), gone.distinct(1))
        found: Ids = sorted_sets.intersection(ends, self.distinct(1))
        return found

    def keys_missing_from(self, other: Table, position: int) -> Ids:
        """Sorted ids at a position, among them all that another table does not have there. By default all; of two
        versions of one table few."""
        return NO_IDS if self is other or not self else self._keys_missing_from(other, position)

    def _keys_missing_from(self, other: Table, position: int) -> Ids:
        """The same for another table than this one."""
        return self.distinct(position)

    def new_keys(self, position: int) -> Ids:
        """The distinct ids at a position, sorted. For a difference of virtual tables, only ids that the other table
        does not have there."""
        return self.distinct(position)

    def is_subset_of(self, other: Table) -> bool | None:
        """Whether all facts are in another table; None where only a look at them would tell, which is the default."""
        return None

    def is_view_of(self, other: Table | None) -> bool:
        """Whether the facts are those of another table, which this one reads; by default only where it is that one."""
        return self is other

    def count_from(self, before: Table, added: int, removed: int) -> None:
        """Take the number of facts from that of the version before, if that was counted, and what came and went."""
        if before._length is not None:
            self._length = before._length + added - removed

    def continue_from(self, before: Table, came: Table | None, gone: Table | None) -> None:
        """Take from the version before what can be known from it and what came and went; by default nothing."""

    def passing(self, edges: Table) -> Table | None:
        """Pairs of a closure, among them all with a path along some of its edges; None where that is not known, which
        is the default."""
        return None

    def least_passing(self, edges: Table) -> int:
        """How many pairs `passing` gives at least, as far as a look at the ends of the edges tells; by default 0."""
        return 0

    # -- closures -----------------------------------------------------------------------------------------------

    def generators(self) -> Iterable[Table]:
        """Tables of pairs that have together the same transitive closure: the edges in place of a closure. By default
        the table itself."""
        return (self,)

    def spanning(self) -> Iterable[Table]:
        """The same of as few pairs as the table knows, which need not be edges: O(ids). By default its generators."""
        return self.generators()

    def tables(self) -> Iterable[Table]:
        """Tables that have together the same facts: the table itself."""
        return (self,)

    def paths(self) -> list[Path]:
        """Sequences of steps that lead from the subjects of pairs to their objects, for readers that cannot call a
        table; a pair may be at the ends of several. By default one step: the table itself."""
        return [(Step(self),)]

    def reachability_labels(self) -> ReachabilityLabels | None:
        """The labels of which the pairs are made, None for a table that has none, which is the default."""
        return None

    # -- files --------------------------------------------------------------------------------------------------

    def write(self, to: PartWriter) -> list[Part]:
        """The columns, tables and numbers of which the table is made, as `stored` reads them back.

        Raises:
            NotImplementedError: the table has no stored form, which is the default; `stored_as` is None then.
        """
        raise NotImplementedError(f"tables of the scheme {self.scheme} cannot be written to a file")

    # -- invariants ---------------------------------------------------------------------------------------------

    @abstractmethod
    def _check(self) -> None:
        """Raise AssertionError unless the invariants hold."""
