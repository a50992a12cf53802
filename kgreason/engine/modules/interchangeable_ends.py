"""Rules whose ends are interchangeable where they are below each other, since a scheme closes what the rules derive.

``R(x, u), E(u, v), R(y, v) -> E(x, y)``, as that of restrictions on a class and on one above it, derives n * m facts.
Where the n subjects are below each other, and the m objects too, one fact has all others follow from it. So a rule is
evaluated for one of them (`kgreason.algebra.conjunctions.interchangeable`).

For each fact that a rule derives there is then an external one whose ends are interchangeable with its own, or its ends
are interchangeable with each other. After a deletion that may be so no longer, of facts with an end that has parted
from others, and of those that an external fact stood for which has gone. These are derived again.

So it is in a stratum of which other rules are evaluated over representatives (`representatives`): the closure, and what
these rules read, have the names there that they were derived under.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgreason.algebra.conjunctions.interchangeable import Interchangeable
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.engine.facts import external_key
from kgreason.engine.modules.module import Delta, Found
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.output import Output
from kgreason.relations.catalogue import TRANSITIVE, Definition
from kgreason.relations.plain import union_of
from kgreason.relations.table import Ids, Table


class InterchangeableEnds:
    """Those of a pass over one stratum.

    A rule is evaluated with what is interchangeable by then: things that become so later leave more facts external.
    """

    def __init__(self, state: PassState) -> None:
        self._state = state
        self._changed: set[int] = set()
        # By the number of a group and a row of it: one of its atoms, and external facts that the rule derived.
        self._gone: dict[tuple[int, int], tuple[Occurrence, list[Table]]] = {}

    def has(self, use: Occurrence) -> bool:
        """Whether a rule is one of them."""
        template, represented = use.group.template, self._state.represented
        if not template.has_free_ends or (represented is not None and represented.concern(use)):
            return False  # facts over representatives go with others than those that a rule reads
        definition = self._closed(use.head)
        if definition is None:
            return False
        restriction = definition.restriction
        return restriction is None or not restriction.irreflexive or template.keeps_ends_apart

    def of(self, use: Occurrence) -> Interchangeable[int] | None:
        """Which ends of a rule are interchangeable by now; None where all are needed."""
        closure = self._state.get(use.head)
        head = use.group.template.head
        if closure is None or head is None or not self.are_interchangeable(use):
            return None
        return Interchangeable(head.variables(), closure.representatives)

    def are_interchangeable(self, use: Occurrence) -> bool:
        """Whether ends of a rule are interchangeable once they are below each other."""
        return self.has(use) and not self._leads_to_excluded(use)

    def lost(self, use: Occurrence, delta: Table | None = None) -> Table | None:
        """The external facts that a rule derived from facts of its atom that go; or, of a rule that goes, all."""
        known = self._state.get_before(external_key(use.head))
        if not known:
            return None
        evaluation, template = self._state.before_evaluation, use.group.template
        if delta is None:
            return evaluation.derivable(template, use.parameters, known)
        found = evaluation.known_heads_from(template, use.parameters, use.position, delta, known)
        if found:
            self._gone.setdefault((use.group.number, use.row), (use, []))[1].append(found)
        return found

    def record(self, delta: Delta) -> None:
        """Hear of the closures that lose pairs."""
        self._changed.update(code for code in delta if code >= 0 and self._closed(code) is not None)

    def derived_again(self) -> Found:
        """What rules derive that facts stood for which have gone, or with ends that have parted from others: asked once
        all else has been derived, so that other ends are interchangeable again."""
        changed, self._changed = self._changed, set()
        gone, self._gone = self._gone, {}
        codes = changed | {use.head for use, _ in gone.values()}
        circles = {code: found for code in codes if (found := self._circles(code)) is not None}
        for use, tables in gone.values():
            if use.head in circles and self._is_active(use):
                yield from self._derived_with(use, circles[use.head].stood_for(union_of(tables)))
        for code in changed & circles.keys():
            parted = circles[code].parted(self._state.get(code))
            if len(parted):
                for use in filter(self._is_active, self._state.strata.heads.of(code)):
                    yield from self._derived_with(use, (parted, parted))

    def _circles(self, code: int) -> _Circles | None:
        """Those of a relation before the pass."""
        before = self._state.before.get(code)
        return None if before is None else _Circles.of(before)

    def _derived_with(self, use: Occurrence, chosen: tuple[Ids, Ids]) -> Found:
        """What a rule derives with one of some ids at its first or second end."""
        template, output = use.group.template, Output(interchangeable=self.of(use))
        assert template.head is not None
        for slot, ends in zip(template.head.arguments, chosen, strict=True):
            if len(ends):
                self._state.meter.begin(use)
                evaluation = self._state.now_evaluation
                yield external_key(use.head), evaluation.heads_with(template, use.parameters, slot, ends, output)

    def _is_active(self, use: Occurrence) -> bool:
        return self.has(use) and self._state.is_active(use)

    def _closed(self, code: int) -> Definition | None:
        """The definition of a relation if a scheme keeps it transitively closed as a part of its stratum."""
        definition = self._state.strata.spanned(code)
        if definition is None or not definition.is_part or definition.closure != TRANSITIVE:
            return None
        return definition

    def _leads_to_excluded(self, use: Occurrence) -> bool:
        """Whether a rule may derive pairs that follow from no others, since no path leads to their end."""
        definition, template = self._closed(use.head), use.group.template
        if definition is None or template.head is None:
            return False
        for slot in template.head.arguments if definition.excluded else ():
            places = [
                (self._state.get(use.parameters[atom.relation]), atom.arguments.index(slot))
                for atom in template.body
                if slot in atom.arguments
            ]
            for identifier in definition.excluded:
                if all(table and table.has_id(place, identifier) for table, place in places):
                    return True
        return False


@dataclass(frozen=True, slots=True, eq=False)
class _Circles:
    """The ids of a closure that were interchangeable with others, sorted, and the representative of each."""

    closure: Table
    members: Ids
    representatives: Ids

    @classmethod
    def of(cls, closure: Table) -> _Circles | None:
        """None where there are none."""
        members = closure.circles()
        return cls(closure, members, closure.representatives(members)) if len(members) else None

    def parted(self, now: Table | None) -> Ids:
        """Those that are no longer interchangeable with all that they were with."""
        left = self.members if now is None else now.representatives(self.members)
        numbers, counts = np.unique(pairs.subjects(pairs.distinct(self.representatives, left)), return_counts=True)
        return self.members[sorted_sets.contains(numbers[counts > 1], self.representatives)]

    def stood_for(self, gone: Table) -> tuple[Ids, Ids]:
        """The ends, first and second, that all facts have one of which some external facts stood for: those of a fact
        with an end on no circle, and otherwise what the first ones are interchangeable with."""
        first, second = gone.columns()
        here, there = (sorted_sets.contains(self.members, ends) for ends in (first, second))
        both = bitmaps.distinct(self.closure.representatives(first[here & there]))
        alike = self.members[sorted_sets.contains(both, self.representatives)]
        return sorted_sets.union(bitmaps.distinct(first[~here & there]), alike), bitmaps.distinct(second[here & ~there])
