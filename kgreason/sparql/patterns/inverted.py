"""A relation read the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from kgreason.sparql.patterns.relations import Relation
from kgreason.sparql.solutions import Counts, Ids, Index, Mask


class Inverted(Relation):
    """The pairs of `base` with their ends exchanged."""

    def __init__(self, base: Relation) -> None:
        self.base = base

    @property
    def size(self) -> int:
        return self.base.size

    def ends(self, position: int) -> int:
        return self.base.ends(1 - position)

    def scan(self) -> Iterator[tuple[Ids, Ids]]:
        return ((subjects, objects) for objects, subjects in self.base.scan())

    def select(self, position: int, identifier: int) -> Ids:
        return self.base.select(1 - position, identifier)

    def expand(self, position: int, identifiers: Ids) -> tuple[Index, Ids]:
        return self.base.expand(1 - position, identifiers)

    def contains(self, subjects: Ids, objects: Ids) -> Mask:
        return self.base.contains(objects, subjects)

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        return self.base.occurs(1 - position, identifiers)

    def distinct(self, position: int) -> Ids:
        return self.base.distinct(1 - position)

    def total(self) -> int:
        return self.base.total()

    def degrees(self, position: int, identifiers: Ids) -> Counts:
        return self.base.degrees(1 - position, identifiers)

    def count(self, position: int, identifier: int) -> int:
        return self.base.count(1 - position, identifier)

    def image(self, position: int, identifiers: Ids) -> Ids:
        return self.base.image(1 - position, identifiers)

    def loops(self) -> Ids:
        return self.base.loops()
