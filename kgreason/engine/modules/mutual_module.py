"""The mutual module: what a closure of the same stratum has both ways, as equivalent classes.

The pairs follow the versions of the closure, and the external facts of the relation come beside them. Where the closure
module gives as Del the pairs with a path along an edge that goes, a pair both ways has one if that edge is within its
component: so Del gives all pairs of these components. Where all edges of the closure are sure, and what comes beside
it, no pair holds itself up, and Del is the difference of two versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgreason.engine.facts import external_key
from kgreason.engine.modules.module import Delta
from kgreason.engine.modules.part_module import PartModule, PartVersion
from kgreason.engine.modules.pass_state import PassState
from kgreason.relations.catalogue import MUTUAL, Definition, Input
from kgreason.relations.plain import union_of
from kgreason.relations.schemes import joined
from kgreason.relations.table import Table


class MutualModule(PartModule):
    """A part that is what a closure has both ways; comes after the module of the closure."""

    def __init__(
        self,
        state: PassState,
        definition: Definition,
        closures: Sequence[PartModule],
        *,
        again: bool,
        remade: bool,
        known: PartVersion | None = None,
    ) -> None:
        """`closures` are the parts before this one, that of the closure among them."""
        super().__init__(state, definition, again=again, remade=remade, known=known)
        read = {feed.relation.code for feed in definition.feeds}
        self._closures = [each for each in closures if not read.isdisjoint(each.codes)]

    def delete(self, delta: Delta) -> Iterator[tuple[int, Table]]:
        self._record_fallen(delta)
        # The closure may have the same pairs, of which some hold themselves up by way of those that are given here.
        passing = None if self._is_sure() else self._passing(delta)
        if passing is None and not self._has_news() and not self._fallen:
            return
        for code, (_, lost) in self._advance().items():
            tables = [table for table in (lost, passing, delta.get(external_key(code))) if table]
            if tables:
                yield code, joined(tables)

    def _is_sure(self) -> bool:
        """Whether all that the pairs are made of, by the closure and beside it, is sure as far as it is left."""
        sure = frozenset[int]().union(*(each.sure for each in self._closures))
        return all(each.sure for each in self._closures) and sure.issuperset(self.codes)

    def _inputs(self) -> Iterator[Input]:
        yield from self._externals()
        for feed in self._definition.feeds:
            yield self._input(feed.relation, feed.relation.code, MUTUAL)

    def _passing(self, delta: Delta) -> Table | None:
        """The pairs of the components within which an edge was overdeleted."""
        edges = [delta[key] for key in self._edge_keys() if key in delta]
        return self._before.passing(union_of(edges)) if edges and self._before else None

    def _edge_keys(self) -> Iterator[int]:
        """The keys of the edges, in either direction, of the closure."""
        read = {feed.relation.code for feed in self._definition.feeds}
        for definition in self._state.strata.parts(self._state.strata.component(self.codes[0])):
            if not read.isdisjoint(member.code for member in definition.members):
                codes = [member.code for member in definition.members]
                yield from map(external_key, (*codes, *(feed.relation.code for feed in definition.feeds)))
