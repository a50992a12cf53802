"""Solutions of a basic graph pattern with filters on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.cores import core
from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.joins import join, parted
from kgreason.algebra.local_terms import LocalTerms
from kgreason.sparql.algebra import Atom, Basic, Expression, Names, PathPattern, names_of
from kgreason.sparql.choices import choice_of
from kgreason.sparql.patterns.planning import Condition, plan
from kgreason.sparql.patterns.resolving import resolved
from kgreason.sparql.patterns.running import Run
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import expression_variables, variables_of
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.solver import Solver


def basic_solutions(
    solver: Solver, node: Basic, conditions: Sequence[Expression], seed: Solutions, demand: Demand
) -> Iterator[Solutions]:
    """The solutions that extend those of the seed and meet the conditions, a batch at a time."""
    patterns: Sequence[Atom] = node.atoms
    if demand.multiplicity is Multiplicity.ANY and len(patterns) > 1:
        patterns = _implying(patterns, demand.needed.union(seed.columns, *map(expression_variables, conditions)))
    atoms = resolved(patterns, solver.source, solver.terms, solver.paths)
    if atoms is None:
        return
    names = variables_of(node)
    conditions, seed = _chosen(solver.terms, conditions, names, seed)
    known = names.union(seed.columns)
    ready = [Condition(condition, expression_variables(condition) & known) for condition in conditions]
    folded = demand.multiplicity is not Multiplicity.EACH
    # To put solutions together that agree in what is needed, all of them have to be there.
    needed = demand.needed if folded or not demand.streaming else demand.needed | names
    shared = [name for name in seed.columns if name in names]
    for rows, bound in parted(seed, shared):
        part = seed if isinstance(rows, slice) else seed.take(rows).without([n for n in shared if n not in bound])
        if part.length or not seed.length:
            domains = {name: float(max(1, part.length)) for name in part.columns}
            steps = plan(atoms, ready, domains, part.length, needed, folded=folded)
            if solver.journal is not None:
                solver.journal.plan(node, steps.steps)
            yield from Run(solver, node, steps, demand).batches(part)


def _implying(patterns: Sequence[Atom], needed: Names) -> Sequence[Atom]:
    """The atoms without those that others imply, where only some variables are needed."""
    free = {Variable(name) for pattern in patterns for name in names_of(pattern.operands) - needed}
    kept = core([(_relation_of(pattern), pattern.operands) for pattern in patterns], free)
    return patterns if len(kept) == len(patterns) else [patterns[number] for number in kept]


def _relation_of(pattern: Atom) -> Any:
    """What a pattern is of: the pairs of a path, the triples, or the triple terms."""
    return pattern.path if isinstance(pattern, PathPattern) else type(pattern)


def expected_solutions(solver: Solver, node: Basic, seed: Solutions) -> float:
    """About how many solutions a pattern has that extend those of a seed."""
    atoms = resolved(node.atoms, solver.source, solver.terms, solver.paths)
    if not atoms:
        return 0.0 if atoms is None else float(seed.length)
    ends = {name: float(max(1, seed.length)) for name in seed.columns}
    return plan(atoms, (), ends, seed.length, frozenset()).steps[-1].expected


def expected_work(solver: Solver, node: Basic, ends: Mapping[str, float], rows: float) -> float:
    """About how many rows are looked at to extend so many solutions by a pattern: `ends` has how many ids each variable
    of theirs takes."""
    atoms = resolved(node.atoms, solver.source, solver.terms, solver.paths)
    return plan(atoms, (), ends, rows, frozenset()).cost if atoms else 0.0


def sampled_solutions(solver: Solver, node: Basic, seed: Solutions) -> float:
    """About how many solutions of a pattern of one atom extend those of a seed, by a look at some of these: for a path
    that was not followed before a plan can only guess. 0 where that is not told by a look."""
    atoms = resolved(node.atoms, solver.source, solver.terms, solver.paths)
    return (atoms[0].sampled(seed) or 0.0) if atoms and len(atoms) == 1 else 0.0


def _chosen(
    terms: LocalTerms, conditions: Sequence[Expression], names: Names, seed: Solutions
) -> tuple[list[Expression], Solutions]:
    """Filters that leave a variable few IRIs become solutions to begin with; the others stay filters."""
    rest: list[Expression] = []
    for condition in conditions:
        choice = choice_of(condition)
        if choice is None or choice.name not in names or choice.name in seed.columns:
            rest.append(condition)
            continue
        known = {identifier for term in choice.terms if (identifier := terms.lookup(term)) is not None}
        seed = join(seed, Solutions({choice.name: np.array(sorted(known), dtype=np.uint32)}, len(known)))
    return rest, seed
