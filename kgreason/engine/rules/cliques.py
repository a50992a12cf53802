"""Rules that pair all members of a group with each other, evaluated to a path through each group.

``P(x, y), P(x, z), y != z -> E(y, z)``, as that of functional properties, or of restrictions with the same property and
filler, derives n * n facts of a group of n members. Where a scheme keeps the transitive closure of E, each member with
the next one, and that one with it, is enough: 2 n facts. Facts of a path through fewer or other members of the group
may be left beside it, since they follow, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgreason.algebra.bindings import UNIT, Bindings
from kgreason.algebra.conjunctions.conjunction import Conjunction
from kgreason.algebra.conjunctions.remainder import Join
from kgreason.algebra.row_keys import keys_of, numbered
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.id_columns import repeated
from kgreason.engine.meter import Meter
from kgreason.engine.rules.rule_conditions import RuleConditions
from kgreason.engine.rules.rule_inputs import Reader, Terms
from kgreason.engine.rules.rule_shapes import Clique
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Parameters
from kgreason.relations.catalogue import Definition
from kgreason.relations.plain import table_of
from kgreason.relations.table import NO_IDS, Ids, Table


def clique_of(template: RuleTemplate, parameters: Parameters, spanned: Definition | None) -> Clique | None:
    """How a rule pairs the members of groups, as far as a scheme closes what it derives; None if it does not. A filter
    that compares values keeps two literals from each other that a path would connect."""
    clique = template.clique
    if clique is None or spanned is None or not clique.is_of(parameters):
        return None
    return None if template.by_value and not spanned.resources else clique


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of one rule, as the facts are that a reader gives. All others are paired with the `excluded` members,
    where there are such, since no path leads to these."""

    clique: Clique
    template: RuleTemplate
    parameters: Parameters
    excluded: Sequence[int]
    read: Reader
    terms: Terms
    meter: Meter

    def paths(self) -> Table | None:
        """A path through each group: a join of half the body, and a sort."""
        return self._paths(self._members(UNIT))

    def paths_from(self, position: int, delta: Table) -> Table | None:
        """A path through each group that facts `delta` of the atom at a position concern."""
        return self.paths_of(self.concerned(position, delta))

    def paths_of(self, groups: Bindings[int]) -> Table | None:
        """A path through each of some groups, that have members or not: O(members)."""
        return self._paths(self._members(groups)) if groups.length else None

    def concerned(self, position: int, delta: Table) -> Bindings[int]:
        """The distinct groups that facts `delta` of the atom at a position are about. Those of the other half of the
        body are about the same groups again, and have none."""
        if position not in self.clique.half:
            return Bindings.none()
        found = self._members(UNIT, (position, delta)).only(self.clique.group)
        first, _ = numbered(keys_of(list(found.columns.values()), found.length))
        return found.take(first)

    def rows_from(self, position: int, delta: Table | None) -> Bindings[int]:
        """The members of the groups that facts `delta` of the atom at a position are about, or of all groups, with
        their groups."""
        if delta is None:
            return self._members(UNIT)
        groups = self.concerned(position, delta)
        return self._members(groups) if groups.length else groups

    def estimate(self) -> int:
        """About how many members all groups have at most: the facts of the smallest atom about them."""
        tables = [self.read(self.parameters[self.template.body[position].relation]) for position in self.clique.half]
        return min(table.estimate if table else 0 for table in tables)

    def pair_of_member(self) -> tuple[int, tuple[int, ...]] | None:
        """A relation that has the member beside a variable of the group, and both variables in order, if there is
        one."""
        for position in self.clique.half:
            atom = self.template.body[position]
            if len(atom.arguments) == 2 == len(atom.variables()) and self.clique.member in atom.variables():
                return self.parameters[atom.relation], atom.arguments
        return None

    def between_members(self, known: Table) -> Table | None:
        """Those of some pairs whose ends are members of groups, though perhaps of different ones: O(members).

        To look for a group of both takes the product of the groups that they are in."""
        rows = self._members(UNIT, wanted=frozenset((self.clique.member,)))
        members = bitmaps.distinct(rows.columns[self.clique.member]) if rows.length else NO_IDS
        columns = known.columns()
        kept = sorted_sets.contains(members, columns[0]) & sorted_sets.contains(members, columns[1])
        return table_of(tuple(column[kept] for column in columns)) if kept.any() else None

    def _members(
        self,
        rows: Bindings[int],
        first: tuple[int, Table] | None = None,
        wanted: frozenset[int] | None = None,
    ) -> Bindings[int]:
        """The members of the groups in some rows, with facts of the atom at one position alone, if given; with their
        groups, unless other variables are `wanted`."""
        joins: list[Join[int]] = []
        begin: Join[int] | None = None
        for position in self.clique.half:
            atom = self.template.body[position]
            if first is not None and first[0] == position:
                begin = atom.of(self.parameters), first[1]
                continue
            table = self.read(self.parameters[atom.relation])
            if not table:
                return Bindings.none()
            joins.append((atom.of(self.parameters), table))
        if wanted is None:
            wanted = frozenset((*self.clique.group, self.clique.member))
        filters = tuple(self.clique.conditions)
        conditions = RuleConditions(self.parameters, (), filters, (), self.read, self.terms, self.meter)
        found = list(Conjunction(joins, conditions, wanted, self.meter.tick).solutions(rows, begin))
        return Bindings.concatenated(found) if found else Bindings.none()

    def _paths(self, rows: Bindings[int]) -> Table | None:
        """Each member with the next one of its group, both ways, and with itself where that is derived."""
        if not rows.length:
            return None
        members = rows.columns[self.clique.member]
        _, groups = numbered(keys_of([rows.columns[name] for name in self.clique.group], rows.length))
        keys = sorted_sets.unique(pairs.pack(groups.astype(np.uint32), members))
        of, members = pairs.subjects(keys), pairs.objects(keys)
        ways = [self._path(of, members), *self._to_excluded(of, members)]
        one, other = (np.concatenate([way[end] for way in ways]) for end in (0, 1))
        alone = members if self.clique.has_loops else members[:0]
        subjects, objects = np.concatenate((one, other, alone)), np.concatenate((other, one, alone))
        if self.template.checked:
            resources = ~self.terms.object_only_mask().take(subjects)
            subjects, objects = subjects[resources], objects[resources]
        found = table_of((subjects, objects)) if len(subjects) else None
        self.meter.gave(found)
        return found

    def _path(self, of: Ids, members: Ids) -> tuple[Ids, Ids]:
        """Each member with the next one of its group, given the sorted members of each group. No path leads through
        one that can only be an object: these come last, each after the last one of the others."""
        before = np.arange(len(members))
        is_end = self.terms.object_only_mask().take(members) if self.template.checked else None
        if is_end is not None and is_end.any():
            order = np.lexsort((is_end, of))
            of, members = of[order], members[order]
            before = np.maximum.accumulate(np.where(is_end[order], 0, before))
        before = before[:-1]
        same = of[before] == of[1:]
        return members[before[same]], members[1:][same]

    def _to_excluded(self, of: Ids, members: Ids) -> Iterator[tuple[Ids, Ids]]:
        """Each member with those that are excluded, given the sorted members of each group."""
        for identifier in self.excluded:
            paired = sorted_sets.contains(of[members == identifier], of) & (members != identifier)
            yield members[paired], repeated(identifier, int(paired.sum()))
