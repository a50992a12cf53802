"""One rule against every assignment tried: from all facts, from a change, and backward from what it may derive.

Would catch a body that is joined by another order, in pieces or from a delta, and then gives other heads: a constant at
a position of a template, a variable of the head that is dropped too early, a negated atom that is applied too late.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgreason.algebra.expressions.tree import Call
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.rule_inputs import KeysOfRows, Side
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Operation, Slot, TemplateAtom
from kgreason.relations.table import Ids, Mask, Table
from tests.algebra.conjunctions import NODES, Row, table, tables
from tests.profiles import examples
from tests.thresholds import Tuned, shrink

VARIABLES = [0, 1, 2, 3]
ARITIES = [1, 2, 2, 2, 3]


def ends(operation: Operation) -> tuple[Slot, Slot]:
    """What a filter compares."""
    left, right = operation.arguments
    assert isinstance(left, int)
    assert isinstance(right, int)
    return left, right


def slots_of(operation: Operation) -> list[Slot]:
    """What an assignment is made of."""
    return [slot for slot in operation.arguments if isinstance(slot, int)]


def next_node(value: int) -> int:
    """What assignments make of a node: the next one. What would be the first again is an error."""
    return NODES[(NODES.index(value) + 1) % len(NODES)] if value in NODES else NODES[0]


class Unequal:
    """What the engine asks of terms, for ids that stand for themselves: one filter, ``!=``, and one function."""

    def object_only_mask(self) -> Mask:
        raise AssertionError("no rule asks for literals")

    def test(self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: object) -> Mask:
        left, right = ends(operation)
        return np.broadcast_to(columns[left] != columns[right], length)

    def compute(
        self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: object
    ) -> tuple[Ids, Mask, int]:
        (slot,) = slots_of(operation)
        found = np.array([next_node(value) for value in columns[slot].tolist()], dtype=np.uint32)
        return np.broadcast_to(found, length), np.broadcast_to(found != NODES[0], length), 0

    def keys(self, symbol: str, left: Side, right: Side, tick: object) -> tuple[KeysOfRows, KeysOfRows]:
        return self._keys(left), self._keys(right)

    def _keys(self, side: Side) -> KeysOfRows:
        if isinstance(side.operation, int):
            found, known = side.columns[side.operation], np.ones(side.length, dtype=np.bool_)
        else:
            found, known, _ = self.compute(side.operation, side.columns, side.length, None)
        return np.broadcast_to(found, side.length).astype(np.uint64), known


@dataclass(frozen=True)
class Case:
    """A rule, its parameters, and the facts of each of its relations but the head's."""

    template: RuleTemplate
    parameters: list[int]
    facts: dict[int, Table]

    def assignments(self, facts: Mapping[int, set[Row]], denied: int | None = None) -> Iterator[tuple[int, ...]]:
        """The values of all variables that satisfy the body; the negated atom `denied` is to match instead."""
        for values in product(NODES, repeat=len(VARIABLES)):
            if (
                all(self.fact(atom, values) in facts[atom.relation] for atom in self.template.body)
                and all(
                    (self.fact(atom, values) in facts[atom.relation]) is (number == denied)
                    for number, atom in enumerate(self.template.negated)
                )
                and all(values[left] != values[right] for left, right in map(ends, self.template.filters))
                and all(
                    values[target] == next_node(values[slots_of(operation)[0]]) != NODES[0]
                    for target, operation in self.template.assignments
                )
            ):
                yield values

    def meaning(self, facts: Mapping[int, set[Row]], denied: int | None = None) -> set[Row]:
        """The heads of these assignments."""
        assert self.template.head is not None
        return {self.fact(self.template.head, values) for values in self.assignments(facts, denied)}

    def fact(self, atom: TemplateAtom, values: tuple[int, ...]) -> Row:
        return tuple(self.value(slot, values) for slot in atom.arguments)

    def value(self, slot: Slot, values: tuple[int, ...]) -> int:
        return values[slot] if slot >= 0 else self.parameters[~slot]

    def sets(self) -> dict[int, set[Row]]:
        return {number: rows(each) for number, each in self.facts.items()}


def rows(each: Table | None) -> set[Row]:
    if each is None:
        return set()
    return {*zip(*(column.tolist() for column in each.columns()), strict=True)}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    parameters: list[int] = []
    facts: dict[int, Table] = {}

    def parameter(value: int) -> int:
        parameters.append(value)
        return len(parameters) - 1

    def atom(slots: list[int]) -> TemplateAtom:
        relation = parameter(len(parameters))
        chosen = draw(st.lists(st.sampled_from([*slots, None]), min_size=1, max_size=3))
        arguments = tuple(~parameter(draw(st.sampled_from(NODES))) if slot is None else slot for slot in chosen)
        facts[relation] = draw(tables(len(arguments)))
        return TemplateAtom(relation, arguments)

    body = tuple(atom(VARIABLES) for _ in range(draw(st.integers(1, 5))))
    bound = sorted(frozenset[int]().union(*(each.variables() for each in body)))
    assignments: tuple[tuple[int, Operation], ...] = ()
    if bound and draw(st.booleans()):
        target, source = draw(st.sampled_from(VARIABLES)), draw(st.sampled_from(bound))
        if target != source:
            assignments = ((target, Call("next", (source,))),)
            bound = sorted({*bound, target})
    negated = tuple(atom(bound) for _ in range(draw(st.integers(0, 1))))
    filters: tuple[Operation, ...] = ()
    if len(bound) > 1 and draw(st.booleans()):
        filters = (Call("!=", tuple(draw(st.permutations(bound))[:2])),)
    head = atom(bound)
    del facts[head.relation]
    return Case(RuleTemplate(head, body, negated, filters, assignments, len(parameters)), parameters, facts)


