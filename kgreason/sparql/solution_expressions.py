"""The expressions of a query over its solutions: what SPARQL adds to `kgreason.algebra.expressions`.

Leaves are variables, terms and EXISTS. New terms (BNODE, RAND, UUID, ...) are new in each solution, NOW() is one moment
for the whole query, and IRI() resolves against its base.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from numpy.typing import NDArray

from kgreason.algebra.expressions.evaluator import ColumnEvaluator
from kgreason.algebra.expressions.fresh_terms import SOLUTION, FreshTerms
from kgreason.algebra.expressions.function_table import FUNCTIONS, Volatility
from kgreason.algebra.expressions.operands import Surroundings
from kgreason.algebra.expressions.tree import Call, FallbackCall, Variable, subexpressions
from kgreason.algebra.expressions.truth import Truth
from kgreason.algebra.local_terms import LocalTerms
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.model import Term
from kgreason.sparql.algebra import Exists, Expression
from kgreason.sparql.algebra_tree import patterns_in
from kgreason.sparql.limits import Limits
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import expression_variables
from kgreason.sparql.solutions import Ids, Mask, Solutions

Existence: TypeAlias = Callable[[Exists, Solutions], Mask]
"""For each solution whether the pattern of EXISTS has one that agrees with it."""


@dataclass(frozen=True, slots=True)
class SolutionBatch:
    """Solutions as rows that expressions are evaluated over."""

    rows: Solutions
    exists: Existence

    def __len__(self) -> int:
        return self.rows.length

    def take(self, index: NDArray[Any]) -> SolutionBatch:
        """The solutions of an index, in its order."""
        return SolutionBatch(self.rows.take(index), self.exists)

    def slice(self, begin: int, end: int) -> SolutionBatch:
        """A run of solutions: no copy."""
        return SolutionBatch(self.rows.slice(begin, end), self.exists)

    def with_columns(self, columns: Mapping[Variable, Ids]) -> SolutionBatch:
        """The same solutions with ids for more variables."""
        named = {variable.name: ids for variable, ids in columns.items()}
        return SolutionBatch(self.rows.with_columns(named), self.exists)

    def constant(self, leaf: Variable | Exists) -> Term | None:
        """None: no leaf but a term is the same in all solutions."""
        return None

    def ids(self, leaf: Variable) -> Ids:
        """The ids of a variable, UNBOUND where a solution does not bind it."""
        return self.rows.column(leaf.name)

    def truth(self, leaf: Variable | Exists) -> Truth | None:
        """The solutions that EXISTS holds for; None for other leaves."""
        return Truth.known(self.exists(leaf, self.rows)) if isinstance(leaf, Exists) else None


class Expressions:
    """The expressions of one query."""

    def __init__(
        self,
        terms: LocalTerms,
        *,
        base: str | None = None,
        now: datetime | None = None,
        limits: Limits | None = None,
    ) -> None:
        """IRI() resolves against `base`; `now` is what NOW() gives, the time of the call if it is None."""
        self.terms = terms
        self.limits = Limits() if limits is None else limits
        self._fresh = FreshTerms()
        surroundings = Surroundings(base, now or datetime.now(UTC), self._fresh)
        self._evaluator = ColumnEvaluator(terms, self.limits.check, surroundings)

    def truth(self, expression: Expression, rows: Solutions, exists: Existence) -> Mask:
        """The solutions for which an expression is true; an error is not."""
        batch = SolutionBatch(rows, exists)
        # EXISTS looks at the clock itself, and has work to do that is the same for all pieces.
        if patterns_in(expression):
            return self._evaluator.truth_of(*self._evaluator.shallow(expression, batch)).true
        return self._evaluator.passes(expression, batch)

    def values(self, expression: Expression, rows: Solutions, exists: Existence) -> Ids:
        """For each solution the id of the value, UNBOUND where the expression is in error."""
        batch = SolutionBatch(rows, exists)
        if patterns_in(expression):
            return self._evaluator.ids_of(*self._evaluator.shallow(expression, batch))
        return self._evaluator.values(expression, batch)

    def columns(self, expression: Expression, rows: Solutions, exists: Existence) -> ValueColumn:
        """For each solution the value as operators look at it."""
        return self._evaluator.columns(expression, SolutionBatch(rows, exists))

    def with_numbers(self, rows: Solutions) -> Solutions:
        """Solutions that know which one they are, so that BNODE("a") is the same node in all of one's expressions."""
        return rows.with_columns({SOLUTION.name: self._fresh.numbers(rows.length)})


def without_numbers(rows: Solutions) -> Solutions:
    """Solutions that do not know any more which one they are."""
    return rows.without((SOLUTION.name,))


def is_fresh(expression: Expression) -> bool:
    """Whether an expression is something new in each solution."""
    return isinstance(expression, Call) and any(map(_is_volatile, subexpressions(expression)))


def _is_volatile(expression: Expression) -> bool:
    """Whether it is a call that gives something new itself."""
    if not isinstance(expression, Call) or isinstance(expression, FallbackCall):
        return False
    function = FUNCTIONS.get(expression.function)
    return function is not None and function.volatility is Volatility.VOLATILE


def demand_of(expressions: Sequence[Expression], demand: Demand) -> Demand:
    """What is wanted of solutions that expressions are evaluated over, and that are then wanted as `demand` says."""
    wanted = demand.also(frozenset[str]().union(*map(expression_variables, expressions)))
    return wanted.each() if any(map(is_fresh, expressions)) else wanted
