"""Which relations a scheme can keep, read off the rules of their stratum.

A stratum is kept by a scheme when every rule that leads from it to itself is one that the scheme stands for: a
copy, an inverse copy, transitivity, or whatever these imply (the Euclidean rule of an equivalence, a longer path).
The other rules of its relations then derive external facts from lower strata, so the scheme alone decides what
follows from what within the stratum, and deletes exactly. A stratum with any other rule in it stays plain.

Relations that copy each other in a circle are one relation, up to the order of the arguments; where the
circle turns a relation round, it is symmetric.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from kgreason.engine.shapes import Shape
from kgreason.schemes.catalogue import EQUIVALENCE, SYMMETRIC, TRANSITIVE, UNION, Definition, Oriented

Edge: TypeAlias = tuple[int, int]


@dataclass(slots=True)
class Stratum:
    """The rules of one stratum that a scheme may stand for, by the codes of their relations.

    `copies` are (source, target, inverse) of copies within the stratum, `sources` of those from below; `others`
    the rules within it that are no copies, with their parameters; `checked` says that an inverse copy keeps
    literals out of its head.
    """

    members: set[int] = field(default_factory=set)
    copies: list[tuple[int, int, bool]] = field(default_factory=list)
    sources: set[tuple[int, int, bool]] = field(default_factory=set)
    others: list[tuple[Shape, tuple[int, ...]]] = field(default_factory=list)
    checked: bool = False
    arity: int = 2

    def define(self) -> Definition | None:
        """The definition of the stratum, None when no scheme stands for all its rules."""
        turned, symmetric = self._orient()
        if len(turned) < len(self.members) or (self.others and self.arity != 2):
            return None
        symmetric &= self.arity == 2
        rules = [_Path.of(shape, parameters, turned) for shape, parameters in self.others]
        transitive = any(rule.defines(symmetric) for rule in rules)
        if not all(rule.is_implied(symmetric, transitive) for rule in rules):
            return None
        if not (self.sources or symmetric or transitive or len(self.members) > 1):
            return None
        closure = (UNION, TRANSITIVE, SYMMETRIC, EQUIVALENCE)[2 * symmetric + transitive]
        members = tuple(Oriented(code, turned[code]) for code in sorted(self.members))
        sources = {Oriented(source, inverse ^ turned[target]) for source, target, inverse in self.sources}
        resources = self.checked or any(shape.checked for shape, _ in self.others)
        return Definition(closure, self.arity, members, tuple(sorted(sources)), resources)

    def _orient(self) -> tuple[dict[int, bool], bool]:
        """Which members are the inverse of the first one, and whether some are both; only members whose facts
        the copies lead to the first one and back."""
        first = min(self.members)
        forward: dict[int, list[tuple[int, bool]]] = {}
        backward: dict[int, list[tuple[int, bool]]] = {}
        for source, target, inverse in self.copies:
            forward.setdefault(source, []).append((target, inverse))
            backward.setdefault(target, []).append((source, inverse))
        turned, symmetric = _turned(first, forward)
        return {code: turned[code] for code in _turned(first, backward)[0] if code in turned}, symmetric


@dataclass(frozen=True, slots=True)
class _Path:
    """A rule within a stratum of pairs as a graph over its variables: the edges that its body gives, the one that
    its head asks for, and whether its body says anything else."""

    edges: tuple[Edge, ...]
    head: Edge | None
    restricted: bool

    @classmethod
    def of(cls, shape: Shape, parameters: Sequence[int], turned: dict[int, bool]) -> _Path:
        edges: list[Edge] = []
        for atom in shape.body:
            code = parameters[atom.relation]
            if code in turned and len(atom.arguments) == 2:
                first, second = atom.arguments
                edges.append((second, first) if turned[code] else (first, second))
        head = None
        if shape.head is not None and len(shape.head.arguments) == 2:
            first, second = shape.head.arguments
            head = (second, first) if turned[parameters[shape.head.relation]] else (first, second)
        restricted = len(edges) < len(shape.body) or bool(shape.negated or shape.filters or shape.assignments)
        constants = any(slot < 0 for edge in edges for slot in edge)
        return cls(tuple(edges), head, restricted or constants)

    def defines(self, symmetric: bool) -> bool:
        """Whether it makes the relation transitive: R(x, y), R(y, z) -> R(x, z), in any direction if symmetric."""
        if self.head is None or self.restricted or len(self.edges) != 2 or len({*self.edges[0], *self.edges[1]}) != 3:
            return False
        return self.head[0] != self.head[1] and self.head[1] in _reached(self.head[0], self.edges, symmetric)

    def is_implied(self, symmetric: bool, transitive: bool) -> bool:
        """Whether the closure has whatever the rule derives."""
        if self.head is None:
            return False
        if not transitive:
            return self.head in self.edges or (symmetric and self.head[::-1] in self.edges)
        return self.head[1] in _reached(self.head[0], self.edges, symmetric)


def _turned(first: int, steps: dict[int, list[tuple[int, bool]]]) -> tuple[dict[int, bool], bool]:
    """What steps lead to from the first relation, each turned round or not, and whether some come both ways."""
    turned = {first: False}
    waiting = [first]
    ambiguous = False
    while waiting:
        code = waiting.pop()
        for other, inverse in steps.get(code, ()):
            expected = turned[code] ^ inverse
            if other not in turned:
                turned[other] = expected
                waiting.append(other)
            ambiguous |= turned[other] != expected
    return turned, ambiguous


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

