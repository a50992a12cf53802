"""The parts of triple terms by id: what finds them without their text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa, pc
from kgreason.checkpoints import checkpoint
from kgreason.dictionary import term_tuning
from kgreason.dictionary.arrow_columns import mask_column, mask_of, row_column, text_column, text_scalar
from kgreason.errors import TermError
from kgreason.rdf.triple_keys import is_triple_key, triple_parts

Ids: TypeAlias = NDArray[np.uint32]

Pairs: TypeAlias = NDArray[np.uint64]

_IRI: Final = r'[^<>"\s]+'
_BLANK: Final = r'_:[^\s<>"]+'
# Triple terms without another one, or an escape, in them: these are left to `triple_parts`.
_PLAIN: Final = (
    rf"^<<\( (?:<(?P<si>{_IRI})>|(?P<sb>{_BLANK})) <(?P<p>{_IRI})> "
    rf'(?:<(?P<oi>{_IRI})>|(?P<ob>{_BLANK})|(?P<ot>"[^"\\]*"(?:@[A-Za-z0-9-]+)?)(?:\^\^<(?P<od>[^<>"]+)>)?) \)>>$'
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
    _by_parts: list[tuple[Pairs, Pairs, Ids]] = field(default_factory=list, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.ids)

    def order(self, position: int) -> NDArray[np.int64]:
        """The rows in the order of the ids at a position: a sort, once."""
        return self._sorted(position)[0]

    def runs(self, position: int, wanted: Ids) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each id where in this order the rows that have it at the position begin and end."""
        ascending = self._sorted(position)[1]
        return ascending.searchsorted(wanted), ascending.searchsorted(wanted, side="right")

    def with_parts(self, subjects: Ids, predicates: Ids, objects: Ids) -> NDArray[np.int64]:
        """For each row of parts the id of the triple term that has them, -1 where there is none: two binary searches,
        after two sorts of all triple terms, once."""
        if not len(self) or not len(subjects):
            return np.full(len(subjects), -1, dtype=np.int64)
        if not self._by_parts:
            ends, numbers = np.unique(_packed(self.subjects, self.objects), return_inverse=True)
            whole = _packed(numbers.reshape(-1).astype(np.uint32), self.predicates)
            order = np.argsort(whole)
            self._by_parts.append((ends, whole[order], self.ids[order]))
        ends, whole, ids = self._by_parts[0]
        wanted = _packed(subjects, objects)
        numbers = np.minimum(ends.searchsorted(wanted), len(ends) - 1)
        has_ends = ends[numbers] == wanted
        wanted = _packed(numbers.astype(np.uint32), predicates)
        rows = np.minimum(whole.searchsorted(wanted), len(whole) - 1)
        return np.where(has_ends & (whole[rows] == wanted), ids[rows].astype(np.int64), -1)

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

    def where(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> TripleColumns:
        """Some of them."""
        return TripleColumns(*(column[rows] for column in self.columns))

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
        by_parts = sum(column.nbytes for columns in self._by_parts for column in columns)
        return sum(column.nbytes for column in self.columns) + orders + by_parts


NO_TRIPLES: Final = TripleColumns(*(np.empty(0, dtype=np.uint32) for _ in range(4)))


class TripleTerms:
    """The triple terms of a dictionary; each is looked at once, in 1.4 microseconds, but for those that came with the
    ids of their parts."""

    __slots__ = ("_known", "_taken_apart")

    def __init__(self, known: tuple[int, TripleColumns] = (0, NO_TRIPLES)) -> None:
        # How many terms were looked at, and the triple terms among them: one reference, for readers in other threads.
        self._known = known
        self._taken_apart = 0

    def of_all(
        self,
        are_triples: NDArray[np.bool_],
        keys: Callable[[Ids], pa.Array],
        lookup: Callable[[pa.Array], NDArray[np.int64]],
        noted: TripleColumns = NO_TRIPLES,
    ) -> TripleColumns:
        """All triple terms.

        Args:
            are_triples: for every id whether it is a triple term.
            keys: gives the keys of ascending ids as a column.
            lookup: gives the ids of a column of keys as int64, -1 for what has none. A triple term with a part that
                has none, which only a forged file makes, is left out.
            noted: triple terms whose parts need not be looked for.
        """
        count, known = self._known
        if count == len(are_triples):
            return known
        fresh = (np.flatnonzero(are_triples[count:]) + count).astype(np.uint32)
        unknown = np.setdiff1d(fresh, noted.ids, assume_unique=True)
        found = [known] if len(unknown) == len(fresh) else [known, noted.where(np.isin(noted.ids, fresh))]
        for start in range(0, len(unknown), term_tuning.TRIPLE_TERM_ROWS):
            checkpoint()
            ids = unknown[start : start + term_tuning.TRIPLE_TERM_ROWS]
            parts = [lookup(part) for part in parts_of_keys(keys(ids))]
            whole = np.logical_and.reduce([part >= 0 for part in parts])
            found.append(TripleColumns(ids[whole], *(part[whole].astype(np.uint32) for part in parts)))
        if len(found) > 1:
            columns = zip(*(each.columns for each in found), strict=True)
            known = TripleColumns(*map(np.concatenate, columns))
            if len(unknown) < len(fresh):
                known = known.where(np.argsort(known.ids, kind="stable"))
        self._known = len(are_triples), known
        return known

    def pay(self, rows: int, count: int) -> bool:
        """Whether `of_all` pays for so many rows, beside taking each apart, in a dictionary of so many terms. Rows for
        which it did not are counted from then on, so that it is never much dearer than what was better."""
        self._taken_apart += rows
        if count - self._known[0] > term_tuning.TERMS_BESIDE * self._taken_apart:
            return False
        self._taken_apart = 0
        return True

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
    """For each text whether it is the key of a triple term, at any depth of nesting."""
    return np.fromiter(map(_is_whole, keys.to_pylist()), np.bool_, len(keys))


def _is_whole(key: str) -> bool:
    while True:
        try:
            key = triple_parts(key)[2]
        except TermError:
            return False
        if not is_triple_key(key):
            return True


def _packed(left: Ids, right: Ids) -> Pairs:
    return left.astype(np.uint64) << np.uint64(32) | right


def _joined(*columns: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(*columns, text_scalar(""))
