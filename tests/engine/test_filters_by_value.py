"""Filters that keep terms apart by value, in rules that schemes would stand for: histories against the oracle.

Would catch a closure, or a path through a group, that takes ``1`` and ``1.0`` for different since their ids differ, or
a literal without a value for different from another one, where the filter says neither.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.rdf.model import Literal, Term
from kgreason.rdf.vocabulary import XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.test_equalities import batches, run
from tests.engine.test_oracle import PREFIX, assert_equal
from tests.facade import Triple, add, ex
from tests.profiles import examples
from tests.thresholds import Tuned

ONE, SAME_ONE, TWO = Literal("1", XSD + "integer"), Literal("1.0", XSD + "decimal"), Literal("2", XSD + "integer")
VALUES: list[Term] = [ONE, SAME_ONE, TWO, Literal("no date", XSD + "date"), ex("n0"), ex("n1")]
NODES = [ex(f"n{number}") for number in range(3)]
EDGES = "path(?x, ?y) :- e:p(?a, ?x), e:q(?a, ?y) . e:r(?a, ?y) :- e:v(?a, ?x), path(?x, ?y) . "
PATHS = "path(?x, ?z) :- path(?x, ?y), path(?y, ?z){apart} . "
CLIQUE = "path(?x, ?y) :- e:v(?a, ?x), e:v(?a, ?y), ?x != ?y . "
INSIDE = "reached(?x) :- path(?x, ?y) . e:v(?a, ?x) :- e:w(?a, ?x), reached(?x) . "
BETWEEN = EDGES + PATHS.format(apart="") + INSIDE + "path(?x, ?y) :- e:v(?a, ?x), e:w(?b, ?y), ?x != ?y . "
PROGRAMS = [
    EDGES + PATHS.format(apart=", ?x != ?z"),
    EDGES + PATHS.format(apart=", ?x != ?z") + INSIDE,
    EDGES + PATHS.format(apart=", ?z != 1"),
    EDGES + PATHS.format(apart="") + CLIQUE,
    EDGES + PATHS.format(apart="") + CLIQUE + INSIDE,
    EDGES + PATHS.format(apart="") + CLIQUE + "path(?y, ?x) :- path(?x, ?y) . ",
    EDGES + PATHS.format(apart=", ?x != ?z") + CLIQUE + "path(?y, ?x) :- path(?x, ?y) . ",
    BETWEEN,
    EDGES + PATHS.format(apart="") + INSIDE + "path(?x, ?y) :- step(?x, ?y), ?y != 1 . step(?x, ?y) :- path(?y, ?x) . ",
    "[?x, e:p, ?z] :- [?x, e:p, ?y], [?y, e:p, ?z], ?z != 1 . ",
    "[?x, e:p, ?z] :- [?x, e:p, ?y], [?y, e:p, ?z], ?z != ?x . [?x, e:p, ?y] :- [?x, e:q, ?y], ?y != 1 . ",
    "[?x, e:p, ?z] :- [?x, e:p, ?y], [?y, e:p, ?z] . [?y, e:p, ?z] :- e:v(?x, ?y), e:v(?x, ?z), ?y != ?z . ",
    "e:q(?a, ?y) :- e:q(?a, ?x), e:v(?a, ?y), ?x != ?y . e:v(?a, ?x) :- e:q(?a, ?x), e:w(?a, ?y), ?x != ?y . ",
    "e:q(?a, ?b) :- e:p(?a, ?x), e:v(?b, ?y), e:w(?a, ?z), e:w(?b, ?z), ?x != ?y . e:p(?a, ?x) :- e:q(?a, ?x) . ",
    "same(?y, ?x) :- same(?x, ?y) . same(?x, ?z) :- same(?x, ?y), same(?y, ?z), ?x != ?z . "
    "same(?x, ?y) :- e:p(?a, ?x), e:q(?a, ?y) . of(?x, ?a) :- e:v(?a, ?x) . e:r(?a, ?x) :- of(?x, ?a) . "
    "of(?y, ?a) :- same(?x, ?y), of(?x, ?a), ?x != ?y . ",
]
facts = st.tuples(st.sampled_from(NODES), st.sampled_from([ex(name) for name in "ppqqvw"]), st.sampled_from(VALUES))


@pytest.mark.parametrize("program", PROGRAMS)
def test_histories(program: str, tuned: Tuned) -> None:
    tuned(SAMPLED_ROWS=1)

    @given(changes=batches(facts))
    @settings(max_examples=examples(25))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(PREFIX + program), changes)

    check()


def test_a_value_in_a_cycle_does_not_stand_for_one_that_is_not_equal_to_an_end(tuned: Tuned) -> None:
    tuned(SAMPLED_ROWS=1)
    base, cycle = KnowledgeBase(PREFIX + BETWEEN), [ONE, TWO, *(Literal(f"{n}", XSD + "integer") for n in (3, 4))]
    known = [(ex(f"k{number}"), ex("p"), value) for number, value in enumerate(cycle)]
    known += [(ex(f"k{number}"), ex("q"), value) for number, value in enumerate([*cycle[1:], ONE])]
    known.append((ex("other"), ex("w"), SAME_ONE))
    add(base, *known)
    base.flush()

    come = [(ex("a"), ex("v"), value) for value in cycle]
    add(base, *come)

    assert_equal(base, base.program, {*known, *come})


def test_closures_of_things_that_are_no_literals_stay_in_their_scheme() -> None:
    base = KnowledgeBase(PREFIX + EDGES + PATHS.format(apart=", ?x != ?z") + CLIQUE)
    add(base, *((ex("a"), ex("v"), ex(f"n{number}")) for number in range(9)))
    base.flush()

    external = sum(len(table) for _, table in base.state.engine.external.items())

    assert "transitive" in {entry.scheme for entry in base.statistics().relations}
    assert external < 9 * 8
