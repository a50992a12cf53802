"""Expressions as inert data: one tree for rules, templates of rules, queries and the conditions of proofs.

A tree is a leaf or a call of a function on trees. Its users differ only in their leaves: variables and terms in a rule,
slots (numbers of variables and parameters) in a template, variables, terms and EXISTS in a query, terms in a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeAlias, TypeGuard, TypeVar

from kgreason.rdf.model import Term

OPERATORS: Final = frozenset({"||", "&&", "!", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"})
"""The functions that are written as operators."""

_SIGNS: Final = {"u+": "+", "u-": "-"}

Leaf = TypeVar("Leaf")
Other = TypeVar("Other")


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable by its name, without the question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


@dataclass(frozen=True, slots=True)
class Call(Generic[Leaf]):
    """A function or operator applied to arguments: ``?x + 1``, ``strlen(?s)``, ``?x < ?y``.

    `function` is a name in `kgreason.algebra.expressions.function_table`: the operator itself (``+ - * / < <= > >= =
    != && || !``, with one argument ``u+ u-``), the SPARQL name in lower case (``strlen``, ``contains``, ...), or the
    IRI of a datatype, which casts.
    """

    function: str
    arguments: tuple[Expression[Leaf], ...]

    def __str__(self) -> str:
        if len(self.arguments) > 1 and self.function in OPERATORS:
            return f"({f' {self.function} '.join(map(str, self.arguments))})"
        return f"{function_name(self.function)}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True, slots=True)
class FallbackCall(Call[Leaf]):
    """A call of a function that is not in the table: `apply` gets terms, and returns one or raises FunctionError."""

    apply: Callable[..., Term]


Expression: TypeAlias = Leaf | Call[Leaf]


@dataclass(frozen=True, slots=True)
class Equation(Generic[Leaf]):
    """That two expressions have equal values, or are the same term: ``left = right``, ``sameterm(left, right)``."""

    left: Expression[Leaf]
    right: Expression[Leaf]
    symbol: str

    def __str__(self) -> str:
        return str(Call(self.symbol, (self.left, self.right)))

    def reversed(self) -> Equation[Leaf]:
        """The same with the sides changed over."""
        return Equation(self.right, self.left, self.symbol)


def function_name(function: str) -> str:
    """How a function is written before its arguments."""
    return f"<{function}>" if ":" in function else _SIGNS.get(function, function)


def leaves(expression: Expression[Any]) -> Iterator[Any]:
    """The leaves of a tree, from left to right."""
    if isinstance(expression, Call):
        for argument in expression.arguments:
            yield from leaves(argument)
    else:
        yield expression


def subexpressions(expression: Expression[Any]) -> Iterator[Expression[Any]]:
    """A tree and all trees inside of it, the outermost first."""
    yield expression
    if isinstance(expression, Call):
        for argument in expression.arguments:
            yield from subexpressions(argument)


def expression_variables(expression: Expression[Any]) -> Iterator[Variable]:
    """The variables among the leaves, from left to right."""
    return (leaf for leaf in leaves(expression) if isinstance(leaf, Variable))


def is_equation(expression: Expression[Any]) -> TypeGuard[Call[Any]]:
    """Whether it is for equal values, or the same terms, of two expressions."""
    return isinstance(expression, Call) and expression.function in ("=", "sameterm")


FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""What comparisons for an order are with the sides changed over."""


def is_ordering(expression: Expression[Any]) -> TypeGuard[Call[Any]]:
    """Whether it compares the order of two values."""
    return isinstance(expression, Call) and expression.function in FLIPPED


def with_leaves(expression: Expression[Any], replacement: Callable[[Any], Expression[Other]]) -> Expression[Other]:
    """The same tree with another tree in the place of each leaf."""
    if isinstance(expression, Call):
        return with_arguments(expression, [with_leaves(argument, replacement) for argument in expression.arguments])
    return replacement(expression)


def with_arguments(call: Call[Any], arguments: Iterable[Expression[Other]]) -> Call[Other]:
    """The same call of other arguments."""
    return replace(call, arguments=tuple(arguments))
