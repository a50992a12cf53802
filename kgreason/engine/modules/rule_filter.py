"""Which rules facts need not be given to, judged by the rule that derived them.

Two of the optimisations of VLog (Urbani et al. 2016, "Dynamic Optimization"), for the facts of one round of a
fixpoint: a rule may leave facts out that its body cannot match (*mismatching*), and facts that it can only lead back
from to where they came from (*redundant*). The third, *subsumed*, is decided for all facts at once (`repetition`).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.strategy import Strategy


class RuleFilter:
    """The rules that derived facts in the last round and in this one, by key."""

    def __init__(self, strategy: Strategy, *, passes_on: bool = False) -> None:
        """With `passes_on`, a rule that passes a set on has derived all that follows from its own facts (*closed*)."""
        self._strategy = strategy
        self._passes_on = passes_on
        self._last: dict[int, list[Occurrence | None]] | None = None
        self._now: dict[int, list[Occurrence | None]] = {}

    def record(self, key: int, use: Occurrence | None) -> None:
        """A rule derived something of a key from facts of the round; None says that it has other origins."""
        self._now.setdefault(key, []).append(use)

    def next_round(self, keys: Iterable[int]) -> None:
        """The facts that come next are of some keys, and of what was recorded of these.

        The facts of the first round have other origins, too.
        """
        last = {key: self._now.pop(key) for key in keys if key in self._now}
        self._last = {} if self._last is None else last

    def is_idle(self, key: int, use: Occurrence) -> bool:
        """Whether a rule has no work with the new facts of a key, wherever they come from."""
        producers = self._last.get(key) if self._last else None
        return bool(producers) and all(map(self._skips, producers or (), repeat(use)))

    def _skips(self, producer: Occurrence | None, use: Occurrence) -> bool:
        strategy = self._strategy
        return producer is not None and (
            (self._passes_on and use.passes_on and is_same(producer, use))
            or (strategy.skip_redundant and is_redundant(producer, use))
            or (strategy.skip_mismatching and is_mismatching(producer, use))
        )


def is_same(producer: Occurrence, use: Occurrence) -> bool:
    """Whether both are one atom of one rule."""
    mine, theirs = ((each.group.number, each.row, each.position) for each in (producer, use))
    return mine == theirs


def is_redundant(producer: Occurrence, use: Occurrence) -> bool:
    """Whether the rule only leads back to what the facts were copied from: its head is then the producer's body."""
    first, second = producer.group.template, use.group.template
    turned_back = (first.is_copy and second.is_copy) or (first.is_inverse_copy and second.is_inverse_copy)
    return turned_back and producer.parameters[first.body[0].relation] == use.head


def is_mismatching(producer: Occurrence, use: Occurrence) -> bool:
    """Whether the head of the producer and the body atom have different constants in one place."""
    head, atom = producer.group.template.head, use.group.template.body[use.position]
    assert head is not None
    if head.plain is not None or atom.plain is not None:
        return False  # one of them has no constants
    return any(
        mine < 0 and theirs < 0 and producer.parameters[~mine] != use.parameters[~theirs]
        for mine, theirs in zip(head.arguments, atom.arguments, strict=True)
    )