@pytest.fixture(params=["as they are", "shrunk"], autouse=True)
def thresholds(request: pytest.FixtureRequest, tuned: Tuned) -> None:
    if request.param == "shrunk":
        shrink(tuned)


def evaluation(case: Case) -> Evaluation:
    return Evaluation(case.facts.get, Unequal())


FIXTURES = [HealthCheck.function_scoped_fixture]


@given(cases())
@settings(max_examples=examples(100), suppress_health_check=FIXTURES)
def test_all_facts_give_every_head(case: Case) -> None:
    assert rows(evaluation(case).heads(case.template, case.parameters)) == case.meaning(case.sets())


@given(cases(), st.data())
@settings(max_examples=examples(100), suppress_health_check=FIXTURES)
def test_delta_of_an_atom_gives_the_heads_that_rest_on_it(case: Case, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(case.template.body) - 1))
    relation = case.template.body[position].relation
    delta = {*data.draw(st.lists(st.sampled_from(sorted(rows(case.facts[relation])) or [None])))} - {None}
    if not delta:
        return

    found = evaluation(case).heads_from(
        case.template, case.parameters, position, table(delta, len(case.template.body[position].arguments))
    )

    assert rows(found) == case.meaning({**case.sets(), relation: delta})


@given(cases())
@settings(max_examples=examples(60), suppress_health_check=FIXTURES)
def test_delta_of_a_negated_atom_matches_instead(case: Case) -> None:
    if case.template.negated and case.facts[case.template.negated[0].relation]:
        delta = case.facts[case.template.negated[0].relation]

        found = evaluation(case).heads_from_negated(case.template, case.parameters, 0, delta)

        assert rows(found) == case.meaning(case.sets(), denied=0)


@given(cases(), st.data())
@settings(max_examples=examples(100), suppress_health_check=FIXTURES)
def test_wanted_heads_that_a_rule_derives_are_found(case: Case, data: st.DataObject) -> None:
    assert case.template.head is not None
    arity = len(case.template.head.arguments)
    derived = case.meaning(case.sets())
    others = data.draw(st.frozensets(st.tuples(*[st.sampled_from(NODES)] * arity), max_size=5))
    wanted = others | {*data.draw(st.lists(st.sampled_from(sorted(derived) or [(NODES[0],) * arity]), min_size=1))}

    found = evaluation(case).derivable(case.template, case.parameters, table(wanted, arity))

    assert rows(found) == wanted & derived


@given(cases())
@settings(max_examples=examples(60), suppress_health_check=FIXTURES)
def test_matches_bind_every_variable(case: Case) -> None:
    targets = frozenset(target for target, _ in case.template.assignments)
    bound = sorted(targets.union(*(each.variables() for each in case.template.body)))
    found: set[Row] = set()
    for batch in evaluation(case).matches(case.template, case.parameters):
        batch._check()
        found |= {*zip(*(batch.columns[variable].tolist() for variable in bound), strict=True)} if bound else {()}

    expected = case.assignments(case.sets())
    assert found == {tuple(values[variable] for variable in bound) for values in expected}


class CountedRows(Unequal):
    """The same; it counts what it is asked of."""

    rows = 0

    def test(self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: object) -> Mask:
        self.rows += length
        return super().test(operation, columns, length, tick)

    def compute(
        self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: object
    ) -> tuple[Ids, Mask, int]:
        self.rows += length
        return super().compute(operation, columns, length, tick)


@pytest.mark.parametrize("thresholds", ["as they are"], indirect=True)
def test_parts_that_nothing_connects_are_filtered_before_they_are_paired() -> None:
    things, odd = 600, 3
    facts = {
        0: table({(n,) for n in range(things)}, 1),
        1: table({(n, n) for n in range(things)} | {(n, n + 1) for n in range(odd)}, 2),
    }
    body = (TemplateAtom(0, (0,)), TemplateAtom(1, (1, 2)))
    template = RuleTemplate(TemplateAtom(2, (0, 1)), body, (), (Call("!=", (1, 2)),), (), 3)
    terms = CountedRows()

    found = Evaluation(facts.get, terms).heads(template, [0, 1, 2])

    assert rows(found) == {*product(range(things), range(odd))}
    assert terms.rows < 10 * things


def test_wanted_head_with_an_assigned_argument_computes_its_own_rows() -> None:
    things = range(10, 610)
    facts = {0: table({(n, NODES[n % 4]) for n in things}, 2)}
    assigned = ((2, Call("next", (1,))),)
    template = RuleTemplate(TemplateAtom(1, (0, 2)), (TemplateAtom(0, (0, 1)),), (), (), assigned, 2)
    terms = CountedRows()
    wanted = {(things[0], NODES[things[0] % 4 + 1]), (things[1], NODES[0])}

    found = Evaluation(facts.get, terms).derivable(template, [0, 1], table(wanted, 2))

    assert rows(found) == {(things[0], NODES[things[0] % 4 + 1])}
    assert terms.rows <= len(wanted)
