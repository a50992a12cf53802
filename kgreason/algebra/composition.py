"""One step of a join that forgets what it joins on: ``k, z`` and ``r(z, w)`` become the distinct ``k, w``.

Where many rows agree but for z, `extend` makes each pair of k and w once for each z between them. A product of
matrices of bits (`kgreason.columns.products`) takes a step for 64 of them, and each row comes out once. Where r has the
pairs within classes, a class is looked up once for all its z (`kgreason.relations.class_images`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import starmap
from operator import attrgetter
from typing import Final, Generic

import numpy as np

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.extend import variable_at
from kgreason.algebra.row_keys import Ids, Index, distinct_ids, keys_of, numbered, places_among
from kgreason.columns import products, sorted_columns
from kgreason.columns.products import Bits
from kgreason.relations.class_images import ClassImages
from kgreason.relations.table import Columns, Table
from kgreason.sorting import argsort

_LENGTH: Final = attrgetter("length")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Composition(Generic[V]):
    """A step for which a product is cheaper than `extend`.

    Args:
        columns: the distinct rows, by those columns that are kept.
        members: for each row before the step the number of the id on which it is joined; equal rows side by side.
        begins: where those that are equal in what is kept begin.
        bits: for each of these ids the numbers of the ids at the other ends of its facts.
        others: these ids.
        made: the variable of the other end.
    """

    columns: Mapping[V, Ids]
    members: Index
    begins: Index
    bits: Bits
    others: Ids
    made: V

    @classmethod
    def of(cls, rows: Bindings[V], numbers: Index, others: Ids, bits: Bits, made: V) -> Composition[V]:
        """The step from the columns that are kept and, for each row, the number of the id on which it is joined; from
        the bits of each of these ids."""
        keys = keys_of([*rows.columns.values()], rows.length)
        order = argsort(keys)
        begins = np.flatnonzero(sorted_columns.firsts(keys[order]))
        del keys
        firsts = order[begins]
        columns = {name: column[firsts] for name, column in rows.columns.items()}
        return cls(columns, numbers[order], begins, bits, others, made)

    def pieces(self) -> Iterator[Bindings[V]]:
        """The distinct rows, a bounded number at a time."""
        return filter(_LENGTH, starmap(self._piece, products.product_rows([(self.bits, self.members)], self.begins)))

    def _piece(self, group: Index, found: Index) -> Bindings[V]:
        taken = {name: column[group] for name, column in self.columns.items()}
        return Bindings({**taken, self.made: self.others[found]}, len(group))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassComposition(Generic[V]):
    """A step along pairs within classes, for which a look-up of each class is cheaper than `extend`.

    Args:
        rows: the columns that are kept.
        joined: for each row the id on which it is joined.
        images: the classes.
        made: the variable of the other end.
    """

    rows: Bindings[V]
    joined: Ids
    images: ClassImages
    made: V

    def pieces(self) -> Iterator[Bindings[V]]:
        """The distinct rows, a bounded number at a time."""
        columns, groups = distinct_numbered(self.rows)
        for group, found in self.images.images(groups, self.joined):
            if len(group):
                taken = {name: column[group] for name, column in columns.items()}
                yield Bindings({**taken, self.made: found}, len(group))


def distinct_numbered(rows: Bindings[V]) -> tuple[dict[V, Ids], Index]:
    """The columns of the distinct rows, one or more, and for each row the number of its equal: a pass or a sort."""
    columns = {**rows.columns}
    if len(columns) == 1:
        ((name, column),) = columns.items()
        distinct, groups = distinct_ids(column)
        return {name: distinct}, groups
    first, groups = numbered(keys_of([*columns.values()], rows.length))
    return {name: column[first] for name, column in columns.items()}, groups


def composition(
    rows: Bindings[V], atom: Atom[V], relation: Table, kept: Set[V] | None
) -> Composition[V] | ClassComposition[V] | None:
    """The step as a product, None where `extend` is as cheap or the atom is of another form.

    Which rows there are must be all that is asked (`Multiplicity.ANY`). Along pairs within classes the step goes class
    by class. Cost: nothing where there are few rows; where there are many, a look at some, and where these make many
    rows, at the fanout of each distinct id, and at the facts if it comes to a product.
    """
    if kept is None or rows.length < tuning.PRODUCT_ROWS:
        return None
    position = atom.bound_end(rows.columns)
    if position is None:
        return None
    joined, made = variable_at(atom, position), variable_at(atom, 1 - position)
    if joined in kept or made not in kept or kept.isdisjoint(rows.columns):
        return None
    images = ClassImages.of(relation)
    if images is None:
        sample = rows.columns[joined][:: max(1, rows.length // tuning.SAMPLED_ROWS)]
        if relation.expected_fanout(position, sample) < tuning.PRODUCT_FANOUT:
            return None
    middles, numbers = distinct_ids(rows.columns[joined])
    counts = relation.fanout(position, middles)
    facts, made_rows = int(counts.sum()), int(counts[numbers].sum())
    if images is not None:
        if made_rows <= tuning.CLASS_GAIN * rows.length:
            return None
        return ClassComposition(rows.narrowed(kept), rows.columns[joined], images, made)
    width = products.width_of(min(facts, relation.distinct_estimate(1 - position)))
    work = width * (rows.length + 64 * len(middles)) + facts
    if not facts or facts > tuning.PRODUCT_FACTS or work > tuning.PRODUCT_GAIN * made_rows:
        return None
    if 8 * width * len(middles) > tuning.PRODUCT_BYTES:
        return None
    others, bits = _bits_of(relation, position, middles, facts)
    return Composition.of(rows.narrowed(kept), numbers, others, bits, made)


def _bits_of(relation: Table, position: int, middles: Ids, facts: int) -> tuple[Ids, Bits]:
    """The ids that others lead to along `facts` pairs, and for each of the others which of these it leads to."""
    if facts <= tuning.PRODUCT_APART:
        index, ids = _ends(relation.lookup({position: middles}), 1 - position)
        others, places = distinct_ids(ids)
        return others, products.bit_rows(index, places, len(middles), products.width_of(len(others)))
    # A part at a time: the pairs of all may be as many as the relation has, in 20 bytes each.
    others = relation.image(position, middles)
    parts = (_ends(found, 1 - position) for found in relation.lookups({position: middles}, tuning.PRODUCT_PART))
    places_of = places_among(others, facts)
    numbered_parts = ((index, places_of(ids)) for index, ids in parts)
    return others, products.rows_of_bits(numbered_parts, len(middles), products.width_of(len(others)))


def _ends(found: tuple[Index, Columns], position: int) -> tuple[Index, Ids]:
    """One column of the facts, so that the others are not held."""
    index, facts = found
    return index, facts[position]
