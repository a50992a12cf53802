"""Solutions of several nodes together: OPTIONAL, MINUS, EXISTS.

What is there already is handed down to a node where that is allowed; otherwise the node is solved by itself and joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.joins import compatible, join
from kgreason.algebra.local_terms import UNBOUND
from kgreason.checkpoints import passes
from kgreason.rdf.model import Term
from kgreason.sparql.algebra import Basic, Expression, LeftJoin, Minus, Names, Node, Values
from kgreason.sparql.algebra_tree import conjuncts, filtered
from kgreason.sparql.correlation import counts_solutions, injected
from kgreason.sparql.patterns.atoms import ReadyAtom, optionally_extended
from kgreason.sparql.patterns.resolving import resolved
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import bound_variables, mentioned_variables, variables_of
from kgreason.sparql.sideways_passing import takes_seed
from kgreason.sparql.solution_expressions import demand_of
from kgreason.sparql.solutions import Mask, Solutions, with_rows
from kgreason.sparql.solver import Solver
from kgreason.sparql.stages import Stage, unchanged


def optional_stage(solver: Solver, node: LeftJoin, demand: Demand) -> Stage:
    """OPTIONAL."""
    if demand.multiplicity is Multiplicity.ANY and not _brings(node, demand.needed):
        return Stage(node.left, demand, unchanged)
    wanted = demand if node.condition is None else demand_of((node.condition,), demand)
    return Stage(node.left, wanted.also(mentioned_variables(node.right)), _Option(solver, node, wanted).extended)


def _brings(node: LeftJoin, needed: Names) -> bool:
    """Whether needed variables may be bound by the right side alone."""
    return bool((variables_of(node.right) & needed) - bound_variables(node.left))


@dataclass(frozen=True)
class _Option:
    """An OPTIONAL while the batches of its left side come."""

    solver: Solver
    node: LeftJoin
    demand: Demand

    @cached_property
    def conditions(self) -> tuple[Expression, ...]:
        """The parts of its condition."""
        return () if self.node.condition is None else tuple(conjuncts(self.node.condition))

    @cached_property
    def atom(self) -> ReadyAtom | None:
        """The atom of the right side, if that has nothing else."""
        is_watched = bool(self.conditions) or self.solver.journal is not None
        return None if is_watched else _only_atom(self.solver, self.node.right)

    @cached_property
    def whole(self) -> list[Solutions]:
        """The solutions of the right side by itself, once they are known."""
        return []

    def extended(self, batch: Solutions) -> Iterator[Solutions]:
        """Solutions of the left side, extended where the right side has some that agree with them."""
        if not batch.length:
            return
        extensions = None if self.atom is None else optionally_extended(self.atom, batch, self.demand)
        if extensions is not None:
            for some in extensions:
                self.solver.limits.check(some.length)
                yield some
            return
        row, numbered = with_rows(batch)
        found = self._found(numbered, frozenset(batch.columns), self.demand.also(numbered.columns).at_once())
        alone = np.ones(batch.length, dtype=np.bool_)
        alone[found.column(row)] = False
        extended = found.without((row,))
        yield Solutions.concatenated([extended, batch.where(alone)]) if alone.any() else extended

    def _found(self, numbered: Solutions, names: Names, wanted: Demand) -> Solutions:
        solver, right = self.solver, self.node.right
        if takes_seed(right, names):
            return solver.all(filtered(right, self.conditions), numbered, wanted)
        if not self.whole:
            self.whole.append(solver.whole(right, wanted))
        return solver.passing(self.conditions, join(numbered, self.whole[0]))


def _only_atom(solver: Solver, node: Node) -> ReadyAtom | None:
    """The atom of a part that is nothing else; None for other parts, and for an atom that nothing matches."""
    if not isinstance(node, Basic) or len(node.atoms) != 1:
        return None
    found = resolved(node.atoms, solver.source, solver.terms, solver.paths)
    return found[0] if found else None


def minus_stage(solver: Solver, node: Minus, demand: Demand) -> Stage:
    """MINUS."""
    shared = variables_of(node.left) & variables_of(node.right)
    if not shared:
        return Stage(node.left, demand, unchanged)
    return Stage(node.left, demand.also(shared), _Removal(solver, node.right, shared).remaining)


@dataclass(frozen=True)
class _Removal:
    """A MINUS while the batches of its left side come."""

    solver: Solver
    right: Node
    shared: Names

    @cached_property
    def gone(self) -> Solutions:
        """What is taken away, by the variables that both sides have."""
        return self.solver.whole(self.right, Demand(self.shared, Multiplicity.ANY)).only(self.shared)

    def remaining(self, batch: Solutions) -> Iterable[Solutions]:
        """The solutions that agree with none of these in a variable that both bind."""
        return (batch.where(~compatible(batch, self.gone, sharing=True)),)


def existence(solver: Solver, node: Node, rows: Solutions) -> Mask:
    """For each solution whether a pattern has one that agrees with it, where the pattern takes them handed down."""
    mentioned = mentioned_variables(node)
    names = [name for name in rows.columns if name in mentioned]
    row, seed = with_rows(Solutions(rows.only(names).columns, rows.length))
    found = np.zeros(rows.length, dtype=np.bool_)
    for batch in solver.solve(node, seed, Demand(frozenset((row,)), Multiplicity.ANY)):
        found[batch.column(row)] = True
    return found


def correlated_existence(solver: Solver, node: Node, rows: Solutions, decode: Callable[[int], Term]) -> Mask:
    """The same for any pattern: its leaves are joined with the distinct solutions. `decode` gives the terms of ids.

    Solutions that bind other variables are taken apart, because what is unbound in one must not agree with another.
    """
    mentioned = mentioned_variables(node)
    names = [name for name in rows.columns if name in mentioned]
    columns = np.array([rows.column(name) for name in names])
    distinct, numbers = np.unique(columns, axis=1, return_inverse=True)
    found = np.zeros(distinct.shape[1], dtype=np.bool_)
    bound = distinct != UNBOUND
    for which in np.unique(bound, axis=1).T:
        chosen = np.flatnonzero((bound == which[:, None]).all(axis=0))
        present = np.flatnonzero(which)
        is_single = counts_solutions(node, frozenset(names[i] for i in present))
        for some in passes(np.split(chosen, len(chosen))) if is_single else [chosen]:
            part = Solutions({names[i]: distinct[i, some] for i in present}, len(some))
            terms = (tuple(map(decode, row)) for row in distinct[np.ix_(present, some)].T.tolist())
            values = Values(tuple(part.columns), tuple(terms))
            found[some] = existence(solver, injected(node, values) if len(present) else node, part)
    return found[numbers.reshape(-1)]
