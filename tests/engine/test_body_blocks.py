"""What of a body hangs together, and what rules with such bodies derive. Catches an atom in a block that another one
needs, one that is left out or asked too early, and a variable that a block drops though the rest has a use for it."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kgreason.algebra.conjunctions.blocks import block_of, filtering_block
from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError
from kgreason.rdf.model import IRI
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import Tuned, shrink

NODES = [ex(f"n{number}") for number in range(5)]

TRIANGLES = ("yz", "zx", "xv", "vw", "wx")


def numbered(variables: str) -> frozenset[int]:
    return frozenset(map(ord, variables))


@pytest.mark.parametrize(
    ("first", "others", "bound", "wanted", "block"),
    [
        ("xy", TRIANGLES, "", "x", "yz zx"),
        ("xv", ("xy", "yz", "zx", "vw", "wx"), "", "x", "vw wx"),
        ("yz", ("zx", "xv", "vw", "wx"), "xy", "x", "zx"),
        ("xy", ("yz", "zx", "x", "xv"), "", "x", "yz zx x"),
        ("xy", ("yz", "zw", "wx"), "", "x", "yz zw wx"),
        ("xy", ("yz", "zw", "wx"), "", "xz", "yz"),
        ("xy", ("yz", "zx"), "", "xyz", "yz zx"),
        ("x", ("xy", "yz"), "", "x", "xy yz"),
        ("ab", ("cd", "de"), "", "", ""),
    ],
)
def test_atoms_that_share_what_nothing_else_needs_belong_together(
    first: str, others: tuple[str, ...], bound: str, wanted: str, block: str
) -> None:
    found = block_of(numbered(first), [*map(numbered, others)], numbered(bound), numbered(wanted))

    assert [others[number] for number in found] == block.split()


@pytest.mark.parametrize(
    ("atoms", "bound", "wanted", "block"),
    [
        ("yz zx xv", "xy", "xv", "yz zx"),
        ("xv yz zx", "xy", "xv", "yz zx"),
        ("xv vw yz zx", "xy", "xw", "yz zx"),
        ("yz xv", "xy", "xv", "yz"),
        ("yz zx xv", "xy", "xvz", ""),
        ("yz zx xz", "xy", "x", ""),
        ("xv xw", "x", "xvw", ""),
        ("ab bc yz", "xy", "xz", "ab bc"),
    ],
)
def test_a_block_that_filters_binds_nothing_that_is_wanted(atoms: str, bound: str, wanted: str, block: str) -> None:
    names = atoms.split()

    found = filtering_block([numbered(name) for name in names], numbered(bound), numbered(wanted))

    assert [names[number] for number in found or ()] == block.split()


@st.composite
def bodies(draw: st.DrawFn) -> tuple[str, list[str], str]:
    """The variables of a head, of the pairs of a body, and of a pair that is denied."""
    pairs = st.lists(st.sampled_from("vwxyz"), min_size=2, max_size=2, unique=True).map("".join)
    body = draw(st.lists(pairs, min_size=3, max_size=6, unique=True))
    bound = st.sampled_from(sorted({*"".join(body)}))
    return draw(bound) + draw(bound), body, draw(bound) + draw(bound)


def derived(head: str, body: list[str], denied: str, edges: set[Triple]) -> set[Triple]:
    """The heads of all assignments that satisfy a body."""
    pairs = {(left, right) for left, _, right in edges}
    names = sorted({*"".join(body)})
    found: set[Triple] = set()
    for values in product(NODES, repeat=len(names)):
        of = dict(zip(names, values, strict=True))
        if all((of[each[0]], of[each[1]]) in pairs for each in body) and (of[denied[0]], of[denied[1]]) not in pairs:
            found.add((of[head[0]], ex("q"), of[head[1]]))
    return found


@pytest.mark.parametrize("is_shrunk", [False, True])
@given(bodies(), st.lists(st.tuples(*[st.sampled_from(NODES)] * 2), min_size=8, max_size=16, unique=True))
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_heads_are_those_of_all_assignments(
    tuned: Tuned, is_shrunk: bool, rule: tuple[str, list[str], str], pairs: list[tuple[IRI, IRI]]
) -> None:
    if is_shrunk:
        shrink(tuned)
    tuned(JOIN_ROWS=2, GATHERED_ROWS=3, CONDENSED_ROWS=1 << 20)
    tuned(SAMPLED_ROWS=1, WITNESS_ROWS=2, WITNESS_GAIN=1, OWN_ENDS_GAIN=1, CONDENSED_SAMPLE=1 << 20)
    tuned(PRODUCT_ROWS=1, FORGETTING=1 << 20)
    head, body, denied = rule
    atom = f"[?{{}}, <{EX}e>, ?{{}}]".format
    joined = ", ".join([*(atom(*each) for each in body), "~" + atom(*denied)])
    base = KnowledgeBase(f"[?{head[0]}, <{EX}q>, ?{head[1]}] :- {joined} .")
    edges = [(left, ex("e"), right) for left, right in pairs]
    known: set[Triple] = set()
    for change, some in ((add, edges[:-2]), (remove, edges[2:5]), (add, edges[3:])):
        change(base, *some)
        known = known | {*some} if change is add else known - {*some}

        assert triples(base, base.all()) == known | derived(head, body, denied, known)
        base._check()


@st.composite
def recursive_rules(draw: st.DrawFn) -> str:
    """A rule for ``q``, which its body may have, with a constant now and then, and perhaps one that counts ``q``."""
    ends = st.sampled_from([*(f"?{each}" for each in "vwxyzvwxyz"), f"<{EX}n0>"])
    atoms = st.builds(f"[{{}}, <{EX}{{}}>, {{}}]".format, ends, st.sampled_from("eefq"), ends)
    body = ", ".join(draw(st.lists(atoms, min_size=4, max_size=7, unique=True)))
    names = [each for each in "vwxyz" if f"?{each}" in body]
    assume(names)
    left, right, low, high = (draw(st.sampled_from(names)) for _ in range(4))
    denied = draw(st.sampled_from(["", f", ~[?{low}, <{EX}f>, ?{high}]", f", ?{low} != ?{high}"]))
    counted = f"[?x, <{EX}n>, #count(?y)] :- [?x, <{EX}q>, ?y], [?z, <{EX}e>, ?x], [?z, <{EX}f>, ?v] ."
    return f"[?{left}, <{EX}q>, ?{right}] :- {body}{denied} . {draw(st.sampled_from(['', counted]))}"


EDGES = st.tuples(st.sampled_from(NODES), st.sampled_from([ex("e"), ex("f")]), st.sampled_from(NODES))
CHANGES = st.tuples(
    st.lists(EDGES, min_size=3, max_size=12),
    st.integers(0, 9),
    st.sampled_from([None, None, 0, 3]),
)


@pytest.mark.parametrize("is_shrunk", [False, True])
@given(st.lists(recursive_rules(), min_size=1, max_size=2, unique=True), st.lists(CHANGES, min_size=2, max_size=4))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_recursion_through_blocks_equals_the_oracle_after_changes_and_refusals(
    tuned: Tuned, is_shrunk: bool, rules: list[str], changes: list[tuple[list[Triple], int, int | None]]
) -> None:
    if is_shrunk:
        shrink(tuned)
    tuned(JOIN_ROWS=2, GATHERED_ROWS=3)
    base = KnowledgeBase(" ".join(rules))
    known: set[Triple] = set()
    for come, count, limit in changes:
        gone = sorted(known, key=str)[:count:2]
        base.budget = Budget(facts=limit)
        remove(base, *gone)
        add(base, *come)
        try:
            base.flush()
        except BudgetError:
            assert limit is not None
        else:
            known = known - {*gone} | {*come}
        base.budget = Budget()

        assert triples(base, base.all()) == oracle.closure(base.program, known)
        base._check()
