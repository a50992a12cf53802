"""One maintenance pass under a fixed set of rules: overdelete, rederive, insert, stratum by stratum (DRed).

The pass takes net changes of explicit facts, rules that are fresh and rules that leave, and brings the facts to
the fixpoint of the explicit facts under the rules that stay. Strata wait in a heap and are visited in
topological order, only where something below or in them changed, so a change costs nothing for rules that it
cannot reach. In a stratum:

1. *Overdelete*: every fact that loses one of its derivations, judged by the view before the pass, and
   what depended on it; explicit facts stay.
2. *Rederive*: overdeleted facts that still follow in one step from what is left.
3. *Insert*: rederived and new facts, and what follows from them, seminaively.

Source: DRed (Gupta, Mumick, Subrahmanian 1993) in the form of papers 000 and 002, with the seminaive module only.
A specialised rule carries its guard fact as one more body atom: when the guard is overdeleted, so is what
the rule derived, and the rule rederives nothing until the guard comes back. This is what keeps an axiom
from supporting itself through its own rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from kgreason.engine.evaluation import Evaluation, Reader, Terms
from kgreason.engine.facts import Changes, Facts
from kgreason.engine.families import Use
from kgreason.engine.modules import Module
from kgreason.engine.strata import Strata
from kgreason.engine.virtual import Derivation, Inputs
from kgreason.engine.waiting import Candidates, WaitingStratum
from kgreason.schemes.catalogue import Catalogue, Definition
from kgreason.schemes.closures import net_change
from kgreason.schemes.scheme import Table


class Maintenance:
    """One pass; `run` may be called once."""

    def __init__(
        self,
        facts: Facts,
        explicit: Facts,
        external: Facts,
        strata: Strata,
        modules: Sequence[Module],
        terms: Terms,
        catalogue: Catalogue,
    ) -> None:
        """Facts change in place, `before` keeps what they were; `explicit` is as it is after the change.

        `external` are the external facts of the relations that schemes keep, with `external_before`.
        """
        self._facts = facts
        self._explicit = explicit
        self._external = external
        self._strata = strata
        self._modules = modules
        self._catalogue = catalogue
        self._literals = terms.literal_mask
        self.before: dict[int, Table | None] = {}
        self.external_before: dict[int, Table | None] = {}
        self._now_evaluation = Evaluation(facts.get, terms)
        self._before_evaluation = Evaluation(self._read_before, terms)
        self.changes = Changes()
        self._heap: list[int] = []
        self._waiting: dict[int, WaitingStratum] = {}

    def run(
        self,
        explicit_changes: Changes,
        fresh_targets: Sequence[tuple[Module, int]] = (),
        redefined: Mapping[int, bool] | None = None,
    ) -> Changes:
        """Maintain, and give the net changes of all facts.

        `fresh_targets` of modules are derived in full. `redefined` are relations whose definition has changed,
        and whether their facts must be remade because a scheme takes over from tables or the other way round.
        """
        for code, remade in (redefined or {}).items():
            if self._strata.knows(code):
                stratum = self._stratum(code)
                stratum.redefined = True
                stratum.remade |= remade
        for module, target in fresh_targets:
            self._stratum(target).targets.append((module, target))
        for code, table in explicit_changes.removed.items():
            self._stratum(code).removed.append((code, table))
        for code, table in explicit_changes.added.items():
            self._stratum(code).added.append((code, table))
        for use in self._strata.leaving.all():
            self._stratum(use.head).leaving.append(use)
        for use in self._strata.fresh.all():
            self._stratum(use.head).fresh.append(use)
        while self._heap:
            number = heappop(self._heap)
            self._maintain(number, self._waiting.pop(number))
        return self.changes

    def _read_before(self, code: int) -> Table | None:
        return self.before[code] if code in self.before else self._facts.get(code)

    def _stratum(self, code: int) -> WaitingStratum:
        return self._waiting_stratum(self._strata.component(code))

    def _waiting_stratum(self, number: int) -> WaitingStratum:
        stratum = self._waiting.get(number)
        if stratum is None:
            stratum = self._waiting[number] = WaitingStratum()
            heappush(self._heap, number)
        return stratum

    def _maintain(self, number: int, stratum: WaitingStratum) -> None:
        definition = self._strata.definition(number)
        store = self._facts if definition is None else self._external
        self._store, self._store_before = store, self.before if definition is None else self.external_before
        if stratum.remade:
            self._empty(number, stratum)
        deleted = self._overdelete(number, stratum)
        for code, table in deleted.items():
            known = store.get(code)
            self._change(code, known.difference(table) if known else None)
        pending = Candidates()
        self._rederive(deleted, pending)
        inserted = self._insert(number, stratum, pending)
        if definition is not None:
            self._derive(number, definition, stratum.redefined)
        elif stratum.remade:
            for code in self._strata.members(number):
                self._report(number, code, net_change(self.before.get(code), self._facts.get(code)))
        else:
            for code in deleted.keys() | inserted.keys():
                gone, come = deleted.get(code), inserted.get(code)
                both = gone.intersection(come) if gone and come else None
                added = come.difference(both) if come and both else come
                removed = gone.difference(both) if gone and both else gone
                self._report(number, code, (added or None, removed or None))

    def _report(self, number: int, code: int, change: tuple[Table | None, Table | None]) -> None:
        added, removed = change
        if added is not None or removed is not None:
            self.changes.record(code, added, removed)
            self._notify_above(number, code)

    def _empty(self, number: int, stratum: WaitingStratum) -> None:
        """Take all facts out of a stratum that is remade, and let everything that derives them do so again."""
        for code in self._strata.members(number):
            self.before.setdefault(code, self._facts.get(code))
            self.external_before.setdefault(code, self._external.get(code))
            self._external.put(code, None)
            if self._strata.definition(number) is None:
                self._facts.put(code, None)
            explicit = self._explicit.get(code)
            if explicit:
                stratum.added.append((code, explicit))
            stratum.fresh.extend(self._strata.heads.of(code))
            for module in self._modules:
                if code in module.targets:
                    stratum.targets.append((module, code))

    def _derive(self, number: int, definition: Definition, redefined: bool) -> None:
        """Have the scheme of a stratum give the next version of its relations."""
        scheme = self._catalogue.of(definition)
        inputs = Inputs(self._external, self.external_before, self._facts.get, self._read_before, self.changes)
        for code, table, change in Derivation(definition, scheme, inputs, self._literals).members(redefined):
            self.before.setdefault(code, self._facts.get(code))
            self._facts.put(code, table)
            self._report(number, code, change)

    def _change(self, code: int, table: Table | None) -> None:
        """Replace what the stratum at hand stores of one of its relations."""
        self._store_before.setdefault(code, self._store.get(code))
        self._store.put(code, table)

    def _notify_above(self, number: int, code: int) -> None:
        """Have the strata above visited that use a relation which changed."""
        for uses, negated in ((self._strata.body, False), (self._strata.negated, True)):
            for use in uses.of(code):
                if self._strata.component(use.head) != number:
                    self._stratum(use.head).triggers.append((use, code, negated))
        for family in self._strata.guards.get(code, ()):
            removed = self.changes.removed.get(code)
            if removed is not None:
                for use in self._strata.guarded(family, removed):
                    if self._strata.component(use.head) != number:
                        self._stratum(use.head).unguarded.append(use)
        for reader in self._strata.readers(code):
            if reader != number:
                self._waiting_stratum(reader)
        for module in self._modules:
            if code in module.inputs:
                known = filter(self._strata.knows, module.targets)
                above = {self._strata.component(target): target for target in known}
                above.pop(number, None)
                for target in above.values():
                    self._stratum(target).modules.append((module, code))

    # -- overdelete ------------------------------------------------------------------------------------------

    def _overdelete(self, number: int, stratum: WaitingStratum) -> dict[int, Table]:
        """The facts of the stratum that lose a derivation or their assertion, unless they are explicit."""
        candidates = Candidates()
        for code, table in stratum.removed:
            candidates.add(code, table)
        evaluation = self._before_evaluation
        for use in (*stratum.leaving, *stratum.unguarded):
            candidates.add(use.head, evaluation.heads(use.family.shape, use.parameters))
        for use, code, negated in stratum.triggers:
            lost = self.changes.added.get(code) if negated else self.changes.removed.get(code)
            if lost is not None:
                candidates.add(use.head, self._from_delta(evaluation, use, lost, negated))
        for module, code in stratum.modules:
            if code in self.changes.removed:
                self._from_module(module, number, self._read_before, code, self.changes.removed[code], candidates)
        deleted: dict[int, Table] = {}
        while candidates:
            for code, table in candidates.take():
                delta = self._newly_deleted(code, table, deleted.get(code))
                if delta:
                    deleted[code] = deleted[code].union(delta) if code in deleted else delta
                    self._overdelete_from(number, code, delta, candidates)
        return deleted

    def _newly_deleted(self, code: int, table: Table, deleted: Table | None) -> Table | None:
        known = self._store.get(code)
        if not known:
            return None
        delta = known.intersection(table)
        explicit = self._explicit.get(code)
        if explicit:
            delta = delta.difference(explicit)
        return delta.difference(deleted) if deleted else delta

    def _overdelete_from(self, number: int, code: int, delta: Table, candidates: Candidates) -> None:
        """What the stratum derives from deleted facts of one of its own relations."""
        evaluation = self._before_evaluation
        for use in self._strata.body.of(code):
            if self._strata.component(use.head) == number and not use.family.fresh[use.row]:
                candidates.add(use.head, self._from_delta(evaluation, use, delta, negated=False))
        for family in self._strata.guards.get(code, ()):
            for use in self._strata.guarded(family, delta):
                if self._strata.component(use.head) == number:
                    candidates.add(use.head, evaluation.heads(use.family.shape, use.parameters))
        for module in self._modules:
            if code in module.inputs:
                self._from_module(module, number, self._read_before, code, delta, candidates)

    # -- rederive ---------------------------------------------------------------------------------------------

    def _rederive(self, deleted: dict[int, Table], pending: Candidates) -> None:
        """Collect the deleted facts that follow in one step from the facts that are left."""
        for code, table in deleted.items():
            for use in self._strata.heads.of(code):
                if self._is_active(use):
                    shape = use.family.shape
                    pending.add(code, self._now_evaluation.derivable(shape, use.parameters, table))
            for module in self._modules:
                if code in module.targets:
                    pending.add(code, module.derivable(self._facts.get, code, table))

    def _is_active(self, use: Use) -> bool:
        """Whether the rule has been evaluated before and still holds."""
        return not use.family.fresh[use.row] and self._may_fire(use)

    def _may_fire(self, use: Use) -> bool:
        """Whether the rule does not leave and its guard fact is there."""
        family = use.family
        if family.leaving[use.row]:
            return False
        if family.guard is None or family.guard not in self.before:
            return True
        table = self._facts.get(family.guard)
        return table is not None and family.guard_holds(use.row, table)

    # -- insert -----------------------------------------------------------------------------------------------

    def _insert(self, number: int, stratum: WaitingStratum, pending: Candidates) -> dict[int, Table]:
        """Everything that is new in the stratum: rederived, asserted, and what follows."""
        for code, table in stratum.added:
            pending.add(code, table)
        evaluation = self._now_evaluation
        for use, code, negated in stratum.triggers:
            gained = self.changes.removed.get(code) if negated else self.changes.added.get(code)
            if gained is not None and self._is_active(use):
                pending.add(use.head, self._from_delta(evaluation, use, gained, negated))
        for module, code in stratum.modules:
            if code in self.changes.added:
                self._from_module(module, number, self._facts.get, code, self.changes.added[code], pending)
        for module, target in stratum.targets:
            pending.add(target, module.everything(self._facts.get, target))
        for use in filter(self._may_fire, stratum.fresh):
            pending.add(use.head, evaluation.heads(use.family.shape, use.parameters))
        inserted: dict[int, Table] = {}
        while pending:
            for code, table in pending.take():
                known = self._store.get(code)
                delta = table.difference(known) if known else table
                if delta:
                    inserted[code] = inserted[code].union(delta) if code in inserted else delta
                    self._change(code, known.union(delta) if known else delta)
                    self._insert_from(number, code, delta, pending)
        return inserted

    def _insert_from(self, number: int, code: int, delta: Table, pending: Candidates) -> None:
        """What the stratum derives from new facts of one of its own relations."""
        evaluation = self._now_evaluation
        for use in self._strata.body.of(code):
            if self._strata.component(use.head) == number and self._may_fire(use):
                pending.add(use.head, self._from_delta(evaluation, use, delta, negated=False))
        for family in self._strata.guards.get(code, ()):
            for use in self._strata.guarded(family, delta):
                if self._strata.component(use.head) == number and not family.leaving[use.row]:
                    pending.add(use.head, evaluation.heads(use.family.shape, use.parameters))
        for module in self._modules:
            if code in module.inputs:
                self._from_module(module, number, self._facts.get, code, delta, pending)

    def _from_module(
        self, module: Module, number: int, read: Reader, code: int, delta: Table, target: Candidates
    ) -> None:
        """What a module derives from facts of an input, as far as it belongs to the stratum."""
        for derived, table in module.derive(read, code, delta):
            if self._strata.knows(derived) and self._strata.component(derived) == number:
                target.add(derived, table)

    @staticmethod
    def _from_delta(evaluation: Evaluation, use: Use, delta: Table, negated: bool) -> Table | None:
        shape = use.family.shape
        if negated:
            return evaluation.heads_from_negated(shape, use.parameters, use.position, delta)
        return evaluation.heads_from(shape, use.parameters, use.position, delta)
