"""Proofs of what a state shows, over terms: searched in its facts (`proof_facts`) by its rules."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import KnownTripleError, UnknownTripleError
from kgreason.proofs.derivations import Derivations
from kgreason.proofs.near_misses import near_misses
from kgreason.proofs.proof import Proof
from kgreason.proofs.rule_patterns import RulesByHead, Vocabulary
from kgreason.proofs.search import prove
from kgreason.proofs.steps import TRIPLE, Fact, IdStep
from kgreason.proofs.why_not import WhyNot
from kgreason.rdf.model import Term
from kgreason.store.proof_facts import AssertedFacts, EngineFacts, ViewedFacts
from kgreason.store.specialised_program import SpecialisedProgram
from kgreason.store.state import Configuration, State


class Explanations:
    """Finds proofs over states; keeps only the rules, sorted by their heads."""

    def __init__(self) -> None:
        self._rules: tuple[SpecialisedProgram, Dictionary, RulesByHead] | None = None

    def proof(self, triple: tuple[int, int, int], state: State, configuration: Configuration) -> Proof[Term]:
        """A proof of a triple in a state.

        Raises:
            UnknownTripleError: it neither is asserted nor follows.
        """
        decode = configuration.dictionary.decode
        steps = self.searches(state, configuration).steps(triple, ())
        return Proof(tuple(step.translated(decode) for step in steps))

    def searches(self, state: State, configuration: Configuration) -> Searches:
        """Searches for proofs of any number of triples in one state."""
        engine, program, type_id = state.engine, state.program, configuration.type_id
        shown = state.views.explicit()
        everything = ViewedFacts(engine.facts, state.views.all(), shown, program, type_id)
        explicit = ViewedFacts(engine.explicit, shown, shown, program, type_id)
        asserted = AssertedFacts(explicit)
        rules = self._rules_by_head(program, configuration.dictionary)
        derivations = Derivations(EngineFacts(everything, asserted, engine), rules)
        return Searches(everything, asserted, derivations, configuration.dictionary)

    @staticmethod
    def why_not(
        pattern: tuple[Term | None, Term | None, Term | None], state: State, configuration: Configuration, most: int
    ) -> WhyNot[Term]:
        """Why no triple matches a pattern in a state, by about `most` failed derivations.

        Terms that nothing is known of, and those that rules compute, are learned by a dictionary of its own.

        Raises:
            KnownTripleError: a triple matches it.
        """
        terms = configuration.dictionary.fork()
        subject, predicate, object = (None if part is None else terms.encode(part) for part in pattern)
        view = state.views.all()
        if any(len(chunk[0]) for chunk in view.match(subject, predicate, object)):
            raise KnownTripleError(" ".join("?" if part is None else str(part) for part in pattern))
        facts = ViewedFacts(state.engine.facts, view, state.views.explicit(), state.program, configuration.type_id)
        rules = RulesByHead((rule for rule in state.program.counts if rule.heads), Vocabulary(terms))
        found = near_misses((subject, predicate, object), facts, rules, most)
        derivations = tuple(derivation.translated(terms.decode) for derivation in found.derivations)
        return WhyNot(pattern, derivations, found.rules, found.is_complete)

    def _rules_by_head(self, program: SpecialisedProgram, dictionary: Dictionary) -> RulesByHead:
        known = self._rules
        if known is None or known[0].counts != program.counts or known[1] is not dictionary:
            rules = RulesByHead(list(program.counts), Vocabulary(dictionary))
            known = self._rules = (program, dictionary, rules)
        return known[2]


@dataclass(frozen=True, slots=True)
class Searches:
    """Searches for proofs in one state."""

    everything: ViewedFacts
    asserted: AssertedFacts
    derivations: Derivations
    dictionary: Dictionary

    def steps(self, triple: tuple[int, int, int], proved: Container[object]) -> tuple[IdStep, ...]:
        """The steps to a triple from what is asserted or `proved`, both of which have a step without a rule.

        Raises:
            UnknownTripleError: it neither is asserted nor follows.
        """
        goal, has = Fact(TRIPLE, triple), self.asserted.has
        found = None
        if self.everything.has(goal):
            found = prove(goal, lambda fact: fact in proved or has(fact), self.derivations.to)
        if found is None:  # a snapshot from elsewhere may show what does not follow
            raise UnknownTripleError(" ".join(str(self.dictionary.decode(term)) for term in triple))
        return found
