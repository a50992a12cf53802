"""Atoms: what a join asks of each position of a relation."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.relation import Columns
from kgreason.columns.id_columns import repeated


@dataclass(frozen=True, slots=True)
class Atom(Generic[V]):
    """A variable at each position of a relation, or None where there is a constant.

    Args:
        arguments: by position; a variable may be repeated.
        variables: those among the arguments.
        constants: the ids at the other positions.
        is_repeating: whether a variable is at two positions.
    """

    arguments: tuple[V | None, ...]
    variables: frozenset[V]
    constants: Mapping[int, int] = field(default_factory=dict)
    is_repeating: bool = False

    @classmethod
    def of(cls, arguments: Sequence[V | None], constants: Mapping[int, int] | None = None) -> Atom[V]:
        """An atom of its arguments; the constants may be given later, by `with_constants`."""
        named = [argument for argument in arguments if argument is not None]
        variables = frozenset(named)
        return cls(tuple(arguments), variables, constants or {}, len(variables) < len(named))

    def with_constants(self, constants: Mapping[int, int]) -> Atom[V]:
        """The same atom with ids at the positions without variable."""
        return Atom(self.arguments, self.variables, constants, self.is_repeating)

    def bound_end(self, bound: Container[V | None]) -> int | None:
        """The position of the bound variable in an atom of pairs whose other end is free, None for another atom."""
        if len(self.arguments) != 2 or self.constants or self.is_repeating:
            return None
        left, right = (argument in bound for argument in self.arguments)
        return None if left == right else int(right)

    def reversed(self) -> Atom[V]:
        """The same atom of the inverse of a relation of pairs."""
        constants = {1 - position: constant for position, constant in self.constants.items()}
        return Atom(self.arguments[::-1], self.variables, constants, self.is_repeating)

    def columns(self, rows: Bindings[V]) -> Columns:
        """The columns of the arguments, all of which are bound; constants are spread out."""
        if not self.constants:
            return tuple([rows.columns[variable] for variable in self.arguments if variable is not None])
        return tuple(
            repeated(self.constants[position], rows.length)
            if variable is None
            else rows.columns[variable]
            for position, variable in enumerate(self.arguments)
        )
