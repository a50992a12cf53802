"""Which classes a subject has, which properties a subject or an object: pairs kept up with net changes.

So ``(s, rdf:type, ?)``, ``(s, ?, ?)`` and ``(?, ?, o)`` cost what they give and not a look at every relation. An
index is built when something first asks for it, and from then on changed with the facts. It holds only what is
written out; from there the definitions of the schemes lead to the virtual relations that have the same members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from kgreason.columns import pairs, sorted_sets
from kgreason.engine.engine import Stored
from kgreason.engine.facts import Changes
from kgreason.schemes.binary import BinaryTable
from kgreason.schemes.catalogue import EQUIVALENCE, SYMMETRIC, Definition, Oriented
from kgreason.schemes.relations import CLASS, PROPERTY, class_code, identifier_of, kind_of, property_code
from kgreason.schemes.scheme import Ids, Table


class Indexes:
    """Indexes over what is written out; `updated` gives those after a change, earlier ones stay as they are."""

    def __init__(self, stored: Stored) -> None:
        """Facts and definitions that do not change under these indexes."""
        self._stored = stored
        self._hierarchy = Hierarchy(stored.definitions)
        self._classes: BinaryTable | None = None
        self._subjects: BinaryTable | None = None
        self._objects: BinaryTable | None = None

    def classes_of(self, subject: int) -> Ids:
        """The classes of a subject, by id."""
        if self._classes is None:
            self._classes = _pairs(_members(self._stored.facts, CLASS))
        found = {
            identifier_of(above.code)
            for identifier in self._classes.objects_of(subject).tolist()
            for above in self._hierarchy.above(class_code(identifier))
            if kind_of(above.code) == CLASS
        }
        return np.array(sorted(found), dtype=np.uint32)

    def properties_of_subject(self, subject: int) -> list[int]:
        """The properties for which a subject may have triples, by id; no other one has any."""
        return self._properties(subject, inverse=False)

    def properties_of_object(self, object: int) -> list[int]:
        """The properties for which an object may have triples, by id; no other one has any."""
        return self._properties(object, inverse=True)

    def _properties(self, term: int, inverse: bool) -> list[int]:
        if self._subjects is None or self._objects is None:
            self._subjects = _pairs(_members(self._stored.facts, PROPERTY, 0))
            self._objects = _pairs(_members(self._stored.facts, PROPERTY, 1))
        found: set[int] = set()
        for index, at_end in ((self._subjects, False), (self._objects, True)):
            for identifier in index.objects_of(term).tolist():
                for above in self._hierarchy.above(property_code(identifier)):
                    if kind_of(above.code) == PROPERTY and above.inverse == (inverse ^ at_end):
                        found.add(identifier_of(above.code))
        return sorted(found)

    def updated(self, stored: Stored) -> Indexes:
        """The indexes after a change; what was never asked for stays unbuilt."""
        after = Indexes(stored)
        changes = self._changes(stored)
        if self._classes is not None:
            gone, come = _pairs(_members(changes.removed, CLASS)), _pairs(_members(changes.added, CLASS))
            after._classes = self._classes.difference(gone).union(come)
        if self._subjects is not None and self._objects is not None:
            come, gone = _pairs(_members(changes.added, PROPERTY, 0)), _pairs(_without_facts(stored, changes, 0))
            after._subjects = self._subjects.union(come).difference(gone)
            come, gone = _pairs(_members(changes.added, PROPERTY, 1)), _pairs(_without_facts(stored, changes, 1))
            after._objects = self._objects.union(come).difference(gone)
        return after

    def _changes(self, stored: Stored) -> Changes:
        """What came and went in what is written out. Of a relation that a scheme takes over, or gives up, something
        else is written out from then on: all of it has changed."""
        before, after = self._stored.definitions, stored.definitions
        if before == after:
            return stored.changes
        changes = Changes()
        changes.follow(stored.changes)
        for code in before.keys() | after.keys():
            if before.get(code) != after.get(code):
                changes.replace(code, stored.facts.get(code), self._stored.facts.get(code))
        return changes

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(index.nbytes for index in (self._classes, self._subjects, self._objects) if index is not None)

    def _check(self) -> None:
        fresh = Indexes(self._stored)
        fresh.classes_of(0)
        fresh.properties_of_subject(0)
        for name in ("_classes", "_subjects", "_objects"):
            index: BinaryTable | None = getattr(self, name)
            if index is not None:
                assert np.array_equal(index.keys(), getattr(fresh, name).keys()), f"index {name} is stale"


@dataclass(slots=True)
class Hierarchy:
    """From a relation that is written out, or the external facts of a virtual one, to all relations that have its
    facts, as they are or the other way round."""

    definitions: Mapping[int, Definition]
    _readers: dict[int, list[tuple[Definition, bool]]] = field(init=False)
    _known: dict[int, frozenset[Oriented]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._readers = {}
        for definition in {id(each): each for each in self.definitions.values()}.values():
            for source in definition.sources:
                self._readers.setdefault(source.code, []).append((definition, source.inverse))

    def above(self, code: int) -> frozenset[Oriented]:
        """The relation itself and the virtual ones above it: computed once."""
        if code not in self._known:
            found: set[Oriented] = set()
            waiting = [Oriented(code)]
            if code in self.definitions:
                own = next(member for member in self.definitions[code].members if member.code == code)
                waiting = list(_faces(self.definitions[code], own.inverse))
            while waiting:
                face = waiting.pop()
                if face not in found:
                    found.add(face)
                    for definition, inverse in self._readers.get(face.code, ()):
                        waiting.extend(_faces(definition, inverse ^ face.inverse))
            self._known[code] = frozenset(found)
        return self._known[code]


def _faces(definition: Definition, inverse: bool) -> Iterator[Oriented]:
    """How facts that enter a definition, perhaps the other way round, show in each of its members."""
    for member in definition.members:
        yield Oriented(member.code, inverse ^ member.inverse)
        if definition.closure in (SYMMETRIC, EQUIVALENCE):
            yield Oriented(member.code, not inverse ^ member.inverse)


def _pairs(entries: Iterable[tuple[int, Ids]]) -> BinaryTable:
    """(member, relation) for each relation with a column of members."""
    keys = [pairs.pack(members, np.full(len(members), name, dtype=np.uint32)) for name, members in entries]
    return BinaryTable(sorted_sets.unique(np.concatenate(keys)) if keys else np.empty(0, dtype=np.uint64))


def _members(tables: Mapping[int, Table], kind: int, position: int = 0) -> Iterable[tuple[int, Ids]]:
    for code, table in tables.items():
        if kind_of(code) == kind:
            yield identifier_of(code), table.distinct(position)


def _without_facts(stored: Stored, changes: Changes, position: int) -> Iterable[tuple[int, Ids]]:
    """The members at a position that lost their last fact in a relation."""
    for code, table in changes.removed.items():
        if kind_of(code) == PROPERTY:
            members = table.distinct(position)
            left = stored.facts.get(code)
            yield identifier_of(code), members[~left.occurs(position, members)] if left else members
