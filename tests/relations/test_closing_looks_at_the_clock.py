"""Closing a relation looks at the clock, and what is stopped leaves the version before as it was."""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.checkpoints import heeding
from kgreason.columns.graphs import depth_first_order, rows_of
from kgreason.relations.binary import BinaryTable
from kgreason.relations.free_closures import transitive_closure
from kgreason.relations.plain import table_of
from kgreason.relations.transitive.closure_table import TransitiveTable
from tests.thresholds import replaced_constants

EMPTY = (np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint32))


class Stopped(Exception):
    """What the check raises."""


def stopping(looks: int) -> object:
    left = iter(range(looks))

    def check(_: int) -> None:
        if next(left, None) is None:
            raise Stopped

    return check


def chain(begin: int, end: int) -> BinaryTable:
    nodes = np.arange(begin, end, dtype=np.uint32)
    return BinaryTable.of((nodes[:-1], nodes[1:]))


def test_closing_a_long_chain_can_be_stopped() -> None:
    with pytest.raises(Stopped), heeding(stopping(5)):
        transitive_closure([table_of(chain(0, 5000).columns())])


def test_writing_a_closure_out_can_be_stopped() -> None:
    table = TransitiveTable.of(chain(0, 2000))

    with replaced_constants(CHUNK=1 << 16), pytest.raises(Stopped), heeding(stopping(5)):
        table.columns()


def test_numbering_nodes_can_be_stopped() -> None:
    nodes = np.arange(50_000)
    with pytest.raises(Stopped), heeding(stopping(1)):
        depth_first_order(*rows_of(len(nodes), nodes[:-1], nodes[1:]))


NO_EDGES = BinaryTable.of(EMPTY)


@pytest.mark.parametrize("edges", [(NO_EDGES, chain(1000, 1002)), (chain(1999, 2001), NO_EDGES)])
def test_stopped_change_leaves_the_closure_as_it_was(edges: tuple[BinaryTable, BinaryTable]) -> None:
    added, removed = edges
    before = TransitiveTable.of(chain(0, 2000))

    with pytest.raises(Stopped), heeding(stopping(3)):
        before.changed(added, removed)

    before._check()
    assert len(before) == 2000 * 1999 // 2
