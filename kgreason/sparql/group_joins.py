"""Solutions that all parts of a group agree on.

A part that takes a seed (`sideways_passing`) extends the solutions of the parts before it. Any other part, such as a
sub-SELECT with GROUP BY or VALUES, is solved by itself, once, and its table is joined: before the others where that
leaves them less to do, otherwise as soon as a variable connects it with what is there. Of a UNION each branch is
treated by itself.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, compress, groupby

from kgreason import tuning
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.joins import join_pieces
from kgreason.sparql.algebra import Fallback, Names, Node, Union
from kgreason.sparql.group_order import Branches, Link, Part, beginning, ordered
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import variables_of
from kgreason.sparql.sideways_passing import takes_seed
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.solver import Solver
from kgreason.sparql.stages import gathered, through


def joined_solutions(solver: Solver, parts: Sequence[Node], seed: Solutions, demand: Demand) -> Iterator[Solutions]:
    """Solutions that all parts agree on, and a seed. One `Fallback` that takes no seed, such as SERVICE, comes first:
    its rows are joined with the others while they come. Nothing more is solved when a part has no solution."""
    seeded: list[Part] = []
    coming: list[Part] = []
    apart: list[tuple[Node, Names]] = []
    for part, own, others in _with_others(parts, frozenset(seed.columns)):
        link = _link(part, own, others)
        if link is not None:
            seeded.append(Part.of(link))
        elif isinstance(part, Fallback) and not coming:
            coming.append(Part.of(part))
        else:
            apart.append((part, others))
    tables: list[Solutions] = []
    if apart and any(part.is_impossible(solver) for part in seeded):
        return
    for part, others in apart:
        tables.append(solver.whole(part, demand.also(others)))
        if not tables[-1].length:
            return
    if tables:
        seed, tables = beginning(solver, seed, tables, seeded)
    order = ordered(solver, seeded, tables, [Part.of(seed), *coming])
    yield from _chain(solver, [*coming, *order], seed, demand)


def _with_others(parts: Sequence[Node], names: Names) -> Iterator[tuple[Node, Names, Names]]:
    """Each part with its variables, and those of all others and of the seed."""
    own = [variables_of(part) for part in parts]
    before = accumulate(own, operator.or_, initial=names)
    after = [*accumulate(reversed(own[1:]), operator.or_, initial=frozenset[str]())][::-1]
    for part, mine, earlier, later in zip(parts, own, before, after, strict=False):
        yield part, mine, earlier | later


def _link(part: Node, own: Names, others: Names) -> Node | Branches | None:
    """How solutions are handed down to a part; None where they are not."""
    if not isinstance(part, Union):
        return part if takes_seed(part, others) else None
    taking = [takes_seed(branch, others) for branch in part.parts]
    if all(taking) or not any(taking):
        return part if all(taking) else None
    seeded = tuple(compress(part.parts, taking))
    apart = tuple(compress(part.parts, map(operator.not_, taking)))
    return Branches(part, seeded, apart, own & others)


def _chain(solver: Solver, parts: Sequence[Part], seed: Solutions, demand: Demand) -> Iterator[Solutions]:
    """The solutions of the seed extended by one part after the other."""
    mentioned = [part.mentioned for part in parts[1:]]
    later = [*accumulate(reversed(mentioned), operator.or_, initial=frozenset[str]())][::-1]
    wanted = [(part.link, demand.also(names)) for part, names in zip(parts, later, strict=False)]
    batches: Iterator[Solutions] = iter((seed,))
    for are_nodes, links in groupby(wanted, lambda each: not isinstance(each[0], Bindings | Branches)):
        if are_nodes:
            batches = _solved(solver, [*links], batches)
        else:
            for link, needed in links:
                batches = _joined_with(solver, link, batches, needed)
    return batches


def _solved(
    solver: Solver, nodes: Sequence[tuple[Link, Demand]], batches: Iterator[Solutions]
) -> Iterator[Solutions]:
    """Solutions that are handed down from node to node, depth first; no deeper in Python's stack for more nodes."""
    steps = [partial(_handed_down, solver, node, demand) for node, demand in nodes]
    return (batch for batch in through(steps, batches, solver.limits.check) if batch.length)


def _handed_down(solver: Solver, node: Link, demand: Demand, batch: Solutions) -> Iterable[Solutions]:
    assert not isinstance(node, Bindings | Branches), "no node"
    return solver.solve(node, batch, demand) if batch.length else ()


def _joined_with(solver: Solver, link: Link, batches: Iterator[Solutions], demand: Demand) -> Iterator[Solutions]:
    if isinstance(link, Bindings):
        return _joined(solver, gathered(batches, link.length), link)
    assert isinstance(link, Branches), "handed down in one go with others"
    found = _through_branches(solver, link, batches, demand)
    return found if solver.journal is None else solver.journal.counted(link.union, found)


def _joined(solver: Solver, batches: Iterable[Solutions], table: Solutions) -> Iterator[Solutions]:
    for batch in batches:
        for found in join_pieces(batch, table):
            solver.limits.check(found.length)
            yield found


def _through_branches(
    solver: Solver, node: Branches, batches: Iterator[Solutions], demand: Demand
) -> Iterator[Solutions]:
    """Solutions of a UNION that agree with those of the batches. Branches that take no seed are solved when there is
    some."""
    table: Solutions | None = None
    for batch in gathered(batches, tuning.JOIN_ROWS):
        for branch in node.seeded:
            yield from solver.solve(branch, batch, demand)
        if table is None:
            table = Solutions.concatenated([solver.whole(branch, demand.also(node.shared)) for branch in node.apart])
        yield from _joined(solver, (batch,), table)
