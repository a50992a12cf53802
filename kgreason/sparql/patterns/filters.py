"""The filters of a conjunction, each asked as soon as its variables are bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from kgreason.algebra.conjunctions.membership import Membership
from kgreason.algebra.joins import Runs
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

    def each(self) -> Iterable[Names]:
        """The variables that each of them needs to be asked."""
        return (each.variables for each in self.filters)

    def beyond(self, variables: Set[str]) -> Filters:
        """Those that need others than these variables."""
        return replace(self, filters=[each for each in self.filters if not each.variables <= variables])

    def within(self, variables: Set[str]) -> Filters:
        """Those that need no others than these variables."""
        return replace(self, filters=[each for each in self.filters if each.variables <= variables])

    def connect(self, bound: Set[str], variables: Set[str]) -> bool:
        """No: a pattern that only filters for values connect has been divided (`kgreason.sparql.divisions`)."""
        return False

    def compare(self, bound: Set[str], variables: Set[str]) -> bool:
        """No, for the same reason."""
        return False

    def beside(self, rows: Solutions, others: Solutions) -> Iterator[Runs[str]]:
        """Each with all."""
        return iter((Runs.of_all(rows, others),))

    def asked(self, rows: Solutions, _membership: Membership) -> tuple[Filters, Solutions]:
        """The filters whose variables are not bound by now, and the rows that pass the others."""
        bound = rows.columns.keys()
        return self.beyond(bound), self.passing([each for each in self.filters if each.variables <= bound], rows)
