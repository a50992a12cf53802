"""A persistent map: versions share all entries but those that differ.

A version is a large dictionary that many versions share, and a small one with what is different in it. Where the small
one has grown beyond a bound, a new large one takes the place of both. With the square root of the number of entries
as the bound, a version costs O(sqrt(entries) + changed entries) when averaged over many, and a look-up two probes.

    >>> first = PersistentMap({1: "a", 2: "b"})
    >>> draft = first.draft()
    >>> draft.put(2, None)
    >>> second = draft.version()
    >>> first.get(2), second.get(2)
    ('b', None)

Source: Driscoll, Sarnak, Sleator and Tarjan, "Making Data Structures Persistent" (1989).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from itertools import starmap
from math import isqrt
from typing import Final, Generic, TypeVar

V = TypeVar("V")

LEAST: Final = 64
"""Below so many different entries no new large dictionary is made: copying them takes less than a microsecond."""


class PersistentMap(Generic[V]):
    """An immutable version: from integers to values. A false value, such as an empty table, is not an entry."""

    __slots__ = ("_base", "_changed", "_length", "_totals")

    def __init__(self, entries: Mapping[int, V] | None = None) -> None:
        """A version with these entries: O(entries)."""
        self._base: dict[int, V] = {key: value for key, value in (entries or {}).items() if value}
        self._changed: dict[int, V | None] = {}
        self._length = len(self._base)
        # A cache that all versions over the same large dictionary share: for each measure the sum over its entries but
        # those of some keys, and these keys.
        self._totals: dict[Callable[[int, V], int], tuple[int, Set[int]]] = {}

    def get(self, key: int) -> V | None:
        """The value of a key, None when it has no entry."""
        changed = self._changed
        return changed[key] if key in changed else self._base.get(key)

    def __contains__(self, key: int) -> bool:
        return self.get(key) is not None

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        return iter(self._merged() if self._changed else self._base)

    def items(self) -> Iterator[tuple[int, V]]:
        """The entries as they are now, in the order in which their keys came first."""
        return iter((self._merged() if self._changed else self._base).items())

    def _merged(self) -> dict[int, V]:
        """All entries in one dictionary, in that order: copied at once, which takes a tenth of a loop over them."""
        found = dict(self._base)
        for key, value in self._changed.items():
            if value is None:
                del found[key]
            else:
                found[key] = value
        return found

    def draft(self) -> Draft[V]:
        """A draft of a later version: O(1), and O(sqrt(entries)) for its first change."""
        return Draft(self)

    def changed_since(self, before: PersistentMap[V]) -> Iterator[int]:
        """The keys whose values may be others than in another version: O(sqrt(entries)) for one that is not much
        older, otherwise O(entries)."""
        keys = self._changed.keys() | before._changed.keys()
        if self._base is not before._base:
            keys |= self._base.keys() | before._base.keys()
        return (key for key in keys if self.get(key) is not before.get(key))

    def total(self, measure: Callable[[int, V], int]) -> int:
        """The sum of what a function says of each entry: O(sqrt(entries)) calls where that was asked of another version
        with the same large dictionary, otherwise O(entries).

        Afterwards the function is asked about those entries alone in which versions differ."""
        base, changed = self._base, self._changed
        known = self._totals.get(measure)
        if known is None:
            rest = (item for item in base.items() if item[0] not in changed) if changed else iter(base.items())
            known = self._totals[measure] = sum(starmap(measure, rest)), frozenset(changed)
        found, without = known
        found += sum(measure(key, base[key]) for key in without - changed.keys() if key in base)
        found -= sum(measure(key, base[key]) for key in changed.keys() - without if key in base)
        return found + sum(measure(key, value) for key, value in changed.items() if value is not None)

    def _check(self) -> None:
        assert self._length == sum(1 for _ in self.items()), "a map has another length"
        assert all(self._base.values()), "a false value is kept"
        assert all(value is None or value for value in self._changed.values()), "a false value is kept"


class Draft(PersistentMap[V]):
    """A version that is being made; `put` changes it alone. It copies when it is first changed."""

    __slots__ = ("_origin",)

    def __init__(self, origin: PersistentMap[V]) -> None:
        self._base = origin._base
        self._changed = origin._changed
        self._length = origin._length
        self._totals = origin._totals
        self._origin: PersistentMap[V] | None = origin

    def put(self, key: int, value: V | None) -> None:
        """Replace the value of a key."""
        if self._origin is not None:
            self._origin, self._changed = None, dict(self._changed)
        known = self.get(key)
        if value:
            self._changed[key] = value
            self._length += known is None
        else:
            self._length -= known is not None
            if key in self._base:
                self._changed[key] = None
            else:
                self._changed.pop(key, None)

    def version(self) -> PersistentMap[V]:
        """The entries as they are now, as a version of its own."""
        if self._origin is not None:
            return self._origin
        if len(self._changed) > max(LEAST, isqrt(len(self._base))):
            self._base, self._changed, self._totals = self._merged(), {}, {}
        version: PersistentMap[V] = PersistentMap.__new__(PersistentMap)
        version._base, version._changed, version._length = self._base, self._changed, self._length
        version._totals = self._totals
        self._origin = version
        return version
