"""Heads of rules without those that are known, or were derived before in the same pass.

Most of what rules derive is known: of an analysis of pointers 1.5 million pairs, of which 240,000 come. Where a bit
tells (`columns.pair_bits`), what is known is left out as soon as it is derived, and is neither sorted nor held.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from kgreason import tuning
from kgreason.columns.pair_bits import PairBits
from kgreason.engine import rule_tuning
from kgreason.engine.rules.rule_inputs import MakeTable, Reader
from kgreason.relations.plain import keys_of_table, table_of, table_of_keys
from kgreason.relations.table import Columns, Table

_SAMPLED: Final = 1 << 10
"""About so many rows tell whether many are known."""


class NewFacts:
    """What is known of each key while a pass adds facts and takes none away, as far as a bit tells."""

    __slots__ = ("_asked", "_bits", "_looked_at", "_read")

    def __init__(self, read: Reader) -> None:
        """`read` gives the facts of a key."""
        self._read = read
        self._bits: dict[int, PairBits] = {}
        # Of each key how many rows were derived, and how many when it was last looked whether it is worth bits.
        self._asked: dict[int, int] = {}
        self._looked_at: dict[int, int] = {}

    def maker(self, key: int) -> MakeTable:
        """What makes a table of derived facts of a key, each of which it gives once."""
        return partial(self._table, key)

    def _table(self, key: int, columns: Columns) -> Table | None:
        count = len(columns[0])
        if len(columns) != 2 or count < rule_tuning.COMPARED_HEADS:
            return table_of(columns)
        self._asked[key] = asked = self._asked.get(key, 0) + count
        most = max(tuning.PAIR_BITS_LEAST, tuning.PAIR_BITS_BYTES * asked)
        bits = self._bits.get(key) or self._of_known(key, columns, most)
        keys = None if bits is None else bits.added(*columns, most)
        if keys is None:
            self._bits.pop(key, None)
            return table_of(columns)
        return table_of_keys(keys) if len(keys) else None

    def _of_known(self, key: int, columns: Columns, most: int) -> PairBits | None:
        """The bits of the known facts where many of some rows are among these; None elsewhere, where few rows were
        derived beside the known facts, and where it was None when half as many rows were derived."""
        asked, known = self._asked[key], self._read(key)
        if not known or known.is_virtual or asked < 2 * self._looked_at.get(key, 0):
            return None
        if known.estimate > rule_tuning.KNOWN_EACH * asked:
            return None
        self._looked_at[key] = asked
        some = tuple(column[:: len(column) // _SAMPLED + 1] for column in columns)
        if np.count_nonzero(known.contains(some)) * rule_tuning.KNOWN_HEADS < len(some[0]):
            return None
        keys = keys_of_table(known.consolidated())
        bits = None if keys is None else PairBits.of(keys, most)
        if bits is not None:
            self._bits[key] = bits
        return bits
