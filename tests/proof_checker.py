"""A checker of proofs that knows nothing of how they are found: the rules as data, and the oracle's way to apply one.

A proof is right when each step was asserted or is an instance of its rule in the program, all premises of which were
concluded before it. A step along a path is replayed, one application of the rule after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from kgreason.algebra.expressions.tree import Call
from kgreason.program.rules import Every, Member, Path, Program, Rule
from kgreason.proofs.matching import MEMBERS
from kgreason.proofs.proof import Proof
from kgreason.proofs.steps import TRIPLE, Absent, Condition, Fact, Group, Step
from kgreason.rdf.model import Term
from tests import aggregate_definitions as aggregates
from tests import oracle
from tests.function_definitions import evaluate
from tests.operators import truth
from tests.oracle import Triple


class Checker:
    """Checks proofs over asserted triples; `facts` are all facts, for what has to be absent."""

    def __init__(self, program: Program, asserted: Iterable[Triple], facts: set[tuple]) -> None:
        self._program = program
        self._asserted = set(asserted)
        self._facts = oracle._Facts(facts)

    def check(self, proof: Proof[Term], triple: Triple) -> None:
        """Raise AssertionError unless it is a proof of the triple."""
        goal: Fact[Term] = Fact(TRIPLE, triple)
        assert proof.steps[-1].conclusion == goal, "it proves something else"
        used = {premise for step in proof.steps for premise in step.premises} | {goal}
        concluded: set[Fact[Term]] = set()
        for step in proof.steps:
            assert step.conclusion not in concluded, f"{step.conclusion} is proved twice"
            assert step.conclusion in used, f"{step.conclusion} is of no use"
            assert {*step.premises} <= concluded, f"{step.conclusion} rests on what is not proved before it"
            self._check_step(step)
            concluded.add(step.conclusion)

    def _check_step(self, step: Step[Term]) -> None:
        if step.rule is None:
            assert step.conclusion.relation == TRIPLE, "only triples are asserted"
            assert step.conclusion.arguments in self._asserted, f"{step.conclusion} was not asserted"
            assert step == Step(step.conclusion), "what is asserted rests on nothing"
            return
        names = {rule.name for rule in self._program.rules if rule == step.rule}
        assert step.rule.name in names, f"the program has no rule {step.rule}"
        self._check_absent(step, step.rule)
        self._check_conditions(step, step.rule)
        self._check_groups(step, step.rule)
        if step.path:
            self._replay(step, step.rule)
        else:
            self._check_instance(step.rule, _own_premises(step), step.conclusion)

    def _check_groups(self, step: Step[Term], rule: Rule) -> None:
        """The groups are those of the values that the rule gives for its aggregates; the premises of members are the
        last ones."""
        assert [group.aggregate for group in step.groups] == list(rule.aggregates)
        for group in step.groups:
            self._check_group(group)
        members = {premise for group in step.groups for member in group.members for premise in member.premises}
        assert members <= {*step.premises}

    def _check_group(self, group: Group[Term]) -> None:
        aggregate, inner = group.aggregate, group.aggregate.deriving()
        key = dict(zip(aggregate.group, group.key, strict=True))
        found = [each for each in oracle._solutions(inner, self._facts, self._facts) if key.items() <= each.items()]
        made = tuple(aggregates.value(value, found) for value in aggregate.values)
        assert group.values == made, f"{aggregate} makes {made} of the group {key}"
        columns = {variable for value in aggregate.values for variable in value.distinct}
        if not all(value.distinct for value in aggregate.values):
            columns = {variable for variable in found[0] if aggregates.is_shown(variable)}
        rows = {tuple(each[variable] for variable in sorted(columns, key=str)) for each in found}
        assert group.count == len(rows), f"{group.count} bindings, not {len(rows)}"
        assert len(group.members) == min(group.count, MEMBERS)
        assert len({member.conclusion for member in group.members}) == len(group.members), "a binding twice"
        for member in group.members:
            self._check_absent(member, inner)
            self._check_conditions(member, inner)
            self._check_groups(member, inner)
            facts = oracle._Facts(map(_as_tuple, _own_premises(member)))
            bindings = [each for each in oracle._solutions(inner, facts, self._facts) if key.items() <= each.items()]
            values = {*member.conclusion.arguments}
            assert any(values <= {*each.values()} for each in bindings), f"{member} is no member of {key}"

    def _check_instance(self, rule: Rule, premises: Iterable[Fact[Term]], conclusion: Fact[Term]) -> None:
        known = {_as_tuple(premise) for premise in premises}
        lists = [atom for atom in rule.body if isinstance(atom, Every | Member | Path)]
        if not (lists or rule.aggregates):
            assert len(known) <= len(rule.body), f"{conclusion} has premises that {rule} does not ask for"
        facts = oracle._Facts(known)
        derived = (
            oracle._fact(head, binding)
            for binding in oracle._solutions(rule, facts, self._facts)
            for head in rule.heads
        )
        assert _as_tuple(conclusion) in derived, f"{conclusion} does not follow by {rule} from {known}"

    def _replay(self, step: Step[Term], rule: Rule) -> None:
        """The premises end with the edges of the path; the first two give a pair, that and the third one more, ..."""
        count = len(step.path) - 1
        assert count > 1, "a path of one edge proves nothing"
        beside, edges = step.premises[: len(step.premises) - count], step.premises[len(step.premises) - count :]
        ends = [(edge.arguments[0], edge.arguments[-1]) for edge in edges]
        assert ends == list(zip(step.path, step.path[1:], strict=False)), "the edges are not those of the path"
        reached = edges[0]
        for edge in edges[1:]:
            arguments = (step.path[0], *edge.arguments[1:-1], edge.arguments[-1])
            following = Fact(edge.relation, arguments)
            self._check_instance(rule, (*beside, reached, edge), following)
            reached = following
        assert reached == step.conclusion, "the path leads to something else"

    def _check_absent(self, step: Step[Term], rule: Rule) -> None:
        assert len(step.absent) == len(rule.negated)
        for pattern in step.absent:
            assert not any(_matches(pattern, fact) for fact in self._facts), f"{pattern} is not absent"

    @staticmethod
    def _check_conditions(step: Step[Term], rule: Rule) -> None:
        assigned = len(rule.assignments)
        assert len(step.conditions) == assigned + len(rule.filters)
        for condition in step.conditions[:assigned]:
            value, expression = condition.arguments
            assert _value(value) == _value(expression), f"{condition} is no assignment"
        for condition in step.conditions[assigned:]:
            assert truth(_value(condition)), f"{condition} does not hold"


def _own_premises(step: Step[Term]) -> list[Fact[Term]]:
    """The premises of a step that are not those of its groups alone."""
    members = {premise for group in step.groups for member in group.members for premise in member.premises}
    asked = step.rule.body if step.rule is not None else ()
    return [premise for premise in step.premises if premise not in members or asked]


def _as_tuple(fact: Fact[Term]) -> tuple:
    return ("triple" if fact.relation == TRIPLE else fact.relation, *fact.arguments)


def _matches(pattern: Absent[Term], fact: tuple) -> bool:
    name = "triple" if pattern.relation == TRIPLE else pattern.relation
    if fact[0] != name or len(fact) != len(pattern.arguments) + 1:
        return False
    return all(part is None or part == value for part, value in zip(pattern.arguments, fact[1:], strict=True))


def _value(condition: Condition[Term]) -> Term:
    if not isinstance(condition, Call):
        return condition
    return evaluate(condition.function, [partial(_value, part) for part in condition.arguments])
