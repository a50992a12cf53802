"""Solutions of several nodes together: OPTIONAL, MINUS, EXISTS.

What is there already is handed down to a node where that is allowed; otherwise the node is solved by itself and joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import numpy as np

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.joins import compatible, join
from kgreason.algebra.local_terms import UNBOUND
from kgreason.checkpoints import passes
from kgreason.rdf.model import Term
from kgreason.sparql.algebra import Basic, LeftJoin, Minus, Names, Node, Values
from kgreason.sparql.algebra_tree import conjuncts, filtered
from kgreason.sparql.correlation import counts_solutions, injected
from kgreason.sparql.patterns.atoms import ReadyAtom, optionally_extended
from kgreason.sparql.patterns.resolving import resolved
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import bound_variables, mentioned_variables, variables_of
from kgreason.sparql.sideways_passing import takes_seed
from kgreason.sparql.solution_expressions import demand_of
from kgreason.sparql.solutions import Mask, Solutions
from kgreason.sparql.solver import Solver


def optional_solutions(solver: Solver, node: LeftJoin, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
    """OPTIONAL, and those to the left of it: each batch of what is left of all of them goes through one by one."""
    inner: Node = node
    options: list[tuple[LeftJoin, Demand]] = []
    while isinstance(inner, LeftJoin):
        if demand.multiplicity is not Multiplicity.ANY or _brings(inner, demand.needed):
            demand = demand if inner.condition is None else demand_of((inner.condition,), demand)
            options.append((inner, demand))
            demand = demand.also(mentioned_variables(inner.right))
        inner = inner.left
    batches = solver.solve(inner, seed, demand)
    for option, wanted in reversed(options):
        batches = _with_option(solver, option, batches, wanted)
        if solver.journal is not None and option is not node:
            batches = solver.journal.counted(option, batches)
    return batches


def _brings(node: LeftJoin, needed: Names) -> bool:
    """Whether needed variables may be bound by the right side alone."""
    return bool((variables_of(node.right) & needed) - bound_variables(node.left))


def _with_option(
    solver: Solver, node: LeftJoin, batches: Iterator[Solutions], demand: Demand
) -> Iterator[Solutions]:
    """Solutions of the left side of an OPTIONAL, extended where the right side has some that agree with them."""
    conditions = () if node.condition is None else tuple(conjuncts(node.condition))
    atom = None if conditions or solver.journal is not None else _only_atom(solver, node.right)
    whole: Solutions | None = None
    for batch in batches:
        if not batch.length:
            continue
        extensions = None if atom is None else optionally_extended(atom, batch, demand)
        if extensions is not None:
            for some in extensions:
                solver.limits.check(some.length)
                yield some
            continue
        row, numbered = _with_rows(batch)
        wanted = demand.also({row, *batch.columns}).at_once()
        if takes_seed(node.right, frozenset(batch.columns)):
            found = solver.all(filtered(node.right, conditions), numbered, wanted)
        else:
            whole = solver.whole(node.right, wanted) if whole is None else whole
            found = solver.passing(conditions, join(numbered, whole))
        alone = np.ones(batch.length, dtype=np.bool_)
        alone[found.column(row)] = False
        extended = found.without((row,))
        yield Solutions.concatenated([extended, batch.where(alone)]) if alone.any() else extended


def _only_atom(solver: Solver, node: Node) -> ReadyAtom | None:
    """The atom of a part that is nothing else; None for other parts, and for an atom that nothing matches."""
    if not isinstance(node, Basic) or len(node.atoms) != 1:
        return None
    found = resolved(node.atoms, solver.source, solver.terms, solver.paths)
    return found[0] if found else None


def remaining_solutions(solver: Solver, node: Minus, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
    """MINUS."""
    shared = variables_of(node.left) & variables_of(node.right)
    if not shared:
        yield from solver.solve(node.left, seed, demand)
        return
    gone = solver.whole(node.right, Demand(shared, Multiplicity.ANY)).only(shared)
    for batch in solver.solve(node.left, seed, demand.also(shared)):
        yield batch.where(~compatible(batch, gone, sharing=True))


def existence(solver: Solver, node: Node, rows: Solutions) -> Mask:
    """For each solution whether a pattern has one that agrees with it, where the pattern takes them handed down."""
    mentioned = mentioned_variables(node)
    names = [name for name in rows.columns if name in mentioned]
    row, seed = _with_rows(Solutions(rows.only(names).columns, rows.length))
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


def _with_rows(rows: Solutions) -> tuple[str, Solutions]:
    """Solutions with a column of the numbers of their rows, and its name, which no variable has."""
    name = next(name for number in count() if (name := f"#{number}") not in rows.columns)
    return name, rows.with_columns({name: np.arange(rows.length, dtype=np.uint32)})
