"""The engine: explicit changes and rules go in, net changes of all facts come out.

An `apply` runs maintenance passes under fixed rules until no rule comes or goes. Guard facts that a pass
removed take their rules with them within that pass; guard facts that it derived bring new rules, which the
next pass evaluates. Whatever goes wrong on the way, facts and rules are as they were before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from kgreason.engine.evaluation import Terms
from kgreason.engine.facts import Changes, Facts
from kgreason.engine.families import Family, ParameterRows
from kgreason.engine.lists import ListModule
from kgreason.engine.maintenance import Maintenance
from kgreason.engine.shapes import Shape
from kgreason.engine.strata import Strata
from kgreason.schemes.relations import auxiliary_code


class RuleSource(Protocol):
    """What the engine asks when the facts bring rules."""

    def admit(self, family: Family, rows: ParameterRows) -> ParameterRows:
        """Those of the guard rows that make proper rules; may add further rules to the engine."""

    def sequences_changed(self, lengths: set[int]) -> None:
        """Lists of new lengths were found; may add rules to the engine."""


class Engine:
    """Facts and rules, kept at their fixpoint by `apply`."""

    def __init__(self, terms: Terms) -> None:
        self.facts = Facts()
        self.explicit = Facts()
        self.families: list[Family] = []
        self.lists: ListModule | None = None
        self._terms = terms
        self._plain: dict[tuple[str, Shape], Family] = {}
        self._guarded: dict[int, list[Family]] = {}
        self._strata: Strata | None = None
        self._auxiliaries = 0

    # -- rules ------------------------------------------------------------------------------------------------

    def new_relation(self) -> int:
        """The code of an auxiliary relation that nothing uses yet."""
        self._auxiliaries += 1
        return auxiliary_code(self._auxiliaries)

    def add_rules(self, name: str, shape: Shape, parameters: ParameterRows) -> None:
        """Add plain rules of one shape, which are not there yet, as rows of parameters."""
        family = self._plain.get((name, shape))
        if family is None:
            family = self._plain[name, shape] = Family(name, shape)
            self.families.append(family)
        family.add(parameters)
        self._strata = None

    def remove_rules(self, name: str, shape: Shape, parameters: ParameterRows) -> None:
        """Let plain rules leave with the next `apply`."""
        self._plain[name, shape].leave(parameters)
        self._strata = None

    def add_family(self, family: Family) -> None:
        """Add specialised rules; their guard relation must have no facts yet, or they bring their rows."""
        self.families.append(family)
        if family.guard is not None:
            self._guarded.setdefault(family.guard, []).append(family)
        self._strata = None

    def leave_family(self, family: Family) -> None:
        """Let a family without a guard leave; one with a guard leaves with its guard facts."""
        if family.guard is None:
            family.leaving = np.ones(len(family.rows), dtype=np.bool_)
            family.bases = family.bases[:0]
            family.fresh_bases = family.fresh_bases[:0]
        self._strata = None

    # -- facts ------------------------------------------------------------------------------------------------

    def apply(self, changes: Changes, source: RuleSource) -> Changes:
        """Bring all facts to the fixpoint after a net change of the explicit ones; the net change of all.

        Raises:
            StratificationError, ListError: and nothing has changed, neither facts nor rules that facts brought.
        """
        saved = self._snapshot()
        try:
            self._assert(changes)
            total = self._pass(changes)
            while self._update_rules(self._last, source):
                total.follow(self._pass(Changes()))
            if self.lists is not None:
                self.lists.validate(self.facts.get)
        except BaseException:
            self._restore(saved)
            raise
        return total

    def _assert(self, changes: Changes) -> None:
        for code in changes.added.keys() | changes.removed.keys():
            table = self.explicit.get(code)
            gone, come = changes.removed.get(code), changes.added.get(code)
            if table and gone:
                table = table.difference(gone)
            self.explicit.put(code, table.union(come) if table and come else table or come)

    def _pass(self, changes: Changes) -> Changes:
        strata = self._strata
        if strata is None or not all(strata.knows(code) for code in changes.added):
            with_facts = {*self.facts, *changes.added}
            dependencies = list(self.lists.dependencies()) if self.lists is not None else []
            strata = self._strata = Strata(self.families, with_facts, dependencies)
        modules = [self.lists] if self.lists is not None else []
        known = len(self.lists.sequences) if self.lists is not None else 0
        self._last = Maintenance(self.facts, self.explicit, strata, modules, self._terms).run(changes)
        for family in self.families:
            if family.leaving.any() or family.fresh.any() or family.fresh_bases.any():
                self._strata = None if family.leaving.any() else self._strata
                family.settle()
        if self.lists is not None and len(self.lists.sequences) > known:
            self._strata = None
        return self._last

    def _update_rules(self, changes: Changes, source: RuleSource) -> bool:
        """Let rules come and go with their guard facts; whether another pass is needed."""
        for code in changes.removed.keys() & self._guarded.keys():
            for family in self._guarded[code]:
                family.drop(_rows(changes.removed[code]))
                self._strata = None
        more = False
        for code in list(changes.added.keys() & self._guarded.keys()):
            for family in list(self._guarded[code]):
                rows = source.admit(family, _rows(changes.added[code]))
                if len(rows):
                    family.add(rows)
                    self._strata = None
                    more = True
        return more or self._update_sequences(source)

    def _update_sequences(self, source: RuleSource) -> bool:
        return False

    def _snapshot(self) -> tuple[object, ...]:
        states = [(family, family.snapshot()) for family in self.families]
        guarded = {code: list(families) for code, families in self._guarded.items()}
        return self.facts.copy(), self.explicit.copy(), states, guarded, dict(self._plain), self._auxiliaries

    def _restore(self, saved: tuple[object, ...]) -> None:
        self.facts, self.explicit, states, self._guarded, self._plain, self._auxiliaries = saved  # type: ignore[assignment]
        self.families = [family for family, _ in states]  # type: ignore[attr-defined]
        for family, state in states:  # type: ignore[attr-defined]
            family.restore(state)
        self._strata = None

    def _check(self) -> None:
        self.facts._check()
        self.explicit._check()
        for code, table in self.explicit.items():
            known = self.facts.get(code)
            assert known and len(table.difference(known)) == 0, "an explicit fact is missing"
        for family in self.families:
            assert not family.fresh.any() and not family.leaving.any(), "a rule waits outside a change"
            if family.guard is not None and not family.universals:
                guards = self.facts.get(family.guard)
                assert not len(family.rows) or guards, "rules without guard facts"


def _rows(table: object) -> ParameterRows:
    return np.stack(table.columns(), axis=1).astype(np.int64)  # type: ignore[attr-defined]


__all__ = ["Engine", "Iterator", "RuleSource"]
