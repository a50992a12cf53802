"""Facts that are given instead of derived: an engine takes over a fixpoint that was computed elsewhere.

Given are the explicit facts and all facts of classes and properties, and of those auxiliary relations that the other
place kept as closures, written out or in a table of a scheme. They are not derived again. What else belongs to the
state of an engine follows from them in three steps:

1. The auxiliary relations, guards and members of lists among them, and with them the specialised rules: the passes of
   a change as usual, but with no rules except those that derive these relations.
2. The relations that schemes keep from now on. Every rule that no scheme stands for and that derives such a relation is
   evaluated once: over a fixpoint, this gives its external facts. Its scheme then makes the next version of the table
   that was given, so a closure whose edges are the external facts is taken over as it is.
3. Strata of which rules read relations over representatives are derived again: what a class owes its members to cannot
   be read off the facts of all its members, and there are few facts over representatives.

Whether the given facts are a fixpoint is not checked, since that takes what deriving them takes; those of relations
that schemes keep are compared with what the schemes make of their inputs.

Cost: that of the rules with auxiliary heads, and of one evaluation of the rules that feed schemes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from kgreason.engine.effort import Effort
from kgreason.engine.engine import Driver
from kgreason.engine.engine_state import EngineState, Outcome, Setting, Specialise
from kgreason.engine.facts import Changes, external_key
from kgreason.engine.meter import Meter
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.table_versions import Derivation, Inputs
from kgreason.engine.modules.unsuited import UnsuitedError, refuse_literals
from kgreason.engine.rules.cliques import clique_of
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.strata.scheme_policy import SchemePolicy
from kgreason.engine.strata.strata import Strata
from kgreason.relations.catalogue import CHAIN, STEPS, Catalogue, Definition, Input
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason.relations.net_changes import net_change
from kgreason.relations.plain import union_of
from kgreason.relations.table import Table

P = TypeVar("P")


class GivenFactsError(Exception):
    """The facts given of the relation `code` are not those that follow from the others."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the facts of relation {code} do not follow")
        self.code = code


@dataclass(frozen=True, slots=True)
class Given:
    """The explicit facts, and all facts at their fixpoint, by relation."""

    explicit: Mapping[int, Table]
    facts: Mapping[int, Table]


def adopt(
    state: EngineState, program: P, given: Given, setting: Setting, specialise: Specialise[P], meter: Meter
) -> Outcome[P]:
    """Have a state without explicit facts take over facts under the rules that it has.

    Args:
        program, specialise: as for `kgreason.engine.engine.apply`.
        meter: has the budget; given facts that are not explicit count as derived.

    Raises:
        GivenFactsError: some of the facts do not follow from the others, or something that follows is missing.
        StratificationError, BudgetError: as `kgreason.engine.engine.apply`.
    """
    assert not len(state.explicit), "the state has explicit facts of its own"
    auxiliary = frozenset(code for code in given.facts if kind_of(code) == AUXILIARY)
    while True:
        driver = Driver(state, program, setting, specialise, meter, given=auxiliary)
        try:
            return _Adoption(driver, given, meter).run()
        except UnsuitedError as unsuited:
            state = replace(state, unsuited=state.unsuited | unsuited.codes, strata=None)
            meter.restart()


