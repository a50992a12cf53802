"""The module of a relation that decides what is equal, and holds of all that is equal alike.

What other rules derive of it, and what is asserted, are its external facts, under the names that things had; a scheme
maps them to representatives, and there other rules read them. Add is what is new over representatives: what was
derived, and what a class that grew has under another name. Del is what may be lost: the facts with an external fact
that goes, and all facts about a class that may have lost members. What of these is left is new again afterwards, so
that all that followed from them is derived anew (B/F would look for other proofs first; a class that is taken apart
has new names for all its facts anyhow).

Source: "Combining Rewriting and Incremental Materialisation Maintenance for Datalog Programs with Equality" (Motik,
Nenov, Piro, Horrocks, IJCAI 2015) deletes with equality; classes are taken apart here, and facts overdeleted, as in
DRED^c-MOD.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgreason.engine.facts import external_key
from kgreason.engine.modules.module import Delta
from kgreason.engine.modules.part_module import PartModule, PartVersion
from kgreason.engine.modules.representatives import Representatives
from kgreason.engine.modules.table_versions import NetChange
from kgreason.relations.alike import in_doubt, inner_facts
from kgreason.relations.catalogue import EQUALITY, Definition, Input
from kgreason.relations.net_changes import written_change
from kgreason.relations.table import NO_IDS, Table


class RepresentedPart(PartModule):
    """A part that is kept over representatives; comes after the module of the equality."""

    def __init__(
        self,
        over: Representatives,
        definition: Definition,
        *,
        again: bool,
        remade: bool,
        known: PartVersion | None = None,
    ) -> None:
        super().__init__(over.state, definition, again=again, remade=remade, known=known)
        self._over = over
        (self._code,) = self.codes
        self._closure = None if self._begins_anew else over.shown.before.get(self._code)
        self._told = None if remade else over.state.before.get(self._code)
        self._is_behind = self._begins_anew

    def delete(self, delta: Delta) -> Iterator[tuple[int, Table]]:
        gone, parted = delta.get(external_key(self._code)), delta.get(self._over.equality)
        if not self._told or not (gone or parted):
            return
        doubtful = parted.distinct(0) if parted else NO_IDS
        lost = in_doubt(self._told, gone, doubtful, self._over.represented.classes)
        if lost:
            self._tell(self._told.difference(lost))
            self._is_behind = True
            yield self._code, lost

    def add(self, delta: Delta) -> Iterator[tuple[int, Table]]:
        if not (self._is_behind or self._has_news()):
            return
        self._derive()
        self._is_behind = False
        told, now = self._told, inner_facts(self._closure)
        self._tell(now)
        gained = now.difference(told) if now and told else now
        if gained:
            yield self._code, gained

    def finish(self) -> Iterator[tuple[int, NetChange]]:
        shown = self._over.shown
        shown.facts.put(self._code, self._closure)
        if self._code in shown.touched:
            yield self._code, written_change(shown.before.get(self._code), self._closure)

    def _tell(self, inner: Table | None) -> None:
        """Have rules read other facts."""
        self._told = inner
        self._state.put(self._code, inner)

    def _keys(self) -> Iterable[int]:
        return (*map(external_key, self.codes), *(each.code for each in self._definition.equality))

    def _inputs(self) -> Iterable[Input]:
        yield from self._externals()
        for each in self._definition.equality:
            yield Input(self._seen[each.code], self._state.get(each.code), None, None, EQUALITY)
