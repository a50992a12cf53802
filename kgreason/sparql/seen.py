"""Solutions that came before: DISTINCT while the first solutions are wanted soon."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason.sparql.joins import is_in
from kgreason.sparql.rows import distinct, joint_keys
from kgreason.sparql.solutions import Solutions


class Seen:
    """The distinct solutions so far."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._known: Solutions | None = None

    def fresh(self, batch: Solutions) -> Solutions:
        """The solutions of a batch that are new, each once; they are seen from now on."""
        rows = distinct(batch.only(self._names))
        if self._known is None:
            self._known = rows
            return rows
        if not self._names:
            return rows.slice(0, 0)
        mine, theirs = joint_keys(*([side.columns[n] for n in self._names] for side in (rows, self._known)))
        new = rows.where(~is_in(mine, np.sort(theirs)))
        self._known = Solutions.concatenated([self._known, new])
        return new
