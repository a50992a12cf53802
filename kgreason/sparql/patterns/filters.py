"""The filters of a conjunction, each asked as soon as its variables are bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from kgreason.algebra.bindings import Mask
from kgreason.algebra.conjunctions.membership import Membership
from kgreason.sparql.algebra import Names
from kgreason.sparql.patterns.planning import Condition
from kgreason.sparql.solutions import Solutions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Filters:
    """Filters that are still to be asked, as `kgreason.algebra.conjunctions.conditions`; `passing` gives the rows that
    pass some."""

    filters: Sequence[Condition]
    passing: Callable[[Sequence[Condition], Solutions], Solutions]

    def __bool__(self) -> bool:
        return bool(self.filters)

    @property
    def bind(self) -> bool:
        """No filter binds a variable."""
        return False

    def variables(self) -> Names:
        """Those that are needed to ask them."""
        return frozenset[str]().union(*(each.variables for each in self.filters))

    def beyond(self, variables: Set[str]) -> Filters:
        """Those that need others than these variables."""
        return replace(self, filters=[each for each in self.filters if not each.variables <= variables])

    def connect(self, bound: Set[str], variables: Set[str]) -> bool:
        """No: a pattern that only filters for values connect has been divided (`kgreason.sparql.divisions`)."""
        return False

    def matched(self, rows: Solutions, facts: Solutions) -> Iterator[Solutions]:
        """Nothing, since no filter connects."""
        return iter(())

    def compare(self, bound: Set[str], variables: Set[str]) -> bool:
        """No, for the same reason."""
        return False

    def compared(self, rows: Solutions, others: Solutions) -> Iterator[Solutions]:
        """Nothing, either."""
        return iter(())

    def decide(self, bound: Set[str], variables: Set[str]) -> bool:
        """No."""
        return False

    def deciding(self, rows: Solutions, others: Solutions) -> Mask:
        """Nothing."""
        return np.zeros(rows.length, dtype=np.bool_)

    def asked(self, rows: Solutions, _membership: Membership) -> tuple[Filters, Solutions]:
        """The filters whose variables are not bound by now, and the rows that pass the others."""
        bound = rows.columns.keys()
        return self.beyond(bound), self.passing([each for each in self.filters if each.variables <= bound], rows)
