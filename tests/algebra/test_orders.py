"""The order of steps where distinct counts mislead, and rows that each take the atom with fewest facts.

Would catch a step that pairs everything with everything because one id is in nearly all facts.
"""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.next_steps import next_atom
from kgreason.algebra.smallest_side import parts, rivals
from kgreason.relations.binary import as_binary
from kgreason.relations.inverse import InverseTable
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from kgreason.relations.transitive.closure_table import TransitiveTable


def pairs(left: object, right: object) -> Table:
    return table_of((np.asarray(left, dtype=np.uint32), np.asarray(right, dtype=np.uint32)))


@pytest.mark.parametrize("is_first", [True, False])
def test_an_id_that_all_facts_have_is_joined_on_last(is_first: bool) -> None:
    people = np.arange(3_000)
    same = (Atom.of(("y", "t")), pairs(people, np.full(3_000, 5)))
    own = (Atom.of(("y", "m")), pairs(people, people + 10_000))
    rows = Bindings({"x": people.astype(np.uint32), "t": same[1].columns()[1], "m": own[1].columns()[1]}, 3_000)
    joins = [same, own] if is_first else [own, same]

    assert joins[next_atom(joins, rows)] is own


def test_each_row_is_extended_by_the_atom_with_fewest_facts() -> None:
    hub = [(0, other) for other in range(100)] + [(node, node + 1) for node in range(1, 100)]
    edges = pairs(*zip(*hub, strict=True))
    ends = np.array([[0, 1], [1, 0], [2, 3], [0, 100]], dtype=np.uint32)
    rows = Bindings({"x": np.tile(ends[:, 0], 2_000), "y": np.tile(ends[:, 1], 2_000)}, 8_000)
    joins = [(Atom.of(("x", "z")), edges), (Atom.of(("y", "z")), edges)]

    assert rivals(joins[1:], joins[0], rows) == [0]
    found = {
        number: {*zip(part.columns["x"].tolist(), part.columns["y"].tolist(), strict=True)}
        for number, part in parts(joins, rows)
    }

    # 100 has no edge, so that no row with it has a solution. Of 2 and 3, that have one each, the last one will do.
    assert found == {0: {(1, 0)}, 1: {(0, 1), (2, 3)}}


def test_an_atom_that_has_few_facts_for_each_row_is_compared_with_no_other() -> None:
    nodes = np.arange(1_000)
    few, many = pairs(nodes, nodes + 1), pairs(np.repeat(nodes, 10), np.tile(np.arange(10), 1_000))
    rows = Bindings({"x": np.tile(nodes, 5).astype(np.uint32), "y": np.zeros(5_000, dtype=np.uint32)}, 5_000)

    def refuse(position: int, identifiers: object) -> None:
        raise AssertionError("it is looked at")

    many.fanout = refuse
    ((number, part),) = parts([(Atom.of(("y", "z")), many), (Atom.of(("x", "z")), few)], rows)

    assert (number, part.length) == (1, 5_000)


def test_of_very_many_atoms_one_that_multiplies_no_row_is_next() -> None:
    nodes = np.arange(20)
    many = (Atom.of(("x", "z")), pairs(np.repeat(nodes, 5), np.arange(100)))
    one = (Atom.of(("x", "w")), pairs(nodes, nodes))
    rows = Bindings({"x": nodes.astype(np.uint32)}, 20)

    assert next_atom([*[many] * 30, one, *[many] * 30], rows) == 30
    assert next_atom([many] * 40, rows) == 0


@pytest.mark.parametrize(
    ("atoms", "bound", "chosen"),
    [
        ("ab xa", "x", {"xa"}),
        ("xa ay yx xe", "x", {"xa", "yx"}),  # e multiplies what the cycle is going to look at
        ("xa ay yx xe ef", "x", {"xa", "yx"}),
        ("xa ay yx xe ez zx", "x", {"xa", "yx", "xe", "zx"}),
        ("xe ya ab by", "x", {"xe"}),  # nothing else hangs on x
        ("xe xa ay yx e", "x", {"xe"}),  # what only some e pass leaves rows out
        ("xz ue yz", "xyu", {"xz", "yz"}),
        ("xa xb ya yb ae", "x", {"xa", "xb"}),
    ],
)
def test_cycles_go_before_what_multiplies_rows(atoms: str, bound: str, chosen: set[str]) -> None:
    nodes = np.arange(2_000)
    few, many = (pairs(np.repeat(nodes, fan), (np.arange(2_000 * fan) * 7 + 1) % 2_000) for fan in (2, 3))
    some = table_of((np.arange(1_000, dtype=np.uint32),))
    tables = {name: some if len(name) == 1 else few if "e" in name else many for name in atoms.split()}
    joins = [(Atom.of(tuple(name)), table) for name, table in tables.items()]
    rows = Bindings({name: nodes.astype(np.uint32) for name in bound}, 2_000)

    assert atoms.split()[next_atom(joins, rows)] in chosen


