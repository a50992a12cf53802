"""A pass over a stratum of which rules read some relations over representatives.

These relations decide what is equal, and hold of all that is equal alike (`kgreason.engine.strata.represented_parts`).
While the stratum is maintained they are what they are over representatives, as they were before the pass and as they
are by now; readers of other strata see members again when it is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgreason.engine.facts import external_key
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.relations.alike import alike, classes_of, inner_facts, represented, several_named
from kgreason.relations.catalogue import Definition
from kgreason.relations.equality import EqualityTable
from kgreason.relations.table import Ids, Table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Represented:
    """The relations that rules of a stratum read over representatives, by code, the keys of facts that may say the same
    under several names, and the classes before the pass."""

    codes: frozenset[int]
    keys: frozenset[int]
    classes: EqualityTable

    def are_read(self, use: Occurrence) -> bool:
        """Whether a rule reads some of them, and so nothing else: O(1)."""
        body = use.group.template.body
        return bool(body) and use.parameters[body[0].relation] in self.codes

    def concern(self, use: Occurrence) -> bool:
        """Whether a rule reads some of them, or derives facts that may say the same under several names: O(1)."""
        return use.head in self.codes or external_key(use.head) in self.keys or self.are_read(use)

    def over(self, facts: Table) -> Table:
        """Facts over the representatives of the classes."""
        return represented(facts, self.classes)

    def derivable(self, evaluation: Evaluation, use: Occurrence, wanted: Table) -> Table | None:
        """What a rule that reads some of them derives of some facts, over representatives. What it makes equal comes
        with the facts about what was in doubt, which are all new."""
        if use.head not in self.codes:
            return None
        return evaluation.derivable(use.group.template, use.parameters, self.over(wanted))

    def alike(self, key: int, known: Table, facts: Table) -> Table:
        """The known facts of a key that are among some facts, or say the same of equal things."""
        return alike(known, facts, self.classes) if key in self.keys else known.intersection(facts)

    def several(self, known: Table, facts: Table, position: int) -> Ids:
        """What some pairs of representatives have at a position, sorted, where known facts say one of the pairs of
        several members there."""
        return several_named(known, facts, self.classes, position)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Representatives:
    """The pass over representatives, the one that it is made of, and the relation that says what is equal."""

    state: PassState
    shown: PassState
    represented: Represented
    equality: int

    @classmethod
    def of(cls, shown: PassState, parts: Sequence[Definition]) -> Representatives:
        """That of a stratum with some parts; from now on its relations are over representatives: O(parts)."""
        kept = [part for part in parts if part.is_represented_part]
        codes = [part.members[0].code for part in kept]
        (equality,) = {part.equality[0].code for part in kept}
        equal = next(part.members for part in parts if equality in {member.code for member in part.members})
        before = shown.before.draft()
        for code in codes:
            before.put(code, inner_facts(shown.before.get(code)))
            shown.facts.put(code, inner_facts(shown.facts.get(code)))
        keys = map(external_key, (*codes, *(member.code for member in equal)))
        known = Represented(frozenset(codes), frozenset(keys), classes_of(shown.before.get(equality)))
        return cls(shown.over(before.version(), known), shown, known, equality)
