"""What the search reads: the facts that hold, and how far the matching of a body has come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kgreason.explanation.patterns import Binding, Check, Part
from kgreason.explanation.steps import IdFact
from kgreason.schemes.scheme import Table

Premises: TypeAlias = "tuple[IdFact, Premises] | None"
"""The premises so far, the last one first, so that alternatives share what they begin with."""


class KnownFacts(Protocol):
    """What the search asks of the facts: all that hold, and which of them were asserted."""

    def is_asserted(self, fact: IdFact) -> bool:
        """Whether a triple is explicit."""

    def has(self, fact: IdFact) -> bool:
        """Whether a fact holds."""

    def matches(self, relation: str, pattern: tuple[int | None, ...]) -> Iterator[tuple[int, ...]]:
        """The facts of a relation with the ids where the pattern has some, each once, lazily."""

    def cost(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """About how many matches there are, or what finding them costs; 0 only where there are none."""

    def asserted_pairs(self, fact: IdFact) -> Table | None:
        """The explicit pairs of the relation or property of a fact with two ends."""

    def edges(self, fact: IdFact) -> Sequence[Table]:
        """Pairs of which the relation or property of a fact is the transitive closure, none where it is no closure."""

    def pairs(self, fact: IdFact) -> Table | None:
        """All pairs of the relation or property of a fact with two ends."""


@dataclass(frozen=True, slots=True)
class State:
    """Values of variables, what of a body is still to be matched and checked, and the premises so far."""

    binding: Binding
    parts: tuple[Part, ...]
    checks: tuple[Check, ...]
    premises: Premises = None


def premises_of(premises: Premises) -> tuple[IdFact, ...]:
    """The premises in their order, each once."""
    found: list[IdFact] = []
    while premises is not None:
        fact, premises = premises
        found.append(fact)
    return tuple(dict.fromkeys(reversed(found)))
