"""Would catch a set of equal things that lacks members after a link came or went, or that is made anew where nothing in
it has moved."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from kgreason.relations.binary import BinaryTable
from kgreason.relations.catalogue import EQUALITY, Input
from kgreason.relations.equality import EqualityTable
from kgreason.relations.net_changes import net_change
from kgreason.relations.plain import table_of
from kgreason.relations.representation import RepresentedScheme
from kgreason.relations.schemes import UnionScheme
from kgreason.relations.table import Table
from tests.profiles import examples

THINGS = 12
Links = set[tuple[int, int]]


def a_set(members: set[int]) -> Table | None:
    return table_of((np.array(sorted(members), dtype=np.uint32),)) if members else None


def classes(links: Links) -> EqualityTable | None:
    ends = np.array(sorted(links), dtype=np.uint32).reshape(-1, 2).T
    return EqualityTable.of(BinaryTable.of((ends[0], ends[1]))) if links else None


def completed(members: set[int], links: Links) -> set[int]:
    """By the definition: what links lead to, either way, from some members."""
    found = set(members)
    while more := {b for a, b in links | {(b, a) for a, b in links} if a in found} - found:
        found |= more
    return found


@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("seed", range(examples(30)))
def test_histories_of_links_and_members_agree_with_the_definition(seed: int, is_written: bool) -> None:
    random, scheme = Random(seed), RepresentedScheme(UnionScheme(), is_written)
    parts: list[set[int]] = [set(), set()]
    links: Links = set()
    tables: list[Table | None] = [None, None]
    equal: EqualityTable | None = None
    shown: Table | None = None
    for _ in range(30):
        came = list(tables)
        if random.random() < 0.6:
            links ^= {(random.randrange(THINGS), random.randrange(THINGS))}
        else:
            number = random.randrange(2)
            parts[number] = parts[number] ^ {random.randrange(THINGS)}
            came[number] = a_set(parts[number])
        after = classes({(a, b) for a, b in links if a != b})
        changes = [net_change(*versions) for versions in zip(tables, came, strict=True)]
        inputs = [Input(*versions, *change) for *versions, change in zip(tables, came, changes, strict=True)]

        shown = scheme.derive(shown, [*inputs, Input(equal, after, None, None, EQUALITY)]) or None

        assert {*(shown.distinct(0).tolist() if shown else ())} == completed(parts[0] | parts[1], links)
        tables, equal = came, after


@pytest.mark.parametrize("members", [{7, 8}, {1, 7}])
def test_a_set_that_has_nothing_that_moved_is_the_same(members: set[int]) -> None:
    scheme, table = RepresentedScheme(UnionScheme(), is_written=True), a_set(members)
    one, two = classes({(1, 2)}), classes({(1, 2), (3, 4)})
    before = scheme.derive(None, [Input(None, table, table, None), Input(None, one, one, None, EQUALITY)])

    after = scheme.derive(before, [Input(table, table, None, None), Input(one, two, None, None, EQUALITY)])

    assert after is before
