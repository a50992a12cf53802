"""The parts of triple terms by id: what finds them without their text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa, pc
from kgreason.checkpoints import checkpoint
from kgreason.dictionary.arrow_columns import mask_column, mask_of, row_column, text_column, text_scalar
from kgreason.errors import TermError
from kgreason.rdf.triple_keys import is_triple_key, triple_parts

Ids: TypeAlias = NDArray[np.uint32]

_ROWS: Final = 1 << 16
_IRI: Final = r'[^<>"\s]+'
_BLANK: Final = r'_:[^\s<>"]+'
# Triple terms without another one, or an escape, in them: these are left to `triple_parts`.
_PLAIN: Final = (
    rf"^<<\( (?:<(?P<si>{_IRI})>|(?P<sb>{_BLANK})) <(?P<p>{_IRI})> "
    rf'(?:<(?P<oi>{_IRI})>|(?P<ob>{_BLANK})|(?P<ot>"[^"\\]*"(?:@[A-Za-z0-9-]+)?)(?:\^\^<(?P<od>[^<>"]+)>)?) \)>>$'
)


@dataclass(frozen=True, slots=True)
class TripleColumns:
    """Triple terms by ascending id, each with the ids of its subject, predicate and object. Positions count from the
    id."""

    ids: Ids
    subjects: Ids
    predicates: Ids
    objects: Ids
    _orders: dict[int, tuple[NDArray[np.int64], Ids, int]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.ids)

    def order(self, position: int) -> NDArray[np.int64]:
        """The rows in the order of the ids at a position: a sort, once."""
        return self._sorted(position)[0]

    def runs(self, position: int, wanted: Ids) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each id where in this order the rows that have it at the position begin and end."""
        ascending = self._sorted(position)[1]
        return ascending.searchsorted(wanted), ascending.searchsorted(wanted, side="right")

    def distinct_count(self, position: int) -> int:
        """How many ids there are at a position."""
        return self._sorted(position)[2]

    def _sorted(self, position: int) -> tuple[NDArray[np.int64], Ids, int]:
        known = self._orders.get(position)
        if known is None:
            column = self.columns[position]
            order = np.argsort(column, kind="stable")
            ascending = column[order]
            count = int(np.count_nonzero(ascending[1:] != ascending[:-1])) + bool(len(column))
            known = self._orders[position] = order, ascending, count
        return known

    def before(self, count: int) -> TripleColumns:
        """Those whose ids are less than `count`, in the same memory."""
        end = int(np.searchsorted(self.ids, count))
        return self if end == len(self) else TripleColumns(*(column[:end] for column in self.columns))

    @property
    def columns(self) -> tuple[Ids, Ids, Ids, Ids]:
        """The ids and those of the parts."""
        return self.ids, self.subjects, self.predicates, self.objects

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        orders = sum(order.nbytes + ids.nbytes for order, ids, _ in self._orders.values())
        return sum(column.nbytes for column in self.columns) + orders


NO_TRIPLES: Final = TripleColumns(*(np.empty(0, dtype=np.uint32) for _ in range(4)))


class TripleTerms:
    """The triple terms of a dictionary; each is looked at once, in half a microsecond beside the look-ups."""

    __slots__ = ("_known",)

    def __init__(self, known: tuple[int, TripleColumns] = (0, NO_TRIPLES)) -> None:
        # How many terms were looked at, and the triple terms among them: one reference, for readers in other threads.
        self._known = known

    def of_all(
        self,
        are_triples: NDArray[np.bool_],
        keys: Callable[[Ids], pa.Array],
        lookup: Callable[[Sequence[str]], NDArray[np.int64]],
    ) -> TripleColumns:
        """All triple terms.

        Args:
            are_triples: for every id whether it is a triple term.
            keys: gives the keys of ascending ids as a column.
            lookup: gives the ids of keys as int64, -1 for what has none. A triple term with a part that has none,
                which only a forged file makes, is left out.
        """
        count, known = self._known
        if count == len(are_triples):
            return known
        fresh = (np.flatnonzero(are_triples[count:]) + count).astype(np.uint32)
        found = [known]
        for start in range(0, len(fresh), _ROWS):
            checkpoint()
            ids = fresh[start : start + _ROWS]
            parts = [lookup(part.to_pylist()) for part in parts_of_keys(keys(ids))]
            whole = np.logical_and.reduce([part >= 0 for part in parts])
            found.append(TripleColumns(ids[whole], *(part[whole].astype(np.uint32) for part in parts)))
        if len(found) > 1:
            columns = zip(*(each.columns for each in found), strict=True)
            known = TripleColumns(*map(np.concatenate, columns))
        self._known = len(are_triples), known
        return known

    @property
    def seen(self) -> int:
        """How many terms of the dictionary were looked at."""
        return self._known[0]

    def prefix(self, count: int) -> TripleTerms:
        """What is known of the first `count` terms, in the same memory."""
        looked_at, known = self._known
        return TripleTerms((min(looked_at, count), known.before(count)))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._known[1].nbytes


def parts_of_keys(keys: pa.Array) -> tuple[pa.Array, pa.Array, pa.Array]:
    """The keys of the subjects, predicates and objects of a column of keys of triple terms: half a microsecond each.

    Raises:
        TermError: a key is not of a triple term.
    """
    groups = pc.extract_regex(keys.cast(pa.string()), _PLAIN)
    group = {name: groups.field(name) for name in ("si", "sb", "p", "oi", "ob", "ot", "od")}
    typed = pc.if_else(pc.equal(group["od"], text_scalar("")), text_scalar(""), text_scalar("^^"))
    columns = [
        _joined(group["si"], group["sb"]),
        group["p"],
        _joined(group["oi"], group["ob"], group["ot"], typed, group["od"]),
    ]
    others = ~mask_of(groups.is_valid())
    if others.any():
        rows = keys.take(row_column(np.flatnonzero(others))).to_pylist()
        replaced = [text_column(list(texts)) for texts in zip(*map(triple_parts, rows), strict=True)]
        mask = mask_column(others)
        columns = [pc.replace_with_mask(own, mask, other) for own, other in zip(columns, replaced, strict=True)]
    subjects, predicates, objects = columns
    return subjects, predicates, objects


def are_triple_keys(keys: pa.Array) -> NDArray[np.bool_]:
    """For each text whether it is the key of a triple term, whatever is nested in it."""
    return np.fromiter(map(_is_whole, keys.to_pylist()), np.bool_, len(keys))


def _is_whole(key: str) -> bool:
    while True:
        try:
            key = triple_parts(key)[2]
        except TermError:
            return False
        if not is_triple_key(key):
            return True


def _joined(*columns: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(*columns, text_scalar(""))
