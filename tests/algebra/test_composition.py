"""A step as a product of matrices of bits, against `extend`.

Would catch rows that take the id of another group, that come out twice, or that are lost where a step is cut.
"""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, Multiplicity
from kgreason.algebra.composition import ClassComposition, composition
from kgreason.algebra.extend import extend
from kgreason.relations.binary import as_binary
from kgreason.relations.equality import EqualityTable
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from kgreason.relations.transitive.closure_table import TransitiveTable
from tests.thresholds import replaced_constants

KEPT = frozenset({"x", "v", "w"})
Row = tuple[int, ...]


def rows_of(found: Bindings[str]) -> list[Row]:
    names = sorted(found.columns)
    return [*zip(*(found.columns[name].tolist() for name in names), strict=True)]


def random_rows(length: int, names: str, ids: int) -> Bindings[str]:
    generator = np.random.default_rng(length)
    return Bindings({name: generator.integers(5, ids, length).astype(np.uint32) for name in names}, length)


def random_pairs(count: int, ids: int) -> Table:
    generator = np.random.default_rng(count)
    return table_of(tuple(generator.integers(0, ids, (2, count)).astype(np.uint32)))


@pytest.mark.parametrize("names", ["xz", "vxz"])
@pytest.mark.parametrize("arguments", [("z", "w"), ("w", "z")])
@pytest.mark.parametrize("closed", [False, True])
def test_a_product_gives_the_distinct_rows_of_a_join(names: str, arguments: tuple[str, str], closed: bool) -> None:
    edges = random_pairs(2_000 if not closed else 250, 200)
    relation = TransitiveTable.of(edges) if closed else edges
    rows = random_rows(6_000, names, 210)
    atom = Atom.of(arguments)

    product = composition(rows, atom, relation, KEPT)

    assert product is not None
    found = [row for piece in product.pieces() for row in rows_of(piece)]
    assert len(found) == len({*found})
    assert {*found} == {*rows_of(extend(rows, atom, relation, KEPT, Multiplicity.ANY))}


@pytest.mark.parametrize("arguments", [("z", "w"), ("w", "z")])
@pytest.mark.parametrize("apart", [1, 1_000_000])
def test_a_product_of_a_part_of_the_facts_at_a_time_gives_the_same(arguments: tuple[str, str], apart: int) -> None:
    columns = random_pairs(2_000, 200).columns()
    relation = table_of(tuple(column * np.uint32(apart) for column in columns))
    rows = random_rows(6_000, "xz", 210)
    rows = Bindings({**rows.columns, "z": rows.columns["z"] * np.uint32(apart)}, rows.length)

    with replaced_constants(PRODUCT_APART=100, PRODUCT_PART=100):
        product = composition(rows, Atom.of(arguments), relation, KEPT)
        assert product is not None
        found = [row for piece in product.pieces() for row in rows_of(piece)]

    assert len(found) == len({*found})
    assert {*found} == {*rows_of(extend(rows, Atom.of(arguments), relation, KEPT, Multiplicity.ANY))}


@pytest.mark.parametrize("kind", [EqualityTable, EquivalenceTable])
@pytest.mark.parametrize("names", ["xz", "vxz"])
@pytest.mark.parametrize(("edges", "limit"), [(60, 1 << 20), (150, 1 << 20), (60, 7), (0, 7)])
def test_a_step_within_classes_gives_the_distinct_rows_of_a_join(
    kind: type[EqualityTable | EquivalenceTable], names: str, edges: int, limit: int
) -> None:
    some = as_binary(random_pairs(edges, 200))
    loops = np.arange(40, 70, dtype=np.uint32)  # some have no class but for themselves
    relation = kind.of(some.union(table_of((loops, loops))))
    rows = random_rows(2_000, names, 210)

    with replaced_constants(CLASS_GAIN=0, JOIN_ROWS=limit):
        product = composition(rows, Atom.of(("z", "w")), relation, KEPT)
        assert isinstance(product, ClassComposition)
        pieces = [rows_of(piece) for piece in product.pieces()]

    found = [row for piece in pieces for row in piece]
    assert len(found) == len({*found})
    assert {*found} == {*rows_of(extend(rows, Atom.of(("z", "w")), relation, KEPT, Multiplicity.ANY))}
    assert limit > 7 or len(pieces) > 5


def test_a_product_cut_into_pieces_gives_the_same_rows() -> None:
    relation, rows, atom = random_pairs(2_000, 200), random_rows(6_000, "xz", 210), Atom.of(("z", "w"))
    product = composition(rows, atom, relation, KEPT)
    assert product is not None
    whole = [row for piece in product.pieces() for row in rows_of(piece)]

    with replaced_constants(PRODUCT_WORDS=20):
        pieces = [rows_of(piece) for piece in product.pieces()]

    assert len(pieces) > 5
    assert [row for piece in pieces for row in piece] == whole


@pytest.mark.parametrize(
    ("atom", "kept"),
    [
        (Atom.of(("z", "w")), frozenset("xzw")),  # what is joined on is kept
        (Atom.of(("z", "w")), frozenset("xv")),  # what is found is not
        (Atom.of(("z", "w")), frozenset("w")),  # nothing else is
        (Atom.of(("z", "z")), frozenset("xw")),
        (Atom.of(("z", "x")), frozenset("x")),
        (Atom.of(("z", None), {1: 7}), frozenset("x")),
    ],
)
def test_a_step_of_another_form_is_no_product(atom: Atom[str], kept: frozenset[str]) -> None:
    assert composition(random_rows(6_000, "xz", 210), atom, random_pairs(2_000, 200), kept) is None


def test_sparse_rows_are_joined_as_before() -> None:
    rows = random_rows(6_000, "xz", 4_000_000)

    assert composition(rows, Atom.of(("z", "w")), random_pairs(20_000, 4_000_000), KEPT) is None
