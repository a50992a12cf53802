"""The facts of all relations: one immutable table per relation, and the changes to them."""

from __future__ import annotations

from typing import TypeAlias

from kgreason.engine.persistent_map import PersistentMap
from kgreason.relations.net_changes import net_change
from kgreason.relations.table import Table


def external_key(code: int) -> int:
    """The key of the external facts of a relation (X_R of Hu et al. 2019), beside the relation itself."""
    return ~code


def relation_of(key: int) -> int:
    """The code of the relation that a key is of."""
    return key if key >= 0 else ~key


Facts: TypeAlias = PersistentMap[Table]
"""A version of the facts: from relation codes to tables; a relation without facts has no entry."""


def check_tables(facts: Facts) -> None:
    """Raise AssertionError unless the invariants of all tables hold."""
    facts._check()
    for _, table in facts.items():
        table._check()
        assert len(table), "a relation without facts is kept"


class Changes:
    """Net changes by relation: what was added and what was removed, never the same fact in both."""

    __slots__ = ("added", "removed")

    def __init__(self) -> None:
        self.added: dict[int, Table] = {}
        self.removed: dict[int, Table] = {}

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)

    def record(self, code: int, added: Table | None, removed: Table | None) -> None:
        """Follow the changes so far by others: facts that came and went again are forgotten."""
        earlier_added, earlier_removed = self.added.get(code), self.removed.get(code)
        if earlier_added is None and earlier_removed is None:
            self.replace(code, added, removed)
            return
        _store(self.added, code, _plus(_minus(earlier_added, removed), _minus(added, earlier_removed)))
        _store(self.removed, code, _plus(_minus(earlier_removed, added), _minus(removed, earlier_added)))

    def follow(self, later: Changes) -> None:
        """Add the changes of a later step. Those of virtual relations must be replaced by the net change."""
        for code in later.added.keys() | later.removed.keys():
            added, removed = later.added.get(code), later.removed.get(code)
            known = (added, removed, self.added.get(code), self.removed.get(code))
            if any(table is not None and table.is_virtual for table in known):
                self.replace(code, added, removed)
            else:
                self.record(code, added, removed)

    def replace(self, code: int, added: Table | None, removed: Table | None) -> None:
        """Forget what is known of a relation, and take these net changes instead."""
        _store(self.added, code, added)
        _store(self.removed, code, removed)


def _store(target: dict[int, Table], code: int, table: Table | None) -> None:
    if table is not None and (table.is_virtual or table):
        target[code] = table
    else:
        target.pop(code, None)


def _plus(left: Table | None, right: Table | None) -> Table | None:
    return left.union(right) if left and right else left or right


def _minus(left: Table | None, right: Table | None) -> Table | None:
    return left.difference(right) if left and right else left


def difference(before: Facts, after: Facts) -> Changes:
    """The net change from one version to another: O(facts of the relations that differ), lazily for virtual ones."""
    changes = Changes()
    for code in after.changed_since(before):
        changes.replace(code, *net_change(before.get(code), after.get(code)))
    return changes
