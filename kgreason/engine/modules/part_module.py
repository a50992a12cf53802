"""What modules share that keep a part of a stratum in a scheme: versions of its facts, and the guards of its rules.

The facts that other modules derive, and those that are asserted, are the external facts of the relation (X_R of
Hu et al. 2019, Sections 5 and 6); a storage scheme keeps what follows from them. Add is the difference of two versions
of the scheme.

When the guard fact of a rule that the scheme stands for is overdeleted, the module is suspended: its relations are
their external facts alone, until the guard fact comes back, or the next pass finds another definition.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from kgreason.columns.masks import all_of
from kgreason.engine.facts import external_key
from kgreason.engine.modules.module import Delta
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.table_versions import NetChange
from kgreason.engine.modules.unsuited import refuse_literals
from kgreason.engine.rules.groups import RuleGroup
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.relations.catalogue import CHAIN, Definition, Input, Oriented
from kgreason.relations.net_changes import net_change, written_change, written_gain
from kgreason.relations.schemes import turned
from kgreason.relations.table import Table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartVersion:
    """What the scheme of a part has read, by key, and what it made of that."""

    seen: Mapping[int, Table | None]
    closure: Table | None

    def is_of(self, seen: Mapping[int, Table | None]) -> bool:
        """Whether the scheme would read the same facts: O(these)."""
        return self.closure is not None and all(_are_equal(self.seen[key], table) for key, table in seen.items())


def _are_equal(one: Table | None, other: Table | None) -> bool:
    """Whether two tables are known to have the same facts: where both are plain, or one of them is the other."""
    if one is other or not one or not other:
        return bool(one) == bool(other)
    return not (one.is_virtual or other.is_virtual) and len(one) == len(other) and not one.difference(other)


class PartModule(ABC):
    """A part of a stratum, by its definition.

    `again` says that it was suspended by the pass before; `remade` that the stratum begins without facts. In a pass in
    place of one that was dropped, `known` is the version that the part had there. `sure` are relations whose external
    facts, as far as they are left, are all sure.
    """

    sure: frozenset[int] = frozenset()

    def __init__(
        self,
        state: PassState,
        definition: Definition,
        *,
        again: bool,
        remade: bool,
        known: PartVersion | None = None,
    ) -> None:
        self._state = state
        self._definition = definition
        self._scheme = state.catalogue.of(definition)
        self.codes = [member.code for member in definition.members]
        self._begins_anew = remade or again
        self._shown = None if self._begins_anew else state.before.get(self.codes[0])
        self._before = self._shown
        self._is_apart = self._is_suspended = again
        self._closure = self._shown
        self._known = known
        self._seen: dict[int, Table | None] = {
            key: None if self._begins_anew else state.get(key) for key in self._keys()
        }
        self._fallen: list[tuple[RuleGroup, Numbers]] = []

    def least_lost(self, delta: Delta) -> int:
        """How many pairs of each member are lost at least with overdeleted facts, as far as it is seen at once."""
        return 0

    def doubt(self, delta: Delta, deleted: dict[int, Table]) -> None:  # noqa: B027  # most parts doubt nothing
        """Overdelete what is not sure to hold without overdeleted facts: it is added to `deleted`."""

    @abstractmethod
    def delete(self, delta: Delta) -> Iterator[tuple[int, Table]]:
        """The pairs that are lost with overdeleted facts of the stratum, and with what is in doubt."""

    def _keys(self) -> Iterable[int]:
        """What the scheme reads, by key: mostly the external facts of its members, and the relations that feed them."""
        return (*map(external_key, self.codes), *(feed.relation.code for feed in self._definition.feeds))

    @abstractmethod
    def _inputs(self) -> Iterable[Input]:
        """The inputs of the scheme, as they were for the last version and as they are."""

    def add(self, delta: Delta) -> Iterator[tuple[int, Table]]:
        """The pairs that come with what the scheme reads and with guard facts that are back."""
        returned = self._is_suspended and self._guards_are_back()
        if returned:
            self._is_suspended, self._fallen = False, []
        if returned or self._has_news():
            for code, (gained, _) in self._advance().items():
                written = None if gained is None else written_gain(gained)
                if written is not None:
                    yield code, written

    def finish(self) -> Iterator[tuple[int, NetChange]]:
        """The net change of each member."""
        if self._is_suspended:
            self._state.suspended.update(self.codes)
        for member in self._definition.members:
            if member.code in self._state.touched:
                before, now = self._state.before.get(member.code), self._state.facts.get(member.code)
                yield member.code, written_change(before, now)

    # -- versions ---------------------------------------------------------------------------------------------

    @property
    def version(self) -> PartVersion:
        """What the scheme has read, and what it made of that."""
        return PartVersion(self._seen, self._closure)

    def _has_news(self) -> bool:
        """Whether something that the scheme reads has changed since the last version."""
        return any(self._state.get(key) is not table for key, table in self._seen.items())

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

    def _input(self, which: Oriented, key: int, role: str = CHAIN) -> Input:
        """An input in the orientation of the first member."""
        before, now = self._seen[key], self._state.get(key)
        tables = [turned(table, which) for table in (before, now, *net_change(before, now))]
        return Input(tables[0], tables[1], tables[2], tables[3], role)

    def _externals(self) -> Iterator[Input]:
        """The external facts of the members."""
        for member in self._definition.members:
            yield self._input(member, external_key(member.code))

    def _derive(self) -> None:
        """Have the scheme give the next version. What changes while the module is suspended is an input later."""
        inputs = list(self._inputs())
        self._seen = {key: self._state.get(key) for key in self._seen}
        refuse_literals(self._definition, self._state.literals, inputs, anew=self._closure is None)
        if self._closure is None and self._known is not None and self._known.is_of(self._seen):
            self._closure = self._known.closure
        elif self._closure is None or any(each.before is not each.after for each in inputs):
            self._closure = self._scheme.derive(self._closure, inputs)

    # -- guards -------------------------------------------------------------------------------------------------

    def _record_fallen(self, delta: Delta) -> None:
        """Suspend the module when the guard fact of a rule that it stands for is overdeleted."""
        for code, table in delta.items():
            for group, rows in self._state.strata.absorbed(code, table) if code >= 0 else ():
                inside = rows[np.isin(group.heads(rows), [*self.codes])]
                if len(inside):
                    self._fallen.append((group, inside))
                    self._is_suspended = True

    def _guards_are_back(self) -> bool:
        for group, rows in self._fallen:
            assert group.guard is not None
            guards = self._state.facts.get(group.guard)
            if not guards or not all_of(group.guards_hold(guards, rows)):
                return False
        return True
