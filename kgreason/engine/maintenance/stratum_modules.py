"""The modules of one stratum in one pass, and what they share.

Rules, lists and schemes derive the facts of a stratum side by side (`kgreason.engine.modules.module`). A pass makes
their modules when it begins, since each remembers what it has seen of the pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgreason.engine.modules.agenda import AgendaEntry
from kgreason.engine.modules.closure_module import ClosureModule
from kgreason.engine.modules.copies import Copies
from kgreason.engine.modules.few_facts import FewFacts
from kgreason.engine.modules.interchangeable_ends import InterchangeableEnds
from kgreason.engine.modules.late_rules import LateRules
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.module import Module
from kgreason.engine.modules.mutual_module import MutualModule
from kgreason.engine.modules.part_module import PartModule, PartVersion
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.seminaive import SeminaiveModule
from kgreason.engine.modules.spanning_rules import SpanningRules
from kgreason.engine.modules.steps_module import StepsModule
from kgreason.engine.modules.stratum_lists import StratumLists
from kgreason.engine.modules.support import Support
from kgreason.relations.catalogue import STEPS, Definition

if TYPE_CHECKING:
    from kgreason.engine.modules.representatives import Representatives


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StratumModules:
    """The modules of the stratum `number`.

    `modules` derive facts that are written out; `parts` keep relations of the stratum in schemes. `over` is the pass
    over representatives, where rules read some parts there, and `state` its facts then. `support` says which facts are
    sure to hold; `spanning`, `late` and `copies` are rules that the modules leave to the pass, `ends` those whose facts
    follow from few of them; `few` are rounds of a few facts.
    """

    state: PassState
    number: int
    waiting: AgendaEntry
    over: Representatives | None
    support: Support
    spanning: SpanningRules
    ends: InterchangeableEnds
    late: LateRules
    copies: Copies
    few: FewFacts
    modules: Sequence[Module]
    parts: Sequence[PartModule]

    @classmethod
    def of(
        cls,
        state: PassState,
        number: int,
        waiting: AgendaEntry,
        lists: Sequence[ListModule],
        over: Representatives | None,
        known: Sequence[PartVersion],
    ) -> StratumModules:
        """`lists` are the list modules of the program. In place of a pass that was dropped, `known` are the versions of
        its parts there, otherwise nothing."""
        support, spanning, ends = Support(state, number), SpanningRules(state), InterchangeableEnds(state)
        late, copies, few = LateRules(state, ends), Copies(state, number), FewFacts(state, number, lists)
        modules: list[Module] = [
            SeminaiveModule(state, support, spanning, ends, late, copies, few, number, waiting),
            *(StratumLists(module, state, number, waiting) for module in lists),
        ]
        parts: list[PartModule] = []
        found = cls(state, number, waiting, over, support, spanning, ends, late, copies, few, modules, parts)
        for place, each in enumerate(state.strata.parts(number)):
            parts.append(found._part(each, known[place] if known else None))
        return found

    def _part(self, definition: Definition, known: PartVersion | None) -> PartModule:
        """The module of a part; one of what a closure has both ways reads those that were made before it."""
        again, remade = not self.waiting.redefined.isdisjoint(_codes(definition)), self.waiting.remade
        if self.over is not None and definition.is_represented_part:
            from kgreason.engine.modules.represented_part import RepresentedPart

            return RepresentedPart(self.over, definition, again=again, remade=remade, known=known)
        if definition.closure == STEPS:
            return StepsModule(self.state, definition, again=again, remade=remade, known=known)
        if definition.is_mutual:
            return MutualModule(self.state, definition, self.parts, again=again, remade=remade, known=known)
        return ClosureModule(self.state, self.support, definition, again=again, remade=remade, known=known)


def over_representatives(state: PassState, number: int) -> Representatives | None:
    """The pass over representatives, where rules of a stratum read some parts of it there."""
    parts = state.strata.parts(number)
    if not any(part.is_represented_part for part in parts):
        return None
    # Imported when a stratum first needs it, with the tables of classes: few do.
    from kgreason.engine.modules.representatives import Representatives

    return Representatives.of(state, parts)


def _codes(definition: Definition) -> Iterator[int]:
    return (member.code for member in definition.members)
