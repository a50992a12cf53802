"""From the inputs of a definition to the next version of its table, and what came and went with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgreason.schemes.catalogue import SYMMETRIC, UNION, Definition, Input, Scheme
from kgreason.schemes.closures import net_change, union_change
from kgreason.schemes.scheme import Mask, Table

NetChange: TypeAlias = tuple[Table | None, Table | None]


class UnsuitedError(Exception):
    """A scheme met facts that it cannot keep: its relations must be written out, and the pass made again."""

    def __init__(self, codes: Iterable[int]) -> None:
        super().__init__("relations are unsuited to their scheme")
        self.codes = frozenset(codes)


@dataclass(frozen=True, slots=True)
class Derivation:
    """A definition with its scheme; `literals` says for each id whether it is a literal."""

    definition: Definition
    scheme: Scheme
    literals: Callable[[], Mask]

    def next_version(
        self, before: Table | None, inputs: Iterable[Input], redefined: bool
    ) -> tuple[Table | None, NetChange]:
        """The facts of the first member after a change of the inputs, and the net change.

        Raises:
            UnsuitedError: an input has a literal as object where an inverse copy would make it a subject.
        """
        known = list(inputs)
        self._refuse_literals(known, redefined)
        if redefined:
            known = [Input(None, each.after, each.after, None) for each in known]
            after = self.scheme.derive(before, [*known, Input(before, None, None, before)])
            return after or None, net_change(before, after)
        after = self.scheme.derive(before, known)
        if self.definition.closure in (UNION, SYMMETRIC):
            return after or None, union_change(self.definition.closure == SYMMETRIC, known, before, after)
        return after or None, net_change(before, after)

    def _refuse_literals(self, inputs: Sequence[Input], redefined: bool) -> None:
        if not self.definition.resources:
            return
        for each in inputs:
            fresh = each.after if redefined else each.added
            if fresh is not None and any(self.literals()[fresh.changed_ends(p)].any() for p in (0, 1)):
                raise UnsuitedError(member.code for member in self.definition.members)
