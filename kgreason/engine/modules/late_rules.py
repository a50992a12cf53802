"""Rules that pair members of groups which circles lead to: a ring through these comes first, all else last.

What such rules derive is a product, and of things that are below each other it needs one. By a ring
(`kgreason.engine.rules.rings`) the members of groups that a circle leads to become such things. So such a rule gives
its rings first, and waits with the rest until nothing else is left to derive: that, too, may close circles.

Where the circle was open before, the product is there, and is most of what a scheme closes: so a pass asks how much of
it rings supersede before the scheme closes it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import starmap
from math import inf

import numpy as np

from kgreason.algebra.bindings import Bindings
from kgreason.columns import bitmaps, sorted_sets
from kgreason.engine import rule_tuning
from kgreason.engine.facts import external_key, relation_of
from kgreason.engine.modules.interchangeable_ends import InterchangeableEnds
from kgreason.engine.modules.module import Found
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.between_groups import between_groups
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.output import Output
from kgreason.engine.rules.rings import Bridge, bridges, ring_of
from kgreason.engine.rules.rule_inputs import MakeTable
from kgreason.relations.table import NO_IDS, Ids, Table


@dataclass(frozen=True, slots=True, eq=False)
class _Late:
    """A rule that waits with new facts `delta` of its atom, or all facts; `make` makes tables of what it derives."""

    use: Occurrence
    delta: Table | None
    make: MakeTable

    def is_of(self, use: Occurrence) -> bool:
        """Whether it is the same rule."""
        return (self.use.group.number, self.use.row) == (use.group.number, use.row)


@dataclass(frozen=True, slots=True, eq=False)
class _Bridged:
    """A rule with a bridge, the facts of that atom, and the members of its groups, at least one, with their groups."""

    bridge: Bridge
    closure: Table
    rows: Bindings[int]


class LateRules:
    """Those of a pass over one stratum that adds facts."""

    def __init__(self, state: PassState, ends: InterchangeableEnds) -> None:
        self._state = state
        self._ends = ends
        self._waiting: list[_Late] = []
        self._rings: list[tuple[int, Table]] = []
        self._in_rings: dict[int, Ids] = {}

    def take(self, use: Occurrence, delta: Table | None, make: MakeTable) -> bool:
        """Whether a rule waits, with new facts of its atom, or all facts; there may be a ring then, or later, since
        what else is left to derive may close circles."""
        if any(each.delta is None and each.is_of(use) for each in self._waiting):
            return True
        late = _Late(use, delta, make)
        bridged = self._bridged(late)
        if bridged is None:
            return False
        self._adds_ring(late, bridged)
        self._waiting.append(late)
        return True

    def rings(self) -> Found:
        """The facts of rings that were found, and were not known."""
        rings, self._rings = self._rings, []
        yield from rings

    def derived(self) -> Found:
        """What the rules derive that wait, or rings that go before it; these rules wait on."""
        waiting, self._waiting = self._waiting, []
        for late in waiting:
            if self._state.may_fire(late.use):
                self._state.meter.begin(late.use)
                bridged = self._bridged(late)
                if bridged is not None and self._adds_ring(late, bridged):
                    self._waiting.append(late)
                else:
                    yield external_key(late.use.head), self._heads(late, bridged)
        yield from self.rings()

    def superseded(self, delta: Mapping[int, Table]) -> float:
        """About how many external facts will follow from rings that have been found since this was last asked, or will
        be once new edges in `delta` have closed circles: where edges are few, and each closes one with what was known.
        """
        members, self._in_rings = self._in_rings, {}
        for key, edges in delta.items():
            ends = self._put_in_circles(relation_of(key), edges) if key < 0 else NO_IDS
            for use in self._state.strata.recursive_rules(relation_of(key)) if len(ends) else ():
                members[use.head] = sorted_sets.union(members.get(use.head, NO_IDS), self._led_to(use, ends))
        return sum(starmap(self._external_between, members.items()))

    def _put_in_circles(self, code: int, edges: Table) -> Ids:
        """The ids that lead to each other with new edges of a closure, sorted, those of all circles together."""
        closure, found = self._state.get(code), NO_IDS
        if not closure or closure.arity != 2 or len(edges) > rule_tuning.FEW_ROWS:
            return found
        here, there = edges.columns()
        closing = closure.contains((there, here)) & ~closure.contains((here, there))
        for begin, end in zip(here[closing], there[closing], strict=True):
            _, (_, after) = closure.lookup({0: end[None]})
            between = after[closure.contains((after, np.full_like(after, begin)))]
            found = sorted_sets.union(found, bitmaps.distinct(np.concatenate((between, (begin, end)), dtype=np.uint32)))
        return found

    def _led_to(self, use: Occurrence, ends: Ids) -> Ids:
        """The members of the groups that some ids name, sorted, where its atom is the bridge of a rule."""
        template, found = use.group.template, NO_IDS
        for bridge in bridges(template):
            is_of = use.position == bridge.position and bridge.clique.is_of(use.parameters)
            if is_of and self._ends.are_interchangeable(use):
                groups = self._state.now_evaluation.groups(bridge.clique, template, use.parameters, ())
                rows = groups.rows_from(bridge.clique.half[0], None)
                if rows.length:
                    inside = sorted_sets.contains(ends, rows.columns[bridge.end])
                    found = sorted_sets.union(found, bitmaps.distinct(rows.columns[bridge.clique.member][inside]))
        return found

    def _external_between(self, code: int, members: Ids) -> float:
        """About how many external facts of a relation are between some ids that did not lead to each other before,
        judged by those of a few."""
        known, closure = self._state.external.get(code), self._state.get(code)
        if not known or not len(members):
            return 0
        some = members[:: len(members) // rule_tuning.REMADE_SAMPLES + 1]
        here, there = known.between(some, members)
        if closure:
            here, there = closure.representatives(here), closure.representatives(there)
        return np.count_nonzero(here != there) * len(members) / len(some)

    def _bridged(self, late: _Late) -> _Bridged | None:
        """A rule with a bridge, if it may derive many facts from pairs of that which are of circles; None elsewhere, or
        where no path leads to something that it derives."""
        template, parameters = late.use.group.template, late.use.parameters
        for bridge in bridges(template):
            if late.delta is not None and late.use.position != bridge.position:
                continue
            closure = self._state.get(parameters[template.body[bridge.position].relation])
            if not closure or not bridge.clique.is_of(parameters) or not self._ends.are_interchangeable(late.use):
                continue
            each = self._members_each(late.use, bridge) ** 2
            pairs = closure if late.delta is None else late.delta
            if min(pairs.estimate * each, _pairs_in_circles(closure) * each) < rule_tuning.LATE_LEAST:
                continue
            groups = self._state.now_evaluation.groups(bridge.clique, template, parameters, ())
            rows = groups.rows_from(bridge.clique.half[0], None)
            if rows.length:
                return _Bridged(bridge, closure, rows)
        return None

    def _members_each(self, use: Occurrence, bridge: Bridge) -> float:
        """About how many members a group has that the bridge leads to: no more than an atom has facts about it."""
        most = inf
        for number in bridge.clique.half:
            atom = use.group.template.body[number]
            table = self._state.get(use.parameters[atom.relation])
            if table and bridge.end in atom.arguments:
                most = min(most, table.estimate / table.distinct_estimate(atom.arguments.index(bridge.end)))
        return most if most < inf else 0

    def _adds_ring(self, late: _Late, bridged: _Bridged) -> bool:
        """Whether a rule gives a ring that is not known."""
        ring, known = ring_of(bridged.bridge, bridged.rows, bridged.closure), self._state.get(late.use.head)
        self._state.meter.gave(ring)
        fresh = ring.filter(~known.contains(ring.columns())) if ring and known else ring
        if fresh:
            self._rings.append((external_key(late.use.head), fresh))
            members = bitmaps.distinct(np.concatenate(fresh.columns()))
            self._in_rings[late.use.head] = sorted_sets.union(self._in_rings.get(late.use.head, NO_IDS), members)
        return bool(fresh)

    def _heads(self, late: _Late, bridged: _Bridged | None) -> Table | None:
        """What a rule derives, but for what follows from rings."""
        template, parameters = late.use.group.template, late.use.parameters
        evaluation, output = self._state.now_evaluation, Output(late.make, self._ends.of(late.use))
        between = None if bridged is None else _between_circles(bridged, late.delta)
        if bridged is not None and between is not None:
            position = bridged.bridge.position
            return evaluation.heads_from(template, parameters, position, between, output) if between else None
        if late.delta is None:
            return evaluation.heads(template, parameters, output)
        return evaluation.heads_from(template, parameters, late.use.position, late.delta, output)


def _pairs_in_circles(closure: Table) -> int:
    """How many pairs of a closure are of ids that lead to each other: O(these ids)."""
    members = closure.circles()
    if not len(members):
        return 0
    _, counts = np.unique(closure.representatives(members), return_counts=True)
    return int(np.square(counts).sum())


def _between_circles(bridged: _Bridged, delta: Table | None) -> Table | None:
    """Those of the new facts of a bridge, or of all, that a ring leaves to be looked at; None where they are too many
    to be written out."""
    found = between_groups(bridged.bridge, bridged.rows, bridged.closure if delta is None else delta)
    if not found:
        return found
    columns = found.columns()
    here, there = map(bridged.closure.representatives, columns)
    return found.filter((here != there) | (columns[0] == columns[1]))
