"""The steps that lead to a fact: instances of rules, and paths where a rule is transitive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from kgreason import tuning
from kgreason.proofs.check_values import CheckValues
from kgreason.proofs.fact_reader import KnownFacts, Reader, State, premises_of
from kgreason.proofs.matching import Matcher
from kgreason.proofs.rule_patterns import Binding, IdRule, RulesByHead
from kgreason.proofs.shortest_paths import (
    Transitivity,
    between,
    ends_of,
    facts_along,
    first_edges,
    shortest_path,
    shortest_way,
    transitivity,
    turns_round,
)
from kgreason.proofs.steps import TRIPLE, IdFact, IdStep, Step
from kgreason.relations.table import Table


class Derivations:
    """Finds the steps that lead to facts, from the facts and the rules of one moment."""

    def __init__(self, facts: KnownFacts, rules: RulesByHead) -> None:
        self._facts = facts
        self._rules = rules
        self._vocabulary = rules.vocabulary
        self._values = CheckValues(self._vocabulary.terms)
        self._matcher = self._matcher_over(facts.all)
        self._asserted_matcher = self._matcher_over(facts.asserted)
        self._transitive: dict[IdRule, Transitivity | None] = {}
        self._turning: dict[IdRule, bool] = {}

    def to(self, fact: IdFact) -> Iterator[IdStep | None]:
        """The steps that lead to a fact by one application of a rule, or along one path; lazily.

        First those from asserted triples alone: one of these is a proof. None comes before steps that are seldom
        needed: it is time to see what the others come to.
        """
        single: list[tuple[IdRule, Binding]] = []
        forms: list[tuple[Transitivity, Binding]] = []
        for rule, _, known in self._rules.giving(fact.relation, fact.arguments):
            form = self._transitivity(rule, fact)
            if form is None:
                single.append((rule, known))
            else:
                forms.append((form, known))
        for rule, binding in single:
            yield from self._asserted_matcher.instances(rule, binding, fact)
        # Of a thousand equal things one may be what the fact was said of.
        own = self._facts.without_equality(fact)
        if own is not None:
            matcher = self._matcher_over(own)
            for rule, binding in single:
                yield from matcher.instances(rule, binding, fact)
        for form, binding in forms:
            for step in self._paths(form, binding, fact, self._shortest):
                yield from (step, None)
        for rule, binding in single:
            yield from self._matcher.instances(rule, binding, fact)
        for ways in (self._longer, self._first_edges, self._first_steps):
            for form, binding in forms:
                yield None
                yield from self._paths(form, binding, fact, ways)

    def _matcher_over(self, facts: Reader) -> Matcher:
        return Matcher(facts, self._facts.all, self._vocabulary, self._values)

    def _transitivity(self, rule: IdRule, fact: IdFact) -> Transitivity | None:
        if fact.relation == TRIPLE and fact.arguments[1] == self._vocabulary.type:
            return None
        if rule not in self._transitive:
            self._transitive[rule] = transitivity(rule)
        return self._transitive[rule]

    def _paths(
        self,
        form: Transitivity,
        binding: Binding,
        fact: IdFact,
        ways: Callable[[IdFact, Table], Iterator[tuple[int, ...]]],
    ) -> Iterator[IdStep]:
        closure = self._facts.all.pairs(fact)
        assert closure is not None, "a fact of a relation without facts is to be explained"
        for state in self._matcher.solutions(State(binding, form.beside, form.rule.checks)):
            beside = self._matcher.step(form.rule, state, fact)
            for nodes in ways(fact, closure):
                if not self._passes(form, state.binding, nodes):
                    continue
                premises = (*beside.premises, *facts_along(fact, nodes))
                yield Step(fact, form.rule.rule, premises, conditions=beside.conditions, path=nodes)

    def _passes(self, form: Transitivity, binding: Binding, nodes: tuple[int, ...]) -> bool:
        """Whether the rule also gives what the path has come to before its end."""
        shorter = ({**binding, form.end: node} for node in nodes[2:-1] if form.on_ends)
        return all(any(self._matcher.solutions(State(values, (), form.on_ends))) for values in shorter)

    def _shortest(self, fact: IdFact, closure: Table) -> Iterator[tuple[int, ...]]:
        """A path of asserted facts, or else one of the edges that the relation is the closure of; where these are not
        kept, of what follows from asserted facts in one step."""
        start, end = ends_of(fact)
        asserted, edges = self._facts.asserted.pairs(fact), self._facts.edges(fact)
        found = shortest_path([asserted], closure, start, end) if asserted else None
        if found is None:
            if edges:
                found = shortest_path(edges, closure, start, end)
            else:
                found = self._path_of_steps(self._asserted_matcher, fact, closure)
        if found is not None and len(found) > 2:
            yield found

    def _longer(self, fact: IdFact, closure: Table) -> Iterator[tuple[int, ...]]:
        """A path of what follows in one step, from asserted facts or from any, for when there was none, or when the
        edges that are kept follow from the pair themselves."""
        for matcher in (self._asserted_matcher, self._matcher):
            found = self._path_of_steps(matcher, fact, closure)
            if found is not None and len(found) > 2:
                yield found

    def _path_of_steps(self, matcher: Matcher, fact: IdFact, closure: Table) -> tuple[int, ...] | None:
        """A shortest path of pairs that need none: asserted, given by other rules, or the other way round where the
        relation is symmetric. Not every such pair is seen; what is missed is found later, with more effort."""
        start, end = ends_of(fact)
        known_ends = (0, 1) if self._is_symmetric(fact) else (0,)
        asserted = self._facts.asserted.pairs(fact)
        left = [tuning.PATH_SEARCH]

        def following(node: int) -> Iterator[int]:
            for known in known_ends:
                single = asserted.select({known: node})[1 - known].tolist() if asserted else []
                derived = self._by_other_rules(matcher, between(fact, node, node), known, left)
                for other in dict.fromkeys(chain(single, derived)):
                    if closure.has((node, other)) and (other == end or closure.has((other, end))):
                        yield other

        return shortest_way(following, start, end, tuning.PATH_SEARCH)

    def _first_edges(self, fact: IdFact, closure: Table) -> Iterator[tuple[int, ...]]:
        """One edge, and the rest: for when an edge of the shortest path cannot be proved without the pair itself."""
        return self._in_two(fact, self._facts.edges(fact), closure)

    def _first_steps(self, fact: IdFact, closure: Table) -> Iterator[tuple[int, ...]]:
        """All instances of the rule, so that the search is complete for any edges."""
        return self._in_two(fact, [closure], closure)

    @staticmethod
    def _in_two(fact: IdFact, edges: Sequence[Table], closure: Table) -> Iterator[tuple[int, ...]]:
        start, end = ends_of(fact)
        for middle in first_edges(edges, closure, start, end) if edges else ():
            yield start, middle, end

    def _by_other_rules(self, matcher: Matcher, fact: IdFact, known: int, left: list[int]) -> Iterator[int]:
        """The other ends of the pairs of a relation that share with a fact the end 0 or 1, `known`, as far as other
        rules than transitive ones give them without a pair that is not asserted; `left` is how many to look at."""
        other = -1 if known == 0 else 0
        arguments = list[int | None](fact.arguments)
        arguments[other] = None
        for rule, head, binding in self._rules.giving(fact.relation, tuple(arguments)):
            if self._transitivity(rule, fact) is None and not self._turns_round(rule):
                for state in islice(matcher.applications(rule, binding), left[0]):
                    left[0] -= 1
                    if all(self._is_apart(premise, fact) for premise in premises_of(state.premises)):
                        found = head.put(state.binding)[other]
                        assert found is not None, "a rule leaves a variable of its head open"
                        yield found

    def _is_apart(self, premise: IdFact, fact: IdFact) -> bool:
        same = premise.relation == fact.relation and premise.arguments[1:-1] == fact.arguments[1:-1]
        return not same or self._facts.asserted.has(premise)

    def _turns_round(self, rule: IdRule) -> bool:
        if rule not in self._turning:
            self._turning[rule] = turns_round(rule)
        return self._turning[rule]

    def _is_symmetric(self, fact: IdFact) -> bool:
        """Whether a rule gives the fact from the one with its ends exchanged."""
        start, end = ends_of(fact)
        turned = between(fact, end, start)
        return self._facts.all.has(turned) and any(
            turned in step.premises
            for rule, _, binding in self._rules.giving(fact.relation, fact.arguments)
            if self._turns_round(rule)
            for step in self._matcher.instances(rule, binding, fact)
        )
