"""The nearest failed derivations of a triple: matches of the bodies of rules with the fewest parts that fail.

A candidate is a set of body atoms with facts that match them, such that no further fact matches any of the others. Its
distance counts those others, the conditions that have values and are not true, and the denied atoms that match. A
condition or a denied atom with a variable that only missing atoms would bind does not count. Where an atom speaks about
all members of a list that is known, each member counts, so one missing part of an intersection is one missing atom.

The search allows one failing part, then two, and so on, over all rules at a time: it ends at the first distance where
there are enough. A derivation that lacks an axiom counts as farther: axioms are fewer than data, and seldom what was
forgotten. Cost: at most `tuning.NEAR_MISS_VISITS` partial matches for each rule and distance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.proofs.body_search import BodySearch, OpenGoal
from kgreason.proofs.check_values import CheckValues
from kgreason.proofs.fact_reader import Reader
from kgreason.proofs.matching import Matcher
from kgreason.proofs.rule_patterns import RulesByHead
from kgreason.proofs.schema_atoms import SchemaAtoms
from kgreason.proofs.steps import TRIPLE
from kgreason.proofs.why_not import FailedDerivation, OpenFact
from kgreason.rdf.model import BlankNode

DEEPEST: Final = 3
"""So deep are missing facts that no one can assert followed to what they lack."""

FARTHEST: Final = 12
"""A derivation that lacks more is of no help."""

MOST_BELOW: Final = 2
"""So many derivations each of these shows."""


@dataclass(frozen=True, slots=True)
class NearMisses:
    """The nearest derivations, how many rules could give the goal, and whether none as near was left out."""

    derivations: tuple[FailedDerivation[int], ...]
    rules: int
    is_complete: bool


def near_misses(
    goal: tuple[int | None, int | None, int | None], facts: Reader, rules: RulesByHead, most: int
) -> NearMisses:
    """The nearest derivations of a triple pattern that nothing matches, at most `most`."""
    return _NearMissSearch(facts, rules).near((TRIPLE, goal), most, frozenset())


class _NearMissSearch:
    """The search over all rules, and below missing facts that no one can assert: those of auxiliary relations, and
    those about blank nodes, which stand for classes that are described and not named."""

    def __init__(self, facts: Reader, rules: RulesByHead) -> None:
        self._facts = facts
        self._rules = rules
        self._terms = rules.vocabulary.terms
        self._schema = SchemaAtoms(rules.vocabulary)
        self._matcher = Matcher(facts, facts, rules.vocabulary, CheckValues(self._terms))

    def near(self, goal: OpenGoal, most: int, above: frozenset[OpenGoal]) -> NearMisses:
        """The nearest derivations that lack none of the goals above."""
        goals = above | {goal}
        waiting = [
            BodySearch(self._matcher, self._facts, self._rules.vocabulary, rule, binding, goals, self._schema)
            for rule, _, binding in self._rules.giving(*goal)
        ]
        count, distance, is_complete = len({search.rule for search in waiting}), 0, True
        found: list[FailedDerivation[int]] = []
        while waiting and sum(self._schema.rank(derivation) <= distance for derivation in found) < most:
            distance += 1
            if distance > FARTHEST:
                is_complete = False
                break
            left = []
            for search in waiting:
                near = search.at(distance)
                found += near.derivations
                is_complete = is_complete and near.is_complete
                if not near.derivations and near.goes_on:
                    left.append(search)
            waiting = left
        found.sort(key=self._schema.rank)
        nearest = tuple(self._unfolded(derivation, goals) for derivation in found[:most])
        return NearMisses(nearest, count, is_complete and len(found) <= most)

    def _unfolded(self, derivation: FailedDerivation[int], goals: frozenset[OpenGoal]) -> FailedDerivation[int]:
        """With the nearest derivations of the missing facts that no one can assert."""
        return replace(derivation, missing=tuple(self._with_derivations(fact, goals) for fact in derivation.missing))

    def _with_derivations(self, fact: OpenFact[int], goals: frozenset[OpenGoal]) -> OpenFact[int]:
        known = tuple(part for part in fact.arguments if not isinstance(part, Variable))
        if len(known) < len(fact.arguments) or len(goals) > DEEPEST or self._can_be_asserted(fact):
            return fact
        below = self.near((fact.relation, known), MOST_BELOW, goals).derivations
        of_data = tuple(derivation for derivation in below if not self._schema.missing(derivation))
        return replace(fact, derivations=of_data or below)

    def _can_be_asserted(self, fact: OpenFact[int]) -> bool:
        if fact.relation != TRIPLE or self._schema.has(fact):
            return fact.relation == TRIPLE
        known = (part for part in fact.arguments if not isinstance(part, Variable))
        return not any(isinstance(self._terms.decode(part), BlankNode) for part in known)
