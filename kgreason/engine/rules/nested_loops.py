"""Rules evaluated for one fact at a time, in loops within loops over the facts that match it.

To evaluate a rule over columns takes 50 microseconds and more however few these are, most of them calls of numpy and
decisions that pay where rows are many. A loop takes one or two for each fact that it finds. So this is for changes, and
rounds of recursion, of a few facts, and for rules whose loops find few.

Source: index nested loops are those of Blasgen and Eswaran 1977, "Storage and Access in Relational Data Bases".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from kgreason.engine.rules.loops import Loop, Loops
from kgreason.engine.rules.rule_inputs import Terms
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.single_facts import Fact, FactsByRelation, ManyFactsError, SingleFacts
from kgreason.engine.rules.template_parts import Parameters, Slot, TemplateAtom
from kgreason.relations.table import Mask

Row: TypeAlias = list[int]
"""The values of the variables, and after them those of the parameters, the last one first: a slot is a place in it."""

Step: TypeAlias = Callable[[Row], None]
"""What is done with a row once some variables have values."""

Take: TypeAlias = Callable[[Fact], None]
"""What is done with a fact."""


def for_each_fact(
    template: RuleTemplate, parameters: Parameters, position: int, facts: FactsByRelation, terms: Terms, take: Take
) -> Take | None:
    """What has all heads taken that a rule gives for one fact of its positive body atom at `position`; None where the
    rule is not evaluated by loops.

    What that returns raises ManyFactsError where a loop is long; some heads may have been taken by then.
    """
    loops = template.loops[position]
    if loops is None or template.head is None:
        return None
    if template.is_copy:
        return take
    last = _head(template.head.arguments, take)
    if template.checked:
        last = _of_resources(template.head.arguments[0], terms.object_only_mask(), last)
    return _loops(template, template.body[position], loops, parameters, facts, terms, last)


def derives_fact(
    template: RuleTemplate, parameters: Parameters, facts: FactsByRelation, terms: Terms
) -> Callable[[Fact], bool] | None:
    """What tells whether a rule derives one fact of the relation of its head; None where the rule is not evaluated by
    loops.

    What that returns raises ManyFactsError where a loop is long.
    """
    loops = template.loops_from_head
    if loops is None or template.head is None:
        return None
    found: list[Row] = []
    look = _loops(template, template.head, loops, parameters, facts, terms, found.append)

    def derives(fact: Fact) -> bool:
        found.clear()
        look(fact)
        return bool(found)

    return derives


def _loops(
    template: RuleTemplate,
    atom: TemplateAtom,
    loops: Loops,
    parameters: Parameters,
    facts: FactsByRelation,
    terms: Terms,
    last: Step,
) -> Take:
    """What goes through the loops for a fact of an atom."""
    step = last
    for one, other in map(tuple, template.unequal_slots or ()):
        step = _apart(one, other, terms.object_only_mask() if template.by_value else None, step)
    for loop in reversed(loops):
        step = _looked_up(loop, facts.of(parameters[loop.relation]), step)
    slots = [-1, *atom.arguments, *(slot for loop in loops for _, slot in loop.free)]
    row = [0] * (1 + max(slots)) + [*parameters[::-1]]
    return _begun(atom, row, step)


def _head(arguments: Sequence[Slot], take: Take) -> Step:
    if len(arguments) == 2:
        first, second = arguments
        return lambda row: take((row[first], row[second]))
    return lambda row: take(tuple([row[slot] for slot in arguments]))


def _of_resources(subject: Slot, literals: Mask, then: Step) -> Step:
    return lambda row: None if literals[row[subject]] else then(row)


def _apart(one: Slot, other: Slot, literals: Mask | None, then: Step) -> Step:
    """With `literals` two of these may have one value, which is left to columns."""

    def compare(row: Row) -> None:
        if row[one] == row[other]:
            return
        if literals is not None and literals[row[one]] and literals[row[other]]:
            raise ManyFactsError
        then(row)

    return compare


def _begun(atom: TemplateAtom, row: Row, then: Step) -> Take:
    """Give the variables of an atom their values by a fact, unless a constant or a variable that is there twice has
    another one."""
    first = {slot: place for place, slot in reversed([*enumerate(atom.arguments)]) if slot >= 0}
    binds = [(place, slot) for slot, place in first.items()]
    tests = [(place, slot) for place, slot in enumerate(atom.arguments) if first.get(slot) != place]

    def begin(fact: Fact) -> None:
        for place, slot in binds:
            row[slot] = fact[place]
        for place, slot in tests:
            if row[slot] != fact[place]:
                return
        then(row)

    return begin


def _looked_up(loop: Loop, facts: SingleFacts, then: Step) -> Step:
    slots = [slot for _, slot in loop.bound]
    if not loop.free:
        return _tested(slots, facts, loop.is_denied, then)
    ((position, known),), ((_, wanted),) = loop.bound, loop.free
    others = facts.other_ends(position).of
    if loop.is_test:
        return lambda row: then(row) if others(row[known]) else None

    def each(row: Row) -> None:
        for other in others(row[known]):
            row[wanted] = other
            then(row)

    return each


def _tested(slots: list[int], facts: SingleFacts, is_denied: bool, then: Step) -> Step:
    has = facts.has

    def test(row: Row) -> None:
        if has(tuple([row[slot] for slot in slots])) is not is_denied:
            then(row)

    return test
