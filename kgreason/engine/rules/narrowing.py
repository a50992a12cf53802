"""What is known before facts of one atom are joined with the rest of a body: that they find nothing, or which of them
alone can find something."""

from __future__ import annotations

from collections.abc import Set

from kgreason.algebra.atoms import Atom
from kgreason.algebra.conjunctions.remainder import Join
from kgreason.columns.masks import any_of
from kgreason.engine import rule_tuning
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Parameters
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table


def keeps_only_itself(template: RuleTemplate, parameters: Parameters, body: list[Join[int]]) -> bool:
    """Whether the filter of a rule that replaces things by others, ``E(x, y), R(x, z), x != y -> R(y, z)``, keeps out
    no fact: where E pairs nothing with itself. Without it a join may forget x (`algebra.composition`)."""
    assert template.head is not None
    head = parameters[template.head.relation]
    for each in template.replacements if not template.by_value else ():
        pairs = body[1 - each.inside][1]
        if parameters[template.body[each.inside].relation] == head and pairs.is_virtual and not len(pairs.loops()):
            return True
    return False


def without_ends(join: Join[int], variables: Set[int]) -> Join[int] | None:
    """An atom and its facts without some of its variables, to join the rest of a body by the others: O(n), one sort.
    None where it has no others."""
    atom, table = join
    kept = [position for position, variable in enumerate(atom.arguments) if variable not in variables]
    if not atom.variables - variables:
        return None
    constants = {at: atom.constants[position] for at, position in enumerate(kept) if position in atom.constants}
    columns = table.columns()
    return Atom.of([atom.arguments[position] for position in kept], constants), table_of(
        tuple(columns[position] for position in kept)
    )


def finds_none(first: Join[int], body: list[Join[int]], position: int = -1) -> bool:
    """Whether few facts of an atom, of the body the one at `position`, are known to find none in another one: asked
    before the join, which costs more."""
    atom, delta = first
    if delta.is_virtual or delta.estimate > rule_tuning.FEW_ROWS:
        return False
    columns = dict(zip(atom.arguments, delta.columns(), strict=True))
    for number, (other, table) in enumerate(body):
        if number != position and not table.is_virtual:
            for place, variable in enumerate(other.arguments):
                if variable is not None and variable in columns and not any_of(table.has_key(place, columns[variable])):
                    return True
    return False


def is_unasked(atom: Atom[int], delta: Table, body: list[Join[int]], position: int) -> bool:
    """Whether a virtual table of an atom, of the body the one at `position`, has nothing that another atom with few
    facts asks for, as far as that is known before a fact is looked at."""
    most = max(rule_tuning.FEW_ASKED, delta.estimate // rule_tuning.ASKED_SHARE)
    for number, (other, table) in enumerate(body):
        if number == position or table.estimate > most:
            continue
        for place, variable in enumerate(other.arguments):
            if variable is not None and variable in atom.variables:
                at = atom.arguments.index(variable)
                if not any_of(delta.may_have_key(at, table.distinct(place))):
                    return True
    return False


def narrowed(
    template: RuleTemplate, position: int, delta: Table, body: list[Join[int]], asked: Table | None = None
) -> Table:
    """A virtual table of pairs, of the body atom at a position, or those of its pairs that other atoms leave, written
    out, where these are few.

    An atom that asks for the same pair the other way round leaves the pairs within components of a closure. Atoms about
    both ends leave the pairs between these, if the ends are apart from each other to the rest of the body. So do the
    members of a set that the rule derives, where some alone are `asked` for.
    """
    ends = template.body[position].arguments
    if min(ends) < 0 or ends[0] == ends[1]:
        return delta
    others = [number for number in range(len(body)) if number != position]
    for number in others:
        if template.body[number].arguments == ends[::-1]:
            return table_of(delta.reciprocal(body[number][1]))
    sides = [
        [
            (table.distinct_estimate(place), table, place)
            for number in others
            for table in (body[number][1],)
            for place, slot in enumerate(template.body[number].arguments)
            if slot == end and not table.is_virtual
        ]
        for end in ends
    ]
    head = template.head
    if asked is not None and head is not None and len(head.arguments) == 1 and head.arguments[0] in ends:
        sides[ends.index(head.arguments[0])].append((len(asked), asked, 0))
    if not all(sides):
        return delta
    (first, left, at), (last, right, to) = (min(side, key=lambda each: each[0]) for side in sides)
    share = first * last / max(1, delta.distinct_estimate(0) * delta.distinct_estimate(1))
    if share * delta.estimate > rule_tuning.NARROWED or share > rule_tuning.NARROWED_SHARE:
        return delta
    return table_of(delta.between(left.distinct(at), right.distinct(to)))
