"""Solutions of a node, batch by batch.

Solutions that are there already are handed down where that is allowed (`seeding`), so that a pattern begins with them;
everything else is solved by itself and joined. What a node is wanted for goes down with them (`demand`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from kgreason.errors import QueryError
from kgreason.sparql.aggregates import group_demand, grouped_solutions
from kgreason.sparql.algebra import (
    Basic,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    Foreign,
    Graph,
    Group,
    Join,
    LeftJoin,
    Minus,
    Node,
    Order,
    Project,
    Slice,
    Union,
    Values,
    Variable,
)
from kgreason.sparql.choices import choice_of
from kgreason.sparql.demand import Demand, Multiplicity
from kgreason.sparql.expressions.evaluation import Expressions
from kgreason.sparql.expressions.fresh import SOLUTION, is_fresh
from kgreason.sparql.joins import compatible, join, parted
from kgreason.sparql.journal import Journal
from kgreason.sparql.limits import Limits
from kgreason.sparql.ordering import order_of
from kgreason.sparql.patterns.paths import Paths
from kgreason.sparql.patterns.planning import Condition, plan
from kgreason.sparql.patterns.resolving import resolved
from kgreason.sparql.patterns.running import Run
from kgreason.sparql.pruning import needs_of
from kgreason.sparql.rows import distinct
from kgreason.sparql.scope import (
    Names,
    bound_variables,
    expression_variables,
    mentioned_variables,
    variables_of,
)
from kgreason.sparql.seeding import takes_seed
from kgreason.sparql.seen import Seen
from kgreason.sparql.solutions import UNBOUND, Ids, Mask, Solutions
from kgreason.sparql.source import Graphs, Source
from kgreason.sparql.terms import QueryTerms

_UNIT = Solutions.unit()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One query over one moment's graphs; `source` is the active graph."""

    graphs: Graphs
    source: Source
    terms: QueryTerms
    expressions: Expressions
    paths: Paths
    limits: Limits
    journal: Journal | None = None

    def solve(self, node: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        """The solutions of a node that agree with those of the seed, each extending one of these."""
        self.limits.check()
        for found in self._solve(node, seed, demand):
            if self.journal is not None:
                self.journal.count(node, found.total())
            yield found

    def all(self, node: Node, seed: Solutions, demand: Demand) -> Solutions:
        """All solutions in one piece."""
        found = [batch for batch in self.solve(node, seed, demand.at_once()) if batch.length]
        solutions = Solutions.concatenated(found) if found else Solutions.none(demand.needed & variables_of(node))
        self.limits.check(solutions.length)
        return solutions

    def _solve(self, node: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        match node:
            case Basic():
                return self._basic(node, [], seed, demand)
            case Filter():
                return self._filter(node, seed, demand)
            case Join(parts):
                return self._join(parts, seed, demand)
            case LeftJoin():
                return self._left_join(node, seed, demand)
            case Union(parts):
                return (found for part in parts for found in self.solve(part, seed, demand))
            case Minus(left, right):
                return self._minus(left, right, seed, demand)
            case Extend():
                return self._extend(node, seed, demand)
            case Graph(name, inner):
                return self._graph(name, inner, seed, demand)
            case Project(inner, variables):
                return self._project(inner, variables, seed, demand)
        return self._apart(node, seed, demand)

    def _apart(self, node: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        """A node that does not take a seed, joined with it."""
        if seed.is_unit:
            yield from self._alone(node, demand)
        else:
            found = self._whole(node, demand.also(seed.columns))
            yield join(seed, found)

    def _alone(self, node: Node, demand: Demand) -> Iterator[Solutions]:
        match node:
            case Values(variables, rows):
                yield self._values(variables, rows)
            case Foreign(_, variables, solve):
                yield self._values(variables, [tuple(map(row.get, variables)) for row in solve()])
            case Group():
                inner = self.all(node.node, _UNIT, group_demand(node))
                yield grouped_solutions(node, inner, self.expressions, self.exists)
            case Distinct(inner):
                yield from self._distinct(inner, demand)
            case Order(inner, keys):
                reads = frozenset().union(*(expression_variables(key) for key, _ in keys))
                found = self.all(inner, _UNIT, replace(demand.also(reads), multiplicity=Multiplicity.EACH))
                yield found.take(order_of(keys, found, self.expressions, self.exists))
            case Slice(inner, offset, length):
                yield from self._slice(inner, offset, length, demand)
            case _:
                raise QueryError(f"there is no {type(node).__name__} in SPARQL")

    # -- patterns ------------------------------------------------------------------------------------------------

    def _basic(
        self, node: Basic, conditions: Sequence[Expression], seed: Solutions, demand: Demand
    ) -> Iterator[Solutions]:
        atoms = resolved(node.atoms, self.source, self.terms, self.paths)
        if atoms is None:
            return
        conditions, seed = self._chosen(conditions, variables_of(node), seed)
        ready = [Condition(condition, expression_variables(condition)) for condition in conditions]
        folded = demand.multiplicity is not Multiplicity.EACH
        # To put solutions together that agree in what is needed, all of them have to be there.
        needed = demand.needed if folded or not demand.streaming else demand.needed | variables_of(node)
        shared = [name for name in seed.columns if name in variables_of(node)]
        for rows, bound in parted(seed, shared):
            part = seed if isinstance(rows, slice) else seed.take(rows).without([n for n in shared if n not in bound])
            if part.length or not seed.length:
                steps = plan(atoms, ready, _domains(part), part.length, needed, folded=folded)
                if self.journal is not None:
                    self.journal.plan(node, steps.steps)
                yield from Run(node, steps, demand, self, self.limits, self.journal).batches(part)

    def _chosen(
        self, conditions: Sequence[Expression], names: Names, seed: Solutions
    ) -> tuple[list[Expression], Solutions]:
        """Filters that leave a variable few IRIs become solutions to begin with; the others stay filters."""
        rest: list[Expression] = []
        for condition in conditions:
            choice = choice_of(condition)
            if choice is None or choice.name not in names or choice.name in seed.columns:
                rest.append(condition)
                continue
            known = {identifier for term in choice.terms if (identifier := self.terms.lookup(term)) is not None}
            seed = join(seed, Solutions({choice.name: np.array(sorted(known), dtype=np.uint32)}, len(known)))
        return rest, seed

    def truth(self, condition: Condition, rows: Solutions) -> Mask:
        """The rows for which a filter is true."""
        return self.expressions.truth(condition.expression, rows, self.exists)

    def _filter(self, node: Filter, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        conditions = [node.condition]
        inner = node.node
        while isinstance(inner, Filter):
            conditions.append(inner.condition)
            inner = inner.node
        if isinstance(inner, Basic):
            yield from self._basic(inner, conditions, seed, demand)
            return
        reads = frozenset().union(*map(expression_variables, conditions))
        for batch in self.solve(inner, seed, demand.also(reads)):
            yield self._passing(conditions, batch)

    def _passing(self, conditions: Sequence[Expression], rows: Solutions) -> Solutions:
        for condition in conditions:
            rows = rows.where(self.expressions.truth(condition, rows, self.exists))
        return rows

    def _join(self, parts: Sequence[Node], seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        seeded: list[Node] = []
        names = frozenset(seed.columns)
        for part in parts:
            others = names.union(*(variables_of(other) for other in parts if other is not part))
            if takes_seed(part, others):
                seeded.append(part)
            else:
                wanted = demand.also(others)
                seed = join(seed, self._whole(part, wanted)) if not seed.is_unit else self._whole(part, wanted)
        seeded.sort(key=lambda part: not isinstance(_core(part), Basic))
        yield from self._chain(seeded, seed, demand)

    def _chain(self, parts: Sequence[Node], seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        if not parts:
            yield seed
            return
        later = frozenset().union(*map(mentioned_variables, parts[1:]))
        for batch in self.solve(parts[0], seed, demand.also(later)):
            if batch.length:
                yield from self._chain(parts[1:], batch, demand)

    def _left_join(self, node: LeftJoin, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        from_right = (variables_of(node.right) & demand.needed) - bound_variables(node.left)
        if demand.multiplicity is Multiplicity.ANY and not from_right:
            yield from self.solve(node.left, seed, demand)
            return
        reads = mentioned_variables(node.right) | expression_variables(node.condition)
        whole: Solutions | None = None
        for batch in self.solve(node.left, seed, demand.also(reads)):
            if not batch.length:
                continue
            row, numbered = _with_rows(batch)
            wanted = demand.also({row, *batch.columns} | expression_variables(node.condition)).at_once()
            if takes_seed(node.right, frozenset(batch.columns)):
                found = self.all(node.right, numbered, wanted)
            else:
                whole = self._whole(node.right, wanted) if whole is None else whole
                found = join(numbered, whole)
            if node.condition is not None:
                found = found.where(self.expressions.truth(node.condition, found, self.exists))
            alone = np.ones(batch.length, dtype=np.bool_)
            alone[found.column(row)] = False
            yield Solutions.concatenated([found.without((row,)), batch.take(np.flatnonzero(alone))])

    def _minus(self, left: Node, right: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        shared = variables_of(left) & variables_of(right)
        if not shared:
            yield from self.solve(left, seed, demand)
            return
        gone = self.all(right, _UNIT, Demand(shared, Multiplicity.ANY)).only(shared)
        for batch in self.solve(left, seed, demand.also(shared)):
            yield batch.where(~compatible(batch, gone, sharing=True))

    def _extend(self, node: Extend, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        chain = [node]
        while isinstance(chain[-1].node, Extend):
            chain.append(chain[-1].node)
        expressions = [link.expression for link in chain]
        inside = demand.also(frozenset().union(*map(expression_variables, expressions)))
        fresh = any(map(is_fresh, expressions))
        if fresh:
            inside = replace(inside, multiplicity=Multiplicity.EACH)
        for batch in self.solve(chain[-1].node, seed, inside):
            rows = self.expressions.with_numbers(batch) if fresh else batch
            for link in reversed(chain):
                values = self.expressions.values(link.expression, rows, self.exists)
                known = rows.columns.get(link.variable)
                rows = rows.with_columns({link.variable: values}) if known is None else rows.where(known == values)
            yield rows.without((SOLUTION,)) if fresh else rows

    def _graph(self, name: object, inner: Node, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
        if not isinstance(name, Variable):
            graph = self.terms.lookup(name)  # type: ignore[arg-type]
            if graph is not None and graph in self.graphs.named:
                yield from self._in(graph).solve(inner, seed, demand)
            return
        visible = takes_seed(inner, frozenset((name.name,)))
        wanted = demand.also((name.name,))
        needs = needs_of(inner, self.terms)
        if needs is None:
            return
        for graph in self._named(seed.columns.get(name.name)):
            if not all(need.is_met(self.graphs.named[graph]) for need in needs):
                continue
            one = Solutions({name.name: np.array([graph], dtype=np.uint32)}, 1)
            part = join(seed, one)
            if part.length and (visible or name.name in seed.columns):
                yield from self._in(graph).solve(inner, part, wanted)
            elif part.length:
                yield from (join(found, one) for found in self._in(graph).solve(inner, seed, wanted))

    def _named(self, wanted: Ids | None) -> Iterable[int]:
        """The named graphs, or those of them that are wanted."""
        if wanted is None or (wanted == UNBOUND).any():
            return self.graphs.named
        return [graph for graph in np.unique(wanted).tolist() if graph in self.graphs.named]

    def _in(self, graph: int) -> Evaluation:
        return replace(self, source=self.graphs.named[graph])

    def exists(self, expression: Exists, rows: Solutions) -> Mask:
        """For each solution whether the pattern has one that agrees with it, its variables being bound everywhere."""
        names = [name for name in rows.columns if name in mentioned_variables(expression.node)]
        row, seed = _with_rows(Solutions(rows.only(names).columns, rows.length))
        found = np.zeros(rows.length, dtype=np.bool_)
        for batch in self.solve(expression.node, seed, Demand(frozenset((row,)), Multiplicity.ANY)):
            found[batch.column(row)] = True
        return ~found if expression.negated else found

    # -- modifiers -----------------------------------------------------------------------------------------------

    def _project(
        self, inner: Node, variables: Sequence[str], seed: Solutions, demand: Demand
    ) -> Iterator[Solutions]:
        needed = demand.needed.intersection(variables)
        for batch in self.solve(inner, seed, demand.only(needed.union(seed.columns))):
            yield batch.only([*needed, *(name for name in seed.columns if name not in needed)])

    def _distinct(self, inner: Node, demand: Demand) -> Iterator[Solutions]:
        # All variables count here, also those that nobody outside needs.
        names = variables_of(inner)
        inside = replace(demand.only(names), multiplicity=Multiplicity.ANY)
        if not demand.streaming:
            yield distinct(self.all(inner, _UNIT, inside).only(names))
            return
        seen = Seen(sorted(names))
        for batch in self.solve(inner, _UNIT, inside):
            yield seen.fresh(batch)

    def _slice(self, inner: Node, offset: int, length: int | None, demand: Demand) -> Iterator[Solutions]:
        left = length
        # One solution is as good as another, however many are like it.
        multiplicity = Multiplicity.ANY if (offset, length) == (0, 1) else Multiplicity.EACH
        inside = replace(demand, multiplicity=multiplicity, streaming=length is not None or demand.streaming)
        if left == 0:
            return
        for batch in self.solve(inner, _UNIT, inside):
            skipped = min(offset, batch.length)
            offset -= skipped
            end = batch.length if left is None else min(batch.length, skipped + left)
            if end > skipped:
                yield batch.slice(skipped, end)
            if left is not None:
                left -= end - skipped
                if left <= 0:
                    return

    # -- parts by themselves -------------------------------------------------------------------------------------

    def _whole(self, node: Node, demand: Demand) -> Solutions:
        """All solutions of a part by itself."""
        return self.all(node, _UNIT, demand.only(demand.needed & variables_of(node)))

    def _values(self, variables: Sequence[str], rows: Sequence[Sequence[object]]) -> Solutions:
        columns: dict[str, Ids] = {}
        for at, name in enumerate(variables):
            terms = (row[at] for row in rows)
            encoded = [UNBOUND if term is None else self.terms.encode(term) for term in terms]  # type: ignore[arg-type]
            columns[name] = np.array(encoded, dtype=np.uint32)
        return Solutions(columns, len(rows))


def _domains(rows: Solutions) -> dict[str, float]:
    return {name: float(max(1, rows.length)) for name in rows.columns}


def _with_rows(rows: Solutions) -> tuple[str, Solutions]:
    """Solutions with a column of the numbers of their rows, and its name, which no variable has."""
    name = next(name for number in count() if (name := f"#{number}") not in rows.columns)
    return name, rows.with_columns({name: np.arange(rows.length, dtype=np.uint32)})


def _core(node: Node) -> Node:
    while isinstance(node, Filter):
        node = node.node
    return node

