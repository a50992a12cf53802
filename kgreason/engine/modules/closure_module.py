"""The closure module: transitivity and symmetry of relations that other rules of their stratum feed.

The external facts are edges, those of the relations that feed the closure among them. A storage scheme keeps what they
close to, so that a chain of edges is never joined pair by pair. Del is the difference of two versions of the scheme,
as Add is: but where an edge that is left may owe itself to what goes, a pair that it still connects might be holding
itself up. So Del either gives all pairs with a path along an edge that goes, whether they are still connected or not
(the upper bound of Definition 6); or every edge that is not sure to hold is overdeleted as well, and Del gives what
that disconnects. Both are within the bounds of Definition 6; the one with less to look at is chosen. What is
overdeleted comes back if the rules rederive it. Red needs no work: a pair comes back with the edges that connect it
(Algorithm 6).
"""

from __future__ import annotations

from collections.abc import Iterator

from kgreason.engine import rule_tuning
from kgreason.engine.facts import external_key
from kgreason.engine.modules.module import Delta
from kgreason.engine.modules.part_module import PartModule, PartVersion
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.support import Support
from kgreason.engine.modules.table_versions import filtered
from kgreason.relations import table_tuning
from kgreason.relations.catalogue import Definition, Input
from kgreason.relations.plain import empty_table, union_of
from kgreason.relations.schemes import fed, turned
from kgreason.relations.table import Table


class ClosureModule(PartModule):
    """A part that is a closure."""

    def __init__(
        self,
        state: PassState,
        support: Support,
        definition: Definition,
        *,
        again: bool,
        remade: bool,
        known: PartVersion | None = None,
    ) -> None:
        super().__init__(state, definition, again=again, remade=remade, known=known)
        self._support = support
        self._passing: Table | None = None

    def least_lost(self, delta: Delta) -> int:
        if not self._may_pass() or self._before is None:
            return 0
        found = self._before.least_passing(self._edges_of(delta))
        return found if found < self._doubtful() * rule_tuning.PASSING_EACH else 0

    def doubt(self, delta: Delta, deleted: dict[int, Table]) -> None:
        """Where the pairs with a path along overdeleted edges are many, the edges that are not sure to hold go."""
        self._record_fallen(delta)
        self._passing = None
        if self._has_news():
            self._passing = self._pairs_with_path(delta)
            if self._passing is None and not self._is_suspended:
                self._strip(deleted)

    def delete(self, delta: Delta) -> Iterator[tuple[int, Table]]:
        passing = self._passing
        if not (self._has_news() or self._fallen):
            return
        changes = self._advance()
        for member in self._definition.members:
            lost = changes[member.code][1] if passing is None else turned(passing, member)
            if lost is not None:
                yield member.code, lost

    def _sources(self) -> list[int]:
        """The relations whose external facts are edges."""
        return [*self.codes, *dict.fromkeys(feed.relation.code for feed in self._definition.feeds)]

    def _keys(self) -> Iterator[int]:
        return map(external_key, self._sources())

    def _inputs(self) -> Iterator[Input]:
        yield from self._externals()
        for feed in self._definition.feeds:
            each = self._input(feed.relation, external_key(feed.relation.code))
            yield filtered(each, feed, self._state.literals)

    # -- what is not sure -----------------------------------------------------------------------------------------

    def _pairs_with_path(self, delta: Delta) -> Table | None:
        """The pairs with a path along overdeleted edges, if to look at these is cheaper than to do without all edges
        that are not asserted; None where it is not, or is too late."""
        if not self._may_pass() or self._before is None:
            return None
        edges, most = self._edges_of(delta), self._doubtful() * rule_tuning.PASSING_EACH
        if self._before.least_passing(edges) >= most:
            return None
        found = self._before.passing(edges)
        if found is None or len(found) >= most:
            return None
        return found.materialised() if len(found) <= table_tuning.WRITTEN_CHANGES else found

    def _may_pass(self) -> bool:
        is_whole = not (self.sure or self._is_suspended)
        return is_whole and bool(self._before) and self._doubtful() >= rule_tuning.DOUBTFUL_LEAST

    def _doubtful(self) -> int:
        """How many edges are not asserted."""
        external = sum(len(self._state.external.get(code) or ()) for code in self._sources())
        return external - sum(len(self._state.explicit.get(code) or ()) for code in self._sources())

    def _edges_of(self, delta: Delta) -> Table:
        """The edges among some facts."""
        edges = [turned(delta.get(external_key(member.code)), member) for member in self._definition.members]
        for feed in self._definition.feeds:
            gone = turned(delta.get(external_key(feed.relation.code)), feed.relation)
            edges.append(fed(gone, feed, self._state.literals))
        return union_of([empty_table(2), *(table for table in edges if table)])

    def _strip(self, deleted: dict[int, Table]) -> None:
        """Overdelete the edges that are not sure to hold."""
        if self.sure:
            return
        self.sure = frozenset(self._sources())
        for code in self._sources():
            edges = self._state.external.get(code)
            if edges:
                sure = self._support.asserted(code, edges)
                doubtful = edges.difference(sure) if sure else edges
                if doubtful:
                    key = external_key(code)
                    self._state.put(key, sure)
                    deleted[key] = deleted[key].union(doubtful) if key in deleted else doubtful
