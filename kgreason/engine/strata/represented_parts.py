"""Relations of a stratum that decide which things are equal, and hold of all that is equal alike.

A functional property makes things equal, and then has facts of each of these. Where an equality is a part of the
stratum, such relations are parts beside it, kept over representatives; the rules among them are evaluated there. That
is sound for rules that ask nothing of things but what relations hold of them: a filter, a constant or a relation that
does not hold of all equal things alike may tell them apart. A rule that makes all members of a group equal may keep
them apart itself, since to be equal to itself says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from kgreason.engine.rules.groups import Flags
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.definitions import InnerRule, SchemeAssignment, Stratum
from kgreason.engine.strata.numbered_rules import NumberedRules
from kgreason.relations.catalogue import EQUALITY, REPRESENTED, UNION, Definition, Oriented


def with_represented(
    rules: NumberedRules,
    inside: Numbers,
    stratum: Stratum,
    parts: Sequence[SchemeAssignment],
    accepts: Callable[[Definition], bool],
) -> list[SchemeAssignment]:
    """The parts of a stratum, and behind them the relations that are kept over representatives of an equality among
    them; `inside` are the rules in force that derive relations of the stratum: O(their atoms) in each of few rounds."""
    replaced = _replaced(rules, inside, stratum, parts)
    taken = {code for part in parts for code in _codes(part.definition)}
    found = {code: _part(code, *replaced[code]) for code in replaced if code not in taken}
    found = {code: each for code, each in found.items() if accepts(each.definition)}
    if not found:
        return [*parts]
    (equality,) = {each.definition.equality[0].code for each in found.values()}
    equal = next({*_codes(part.definition)} for part in parts if equality in _codes(part.definition))
    own = (each for each in stratum.replacing if each.equality == equality and each.rule.head in found)
    others = np.delete(inside, [each.rule.place for each in own])
    kept = _alike(rules, others, np.array(sorted(found), dtype=np.int64), sorted(equal))
    return [*parts, *(found[code] for code in kept.tolist())]


def _codes(definition: Definition) -> Collection[int]:
    """The relations that a definition is about: its members, and what feeds them."""
    return {member.code for member in definition.members} | {feed.relation.code for feed in definition.feeds}


def _replaced(
    rules: NumberedRules, inside: Numbers, stratum: Stratum, parts: Sequence[SchemeAssignment]
) -> dict[int, tuple[int, tuple[InnerRule, ...]]]:
    """The relations of a stratum of which rules replace all arguments by what the first equality among its parts makes
    equal; each with this relation, and these rules."""
    definitions = [part.definition for part in parts if part.definition.closure == EQUALITY]
    equalities = {member.code for definition in definitions for member in definition.members}
    found: dict[int, dict[int, list[InnerRule]]] = {}
    first = min((each.equality for each in stratum.replacing if each.equality in equalities), default=None)
    for each in stratum.replacing:
        if each.equality == first and rules.guards[inside[each.rule.place]] < 0:
            found.setdefault(each.rule.head, {}).setdefault(each.position, []).append(each.rule)
    whole: dict[int, tuple[int, tuple[InnerRule, ...]]] = {}
    for code, by_position in found.items():
        inner = [rule for some in by_position.values() for rule in some]
        head = inner[0].template.head
        if head is not None and first is not None and len(by_position) == len(head.arguments):
            whole[code] = first, tuple(inner)
    return whole


def _part(code: int, equality: int, inner: tuple[InnerRule, ...]) -> SchemeAssignment:
    head = inner[0].template.head
    assert head is not None
    own, equal = (Oriented(code),), (Oriented(equality),)
    arity = len(head.arguments)
    by_value = any(rule.template.by_value for rule in inner)
    definition = Definition(REPRESENTED, arity, own, (), by_value, is_part=True, equality=equal, within=UNION)
    return SchemeAssignment(definition, inner)


def _alike(rules: NumberedRules, numbers: Numbers, wanted: Numbers, equal: Sequence[int]) -> Numbers:
    """Those of some relations, by their codes, that some rules read with others of them alone, to derive others of
    them, or what is equal: O(atoms of all rules) in each round."""
    concerned, is_equal, is_wanted = (np.zeros(size, dtype=np.bool_) for size in (len(rules), *2 * [len(rules.codes)]))
    concerned[numbers] = True
    is_equal[rules.codes.searchsorted(equal)] = True
    is_wanted[rules.codes.searchsorted(wanted)] = True
    makes_equal = _make_equal(rules, numbers[is_equal[rules.heads[numbers]]])
    alike = np.array([_tells_nothing_apart(group.template) for group in rules.groups])[rules.places]
    atoms = rules.bodies
    while True:
        reads_others = atoms.any_of(~is_wanted[atoms.relations], len(rules))
        is_bad = concerned & (reads_others | ~(alike & is_wanted[rules.heads] | makes_equal))
        dropped = atoms.relations[is_bad[atoms.rules] & is_wanted[atoms.relations]]
        if not len(dropped):
            return np.asarray(rules.codes[is_wanted])
        is_wanted[dropped] = False


def _tells_nothing_apart(template: RuleTemplate) -> bool:
    """Whether rules ask nothing of things but what relations hold of them."""
    has_more = template.filters or template.negated or template.assignments or template.summaries
    return not has_more and all(min(atom.arguments, default=0) >= 0 for atom in template.body)


def _make_equal(rules: NumberedRules, numbers: Numbers) -> Flags:
    """Which rules, among some, make different members of a group equal, and ask nothing else."""
    found = np.zeros(len(rules), dtype=np.bool_)
    for some in rules.in_groups(numbers):
        template, parameters = rules.template(some), rules.parameters(some)
        clique = template.clique
        if clique is None or clique.has_loops or clique.conditions:
            continue
        if any(min(atom.arguments, default=0) < 0 for atom in template.body):
            continue
        found[some] = True
        for one, other in clique.twins:
            found[some] &= parameters[:, one] == parameters[:, other]
    return found
