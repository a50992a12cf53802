"""The garbage collector while rows are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from kgreason_rdflib import rdflib_tuning


class FrozenObjects:
    """Whether the program has frozen objects, which are counted only once for as many rows.

    To count them takes a step for each: 10 ns, where a row takes 200 (CPython keeps them in a list without a length).
    """

    def __init__(self) -> None:
        self._rows_left = 0

    def are_there(self, rows: int) -> bool:
        """Whether there were any at the last count, before so many rows are made. When there were none, they are
        counted again: that takes no time."""
        if self._rows_left > 0:
            self._rows_left -= rows
            return True
        self._rows_left = gc.get_freeze_count()
        return self._rows_left > 0


FROZEN = FrozenObjects()
"""Those of this process."""


@contextmanager
def uncollected(count: int) -> Iterator[None]:
    """The garbage collector leaves out as many rows as are made in the block.

    Rows hold terms alone, so that no garbage is ever reached through them alone; yet the collector follows each of
    them while it is young, and all that the program holds after every tenth of it: half of what 700,000 rows cost.
    Many rows therefore join the oldest objects at once, of which the young are taken first, so that no young garbage
    gets old by it. Objects that the program has frozen stay frozen: the rows are then collected as others.
    """
    if not gc.isenabled():
        yield
        return
    are_many = count >= rdflib_tuning.UNCOLLECTED_ROWS and not FROZEN.are_there(count)
    if are_many:
        gc.collect(1)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        if are_many:
            gc.freeze()
            gc.unfreeze()
