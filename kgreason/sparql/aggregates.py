"""GROUP BY and the aggregates (SPARQL 1.1, section 18.5)."""

from __future__ import annotations

from kgreason.errors import QueryError
from kgreason.sparql.algebra import Group
from kgreason.sparql.demand import Demand, Multiplicity
from kgreason.sparql.expressions.evaluation import Existence, Expressions
from kgreason.sparql.scope import expression_variables, variables_of
from kgreason.sparql.solutions import Solutions

_COUNTABLE = frozenset(("count", "sum", "avg", "min", "max", "sample"))
_IDEMPOTENT = frozenset(("min", "max", "sample"))


def group_demand(group: Group) -> Demand:
    """What a group needs of the solutions that it groups."""
    reads = [expression for _, expression in group.keys]
    reads += [aggregate.argument for _, aggregate in group.aggregates if aggregate.argument is not None]
    needed = frozenset[str]().union(*map(expression_variables, reads))
    if any(aggregate.argument is None and aggregate.distinct for _, aggregate in group.aggregates):
        needed |= variables_of(group.node)
    found = [aggregate for _, aggregate in group.aggregates]
    if all(aggregate.distinct or aggregate.function in _IDEMPOTENT for aggregate in found):
        return Demand(needed, Multiplicity.ANY)
    counted = all(aggregate.function in _COUNTABLE for aggregate in found)
    return Demand(needed, Multiplicity.WEIGHTED if counted else Multiplicity.EACH)


def grouped_solutions(group: Group, rows: Solutions, expressions: Expressions, exists: Existence) -> Solutions:
    """One solution for each group of solutions, which may have weights."""
    raise QueryError("there are no aggregates yet")
