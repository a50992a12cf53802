"""What ids and codes there are, for the checks of what refers to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason.errors import LoadError
from kgreason.schemes.relations import AUXILIARY, CLASS, PROPERTY, identifier_of, kind_of


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many terms there are, and the arities of the auxiliary relations by number, 0 for none."""

    terms: int
    arities: NDArray[np.int64]

    def check_ids(self, identifiers: NDArray[np.integer], what: str) -> None:
        """Raise LoadError unless all are ids of terms: O(n)."""
        if len(identifiers) and not (int(identifiers.min()) >= 0 and int(identifiers.max()) < self.terms):
            raise LoadError(f"damaged: {what}: an id of no term ({self.terms} terms are there)")

    def check_codes(
        self, codes: NDArray[np.int64], what: str, arity: int | NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """The arities of relations by their codes; LoadError for what is none, or where they are not `arity`."""
        kinds, numbers = codes & 3, codes >> 2
        is_auxiliary = kinds == AUXILIARY
        most = np.where(is_auxiliary, len(self.arities), self.terms)
        if len(codes) and not bool(((codes >= 0) & (kinds != 3) & (numbers < most)).all()):
            raise LoadError(f"damaged: {what}: a code of no relation")
        found = np.where(kinds == CLASS, 1, 2)
        found[is_auxiliary] = self.arities[numbers[is_auxiliary]]
        is_wrong = found < 1 if arity is None else found != arity
        if bool(is_wrong.any()):
            raise LoadError(f"damaged: {what}: a relation with another count of arguments")
        return found

    def arity_of(self, code: int, what: str) -> int:
        """The arity of a relation by its code; LoadError for what is none."""
        return int(self.check_codes(np.array([code], dtype=np.int64), what)[0])


def arities_of(relations: Sequence[tuple[str, int, int]]) -> NDArray[np.int64]:
    """The arities of auxiliary relations by number, from 1 on; LoadError where two have one code, or one has none.

    Args:
        relations: the name, the arity and the code of each.
    """
    found = np.zeros(len(relations) + 1, dtype=np.int64)
    for name, arity, code in relations:
        number = identifier_of(code)
        if kind_of(code) != AUXILIARY or not 0 < number < len(found) or found[number]:
            raise LoadError(f"damaged: the relation {name!a:.80} has the code {code}")
        found[number] = arity
    return found


__all__ = ["CLASS", "PROPERTY", "Bounds", "arities_of"]
