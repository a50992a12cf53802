"""The facts of all relations: one immutable table per relation, and the changes to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kgreason.schemes.scheme import Table


def external_key(code: int) -> int:
    """The key of the external facts of a relation (paper 000's X_R), beside the relation itself."""
    return ~code


def relation_of(key: int) -> int:
    """The code of the relation that a key is of."""
    return key if key >= 0 else ~key


class Facts:
    """From relation codes to tables; a relation without facts has no entry."""

    __slots__ = ("_tables",)

    def __init__(self, tables: Mapping[int, Table] | None = None) -> None:
        self._tables: dict[int, Table] = dict(tables or {})

    def get(self, code: int) -> Table | None:
        """The table of a relation, None when it has no facts."""
        return self._tables.get(code)

    def put(self, code: int, table: Table | None) -> None:
        """Replace the table of a relation."""
        if table:
            self._tables[code] = table
        else:
            self._tables.pop(code, None)

    def copy(self) -> Facts:
        """A version of its own, sharing all tables: O(relations)."""
        return Facts(self._tables)

    def __iter__(self) -> Iterator[int]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def items(self) -> Iterator[tuple[int, Table]]:
        """Relations with their tables."""
        return iter(self._tables.items())

    def _check(self) -> None:
        for table in self._tables.values():
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
