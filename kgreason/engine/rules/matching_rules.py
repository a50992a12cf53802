"""Which of many rules of a group some facts may match: they differ in their constants, which columns compare.

A property with thousands of restrictions `owl:hasValue` has as many rules ``R(x) <- p(x, y), hasValue(R, y)``. A pair
concerns those of its value alone, so the other atom is looked up once for all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import sorted_sets
from kgreason.columns.masks import any_of
from kgreason.engine import rule_tuning
from kgreason.engine.rules.groups import Flags, RuleGroup
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.engine.rules.template_parts import TemplateAtom
from kgreason.relations.table import Ids, Table

HEAD = -1
"""The position of the head, where others are those of atoms of the body."""


def matching(group: RuleGroup, position: int, rows: NDArray[np.int64], facts: Table, read: Reader) -> Flags:
    """For some rules of a group whether facts of their atom at a position may match, as far as constants tell: those of
    the atom itself, and those of an atom that is of one relation in all rules, and shares a variable with it.

    Cost: O(rules), and a look-up of the facts in each such relation, unless much more is expected to be found.
    """
    template, atom = group.template, _atom(group, position)
    parameters = group.parameters[rows]
    kept = having_constants(group, position, rows, facts)
    for number, other in enumerate(template.body):
        ends = _shared(atom, other) if number != position else None
        relations = parameters[:, other.relation]
        if ends is None or any_of(relations != relations[0]):
            continue
        table, ids = read(int(relations[0])), facts.distinct(ends[1])
        if not table or not len(ids):  # what schemes lose of edges may be no fact
            return np.zeros(len(rows), dtype=np.bool_)
        if table.expected_fanout(ends[0], ids) * len(ids) <= max(len(rows), rule_tuning.FEW_ROWS):
            kept &= _have_constants(other, parameters, table, ends[0], ids)
    return kept


def having_constants(group: RuleGroup, position: int, rows: NDArray[np.int64], facts: Table) -> Flags:
    """For some rules of a group whether facts of their atom at a position have its constants: O(rules)."""
    parameters = group.parameters[rows]
    kept = np.ones(len(rows), dtype=np.bool_)
    for place, slot in enumerate(_atom(group, position).arguments):
        if slot < 0:
            kept &= facts.has_key(place, parameters[:, ~slot].astype(np.uint32))
    return kept


def _atom(group: RuleGroup, position: int) -> TemplateAtom:
    atom = group.template.head if position == HEAD else group.template.body[position]
    assert atom is not None
    return atom


def _shared(atom: TemplateAtom, other: TemplateAtom) -> tuple[int, int] | None:
    """Where another atom has a variable of an atom, and where that has it; None without one, and without constants."""
    if all(slot >= 0 for slot in other.arguments):
        return None
    found = (place for place, slot in enumerate(other.arguments) if slot >= 0 and slot in atom.arguments)
    place = next(found, None)
    return None if place is None else (place, atom.arguments.index(other.arguments[place]))


def _have_constants(atom: TemplateAtom, parameters: NDArray[np.int64], table: Table, place: int, ids: Ids) -> Flags:
    """For each row of parameters whether its constants are in facts of a table that have one of some ids at a place."""
    _, columns = table.lookup({place: ids})
    kept = np.ones(len(parameters), dtype=np.bool_)
    for at, slot in enumerate(atom.arguments):
        if slot < 0:
            kept &= sorted_sets.among(parameters[:, ~slot].astype(np.uint32), sorted_sets.unique(columns[at]))
    return kept
