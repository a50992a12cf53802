"""Solutions of a node, batch by batch.

Solutions that are there already are handed down where that is allowed (`sideways_passing`), so that a pattern begins
with them; everything else is solved by itself and joined. What a node is wanted for goes down with them
(`required_columns`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kgreason import tuning
from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.joins import join, join_pieces
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.columns import bitmaps
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.errors import QueryError
from kgreason.sparql import query_tuning
from kgreason.sparql.aggregates import group_demand, grouped_solutions
from kgreason.sparql.algebra import (
    Basic,
    Distinct,
    Exists,
    Expression,
    Extend,
    Fallback,
    Filter,
    Graph,
    Group,
    Join,
    LeftJoin,
    Minus,
    Node,
    Operand,
    Order,
    Project,
    Slice,
    Union,
    Values,
)
from kgreason.sparql.algebra_tree import without_filters
from kgreason.sparql.all_graphs import AllGraphs, facts_read
from kgreason.sparql.combinations import (
    correlated_existence,
    existence,
    minus_stage,
    optional_stage,
)
from kgreason.sparql.correlation import hands_down, without_limit
from kgreason.sparql.division_joins import joined_parts
from kgreason.sparql.divisions import divided
from kgreason.sparql.fallbacks import encoded_rows, fallback_solutions, solutions_of_each
from kgreason.sparql.graph_pruning import needs_of
from kgreason.sparql.group_joins import joined_solutions
from kgreason.sparql.limits import Limits
from kgreason.sparql.modifiers import made_distinct, projected, sliced
from kgreason.sparql.order_keys import order_of
from kgreason.sparql.patterns.basic import basic_solutions
from kgreason.sparql.patterns.path_relations import Paths
from kgreason.sparql.plan_trace import Journal
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import variables_of
from kgreason.sparql.sideways_passing import takes_seed
from kgreason.sparql.solution_expressions import Expressions, demand_of, is_fresh, without_numbers
from kgreason.sparql.solutions import Ids, Mask, Solutions
from kgreason.sparql.source import Graphs, Source
from kgreason.sparql.stages import Stage, Step, gathered, through

_UNIT = Solutions.unit()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One query over one moment's graphs; `source` is the active graph."""

    graphs: Graphs
    source: Source
    terms: LocalTerms
    expressions: Expressions
    paths: Paths
    limits: Limits
    journal: Journal | None = None

    def solve(self, node: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        """The solutions of a node that agree with those of the seed, each extending one of these."""
        self.limits.check()
        steps: list[Step] = []
        while (stage := self._stage(node, seed, demand)) is not None:
            steps.append(stage.step if self.journal is None else self._counted(node, stage.step, self.journal))
            node, demand = stage.inner, stage.demand
        found = self._solve(node, seed, demand)
        found = found if self.journal is None else self.journal.counted(node, found)
        return through(steps[::-1], found, self.limits.check) if steps else found

    def _counted(self, node: Node, step: Step, journal: Journal) -> Step:
        return lambda batch: journal.counted(node, iter(step(batch)))

    def all(self, node: Node, seed: Solutions, demand: Demand) -> Solutions:
        """All solutions in one piece."""
        found: list[Solutions] = []
        rows = 0
        for batch in self.solve(node, seed, demand.at_once()):
            if batch.length:
                rows += batch.length
                self.limits.check(rows)
                found.append(batch)
        return Solutions.concatenated(found) if found else Solutions.none(demand.needed & variables_of(node))

    def _solve(self, node: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        match node:
            case Basic():
                return basic_solutions(self, node, (), seed, demand)
            case Filter():
                return self._filter(node, seed, demand)
            case Join(parts):
                return joined_solutions(self, parts, seed, demand)
            case Union(parts):
                return (found for part in parts for found in self.solve(part, seed, demand))
            case Graph(name, inner):
                return self._graph(name, inner, seed, demand)
            case Project():
                return projected(self, node, seed, demand)
            case Fallback(given=str()):
                return solutions_of_each(self, node, seed)
        return self._apart(node, seed, demand)

    def _stage(self, node: Node, seed: Solutions, demand: Demand) -> Stage | None:
        """What is made of each batch of a node inside; None where solutions do not come through in this way."""
        match node:
            case LeftJoin():
                return optional_stage(self, node, demand)
            case Minus():
                return minus_stage(self, node, demand)
            case Extend():
                return self._extend(node, seed, demand)
            case Filter():
                inner, conditions = without_filters(node)
                # These are filtered while they are joined.
                if not isinstance(inner, Basic | Join):
                    passing = partial(self._passing, conditions)
                    return Stage(inner, demand_of(conditions, demand), passing)
        return None

    def _passing(self, conditions: Sequence[Expression], batch: Solutions) -> Iterable[Solutions]:
        return (self.passing(conditions, batch),)

    def _apart(self, node: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        """A node that does not take a seed, joined with it."""
        if seed.is_unit:
            yield from self._alone(node, demand)
        elif isinstance(node, Fallback):
            for some in self._alone(node, demand):
                yield from join_pieces(seed, some)
        else:
            found = self.whole(node, demand.also(seed.columns))
            yield from join_pieces(seed, found)

    def _alone(self, node: Node, demand: Demand) -> Iterator[Solutions]:
        match node:
            case Values(variables, rows):
                yield encoded_rows(variables, rows, self.terms)
            case Fallback():
                yield from fallback_solutions(self, node)
            case Group():
                inner = self.all(node.node, _UNIT, group_demand(node))
                yield grouped_solutions(node, inner, self.expressions, self.exists)
            case Distinct():
                yield from made_distinct(self, node, demand)
            case Order(inner, keys):
                found = self.all(inner, _UNIT, demand_of([key for key, _ in keys], demand).each())
                yield found.take(order_of(keys, found, self.expressions, self.exists))
            case Slice():
                yield from sliced(self, node, demand)
            case _:
                raise QueryError(f"SPARQL has no {type(node).__name__}")

    # -- patterns ------------------------------------------------------------------------------------------------

    def _filter(self, node: Filter, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        inner, conditions = without_filters(node)
        division = divided(self, inner, conditions, seed, streaming=demand.streaming)
        if division is not None:
            if self.journal is not None:
                self.journal.divided(inner, division.parts, division.links)
            yield from joined_parts(self, division, seed, demand)
            return
        if isinstance(inner, Basic):
            # A plan may apply a filter to the rows of some atoms alone; but RAND() is for the solutions of all of them.
            late = [condition for condition in conditions if is_fresh(condition)]
            early = [condition for condition in conditions if condition not in late]
            found = basic_solutions(self, inner, early, seed, demand_of(late, demand))
        else:
            late = conditions
            found = self.solve(inner, seed, demand_of(late, demand))
        for batch in found:
            yield self.passing(late, batch)

    def passing(self, conditions: Sequence[Expression], rows: Solutions) -> Solutions:
        """The solutions for which all conditions are true."""
        for condition in conditions:
            rows = rows.where(self.expressions.truth(condition, rows, self.exists))
        return rows

    def values(self, expression: Expression, rows: Solutions) -> Ids:
        """For each solution the id of the value, UNBOUND where the expression is in error."""
        return self.expressions.values(expression, rows, self.exists)

    def columns(self, expression: Expression, rows: Solutions) -> ValueColumn:
        """For each solution the value as operators look at it."""
        return self.expressions.columns(expression, rows, self.exists)

    def _extend(self, node: Extend, seed: Solutions, demand: Demand) -> Stage:
        chain: list[Extend] = []
        inner: Node = node
        while isinstance(inner, Extend):
            if inner.variable in demand.needed or inner.variable in seed.columns:
                chain.append(inner)
                demand = demand_of((inner.expression,), demand)
            inner = inner.node
        fresh = any(is_fresh(link.expression) for link in chain)

        def extended(batch: Solutions) -> Iterable[Solutions]:
            rows = self.expressions.with_numbers(batch) if fresh else batch
            for link in reversed(chain):
                values = self.values(link.expression, rows)
                known = rows.columns.get(link.variable)
                rows = rows.with_columns({link.variable: values}) if known is None else rows.where(known == values)
            return (without_numbers(rows) if fresh else rows,)

        return Stage(inner, demand, extended)

    def _graph(self, name: Operand, inner: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        if isinstance(name, Variable):
            wanted = self._named(seed.columns.get(name.name))
            if inner == Basic(()):
                yield from join_pieces(seed, Solutions({name.name: _column_of(wanted)}, len(wanted)))
                return
            node, others = self._in_columns(name, inner, wanted)
            if node is not None:
                yield from self.solve(node, self._within(name, seed), demand)
                wanted = others
            # A graph may have few solutions each, and what comes next may go through all graphs for each batch.
            yield from gathered(self._in_each(name, inner, seed, wanted, demand), tuning.JOIN_ROWS)
        elif (graph := self.terms.lookup(name)) is not None and graph in self.graphs.named:
            yield from self._in(graph).solve(inner, seed, demand)

    def _in_columns(self, name: Variable, inner: Node, wanted: Collection[int]) -> tuple[Node | None, Collection[int]]:
        """A node that has the solutions of all graphs whose facts are together, and the graphs that are left; None
        where all are asked one after the other."""
        together = self.graphs.together
        if together is None or len(wanted) < query_tuning.ASKED_GRAPHS:
            return None, wanted
        node = AllGraphs(name, together.tables).over(inner)
        if node is None or facts_read(node, self.terms) > query_tuning.GRAPH_FACTS * len(wanted):
            return None, wanted
        if self.journal is not None:
            node = self.journal.together(inner, node)
        return node, [graph for graph in wanted if graph not in together.graphs]

    def _within(self, name: Variable, seed: Solutions) -> Solutions:
        """Solutions in the graphs whose facts are together, where their tables have facts of others, too."""
        together = self.graphs.together
        if together is None or not together.is_limited:
            return seed
        return join(seed, Solutions({name.name: _column_of(together.graphs)}, len(together.graphs)))

    def _in_each(
        self, name: Variable, inner: Node, seed: Solutions, named: Iterable[int], demand: Demand
    ) -> Iterator[Solutions]:
        visible = takes_seed(inner, frozenset((name.name,)))
        wanted = demand.also((name.name,))
        needs = needs_of(inner, self.terms)
        if needs is None:
            return
        for graph in named:
            if not all(need.is_met(self.graphs.named[graph]) for need in needs):
                continue
            one = Solutions({name.name: np.array([graph], dtype=np.uint32)}, 1)
            part = join(seed, one)
            if part.length and (visible or name.name in seed.columns):
                yield from self._in(graph).solve(inner, part, wanted)
            elif part.length:
                yield from (join(found, one) for found in self._in(graph).solve(inner, seed, wanted))

    def _named(self, wanted: Ids | None) -> Collection[int]:
        """The named graphs, or those of them that are wanted."""
        if wanted is None or (wanted == UNBOUND).any():
            return self.graphs.named
        return [graph for graph in bitmaps.distinct(wanted).tolist() if graph in self.graphs.named]

    def _in(self, graph: int) -> Evaluation:
        return replace(self, source=self.graphs.named[graph])

    def exists(self, expression: Exists, rows: Solutions) -> Mask:
        """For each solution whether the pattern of EXISTS has one that agrees with it."""
        node = without_limit(expression.node)
        if hands_down(node, frozenset(rows.columns)):
            found = existence(self, node, rows)
        else:
            # The journal is about the nodes of the query, and these are made for the solutions.
            found = correlated_existence(replace(self, journal=None), node, rows, self.terms.decode)
        return ~found if expression.negated else found

    # -- parts by themselves -------------------------------------------------------------------------------------

    def whole(self, node: Node, demand: Demand) -> Solutions:
        """All solutions of a part by itself."""
        return self.all(node, _UNIT, demand.only(demand.needed & variables_of(node)))


def _column_of(identifiers: Collection[int]) -> Ids:
    return np.fromiter(identifiers, dtype=np.uint32, count=len(identifiers))
