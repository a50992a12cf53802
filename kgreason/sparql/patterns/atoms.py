"""Atoms over ids, ready to be joined: each takes a batch of solutions a step further, whole columns at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from kgreason.sparql.demand import Multiplicity
from kgreason.sparql.patterns.relations import Relation
from kgreason.sparql.scope import Names
from kgreason.sparql.solutions import Counts, Ids, Index, Solutions

End: TypeAlias = int | str
"""An end of an atom: the id of a constant, or the name of a variable."""

BLOCK = 1 << 21
"""About how many rows a step makes at once."""
FIRST = 1 << 12
GROWTH = 32


@dataclass(frozen=True, slots=True)
class Expected:
    """What a plan reckons with after some steps: rows, and for each bound variable how many ids it takes."""

    rows: float
    domains: Mapping[str, float]


class ReadyAtom(Protocol):
    """An atom with ids for its constants and something to read from."""

    @property
    def variables(self) -> Names:
        """The names of its variables."""

    @property
    def label(self) -> str:
        """The atom as text, to explain a plan."""

    def expect(self, before: Expected) -> tuple[Expected, float]:
        """What is expected after this step, and the work that it takes, in rows looked at."""

    def apply(self, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        """Join a batch with the atom; out come the columns of `kept` alone, with weights for what went with the
        others, or without any where it only matters which rows there are."""


@dataclass(frozen=True, slots=True)
class PairAtom:
    """Two ends that a relation connects."""

    relation: Relation
    ends: tuple[End, End]
    label: str

    @property
    def variables(self) -> Names:
        return frozenset(end for end in self.ends if isinstance(end, str))

    # -- what it costs -------------------------------------------------------------------------------------------

    def expect(self, before: Expected) -> tuple[Expected, float]:
        subject, object = self.ends
        rows, domains = before.rows, before.domains
        if isinstance(subject, int) and isinstance(object, int):
            found = self.relation.contains(_column(subject), _column(object))[0]
            return Expected(rows if found else 0, domains), 1
        for position, end in enumerate(self.ends):
            other = self.ends[1 - position]
            if isinstance(end, int) and isinstance(other, str):
                return self._from_constant(before, float(self.relation.count(position, end)), other)
        assert isinstance(subject, str)
        assert isinstance(object, str)
        size = float(self.relation.size)
        ends = [float(self.relation.ends(position)) for position in (0, 1)]
        if subject == object:
            loops = min(size, *ends) * min(1.0, rows / max(ends[0], domains.get(subject, 0.0) or rows))
            return Expected(loops, {**domains, subject: loops}), rows + size
        known = [end in domains for end in (subject, object)]
        factor = size
        after = dict(domains)
        for position, end in enumerate((subject, object)):
            if known[position]:
                factor /= max(ends[position], domains[end])
                after[end] = min(domains[end], ends[position])
        result = rows * (min(1.0, factor) if all(known) else factor)
        for position, end in enumerate((subject, object)):
            if not known[position]:
                after[end] = max(1.0, min(ends[position], result))
        return Expected(result, after), (rows if any(known) else 0.0) + result

    @staticmethod
    def _from_constant(before: Expected, count: float, variable: str) -> tuple[Expected, float]:
        domain = before.domains.get(variable)
        if domain is None:
            return Expected(before.rows * count, {**before.domains, variable: max(1.0, count)}), before.rows * count
        share = min(1.0, count / max(1.0, domain))
        return Expected(before.rows * share, {**before.domains, variable: max(1.0, min(domain, count))}), before.rows

    # -- what it gives -------------------------------------------------------------------------------------------

    def apply(self, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        subject, object = self.ends
        known = [isinstance(end, int) or end in rows.columns for end in self.ends]
        if all(known) or (subject == object and known[0]):
            yield _narrowed(rows.where(self._filter(rows)), kept)
        elif subject == object:
            yield from self._loops(rows, kept, multiplicity)
        elif not known[0] and not known[1]:
            yield from self._scan(rows, kept, multiplicity)
        else:
            yield from self._follow(rows, 0 if known[0] else 1, kept, multiplicity)

    def _filter(self, rows: Solutions) -> np.ndarray:
        subject, object = self.ends
        if isinstance(object, int) and isinstance(subject, str):
            return self.relation.matches(1, object, rows.columns[subject])
        if isinstance(subject, int) and isinstance(object, str):
            return self.relation.matches(0, subject, rows.columns[object])
        if isinstance(subject, int) and isinstance(object, int):
            return np.full(rows.length, self.relation.contains(_column(subject), _column(object))[0])
        return self.relation.contains(rows.columns[str(subject)], rows.columns[str(object)])

    def _follow(self, rows: Solutions, position: int, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        """From the end at a position, which is known, to the other one."""
        end, free = self.ends[position], str(self.ends[1 - position])
        if isinstance(end, int):
            if free in kept:
                yield from _crossed(_narrowed(rows, kept), {free: self.relation.select(position, end)}, None)
                return
            count = self.relation.count(position, end)
            yield _narrowed(_times(rows, np.full(rows.length, count, dtype=np.int64), multiplicity), kept)
            return
        if free not in kept:
            if multiplicity is Multiplicity.ANY:
                yield _narrowed(rows.where(self.relation.occurs(position, rows.columns[end])), kept)
            else:
                yield _narrowed(rows.weighted(self.relation.degrees(position, rows.columns[end])), kept)
            return
        if multiplicity is Multiplicity.ANY and not kept.intersection(rows.columns):
            others = self.relation.image(position, rows.columns[end])
            yield Solutions({free: others}, len(others))
            return
        for piece in self._pieces(rows, position):
            index, others = self.relation.expand(position, piece.columns[end])
            yield _narrowed(piece, kept).take(index).with_columns({free: others})

    def _pieces(self, rows: Solutions, position: int) -> Iterator[Solutions]:
        """The rows, as many at once as will make about BLOCK rows."""
        fan = max(1.0, self.relation.size / self.relation.ends(position))
        for begin, end in _growing(rows.length, fan):
            yield rows.slice(begin, end)

    def _scan(self, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        """All pairs, beside each row there is: none of the ends is known."""
        subject, object = str(self.ends[0]), str(self.ends[1])
        rows = _narrowed(rows, kept)
        if subject in kept and object in kept:
            for subjects, objects in self.relation.scan():
                yield from _crossed(rows, {subject: subjects, object: objects}, None)
        elif subject in kept or object in kept:
            position = 0 if subject in kept else 1
            ends = self.relation.distinct(position)
            for begin, end in _growing(len(ends)):
                part = ends[begin:end]
                weights = None if multiplicity is Multiplicity.ANY else self.relation.degrees(position, part)
                yield from _crossed(rows, {str(self.ends[position]): part}, weights)
        else:
            count = min(1, self.relation.size) if multiplicity is Multiplicity.ANY else self.relation.total()
            yield _times(rows, np.full(rows.length, count, dtype=np.int64), multiplicity)

    def _loops(self, rows: Solutions, kept: Names, multiplicity: Multiplicity) -> Iterator[Solutions]:
        name = str(self.ends[0])
        ends = self.relation.loops()
        if name in kept:
            yield from _crossed(_narrowed(rows, kept), {name: ends}, None)
        else:
            yield _narrowed(_times(rows, np.full(rows.length, len(ends), dtype=np.int64), multiplicity), kept)


def _growing(length: int, fan: float = 1.0) -> Iterator[tuple[int, int]]:
    """Where pieces of rows begin and end that are to make BLOCK rows each, the first of them fewer: somebody may only
    want the first ones."""
    begin, size = 0, FIRST
    while begin < length:
        end = begin + max(1, int(size / fan))
        yield begin, min(end, length)
        begin, size = end, min(size * GROWTH, BLOCK)


def _crossed(rows: Solutions, columns: Mapping[str, Ids], weights: Counts | None) -> Iterator[Solutions]:
    """Each row with each row of new columns."""
    size = len(next(iter(columns.values())))
    if not size or not rows.length:
        return
    if rows.length == 1 and not rows.columns and rows.weights is None:
        yield Solutions(columns, size, weights)
        return
    step = max(1, BLOCK // size)
    for begin in range(0, rows.length, step):
        part = rows.slice(begin, begin + step)
        index: Index = np.repeat(np.arange(part.length), size)
        found = part.take(index).with_columns({name: np.tile(column, part.length) for name, column in columns.items()})
        yield found if weights is None else found.weighted(np.tile(weights, part.length))


def _times(rows: Solutions, counts: Counts, multiplicity: Multiplicity) -> Solutions:
    return rows.where(counts > 0) if multiplicity is Multiplicity.ANY else rows.weighted(counts)


def _narrowed(rows: Solutions, kept: Names) -> Solutions:
    gone = [name for name in rows.columns if name not in kept]
    return rows.without(gone) if gone else rows


def _column(identifier: int) -> Ids:
    return np.array([identifier], dtype=np.uint32)
