"""What templates of rules are made of: atoms, operations and aggregates over slots.

A slot is a variable or a parameter. The parameters of a rule are the relations and constants by which it differs from
others of its template.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from kgreason.algebra.atoms import Atom
from kgreason.algebra.expressions.tree import Call, leaves

Slot: TypeAlias = int
"""A variable (0, 1, ...) or a parameter (-1 for parameter 0, -2 for parameter 1, ...: ``~parameter``)."""

Parameters: TypeAlias = Sequence[int]
"""The relation codes and term ids of one rule of a template."""


@dataclass(frozen=True, slots=True)
class TemplateAtom:
    """A relation, by the number of its parameter, applied to slots."""

    relation: int
    arguments: tuple[Slot, ...]
    plain: Atom[int] | None = field(init=False, repr=False, compare=False)
    """The atom of any rule of the template, where it has no constants."""
    _open: Atom[int] = field(init=False, repr=False, compare=False)
    _constants: tuple[tuple[int, int], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        open_atom = Atom.of([slot if slot >= 0 else None for slot in self.arguments])
        constants = tuple((position, ~slot) for position, slot in enumerate(self.arguments) if slot < 0)
        object.__setattr__(self, "_open", open_atom)
        object.__setattr__(self, "_constants", constants)
        object.__setattr__(self, "plain", None if constants else open_atom)

    def variables(self) -> frozenset[int]:
        """The variables among the arguments."""
        return self._open.variables

    def of(self, parameters: Parameters) -> Atom[int]:
        """The atom of one rule, with its constants."""
        if not self._constants:
            return self._open
        constants = {position: parameters[number] for position, number in self._constants}
        return self._open.with_constants(constants)


Operation: TypeAlias = Call[Slot]
"""A filter or an assignment of a template; a bare variable is `identity` of it."""


def operation_variables(operation: Operation | Slot) -> frozenset[int]:
    """The variables among the slots of an operation."""
    return frozenset(slot for slot in leaves(operation) if slot >= 0)


@dataclass(frozen=True, slots=True)
class BoundOperation:
    """An operation with its slots, the variables among them, and the variable that it assigns; None for a filter."""

    operation: Operation
    slots: tuple[Slot, ...]
    variables: frozenset[int]
    target: int | None = None

    @classmethod
    def of(cls, operation: Operation, target: int | None = None) -> BoundOperation:
        """O(the size of the operation)."""
        return cls(operation, tuple(dict.fromkeys(leaves(operation))), operation_variables(operation), target)


@dataclass(frozen=True, slots=True)
class Summary:
    """An aggregate of a grouping rule: what `function` makes of the column `argument` of the body's relation, -1 for
    none, in each group. With `over`, equal rows of these columns count once. `separator` is that of group_concat."""

    function: str
    argument: int
    over: tuple[int, ...] = ()
    separator: str = " "
