"""Which relations a term takes part in: pairs of terms and roles, kept up with net changes.

So ``(s, rdf:type, ?)``, ``(s, ?, ?)`` and ``(?, ?, o)`` cost what they give and not a look at every relation. The index
is built when something first asks for it, and from then on changed with the facts: eight bytes for each role of a
term. It holds only what is written out; from there the definitions of the schemes lead to the virtual relations that
have the same members. Many terms have the same roles, so that what these lead to is found once (characteristic sets:
Neumann and Moerkotte, ICDE 2011).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeAlias

import numpy as np

from kgreason import tuning
from kgreason.columns import pairs, sorted_sets
from kgreason.engine.engine_state import EngineState, StoredFacts
from kgreason.engine.facts import Changes
from kgreason.relations.catalogue import EQUIVALENCE, SYMMETRIC, Definition, Oriented
from kgreason.relations.codes import AUXILIARY, CLASS, PROPERTY, identifier_of, kind_of
from kgreason.relations.plain import table_of_keys
from kgreason.relations.table import Ids, Table

Role: TypeAlias = tuple[int, int]
"""A relation and a position in its facts."""


class Roles:
    """Numbers for roles, given when they are first asked for; several threads may ask at once."""

    def __init__(self) -> None:
        self._numbers: dict[Role, int] = {}
        self._roles: dict[int, Role] = {}
        self._fresh = count()

    def number(self, role: Role) -> int:
        """The number of a role."""
        known = self._numbers.get(role)
        if known is None:
            fresh = next(self._fresh)
            self._roles[fresh] = role
            known = self._numbers.setdefault(role, fresh)
        return known

    def __getitem__(self, number: int) -> Role:
        return self._roles[number]


@dataclass(frozen=True, slots=True)
class Index:
    """The roles of each term in what is written out.

    `pairs` are (term, number of a role), right for all relations but those in `stale`, which changed so much that
    looking into them on demand is cheaper than keeping up.
    """

    roles: Roles
    pairs: Table
    stale: frozenset[int] = frozenset()

    @classmethod
    def of(cls, facts: StoredFacts) -> Index:
        """From scratch: one merge of all members."""
        roles = Roles()
        return cls(roles, _pairs(roles, (entry for code, table in facts.items() for entry in _entries(code, table))))

    def roles_of(self, term: int, facts: StoredFacts) -> tuple[int, ...]:
        """The roles of a term by number, `facts` being those that the index is of."""
        found: list[int] = self.pairs.image_of(0, term).tolist()
        if self.stale:
            found = [number for number in found if self.roles[number][0] not in self.stale]
            found += [self.roles.number(role) for role in self._stale_roles(term, facts)]
        return tuple(found)

    def _stale_roles(self, term: int, facts: StoredFacts) -> Iterator[Role]:
        wanted = np.array([term], dtype=np.uint32)
        for code in sorted(self.stale):
            table = facts.get(code)
            if table is not None:
                yield from ((code, each) for each in range(table.arity) if table.has_key(each, wanted)[0])

    def updated(self, changes: Changes, facts: StoredFacts) -> Index:
        """The index after changes that led to `facts`."""
        limit = max(tuning.LARGE_CHANGE, len(self.pairs) // tuning.INDEX_SHARE)
        stale = {*self.stale}
        come: list[tuple[Role, Ids]] = []
        gone: list[tuple[Role, Ids]] = []
        for code in changes.added.keys() | changes.removed.keys():
            if kind_of(code) == AUXILIARY or code in stale:
                continue
            added, removed = changes.added.get(code), changes.removed.get(code)
            if len(added or ()) + len(removed or ()) > limit:
                stale.add(code)
                continue
            if added is not None:
                come += _entries(code, added)
            if removed is not None:
                left = facts.get(code)
                gone += [(role, _without_facts(role, members, left)) for role, members in _entries(code, removed)]
        if len(stale) > tuning.STALE_CHANGES:
            return Index.of(facts)
        kept = self.pairs.union(_pairs(self.roles, come)).difference(_pairs(self.roles, gone))
        return replace(self, pairs=kept, stale=frozenset(stale))

    def _check(self, facts: StoredFacts) -> None:
        expected = ((role, members) for code, table in facts.items() for role, members in _entries(code, table))
        for role, members in expected:
            if role[0] not in self.stale:
                assert np.array_equal(np.sort(self.pairs.image_of(1, self.roles.number(role))), members), "stale"
        known = {self.roles[number] for number in self.pairs.distinct(1).tolist()}
        there = {role for code, table in facts.items() for role, _ in _entries(code, table)}
        assert all(role in there or role[0] in self.stale for role in known), "an index is stale"


def _entries(code: int, table: Table) -> Iterator[tuple[Role, Ids]]:
    """The roles of a relation that triples are made of, each with its members."""
    if kind_of(code) != AUXILIARY:
        for position in range(table.arity):
            yield (code, position), table.distinct(position)


def _without_facts(role: Role, members: Ids, left: Table | None) -> Ids:
    """Those of some members that have no fact any more."""
    return members[~left.has_key(role[1], members)] if left else members


def _pairs(roles: Roles, entries: Iterable[tuple[Role, Ids]]) -> Table:
    """(member, number of the role) for each role with a column of members."""
    keys = [
        pairs.pack(members, np.full(len(members), roles.number(role), dtype=np.uint32)) for role, members in entries
    ]
    return table_of_keys(sorted_sets.merged(keys) if keys else np.empty(0, dtype=np.uint64))


class Indexes:
    """The index over what is written out in a state, and what it leads to; `updated` gives those after a change."""

    def __init__(self, state: EngineState) -> None:
        self._facts = StoredFacts(state)
        self._definitions = state.definitions
        self._index: Index | None = None
        self._hierarchy: Hierarchy | None = None

    def of(self, term: int) -> Participation:
        """What a term takes part in: some microseconds."""
        index, hierarchy = self._index, self._hierarchy
        if index is None or hierarchy is None:
            index = self._index = self._index or Index.of(self._facts)
            hierarchy = self._hierarchy = Hierarchy(self._definitions, index.roles)
        return hierarchy.of(index.roles_of(term, self._facts))

    def updated(self, state: EngineState, stored: Changes) -> Indexes:
        """The indexes of the next state, given the net change of what is written out; what was never asked for stays
        unbuilt."""
        after, index = Indexes(state), self._index
        if index is not None:
            after._index = index.updated(self._changes(after, stored), after._facts)
            if self._definitions == state.definitions and after._index.roles is index.roles:
                after._hierarchy = self._hierarchy
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
        return 0 if self._index is None else self._index.pairs.nbytes

    def _check(self) -> None:
        if self._index is not None:
            self._index._check(self._facts)


@dataclass(frozen=True, slots=True)
class Participation:
    """What a term takes part in, by id: its classes, and the properties for which it may be subject, or object; there
    are no others."""

    classes: Ids
    as_subject: tuple[int, ...]
    as_object: frozenset[int]


@dataclass(slots=True)
class Hierarchy:
    """From a relation that is written out, or the external facts of a virtual one, to all relations that have its
    facts, as they are or the other way round."""

    definitions: Mapping[int, Definition]
    roles: Roles
    _readers: dict[int, list[tuple[Definition, bool]]] = field(init=False)
    _above: dict[int, frozenset[Oriented]] = field(default_factory=dict)
    _known: dict[tuple[int, ...], Participation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._readers = {}
        for definition in {id(each): each for each in self.definitions.values()}.values():
            for source in definition.reads:
                self._readers.setdefault(source.code, []).append((definition, source.inverse))

    def of(self, roles: tuple[int, ...]) -> Participation:
        """What a term with some roles takes part in: worked out once, for up to `tuning.CHARACTERISTIC_SETS`."""
        found = self._known.get(roles)
        if found is None:
            if len(self._known) >= tuning.CHARACTERISTIC_SETS:
                self._known = {}
            found = self._known[roles] = self._participation(roles)
        return found

    def _participation(self, roles: tuple[int, ...]) -> Participation:
        named = [self.roles[number] for number in roles]
        faces = {(face.code, face.inverse ^ (position == 1)) for code, position in named for face in self.above(code)}
        classes = sorted(identifier_of(code) for code, _ in faces if kind_of(code) == CLASS)
        ends = [(identifier_of(code), at_object) for code, at_object in faces if kind_of(code) == PROPERTY]
        return Participation(
            np.array(classes, dtype=np.uint32),
            tuple(sorted(identifier for identifier, at_object in ends if not at_object)),
            frozenset(identifier for identifier, at_object in ends if at_object),
        )

    def above(self, code: int) -> frozenset[Oriented]:
        """The relation itself and the virtual ones above it: computed once."""
        if code not in self._above:
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
            self._above[code] = frozenset(found)
        return self._above[code]


def _faces(definition: Definition, inverse: bool) -> Iterator[Oriented]:
    """How facts that enter a definition, perhaps the other way round, show in each of its members."""
    for member in definition.members:
        yield Oriented(member.code, inverse ^ member.inverse)
        if definition.closure in (SYMMETRIC, EQUIVALENCE):
            yield Oriented(member.code, not inverse ^ member.inverse)
