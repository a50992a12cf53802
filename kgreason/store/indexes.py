"""Which classes a subject has, which properties a subject or an object: pairs kept up with net changes.

So ``(s, rdf:type, ?)``, ``(s, ?, ?)`` and ``(?, ?, o)`` cost what they give and not a look at every relation. An
index is built when something first asks for it, and from then on changed with the facts. It holds only what is
written out; from there the definitions of the schemes lead to the virtual relations that have the same members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from kgreason import tuning
from kgreason.columns import pairs, sorted_sets
from kgreason.engine.engine_state import EngineState, StoredFacts
from kgreason.engine.facts import Changes
from kgreason.relations.catalogue import EQUIVALENCE, SYMMETRIC, Definition, Oriented
from kgreason.relations.codes import CLASS, PROPERTY, class_code, identifier_of, kind_of, property_code
from kgreason.relations.plain import table_of_keys
from kgreason.relations.table import Ids, Table

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Index:
    """The relations of one kind for each member at one position.

    `pairs` are (member, relation id), right for all relations but those in `stale`, which changed so much that looking
    into them on demand is cheaper than keeping up.
    """

    kind: int
    position: int
    pairs: Table
    stale: frozenset[int] = frozenset()

    @classmethod
    def of(cls, facts: StoredFacts, kind: int, position: int) -> Index:
        """From scratch: one sort of all members."""
        found = ((code, table.distinct(position)) for code, table in facts.items() if kind_of(code) == kind)
        return cls(kind, position, _pairs(found))

    def relations_of(self, member: int, facts: StoredFacts) -> tuple[int, ...]:
        """The relations of a member, by id, `facts` being those that the index is of."""
        found: list[int] = self.pairs.image_of(0, member).tolist()
        if self.stale:
            wanted = np.array([member], dtype=np.uint32)
            found = [identifier for identifier in found if self._code(identifier) not in self.stale]
            for code in sorted(self.stale):
                if (table := facts.get(code)) is not None and bool(table.has_key(self.position, wanted)[0]):
                    found.append(identifier_of(code))
        return tuple(found)

    def updated(self, changes: Changes, facts: StoredFacts) -> Index:
        """The index after changes that led to `facts`."""
        limit = max(tuning.LARGE_CHANGE, len(self.pairs) // tuning.INDEX_SHARE)
        stale = {*self.stale}
        come: list[tuple[int, Ids]] = []
        gone: list[tuple[int, Ids]] = []
        for code in changes.added.keys() | changes.removed.keys():
            if kind_of(code) != self.kind or code in stale:
                continue
            added, removed = changes.added.get(code), changes.removed.get(code)
            if len(added or ()) + len(removed or ()) > limit:
                stale.add(code)
                continue
            if added is not None:
                come.append((code, added.distinct(self.position)))
            if removed is not None:
                gone.append((code, self._without_facts(removed, facts.get(code))))
        kept = self.pairs.union(_pairs(come)).difference(_pairs(gone))
        index = Index(self.kind, self.position, kept, frozenset(stale))
        return index if len(stale) <= tuning.STALE_CHANGES else index._refreshed(facts)

    def _without_facts(self, removed: Table, left: Table | None) -> Ids:
        """The members that lost their last fact in a relation."""
        members = removed.distinct(self.position)
        return members[~left.has_key(self.position, members)] if left else members

    def _refreshed(self, facts: StoredFacts) -> Index:
        """The same with nothing stale: O(members)."""
        members, identifiers = self.pairs.columns()
        kept = ~np.isin(identifiers, [identifier_of(code) for code in self.stale])
        tables = ((code, facts.get(code)) for code in self.stale)
        fresh = _pairs((code, table.distinct(self.position)) for code, table in tables if table is not None)
        whole = table_of_keys(pairs.pack(members[kept], identifiers[kept])).union(fresh)
        return Index(self.kind, self.position, whole)

    def _code(self, identifier: int) -> int:
        return class_code(identifier) if self.kind == CLASS else property_code(identifier)

    def _check(self, facts: StoredFacts) -> None:
        expected = Index.of(facts, self.kind, self.position).pairs
        assert np.array_equal(self._refreshed(facts).pairs.columns(), expected.columns()), "an index is stale"


class Indexes:
    """Indexes over what is written out in a state; `updated` gives those after a change."""

    def __init__(self, state: EngineState) -> None:
        self._facts = StoredFacts(state)
        self._definitions = state.definitions
        self._hierarchy = Hierarchy(state.definitions)
        self._known: dict[tuple[int, int], Index] = {}

    def classes_of(self, subject: int) -> Ids:
        """The classes of a subject, by id."""
        return self._hierarchy.classes(self._relations(CLASS, 0, subject))

    def properties_of_subject(self, subject: int) -> Sequence[int]:
        """The properties for which a subject may have triples, by id; no other one has any."""
        return self._properties(subject)[0]

    def properties_of_object(self, object: int) -> Sequence[int]:
        """The properties for which an object may have triples, by id; no other one has any."""
        return self._properties(object)[1]

    def _properties(self, term: int) -> tuple[Sequence[int], Sequence[int]]:
        return self._hierarchy.properties(self._relations(PROPERTY, 0, term), self._relations(PROPERTY, 1, term))

    def _relations(self, kind: int, position: int, member: int) -> tuple[int, ...]:
        index = self._known.get((kind, position))
        if index is None:
            index = self._known[kind, position] = Index.of(self._facts, kind, position)
        return index.relations_of(member, self._facts)

    def updated(self, state: EngineState, stored: Changes) -> Indexes:
        """The indexes of the next state, given the net change of what is written out; what was never asked for stays
        unbuilt."""
        after = Indexes(state)
        if self._definitions == state.definitions:
            after._hierarchy = self._hierarchy
        if self._known:
            changes = self._changes(after, stored)
            after._known = {key: index.updated(changes, after._facts) for key, index in list(self._known.items())}
        return after

    def _changes(self, next: Indexes, stored: Changes) -> Changes:
        """What came and went in what is written out. Of a relation that a scheme takes over, or gives up, something
        else is written out from then on: all of it has changed."""
        before, after = self._definitions, next._definitions
        if before == after:
            return stored
        changes = Changes()
        changes.follow(stored)
        for code in before.keys() | after.keys():
            if before.get(code) != after.get(code):
                changes.replace(code, next._facts.get(code), self._facts.get(code))
        return changes

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(index.pairs.nbytes for index in self._known.values())

    def _check(self) -> None:
        for index in self._known.values():
            index._check(self._facts)


@dataclass(slots=True)
class Hierarchy:
    """From a relation that is written out, or the external facts of a virtual one, to all relations that have its
    facts, as they are or the other way round."""

    definitions: Mapping[int, Definition]
    _readers: dict[int, list[tuple[Definition, bool]]] = field(init=False)
    _known: dict[int, frozenset[Oriented]] = field(default_factory=dict)
    # What is above the relations that a term has: there are few such sets of relations (characteristic sets: Neumann
    # and Moerkotte, ICDE 2011).
    _classes: dict[tuple[int, ...], Ids] = field(default_factory=dict)
    _properties: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[Sequence[int], Sequence[int]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        self._readers = {}
        for definition in {id(each): each for each in self.definitions.values()}.values():
            for source in definition.reads:
                self._readers.setdefault(source.code, []).append((definition, source.inverse))

    def classes(self, classes: tuple[int, ...]) -> Ids:
        """The classes of a member of some that are written out, by id: computed once."""
        found = self._classes.get(classes)
        if found is None:
            above = {face.code for identifier in classes for face in self.above(class_code(identifier))}
            distinct = sorted(identifier_of(code) for code in above if kind_of(code) == CLASS)
            found = _remember(self._classes, classes, np.array(distinct, dtype=np.uint32))
        return found

    def properties(self, forward: tuple[int, ...], backward: tuple[int, ...]) -> tuple[Sequence[int], Sequence[int]]:
        """The properties that a term may have as a subject, and as an object, by id, if it is subject of some that are
        written out, and object of others: computed once."""
        found = self._properties.get((forward, backward))
        if found is None:
            ways = [(identifier, False) for identifier in forward] + [(identifier, True) for identifier in backward]
            faces = {
                (identifier_of(face.code), face.inverse ^ at_end)
                for identifier, at_end in ways
                for face in self.above(property_code(identifier))
                if kind_of(face.code) == PROPERTY
            }
            ends = (sorted(each for each, at_object in faces if at_object is end) for end in (False, True))
            of_subject, of_object = ends
            found = _remember(self._properties, (forward, backward), (of_subject, of_object))
        return found

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


def _remember(known: dict[K, V], key: K, value: V) -> V:
    """Add an entry, in the place of all others where they are too many."""
    if len(known) >= tuning.CHARACTERISTIC_SETS:
        known.clear()
    known[key] = value
    return value


def _faces(definition: Definition, inverse: bool) -> Iterator[Oriented]:
    """How facts that enter a definition, perhaps the other way round, show in each of its members."""
    for member in definition.members:
        yield Oriented(member.code, inverse ^ member.inverse)
        if definition.closure in (SYMMETRIC, EQUIVALENCE):
            yield Oriented(member.code, not inverse ^ member.inverse)


def _pairs(entries: Iterable[tuple[int, Ids]]) -> Table:
    """(member, id of the relation) for each relation with a column of members."""
    keys = [
        pairs.pack(members, np.full(len(members), identifier_of(code), dtype=np.uint32)) for code, members in entries
    ]
    return table_of_keys(sorted_sets.unique(np.concatenate(keys)) if keys else np.empty(0, dtype=np.uint64))
