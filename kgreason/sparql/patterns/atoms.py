"""Atoms over ids, ready to be joined: each takes a batch of solutions a step further, whole columns at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.conjunctions.remainder import Join
from kgreason.algebra.extend import outer_extend, told_apart
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.next_steps import sampled
from kgreason.algebra.pieces import extend_in_pieces, parts
from kgreason.algebra.planner import Estimate, PlannedAtom
from kgreason.algebra.relation import Relation
from kgreason.relations.table import Table
from kgreason.sparql import query_tuning
from kgreason.sparql.algebra import Atom as Pattern
from kgreason.sparql.algebra import Names
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.solutions import Solutions

End: TypeAlias = int | str
"""An end of an atom: the id of a constant, or the name of a variable."""


class ReadyAtom(Protocol):
    """An atom with ids for its constants and something to read from."""

    @property
    def variables(self) -> Names:
        """The names of its variables."""

    @property
    def pattern(self) -> Pattern:
        """What it is of the query, to explain a plan."""

    def planned(self) -> PlannedAtom[str]:
        """What a plan asks of it: some look-ups."""

    @property
    def join(self) -> Join[str] | None:
        """The atom and its table; None where it reads no table."""

    def sampled(self, rows: Solutions) -> float | None:
        """About how many rows a join gives, from a sample of them; None for an atom or rows that are not sampled."""

    def apply(self, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        """Join a batch with the atom; out come the columns of `kept` alone, with weights for what went with the
        others, or without any where it only matters which rows there are."""


@dataclass(frozen=True, slots=True)
class RelationAtom:
    """An atom of one relation."""

    atom: Atom[str]
    relation: Relation
    pattern: Pattern
    variables: Names
    join: Join[str] | None = None

    @classmethod
    def of(
        cls, relation: Relation, ends: tuple[End, ...], pattern: Pattern, table: Table | None = None
    ) -> RelationAtom:
        """An atom of its ends. A relation that is a table is given as such, too."""
        atom = atom_of(ends)
        return cls(atom, relation, pattern, atom.variables, None if table is None else (atom, table))

    def planned(self) -> Estimate[str]:
        return Estimate.of(self.atom, self.relation)

    def sampled(self, rows: Solutions) -> float | None:
        return sampled(self.atom, self.relation, rows)

    def apply(self, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        return extend_in_pieces(rows, self.atom, self.relation, kept, multiplicity, first=query_tuning.JOIN_FIRST)


def optionally_extended(atom: ReadyAtom, rows: Solutions, demand: Demand) -> Iterator[Solutions] | None:
    """Rows with every fact of an atom that agrees with them, or by themselves where none does.

    None for an atom that is not of one relation, where it has no variable of the rows, or one that is unbound in some
    of them, and where one that it binds is not needed, so that its facts are better counted than looked up.
    """
    if not isinstance(atom, RelationAtom) or atom.atom.is_repeating:
        return None
    if not atom.variables <= demand.needed.union(rows.columns):
        return None
    bound, _ = told_apart(rows, atom.atom)
    if not bound or any((column == UNBOUND).any() for column in bound.values()):
        return None
    first = query_tuning.JOIN_FIRST if demand.streaming else None
    few = parts(rows, bound, atom.relation, tuning.JOIN_ROWS, first)
    return (outer_extend(some, atom.atom, atom.relation, tuning.JOIN_ROWS) for some in few)


def atom_of(ends: Sequence[End]) -> Atom[str]:
    """An atom of its ends."""
    constants = {position: end for position, end in enumerate(ends) if isinstance(end, int)}
    return Atom.of([end if isinstance(end, str) else None for end in ends], constants)
