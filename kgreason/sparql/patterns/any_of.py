"""Two ends that one of several relations connects: a solution for each that does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgreason.sparql.demand import Multiplicity
from kgreason.sparql.patterns.atoms import End, Expected, PairAtom
from kgreason.sparql.patterns.relations import Relation
from kgreason.sparql.scope import Names
from kgreason.sparql.solutions import Solutions


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Atoms of the same ends, of which any will do: an alternative or a negated set of a property path."""

    relations: Sequence[Relation]
    ends: tuple[End, End]
    label: str

    @property
    def variables(self) -> Names:
        return frozenset(end for end in self.ends if isinstance(end, str))

    def _atoms(self) -> list[PairAtom]:
        return [PairAtom(relation, self.ends, self.label) for relation in self.relations]

    def expect(self, before: Expected) -> tuple[Expected, float]:
        rows = work = 0.0
        domains = dict(before.domains)
        found: dict[str, float] = {}
        for after, own_work in (atom.expect(before) for atom in self._atoms()):
            rows, work = rows + after.rows, work + own_work
            for name in self.variables:
                found[name] = found.get(name, 0.0) + after.domains[name]
        for name in self.variables:
            most = before.domains.get(name, rows)
            domains[name] = max(1.0, min(found.get(name, 1.0), most))
        return Expected(rows, domains), work

    def apply(self, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        return (found for atom in self._atoms() for found in atom.apply(rows, kept, multiplicity) if found.length)
