"""Random programs over random facts: every triple that holds has a proof that the checker accepts, no other has one.

Then some of the facts go, so that what schemes and tables kept up with changes is explained as well.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.strategy import Strategy
from kgreason.errors import StratificationError, UnknownTripleError
from kgreason.program.rules import Program
from kgreason.relations.catalogue import AUTO, PLAIN, Catalogue
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.engine.test_histories import (
    CLASSES,
    FIRST,
    GROUPS,
    JOINED,
    LITERALS,
    NIL,
    NODES,
    PROGRAMS,
    PROPERTIES,
    REST,
    STEPS,
    TYPE,
    History,
)
from tests.facade import Triple, add, ex, remove
from tests.profiles import examples
from tests.proof_checker import Checker
from tests.thresholds import Tuned, shrink

EXAMPLES = examples(30)
SELDOM_TRUE = [
    *((NODES[0], property, node) for property in PROPERTIES for node in (*NODES, *LITERALS[:1])),
    *((node, TYPE, class_) for node in NODES for class_ in CLASSES),
    (ex("nobody"), ex("knows"), ex("this")),
]


@pytest.fixture(autouse=True)
def small_thresholds(tuned: Tuned) -> None:
    shrink(tuned)
    tuned(DERIVATIONS_AT_ONCE=2)


DENSE_FACTS = st.lists(
    st.tuples(st.sampled_from(NODES), st.sampled_from(PROPERTIES[:3]), st.sampled_from(NODES)), min_size=5, max_size=14
)
TYPES = st.lists(
    st.tuples(st.sampled_from(NODES), st.just(TYPE), st.sampled_from(CLASSES[:3])), min_size=2, max_size=6
)

pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")
SCHEMA = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(PROPERTIES), st.just(TYPE), st.sampled_from(CLASSES[:2])),
        st.tuples(st.sampled_from(PROPERTIES), st.sampled_from([ex("under"), ex("turn")]), st.sampled_from(PROPERTIES)),
        st.tuples(st.sampled_from(CLASSES), st.just(ex("under")), st.sampled_from(CLASSES)),
    ),
    max_size=5,
)


@st.composite
def lists_with_axioms(draw: st.DrawFn) -> list[Triple]:
    """Lists of classes, and one of properties, with axioms that name them."""
    found: list[Triple] = []
    for cell, names, members in (
        ("k0", ("all", "some", "one"), st.sampled_from([*CLASSES[:3], NODES[0]])),
        ("k1", ("chain", "key"), st.sampled_from(PROPERTIES[:3])),
    ):
        length = draw(st.integers(1, 3))
        cells = [ex(f"{cell}{number}") for number in range(length)]
        found += zip(cells, [REST] * length, [*cells[1:], NIL], strict=True)
        found += [(each, FIRST, draw(members)) for each in cells]
        named = [*CLASSES[1:], *PROPERTIES[:2]] if "chain" in names else CLASSES
        found += [(draw(st.sampled_from(named)), ex(draw(st.sampled_from(names))), cells[0]) for _ in range(2)]
    return found


SPARSE = st.lists(GROUPS, max_size=14).map(lambda groups: [triple for group in groups for triple in group])
DENSE = st.tuples(DENSE_FACTS, TYPES, SCHEMA, st.one_of(st.just([]), lists_with_axioms())).map(
    lambda parts: [triple for part in parts for triple in part]
)


@given(
    schemes=st.sampled_from([AUTO, JOINED, PLAIN]),
    programs=st.lists(st.integers(0, len(PROGRAMS) - 1), min_size=1, max_size=6, unique=True),
    facts=st.one_of(SPARSE, DENSE, DENSE),
    gone=st.integers(0, 4),
)
@settings(max_examples=EXAMPLES)
def test_what_holds_and_nothing_else_has_a_proof(
    schemes: str | Catalogue, programs: list[int], facts: list[Triple], gone: int
) -> None:
    program = Program(tuple(dict.fromkeys(rule for number in programs for rule in PROGRAMS[number].rules)))
    asserted = list(dict.fromkeys(facts))
    try:
        base = KnowledgeBase(program, schemes)
        add(base, *asserted)
        base.flush()
    except StratificationError:
        return
    explain_everything(base, program, asserted)
    try:
        remove(base, *asserted[:gone])
        base.flush()
    except StratificationError:
        return
    explain_everything(base, program, asserted[gone:])


class ExplainedHistory(History):
    """A history at each read of which everything has a proof."""

    def _assert_equal(self) -> None:
        super()._assert_equal()
        explain_everything(self.base, self.state.program, list(self.state.triples))


@given(
    schemes=st.sampled_from([AUTO, JOINED, PLAIN]),
    programs=st.lists(st.integers(0, len(PROGRAMS) - 1), min_size=1, max_size=6, unique=True),
    facts=st.one_of(SPARSE, DENSE),
    steps=st.lists(STEPS, min_size=1, max_size=5),
)
@settings(max_examples=EXAMPLES)
def test_proofs_after_changes_of_facts_and_rules(
    schemes: str | Catalogue, programs: list[int], facts: list[Triple], steps: list
) -> None:
    try:
        history = ExplainedHistory(programs, schemes, Strategy())
    except StratificationError:
        return
    history.apply("bulk", [(True, None, facts)])
    for kind, detail in steps:
        history.check()
        history.apply(kind, detail)
    history.check()


def explain_everything(base: KnowledgeBase, program: Program, asserted: list[Triple]) -> None:
    """Explain every triple of the closure, and refuse to explain some that are not in it."""
    facts = oracle.facts(program, asserted)
    holding = {fact[1:] for fact in facts if fact[0] == "triple"}
    checker = Checker(program, asserted, facts)
    encode = base.dictionary.encode
    for triple in holding:
        checker.check(base.explain(*map(encode, triple)), triple)
    for triple in SELDOM_TRUE:
        if triple not in holding:
            with pytest.raises(UnknownTripleError):
                base.explain(*map(encode, triple))