def test_a_cycle_is_begun_with_unless_something_else_is_much_smaller() -> None:
    large, small = (pairs(np.arange(size), np.arange(size)) for size in (400, 90))
    cycle = [(Atom.of(tuple(name)), large) for name in ("ab", "bc", "ca")]

    for table, first in ((large, 1), (small, 0)):
        joins = [(Atom.of(("a", "e")), table), *cycle]
        assert next_atom(joins, Bindings({}, 1)) == first
    constant = (Atom.of(("a", None), {1: 7}), large)
    assert next_atom([*cycle, constant], Bindings({}, 1)) == 3


@pytest.mark.parametrize(("is_inverse", "sizes", "first"), [(False, (100, 90), 0), (True, (90, 100), 1)])
@pytest.mark.parametrize("is_known", [False, True])
def test_a_body_begins_where_a_closure_is_read_as_it_is_kept(
    is_inverse: bool, sizes: tuple[int, int], first: int, is_known: bool
) -> None:
    nodes = np.arange(200)
    closure = TransitiveTable.of(as_binary(pairs(nodes, nodes + 1)))
    if is_known:
        closure.inverse()
    read = InverseTable(closure) if is_inverse else closure
    left, right = (pairs(nodes[:size], nodes[:size]) for size in sizes)
    joins = [(Atom.of(("a", "b")), left), (Atom.of(("b", "c")), read), (Atom.of(("c", "d")), right)]

    # The smaller one leads to the closure's objects, of which there is no index unless its inverse is known.
    smaller = 2 * int(sizes[1] < sizes[0])
    assert next_atom(joins, Bindings({}, 1)) == (smaller if is_known else 2 * first)
    joins[2 * first] = (joins[2 * first][0], pairs(np.repeat(nodes, 2), np.arange(400)))
    assert next_atom(joins, Bindings({}, 1)) == smaller  # the other is much smaller by now


def test_a_wide_atom_with_two_free_variables_waits_for_the_pairs_that_bind_one() -> None:
    """What is tested after it has been made for all rows by then."""
    nodes = np.arange(2_000)
    pair = pairs(np.repeat(nodes, 2), (np.arange(4_000) * 7 + 1) % 2_000)
    left = np.repeat(nodes, 50)
    wide = table_of(tuple(np.asarray(column, dtype=np.uint32) for column in (left, np.arange(100_000) % 1_999, left)))
    joins = [(Atom.of(("x", "y", "m")), wide), (Atom.of(("y", "z")), pair)]
    rows = Bindings({name: nodes.astype(np.uint32) for name in "xz"}, 2_000)

    assert next_atom(joins, rows) == 1


@pytest.mark.parametrize(
    ("atoms", "bound", "chosen"),
    [
        ("xa ab by xC Cx", "xy", {"xC", "Cx"}),  # once C is bound, the other one leaves few rows
        ("ab bc ca cD Dc", "", {"cD", "Dc"}),
        ("ax xC xy Cb ba", "xy", {"xy"}),
    ],
)
def test_an_atom_that_lets_others_test_its_rows_goes_first(atoms: str, bound: str, chosen: set[str]) -> None:
    """Though it makes more rows than others, which have fewer pairs."""
    nodes = np.arange(2_000)
    few, many = (pairs(np.repeat(nodes, fan), (np.arange(2_000 * fan) * 7 + 1) % 2_000) for fan in (3, 4))
    joins = [(Atom.of(tuple(name)), few if name.islower() else many) for name in atoms.split()]
    rows = Bindings({name: nodes.astype(np.uint32) for name in bound}, 2_000 if bound else 1)

    assert atoms.split()[next_atom(joins, rows)] in chosen


@pytest.mark.parametrize(
    ("atoms", "chosen"),
    [
        ("ae be ca cd cf df fb", {"cd", "cf", "df"}),
        ("ab bc cd da bd", {"ab", "bc", "cd", "da", "bd"}),
        ("ab bc cd de ea", {"ab", "bc", "cd", "de", "ea"}),
        ("ab bc cd da ef fg ge", {"ef", "fg", "ge"}),
    ],
)
def test_of_equal_atoms_one_of_the_shortest_cycle_is_begun_with(atoms: str, chosen: set[str]) -> None:
    table = pairs(np.arange(100), np.arange(100))
    joins = [(Atom.of(tuple(name)), table) for name in atoms.split()]

    assert atoms.split()[next_atom(joins, Bindings({}, 1))] in chosen


@pytest.mark.parametrize("is_first", [True, False])
def test_few_rows_are_not_multiplied_for_what_is_tested_then(is_first: bool) -> None:
    """What either step leads to leaves as many rows, but a hub makes all pairs of things first."""
    things = np.arange(4_000)
    hub = (Atom.of(("y", "p")), pairs(things, np.full(4_000, 5_000)))
    next_one = (Atom.of(("x", "y")), pairs(np.repeat(things, 2), np.repeat(things, 2) + np.tile([1, 2], 4_000)))
    rows = Bindings({"x": things[1:].astype(np.uint32), "p": np.full(3_999, 5_000, dtype=np.uint32)}, 3_999)
    joins = [hub, next_one] if is_first else [next_one, hub]

    assert joins[next_atom(joins, rows)] is next_one
