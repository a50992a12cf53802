"""Which relations a scheme can keep, read off the rules of their stratum.

A scheme keeps a stratum as a whole when every rule that leads from it to itself is one that the scheme stands for: a
copy, an inverse copy, transitivity, a continuation by a relation from below, or a rule that these imply (the Euclidean
rule of an equivalence, a longer path).
The other rules of its relations then derive external facts from lower strata, so the scheme alone decides what
follows from what within the stratum, and deletes exactly.

Where rules replace things by equal ones (eq-rep-s, eq-rep-o), a scheme keeps the stratum over representatives: it
stands for these rules, and another scheme, over representatives, for the rest.

In any other stratum a scheme keeps *parts*: relations that are transitive, with those that copy them in a circle.
All other rules of the stratum feed a part from outside, those among them that read what the part derives.

Relations that copy each other in a circle are one relation, up to the order of the arguments; where the
circle turns a relation round, it is symmetric.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from kgreason.checkpoints import passes
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import TemplateAtom
from kgreason.engine.strata.copy_circles import Copy, CopyCircles
from kgreason.engine.strata.path_rules import PathRule, least_restriction, may_be_implied, turned_pair
from kgreason.relations.catalogue import (
    CHAIN,
    EQUALITY,
    EQUIVALENCE,
    REPRESENTED,
    SYMMETRIC,
    TRANSITIVE,
    UNION,
    Definition,
    Oriented,
    Restriction,
)

Steps: TypeAlias = dict[int, list[tuple[int, bool]]]
"""Copies by their source: the target, and whether pairs are turned round."""


@dataclass(frozen=True, slots=True)
class InnerRule:
    """A rule that leads from a stratum to itself and is not a copy, and its place among those that derive relations of
    the stratum."""

    place: int
    template: RuleTemplate
    parameters: tuple[int, ...]

    @property
    def head(self) -> int:
        """The relation that it derives."""
        assert self.template.head is not None
        return self.parameters[self.template.head.relation]


@dataclass(frozen=True, slots=True)
class ReplacingRule:
    """A rule that replaces the argument at a position by what the relation `equality` makes equal to it."""

    rule: InnerRule
    position: int
    equality: int


@dataclass(frozen=True, slots=True)
class SchemeAssignment:
    """A definition, and the inner rules that its scheme stands for; copies within it, and into a whole stratum, are
    implied."""

    definition: Definition
    absorbed: tuple[InnerRule, ...]


@dataclass(slots=True, eq=False, repr=False)
class Stratum:
    """The rules of one stratum that a scheme may stand for, by the codes of their relations.

    `copies` are those within the stratum, `sources` those from below; `others` are the rules within it that are no
    copies, as far as a closure might stand for them; `is_open` says that there are more. `checked` are the members
    that an inverse copy keeps literals out of. `replacing` are rules within the stratum that replace things by those
    which an equality below makes equal to them.
    """

    members: set[int] = field(default_factory=set)
    copies: list[Copy] = field(default_factory=list)
    sources: set[Copy] = field(default_factory=set)
    others: list[InnerRule] = field(default_factory=list)
    is_open: bool = False
    checked: set[int] = field(default_factory=set)
    replacing: list[ReplacingRule] = field(default_factory=list)
    arity: int = 2
    _circles: CopyCircles | None = field(default=None, init=False)

    def whole(self) -> SchemeAssignment | None:
        """The definition of the stratum, None when no scheme stands for all its rules."""
        if self.is_open or (self.others and self.arity != 2):
            return None
        first = min(self.members)
        turned, symmetric = _turned(first, self._steps_around(first))
        if len(turned) < len(self.members):
            return None
        kept = self._define(turned, symmetric and self.arity == 2, self.arity, self.others)
        return kept if kept is not None and len(kept.absorbed) == len(self.others) else None

    def represented(self) -> SchemeAssignment | None:
        """The definition of the stratum over representatives, None where its rules do not replace every argument of
        all its members by what one equality makes equal, or no scheme stands for its other rules."""
        equalities = {each.equality for each in self.replacing}
        if len(equalities) != 1:
            return None
        kept = self.whole()
        if kept is None:
            if self.others or self.is_open or len(self.members) > 1:
                return None
            kept = SchemeAssignment(Definition(UNION, self.arity, (Oriented(min(self.members)),), ()), ())
        # Members copy each other, so a rule about one of them is about all.
        turned = {member.code: member.inverse for member in kept.definition.members}
        if len({each.position ^ turned[each.rule.head] for each in self.replacing}) < self.arity:
            return None
        found = kept.definition
        if found.closure == EQUALITY or found.restriction is not None:
            return None
        definition = Definition(
            REPRESENTED,
            found.arity,
            found.members,
            found.sources,
            found.resources or any(each.rule.template.by_value for each in self.replacing),
            left=found.left,
            right=found.right,
            equality=(Oriented(equalities.pop()),),
            within=found.closure,
        )
        return SchemeAssignment(definition, (*kept.absorbed, *(each.rule for each in self.replacing)))

    def written_out(self) -> Stratum:
        """The stratum without a scheme that stands for its replacing rules."""
        others = [each.rule for each in self.replacing if may_be_implied(each.rule.template)]
        is_open = self.is_open or len(others) < len(self.replacing)
        return replace(self, others=[*self.others, *others], is_open=is_open, replacing=[])

    def parts(self, reserved: Set[int]) -> Iterator[SchemeAssignment]:
        """Definitions of transitive relations of the stratum, but of none that is `reserved`: O(copies + rules)."""
        seen: set[int] = set()
        by_head: dict[int, list[InnerRule]] = {}
        for rule in passes(self.others):
            by_head.setdefault(rule.head, []).append(rule)
        for head in passes(by_head):
            if head in seen:
                continue
            steps = self._steps_around(head)
            members, _ = _turned(head, steps)
            seen.update(members)
            if reserved.isdisjoint(members):
                turned, symmetric = _turned(min(members), steps)
                inner = [rule for code in sorted(turned) for rule in by_head.get(code, ())]
                kept = self._define(turned, symmetric, 2, inner)
                if kept is not None and kept.definition.closure in (TRANSITIVE, EQUIVALENCE, EQUALITY):
                    yield replace(kept, definition=replace(kept.definition, sources=(), is_part=True))

    def _define(
        self, turned: dict[int, bool], symmetric: bool, arity: int, others: Sequence[InnerRule]
    ) -> SchemeAssignment | None:
        """The definition of relations that copy each other, with the rules among `others` that it stands for."""
        paths = [(rule, PathRule.of(rule.template, rule.parameters, turned)) for rule in passes(others)]
        closing = _Closing.of([path for _, path in paths], symmetric)
        links = [] if symmetric or closing.closure is not None else _links(others, turned)
        sources = self._sources_of(turned)
        if not (sources or symmetric or closing.closure is not None or links or len(turned) > 1):
            return None
        linked = {id(link.rule) for link in links}
        absorbed = tuple(rule for rule, path in paths if id(rule) in linked or closing.implies(path))
        definition = Definition(
            CHAIN if links else closing.closure or (SYMMETRIC if symmetric else UNION),
            arity,
            tuple(Oriented(code, turned[code]) for code in sorted(turned)),
            sources,
            self._is_checked(turned, absorbed),
            left=_relations_of(links, True),
            right=_relations_of(links, False),
            restriction=None if symmetric else closing.restriction,
        )
        return SchemeAssignment(definition, absorbed)

    def _is_checked(self, turned: dict[int, bool], absorbed: Iterable[InnerRule]) -> bool:
        """Whether an inverse copy into members, or a rule, keeps literals out, or a rule compares values."""
        rules = (rule.template for rule in absorbed)
        return not self.checked.isdisjoint(turned) or any(rule.checked or rule.by_value for rule in rules)

    def _sources_of(self, turned: dict[int, bool]) -> tuple[Oriented, ...]:
        """The relations from below that are copied into members, in order."""
        copied = (copy for copy in self.sources if copy[1] in turned)
        return tuple(sorted({Oriented(source, inverse ^ turned[target]) for source, target, inverse in copied}))

    def _steps_around(self, code: int) -> Steps:
        """The copies on the circle of copies that a relation lies on, by their sources: O(these), after all have been
        looked at once."""
        if self._circles is None:
            self._circles = CopyCircles.of(self.copies)
        found: Steps = {}
        for number in passes(self._circles.around(code)):
            source, target, inverse = self.copies[number]
            found.setdefault(source, []).append((target, inverse))
        return found


@dataclass(frozen=True, slots=True)
class _Closing:
    """Which closure the rules of relations that copy each other make, None for none, and what it leaves out."""

    is_symmetric: bool
    closure: str | None
    restriction: Restriction | None

    @classmethod
    def of(cls, paths: Sequence[PathRule], is_symmetric: bool) -> _Closing:
        if not paths:  # as of most strata
            return cls(is_symmetric, None, None)
        if any(path.defines(is_symmetric) for path in paths):
            return cls(is_symmetric, EQUIVALENCE if is_symmetric else TRANSITIVE, None)
        if is_symmetric:
            is_equality = any(path.defines_equality() for path in paths)
            return cls(True, EQUALITY if is_equality else None, Restriction(True) if is_equality else None)
        restriction = least_restriction(paths)
        return cls(False, None if restriction is None else TRANSITIVE, restriction)

    def implies(self, path: PathRule) -> bool:
        """Whether the closure has all that a rule derives."""
        return path.is_implied(self.is_symmetric, self.closure is not None, self.restriction)


@dataclass(frozen=True, slots=True)
class _Link:
    """A rule that continues a relation of a stratum by one from below: which, and at which end."""

    rule: InnerRule
    relation: Oriented
    is_left: bool


def _links(rules: Iterable[InnerRule], turned: dict[int, bool]) -> list[_Link]:
    """What those of the rules say that continue a relation."""
    return [link for rule in passes(rules) if (link := _link(rule, turned))]


def _relations_of(links: Iterable[_Link], is_left: bool) -> tuple[Oriented, ...]:
    """The relations of the links at one end, in order."""
    return tuple(sorted({link.relation for link in links if link.is_left == is_left}))


def _link(rule: InnerRule, turned: dict[int, bool]) -> _Link | None:
    """What R(x, y), S(y, z) -> R(x, z) or L(x, y), R(y, z) -> R(x, z) says; None for any other rule."""
    template, parameters = rule.template, rule.parameters
    atoms = _linked_atoms(rule, turned)
    if atoms is None or template.head is None:
        return None
    inside, outside = atoms
    subject, object = turned_pair(inside, parameters, turned)
    begin, end = turned_pair(template.head, parameters, turned)
    code, step = parameters[outside.relation], outside.arguments
    if len({begin, end, subject, object}) != 3 or min(begin, end, subject, object) < 0:
        return None
    if subject == begin and {*step} == {object, end}:
        return _Link(rule, Oriented(code, step[0] == end), False)
    if object == end and {*step} == {begin, subject}:
        return _Link(rule, Oriented(code, step[0] == subject), True)
    return None


def _linked_atoms(rule: InnerRule, turned: dict[int, bool]) -> tuple[TemplateAtom, TemplateAtom] | None:
    """The atom of a member and the pair from below, if these two are all that the body has."""
    template = rule.template
    if len(template.body) != 2 or template.negated or template.filters or template.assignments:
        return None
    inside = [atom for atom in template.body if rule.parameters[atom.relation] in turned]
    outside = [atom for atom in template.body if rule.parameters[atom.relation] not in turned]
    return (inside[0], outside[0]) if len(inside) == 1 and len(outside[0].arguments) == 2 else None


def _turned(first: int, steps: Steps) -> tuple[dict[int, bool], bool]:
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
