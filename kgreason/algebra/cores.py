"""Cores of conjunctions: what is left without the atoms that the others imply.

In ``q(a, b) :- e(a, x), e(b, x), e(a, y), e(b, y)`` y may always be what x is, so that the first two atoms are enough
wherever only the solutions matter that there are. Source: Chandra and Merlin, STOC 1977.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kgreason.algebra import algebra_tuning

CoreAtom: TypeAlias = tuple[Hashable, Sequence[Hashable]]
"""A relation, and what it is applied to."""


def core(atoms: Sequence[CoreAtom], free: Set[Any]) -> list[int]:
    """The numbers of atoms that imply the others over any facts.

    Args:
        free: the variables that nothing beside the atoms asks for; all else stands for itself.

    Cost: two atoms of a relation are compared; a search with an end where they agree but for free variables.
    """
    kept: Collection[int] = range(len(atoms))
    if len(atoms) <= algebra_tuning.CORE_ATOMS and free:
        search = _Search(atoms, free)
        for number in range(len(atoms)):
            if number in kept:
                kept = search.folded(number, kept)
    return [*kept]


@dataclass(slots=True)
class _Search:
    """The search for what free variables may be, so that an atom is another one."""

    atoms: Sequence[CoreAtom]
    free: Set[Any]
    numbers: Mapping[Hashable, list[int]] = field(init=False)
    left: int = field(default_factory=lambda: algebra_tuning.CORE_STEPS)

    def __post_init__(self) -> None:
        self.numbers = defaultdict(list)
        for number, (relation, _) in enumerate(self.atoms):
            self.numbers[relation].append(number)

    def folded(self, number: int, kept: Collection[int]) -> Collection[int]:
        """Those of some atoms that imply them and the one with a number, without this; all, where there are none."""
        if self.free.isdisjoint(self.atoms[number][1]):
            return kept
        others = {*kept} - {number}
        found = self._mapped((number,), frozenset((number,)), {}, others)
        if found is None:
            return kept
        images = {(self.atoms[each][0], (*self._image(each, found),)) for each in kept}
        return [each for each in others if (self.atoms[each][0], (*self.atoms[each][1],)) in images]

    def _image(self, number: int, mapping: Mapping[Any, Hashable]) -> Iterable[Hashable]:
        return (mapping.get(each, each) for each in self.atoms[number][1])

    def _mapped(
        self, waiting: tuple[int, ...], known: frozenset[int], mapping: Mapping[Any, Hashable], others: Set[int]
    ) -> Mapping[Any, Hashable] | None:
        """What free variables are, so that each atom that waits, and each one with such a variable, is one of the
        others; None where that cannot be."""
        if not waiting:
            return mapping
        first, *rest = waiting
        for target in self.numbers[self.atoms[first][0]]:
            if target not in others:
                continue
            self.left -= 1
            if self.left < 0:
                return None
            more = self._agreed(first, target, mapping)
            if more is None:
                continue
            moved = {name for name, image in more.items() if image != name and name not in mapping}
            new = [n for n in others if n not in known and not moved.isdisjoint(self.atoms[n][1])] if moved else []
            found = self._mapped((*rest, *new), known.union(new), more, others)
            if found is not None:
                return found
        return None

    def _agreed(
        self, number: int, target: int, mapping: Mapping[Any, Hashable]
    ) -> Mapping[Any, Hashable] | None:
        """The mapping with what makes one atom another one; None where nothing does."""
        found = dict(mapping)
        for own, other in zip(self.atoms[number][1], self.atoms[target][1], strict=True):
            if found.setdefault(own, other) != other if own in self.free else own != other:
                return None
        return found
