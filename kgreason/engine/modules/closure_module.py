"""The closure module: transitivity and symmetry of relations that other rules of their stratum feed.

The facts that other modules derive, and those that are asserted, are the external facts of the relation (X_R of
paper 000, Sections 5 and 6): edges. A storage scheme keeps what they close to, so that a chain of edges is never
joined pair by pair. Add is the difference of two versions of the scheme, and so is Del: but where an edge that is
left may owe itself to what goes, a pair that it still connects might be holding itself up. So Del either gives all
pairs with a path along an edge that goes, whether they are still connected or not (the upper bound of Definition 6);
or every edge that is not sure to hold is overdeleted as well, and Del gives what that disconnects. Both are within
the bounds of Definition 6; the one with less to look at is chosen. What is overdeleted comes back if the rules
rederive it. Red needs no work: a pair comes back with the edges that connect it (Algorithm 6).

When the guard fact of a rule that the scheme stands for is overdeleted, the module is suspended: its relations are
their edges alone, until the guard fact comes back, or the next pass finds another definition.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgreason import tuning
from kgreason.engine.facts import external_key
from kgreason.engine.modules.module import Delta
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.support import Support
from kgreason.engine.modules.table_versions import NetChange, refuse_literals
from kgreason.engine.rules.groups import RuleGroup
from kgreason.relations.catalogue import Definition, Input
from kgreason.relations.plain import union_of
from kgreason.relations.schemes import net_change, turned, written_change
from kgreason.relations.table import Table


class ClosureModule:
    """A part of a stratum, by its definition.

    `again` says that it was suspended by the pass before; `remade` that the stratum begins without facts.
    """

    def __init__(
        self, state: PassState, support: Support, definition: Definition, *, again: bool, remade: bool
    ) -> None:
        self._state = state
        self._support = support
        self._definition = definition
        self._scheme = state.catalogue.of(definition)
        self._codes = [member.code for member in definition.members]
        self._shown = None if remade or again else state.before.get(self._codes[0])
        self._before = self._shown
        self._is_apart = self._is_suspended = again
        self._closure = self._shown
        self._seen = {code: None if remade or again else state.external.get(code) for code in self._codes}
        self._fallen: list[tuple[RuleGroup, int]] = []
        self._is_stripped = False

    def delete(self, delta: Delta, deleted: dict[int, Table]) -> Iterator[tuple[int, Table]]:
        """The pairs that are lost with overdeleted facts of the stratum, edges and guards among them.

        Edges that are overdeleted with them are added to `deleted`.
        """
        self._note_fallen(delta)
        passing = None
        if self._has_edges(delta):
            passing = self._passing(delta)
            if passing is None and not self._is_suspended:
                self._strip(deleted)
        elif not self._fallen:
            return
        changes = self._advance()
        for member in self._definition.members:
            lost = changes[member.code][1] if passing is None else turned(passing, member)
            if lost is not None:
                yield member.code, lost

    def add(self, delta: Delta) -> Iterator[tuple[int, Table]]:
        """The pairs that come with new edges and with guard facts that are back."""
        returned = self._is_suspended and self._guards_are_back()
        if returned:
            self._is_suspended, self._fallen = False, []
        if returned or self._has_edges(delta):
            for code, (gained, _) in self._advance().items():
                if gained is not None:
                    yield code, gained

    def finish(self) -> Iterator[tuple[int, NetChange]]:
        """The net change of each member."""
        if self._is_suspended:
            self._state.suspended.update(self._codes)
        for member in self._definition.members:
            if member.code in self._state.touched:
                before, now = self._state.before.get(member.code), self._state.facts.get(member.code)
                yield member.code, written_change(before, now)

    def _has_edges(self, delta: Delta) -> bool:
        return any(external_key(code) in delta for code in self._codes)

    # -- versions ---------------------------------------------------------------------------------------------

    def _advance(self) -> dict[int, NetChange]:
        """Show the version for the inputs as they are now; for each member what came and what went with it."""
        was_apart, self._is_apart = self._is_apart, self._is_suspended
        if not self._is_suspended:
            self._derive()
        shown = self._closure if self._closure and not self._is_suspended else None
        change = None if was_apart or self._is_apart else written_change(self._shown, shown)
        self._shown = shown
        changes = {}
        for member in self._definition.members:
            known = self._state.facts.get(member.code)
            table = self._state.external.get(member.code) if self._is_apart else turned(shown, member)
            self._state.put(member.code, table)
            if change is None:
                changes[member.code] = net_change(known, table)
            else:
                changes[member.code] = turned(change[0], member), turned(change[1], member)
        return changes

    def _derive(self) -> None:
        """Have the scheme give the next version."""
        inputs = []
        for member in self._definition.members:
            before, now = self._seen[member.code], self._state.external.get(member.code)
            added, removed = net_change(before, now)
            tables = [turned(table, member) for table in (before, now, added, removed)]
            inputs.append(Input(tables[0], tables[1], tables[2], tables[3]))
            self._seen[member.code] = now
        refuse_literals(self._definition, self._state.literals, [each.added for each in inputs])
        if self._closure is None or any(each.added or each.removed for each in inputs):
            self._closure = self._scheme.derive(self._closure, inputs)

    # -- what is not sure -----------------------------------------------------------------------------------------

    def _passing(self, delta: Delta) -> Table | None:
        """The pairs with a path along overdeleted edges, if to look at these is cheaper than to do without all edges
        that are not asserted; None where it is not, or is too late."""
        doubtful = sum(len(self._state.external.get(code) or ()) for code in self._codes)
        doubtful -= sum(len(self._state.explicit.get(code) or ()) for code in self._codes)
        if self._is_stripped or self._is_suspended or not self._before or doubtful < tuning.DOUBTFUL_LEAST:
            return None
        edges = [turned(delta.get(external_key(member.code)), member) for member in self._definition.members]
        found = self._before.passing(union_of([table for table in edges if table]))
        return found if found is not None and len(found) < doubtful * tuning.PASSING_EACH else None

    def _strip(self, deleted: dict[int, Table]) -> None:
        """Overdelete the edges that are not sure to hold."""
        if self._is_stripped:
            return
        self._is_stripped = True
        for code in self._codes:
            edges = self._state.external.get(code)
            if edges:
                sure = self._support.asserted(code, edges)
                doubtful = edges.difference(sure) if sure else edges
                if doubtful:
                    key = external_key(code)
                    self._state.put(key, sure)
                    deleted[key] = deleted[key].union(doubtful) if key in deleted else doubtful

    # -- guards -------------------------------------------------------------------------------------------------

    def _note_fallen(self, delta: Delta) -> None:
        """Suspend the module when the guard fact of a rule that it stands for is overdeleted."""
        for code, table in delta.items():
            for use in self._state.strata.absorbed(code, table) if code >= 0 else ():
                if use.head in self._codes:
                    self._fallen.append((use.group, use.row))
                    self._is_suspended = True

    def _guards_are_back(self) -> bool:
        for group, row in self._fallen:
            assert group.guard is not None
            guards = self._state.facts.get(group.guard)
            if not guards or not group.guard_holds(row, guards):
                return False
        return True
