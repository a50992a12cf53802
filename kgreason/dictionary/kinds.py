"""The kinds of terms by id, for whole columns of ids."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.dictionary.key_runs import Runs
from kgreason.rdf.keys import IRI_KIND, LITERAL_KIND, kind_of

_QUOTE: Final = ord('"')
_UNDERSCORE: Final = ord("_")
_ANGLE: Final = ord("<")


class Kinds:
    """The kind of each id; every term is looked at once."""

    __slots__ = ("_kinds", "_known", "_objects_only")

    def __init__(self) -> None:
        self._kinds = np.empty(1024, dtype=np.uint8)
        self._objects_only = np.empty(1024, dtype=np.bool_)
        self._known = 0

    def of_all(self, runs: Runs) -> NDArray[np.uint8]:
        """The kind of every id; `runs` are those of the last time, and what came since."""
        count = len(runs)
        if count > self._known:
            if count > len(self._objects_only):
                # The second column comes last: as long as it is short, what stopped this is not done.
                more = max(count, 2 * len(self._objects_only))
                self._kinds = np.append(self._kinds, np.empty(more - len(self._kinds), dtype=np.uint8))
                longer = np.empty(more - len(self._objects_only), dtype=np.bool_)
                self._objects_only = np.append(self._objects_only, longer)
            for start, run in runs.spans():
                fresh, end = max(start, self._known), min(start + len(run), count)
                if fresh < end and isinstance(run, list):
                    self._kinds[fresh:end] = _kinds_of_list(run[fresh - start : end - start])
                elif fresh < end and not isinstance(run, list):
                    self._kinds[fresh:end] = run.kinds()[fresh - start :]
            unknown = slice(self._known, count)
            self._objects_only[unknown] = self._kinds[unknown] >= LITERAL_KIND
            self._known = count
        return self._kinds[:count]

    def objects_only(self, runs: Runs) -> NDArray[np.bool_]:
        """For every id whether it is a literal or a triple term."""
        count = len(self.of_all(runs))
        return self._objects_only[:count]

    def known(self) -> NDArray[np.uint8]:
        """The kinds of the ids that were looked at, in a column of its own: O(n)."""
        return self._kinds[: self._known].copy()

    def restore(self, known: NDArray[np.uint8]) -> None:
        """Go on from what was known."""
        self._kinds, self._objects_only, self._known = known.copy(), known >= LITERAL_KIND, len(known)

    def fork(self) -> Kinds:
        """What is known, in the same memory until more is."""
        kinds = Kinds()
        count = self._known
        kinds._kinds, kinds._objects_only, kinds._known = self._kinds[:count], self._objects_only[:count], count
        return kinds

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._kinds.nbytes + self._objects_only.nbytes


def _kinds_of_list(keys: list[str]) -> NDArray[np.uint8]:
    """The kinds of keys: by what they begin with, all at once; those that may be of several kinds one by one."""
    if "" in keys:
        return np.fromiter(map(kind_of, keys), np.uint8, len(keys))
    # After a mark of the byte order, in that of the machine. A codec that names the order is a module to import.
    first = np.frombuffer("".join(map(itemgetter(0), keys)).encode("utf-32", "surrogatepass"), dtype=np.uint32)[1:]
    kinds = np.full(len(keys), IRI_KIND, dtype=np.uint8)
    kinds[first == _QUOTE] = LITERAL_KIND
    for row in np.flatnonzero((first == _UNDERSCORE) | (first == _ANGLE)).tolist():
        kinds[row] = kind_of(keys[row])
    return kinds
