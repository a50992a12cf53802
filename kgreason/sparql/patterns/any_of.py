"""Two ends that one of several relations connects: a solution for each that does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.planner import Expected
from kgreason.algebra.relation import Relation
from kgreason.sparql.algebra import Atom as Pattern
from kgreason.sparql.algebra import Names
from kgreason.sparql.patterns.atoms import End, RelationAtom
from kgreason.sparql.solutions import Solutions


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Atoms of the same ends, of which any will do: an alternative or a negated set of a property path."""

    atoms: Sequence[RelationAtom]
    variables: Names
    pattern: Pattern

    @classmethod
    def of(cls, relations: Sequence[Relation], ends: tuple[End, End], pattern: Pattern) -> AnyOf:
        """The atoms of some ends for each relation."""
        variables = frozenset(end for end in ends if isinstance(end, str))
        return cls([RelationAtom.of(relation, ends, pattern) for relation in relations], variables, pattern)

    @property
    def join(self) -> None:
        return None

    def expect(self, before: Expected[str]) -> tuple[Expected[str], float]:
        rows = work = 0.0
        domains = dict(before.domains)
        found: dict[str, float] = {}
        for after, own_work in (atom.expect(before) for atom in self.atoms):
            rows, work = rows + after.rows, work + own_work
            for name in self.variables:
                found[name] = found.get(name, 0.0) + after.domains[name]
        for name in self.variables:
            most = before.domains.get(name, rows)
            domains[name] = max(1.0, min(found.get(name, 1.0), most))
        return Expected(rows, domains), work

    def sampled(self, rows: Solutions) -> float | None:
        found = [made for atom in self.atoms if (made := atom.sampled(rows)) is not None]
        return sum(found) if found else None

    def apply(self, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        return (found for atom in self.atoms for found in atom.apply(rows, kept, multiplicity) if found.length)
