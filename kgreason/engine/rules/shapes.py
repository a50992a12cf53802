"""The shape of a rule: its atoms with every relation and every constant replaced by a parameter.

Specialisation makes thousands of rules that differ only in their relations and constants. They share one
shape; each is a row of parameters: relation codes (`kgreason.schemes.relations`) and term ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

Slot: TypeAlias = int
"""A variable (0, 1, ...) or a parameter (-1 for parameter 0, -2 for parameter 1, ...: ``~parameter``)."""


@dataclass(frozen=True, slots=True)
class ShapeAtom:
    """A relation, by the number of its parameter, applied to slots."""

    relation: int
    arguments: tuple[Slot, ...]
    _variables: frozenset[int] = field(init=False, repr=False, compare=False, default=frozenset())

    def __post_init__(self) -> None:
        object.__setattr__(self, "_variables", frozenset(slot for slot in self.arguments if slot >= 0))

    def variables(self) -> frozenset[int]:
        """The variables among the arguments."""
        return self._variables


@dataclass(frozen=True, slots=True)
class Operation:
    """A built-in applied to slots and nested operations."""

    function: str
    arguments: tuple[Operation | Slot, ...]

    def slots(self) -> Iterator[Slot]:
        """All slots, from left to right."""
        for argument in self.arguments:
            if isinstance(argument, Operation):
                yield from argument.slots()
            else:
                yield argument

    def variables(self) -> frozenset[int]:
        """The variables among the slots."""
        return frozenset(slot for slot in self.slots() if slot >= 0)


@dataclass(frozen=True)
class Shape:
    """One head atom, or none for an integrity condition, over a body.

    `checked` says that the head is a triple whose subject the body does not prove to be a resource, so that
    literals must be kept out of it.
    """

    head: ShapeAtom | None
    body: tuple[ShapeAtom, ...]
    negated: tuple[ShapeAtom, ...] = ()
    filters: tuple[Operation, ...] = ()
    assignments: tuple[tuple[int, Operation], ...] = ()
    parameters: int = 0
    checked: bool = False
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        parts = (self.head, self.body, self.negated, self.filters, self.assignments, self.checked)
        object.__setattr__(self, "_hash", hash(parts))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def is_single(self) -> bool:
        """Whether the body is one positive atom and nothing else."""
        return len(self.body) == 1 and not (self.negated or self.filters or self.assignments)

    @cached_property
    def is_copy(self) -> bool:
        """``A(x) -> U(x)`` and ``A(x, y) -> U(x, y)``: distinct variables in the same order."""
        if not self.is_single or self.head is None or self.checked:
            return False
        arguments = self.body[0].arguments
        distinct = len(self.body[0].variables()) == len(arguments)
        return distinct and arguments == self.head.arguments

    @cached_property
    def is_inverse_copy(self) -> bool:
        """``A(y, x) -> U(x, y)``."""
        if not self.is_single or self.head is None:
            return False
        arguments = self.body[0].arguments
        distinct = len(arguments) == 2 == len(self.body[0].variables())
        return distinct and arguments == self.head.arguments[::-1]

    @cached_property
    def copies(self) -> bool:
        """Whether it is a copy or an inverse copy."""
        return self.is_copy or self.is_inverse_copy

    @cached_property
    def projection(self) -> int | None:
        """The position that a rule ``A(x, y) -> U(x)`` or ``A(x, y) -> U(y)`` keeps, otherwise None."""
        if not self.is_single or self.head is None or len(self.head.arguments) != 1:
            return None
        arguments = self.body[0].arguments
        if len(arguments) != 2 or len(self.body[0].variables()) != 2 or self.head.arguments[0] < 0:
            return None
        return arguments.index(self.head.arguments[0])

    @cached_property
    def last_use(self) -> frozenset[int]:
        """The variables that the head, the negated atoms, the filters and the assignments need."""
        needed: set[int] = set(self.head.variables()) if self.head is not None else set()
        for atom in self.negated:
            needed |= atom.variables()
        for operation in self.filters:
            needed |= operation.variables()
        for _, operation in self.assignments:
            needed |= operation.variables()
        return frozenset(needed)
