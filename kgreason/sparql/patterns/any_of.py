"""Two ends that one of several relations connects: a solution for each that does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.planner import Domains, Estimate
from kgreason.algebra.relation import Relation
from kgreason.sparql.algebra import Atom as Pattern
from kgreason.sparql.algebra import Names
from kgreason.sparql.patterns.atoms import End, RelationAtom
from kgreason.sparql.solutions import Solutions


@dataclass(frozen=True, slots=True)
class EstimateOfAny:
    """What is expected of atoms of the same ends, of which any will do."""

    variables: Names
    each: Sequence[Estimate[str]]

    def growth(self, domains: Domains[str]) -> tuple[float, float]:
        found = [estimate.growth(domains) for estimate in self.each]
        return sum(made for made, _ in found), sum(work for _, work in found)

    def domains_after(self, domains: Domains[str], rows: float) -> Domains[str]:
        after = dict(domains)
        for name in self.variables:
            ends = sum(estimate.ends[name] for estimate in self.each)
            after[name] = max(1.0, min(ends, domains.get(name, rows)))
        return after


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

    def planned(self) -> EstimateOfAny:
        return EstimateOfAny(self.variables, [atom.planned() for atom in self.atoms])

    def sampled(self, rows: Solutions) -> float | None:
        found = [made for atom in self.atoms if (made := atom.sampled(rows)) is not None]
        return sum(found) if found else None

    def apply(self, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        return (found for atom in self.atoms for found in atom.apply(rows, kept, multiplicity) if found.length)
