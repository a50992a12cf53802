"""Rules whose body is a path between the ends of their head: which of them make a relation transitive, which pairs
their filters leave out, and which of them a closure stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import TemplateAtom
from kgreason.relations.catalogue import Restriction

Edge: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PathRule:
    """A rule within a stratum of pairs as a graph over its variables.

    These are the edges that its body gives, the one that its head asks for, the ends that its filters keep apart, and
    the ids that they keep each variable apart from. `has_more` says that its body says anything else.
    """

    edges: tuple[Edge, ...]
    head: Edge | None
    apart: frozenset[frozenset[int]]
    excluded: frozenset[tuple[int, int]]
    has_more: bool

    @classmethod
    def of(cls, template: RuleTemplate, parameters: Sequence[int], turned: dict[int, bool]) -> PathRule:
        pairs = [atom for atom in template.body if len(atom.arguments) == 2 and parameters[atom.relation] in turned]
        edges = [turned_pair(atom, parameters, turned) for atom in pairs]
        is_pair = template.head is not None and len(template.head.arguments) == 2
        head = turned_pair(template.head, parameters, turned) if template.head is not None and is_pair else None
        unequal = template.unequal_slots
        has_others = bool(template.negated or template.assignments or unequal is None)
        has_more = len(edges) < len(template.body) or has_others
        has_constants = any(slot < 0 for edge in edges for slot in edge)
        apart = frozenset(slots for slots in unequal or () if min(slots) >= 0)
        excluded = frozenset((max(slots), parameters[~min(slots)]) for slots in unequal or () if min(slots) < 0)
        return cls(tuple(edges), head, apart, excluded, has_more or has_constants)

    def defines(self, symmetric: bool) -> bool:
        """Whether it makes the relation transitive: R(x, y), R(y, z) -> R(x, z), in any direction if symmetric."""
        return not (self.apart or self.excluded) and self._is_step(symmetric)

    def defines_equality(self) -> bool:
        """Whether it does so for a symmetric relation but where it would pair a thing with itself."""
        return self.restriction == Restriction(True) and self._is_step(symmetric=True)

    @property
    def is_mutual(self) -> bool:
        """Whether its body gives the pair of its head both ways, and its filters do no more than keep it apart."""
        both_ways = self.head is not None and {self.head, self.head[::-1]} == {*self.edges} and len(self.edges) == 2
        return both_ways and not self.has_more and self.restriction in (Restriction(False), Restriction(True))

    def restricts(self) -> Restriction | None:
        """What it leaves out of the closure that it makes otherwise; None for a rule that makes none."""
        return self.restriction if self._is_step(symmetric=False) else None

    @property
    def restriction(self) -> Restriction | None:
        """What its filters leave out, None where they are about anything but the head's ends, and its first end."""
        if self.head is None or not self.apart <= {frozenset(self.head)}:
            return None
        if any(slot != self.head[1] for slot, _ in self.excluded):
            return None
        return Restriction(bool(self.apart), tuple(sorted(identifier for _, identifier in self.excluded)))

    def _is_step(self, symmetric: bool) -> bool:
        """Whether the body is a path of two steps between the ends of the head, and nothing else."""
        if self.head is None or self.has_more or len(self.edges) != 2 or len({*self.edges[0], *self.edges[1]}) != 3:
            return False
        # A loop, or an edge between the ends, is no step: R(x, z), R(y, y) -> R(x, z) gives nothing.
        if any(edge[0] == edge[1] or {*edge} == {*self.head} for edge in self.edges):
            return False
        return self.head[0] != self.head[1] and self.head[1] in _reached(self.head[0], self.edges, symmetric)

    def is_implied(self, symmetric: bool, transitive: bool, restriction: Restriction | None) -> bool:
        """Whether the closure has all that the rule derives; a restricted one only what its edges say, and what the
        rule's filters keep within the restriction."""
        if self.head is None:
            return False
        is_copy = self.head in self.edges or (symmetric and self.head[::-1] in self.edges)
        if not transitive or is_copy:
            return is_copy
        return self._keeps_within(restriction) and self.head[1] in _reached(self.head[0], self.edges, symmetric)

    def _keeps_within(self, restriction: Restriction | None) -> bool:
        """Whether its filters leave out all that a restriction does."""
        if restriction is None:
            return True
        assert self.head is not None
        apart = not restriction.irreflexive or frozenset(self.head) in self.apart
        return apart and all((self.head[1], identifier) in self.excluded for identifier in restriction.excluded)


def turned_pair(atom: TemplateAtom, parameters: Sequence[int], turned: Mapping[int, bool]) -> Edge:
    """The ends of an atom of pairs, the other way round for a relation that is turned."""
    first, second = atom.arguments
    return (second, first) if turned.get(parameters[atom.relation]) else (first, second)


def least_restriction(paths: Iterable[PathRule]) -> Restriction | None:
    """Of rules that each make a closure but for what they leave out, the restriction of the one that leaves out least;
    None where there is none, or no such one."""
    found = [restriction for path in paths if (restriction := path.restricts()) is not None]
    least = min(found, key=lambda each: (each.irreflexive, len(each.excluded)), default=None)
    return least if least is not None and all(least.is_within(other) for other in found) else None


@lru_cache(maxsize=4096)
def may_be_implied(template: RuleTemplate) -> bool:
    """Whether a closure can stand for a rule of the template: its body leads from one end of the head to the other."""
    if template.head is None or len(template.head.arguments) != 2:
        return False
    edges = [(atom.arguments[0], atom.arguments[1]) for atom in template.body if len(atom.arguments) == 2]
    return template.head.arguments[1] in _reached(template.head.arguments[0], edges, both_ways=True)


def _reached(start: int, edges: Iterable[Edge], both_ways: bool) -> set[int]:
    """What a path of one step or more leads to."""
    steps = {*edges} | ({edge[::-1] for edge in edges} if both_ways else set())
    found: set[int] = set()
    waiting = [start]
    while waiting:
        fresh = {target for source, target in steps if source == waiting[-1]} - found
        waiting.pop()
        found |= fresh
        waiting.extend(fresh)
    return found

