"""SPARQL algebra as inert data (SPARQL 1.1, section 18): what the parser makes of a query.

Constants are terms and not ids, so that a query that was translated once serves every store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from kgreason.algebra.expressions import tree
from kgreason.algebra.expressions.tree import Variable
from kgreason.rdf.model import IRI, Term
from kgreason.sparql.limits import Limits
from kgreason.sparql.source import GraphTables

Operand: TypeAlias = Variable | Term
"""A term or a variable in a place of a pattern."""

Names: TypeAlias = frozenset[str]
"""Names of variables."""


def names_of(operands: Iterable[Operand]) -> Names:
    """The variables among operands."""
    return frozenset([operand.name for operand in operands if isinstance(operand, Variable)])


# -- expressions -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exists:
    """EXISTS, or with `negated` NOT EXISTS."""

    node: Node
    negated: bool


Expression: TypeAlias = tree.Expression[Variable | Term | Exists]
"""An expression of a query. Blank nodes of a query are variables, too."""


# -- patterns --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """Triples that match in three places."""

    subject: Operand
    predicate: Operand
    object: Operand

    @property
    def operands(self) -> tuple[Operand, ...]:
        """What stands in its places."""
        return self.subject, self.predicate, self.object


@dataclass(frozen=True, slots=True)
class Repeat:
    """A path taken again and again: once at least or `optional` also not at all, any number of times or `once`.

    ``path+`` is neither, ``path*`` is optional, ``path?`` both.
    """

    path: Path
    optional: bool
    once: bool


@dataclass(frozen=True, slots=True)
class Inverse:
    """A path walked backwards."""

    path: Path


@dataclass(frozen=True, slots=True)
class Sequence:
    """One path after the other."""

    steps: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Any of several paths."""

    choices: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class NegatedSet:
    """One step by any predicate but these, or backwards by any but those in `inverse`; None: not in that direction."""

    forward: frozenset[IRI] | None
    inverse: frozenset[IRI] | None


Path: TypeAlias = IRI | Repeat | Inverse | Sequence | Alternative | NegatedSet


@dataclass(frozen=True, slots=True)
class PathPattern:
    """Two ends that a path connects."""

    subject: Operand
    path: Path
    object: Operand

    @property
    def operands(self) -> tuple[Operand, ...]:
        """What stands in its places."""
        return self.subject, self.object


@dataclass(frozen=True, slots=True)
class TripleTermPattern:
    """A term that is a triple term of three parts."""

    term: Operand
    subject: Operand
    predicate: Operand
    object: Operand

    @property
    def operands(self) -> tuple[Operand, ...]:
        """What stands in its places."""
        return self.term, self.subject, self.predicate, self.object


@dataclass(frozen=True, slots=True)
class QuadPattern:
    """Triples that match in three places, each in a graph; of graphs that are evaluated together (`all_graphs`)."""

    graph: Operand
    subject: Operand
    predicate: Operand
    object: Operand
    tables: GraphTables = field(compare=False, repr=False)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """What stands in its places."""
        return self.graph, self.subject, self.predicate, self.object


Atom: TypeAlias = TriplePattern | PathPattern | TripleTermPattern | QuadPattern


@dataclass(frozen=True)
class Basic:
    """A basic graph pattern with property paths: solutions of all atoms, in the cheapest order."""

    atoms: tuple[Atom, ...]

    @cached_property
    def variables(self) -> Names:
        """Its variables, which are asked for in every pass over a query."""
        return names_of([operand for atom in self.atoms for operand in atom.operands])


@dataclass(frozen=True, slots=True)
class Join:
    """Solutions of all parts that agree."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class LeftJoin:
    """OPTIONAL: solutions of `left`, extended by those of `right` that meet the condition where there are some."""

    left: Node
    right: Node
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class Union:
    """Solutions of any part."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Minus:
    """Solutions of `left` without those that agree with one of `right` in a variable that both bind."""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Filter:
    """Solutions for which the condition is true."""

    condition: Expression
    node: Node


@dataclass(frozen=True, slots=True)
class Extend:
    """BIND: solutions with one more variable, unbound where the expression is in error."""

    node: Node
    variable: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Values:
    """Solutions that are written out; None is unbound."""

    variables: tuple[str, ...]
    rows: tuple[tuple[Term | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """Solutions of a pattern in a named graph, or with a variable in each of them."""

    name: Operand
    node: Node


@dataclass(frozen=True, slots=True)
class Fallback:
    """A part that is not evaluated here: `solve` gives rows of terms by variable, within the limits of the query.

    With `given`, one of the variables, the rows are those for a term of it, which other parts bind; None for unbound.
    """

    name: str
    variables: tuple[str, ...]
    solve: Callable[[Limits, Term | None], Iterable[Mapping[str, Term]]]
    given: str | None = None


# -- groups and modifiers --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT, SUM, MIN, MAX, AVG, SAMPLE or GROUP_CONCAT in lower case; `argument` None is COUNT(*)."""

    function: str
    argument: Expression | None
    distinct: bool = False
    separator: str = " "


@dataclass(frozen=True, slots=True)
class Group:
    """One solution for each group: the keys' variables with the aggregates'. Without keys there is one group."""

    node: Node
    keys: tuple[tuple[str, Expression], ...]
    aggregates: tuple[tuple[str, Aggregate], ...]


@dataclass(frozen=True, slots=True)
class Project:
    """Solutions with some variables only."""

    node: Node
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Distinct:
    """Solutions each once."""

    node: Node


@dataclass(frozen=True, slots=True)
class Order:
    """Solutions in an order: expressions with whether they go down."""

    node: Node
    keys: tuple[tuple[Expression, bool], ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """Some `length` solutions, or all, after the first `offset`."""

    node: Node
    offset: int
    length: int | None


Node: TypeAlias = (
    Basic | Join | LeftJoin | Union | Minus | Filter | Extend | Values | Graph | Fallback
    | Group | Project | Distinct | Order | Slice
)  # fmt: skip
