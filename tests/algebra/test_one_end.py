"""Rows by a search from one end, beside powers of a matrix. Catches a pair that the search misses, one that it makes
up, a search from the wrong end, and one that goes on after it has become dear."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.conjunctions.one_end import SearchFromOneEnd
from kgreason.algebra.extend import extend
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import EX, add, ex
from tests.profiles import examples
from tests.thresholds import Tuned

NODES = 12
PATH = [Atom.of(pair) for pair in ("ya", "ab", "bx")]
Matrix = NDArray[np.bool_]


def edges_of(matrix: Matrix) -> Table:
    left, right = np.nonzero(matrix)
    return table_of((left.astype(np.uint32), right.astype(np.uint32)))


def random_matrix(nodes: int, share: float, seed: int) -> Matrix:
    return np.random.default_rng(seed).random((nodes, nodes)) < share


def followed(edges: Table, from_y: bool, rows: Bindings[str]) -> Iterator[Bindings[str]]:
    """The pairs of y and x with a path between them, by extending each row along it, from either end."""
    for atom in PATH if from_y else reversed(PATH):
        rows = extend(rows, atom, edges)
    yield rows.narrowed({"x", "y"})


@given(st.integers(0, 1 << 20), st.sampled_from([0.05, 0.15]), st.booleans())
@settings(max_examples=examples(100), deadline=None)
def test_rows_pass_whose_ends_have_a_path_between_them(seed: int, share: float, from_y: bool) -> None:
    matrix = random_matrix(NODES, share, seed)
    edges = edges_of(matrix)
    some = random_matrix(NODES, 0.5, seed + 1)
    y, x = (ends.astype(np.uint32) for ends in np.nonzero(some))
    rows = Bindings({"x": np.tile(x, 2), "y": np.tile(y, 2)}, 2 * len(x))
    search = SearchFromOneEnd("y", "x", np.inf) if from_y else SearchFromOneEnd("x", "y", np.inf)
    expected = (np.linalg.matrix_power(matrix.astype(int), 3) > 0)[rows.columns["y"], rows.columns["x"]]

    found = search.passing(rows, partial(followed, edges, from_y))

    assert found is None or np.array_equal(found, expected)


def test_a_search_that_finds_too_many_pairs_is_given_up() -> None:
    edges = edges_of(random_matrix(40, 0.1, 1))
    rows = Bindings({"x": np.zeros(1000, np.uint32), "y": np.arange(1000, dtype=np.uint32) + 1000}, 1000)

    assert SearchFromOneEnd("x", "y", 4.0).passing(rows, partial(followed, edges, False)) is None
    assert SearchFromOneEnd("x", "y", 1e6).passing(rows, partial(followed, edges, False)) is not None


@pytest.mark.parametrize(("ends", "start"), [((20, 2_000), "x"), ((2_000, 20), "y"), ((2_000, 2_000), None)])
def test_the_search_begins_where_fewer_ids_are(ends: tuple[int, int], start: str | None) -> None:
    edges = edges_of(random_matrix(2_000, 0.002, 1))
    numbers = np.arange(8_000)
    rows = Bindings({n: (numbers % each).astype(np.uint32) for n, each in zip("xy", ends, strict=True)}, 8_000)

    search = SearchFromOneEnd.of(rows, frozenset("xy"), [(atom, edges) for atom in PATH])

    assert (search and search.start) == start


@pytest.mark.parametrize("passing", [0, 16])
def test_nodes_on_long_cycles_are_those_of_the_matrix(tuned: Tuned, passing: int) -> None:
    tuned(WITNESS_ROWS=64, SEARCH_SAMPLE=8, SEARCH_PASSING=passing)
    matrix = random_matrix(80, 0.03, 3)
    base = KnowledgeBase(
        f"[?a, <{EX}q>, ?d] :- [?a, <{EX}e>, ?b], [?b, <{EX}e>, ?c], [?c, <{EX}e>, ?d], [?d, <{EX}e>, ?f],"
        f" [?f, <{EX}e>, ?g], [?g, <{EX}e>, ?a] ."
    )
    add(base, *((ex(f"n{one}"), ex("e"), ex(f"n{other}")) for one, other in np.argwhere(matrix).tolist()))
    halves = np.linalg.matrix_power(matrix.astype(int), 3) > 0
    expected = {(ex(f"n{one}"), ex(f"n{other}")) for one, other in np.argwhere(halves & halves.T).tolist()}

    encode, decode = base.dictionary.encode, base.dictionary.decode
    columns = [*base.all().match(None, encode(ex("q")), None)]

    found = {(decode(s), decode(o)) for ss, _, os in columns for s, o in zip(ss.tolist(), os.tolist(), strict=True)}
    assert found == expected
