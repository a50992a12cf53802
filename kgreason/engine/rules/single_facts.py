"""Facts that are looked up one at a time: those of tables, each read once, and those that are found meanwhile.

To find the facts of one id among the columns of a table takes a microsecond, to find them again a tenth of that. So
what was read of a table is kept, for as long as the tables are the same and what is found is few.
"""

from __future__ import annotations

from typing import TypeAlias

from kgreason.engine import rule_tuning
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.relations.table import Table

Fact: TypeAlias = tuple[int, ...]
"""The ids of one fact, as Python's integers."""


class ManyFactsError(Exception):
    """More facts than are worth looking at one at a time, or literals of which columns compare the values."""


class Allowance:
    """How many facts may still be looked at, and how many were."""

    __slots__ = ("_left", "_spent")

    def __init__(self) -> None:
        self._left = rule_tuning.FACTS_OF_ONE
        self._spent = 0

    def begin(self) -> None:
        """Allow `FACTS_OF_ONE` from now on."""
        most = rule_tuning.FACTS_OF_ONE
        self._spent += most - self._left
        self._left = most

    def taken(self) -> int:
        """How many facts were looked at since this was last asked."""
        self.begin()
        spent, self._spent = self._spent, 0
        return spent

    def spend(self, facts: int) -> None:
        """So many are looked at.

        Raises:
            ManyFactsError: they are more than is allowed.
        """
        self._left -= facts
        if self._left < 0:
            raise ManyFactsError


class SingleFacts:
    """The facts of one relation: those of a table, which stays the same, and those that are added."""

    __slots__ = ("_added", "_allowance", "_known", "_other_ends", "_table")

    def __init__(self, table: Table | None, allowance: Allowance) -> None:
        self._table = table or None
        self._allowance = allowance
        self._known: dict[Fact, bool] = {}
        self._added: list[Fact] = []
        self._other_ends: dict[int, OtherEnds] = {}

    def add(self, fact: Fact) -> bool:
        """Add a fact; False where it is there."""
        if self.has(fact):
            return False
        self._known[fact] = True
        self._added.append(fact)
        for ends in self._other_ends.values():
            ends.add(fact)
        return True

    def has(self, fact: Fact) -> bool:
        """Whether a fact is there: O(log n) when it is first asked for."""
        found = self._known.get(fact)
        if found is None:
            table = self._table
            found = self._known[fact] = table is not None and table.has(fact)
        return found

    def other_ends(self, position: int) -> OtherEnds:
        """The pairs by what they have at a position."""
        if position not in self._other_ends:
            found = self._other_ends[position] = OtherEnds(self._table, position, self._allowance)
            for fact in self._added:
                found.add(fact)
        return self._other_ends[position]


class OtherEnds:
    """What the pairs of a relation that have an id at one position have at the other one."""

    __slots__ = ("_allowance", "_came", "_position", "_read", "_table")

    def __init__(self, table: Table | None, position: int, allowance: Allowance) -> None:
        self._table = table
        self._position = position
        self._allowance = allowance
        self._read: dict[int, list[int]] = {}
        self._came: dict[int, list[int]] = {}

    def add(self, fact: Fact) -> None:
        """Have one more pair, which is not in the table."""
        key, other = fact[self._position], fact[1 - self._position]
        found = self._read.get(key)
        if found is None:
            self._came.setdefault(key, []).append(other)
        else:
            found.append(other)

    def of(self, identifier: int) -> list[int]:
        """Those of one id, also such as are added while they are gone through: O(log n) when they are first read.

        Raises:
            ManyFactsError: they are more than is allowed.
        """
        found = self._read.get(identifier)
        if found is None:
            found = self._read[identifier] = self._first(identifier) + self._came.pop(identifier, [])
        self._allowance.spend(len(found))
        return found

    def _first(self, identifier: int) -> list[int]:
        table, most = self._table, rule_tuning.FACTS_OF_ONE
        if table is None:
            return []
        found = table.few_of(self._position, identifier, most)
        if found is None:
            raise ManyFactsError
        return found


class FactsByRelation:
    """The facts of all relations: those that `read` gives, which stay the same, and those that are added."""

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._relations: dict[int, SingleFacts] = {}
        self.allowance = Allowance()

    def of(self, code: int) -> SingleFacts:
        """Those of one relation."""
        found = self._relations.get(code)
        if found is None:
            found = self._relations[code] = SingleFacts(self._read(code), self.allowance)
        return found
