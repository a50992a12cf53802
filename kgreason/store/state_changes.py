"""Changes of a knowledge base, as functions from one state to the next.

A change is maintained; where that cannot tell what still follows, or takes more work than to derive everything anew,
everything is derived anew, and what readers learn of it is the net change all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from kgreason.checkpoints import heeding
from kgreason.engine.budget import Budget
from kgreason.engine.effort import DearerThanAnewError, Effort, UnsureError
from kgreason.engine.engine import ExplicitChange, asserted
from kgreason.engine.engine import apply as apply_to_engine
from kgreason.engine.engine_state import EngineState, Outcome
from kgreason.engine.facts import Changes, Facts
from kgreason.engine.meter import Meter, Producer
from kgreason.engine.modules.list_cells import Break
from kgreason.engine.replacement import as_change
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.strata.relation_order import CircularError
from kgreason.io.quad_steps import Step
from kgreason.io.quads import Quads
from kgreason.program.stratification import check_stratification
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason.relations.table import Mask
from kgreason.store.asserted_triples import with_asserted
from kgreason.store.explicit_triples import Staged, staged
from kgreason.store.rule_descriptions import Descriptions
from kgreason.store.specialised_program import RuleEdit, SpecialisedProgram
from kgreason.store.specialiser import Specialisation
from kgreason.store.state import Configuration, State, Tables
from kgreason.store.warm_up import warm_up


def edited(state: State, edit: RuleEdit, configuration: Configuration) -> State:
    """The state with other rules, which wait until the next change maintains them.

    Raises:
        StratificationError: the rules are not stratified.
    """
    specialisation = Specialisation(configuration.dictionary, state.program)
    program, rules = specialisation.edited(edit, state.engine.rules, state.engine.sequences)
    check_stratification(program.rules)
    return replace(state, engine=replace(state.engine, rules=rules, strata=None), program=program)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Change:
    """The outcome of a change.

    Args:
        changes: the net change of all facts, None where nothing had to be maintained.
        breaks: where lists break that the change concerned.
    """

    state: State
    changes: Changes | None = None
    breaks: Sequence[Break] = ()


def apply(
    state: State, steps: Sequence[Step], edit: RuleEdit | None, configuration: Configuration, budget: Budget
) -> Change:
    """The state after steps of explicit triples and an edit of the rules.

    Raises:
        StratificationError: the rules are not stratified.
        BudgetError: the change derives more than the budget allows.
    """
    before, engine, budget = state, state.engine, budget.begun()
    if edit is not None:
        with heeding(Meter(budget).check):
            state = edited(state, edit, configuration)
    with heeding(Meter(budget).check):
        found = staged(steps, before.graphs, engine.explicit, configuration.type_id, _literals(configuration))
        if not (found.changes or edit is not None or state.has_waiting_rules):
            if not found.tables:
                return Change(before)
            graphs = found.graphs(engine.explicit)
            return Change(replace(before, graphs=graphs, views=before.views.after(engine, graphs, None)))
        change = asserted(engine.explicit, found.changes, found.asserted)
        change = with_asserted(engine.explicit, change, state.program.auxiliaries, configuration.type_id)
        return _change(before, found, _outcome(state, change, configuration, budget), configuration)


def _outcome(
    state: State, change: ExplicitChange, configuration: Configuration, budget: Budget
) -> Outcome[SpecialisedProgram]:
    """What a change of the explicit facts comes to: by maintenance, or by deriving everything anew, where maintenance
    cannot tell, or takes more work and there is the memory for it."""
    rules, effort = state.engine.rules, state.engine.effort
    if not (change.changes.removed or rules.leaving or rules.retired):
        if not (len(state.engine.facts) and rules.may_lose_facts):  # what only adds derives nothing twice
            return _maintained(state, change, configuration, budget)
        effort = Effort()
    try:
        return _maintained(state, change, configuration, budget, effort)
    except UnsureError:
        return _derived_anew(state, change.explicit, configuration, budget)
    except DearerThanAnewError:
        with suppress(MemoryError):
            return _derived_anew(state, change.explicit, configuration, budget)
        return _maintained(state, change, configuration, budget)


def _maintained(
    state: State, change: ExplicitChange, configuration: Configuration, budget: Budget, most: Effort | None = None
) -> Outcome[SpecialisedProgram]:
    """What a change comes to by maintenance; DearerThanAnewError where that takes more than an effort."""
    specialisation = Specialisation(configuration.dictionary, state.program)
    meter = _meter(specialisation, budget)
    if most is not None:
        meter.compare(most)
    with _named(specialisation):
        return apply_to_engine(state.engine, state.program, change, configuration.engine, specialisation, meter)


def _derived_anew(
    state: State, explicit: Facts, configuration: Configuration, budget: Budget
) -> Outcome[SpecialisedProgram]:
    """What a change of a state comes to, found by deriving everything from the explicit facts after it."""
    engine, draft = state.engine, RuleDraft(state.engine.rules)
    draft.begin_again()
    specialisation = Specialisation(configuration.dictionary, state.program)
    meter = _meter(specialisation, budget)
    meter.replaces(engine.facts, engine.explicit)
    everything = Changes()
    everything.added.update(explicit.items())
    begun = EngineState(rules=draft.rules(), sequences=engine.sequences, unsuited=engine.unsuited)
    change = ExplicitChange(everything, explicit)
    with _named(specialisation):
        outcome = apply_to_engine(begun, state.program, change, configuration.engine, specialisation, meter)
    return as_change(engine, outcome, configuration.engine)


def take_over(
    state: State,
    quads: Quads,
    given: Callable[[Tables], Tables],
    configuration: Configuration,
    budget: Budget,
) -> Change:
    """The state with explicit quads, where it has none, and what follows from them under its rules.

    `given` gives all facts, by relation, for the explicit ones.

    Raises:
        GivenFactsError: some of the facts do not follow.
        StratificationError, BudgetError: as `apply`.
    """
    from kgreason.engine.adoption import Given, adopt  # only where another engine has derived what follows

    steps: list[Step] = [(quads, Quads.empty())]
    engine = state.engine
    specialisation = Specialisation(configuration.dictionary, state.program)
    meter = _meter(specialisation, budget)
    with heeding(meter.check), _named(specialisation):
        found = staged(steps, state.graphs, engine.explicit, configuration.type_id, _literals(configuration))
        change = asserted(engine.explicit, found.changes, found.asserted)
        change = with_asserted(engine.explicit, change, state.program.auxiliaries, configuration.type_id)
        mirrored = {code: table for code, table in change.changes.added.items() if kind_of(code) == AUXILIARY}
        facts = Given(change.changes.added, {**given(found.changes.added), **mirrored})
        outcome = adopt(engine, state.program, facts, configuration.engine, specialisation, meter)
        return _change(state, found, outcome, configuration)


def _change(
    before: State, found: Staged, outcome: Outcome[SpecialisedProgram], configuration: Configuration
) -> Change:
    engine = outcome.state
    graphs = found.graphs(engine.explicit)
    views = before.views.after(engine, graphs, outcome.stored)
    warm_up(engine, outcome.stored, views, configuration.dictionary)
    return Change(State(engine, outcome.program, graphs, views), outcome.changes, outcome.breaks)


def _literals(configuration: Configuration) -> Mask:
    return configuration.dictionary.object_only_mask()


@contextmanager
def _named(specialisation: Specialisation) -> Iterator[None]:
    """Have an error about a circle of relations name them, and the rule as it was written."""
    try:
        yield
    except CircularError as error:
        raise Descriptions(specialisation.program, specialisation.dictionary).circular(error) from None


def _meter(specialisation: Specialisation, budget: Budget) -> Meter:
    """A meter of a change, which names the rules as they are while it is made."""
    known: list[Descriptions] = []

    def describe(producer: Producer, head: int) -> tuple[str, str]:
        if not known or known[0].program is not specialisation.program:
            known[:] = [Descriptions(specialisation.program, specialisation.dictionary)]
        return known[0].of(producer, head)

    return Meter(budget, describe)
