"""Keys that came one by one, in Python's dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from kgreason.dictionary import term_tuning


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LoneKeys:
    """Keys that came one by one to a dictionary, or to those that it is a fork of.

    Args:
        ids: its own ids by folded keys, which grow.
        below: the same of the dictionaries that it is a fork of, up to an id; they may have learned others since.
    """

    ids: dict[str, int] = field(default_factory=dict)
    below: tuple[tuple[dict[str, int], int], ...] = ()

    @property
    def estimate(self) -> int:
        """How many there are, with what the others have learned since."""
        return len(self.ids) + sum(len(ids) for ids, _ in self.below)

    def items(self) -> Iterator[tuple[str, int]]:
        """Folded keys with their ids, in the order of the ids."""
        for ids, limit in self.below:
            # A list, since the other dictionary may learn terms meanwhile.
            yield from takewhile(lambda item: item[1] < limit, list(ids.items()))  # noqa: B023 - used up at once
        yield from list(self.ids.items())

    def find_below(self, folded: str) -> int | None:
        """The id of a folded key that came to a dictionary that this is a fork of."""
        for ids, limit in self.below:
            known = ids.get(folded)
            if known is not None and known < limit:
                return known
        return None

    def of_each(self, folded: Sequence[str]) -> list[int]:
        """The ids of folded keys, -1 of others."""
        own = self.ids.get
        found = [own(key, -1) for key in folded]
        if self.below:
            for row, key in enumerate(folded):
                if found[row] < 0 and (known := self.find_below(key)) is not None:
                    found[row] = known
        return found

    def prefix(self, count: int) -> LoneKeys:
        """Those with ids below `count`: a copy of what came to this dictionary, some 30 nanoseconds each."""
        ids = self.ids.copy()
        # Python's dictionaries keep the order in which keys came, which is that of the ids.
        while ids and next(reversed(ids.values())) >= count:
            ids.popitem()
        return LoneKeys(ids, tuple((others, min(limit, count)) for others, limit in self.below))

    def fork(self, count: int) -> LoneKeys:
        """The same for another dictionary of `count` terms, which learns its own."""
        below = (*self.below, (self.ids, count)) if self.ids else self.below
        if len(below) > term_tuning.FORKS_DEEPEST:
            below = ((dict(self.items()), count),)
        return LoneKeys({}, below)