@dataclass(frozen=True, slots=True)
class _Adoption(Generic[P]):
    driver: Driver[P]
    given: Given
    meter: Meter
    _begun: list[PassState] = field(default_factory=list)

    def run(self) -> Outcome[P]:
        """Take everything over."""
        driver = self.driver
        before, policy = driver.state.facts, driver.policy
        driver.policy = SchemePolicy(Catalogue({}), policy.strategy)
        self._begin()
        driver.make_passes(Changes())
        driver.policy, driver.given = policy, None
        self._hand_over()
        total = Changes()
        for code in driver.totals.touched.union(*(state.touched for state in self._begun)):
            if code >= 0:
                total.replace(code, *net_change(before.get(code), driver.facts.get(code)))
        driver.totals.external_changes = Changes()
        for code, table in driver.external.items():
            driver.totals.external_changes.replace(code, table, None)
        outcome = driver.outcome(total)
        return replace(outcome, state=replace(outcome.state, effort=Effort()))

    # -- the rules ----------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Put the facts in place; rules that were seen to when there were no facts wait again."""
        driver = self.driver
        state = self._pass_state(self._strata(RuleDraft(driver.state.rules)))
        explicit = driver.explicit.draft()
        for code, table in self.given.explicit.items():
            self.meter.asserted(table)
            explicit.put(code, table)
        for code in list(driver.external):
            state.put(external_key(code), None)
        for code in list(driver.state.definitions):
            known = driver.facts.get(code)
            state.put(code, known.materialised() if known is not None and kind_of(code) == AUXILIARY else None)
        for code, table in self.given.facts.items():
            state.put(code, table)
        draft = RuleDraft(driver.state.rules)
        draft.wait()
        driver.explicit = explicit.version()
        driver.state = replace(driver.state, definitions={}, rules=draft.rules(), strata=None)

    # -- the schemes --------------------------------------------------------------------------------------------

    def _hand_over(self) -> None:
        """Let the schemes that the policy chooses keep their relations from now on.

        Raises:
            UnsuitedError: a scheme cannot keep its relations, nor others those that the literals come to from there.
        """
        driver = self.driver
        while True:
            draft = RuleDraft(driver.state.rules)
            strata = self._strata(draft)
            state = self._pass_state(strata)
            definitions = strata.definitions()
            for code, known in list(driver.facts.items()):
                if code not in definitions and known.is_virtual:
                    state.put(code, known.materialised())
            try:
                external, tables = self._virtual(strata)
            except UnsuitedError as unsuited:
                raise unsuited.spread(definitions) from None
            if not self._leave_steps(state, definitions, tables):
                break
        for code, table in external.items():
            state.put(external_key(code), table)
        for code, table in tables.items():
            self._compare(code, driver.facts.get(code), table)
            state.put(code, table)
        driver.finish_pass(draft, strata)
        self._derive_again(_derived_again(strata))

    def _derive_again(self, codes: frozenset[int]) -> None:
        """Remake the strata of some relations, as if no scheme had kept these."""
        driver = self.driver
        if not codes:
            return
        given = {code: driver.facts.get(code) for code in codes}
        definitions = {code: each for code, each in driver.state.definitions.items() if code not in codes}
        driver.state = replace(driver.state, definitions=definitions, strata=None)
        driver.make_passes(Changes())
        for code, known in given.items():
            self._compare(code, known, driver.facts.get(code))

    def _leave_steps(
        self, state: PassState, definitions: Mapping[int, Definition], tables: Mapping[int, Table | None]
    ) -> bool:
        """Drop the rules of guard facts that are no steps for the scheme that keeps them from now on; whether there
        were any."""
        driver, has_dropped = self.driver, False
        draft = RuleDraft(driver.state.rules)
        for code, table in tables.items():
            known = driver.facts.get(code)
            if definitions[code].closure == STEPS and known and len(known) > len(table or ()):
                for number in draft.guarded[code]:
                    draft.drop(number, known.difference(table) if table else known)
                state.put(code, table)
                has_dropped = True
        if has_dropped:
            driver.state = replace(driver.state, rules=draft.rules(), strata=None)
        return has_dropped

    def _virtual(self, strata: Strata) -> tuple[dict[int, Table | None], dict[int, Table | None]]:
        """The external facts of the relations that schemes keep, and their tables.

        Raises:
            UnsuitedError: a scheme cannot keep its relations.
        """
        driver = self.driver
        again, literals = _derived_again(strata), driver.setting.terms.object_only_mask
        for each in dict.fromkeys(strata.definitions()[code] for code in sorted(again)):
            # Others are derived from these as they were given.
            known = driver.facts.get(each.members[0].code)
            refuse_literals(each, literals, [Input(None, known, known, None, CHAIN)], anew=True)
        found = {each for code, each in strata.definitions().items() if code not in again}
        definitions = sorted(found, key=lambda d: (strata.component(d.members[0].code), d.follows_part))
        codes = [member.code for definition in definitions for member in definition.members]
        external = {code: self._external(strata, code) for code in codes}
        tables: dict[int, Table | None] = {}

        def read(key: int) -> Table | None:
            if key < 0:
                return external.get(~key)
            return tables[key] if key in tables else driver.facts.get(key)

        inputs = Inputs(read, read, Changes(), Changes(), literals)
        for definition in definitions:
            self.meter.tick()
            scheme = driver.policy.catalogue.of(definition)
            derivation = Derivation(definition, scheme, inputs, driver.setting.terms)
            tables.update(derivation.anew())
        return external, tables

    def _external(self, strata: Strata, code: int) -> Table | None:
        """The facts of a relation that are asserted, or derived by rules that no scheme stands for."""
        evaluation = Evaluation(self.driver.facts.get, self.driver.setting.terms, self.meter)
        explicit = self.driver.explicit.get(code)
        found = [explicit] if explicit else []
        for use in strata.heads.of(code):
            self.meter.begin(use)
            spanned = strata.spanned(code)
            clique = clique_of(use.group.template, use.parameters, spanned)
            if spanned is None or clique is None:
                derived = evaluation.heads(use.group.template, use.parameters)
            else:
                derived = evaluation.groups(clique, use.group.template, use.parameters, spanned.excluded).paths()
            if derived:
                found.append(derived)
        return union_of(found) if found else None

    @staticmethod
    def _compare(code: int, known: Table | None, table: Table | None) -> None:
        """Compare facts that were given, if they were written out, with what a scheme makes of its inputs; of closures
        that were given only the size."""
        is_same = len(known or ()) == len(table or ())
        if is_same and known and table and not known.is_virtual:
            is_same = bool(table.contains(known.columns()).all())
        if not is_same:
            raise GivenFactsError(code)

    # -- both ---------------------------------------------------------------------------------------------------

    def _strata(self, draft: RuleDraft) -> Strata:
        changes = Changes()
        changes.added.update(self.given.facts)
        return self.driver.strata(draft, changes)

    def _pass_state(self, strata: Strata) -> PassState:
        """What tells the meter of facts that are put in place."""
        state = self.driver.pass_state(strata)
        self._begun.append(state)
        return state


def _derived_again(strata: Strata) -> frozenset[int]:
    """The relations that schemes keep in strata of which rules read some over representatives."""
    definitions = strata.definitions()
    numbers = {strata.component(code) for code, each in definitions.items() if each.is_represented_part}
    return frozenset(code for code in definitions if strata.component(code) in numbers)
