"""Atoms that others imply: would catch one that is left out though it says something of its own, and one that is kept
beside another that says the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.algebra.cores import CoreAtom, core
from tests.profiles import examples

NODES = range(3)
ATOMS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from("ef"), st.tuples(*[st.sampled_from([*"vwxyz", 0])] * 2)),
        st.tuples(st.just("t"), st.tuples(*[st.sampled_from("vwxyz")] * 3)),
    ),
    min_size=1,
    max_size=5,
)
FACTS = st.fixed_dictionaries(
    {
        "e": st.frozensets(st.tuples(*[st.sampled_from(NODES)] * 2), max_size=6),
        "f": st.frozensets(st.tuples(*[st.sampled_from(NODES)] * 2), max_size=6),
        "t": st.frozensets(st.tuples(*[st.sampled_from(NODES)] * 3), max_size=9),
    }
)


def atoms_of(text: str) -> list[CoreAtom]:
    return [("e", tuple(each)) for each in text.split()]


def names_of(atoms: Sequence[CoreAtom]) -> list[str]:
    return sorted({each for _, arguments in atoms for each in arguments if isinstance(each, str)})


def solutions(atoms: Sequence[CoreAtom], facts: dict[str, frozenset[tuple[int, ...]]]) -> Iterator[dict[object, int]]:
    names = names_of(atoms)
    for values in product(NODES, repeat=len(names)):
        binding: dict[object, int] = {**dict(zip(names, values, strict=True)), 0: 0}
        if all(tuple(binding[each] for each in args) in facts[str(relation)] for relation, args in atoms):
            yield binding


def is_implied(atoms: Sequence[CoreAtom], number: int, free: set[str]) -> bool:
    """Whether all atoms, with some of them for the free variables, are among the others: every mapping is tried."""
    others = {atom for place, atom in enumerate(atoms) if place != number}
    terms = [*dict.fromkeys(each for _, arguments in atoms for each in arguments)]
    names = sorted(free & {*names_of(atoms)})
    for values in product(terms, repeat=len(names)):
        image = dict(zip(names, values, strict=True))
        if all((relation, tuple(image.get(each, each) for each in args)) in others for relation, args in atoms):
            return True
    return False


@given(ATOMS, st.sets(st.sampled_from("vwxyz")), FACTS)
@settings(max_examples=examples(300), deadline=None)
def test_what_is_left_has_the_same_solutions_and_implies_no_atom_of_its_own(
    atoms: list[CoreAtom], wanted: set[str], facts: dict[str, frozenset[tuple[int, ...]]]
) -> None:
    kept = wanted & {*names_of(atoms)}
    free = {*names_of(atoms)} - kept

    left = [atoms[number] for number in core(atoms, free)]

    assert kept <= {*names_of(left)}
    rows = [{tuple(each[name] for name in sorted(kept)) for each in solutions(some, facts)} for some in (atoms, left)]
    assert rows[0] == rows[1]
    assert not [n for n in range(len(left)) if free & {*names_of([left[n]])} and is_implied(left, n, free)]


@pytest.mark.parametrize(
    ("body", "free", "left"),
    [
        ("ax bx ay by az bz", "xyz", 2),
        ("ax xy az zw", "xyzw", 2),
        ("xy yz zx xu uv vx", "yzuv", 3),
        ("xy yx ab bc ca", "xyabc", 5),
        ("xx ab bc ca", "abc", 1),
        ("ax bx ay by", "x", 2),
        ("ax bx ay by", "", 4),
    ],
)
def test_atoms_that_say_nothing_of_their_own_go(body: str, free: str, left: int) -> None:
    assert len(core(atoms_of(body), {*free})) == left


def test_a_long_conjunction_is_left_as_it_is() -> None:
    steps = [("e", (f"v{number}", f"v{number + 1}")) for number in range(300)]

    assert core(steps, {f"v{number}" for number in range(301)}) == [*range(300)]
