"""Random conjunctions over random relations in several schemes, and what they mean, fact by fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings
from kgreason.relations.free_closures import transitive_closure
from kgreason.relations.inverse import inverse_view
from kgreason.relations.plain import empty_table, table_of
from kgreason.relations.table import Table
from kgreason.relations.union import UnionTable
from tests.relations.required import Required

NODES = [1, 2, 3, 7, 2**31]
VARIABLES = ["x", "y", "z"]
Row = tuple[int, ...]


def table(rows: Iterable[Row], arity: int) -> Table:
    found = sorted(rows)
    if not found:
        return empty_table(arity)
    return table_of(tuple(np.array(column, dtype=np.uint32) for column in zip(*found, strict=True)))


@st.composite
def tables(draw: st.DrawFn, arity: int) -> Table:
    rows = draw(st.frozensets(st.tuples(*[st.sampled_from(NODES)] * arity), max_size=8))
    plain = table(rows, arity)
    schemes = ["plain", "required"] + ["inverse", "union", "closure"] * (arity == 2)
    match draw(st.sampled_from(schemes)):
        case "required":
            return Required(plain)
        case "inverse":
            return inverse_view(transitive_closure([plain]))
        case "union":
            more = draw(st.frozensets(st.tuples(*[st.sampled_from(NODES)] * 2), max_size=4))
            return UnionTable([transitive_closure([plain]), table(more, 2)])
        case "closure":
            return transitive_closure([plain])
    return plain


@st.composite
def atoms(draw: st.DrawFn, arity: int) -> Atom[str]:
    arguments = draw(st.tuples(*[st.sampled_from([*VARIABLES, *NODES[:3]])] * arity))
    constants = {position: part for position, part in enumerate(arguments) if isinstance(part, int)}
    return Atom.of([part if isinstance(part, str) else None for part in arguments]).with_constants(constants)


@dataclass(frozen=True)
class Joined:
    """An atom and its relation, with the facts of that."""

    atom: Atom[str]
    relation: Table

    @property
    def facts(self) -> list[Row]:
        return [tuple(row) for row in zip(*(column.tolist() for column in self.relation.columns()), strict=True)]

    def __repr__(self) -> str:
        return f"{self.atom.arguments} {dict(self.atom.constants)} of {self.relation.scheme} {self.facts}"


@st.composite
def joins(draw: st.DrawFn) -> Joined:
    arity = draw(st.sampled_from([1, 2, 2, 2, 3]))
    return Joined(draw(atoms(arity)), draw(tables(arity)))


def conjunctions(most: int = 3) -> st.SearchStrategy[list[Joined]]:
    return st.lists(joins(), min_size=1, max_size=most)


@st.composite
def bound_joins(draw: st.DrawFn) -> Joined:
    """An atom that has x, and nothing twice, and its relation."""
    arity = draw(st.sampled_from([1, 2, 2, 2, 3]))
    others = draw(st.permutations(["y", "z", *NODES[:3]]))[: arity - 1]
    arguments = draw(st.permutations(["x", *others]))
    constants = {position: part for position, part in enumerate(arguments) if isinstance(part, int)}
    atom = Atom.of([part if isinstance(part, str) else None for part in arguments]).with_constants(constants)
    return Joined(atom, draw(tables(arity)))


@st.composite
def seeds(draw: st.DrawFn, choices: Sequence[tuple[str, ...]] = ((), (), ("x",), ("x", "y"))) -> Bindings[str]:
    """Rows to begin with: mostly the unit, otherwise of one or two variables, some with weights."""
    names = draw(st.sampled_from(choices))
    if not names:
        return Bindings.unit()
    rows = draw(st.lists(st.tuples(*[st.sampled_from(NODES)] * len(names)), max_size=4))
    columns = {name: np.array([row[at] for row in rows], dtype=np.uint32) for at, name in enumerate(names)}
    weights = None
    if draw(st.booleans()):
        weights = np.array(draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows))), dtype=np.int64)
    return Bindings(columns, len(rows), weights)


def counted(rows: Bindings[str], names: Sequence[str]) -> Counter[Row]:
    """Each row of some variables as often as it is there."""
    rows._check()
    found: Counter[Row] = Counter()
    columns = [rows.columns[name].tolist() for name in names]
    for row, weight in zip(zip(*columns, strict=True) if names else [()] * rows.length, rows.counts(), strict=True):
        found[row] += int(weight)
    return found


def meaning(conjunction: Sequence[Joined], seed: Bindings[str], names: Sequence[str]) -> Counter[Row]:
    """The rows of some variables that extend those of a seed: every assignment is tried."""
    free = sorted({v for each in conjunction for v in each.atom.variables} - seed.columns.keys())
    facts = [{*each.facts} for each in conjunction]
    found: Counter[Row] = Counter()
    columns = list(seed.columns)
    for row, weight in counted(seed, columns).items():
        for values in product(NODES, repeat=len(free)):
            binding = {**dict(zip(columns, row, strict=True)), **dict(zip(free, values, strict=True))}
            if all(_fact(each.atom, binding) in known for each, known in zip(conjunction, facts, strict=True)):
                found[tuple(binding[name] for name in names)] += weight
    return found


def _fact(atom: Atom[str], binding: dict[str, int]) -> Row:
    return tuple(
        atom.constants[position] if variable is None else binding[variable]
        for position, variable in enumerate(atom.arguments)
    )
