"""Projection, DISTINCT, OFFSET and LIMIT."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.distinct_rows import Seen, distinct, distinct_in_any_order
from kgreason.sparql.algebra import Distinct, Node, Order, Project, Slice
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import variables_of
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.solver import Solver


def projected(solver: Solver, node: Project, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
    """Solutions with the variables of a projection, and those of the seed."""
    needed = demand.needed.intersection(node.variables)
    names = [*needed, *(name for name in seed.columns if name not in needed)]
    for batch in solver.solve(node.node, seed, demand.only(names)):
        yield batch.only(names)


def made_distinct(solver: Solver, node: Distinct, demand: Demand) -> Iterator[Solutions]:
    """Solutions each once. All variables count, also those that are not needed outside."""
    names = variables_of(node.node)
    inside = replace(demand.only(names), multiplicity=Multiplicity.ANY)
    if not demand.streaming:
        whole = solver.whole(node.node, inside).only(names)
        yield distinct(whole) if _are_ordered(node.node) else distinct_in_any_order(whole)
        return
    seen = Seen(sorted(names))
    for batch in solver.solve(node.node, Solutions.unit(), inside):
        yield seen.fresh(batch)


def _are_ordered(node: Node) -> bool:
    """Whether solutions come in an order that is asked for."""
    while isinstance(node, Project | Distinct | Slice):
        node = node.node
    return isinstance(node, Order)


def sliced(solver: Solver, node: Slice, demand: Demand) -> Iterator[Solutions]:
    """Some solutions after some others, and no more computed than it takes to have them."""
    if node.length == 0:
        return
    # One solution is as good as another, however many are like it.
    multiplicity = Multiplicity.ANY if (node.offset, node.length) == (0, 1) else Multiplicity.EACH
    streaming = node.length is not None or demand.streaming
    inside = replace(demand, multiplicity=multiplicity, streaming=streaming)
    skipping, left = node.offset, node.length
    for batch in solver.solve(node.node, Solutions.unit(), inside):
        begin = min(skipping, batch.length)
        skipping -= begin
        end = batch.length if left is None else min(batch.length, begin + left)
        if end > begin:
            yield batch.slice(begin, end)
        if left is not None:
            left -= end - begin
            if left <= 0:
                return
