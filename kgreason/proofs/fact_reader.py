"""What the search reads: the facts that hold, and how far the matching of a body has come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kgreason.proofs.rule_patterns import Binding, Check, Part
from kgreason.proofs.steps import IdFact
from kgreason.relations.table import Table

Premises: TypeAlias = "tuple[IdFact, Premises] | None"
"""The premises so far, the last one first, so that alternatives share what they begin with."""


class Reader(Protocol):
    """What the search asks of a set of facts."""

    def has(self, fact: IdFact) -> bool:
        """Whether a fact is there."""

    def matches(self, relation: str, pattern: tuple[int | None, ...]) -> Iterator[tuple[int, ...]]:
        """The facts of a relation with the ids where the pattern has some, each once, lazily."""

    def cost(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """About how many matches there are, or what finding them costs; 0 only where there are none."""

    def count(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """How many facts of an auxiliary relation match."""

    def pairs(self, fact: IdFact) -> Table | None:
        """All pairs of the property, or the binary relation, of a fact."""


class KnownFacts(Protocol):
    """The facts of one moment."""

    @property
    def all(self) -> Reader:
        """All facts that hold."""

    @property
    def asserted(self) -> Reader:
        """The explicit triples."""

    def without_equality(self, fact: IdFact) -> Reader | None:
        """All facts, but of the relation of a fact only those that it has not on account of what is equal; None where
        nothing is kept apart."""

    def edges(self, fact: IdFact) -> Sequence[Table]:
        """Pairs of which the property or relation of a fact is kept as the transitive closure, none where it is not."""


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
