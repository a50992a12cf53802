"""The steps module: a guard that copies a closure of its own stratum, as the pairs that the closure is made of.

The steps follow the versions of the closure. A step may be gone although the closure still has its pair: then others
lead where it led, and their rules, which may come after the pass, derive what its rule derived. Del gives the steps
that are gone, and those that are left whose pairs the closure module gives as Del, as a rule would that copies these.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgreason.engine.modules.module import Delta
from kgreason.engine.modules.part_module import PartModule
from kgreason.engine.modules.table_versions import around
from kgreason.relations.catalogue import Input
from kgreason.relations.schemes import joined, turned
from kgreason.relations.table import Table


class StepsModule(PartModule):
    """A part that is the steps of a closure; comes after the module of the closure."""

    def delete(self, delta: Delta) -> Iterator[tuple[int, Table]]:
        self._record_fallen(delta)
        doubtful = list(self._doubtful(delta))
        if not (doubtful or self._has_news() or self._fallen):
            return
        for code, (_, lost) in self._advance().items():
            tables = [table for table in (lost, *doubtful) if table]
            if tables:
                yield code, joined(tables)

    def _doubtful(self, delta: Delta) -> Iterator[Table]:
        """The steps whose pairs the closure has lost, or is not sure to have."""
        for feed in self._definition.feeds:
            pairs = turned(delta.get(feed.relation.code), feed.relation)
            if pairs and self._shown and (found := self._shown.intersection(pairs)):
                yield found

    def _inputs(self) -> Iterator[Input]:
        inputs = [*self._externals(), *self._pairs()]
        yield from inputs
        assert self._definition.naming is not None
        yield from around(inputs, self._definition.naming, self._state.terms)

    def _pairs(self) -> Iterator[Input]:
        """The closure before and after: what came and went is not asked for."""
        for feed in self._definition.feeds:
            key = feed.relation.code
            before, now = (turned(table, feed.relation) for table in (self._seen[key], self._state.get(key)))
            yield Input(before, now, None, None)
