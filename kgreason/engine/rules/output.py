"""Which heads of a rule are needed, and how a table of them is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kgreason.algebra.conjunctions.interchangeable import Interchangeable
from kgreason.engine.rules.rule_inputs import MakeTable
from kgreason.relations.plain import table_of


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """What `make` makes of derived facts, of those that differ in `interchangeable` ids perhaps one alone."""

    make: MakeTable = table_of
    interchangeable: Interchangeable[int] | None = None


ALL: Final = Output()
"""Every head."""
