"""What a module is to the maintenance pass: a way to derive facts that is not a rule.

The counterpart of the plug-in functions of papers 000 and 002 for a module without recursion of its own: what it
derives from facts of its inputs serves insertion (read after the change) and overdeletion (read before it).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from kgreason.engine.evaluation import Reader
from kgreason.schemes.scheme import Table


class Module(Protocol):
    """Derives facts of its targets from facts of its inputs; monotone in them."""

    @property
    def inputs(self) -> frozenset[int]:
        """The relations that it reads."""

    @property
    def targets(self) -> Iterable[int]:
        """The relations that it derives."""

    def derive(self, read: Reader, code: int, delta: Table) -> Iterator[tuple[int, Table]]:
        """All facts, by relation, with a derivation that uses one of the facts `delta` of the input `code`."""

    def everything(self, read: Reader, target: int) -> Table | None:
        """All facts of a target."""

    def derivable(self, read: Reader, code: int, wanted: Table) -> Table | None:
        """Those of the facts `wanted` of the target `code` that it derives."""
