"""Expressions as inert data: one tree for rules, templates of rules, queries and the conditions of proofs.

A tree is a leaf or a call of a function on trees. Its users differ only in their leaves: variables and terms in a rule,
slots (numbers of variables and parameters) in a template, variables, terms and EXISTS in a query, terms in a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, TypeAlias, TypeGuard, TypeVar

from kgreason.rdf.model import Term

OPERATORS: Final = frozenset({"||", "&&", "!", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"})
"""The functions that are written as operators."""

_SIGNS: Final = {"u+": "+", "u-": "-"}

Leaf = TypeVar("Leaf")
Found = TypeVar("Found")
Other = TypeVar("Other")


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable by its name, without the question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Call(Generic[Leaf]):
    """A function or operator applied to arguments: ``?x + 1``, ``strlen(?s)``, ``?x < ?y``.

    `function` is a name in `kgreason.algebra.expressions.function_table`: the operator itself (``+ - * / < <= > >= =
    != && || !``, with one argument ``u+ u-``), the SPARQL name in lower case (``strlen``, ``contains``, ...), or the
    IRI of a datatype, which casts.

    A sum of a thousand terms is a thousand calls deep: what walks a tree goes through it in a loop (`folded`).
    """

    function: str
    arguments: tuple[Expression[Leaf], ...]
    depth: int = field(init=False, repr=False)
    """How many calls lie in each other, this one included."""

    def __post_init__(self) -> None:
        inside = [argument.depth for argument in self.arguments if isinstance(argument, Call)]
        object.__setattr__(self, "depth", 1 + max(inside, default=0))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Call):
            return NotImplemented
        waiting: list[tuple[Any, Any]] = [(self, other)]
        while waiting:
            one, two = waiting.pop()
            if one is two:
                continue
            if isinstance(one, Call) and isinstance(two, Call):
                if one._own() != two._own():
                    return False
                waiting += zip(one.arguments, two.arguments, strict=True)
            elif isinstance(one, Call) or one != two:
                return False
        return True

    def __hash__(self) -> int:
        return hash((self.function, self.depth, *(part for part in self.arguments if not isinstance(part, Call))))

    def _own(self) -> tuple[object, ...]:
        """What tells a call from others beside the arguments."""
        return type(self), self.function, self.depth, len(self.arguments)

    def __str__(self) -> str:
        return folded(self, str, _written)


@dataclass(frozen=True, slots=True, eq=False)
class FallbackCall(Call[Leaf]):
    """A call of a function that is not in the table: `apply` gets terms, and returns one or raises FunctionError."""

    apply: Callable[..., Term]

    def _own(self) -> tuple[object, ...]:
        return *Call._own(self), self.apply


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


def folded(
    expression: Expression[Any], of_leaf: Callable[[Any], Found], of_call: Callable[[Call[Any], list[Found]], Found]
) -> Found:
    """What is made of a tree from the leaves up: of a leaf, and of a call with what was made of its arguments. No
    deeper in Python's stack for deeper trees."""
    found: list[Found] = []
    waiting: list[tuple[Expression[Any], bool]] = [(expression, False)]
    while waiting:
        each, is_ready = waiting.pop()
        if not isinstance(each, Call):
            found.append(of_leaf(each))
        elif is_ready:
            begin = len(found) - len(each.arguments)
            own = found[begin:]
            del found[begin:]
            found.append(of_call(each, own))
        else:
            waiting.append((each, True))
            waiting += [(argument, False) for argument in reversed(each.arguments)]
    return found[0]


def _written(call: Call[Any], arguments: list[str]) -> str:
    if len(arguments) > 1 and call.function in OPERATORS:
        return f"({f' {call.function} '.join(arguments)})"
    return f"{function_name(call.function)}({', '.join(arguments)})"


def leaves(expression: Expression[Any]) -> Iterator[Any]:
    """The leaves of a tree, from left to right."""
    return (each for each in subexpressions(expression) if not isinstance(each, Call))


def subexpressions(expression: Expression[Any]) -> Iterator[Expression[Any]]:
    """A tree and all trees inside of it, the outermost first, from left to right."""
    waiting = [expression]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, Call):
            waiting += reversed(each.arguments)


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

    def of_call(call: Call[Any], arguments: list[Expression[Other]]) -> Expression[Other]:
        return with_arguments(call, arguments)

    return folded(expression, replacement, of_call)


def with_arguments(call: Call[Any], arguments: Iterable[Expression[Other]]) -> Call[Other]:
    """The same call of other arguments."""
    return replace(call, arguments=tuple(arguments))
