"""Which relations a term may take part in: pairs of terms and roles, which grow with the facts.

So ``(s, rdf:type, ?)``, ``(s, ?, ?)`` and ``(?, ?, o)`` ask the relations of a term, and not every one. The first few
times all relations of a large store are searched for a term; then the index is built, eight bytes for each role of a
term. It holds only what is written out; from there `role_hierarchy` leads to the virtual relations that have the same
members.

A role that a term has lost stays: readers look into the relations themselves, so that removals cost nothing. An index
that has grown to twice its size is made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from kgreason import memory
from kgreason.columns import bitmaps, pairs, sorted_columns, sorted_sets
from kgreason.engine.engine_state import EngineState, StoredFacts
from kgreason.engine.facts import Changes
from kgreason.engine.redefinitions import redefined
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason.relations.plain import table_of_keys
from kgreason.relations.table import NO_IDS, Ids, Table
from kgreason.store import store_tuning
from kgreason.store.role_hierarchy import Hierarchy, Participation, Role, Roles

Tables: TypeAlias = Mapping[int, Table]
"""Facts by relation."""


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
        if len(found) >= store_tuning.GIVEN_BACK:
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
        limit = max(store_tuning.LARGE_CHANGE, len(self.pairs) // store_tuning.INDEX_SHARE)
        stale = {*self.stale}
        come: list[tuple[Role, Ids]] = []
        for code, table in (entry for added in additions for entry in added.items()):
            if kind_of(code) != AUXILIARY and len(table) > limit:
                stale.update((code, position) for position in range(table.arity))
            else:
                come += _entries(code, table)
        known = self.pairs.union(_pairs(self.roles, come))
        if len(stale) > store_tuning.STALE_CHANGES or len(known) > 2 * self.least + limit:
            return Index.of(facts)
        return replace(self, pairs=known, stale=frozenset(stale))

    def _check(self, facts: StoredFacts) -> None:
        for code, table in facts.items():
            for role, members in _entries(code, table):
                known = self.pairs.image_of(1, self.roles.number(role))
                assert role in self.stale or {*members.tolist()} <= {*known.tolist()}, "a term lacks a role"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Search:
    """The roles without an index that terms are searched for in, with their tables: those that make a term a subject,
    and those that make it an object. `is_cheap` says whether a search costs less than an index: where there are many
    facts, and each relation has a few."""

    as_subject: Sequence[tuple[Role, Table]]
    as_object: Sequence[tuple[Role, Table]]
    is_cheap: bool

    @classmethod
    def of(cls, hierarchy: Hierarchy, facts: StoredFacts) -> Search:
        """A look at each relation."""
        tables = [entry for entry in facts.items() if kind_of(entry[0]) != AUXILIARY]
        found: tuple[list[tuple[Role, Table]], list[tuple[Role, Table]]] = [], []
        for code, table in tables:
            is_alone = hierarchy.is_alone(code)
            for position in range(table.arity):
                for is_object in ((position == 1,) if is_alone else (False, True)):
                    if is_alone or hierarchy.matters((code, position), is_object):
                        found[is_object].append(((code, position), table))
        size = sum([len(table) for _, table in tables])
        return cls(*found, size > max(store_tuning.SEARCHED_FACTS, store_tuning.SEARCHED_SHARE * len(tables)))

    def roles_of(self, term: int, is_object: bool) -> list[Role]:
        """The roles that a term has: a part of a microsecond for each, and a look at each pair where it may be the
        second of one."""
        return [
            role
            for role, table in (self.as_object if is_object else self.as_subject)
            if (len(table.image_of(1, term)) if role[1] == 1 else table.has_id(0, term))
        ]


def _entries(code: int, table: Table) -> Iterator[tuple[Role, Ids]]:
    """The roles of a relation that triples are made of, each with its members."""
    if kind_of(code) != AUXILIARY:
        for position in range(table.arity):
            yield (code, position), table.distinct(position)


def _pairs(roles: Roles, entries: Iterable[tuple[Role, Ids]]) -> Table:
    """(member, number of the role) for each role with a column of members."""
    keys = [pairs.pack(members, roles.number(role)) for role, members in entries]
    found = sorted_columns.merged(keys) if keys else np.empty(0, dtype=np.uint64)
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
        self._search: Search | None = None

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
        if roles is None and self._searches >= store_tuning.SEARCHES:
            return None
        hierarchy, search = self._surveyed()
        if hierarchy.equalities and len(self._equals_of(term, hierarchy.equalities)):
            return None
        if roles is None:
            if not search.is_cheap:
                return None
            found = map(hierarchy.roles.number, search.roles_of(term, is_object))
            roles = self._found[term, is_object] = tuple(sorted(found))
            self._searches += 1
        return hierarchy.of(roles)

    def survey(self) -> None:
        """Have at hand what the first searches need: a look at each relation."""
        if self._built is None:
            self._surveyed()

    def _surveyed(self) -> tuple[Hierarchy, Search]:
        hierarchy, search = self._hierarchy, self._search
        if hierarchy is None:
            hierarchy = self._hierarchy = Hierarchy(self._definitions, self._roles)
        if search is None:
            search = self._search = Search.of(hierarchy, self._facts)
        return hierarchy, search

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
            changed = redefined(state.definitions, self._definitions)
            came = self._additions(after, stored, changed)
            waiting = (*waiting, came)
            # What is large would take memory as long as it waits.
            is_large = any(len(table) > store_tuning.LARGE_CHANGE for table in came.values())
            if is_large or len(waiting) > store_tuning.WAITING_CHANGES:
                index, waiting = index.followed_by(waiting, after._facts), ()
            after._built = index, waiting
            if not changed:
                after._hierarchy = self._hierarchy
        else:
            after._searches = self._searches
        return after

    @staticmethod
    def _additions(next: Indexes, stored: Changes, changed: Sequence[int]) -> Tables:
        """What came to what is written out. Of a relation that a scheme takes over, or gives up, something else is
        written out from then on."""
        tables = ((code, next._facts.get(code)) for code in changed)
        return {**stored.added, **{code: table for code, table in tables if table is not None}}

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return 0 if self._built is None else self._built[0].pairs.nbytes

    def _check(self) -> None:
        if self._built is not None:
            index, waiting = self._built
            index.followed_by(waiting, self._facts)._check(self._facts)
