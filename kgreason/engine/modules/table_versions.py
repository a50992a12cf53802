"""From the inputs of a definition to the next version of its table, and what came and went with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.engine.facts import Changes, external_key
from kgreason.engine.modules.unsuited import refuse_literals
from kgreason.engine.rules.rule_inputs import Reader, Terms
from kgreason.relations.catalogue import (
    AROUND,
    CHAIN,
    MUTUAL,
    SYMMETRIC,
    UNION,
    UNNAMED,
    Definition,
    Feed,
    Input,
    Naming,
    Oriented,
    Scheme,
)
from kgreason.relations.net_changes import NetChanges, net_change, union_change
from kgreason.relations.plain import table_of
from kgreason.relations.schemes import fed, turned
from kgreason.relations.table import NO_IDS, Mask, Table

NetChange: TypeAlias = tuple[Table | None, Table | None]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Inputs:
    """Where the inputs of a definition are: facts by key, now and before the pass, and the net changes so far; and for
    each id whether it is a literal."""

    get: Reader
    get_before: Reader
    changes: Changes
    external_changes: Changes
    literals: Callable[[], Mask]

    def of(self, definition: Definition) -> Iterator[Input]:
        """The external facts of the members, then what they follow from, in the orientation of the first member."""
        for member in definition.members:
            yield self._input(member, external_key(member.code), self.external_changes, CHAIN)
        for feed in definition.feeds:
            if definition.follows_part:
                role = MUTUAL if definition.is_mutual else CHAIN
                yield self._input(feed.relation, feed.relation.code, self.changes, role)
            else:
                key = external_key(feed.relation.code)
                yield filtered(self._input(feed.relation, key, self.external_changes, CHAIN), feed, self.literals)
        for role, relations in definition.roles:
            for relation in relations:
                yield self._input(relation, relation.code, self.changes, role)

    def have_other_classes_alone(self, definition: Definition) -> bool:
        """Whether nothing that a definition follows from has changed but what is equal, as far as it is seen at once: a
        relation that is kept over representatives may be kept over others then."""
        if definition.feeds or definition.left or definition.right:
            return False
        keys = [external_key(member.code) for member in definition.members]
        if any(self.get_before(key) is not self.get(key) for key in keys):
            return False
        changes = self.changes
        for source in definition.sources:
            if source.code in changes.added or source.code in changes.removed:
                return False
            before, after = self.get_before(source.code), self.get(source.code)
            if before is not after and not (before and before.is_virtual and after and after.is_virtual):
                return False
        return True

    def _input(self, which: Oriented, key: int, changes: Changes, role: str) -> Input:
        before, after = self.get_before(key), self.get(key)
        came, gone = changes.added.get(which.code), changes.removed.get(which.code)
        if which.inverse:
            before, after, came, gone = (turned(table, which) for table in (before, after, came, gone))
        return Input(before, after, came, gone, role)


def filtered(each: Input, feed: Feed, literals: Callable[[], Mask]) -> Input:
    """What a feed lets through of an input."""
    before = fed(each.before, feed, literals)
    after = before if each.after is each.before else fed(each.after, feed, literals)
    return Input(before, after, fed(each.added, feed, literals), fed(each.removed, feed, literals), each.role)


def around(inputs: Sequence[Input], naming: Naming, terms: Terms) -> Iterator[Input]:
    """The ids that steps lead around, since they name no relation, or a filter may keep them out."""
    subjects = sorted_sets.union_all([each.after.distinct(0) for each in inputs if each.after] or [NO_IDS])
    unnamed = subjects[~terms.names(subjects, naming.kind)]
    excluded = np.array(sorted(naming.excluded), dtype=np.uint32)
    for ids, role in ((excluded, AROUND), (unnamed, UNNAMED)):
        yield Input(None, table_of((ids,)), None, None, role)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derivation:
    """A definition with its scheme and its inputs."""

    definition: Definition
    scheme: Scheme
    inputs: Inputs
    terms: Terms

    def members(self, redefined: bool) -> Iterator[tuple[int, Table | None, NetChange]]:
        """The next version of each member, and its net change; `redefined` says that the definition is a new one.

        Raises:
            UnsuitedError: an input has a literal as object where an inverse copy would make it a subject.
        """
        before = self.inputs.get(self.definition.members[0].code)
        after, change = self._next_version(before, self._inputs(), redefined)
        if redefined:
            changes = NetChanges()
            for member in self.definition.members:
                table = turned(after, member)
                yield member.code, table, changes.of(self.inputs.get(member.code), table)
            return
        for member in self.definition.members:
            yield member.code, turned(after, member), (turned(change[0], member), turned(change[1], member))

    def anew(self) -> dict[int, Table | None]:
        """Each member as it follows from the inputs; a closure of the same edges that is known already is kept.

        Raises:
            UnsuitedError: as for `members`.
        """
        before, inputs = self.inputs.get(self.definition.members[0].code), self._inputs()
        refuse_literals(self.definition, self.terms.object_only_mask, inputs, anew=True)
        after = self._made_anew(before, inputs) or None
        return {member.code: turned(after, member) for member in self.definition.members}

    def _inputs(self) -> list[Input]:
        inputs, naming = list(self.inputs.of(self.definition)), self.definition.naming
        return inputs if naming is None else [*inputs, *around(inputs, naming, self.terms)]

    def _made_anew(self, before: Table | None, inputs: list[Input]) -> Table:
        anew = [Input(None, each.after, each.after, None, each.role) for each in inputs]
        return self.scheme.derive(before, [*anew, Input(before, None, None, before)])

    def _next_version(
        self, before: Table | None, inputs: list[Input], redefined: bool
    ) -> tuple[Table | None, NetChange]:
        """The facts of the first member after a change of the inputs, and the net change; without it for a new
        definition, under which the members may have had other facts each."""
        refuse_literals(self.definition, self.terms.object_only_mask, inputs, anew=redefined)
        if redefined:
            return self._made_anew(before, inputs) or None, (None, None)
        after = self.scheme.derive(before, inputs)
        if self.definition.closure in (UNION, SYMMETRIC):
            return after or None, union_change(self.definition.closure == SYMMETRIC, inputs, before, after)
        change = net_change(before, after)
        if before and after.is_virtual and not any(table is not None and table.is_virtual for table in change):
            after.count_from(before, len(change[0] or ()), len(change[1] or ()))
        return after or None, change
