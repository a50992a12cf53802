"""Relations that have what a closure of their stratum has both ways, as ``equivalent(c, d) :- sub(c, d), sub(d, c)``.

Where such a relation is copied into the closure, as ``sub(c, d) :- equivalent(c, d)``, only its external facts bring
edges: the pairs that it has from the closure are there already. So they feed the closure, and the others nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeAlias

from kgreason.engine.strata.definitions import InnerRule, SchemeAssignment, Stratum
from kgreason.engine.strata.path_rules import PathRule
from kgreason.relations.catalogue import MUTUAL, MUTUAL_OTHERS, TRANSITIVE, Definition, Feed, Oriented

Accepts: TypeAlias = Callable[[Definition], bool]


def with_mutual(
    stratum: Stratum, parts: Sequence[SchemeAssignment], reserved: Collection[int], accepts: Accepts
) -> list[SchemeAssignment]:
    """The parts of a stratum, as they are fed by the relations that have what one of them has both ways, and after
    each part these relations.

    No relation has two definitions: members of a part and the `reserved` relations have none of this kind, and what two
    parts have both ways is that of the first, with what follows from the second beside it. Nor have relations that a
    rule turns round, since a definition stands for the copies among its members.
    """
    taken = {*reserved, *(member.code for part in parts for member in part.definition.members)}
    taken.update(source for source, target, _ in stratum.copies if source == target)
    found: list[SchemeAssignment] = []
    for part in parts:
        mutual = [each for each in _mutual_parts(stratum, part, taken) if accepts(each.definition)]
        heads = [each.definition.members[0].code for each in mutual]
        taken.update(heads)
        found.append(reduce(lambda fed, head: _fed(stratum, fed, head), heads, part))
        found += mutual
    return found


def _mutual_parts(stratum: Stratum, part: SchemeAssignment, taken: Collection[int]) -> Iterator[SchemeAssignment]:
    """The relations of a stratum, but those that are taken, that have what a part of it has both ways."""
    if part.definition.closure != TRANSITIVE:
        return
    turned = _turned(part)
    for head in dict.fromkeys(rule.head for rule in stratum.others):
        if head not in taken and (mutual := _mutual(stratum, part, head, turned)) is not None:
            yield mutual


def _turned(part: SchemeAssignment) -> dict[int, bool]:
    """For each member of a part whether it is the inverse of the first."""
    return {member.code: member.inverse for member in part.definition.members}


def _mutual(stratum: Stratum, part: SchemeAssignment, head: int, turned: dict[int, bool]) -> SchemeAssignment | None:
    """A relation with the rules that make it what a part has both ways, None if there are none."""
    paths = [
        (rule, PathRule.of(rule.template, rule.parameters, turned))
        for rule in stratum.others
        if rule.head == head and _reads_only(rule, turned)
    ]
    mutual = [(rule, path) for rule, path in paths if path.is_mutual]
    if not mutual:
        return None
    closure = MUTUAL_OTHERS if all(path.apart for _, path in mutual) else MUTUAL
    feed = Feed(Oriented(part.definition.members[0].code))
    by_value = any(rule.template.by_value for rule, _ in mutual)
    definition = Definition(closure, 2, (Oriented(head),), (), by_value, is_part=True, feeds=(feed,))
    return SchemeAssignment(definition, tuple(rule for rule, _ in mutual))


def _reads_only(rule: InnerRule, turned: dict[int, bool]) -> bool:
    """Whether a rule reads nothing but some relations."""
    return all(rule.parameters[atom.relation] in turned for atom in rule.template.body)


def _fed(stratum: Stratum, part: SchemeAssignment, source: int) -> SchemeAssignment:
    """A part that the external facts of one more relation feed, instead of the rules that copy it into the part."""
    turned = _turned(part)
    feeds = dict.fromkeys(part.definition.feeds)
    for copied, target, inverse in stratum.copies:
        if copied == source and target in turned:
            feeds[Feed(Oriented(source, inverse ^ turned[target]))] = None
    absorbed = list(part.absorbed)
    for rule in stratum.others:
        if rule.head in turned and (feed := _feed(rule, source, turned)) is not None:
            feeds[feed] = None
            absorbed.append(rule)
    resources = part.definition.resources or any(rule.template.by_value for rule in absorbed)
    return SchemeAssignment(replace(part.definition, feeds=tuple(feeds), resources=resources), tuple(absorbed))


def _feed(rule: InnerRule, source: int, turned: dict[int, bool]) -> Feed | None:
    """What a rule says that copies a relation into a part, but for some pairs; None for any other rule."""
    path = PathRule.of(rule.template, rule.parameters, {**turned, source: False})
    reads_source = len(path.edges) == 1 and rule.parameters[rule.template.body[0].relation] == source
    if path.head is None or path.has_more or not reads_source or path.head[0] == path.head[1]:
        return None
    if path.head not in (path.edges[0], path.edges[0][::-1]) or not path.apart <= {frozenset(path.head)}:
        return None
    if any(slot not in path.head for slot, _ in path.excluded):
        return None
    first, last = (tuple(sorted(identifier for slot, identifier in path.excluded if slot == end)) for end in path.head)
    oriented = Oriented(source, path.head != path.edges[0])
    return Feed(oriented, bool(path.apart), first, last, resources=rule.template.checked)
