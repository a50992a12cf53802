"""Relations of which all is new in a round: a rule that reads one is evaluated once, over all facts.

All that it derives then is what it derives from what is new of any of its atoms, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgreason.engine.modules.module import Delta
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.relations.table import Table


class WholeRelations:
    """Those of one round, with the rules that have been evaluated since they read one."""

    __slots__ = ("_codes", "_covered", "_delta")

    def __init__(self, read: Reader, delta: Delta) -> None:
        self._delta = delta
        self._codes = {code for code, table in delta.items() if _is_whole(table, read(code))}
        self._covered: set[tuple[int, int]] = set()

    def first(self) -> Iterator[tuple[int, Table]]:
        """What is new of each relation, these first."""
        for code in self._codes:
            yield code, self._delta[code]
        for code, table in self._delta.items():
            if code not in self._codes:
                yield code, table

    def have(self, code: int) -> bool:
        """Whether a relation is one of them."""
        return code in self._codes

    def have_covered(self, code: int, use: Occurrence) -> bool:
        """Whether a rule has been evaluated for another of its atoms; it will be for this one where it is of such a
        relation."""
        if not self._codes:
            return False
        rule = (use.group.number, use.row)
        is_covered = rule in self._covered
        if code in self._codes:
            self._covered.add(rule)
        return is_covered


def _is_whole(delta: Table, table: Table | None) -> bool:
    """O(1): virtual tables are compared by identity."""
    if delta is table or not table:
        return delta is table
    return not table.is_virtual and not delta.is_virtual and len(table) == len(delta)
