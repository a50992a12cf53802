"""What the passes of one change did, put together.

The net change of several passes is that of one after the other, but for relations of which a pass does not write its
change out, since a scheme shows them, and for those that passes give other definitions. These are compared instead, as
they were before the change and as they are after it.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from kgreason.engine.effort import Effort
from kgreason.engine.engine_state import EngineState, StoredFacts
from kgreason.engine.facts import Changes, relation_of
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.persistent_map import Draft
from kgreason.relations.net_changes import NetChanges
from kgreason.relations.table import Table


@dataclass(slots=True, eq=False, repr=False)
class PassTotals:
    """The totals of the passes since the state `before`."""

    before: EngineState
    touched: set[int] = field(default_factory=set)
    """The keys that passes wrote (`PassState`)."""
    external_changes: Changes = field(default_factory=Changes)
    _redefined_once: set[int] = field(default_factory=set)
    _redefined_again: set[int] = field(default_factory=set)
    """Relations that one pass gave another definition, and those that several did."""
    _virtual: set[int] = field(default_factory=set)
    """Relations of which some pass did not write the change out."""
    _again: set[int] = field(default_factory=set)
    """Relations that several passes changed."""

    def redefined(self, codes: Set[int]) -> None:
        """A pass gives some relations another definition."""
        self._redefined_again |= self._redefined_once & codes
        self._redefined_once |= codes

    def wrote(self, state: PassState) -> None:
        """A pass is done, which wrote what its state says."""
        self.touched |= state.touched
        self.external_changes.follow(state.external_changes)

    def began(self, total: Changes) -> None:
        """The net change of the first pass, to which those of later ones are added."""
        for tables in (total.added, total.removed):
            self._virtual.update(code for code, table in tables.items() if table.is_virtual)

    def followed(self, total: Changes, later: Changes) -> None:
        """Add the net change of a later pass to that of those before it."""
        self.began(later)
        self._again |= _relations(total) & _relations(later)
        total.follow(later)

    # -- afterwards ---------------------------------------------------------------------------------------------

    def finish(self, total: Changes, state: EngineState, facts: Draft[Table]) -> None:
        """Give virtual relations that several passes changed the net change of all together, and time to tidy up."""
        changes = NetChanges()
        for code in self.touched:
            if code < 0:
                continue
            now = facts.get(code)
            if code in self._again:
                known = self.before.facts.get(code)
                is_virtual = any(table is not None and table.is_virtual for table in (known, now))
                if is_virtual or code in self._virtual or ~code in self.touched:
                    total.replace(code, *changes.of(known, now))
            if code in state.definitions and now is not None and (compacted := now.compacted()) is not now:
                facts.put(code, compacted)

    def stored(self, total: Changes, after: EngineState) -> Changes:
        """The net change of what is written out. That of a relation which several passes redefined is in no change of
        theirs: some of it came to its facts, and became external with them."""
        stored, external, definitions = Changes(), self.external_changes, after.definitions
        for code in (total.added.keys() | total.removed.keys()) - definitions.keys():
            stored.replace(code, total.added.get(code), total.removed.get(code))
        for code in (external.added.keys() | external.removed.keys()) & definitions.keys():
            stored.replace(code, external.added.get(code), external.removed.get(code))
        changes, then, now = NetChanges(), StoredFacts(self.before), StoredFacts(after)
        for code in self._redefined_again:
            stored.replace(code, *changes.of(then.get(code), now.get(code)))
        return stored

    def effort(self, after: EngineState, work: float) -> Effort:
        """That of the state after the change, which took some work: O(relations that were touched)."""
        before, groups = self.before.effort, after.rules.groups
        same = groups is self.before.rules.groups
        rules = before.rules if same else sum(len(group.rows) for group in groups.values())
        codes = {relation_of(key) for key in self.touched} | self._redefined_once
        then, now = StoredFacts(self.before), StoredFacts(after)
        more = sum([_written_out(now.get(code)) - _written_out(then.get(code)) for code in codes])
        if not len(self.before.facts):
            return Effort(work, rules, more)
        return before.after(work, rules, max(0, before.facts + more))


def _written_out(table: Table | None) -> int:
    """How many facts of a table are written out."""
    return 0 if table is None or table.is_virtual else len(table)


def _relations(changes: Changes) -> set[int]:
    """Those that have changed."""
    return {*changes.added, *changes.removed}
