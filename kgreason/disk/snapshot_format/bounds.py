"""The ids and codes that exist, to check references to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason.errors import DamageError
from kgreason.relations.codes import AUXILIARY, CLASS, PROPERTY, identifier_of, kind_of


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many terms there are, and the auxiliary relations: their numbers in order, and the arity of each.

    Numbers have gaps, since relations of lists are numbered by the lengths of these.
    """

    terms: int
    numbers: NDArray[np.int64]
    arities: NDArray[np.int64]

    def check_ids(self, identifiers: NDArray[np.integer], what: str) -> None:
        """Raise LoadError unless all are ids of terms: O(n)."""
        if len(identifiers) and not (int(identifiers.min()) >= 0 and int(identifiers.max()) < self.terms):
            raise DamageError(f"an id that no term has (there are {self.terms} terms)", part=what)

    def check_codes(
        self, codes: NDArray[np.int64], what: str, arity: int | NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """The arities of relations by their codes; LoadError for anything else, or where they are not `arity`."""
        kinds, numbers = codes & 3, codes >> 2
        is_auxiliary = kinds == AUXILIARY
        auxiliary = numbers[is_auxiliary]
        at = np.searchsorted(self.numbers, auxiliary)
        at[at == len(self.numbers)] = 0
        is_known = bool((self.numbers[at] == auxiliary).all()) if len(self.numbers) else not len(auxiliary)
        if not is_known or not bool(((codes >= 0) & (kinds != 3) & (is_auxiliary | (numbers < self.terms))).all()):
            raise DamageError("a code that no relation has", part=what)
        found = np.where(kinds == CLASS, 1, 2)
        if len(auxiliary):
            found[is_auxiliary] = self.arities[at]
        is_wrong = found < 1 if arity is None else found != arity
        if bool(is_wrong.any()):
            raise DamageError("a relation with another count of arguments", part=what)
        return found

    def arity_of(self, code: int, what: str) -> int:
        """The arity of a relation by its code; LoadError for anything else."""
        return int(self.check_codes(np.array([code], dtype=np.int64), what)[0])


def bounds_of(terms: int, relations: Sequence[tuple[str, int, int]]) -> Bounds:
    """The bounds of so many terms and some auxiliary relations; LoadError where two have one code, or one has none.

    Args:
        terms: how many there are.
        relations: the name, the arity and the code of each.
    """
    arities: dict[int, int] = {}
    for name, arity, code in relations:
        number = identifier_of(code)
        if kind_of(code) != AUXILIARY or number < 1 or number in arities:
            raise DamageError(f"the relation {name!a:.80} has the code {code}")
        arities[number] = arity
    columns = np.array(sorted(arities.items()), dtype=np.int64).reshape(-1, 2)
    return Bounds(terms, np.ascontiguousarray(columns[:, 0]), columns[:, 1])


__all__ = ["CLASS", "PROPERTY", "Bounds", "bounds_of"]
