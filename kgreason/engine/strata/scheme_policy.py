"""Which definitions that the rules of a stratum allow are worth it.

A union that rule bodies join with other atoms is written out, if more of them do than the catalogue's limit says:
each of them would unite the parts anew for every change, and a bitmap or a column of keys is small beside what
the closures of transitive relations would take. Transitive closures and equivalences are never written out.
Measured with ``python -m tests.benchmarks.union_choice``.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace

from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.definitions import SchemeAssignment, Stratum
from kgreason.engine.strata.mutual_pairs import with_mutual
from kgreason.engine.strata.numbered_rules import NumberedRules
from kgreason.engine.strata.represented_parts import with_represented
from kgreason.engine.strata.step_parts import step_parts
from kgreason.engine.strategy import Strategy
from kgreason.relations.catalogue import PLAIN, STEPS, SYMMETRIC, UNION, VIRTUAL, Catalogue, Definition, Naming


@dataclass(frozen=True, slots=True)
class SchemePolicy:
    """What decides about definitions: the catalogue, what it forces by code, relations that turned out unsuited, and
    the strategy of the engine."""

    catalogue: Catalogue
    strategy: Strategy = field(default_factory=Strategy)
    forced: Mapping[int, str] = field(default_factory=dict)
    unsuited: frozenset[int] = frozenset()

    def accepts(self, definition: Definition, is_joined: bool = False) -> bool:
        """Whether a scheme is to keep the relations; `is_joined` says that more rule bodies than the catalogue's limit
        join one of them with others."""
        codes = {member.code for member in definition.members}
        forced = {self.forced[code] for code in codes if code in self.forced}
        if PLAIN in forced or codes & self.unsuited or not self.catalogue.has(definition):
            return False
        if definition.is_part and not self.strategy.modules:
            return False
        if forced:
            return True
        limited = is_joined and definition.closure in (UNION, SYMMETRIC)
        return self.catalogue.default != PLAIN and not limited

    def writes_out(self, definition: Definition, is_joined: bool) -> bool:
        """Whether what is kept over representatives is written out there, since rules join it with others."""
        forced = any(self.forced.get(member.code) == VIRTUAL for member in definition.members)
        return is_joined and definition.within in (UNION, SYMMETRIC) and not forced


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SchemeChoice:
    """What is worth it: the policy, and the relations that are `joined` by more rule bodies than its limit.

    No scheme keeps the `reserved` relations; of guards, each alone, it keeps copies of others, and of those that are
    `copied` only the steps.
    """

    policy: SchemePolicy
    joined: Set[int]
    reserved: Set[int]
    guards: Set[int]
    copied: Mapping[int, Naming]

    def of(self, stratum: Stratum) -> list[SchemeAssignment]:
        """The definition of a stratum as a whole, or else those of its parts."""
        if stratum.replacing:
            kept = self._represented(stratum)
            return [kept] if kept is not None else self.of(stratum.written_out())
        kept = stratum.whole() if self._is_free(stratum) else None
        if kept is not None and (steps := self._steps(kept.definition)) is not None:
            return [replace(kept, definition=steps)]
        if kept is not None:
            return [kept] if self.policy.accepts(kept.definition, self._is_joined(kept.definition)) else []
        reserved = self.reserved | self.guards
        parts = [part for part in stratum.parts(reserved) if self.policy.accepts(part.definition)]
        found = with_mutual(stratum, parts, reserved, self.policy.accepts)
        return [*found, *step_parts(stratum, found, self.copied, self.reserved, self.policy.accepts)]

    def _steps(self, definition: Definition) -> Definition | None:
        """The definition of a guard that is enough for its rules, which follow its pairs step by step."""
        naming = self.copied.get(definition.members[0].code)
        if naming is None or definition.closure != UNION or definition.arity != 2:
            return None
        steps = replace(definition, closure=STEPS, naming=naming)
        return steps if self.policy.accepts(steps) else None

    def _represented(self, stratum: Stratum) -> SchemeAssignment | None:
        """The definition of a whole stratum over representatives."""
        if not self._is_free(stratum) or (kept := stratum.represented()) is None:
            return None
        is_joined = self._is_joined(kept.definition)
        if not self.policy.accepts(kept.definition, is_joined):
            return None
        if not self.policy.writes_out(kept.definition, is_joined):
            return kept
        return SchemeAssignment(replace(kept.definition, is_written=True), kept.absorbed)

    def all_of(self, stratum: Stratum, rules: NumberedRules, inside: Numbers) -> list[SchemeAssignment]:
        """The same, and the relations that are kept over representatives of an equality among the parts; `inside` are
        the rules in force that derive relations of the stratum."""
        found = self.of(stratum)
        if not (found and found[0].definition.is_part and stratum.replacing):
            return found

        def accepts(definition: Definition) -> bool:
            code = definition.members[0].code
            return code not in self.reserved and code not in self.guards and self.policy.accepts(definition)

        return with_represented(rules, inside, stratum, found, accepts)

    def _is_free(self, stratum: Stratum) -> bool:
        """Whether a scheme may keep the whole stratum."""
        if not self.reserved.isdisjoint(stratum.members):
            return False
        return self.guards.isdisjoint(stratum.members) or (len(stratum.members) == 1 and not stratum.others)

    def _is_joined(self, definition: Definition) -> bool:
        """Whether too many rule bodies join a member with others."""
        return any(member.code in self.joined for member in definition.members)


