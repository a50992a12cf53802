"""Which relations a term may take part in: pairs of terms and roles, which grow with the facts.

So ``(s, rdf:type, ?)``, ``(s, ?, ?)`` and ``(?, ?, o)`` ask the relations of a term, and not every one. The first few
times all relations of a large store are searched for a term; then the index is built, eight bytes for each role of a
term. It holds only what is written out; from
there the definitions of the schemes lead to the virtual relations that have the same members. Many terms have the same
roles, so that what these lead to is found once (characteristic sets: Neumann and Moerkotte, ICDE 2011).

A role that a term has lost stays: readers look into the relations themselves, so that removals cost nothing. An index
that has grown to twice its size is made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeAlias

import numpy as np

from kgreason import memory, tuning
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.engine.engine_state import EngineState, StoredFacts
from kgreason.engine.facts import Changes
from kgreason.relations.catalogue import EQUALITY, EQUIVALENCE, SYMMETRIC, Definition, Oriented
from kgreason.relations.codes import AUXILIARY, CLASS, PROPERTY, identifier_of, kind_of
from kgreason.relations.plain import table_of_keys
from kgreason.relations.table import NO_IDS, Ids, Table

Role: TypeAlias = tuple[int, int]
"""A relation and a position in its facts."""

Tables: TypeAlias = Mapping[int, Table]
"""Facts by relation."""


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Index:
    """The roles that each term has or had in what is written out: a term keeps its roles when its facts go.

    `pairs` are (term, number of a role), for all relations but those in `stale`, of which so much came that any term is
    taken to have their roles. `least` is how many pairs there were when it was made.
    """

    roles: Roles
    pairs: Table
    stale: frozenset[Role]
    least: int

    @classmethod
    def of(cls, facts: StoredFacts, roles: Roles | None = None) -> Index:
        """From scratch: one merge of all members. The numbers of roles may be known already."""
        roles = roles or Roles()
        found = _pairs(roles, (entry for code, table in facts.items() for entry in _entries(code, table)))
        if len(found) >= tuning.GIVEN_BACK:
            memory.give_back()
        return cls(roles, found, frozenset(), len(found))

    def roles_of(self, term: int) -> tuple[int, ...]:
        """The roles that a term may have, by number."""
        found = self.pairs.few_of(0, term, len(self.pairs)) or ()
        return (*found, *sorted(map(self.roles.number, self.stale))) if self.stale else tuple(found)

    def roles_of_many(self, terms: Ids) -> tuple[int, ...]:
        """The roles that any of some terms may have."""
        found = bitmaps.distinct(self.pairs.lookup({0: terms})[1][1]).tolist()
        return (*found, *sorted(map(self.roles.number, self.stale))) if self.stale else tuple(found)

    def followed_by(self, additions: Sequence[Tables], facts: StoredFacts) -> Index:
        """The index after additions that led to `facts`."""
        limit = max(tuning.LARGE_CHANGE, len(self.pairs) // tuning.INDEX_SHARE)
        stale = {*self.stale}
        come: list[tuple[Role, Ids]] = []
        for code, table in (entry for added in additions for entry in added.items()):
            if kind_of(code) != AUXILIARY and len(table) > limit:
                stale.update((code, position) for position in range(table.arity))
            else:
                come += _entries(code, table)
        known = self.pairs.union(_pairs(self.roles, come))
        if len(stale) > tuning.STALE_CHANGES or len(known) > 2 * self.least + limit:
            return Index.of(facts)
        return replace(self, pairs=known, stale=frozenset(stale))

    def _check(self, facts: StoredFacts) -> None:
        for code, table in facts.items():
            for role, members in _entries(code, table):
                known = self.pairs.image_of(1, self.roles.number(role))
                assert role in self.stale or {*members.tolist()} <= {*known.tolist()}, "a term lacks a role"


def _searched(hierarchy: Hierarchy, facts: StoredFacts, term: int, is_object: bool) -> tuple[int, ...]:
    """The roles without an index that make a term a subject, or an object: a microsecond for each relation, and a look
    at each pair of those in which it would be the object."""
    return tuple(
        sorted(
            hierarchy.roles.number((code, position))
            for code, table in facts.items()
            if kind_of(code) != AUXILIARY
            for position in range(table.arity)
            if hierarchy.matters((code, position), is_object)
            and (len(table.image_of(1, term)) if position == 1 else table.has_id(position, term))
        )
    )


def _entries(code: int, table: Table) -> Iterator[tuple[Role, Ids]]:
    """The roles of a relation that triples are made of, each with its members."""
    if kind_of(code) != AUXILIARY:
        for position in range(table.arity):
            yield (code, position), table.distinct(position)


def _pairs(roles: Roles, entries: Iterable[tuple[Role, Ids]]) -> Table:
    """(member, number of the role) for each role with a column of members."""
    keys = [pairs.pack(members, roles.number(role)) for role, members in entries]
    found = sorted_sets.merged(keys) if keys else np.empty(0, dtype=np.uint64)
    return table_of_keys(sorted_sets.unique_of_sorted(found))


class Indexes:
    """The index over what is written out in a state, and what it leads to; `updated` gives those after a change."""

    def __init__(self, state: EngineState) -> None:
        self._facts = StoredFacts(state)
        self._definitions = state.definitions
        # The index of an earlier state, and what came since, in one attribute: several threads may bring it up to date.
        self._built: tuple[Index, tuple[Tables, ...]] | None = None
        self._hierarchy: Hierarchy | None = None
        # Until there is an index: numbers of roles, the roles of terms that were searched for, and of how many before.
        self._roles = Roles()
        self._found: dict[tuple[int, bool], tuple[int, ...]] = {}
        self._searches = 0
        self._is_searchable: bool | None = None

    def of(self, term: int, *, is_object: bool = False) -> Participation:
        """What a term may take part in as a subject, or as an object: some microseconds, but for what changes have left
        to be done, and some for each thing that is equal to it."""
        built, hierarchy = self._built, self._hierarchy
        if built is None:
            searched = self._searched(term, is_object)
            if searched is not None:
                return searched
        if built is None or built[1]:
            index = Index.of(self._facts, self._roles) if built is None else built[0].followed_by(built[1], self._facts)
            self._built = index, ()
        else:
            index = built[0]
        if hierarchy is None or hierarchy.roles is not index.roles:
            hierarchy = self._hierarchy = Hierarchy(self._definitions, index.roles)
        equals = self._equals_of(term, hierarchy.equalities) if hierarchy.equalities else NO_IDS
        return hierarchy.of(index.roles_of(term), index.roles_of_many(equals) if len(equals) else ())

    def _searched(self, term: int, is_object: bool) -> Participation | None:
        """The same without an index, None where one is to be built."""
        roles = self._found.get((term, is_object))
        if roles is None and (self._searches >= tuning.SEARCHES or not self._may_search()):
            return None
        hierarchy = self._hierarchy
        if hierarchy is None:
            hierarchy = self._hierarchy = Hierarchy(self._definitions, self._roles)
        if hierarchy.equalities:
            return None
        if roles is None:
            roles = self._found[term, is_object] = _searched(hierarchy, self._facts, term, is_object)
            self._searches += 1
        return hierarchy.of(roles)

    def _may_search(self) -> bool:
        """Whether to search costs less than an index: where there are many facts, and each relation has a few."""
        if self._is_searchable is None:
            sizes = [len(table) for code, table in self._facts.items() if kind_of(code) != AUXILIARY]
            self._is_searchable = sum(sizes) > max(tuning.SEARCHED_FACTS, tuning.SEARCHED_SHARE * len(sizes))
        return self._is_searchable

    def _equals_of(self, term: int, equalities: Iterable[int]) -> Ids:
        """The things that are equal to a term, where relations are kept over representatives."""
        tables = (self._facts.state.facts.get(code) for code in equalities)
        found = [table.objects_of(term) for table in tables if table]
        return found[0] if len(found) == 1 else np.concatenate([NO_IDS, *found])

    def updated(self, state: EngineState, stored: Changes) -> Indexes:
        """The indexes of the next state, given the net change of what is written out; what was never asked for stays
        unbuilt, and what came is put into the index when something next asks."""
        after, built = Indexes(state), self._built
        if built is not None:
            index, waiting = built
            came = self._additions(after, stored)
            waiting = (*waiting, came)
            # What is large would take memory as long as it waits.
            is_large = any(len(table) > tuning.LARGE_CHANGE for table in came.values())
            if is_large or len(waiting) > tuning.WAITING_CHANGES:
                index, waiting = index.followed_by(waiting, after._facts), ()
            after._built = index, waiting
            if self._definitions == state.definitions:
                after._hierarchy = self._hierarchy
        else:
            after._searches = self._searches
        return after

    def _additions(self, next: Indexes, stored: Changes) -> Tables:
        """What came to what is written out. Of a relation that a scheme takes over, or gives up, something else is
        written out from then on."""
        before, after = self._definitions, next._definitions
        if before == after:
            return stored.added
        found = dict(stored.added)
        for code in before.keys() | after.keys():
            table = next._facts.get(code)
            if table is not None and before.get(code) != after.get(code):
                found[code] = table
        return found

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return 0 if self._built is None else self._built[0].pairs.nbytes

    def _check(self) -> None:
        if self._built is not None:
            index, waiting = self._built
            index.followed_by(waiting, self._facts)._check(self._facts)


@dataclass(frozen=True, slots=True)
class Participation:
    """What a term may take part in: classes by code, and by id properties as subject and as object; there are no
    others in the place that was asked for."""

    classes: tuple[int, ...]
    as_subject: tuple[int, ...]
    as_object: frozenset[int]


@dataclass(slots=True, eq=False, repr=False)
class Hierarchy:
    """From a relation that is written out, or the external facts of a virtual one, to all relations that have its
    facts, as they are or the other way round."""

    definitions: Mapping[int, Definition]
    roles: Roles
    _readers: dict[int, list[tuple[Definition, bool]]] = field(init=False)
    equalities: frozenset[int] = field(init=False)
    _above: dict[tuple[int, bool], frozenset[Oriented]] = field(default_factory=dict)
    _known: dict[tuple[tuple[int, ...], tuple[int, ...]], Participation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._readers = {}
        definitions = {id(each): each for each in self.definitions.values()}.values()
        self.equalities = frozenset(each.code for definition in definitions for each in definition.equality)
        for definition in definitions:
            fed_by = (feed.relation for feed in definition.feeds)
            for source in (*definition.sources, *definition.left, *definition.right, *fed_by):
                self._readers.setdefault(source.code, []).append((definition, source.inverse))

    def of(self, roles: tuple[int, ...], of_equals: tuple[int, ...] = ()) -> Participation:
        """What a term takes part in that has some roles, and equals with others: worked out once, for up to
        `tuning.CHARACTERISTIC_SETS`."""
        found = self._known.get((roles, of_equals))
        if found is None:
            if len(self._known) >= tuning.CHARACTERISTIC_SETS:
                self._known = {}
            found = self._known[roles, of_equals] = self._participation(roles, of_equals)
        return found

    def _participation(self, roles: tuple[int, ...], of_equals: tuple[int, ...]) -> Participation:
        named = [(*self.roles[number], False) for number in roles] + [(*self.roles[each], True) for each in of_equals]
        faces = {
            (face.code, face.inverse ^ (position == 1))
            for code, position, is_equal in named
            for face in self.above(code, is_equal)
        }
        classes = sorted(code for code, _ in faces if kind_of(code) == CLASS)
        ends = [(identifier_of(code), at_object) for code, at_object in faces if kind_of(code) == PROPERTY]
        return Participation(
            tuple(classes),
            tuple(sorted(identifier for identifier, at_object in ends if not at_object)),
            frozenset(identifier for identifier, at_object in ends if at_object),
        )

    def matters(self, role: Role, is_object: bool) -> bool:
        """Whether a term with a role may be an object, or else a subject or an instance."""
        code, position = role
        if code not in self.definitions and code not in self._readers:
            return (position == 1) == is_object
        return any(
            not is_object if kind_of(face.code) == CLASS else (position == 1) ^ face.inverse == is_object
            for face in self.above(code)
        )

    def above(self, code: int, of_equal: bool = False) -> frozenset[Oriented]:
        """The relation itself and the virtual ones above it: computed once. Those that have a fact of something equal
        to a member are relations that are kept over representatives, and what is above these."""
        if (code, of_equal) not in self._above:
            found: set[tuple[Oriented, bool]] = set()
            waiting = [(Oriented(code), not of_equal)]
            if code in self.definitions:
                definition = self.definitions[code]
                own = next(member for member in definition.members if member.code == code)
                shown = not of_equal or bool(definition.equality)
                waiting = [(face, shown) for face in _faces(definition, own.inverse)]
            while waiting:
                face, shown = waiting.pop()
                if (face, shown) not in found:
                    found.add((face, shown))
                    for definition, inverse in self._readers.get(face.code, ()):
                        onward = shown or bool(definition.equality)
                        waiting.extend((each, onward) for each in _faces(definition, inverse ^ face.inverse))
            self._above[code, of_equal] = frozenset(face for face, shown in found if shown)
        return self._above[code, of_equal]


def _faces(definition: Definition, inverse: bool) -> Iterator[Oriented]:
    """How facts that enter a definition, perhaps the other way round, show in each of its members."""
    for member in definition.members:
        yield Oriented(member.code, inverse ^ member.inverse)
        if definition.is_mutual or {definition.closure, definition.within} & {SYMMETRIC, EQUIVALENCE, EQUALITY}:
            yield Oriented(member.code, not inverse ^ member.inverse)
