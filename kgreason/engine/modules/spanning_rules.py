"""Rules that pair all members of a group with each other, where a scheme closes what they derive.

They derive paths through groups (`kgreason.engine.rules.cliques`). What goes with a member are the facts about it that
are known, and then the path through those that are left is derived again: a fact that connects the members before and
after it may never have been one. Where all edges that are not sure go, such a path is put in at once, as far as it is
sure: to take a large class apart and put it together again costs several times as much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kgreason.algebra.bindings import Bindings
from kgreason.columns import bitmaps
from kgreason.engine.facts import external_key
from kgreason.engine.modules.module import Found
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.support import Support
from kgreason.engine.rules.cliques import Groups, clique_of
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.rule_shapes import Clique
from kgreason.relations.plain import table_of
from kgreason.relations.table import NO_IDS, Table

if TYPE_CHECKING:
    from kgreason.engine.modules.representatives import Represented


class SpanningRules:
    """Those of a pass over one stratum."""

    def __init__(self, state: PassState) -> None:
        self._state = state
        self._shrunk: list[tuple[Occurrence, Bindings[int]]] = []

    def has(self, use: Occurrence) -> bool:
        """Whether a rule is one of them."""
        return self._clique(use) is not None

    def gained(self, use: Occurrence, delta: Table | None = None) -> Table | None:
        """What a rule derives from everything, or of the groups that new facts of its atom are about."""
        groups = self._groups(self._state.now_evaluation, use)
        return groups.paths() if delta is None else groups.paths_from(use.position, delta)

    def lost(self, use: Occurrence, delta: Table | None = None) -> Table | None:
        """The known facts that rest on facts of a rule's atom that go; or, of a rule that goes, all that may rest on
        it."""
        known = self._state.get_before(external_key(use.head))
        if not known:
            return None
        evaluation, template = self._state.before_evaluation, use.group.template
        groups = self._groups(evaluation, use)
        represented = self._state.represented
        if represented is not None and represented.are_read(use):
            return self._parted(use, groups, represented, delta)
        if delta is None:
            return groups.between_members(known)
        concerned = groups.concerned(use.position, delta)
        if concerned.length:
            self._shrunk.append((use, concerned))
        return evaluation.known_heads_from(template, use.parameters, use.position, delta, known)

    def _parted(
        self, use: Occurrence, groups: Groups, represented: Represented, delta: Table | None
    ) -> Table | None:
        """The representatives, each with itself, of the classes that may owe members to groups: those of all, or those
        that facts which go are about. Of a pair of representatives that was known under one name alone there is no
        other member to make equal, since the names that a fact was derived under stay until it goes."""
        rows = groups.rows_from(use.position, delta)
        if not rows.length:
            return None
        several = rows.take(np.flatnonzero(represented.classes.sizes(rows.columns[groups.clique.member]) > 1))
        pair = groups.pair_of_member()
        if pair is None or not several.length:
            members = bitmaps.distinct(several.columns[groups.clique.member])
        else:
            relation, slots = pair
            known = self._state.get_before(external_key(relation))
            facts = table_of(tuple(several.columns[slot] for slot in slots))
            position = slots.index(groups.clique.member)
            members = represented.several(known, facts, position) if known else NO_IDS
        return table_of((members, members)) if len(members) else None

    def surely_joined(self, support: Support) -> Found:
        """Paths through the groups of which members have gone, of facts that are sure; those pairs that are known."""
        for use, groups in self._shrunk if self._state.represented is None else ():
            known = self._state.get_before(use.head)
            if known and support.is_steady(use):
                self._state.meter.begin(use)
                paths = self._groups(support.evaluation, use).paths_of(groups)
                if paths:
                    yield external_key(use.head), paths.filter(known.contains(paths.columns()))

    def joined_again(self) -> Found:
        """The paths through the groups of which members have gone."""
        for use, groups in self._shrunk:
            if self._state.is_active(use):
                self._state.meter.begin(use)
                yield external_key(use.head), self._groups(self._state.now_evaluation, use).paths_of(groups)

    def _groups(self, evaluation: Evaluation, use: Occurrence) -> Groups:
        clique, spanned = self._clique(use), self._state.strata.spanned(use.head)
        assert clique is not None
        assert spanned is not None
        return evaluation.groups(clique, use.group.template, use.parameters, spanned.excluded)

    def _clique(self, use: Occurrence) -> Clique | None:
        return clique_of(use.group.template, use.parameters, self._state.strata.spanned(use.head))
