"""A relation read the other way round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgreason.algebra.relation import Columns, Relation
from kgreason.sparql.patterns.pattern_relations import PatternRelation
from kgreason.sparql.solutions import Counts, Ids, Index, Mask


class Inverted(PatternRelation):
    """The pairs of `base` with their ends exchanged."""

    def __init__(self, base: Relation) -> None:
        self.base = base

    @property
    def estimate(self) -> int:
        return self.base.estimate

    def distinct_estimate(self, position: int) -> int:
        return self.base.distinct_estimate(1 - position)

    def __len__(self) -> int:
        return len(self.base)

    def __bool__(self) -> bool:
        return bool(self.base)

    def chunks(self) -> Iterator[Columns]:
        return (columns[::-1] for columns in self.base.chunks())

    def select(self, bound: dict[int, int]) -> Columns:
        return self.base.select({1 - position: identifier for position, identifier in bound.items()})[::-1]

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        index, columns = self.base.lookup({1 - position: identifiers for position, identifiers in bound.items()})
        return index, columns[::-1]

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        turned = {1 - position: identifiers for position, identifiers in bound.items()}
        return ((index, columns[::-1]) for index, columns in self.base.lookups(turned, most))

    def contains(self, columns: Columns) -> Mask:
        return self.base.contains(columns[::-1])

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return self.base.has_key(1 - position, identifiers)

    def distinct(self, position: int) -> Ids:
        return self.base.distinct(1 - position)

    def fanout(self, position: int, identifiers: Ids) -> Counts:
        return self.base.fanout(1 - position, identifiers)

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        return self.base.expected_fanout(1 - position, identifiers)

    def is_indexed(self, position: int) -> bool:
        return self.base.is_indexed(1 - position)

    def image(self, position: int, identifiers: Ids) -> Ids:
        return self.base.image(1 - position, identifiers)

    def loops(self) -> Ids:
        return self.base.loops()

    def generators(self) -> Iterable[Relation]:
        return map(inverted, self.base.generators())


def inverted(relation: Relation) -> Relation:
    """A relation with its ends exchanged."""
    return relation.base if isinstance(relation, Inverted) else Inverted(relation)
