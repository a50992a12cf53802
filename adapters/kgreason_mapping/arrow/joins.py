"""Joins with parents: the terms of the parent's rows by what they are compared by, held in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kgreason.rdf.hashing import Hashes, hash_column
from kgreason.rdf.keys import IRI_KIND
from kgreason_mapping.arrow.columns import Rows, combinations, joined, mask_of, spread, taken
from kgreason_mapping.arrow.term_columns import TermColumn, concatenated
from kgreason_mapping.arrow.terms import BatchTerms
from kgreason_mapping.plan.tree import JoinPlan, TextValue


@dataclass(frozen=True, slots=True)
class ParentRows:
    """The good terms of a parent's rows, ordered by the hashes of what they are compared by."""

    hashes: Hashes
    keys: pa.Array
    terms: TermColumn


@dataclass(frozen=True, slots=True)
class JoinedChild:
    """A join, and the rows of its parent."""

    plan: JoinPlan
    parent: ParentRows

    def objects(self, batch: BatchTerms) -> TermColumn:
        """The terms of the parent's rows for each row of a child's batch.

        Cost: a look-up of a part of a microsecond for each distinct value that is compared.
        """
        rows, keys = compared(batch, [child for child, _ in self.plan.conditions])
        number, found = equal_keys(keys, self.parent.hashes, self.parent.keys)
        terms = self.parent.terms.at(found)
        return TermColumn(terms.kind, terms.pieces, terms.length, rows[number])


def equal_keys(keys: pa.Array, hashes: Hashes, ordered: pa.Array) -> tuple[Rows, Rows]:
    """The positions of equal texts in a column and in one that is ordered by its hashes, as pairs."""
    encoded = pc.dictionary_encode(keys)
    own = hash_column(encoded.dictionary)
    order = np.argsort(own)
    starts, ends = np.empty((2, len(own)), dtype=np.int64)
    starts[order] = np.searchsorted(hashes, own[order], "left")
    ends[order] = np.searchsorted(hashes, own[order], "right")
    codes = encoded.indices.to_numpy()
    number, found = spread(starts[codes], ends[codes])
    # Hashes of different texts may be equal.
    same = mask_of(pc.equal(taken(keys, number), taken(ordered, found)))
    return (number, found) if same.all() else (number[same], found[same])


def compared(batch: BatchTerms, values: Sequence[TextValue]) -> tuple[Rows, pa.Array]:
    """What conditions compare, as one text for each combination of values, and the row of each: where all are known."""
    columns = [batch.texts(one) for one in values]
    rows, positions = combinations([one.rows for one in columns])
    texts = [one.at(at).texts for one, at in zip(columns, positions, strict=True)]
    if rows is None:
        rows = np.arange(batch.rows.length)
    keys = texts[0]
    if len(texts) > 1:
        # The lengths tell where one text ends and the next one begins.
        lengths = [pc.binary_length(text).cast(pa.string()) for text in texts]
        keys = joined([piece for text, length in zip(texts, lengths, strict=True) for piece in (length, " ", text)],
                      len(rows))  # fmt: skip
    if keys.null_count:
        known = np.flatnonzero(mask_of(keys.is_valid()))
        return rows[known], taken(keys, known)
    return rows, keys


class ParentGathering:
    """Gathers the rows of the parent of one join."""

    def __init__(self, plan: JoinPlan) -> None:
        self.plan = plan
        self._keys: list[pa.Array] = []
        self._terms: list[TermColumn] = []

    def part(self, batch: BatchTerms) -> tuple[pa.Array, TermColumn]:
        """The keys and good terms of a batch."""
        rows, keys = compared(batch, [parent for _, parent in self.plan.conditions])
        column = batch.terms(self.plan.object)
        _, (at_keys, at_terms) = combinations([rows, column.rows])
        assert at_keys is not None
        at_terms = rows if at_terms is None else at_terms
        if column.good is not None:
            good = column.good[at_terms]
            at_keys, at_terms = at_keys[good], at_terms[good]
        return taken(keys, at_keys), column.at(at_terms)

    def add(self, part: tuple[pa.Array, TermColumn]) -> None:
        """Take in what a batch gave."""
        self._keys.append(part[0])
        self._terms.append(part[1])

    def parent(self) -> ParentRows:
        """All rows of the parent."""
        if not self._keys:
            none = pa.array([], pa.string())
            return ParentRows(np.empty(0, dtype=np.uint64), none, TermColumn(IRI_KIND, (none,), 0))
        return parent_rows(pa.concat_arrays(self._keys), concatenated(self._terms))


def parent_rows(keys: pa.Array, terms: TermColumn) -> ParentRows:
    """The good terms of a parent's rows, and what each is compared by."""
    hashes = hash_column(keys)
    order = np.argsort(hashes, kind="stable")
    return ParentRows(hashes[order], taken(keys, order), terms.at(order))
