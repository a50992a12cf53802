"""Shapes of rules that algorithms of their own evaluate: how a template is recognised as one, and what it does then.

* ``E(x, y), R(.., x, ..) -> R(.., y, ..)`` replaces an argument by something equal (`Replacement`), or passes a set on
  along pairs, which `propagation` does.
* ``P(x, y), P(x, z), y != z -> E(y, z)`` pairs the members of groups (`Clique`), which `cliques` does.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from kgreason.engine.rules.template_parts import BoundOperation, Parameters, TemplateAtom


@dataclass(frozen=True, slots=True)
class Replacement:
    """That a rule replaces one argument of a fact by something equal: the number of the atom of the fact in the body,
    where the other one says what is equal, and the position of the argument."""

    inside: int
    position: int


@dataclass(frozen=True, slots=True)
class Clique:
    """That a rule pairs all members of a group with each other, as ``P(x, y), P(x, z), y != z -> E(y, z)``.

    The atoms at `half` say which things are a `member` of which group, named by the variables `group`; those of the
    rest of the body say the same of the other member, if each pair of `twins`, which are numbers of parameters, is one
    relation. `conditions` are filters about groups; members are paired with themselves if it `has_loops`.
    """

    member: int
    group: tuple[int, ...]
    half: tuple[int, ...]
    twins: tuple[tuple[int, int], ...]
    conditions: tuple[BoundOperation, ...]
    has_loops: bool

    def is_of(self, parameters: Parameters) -> bool:
        """Whether it is what one rule of the template does."""
        return all(parameters[one] == parameters[other] for one, other in self.twins)


def find_replacements(
    head: TemplateAtom, body: Sequence[TemplateAtom], unequal: Set[frozenset[int]]
) -> tuple[Replacement, ...]:
    """What a rule of two atoms replaces: one for each atom that can be the one of the facts.

    Args:
        unequal: the pairs of variables that its filters keep apart, of which there are no others.
    """
    return tuple(found for inside in (0, 1) if (found := _replaced(head, body, unequal, inside)) is not None)


def _replaced(
    head: TemplateAtom, body: Sequence[TemplateAtom], unequal: Set[frozenset[int]], inside: int
) -> Replacement | None:
    """The same, where one of the atoms is the one that something is replaced in."""
    old, new, pair = body[inside].arguments, head.arguments, body[1 - inside].arguments
    if len(old) != len(new) or len(old) > 2 or len(pair) != 2 or len({*old, *pair}) != len(old) + 1:
        return None
    changed = [position for position, slot in enumerate(old) if new[position] != slot]
    if len(changed) != 1 or min(*old, *pair) < 0 or {old[changed[0]], new[changed[0]]} != {*pair}:
        return None
    if not unequal <= {frozenset(pair)} or len({*old}) != len(old):
        return None
    return Replacement(inside, changed[0])


def find_clique(
    head: TemplateAtom, body: Sequence[TemplateAtom], conditions: Sequence[BoundOperation]
) -> Clique | None:
    """How a rule of atoms and filters pairs the members of groups, None if it does not; its relations do not matter."""
    ends = head.arguments
    if len(ends) != 2 or ends[0] == ends[1] or min(ends) < 0:
        return None
    member, other = ends
    apart = [each for each in conditions if keeps_apart(each, head)]
    others = tuple(each for each in conditions if each not in apart)
    half = tuple(number for number, atom in enumerate(body) if other not in atom.variables())
    mine = {body[number].arguments: number for number in half if member in body[number].variables()}
    twins = []
    for number in {*range(len(body))}.difference(half):
        atom = body[number]
        twin = mine.pop(tuple(member if slot == other else slot for slot in atom.arguments), None)
        if twin is None:
            return None
        twins.append((body[twin].relation, atom.relation))
    variables = frozenset[int]().union(*(body[number].variables() for number in half))
    if mine or not twins or any(not each.variables <= variables - {member} for each in others):
        return None
    return Clique(member, tuple(sorted(variables - {member})), half, tuple(twins), others, not apart)


def keeps_apart(condition: BoundOperation, head: TemplateAtom) -> bool:
    """Whether a filter says no more than that the two ends of the head differ."""
    return condition.operation.function == "!=" and condition.variables == {*head.arguments}
