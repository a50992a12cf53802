"""Lists are walked the same way all at once and one after the other: beside a walk in plain Python. A list that goes
round, is cut off or forks at some cell would be told apart only where a few long lists are left."""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.engine.modules.list_cells import ListCells
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF
from kgreason.relations.plain import table_of
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import add, ex, remove
from tests.thresholds import replaced_constants

NIL = 0


def plain_walk(rests: dict[int, list[int]], owner: int) -> list[int] | str:
    """The cells of a straight list, or why it is none."""
    way: list[int] = []
    cell = owner
    while cell != NIL:
        if cell in way:
            return "open"
        way.append(cell)
        after = rests.get(cell, [])
        if len(after) != 1:
            return "forked" if after else "open"
        (cell,) = after
    return way


@pytest.mark.parametrize("few", [0, 3, 1 << 20])
@pytest.mark.parametrize("seed", range(40))
def test_walks_find_what_plain_walks_find(few: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    cells = int(random.integers(2, 60))
    before = np.arange(1, cells)
    after = np.append(before[1:], NIL)
    odd = random.random(cells - 1) < random.choice([0, 0.02, 0.1])
    after[odd] = random.integers(0, cells, int(odd.sum()))
    kept = random.random(cells - 1) >= random.choice([0, 0, 0.05])
    forks = random.integers(0, cells, (2, int(random.choice([0, 0, 1, 3]))))
    forks[0][forks[0] == NIL] = 1
    pairs = np.concatenate((np.stack((before, after))[:, kept], forks), axis=1)
    pairs = np.unique(pairs, axis=1).astype(np.uint32)
    lists = random.permutation(cells)[: random.integers(1, cells)].astype(np.uint32)
    rests: dict[int, list[int]] = {}
    for cell, following in pairs.T.tolist():
        rests.setdefault(cell, []).append(following)
    rest = table_of((pairs[0], pairs[1])) if pairs.size else None

    with replaced_constants(FEW_LISTS=few):
        walk = ListCells(None, rest, NIL).walk(lists)

    expected = {owner: plain_walk(rests, owner) for owner in lists.tolist()}
    assert sorted(walk.open.tolist()) == sorted(each for each, way in expected.items() if way == "open")
    assert sorted(walk.forked.tolist()) == sorted(each for each, way in expected.items() if way == "forked")
    rows = walk.straight
    assert sorted(zip(rows.owners.tolist(), rows.positions.tolist(), rows.cells.tolist(), strict=True)) == sorted(
        (owner, position, cell)
        for owner, way in expected.items()
        if not isinstance(way, str)
        for position, cell in enumerate(way)
    )


def test_a_long_list_is_walked_without_a_join_for_each_cell() -> None:
    class Counted:
        """A table of pairs that counts joins."""

        def __init__(self) -> None:
            self.joins = 0
            self._table = table_of((before, after))

        def __getattr__(self, name: str) -> object:
            self.joins += name == "lookup"
            return getattr(self._table, name)

    before = np.arange(1, 1000, dtype=np.uint32)
    after = np.append(before[1:], np.uint32(NIL))
    rest = Counted()

    walk = ListCells(None, rest, NIL).walk(before[:1])

    assert walk.straight.cells.tolist() == before.tolist()
    assert rest.joins < 10


def test_a_list_that_changes_is_walked_once_as_it_was_and_once_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last cell but one gets a second member: the members of the list and its sequences are read off it."""
    cells, first, rest = 200, IRI(RDF + "first"), IRI(RDF + "rest")
    base = KnowledgeBase("owl-rl")
    add(base, (ex("C"), IRI(OWL + "intersectionOf"), ex("l0")), (ex("E"), IRI(OWL + "oneOf"), ex("l0")))
    add(base, *((ex(f"l{number}"), first, ex(f"x{number}")) for number in range(cells)))
    after = [ex(f"l{number}") for number in range(1, cells)] + [IRI(RDF + "nil")]
    add(base, *((ex(f"l{number}"), rest, each) for number, each in enumerate(after)))
    second = (ex(f"l{cells - 2}"), first, ex("y"))
    base.flush()
    walked = []
    walk = ListCells._walked_from
    monkeypatch.setattr(ListCells, "_walked_from", lambda known, cell: walked.append(cell) or walk(known, cell))

    for change in (add, remove):
        walked.clear()
        change(base, second)
        base.flush()
        assert 1 <= len(walked) <= 2
    base._check()
