"""How much a change may derive, for programs whose closure may explode."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic

from kgreason import progress
from kgreason.checkpoints import Check
from kgreason.errors import BudgetError
from kgreason.errors.limits import check_optional_limit


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one maintained change: of what is derived in one go, be it for a load, a triple or a rule.

    A change that exceeds one raises `BudgetError`, which names the rules that produced most, and is dropped. The
    limits are looked at between steps, which mostly take some hundredths of a second and make two million rows at
    most; so that is by how much they may be exceeded. Going back to what was committed is under no budget.

    Args:
        facts: how many more facts may be written out than the change asserts, less those that it takes away. Facts
            that are not triples count as well: those of relations with a name of their own, and some few for every
            axiom that a rule reads. What a storage scheme shows without writing it out (the pairs of a transitive
            closure, the members of a superclass) does not count; with ``schemes="plain"`` everything is written out.
        seconds: how long maintenance may take by the clock, with the reading of the rules that it adds; and, before it,
            how long it may take to read what a load or a parser of kgreason reads.
        bytes: how much memory the facts may take: 4 bytes for each argument of a fact that is written out, and what
            the schemes need for those that are not; some ten megabytes come on top, for the rows that a step makes.
            The texts that assignments of rules make count once they are there; those of aggregates do not.

    Raises:
        OptionError: a limit that is negative, or not a number.
    """

    facts: int | None = None
    seconds: float | None = None
    bytes: int | None = None
    _end: float | None = field(init=False, default=None, repr=False, compare=False)
    """The moment, by `time.monotonic`, at which the seconds of several changes together are over; see `within`."""

    def __post_init__(self) -> None:
        for name in ("facts", "seconds", "bytes"):
            limit = getattr(self, name)
            check_optional_limit(limit, name, f"a budget of {limit!r} {name}")

    def within(self, seconds: float, spent: float = 0.0) -> Budget:
        """This budget for all changes together that begin from now on: none goes on for more seconds from now, less
        those that are spent."""
        most = seconds if self.seconds is None else min(seconds, self.seconds)
        found, end = replace(self, seconds=most), min(self.deadline(), monotonic() + most - spent)
        object.__setattr__(found, "_end", end)
        return found

    def begun(self, spent: float = 0.0) -> Budget:
        """This budget for one change that begins now, and has spent some seconds before."""
        return self if self.seconds is None else self.within(self.seconds, spent)

    def timed(self) -> Budget:
        """The seconds of this budget alone, which end when its own do."""
        found = Budget(seconds=self.seconds)
        object.__setattr__(found, "_end", self._end)
        return found

    def deadline(self) -> float:
        """The moment, by `time.monotonic`, at which a change has to end that begins now."""
        if self.seconds is None:
            return inf
        return monotonic() + self.seconds if self._end is None else self._end

    def spent(self, deadline: float) -> str | None:
        """What to say of the time of a change that has to end at a moment, once that is over; None before."""
        now = monotonic()
        return f"{now - deadline + (self.seconds or 0):,.2f} have passed" if now > deadline else None

    def reading(self) -> Check:
        """The check of one load, which reads files from now on; BudgetError once time is up."""
        deadline = self.deadline()

        def check(_: int) -> None:
            progress.tick()
            passed = self.spent(deadline)
            if passed is not None:
                raise BudgetError(f"reading exceeds the budget of {self.seconds:g} seconds: {passed}", "seconds", ())

        return check
