"""Facts that are given instead of derived: an engine takes over a fixpoint that was computed elsewhere.

Given are the explicit facts and all facts of classes and properties, and of those auxiliary relations that the other
place kept as closures, written out or in a table of a scheme. They are not derived again. What else belongs to the
state of an engine follows from them in two steps:

1. The auxiliary relations, guards and members of lists among them, and with them the specialised rules: the passes of
   a change as usual, but with no rules except those that derive these relations.
2. The relations that schemes keep from now on. Every rule that no scheme stands for and that derives such a relation is
   evaluated once: over a fixpoint, this gives its external facts. Its scheme then makes the next version of the table
   that was given, so a closure whose edges are the external facts is taken over as it is.

Whether the given facts are a fixpoint is not checked, since that takes what deriving them takes; those of relations
that schemes keep are compared with what the schemes make of their inputs.

Cost: that of the rules with auxiliary heads, and of one evaluation of the rules that feed schemes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgreason.engine.facts import Changes, external_key
from kgreason.engine.maintenance.state import PassState
from kgreason.engine.maintenance.virtual import Derivation, Inputs, UnsuitedError
from kgreason.engine.meter import Meter
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.strata.choice import Choice
from kgreason.engine.strata.strata import Strata
from kgreason.schemes.catalogue import Catalogue
from kgreason.schemes.closures import net_change
from kgreason.schemes.inverse import InverseTable
from kgreason.schemes.relations import AUXILIARY, kind_of, union_of
from kgreason.schemes.scheme import Table

if TYPE_CHECKING:
    from kgreason.engine.engine import Engine, RuleSource
    from kgreason.engine.states import Undo


class GivenFactsError(Exception):
    """What is given of the relation `code` is not what follows from the other facts."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the facts of relation {code} do not follow")
        self.code = code


@dataclass(frozen=True, slots=True)
class Given:
    """The explicit facts, and all facts at their fixpoint, by relation."""

    explicit: Mapping[int, Table]
    facts: Mapping[int, Table]


def adopt(engine: Engine, given: Given, source: RuleSource, meter: Meter, undo: Undo) -> Changes:
    """Have an engine without explicit facts take over facts under the rules that it has; the net change of all.

    Args:
        meter: has the budget; given facts that are not explicit count as derived.
        undo: a fresh one, as for `Engine.apply`.

    Raises:
        GivenFactsError: some of the facts do not follow from the others, or something that follows is missing.
        StratificationError, BudgetError: as `Engine.apply`. In all cases nothing has changed.
    """
    assert not len(engine.explicit), "the engine has explicit facts of its own"
    undo.begin(engine)
    undo.save_rules(engine, source)
    try:
        return _Adoption(engine, given, source, meter, undo).run()
    except BaseException:
        undo.revert(engine, source)
        raise


