"""The template of a rule: its atoms with every relation and every constant replaced by a parameter.

Specialisation makes thousands of rules that differ only in their relations and constants. They share one
template; each is a row of parameters: relation codes (`kgreason.relations.codes`) and term ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntFlag, auto
from functools import cached_property, reduce
from operator import or_

from kgreason.algebra.expressions.tree import leaves
from kgreason.engine.rules.loops import Loops, loops_from
from kgreason.engine.rules.rule_shapes import Clique, Replacement, find_clique, find_replacements, keeps_apart
from kgreason.engine.rules.template_parts import (
    BoundOperation,
    Operation,
    Slot,
    Summary,
    TemplateAtom,
)


class Trait(IntFlag):
    """What rules of a template do, as flags that columns of rules can be asked for."""

    IS_COPY = auto()
    COPIES = auto()
    COPIES_TRIPLES = auto()
    GROUPS = auto()
    JOINS = auto()
    REPLACES_FIRST = auto()
    REPLACES_SECOND = auto()


@dataclass(frozen=True)
class RuleTemplate:
    """One head atom, or none for an integrity condition, over a body.

    `checked` says that the head is a triple whose subject the body does not prove to be a resource, so that
    literals must be kept out of it. With `summaries` it is a grouping rule: its body is one atom of distinct variables,
    of which the first are the group; its head has these, and then what the summaries make of each group.
    `row_filters` are about parameters alone: a row that fails them is not a rule. The filters that are `by_value` may
    find no difference between two ids, which are of literals then.
    """

    head: TemplateAtom | None
    body: tuple[TemplateAtom, ...]
    negated: tuple[TemplateAtom, ...] = ()
    filters: tuple[Operation, ...] = ()
    assignments: tuple[tuple[int, Operation], ...] = ()
    parameters: int = 0
    checked: bool = False
    summaries: tuple[Summary, ...] = ()
    row_filters: tuple[Operation, ...] = ()
    by_value: frozenset[Operation] = frozenset()
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        body = (self.head, self.body, self.negated, self.filters, self.assignments)
        object.__setattr__(self, "_hash", hash((body, self.checked, self.summaries, self.row_filters)))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def conditions(self) -> tuple[BoundOperation, ...]:
        """The filters, looked through once for all rules of the template."""
        return tuple(BoundOperation.of(operation) for operation in self.filters)

    @cached_property
    def computations(self) -> tuple[BoundOperation, ...]:
        """The assignments, looked through once for all rules of the template."""
        return tuple(BoundOperation.of(operation, target) for target, operation in self.assignments)

    @cached_property
    def computed_ends(self) -> frozenset[int]:
        """The variables of the head that no positive atom binds: those that are assigned."""
        head = frozenset[int]() if self.head is None else self.head.variables()
        return head.difference(*(atom.variables() for atom in self.body))

    @cached_property
    def deriving_parameters(self) -> tuple[int, ...]:
        """The parameters that say what a rule derives, in order; the others only decide whether it is there."""
        atoms = [*self.body, *self.negated, *([self.head] if self.head is not None else [])]
        slots = {slot for atom in atoms for slot in atom.arguments}
        operations = (*self.filters, *(operation for _, operation in self.assignments))
        slots.update(slot for operation in operations for slot in leaves(operation))
        return tuple(sorted({atom.relation for atom in atoms} | {~slot for slot in slots if slot < 0}))

    @cached_property
    def has_constants(self) -> bool:
        """Whether a positive atom of the body has one."""
        return any(slot < 0 for atom in self.body for slot in atom.arguments)

    @cached_property
    def is_fact(self) -> bool:
        """Whether the head is of constants, and holds without a condition."""
        conditions = self.body or self.negated or self.filters or self.assignments or self.summaries
        return self.head is not None and not (conditions or self.checked or self.row_filters)

    @cached_property
    def is_single(self) -> bool:
        """Whether the body is one positive atom and nothing else."""
        return len(self.body) == 1 and not (self.negated or self.filters or self.assignments or self.summaries)

    @cached_property
    def is_copy(self) -> bool:
        """``A(x) -> U(x)`` and ``A(x, y) -> U(x, y)``: distinct variables in the same order."""
        if not self.is_single or self.head is None or self.checked:
            return False
        arguments = self.body[0].arguments
        distinct = len(self.body[0].variables()) == len(arguments)
        return distinct and arguments == self.head.arguments

    @cached_property
    def is_inverse_copy(self) -> bool:
        """``A(y, x) -> U(x, y)``."""
        if not self.is_single or self.head is None:
            return False
        arguments = self.body[0].arguments
        distinct = len(arguments) == 2 == len(self.body[0].variables())
        return distinct and arguments == self.head.arguments[::-1]

    @cached_property
    def copies(self) -> bool:
        """Whether it is a copy or an inverse copy."""
        return self.is_copy or self.is_inverse_copy

    @cached_property
    def is_intersection(self) -> bool:
        """Whether the body is several atoms of the same variables and nothing else: ``A(x), B(x), C(x) -> U(x)``."""
        if self.negated or self.filters or self.assignments or self.summaries or len(self.body) < 2:
            return False
        return min(self.body[0].arguments) >= 0 and len({atom.arguments for atom in self.body}) == 1

    @cached_property
    def unequal(self) -> frozenset[frozenset[int]] | None:
        """The pairs of variables that the rule's filters keep apart, None if it has any other filter."""
        apart = self.unequal_slots
        return None if apart is None or any(min(slots) < 0 for slots in apart) else apart

    @cached_property
    def unequal_slots(self) -> frozenset[frozenset[Slot]] | None:
        """The pairs of slots, variables or constants, that the rule's filters keep apart, None if it has any other
        filter, or one that compares values with a constant."""
        found = set()
        for operation in self.filters:
            slots = frozenset(slot for slot in operation.arguments if isinstance(slot, int))
            if operation.function != "!=" or len(slots) != 2:
                return None
            if operation in self.by_value and min(slots) < 0:
                return None
            found.add(slots)
        return frozenset(found)

    @cached_property
    def replacements(self) -> tuple[Replacement, ...]:
        """What ``E(x, y), R(.., x, ..) -> R(.., y, ..)`` replaces, perhaps with ``x != y``: one for each atom that can
        be the one of R."""
        if len(self.body) != 2 or self.negated or self.assignments or self.summaries:
            return ()
        if self.head is None or self.unequal is None:
            return ()
        return find_replacements(self.head, self.body, self.unequal)

    @cached_property
    def traits(self) -> Trait:
        """All that it does: it copies in the same order, or in any, facts of one or two arguments among them; groups;
        derives something from several atoms; and may replace things in the first or the second atom of its body."""
        replaced = {each.inside for each in self.replacements}
        has = {
            Trait.IS_COPY: self.is_copy,
            Trait.COPIES: self.copies,
            Trait.COPIES_TRIPLES: self.copies and len(self.body[0].arguments) <= 2,
            Trait.GROUPS: bool(self.summaries),
            Trait.JOINS: self.head is not None and len(self.body) + len(self.negated) > 1,
            Trait.REPLACES_FIRST: 0 in replaced,
            Trait.REPLACES_SECOND: 1 in replaced,
        }
        return reduce(or_, (trait for trait, is_there in has.items() if is_there), Trait(0))

    @cached_property
    def propagation(self) -> Replacement | None:
        """How ``S(x), R(x, y) -> S(y)`` passes a set on along pairs, if the relations agree; None for other rules."""
        if len(self.body) == 2 and not self.filters and self.head is not None and len(self.head.arguments) == 1:
            return next(iter(self.replacements), None)
        return None

    @cached_property
    def loops(self) -> Sequence[Loops | None]:
        """For each positive atom how the others are looked up for one fact of it, for the heads; None where they are
        not, or where the rule groups or computes, or has a filter that says more than that two terms differ."""
        return [self._loops(atom) for atom in self.body]

    @cached_property
    def loops_from_head(self) -> Loops | None:
        """How the body is looked up for one fact of the head; None as for `loops`."""
        return None if self.head is None else self._loops(self.head)

    def _loops(self, first: TemplateAtom) -> Loops | None:
        apart = self.unequal_slots
        if self.head is None or apart is None or self.assignments or self.summaries:
            return None
        rest = [atom for atom in self.body if atom is not first]
        compared = (slot for slots in apart for slot in slots if slot >= 0)
        return loops_from(first, rest, self.negated, self.head.variables().union(compared))

    @cached_property
    def clique(self) -> Clique | None:
        """How it pairs the members of groups, None if it does not; its relations do not matter."""
        if self.head is None or self.negated or self.assignments or self.summaries:
            return None
        return find_clique(self.head, self.body, self.conditions)

    @cached_property
    def keeps_ends_apart(self) -> bool:
        """Whether a filter says that the two ends of the head differ."""
        return self.head is not None and any(keeps_apart(each, self.head) for each in self.conditions)

    @cached_property
    def has_free_ends(self) -> bool:
        """Whether it derives pairs with two variables that its body connects by others alone, and of which no condition
        says more than that they differ, or something about one of them."""
        head = self.head
        if head is None or len(head.arguments) != 2 or self.negated or self.assignments or self.summaries:
            return False
        ends = head.variables()
        if len(ends) != 2:
            return False
        if any(ends <= atom.variables() for atom in self.body):
            return False
        apart = [each for each in self.conditions if keeps_apart(each, head) and each.operation not in self.by_value]
        others = [each.variables for each in self.conditions if each not in apart]
        return all(len(variables) == 1 or ends.isdisjoint(variables) for variables in others)

    @cached_property
    def projection(self) -> int | None:
        """The position that a rule ``A(x, y) -> U(x)`` or ``A(x, y) -> U(y)`` keeps, otherwise None."""
        if not self.is_single or self.head is None or len(self.head.arguments) != 1:
            return None
        arguments = self.body[0].arguments
        if len(arguments) != 2 or len(self.body[0].variables()) != 2 or self.head.arguments[0] < 0:
            return None
        return arguments.index(self.head.arguments[0])

    @cached_property
    def kept(self) -> frozenset[int] | None:
        """The variables that are needed of solutions: those of the head, and those that are assigned, since one that
        the body binds, too, is compared. None where that is all variables of the body, so that no two of its solutions
        are the same in them."""
        needed: set[int] = set(self.head.variables()) if self.head is not None else set()
        needed.update(target for target, _ in self.assignments)
        return None if all(atom.variables() <= needed for atom in self.body) else frozenset(needed)
