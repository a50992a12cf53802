"""Overdelete: the facts of a stratum that lose one of their derivations, or their assertion, go.

So does what followed from them before the pass, round by round. What is asserted stays, and so does what is sure to
hold (`kgreason.engine.modules.support`).

Source: Hu et al. 2019, Algorithms 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kgreason.engine import rule_tuning
from kgreason.engine.facts import relation_of
from kgreason.engine.maintenance.remaking import Remaking, counts
from kgreason.engine.maintenance.stratum_modules import StratumModules
from kgreason.engine.modules.agenda import DeltaBuffer
from kgreason.relations.table import Table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Overdeleted:
    """What the step did, by key: the `facts` that it took away, and those that it put in, which connect groups of which
    members have gone (`joined`)."""

    facts: Mapping[int, Table] = field(default_factory=dict)
    joined: Mapping[int, Table] = field(default_factory=dict)


class Overdeletion:
    """The step in one pass over a stratum; `run` may be called once."""

    def __init__(self, stratum: StratumModules, remaking: Remaking) -> None:
        self._stratum = stratum
        self._state = stratum.state
        self._remaking = remaking
        self._joined: dict[int, Table] = {}

    def run(self) -> Overdeleted | None:
        """Take away the facts of the stratum that lose a derivation or their assertion, unless they are sure to hold.

        Returns:
            What was taken away, or None if that is so much that the pass is dropped.
        """
        candidates = self._lost()
        if candidates is None:
            return None
        deleted: dict[int, Table] = {}
        last = 0
        while candidates:
            if self._stratum.few.are_to_go(candidates):
                self._follow_few(candidates, deleted)
                if self._remaking.costs_less_than_return(sum(map(len, deleted.values()))):
                    return None
            delta: dict[int, Table] = {}
            for key, table in candidates.take([*candidates.keys()]):
                fresh = self._newly_deleted(key, table, deleted.get(key))
                if fresh:
                    delta[key] = fresh
                    deleted[key] = deleted[key].union(fresh) if key in deleted else fresh
                    if key < 0:
                        self._state.remove(key, fresh)
            self._doubt(delta)
            come = sum(map(len, delta.values()))
            expected = come * min(come / last, rule_tuning.REMADE_GROWTH) if last else 0.0
            last = come
            shown = self._shown_as_lost(delta, deleted, expected)
            if shown is None:
                return None
            visible = {key: table for key, table in delta.items() if key >= 0}
            visible.update(shown)
            for module in self._stratum.modules:
                candidates.extend(module.delete(visible))
        for key, table in deleted.items():
            if key >= 0:
                self._state.remove(key, table)
        return Overdeleted(deleted, self._joined)

    def _follow_few(self, candidates: DeltaBuffer, deleted: dict[int, Table]) -> None:
        """Note what goes of some candidates, and what followed from it, one fact after the other; what is left are the
        candidates then."""
        before = sum(map(len, deleted.values()))
        found = self._stratum.few.go(
            candidates.take([*candidates.keys()]),
            deleted,
            lambda more: self._remaking.costs_less_than_return(before + more),
        )
        for key, table in found.done.items():
            deleted[key] = deleted[key].union(table) if key in deleted else table
        for key, table in found.waiting.items():
            candidates.add(key, table)

    def _doubt(self, delta: Iterable[int]) -> None:
        """Facts of some keys go. Where a rule that a scheme stands for has its guard in the stratum, that guard may
        follow from a pair which the scheme still makes of other facts, by that rule alone.

        Raises:
            UnsureError: there is such a guard in the stratum.
        """
        if self._stratum.parts and any(key < 0 for key in delta):
            codes = (code for part in self._stratum.parts for code in part.codes)
            if any(map(self._state.may_hold_itself_up, codes)):
                self._state.meter.doubt()

    def _lost(self) -> DeltaBuffer | None:
        """The facts that may go with what went below the stratum, and with their assertion; None where they are so many
        that the pass is dropped."""
        candidates = DeltaBuffer(self._state.meter)
        for code, table in self._stratum.waiting.removed:
            candidates.add(self._state.strata.key(code), table)
        for found in (module.lost() for module in self._stratum.modules):
            for key, lost in found:
                candidates.add(key, lost)
                if self._remaking.costs_less_than_to_judge(key, lost):
                    return None
        return candidates

    def _shown_as_lost(
        self, delta: dict[int, Table], deleted: dict[int, Table], expected: float
    ) -> dict[int, Table] | None:
        """The pairs that schemes lose with overdeleted facts; what is in doubt with them is added to `deleted`. None
        where that, and as many facts as are `expected` in the next round, is so much that the pass is dropped."""
        parts, remaking = self._stratum.parts, self._remaking
        if remaking.costs_less_than_return(sum(map(len, deleted.values())) + expected):
            return None
        least = {code: count for part in parts if (count := part.least_lost(delta)) for code in part.codes}
        if remaking.costs_less_than_loss(least):
            return None
        for part in parts:
            part.doubt(delta, deleted)
        if not self._joined and any(part.sure for part in parts):
            self._join_surely()
        if parts and remaking.costs_less_than_return(sum(map(len, deleted.values())) + expected):
            return None
        shown: dict[int, Table] = {}
        for part in parts:
            shown.update(part.delete({**delta, **shown}))
        if remaking.costs_less_than_loss(counts(shown)) or remaking.costs_less_than_to_follow(shown):
            return None
        return shown

    def _join_surely(self) -> None:
        """Put in what connects groups of which members have gone, as far as it is sure."""
        for key, paths in self._stratum.spanning.surely_joined(self._stratum.support):
            fresh = self._state.insert(key, paths) if paths else None
            if fresh:
                self._joined[key] = self._joined[key].union(fresh) if key in self._joined else fresh

    def _newly_deleted(self, key: int, table: Table, deleted: Table | None) -> Table | None:
        """Those of some facts that go now: they are known, not gone already, and not sure to hold."""
        known = self._state.get(key)
        if not known:
            return None
        over = self._stratum.over
        delta = known.intersection(table) if over is None else over.represented.alike(key, known, table)
        explicit = self._state.explicit.get(relation_of(key))
        if explicit:
            delta = delta.difference(explicit)
        for other in (deleted, self._joined.get(key)):
            delta = delta.difference(other) if other else delta
        if not delta or not self._state.strategy.support or self._is_grouped(key):
            return delta
        sure = self._stratum.support.nonrecursive(relation_of(key), delta)
        return delta.difference(sure) if sure else delta

    def _is_grouped(self, key: int) -> bool:
        """Whether grouping rules derive the facts, which know themselves what they no longer derive."""
        uses = self._state.strata.heads.divided(relation_of(key))[0]
        return any(use.group.template.summaries for use in uses)
