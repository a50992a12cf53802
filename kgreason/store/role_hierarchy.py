"""The roles of terms, and what they lead to: from relations that are written out to the virtual ones above them.

Many terms have the same roles, so that what these lead to is found once (characteristic sets: Neumann and Moerkotte,
ICDE 2011).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

from kgreason.relations.catalogue import EQUALITY, EQUIVALENCE, SYMMETRIC, Definition, Oriented
from kgreason.relations.codes import CLASS, PROPERTY, identifier_of, kind_of
from kgreason.store import store_tuning

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


_CLASS, _STRAIGHT, _INVERSE = 1, 2, 4
"""As what a fact may show: as that of a class, of a property, or of a property the other way round."""


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
    _inverse: dict[int, bool] = field(init=False)
    _above: dict[tuple[tuple[int, int], bool], frozenset[Oriented]] = field(default_factory=dict)
    _kinds: dict[int, int] | None = None
    _known: dict[tuple[tuple[int, ...], tuple[int, ...]], Participation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._readers = {}
        definitions = {id(each): each for each in self.definitions.values()}.values()
        self._inverse = {member.code: member.inverse for each in definitions for member in each.members}
        self.equalities = frozenset(each.code for definition in definitions for each in definition.equality)
        for definition in definitions:
            fed_by = (feed.relation for feed in definition.feeds)
            for source in (*definition.sources, *definition.left, *definition.right, *fed_by):
                self._readers.setdefault(source.code, []).append((definition, source.inverse))

    def of(self, roles: tuple[int, ...], of_equals: tuple[int, ...] = ()) -> Participation:
        """What a term takes part in that has some roles, and equals with others: worked out once, for up to
        `store_tuning.CHARACTERISTIC_SETS`."""
        found = self._known.get((roles, of_equals))
        if found is None:
            if len(self._known) >= store_tuning.CHARACTERISTIC_SETS:
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

    def is_alone(self, code: int) -> bool:
        """Whether no virtual relation has the facts of a relation."""
        return code not in self._readers and code not in self.definitions

    def matters(self, role: Role, is_object: bool) -> bool:
        """Whether a term with a role may be an object, or else a subject or an instance; with the first question, this
        is found for all definitions: O(their sources)."""
        if self._kinds is None:
            self._kinds = self._kinds_above()
        code, position = role
        own, kinds = self.definitions.get(code), self._kinds
        if own is None:
            found = _kind_of_face(code, inverse=False)
            for definition, inverse in self._readers.get(code, ()):
                found |= _turned(kinds[id(definition)], inverse)
        else:
            found = _turned(kinds[id(own)], self._inverse[code])
        is_subject_of = _STRAIGHT if position == 0 else _INVERSE
        wanted = _STRAIGHT + _INVERSE - is_subject_of if is_object else _CLASS + is_subject_of
        return bool(found & wanted)

    def _kinds_above(self) -> dict[int, int]:
        """For each definition, by its identity, as what facts show that enter it as they are: a sum of `_CLASS`,
        `_STRAIGHT` and `_INVERSE`, of its own members and of all that is above these."""
        found: dict[int, int] = {}
        feeds: dict[int, list[tuple[int, bool]]] = {}
        for definition in {id(each): each for each in self.definitions.values()}.values():
            found[id(definition)] = 0
            for face in _faces(definition, inverse=False):
                found[id(definition)] |= _kind_of_face(face.code, face.inverse)
                for reader, inverse in self._readers.get(face.code, ()):
                    feeds.setdefault(id(reader), []).append((id(definition), inverse ^ face.inverse))
        waiting = [*found]
        while waiting:
            above = waiting.pop()
            for below, inverse in feeds.get(above, ()):
                kinds = found[below] | _turned(found[above], inverse)
                if kinds != found[below]:
                    found[below] = kinds
                    waiting.append(below)
        return found

    def above(self, code: int, of_equal: bool = False) -> frozenset[Oriented]:
        """The relation itself and the virtual ones above it: computed once, for all members of a definition that are
        turned alike. Those that have a fact of something equal to a member are relations that are kept over
        representatives, and what is above these."""
        own = self.definitions.get(code)
        inverse = self._inverse.get(code, False)
        key = (code, 0) if own is None else (id(own), 1 + inverse)
        if (key, of_equal) not in self._above:
            found: set[tuple[Oriented, bool]] = set()
            waiting = [(Oriented(code), not of_equal)]
            if own is not None:
                shown = not of_equal or bool(own.equality)
                waiting = [(face, shown) for face in _faces(own, inverse)]
            while waiting:
                face, shown = waiting.pop()
                if (face, shown) not in found:
                    found.add((face, shown))
                    for definition, inverse in self._readers.get(face.code, ()):
                        onward = shown or bool(definition.equality)
                        waiting.extend((each, onward) for each in _faces(definition, inverse ^ face.inverse))
            self._above[key, of_equal] = frozenset(face for face, shown in found if shown)
        return self._above[key, of_equal]


def _faces(definition: Definition, inverse: bool) -> Iterator[Oriented]:
    """How facts that enter a definition, perhaps the other way round, show in each of its members."""
    for member in definition.members:
        yield Oriented(member.code, inverse ^ member.inverse)
        if definition.is_mutual or {definition.closure, definition.within} & {SYMMETRIC, EQUIVALENCE, EQUALITY}:
            yield Oriented(member.code, not inverse ^ member.inverse)


def _kind_of_face(code: int, inverse: bool) -> int:
    """As what a relation shows its facts, perhaps the other way round; those of auxiliary ones are no triples."""
    if kind_of(code) == PROPERTY:
        return _INVERSE if inverse else _STRAIGHT
    return _CLASS if kind_of(code) == CLASS else 0


def _turned(kinds: int, inverse: bool) -> int:
    """The same of facts that enter the other way round, if they do."""
    if not inverse:
        return kinds
    return kinds & _CLASS | (_INVERSE if kinds & _STRAIGHT else 0) | (_STRAIGHT if kinds & _INVERSE else 0)