@dataclass(frozen=True, slots=True)
class _Adoption:
    engine: Engine
    given: Given
    source: RuleSource
    meter: Meter
    undo: Undo

    def run(self) -> Changes:
        """Take everything over."""
        engine = self.engine
        choice = engine.choice
        try:
            engine._given = frozenset(code for code in self.given.facts if kind_of(code) == AUXILIARY)
            engine.choice = Choice(Catalogue({}), choice.strategy)
            self._begin()
            self._find_rules()
        finally:
            engine.choice, engine._given = choice, None
            engine.forget_strata()
        self._hand_over()
        engine.breaks = engine.lists.touched_breaks(engine.facts.get) if engine.lists is not None else []
        engine._forget_retired()
        return self._net_change()

    # -- the rules ----------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Put the facts in place; rules that were seen to when there were no facts wait again."""
        engine = self.engine
        state = self._pass_state(self._strata())
        for code, table in self.given.explicit.items():
            self.meter.asserted(table)
            self.undo.explicit.setdefault(code, None)
            engine.explicit.put(code, table)
        for code in list(engine.external):
            state.put(external_key(code), None)
        for code in list(engine.definitions):
            known = engine.facts.get(code)
            state.put(code, known.plain() if known is not None and kind_of(code) == AUXILIARY else None)
        for code, table in self.given.facts.items():
            state.put(code, table)
        engine.definitions = {}
        engine.forget_strata()
        for family in engine.families:
            family.wait()

    def _find_rules(self) -> None:
        """Derive the auxiliary relations, until they bring no more rules."""
        engine = self.engine
        fresh: tuple[int, ...] = ()
        engine._external_changes = Changes()
        while True:
            engine._pass(Changes(), self.source, self.undo, self.meter, fresh)
            if not engine._update_rules(self.source, self.undo, self.meter):
                return
            fresh, engine._fresh_lengths = engine._fresh_lengths, ()

    # -- the schemes --------------------------------------------------------------------------------------------

    def _hand_over(self) -> None:
        """Let the schemes that the engine chooses keep their relations from now on."""
        engine = self.engine
        while True:
            strata = self._strata()
            state = self._pass_state(strata)
            definitions = strata.definitions()
            for code, known in list(engine.facts.items()):
                if code not in definitions and known.is_virtual:
                    state.put(code, known.plain())
            try:
                external, tables = self._virtual(strata)
            except UnsuitedError as unsuited:
                engine.choice.unsuited |= unsuited.codes
            else:
                break
        for code, table in external.items():
            state.put(external_key(code), table)
        for code, table in tables.items():
            self._compare(code, engine.facts.get(code), table)
            state.put(code, table)
        engine.definitions = definitions
        engine._settle(strata)
        engine._strata = strata

    def _virtual(self, strata: Strata) -> tuple[dict[int, Table | None], dict[int, Table | None]]:
        """The external facts of the relations that schemes keep, and their tables.

        Raises:
            UnsuitedError: a scheme cannot keep its relations.
        """
        engine = self.engine
        definitions = sorted({*strata.definitions().values()}, key=lambda d: strata.component(d.members[0].code))
        codes = [member.code for definition in definitions for member in definition.members]
        external = {code: self._external(strata, code) for code in codes}
        tables: dict[int, Table | None] = {}

        def read(key: int) -> Table | None:
            if key < 0:
                return external.get(~key)
            return tables[key] if key in tables else _base(engine.facts.get(key))

        inputs = Inputs(read, read, Changes(), Changes())
        for definition in definitions:
            self.meter.tick()
            scheme = engine.choice.catalogue.of(definition)
            derivation = Derivation(definition, scheme, inputs, engine._terms.literal_mask)
            tables.update(derivation.anew())
        return external, tables

    def _external(self, strata: Strata, code: int) -> Table | None:
        """What is asserted of a relation, or derived by rules that no scheme stands for."""
        evaluation = Evaluation(self.engine.facts.get, self.engine._terms, self.meter)
        explicit = self.engine.explicit.get(code)
        found = [explicit] if explicit else []
        for use in strata.heads.of(code):
            self.meter.begin(use)
            derived = evaluation.heads(use.family.shape, use.parameters)
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

    def _strata(self) -> Strata:
        engine = self.engine
        dependencies = list(engine.lists.dependencies()) if engine.lists is not None else []
        possible = {*engine.facts, *self.given.facts}
        return Strata(
            engine.families, possible, dependencies, engine._hidden, engine.choice, self.meter, engine._given
        )

    def _pass_state(self, strata: Strata) -> PassState:
        """What changes facts so that it can be undone."""
        engine = self.engine
        facts = (engine.facts, engine.explicit, engine.external)
        choice = engine.choice
        state = PassState(*facts, strata, engine._terms, choice.catalogue, choice.strategy, self.meter)
        self.undo.passes.append(state)
        return state

    def _net_change(self) -> Changes:
        engine, total, external = self.engine, Changes(), Changes()
        for code, before in self.undo.facts().items():
            total.replace(code, *net_change(before, engine.facts.get(code)))
        for code, table in engine.external.items():
            external.replace(code, table, None)
        engine._external_changes = external
        engine._note_stored(total)
        return total


def _base(table: Table | None) -> Table | None:
    """A closure by itself where another one is turned round: a scheme goes on from its own kind of table."""
    return table.base.inverse() if isinstance(table, InverseTable) else table
