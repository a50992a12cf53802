"""Which classes a subject has, which properties a subject or an object: pairs kept up with net changes.

So ``(s, rdf:type, ?)``, ``(s, ?, ?)`` and ``(?, ?, o)`` cost what they give and not a look at every relation. An
index is built when something first asks for it, and from then on changed with the facts.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgreason.columns import pairs
from kgreason.engine.facts import Changes, Facts
from kgreason.schemes.binary import BinaryTable
from kgreason.schemes.relations import CLASS, PROPERTY, identifier_of, kind_of
from kgreason.schemes.scheme import Ids, Table


class Indexes:
    """Indexes over one set of facts; `updated` gives those after a change, earlier ones stay as they are."""

    def __init__(self, facts: Facts) -> None:
        """Facts that do not change under these indexes."""
        self._facts = facts
        self._classes: BinaryTable | None = None
        self._subjects: BinaryTable | None = None
        self._objects: BinaryTable | None = None

    def classes_of(self, subject: int) -> Ids:
        """The classes of a subject, by id."""
        if self._classes is None:
            tables = (item for item in self._facts.items() if kind_of(item[0]) == CLASS)
            self._classes = _pairs((identifier_of(code), table.columns()[0]) for code, table in tables)
        return self._classes.objects_of(subject)

    def properties_of_subject(self, subject: int) -> Ids:
        """The properties for which a subject has triples, by id."""
        if self._subjects is None:
            self._subjects = _pairs(
                (identifier_of(code), table.distinct(0))
                for code, table in self._facts.items()
                if kind_of(code) == PROPERTY
            )
        return self._subjects.objects_of(subject)

    def properties_of_object(self, object: int) -> Ids:
        """The properties for which an object has triples, by id."""
        if self._objects is None:
            self._objects = _pairs(
                (identifier_of(code), table.distinct(1))
                for code, table in self._facts.items()
                if kind_of(code) == PROPERTY
            )
        return self._objects.objects_of(object)

    def updated(self, facts: Facts, changes: Changes) -> Indexes:
        """The indexes of the facts after a change; what was never asked for stays unbuilt."""
        after = Indexes(facts)
        if self._classes is not None:
            added = _pairs(_members(changes.added, CLASS))
            removed = _pairs(_members(changes.removed, CLASS))
            after._classes = self._classes.difference(removed).union(added)
        for position, name in enumerate(("_subjects", "_objects")):
            index: BinaryTable | None = getattr(self, name)
            if index is not None:
                added = _pairs(_members(changes.added, PROPERTY, position))
                gone = _pairs(_without_facts(facts, changes, position))
                setattr(after, name, index.union(added).difference(gone))
        return after

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(index.nbytes for index in (self._classes, self._subjects, self._objects) if index is not None)

    def _check(self) -> None:
        fresh = Indexes(self._facts)
        for name, ask in (
            ("_classes", fresh.classes_of),
            ("_subjects", fresh.properties_of_subject),
            ("_objects", fresh.properties_of_object),
        ):
            index: BinaryTable | None = getattr(self, name)
            if index is not None:
                ask(0)
                assert np.array_equal(index.keys(), getattr(fresh, name).keys()), f"index {name} is stale"


def _pairs(entries: Iterable[tuple[int, Ids]]) -> BinaryTable:
    """(member, relation) for each relation with a column of members."""
    keys = [pairs.pack(members, np.full(len(members), name, dtype=np.uint32)) for name, members in entries]
    return BinaryTable(np.unique(np.concatenate(keys)) if keys else np.empty(0, dtype=np.uint64))


def _members(tables: dict[int, Table], kind: int, position: int = 0) -> Iterable[tuple[int, Ids]]:
    for code, table in tables.items():
        if kind_of(code) == kind:
            yield identifier_of(code), table.distinct(position)


def _without_facts(facts: Facts, changes: Changes, position: int) -> Iterable[tuple[int, Ids]]:
    """The members at a position that lost their last fact in a relation."""
    for code, table in changes.removed.items():
        if kind_of(code) == PROPERTY:
            members = table.distinct(position)
            left = facts.get(code)
            if left:
                found, _ = left.expand({position: members})
                members = np.delete(members, found)
            yield identifier_of(code), members
