"""How much a change may derive, for programs whose closure may explode."""

from __future__ import annotations

from dataclasses import dataclass, fields

from kgreason.errors import KGReasonError


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one maintained change: of what is derived in one go, be it for a load, a triple or a rule.

    A change that exceeds one raises `BudgetError`, which names the rules that produced most, and is dropped. The
    limits are looked at between steps of some hundredths of a second, and no step makes columns beyond what is left.

    Args:
        facts: how many more facts may be written out than the change asserts, less those that it takes away. What
            a storage scheme shows without writing it out (the pairs of a transitive closure, the members of a
            superclass) does not count; with ``schemes="plain"`` everything is written out.
        seconds: how long maintenance may take by the clock.
        bytes: how much memory may be taken: 4 bytes for each argument of a fact that is written out, what the schemes
            need for what they do not write out, and the rows that a step works on.

    Raises:
        KGReasonError: a limit that is negative.
    """

    facts: int | None = None
    seconds: float | None = None
    bytes: int | None = None

    def __post_init__(self) -> None:
        for each in fields(self):
            limit = getattr(self, each.name)
            if limit is not None and not limit >= 0:
                raise KGReasonError(f"a budget of {limit} {each.name}: a limit is 0 or more, or None for no limit")
