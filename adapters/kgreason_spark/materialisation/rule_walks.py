"""The way of rules through their bodies: which atom comes next, what is known then, and what is needed later.

Rules whose steps look for facts in the same places are one *chain*; relations, constants and variables may differ:
these are data in the tables of the chain (`chain_tables`), and one plan of Spark evaluates all of its rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from kgreason.algebra.expressions.tree import leaves
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Operation, Slot, TemplateAtom
from kgreason_spark.materialisation.parameter_frames import Codes, RuleGroup

NEW: Final = -2
"""Among the facts that the last round brought."""
SUBJECTS: Final = -1
"""Among the subjects of virtual tables, as facts of one argument."""
SMALL: Final = 0
"""Among facts that are few: every executor gets them."""
LARGE: Final = 1
"""Among facts that are many, which are shuffled."""
VIRTUAL: Final = 2
"""From here on: the place of virtual tables, by number."""

Kind: TypeAlias = Literal["join", "deny", "assign", "filter"]


@dataclass(frozen=True, slots=True)
class Step:
    """One atom, positive or denied, or all assignments or filters of a template.

    Attributes:
        place: where the facts of the atom are.
        bound: the positions of its arguments that are known before it.
        brings: the variables that it makes known, with their positions.
        equal: positions that must agree beside that: those of a variable that the atom has twice.
        needed: the variables that something after it reads.
    """

    kind: Kind
    place: int = SMALL
    atom: TemplateAtom | None = None
    bound: tuple[int, ...] = ()
    brings: tuple[tuple[Slot, int], ...] = ()
    equal: tuple[tuple[int, int], ...] = ()
    needed: frozenset[Slot] = frozenset()

    @property
    def form(self) -> tuple[object, ...]:
        """What steps have in common that one plan evaluates."""
        return self.kind, self.place, self.bound if self.place >= VIRTUAL else ()


@dataclass(frozen=True, slots=True)
class Walk:
    """The steps that all rules of a group take; `comparisons` are the filters that ids decide at the end."""

    group: RuleGroup
    steps: tuple[Step, ...]
    comparisons: tuple[Operation, ...] = ()

    @property
    def has_operations(self) -> bool:
        """Whether a step looks at the terms themselves."""
        return any(step.atom is None for step in self.steps)

    @property
    def filters(self) -> list[Operation]:
        """The filters that look at the terms themselves."""
        return [operation for operation in self.group.template.filters if operation not in self.comparisons]

    @property
    def operation_slots(self) -> set[Slot]:
        """The slots that steps without an atom read."""
        operations = (*self.filters, *(operation for _, operation in self.group.template.assignments))
        return {slot for operation in operations for slot in leaves(operation)}

    def relations(self, step: Step) -> Codes:
        """The relation that a step looks for in each rule."""
        assert step.atom is not None
        return self.group.parameters[:, step.atom.relation]

    @property
    def form(self) -> tuple[object, ...]:
        """Walks of the same form are one chain; operations are those of one template."""
        family = self.group.family if self.has_operations else -1
        return (family, *(step.form for step in self.steps))


def walk(
    group: RuleGroup, places: Sequence[int], start: int | None, width: int, comparisons: tuple[Operation, ...]
) -> Walk:
    """The way through the rules of a group, from a body atom whose facts are the new ones, if there is a `start`.

    `places` are those of the body atoms and of the denied ones; at each, all rules of the group have theirs. No fact
    has more arguments than `width`. `comparisons` are those filters that ids decide.
    """
    template = group.template
    steps: list[Step] = []
    known: set[Slot] = set()
    waiting = list(range(len(template.body)))
    while waiting:
        position = start if start in waiting else _next(template, places, waiting, known)
        waiting.remove(position)
        atom, place = template.body[position], NEW if position == start else places[position]
        if place >= VIRTUAL and not _bound(atom, known):
            subject = TemplateAtom(atom.relation, atom.arguments[:1])
            steps.append(_step("join", SUBJECTS, subject, known))
            known |= subject.variables()
        steps.append(_step("join", place, atom, known))
        known |= atom.variables()
    if template.assignments:
        steps.append(Step("assign"))
        known |= {number for number, _ in template.assignments}
    for atom, place in zip(template.negated, places[len(template.body) :], strict=True):
        if len(atom.arguments) <= width:
            steps.append(_step("deny", place, atom, known))
    if len(comparisons) < len(template.filters):
        steps.append(Step("filter"))
    return _with_needs(Walk(group, tuple(steps), comparisons))


def by_form(walks: Sequence[Walk]) -> list[list[Walk]]:
    """The walks of each chain."""
    found: dict[tuple[object, ...], list[Walk]] = {}
    for each in walks:
        found.setdefault(each.form, []).append(each)
    return list(found.values())


def _next(template: RuleTemplate, places: Sequence[int], waiting: Sequence[int], known: set[Slot]) -> int:
    """Atoms that share a variable first; facts before virtual tables."""

    def cost(position: int) -> tuple[int, int, int]:
        atom = template.body[position]
        free = sum(slot >= 0 and slot not in known for slot in atom.arguments)
        connected = bool(atom.variables() & known)
        return (0 if connected or not known else 1, int(places[position] >= VIRTUAL), free)

    return min(waiting, key=cost)


def _bound(atom: TemplateAtom, known: set[Slot]) -> tuple[int, ...]:
    return tuple(at for at, slot in enumerate(atom.arguments) if slot < 0 or slot in known)


def _step(kind: Kind, place: int, atom: TemplateAtom, known: set[Slot]) -> Step:
    bound = _bound(atom, known)
    first: dict[Slot, int] = {}
    equal: list[tuple[int, int]] = []
    for at, slot in enumerate(atom.arguments):
        if at not in bound:
            if slot in first:
                equal.append((first[slot], at))
            first.setdefault(slot, at)
    return Step(kind, place, atom, bound, tuple(first.items()), tuple(equal))


def _with_needs(walked: Walk) -> Walk:
    """The walk with what is needed after each step."""
    template = walked.group.template
    assert template.head is not None
    needed = set(template.head.variables())
    needed |= {slot for operation in walked.comparisons for slot in leaves(operation) if slot >= 0}
    found: list[Step] = []
    for step in reversed(walked.steps):
        found.append(replace(step, needed=frozenset(needed)))
        if step.atom is None:
            needed |= {slot for slot in walked.operation_slots if slot >= 0}
            needed |= {number for number, _ in template.assignments}
        else:
            needed |= step.atom.variables()
    return replace(walked, steps=tuple(reversed(found)))
