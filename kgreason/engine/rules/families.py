"""Rule families: all specialised rules of one shape, as rows of parameters, and which relation concerns which.

A family of plain rules holds its rows directly. A family of specialised rules has one row per fact of its
guard relation (an auxiliary relation that a rule over schema triples derives): when a guard fact comes or goes,
a rule comes or goes. Universal columns range over all relations that can have facts at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import sorted_sets
from kgreason.engine.rules.shapes import Shape
from kgreason.schemes.relations import AUXILIARY, CLASS, kind_of
from kgreason.schemes.scheme import Table

ParameterRows: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Kinds: TypeAlias = dict[int, set[int]]


@dataclass(frozen=True, slots=True)
class Constant:
    """A parameter that is the same in every row: a relation code or a term id."""

    value: int


@dataclass(frozen=True, slots=True)
class Column:
    """A parameter read from a column of the guard row: a term id, or a relation where `kind` says which."""

    position: int
    kind: int | None = None


Source: TypeAlias = Constant | Column


State: TypeAlias = tuple[NDArray[Any], ...]


@dataclass(slots=True, eq=False)
class Family:
    """The rules of one shape: one per row of `parameters`.

    `rows` are the guard rows followed by the universal columns; `universals` says for each of these whether it
    ranges over CLASS or PROPERTY relations, and `bases` are then the guard rows alone. A plain family has no
    `guard` and no `sources`: its rows are its parameters. `fresh` marks rows that have not been evaluated yet,
    `leaving` those that go in the next pass, `repeating` those that are left out because others
    derive the same. Arrays are replaced, never written into, so that a snapshot of the references is a copy.
    """

    name: str
    shape: Shape
    guard: int | None = None
    sources: tuple[Source, ...] = ()
    universals: tuple[int, ...] = ()
    bases: ParameterRows = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    fresh_bases: Flags = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    rows: ParameterRows = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    parameters: ParameterRows = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    fresh: Flags = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    leaving: Flags = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    repeating: Flags = field(default_factory=lambda: np.empty(0, dtype=np.bool_))

    def add(self, rows: ParameterRows) -> None:
        """Add rules by their guard rows (n, width), which are not there yet."""
        if self.universals:
            self.bases = np.concatenate((self.bases, rows)) if len(self.bases) else rows
            self.fresh_bases = np.concatenate((self.fresh_bases, np.ones(len(rows), dtype=np.bool_)))
        else:
            self._append(rows, np.ones(len(rows), dtype=np.bool_))

    def extend(self, classes: NDArray[np.int64], properties: NDArray[np.int64]) -> bool:
        """Make the universal rows for relations that are new, given by ids; whether there were any.

        A new relation has no facts yet, so its rules have nothing to catch up with: all that they derive
        comes from its first facts. They are fresh only where the guard row itself is.
        """
        if not len(self.bases):
            return False
        rows, base = self.bases, np.arange(len(self.bases))
        for kind in self.universals:
            relations = classes if kind == CLASS else properties
            base = np.repeat(base, len(relations))
            rows = np.concatenate(
                (np.repeat(rows, len(relations), axis=0), np.tile(relations, len(rows))[:, None]), axis=1
            )
        if len(self.rows):
            new = ~sorted_sets.contains(np.sort(as_keys(self.rows)), as_keys(rows))
            rows, base = rows[new], base[new]
        self._append(rows, self.fresh_bases[base])
        return len(rows) > 0

    def rows_for(self, classes: int, properties: int) -> int:
        """How many rows there are for so many classes and properties."""
        rows = len(self.bases)
        for kind in self.universals:
            rows *= classes if kind == CLASS else properties
        return rows

    def bytes_of(self, rows: int) -> int:
        """About how many bytes so many rows take."""
        return rows * 8 * int(self.bases.shape[1] + len(self.universals) + len(self.sources))

    def find(self, guards: ParameterRows) -> Flags:
        """Which rows begin with one of the guard rows."""
        if not len(guards) or not len(self.rows):
            return np.zeros(len(self.rows), dtype=np.bool_)
        if not guards.shape[1]:
            return np.ones(len(self.rows), dtype=np.bool_)
        return sorted_sets.contains(np.sort(as_keys(guards)), as_keys(self.rows[:, : guards.shape[1]]))

    def drop(self, guards: ParameterRows) -> None:
        """Take away the rules of these guard rows."""
        kept = ~self.find(guards)
        self.rows, self.parameters = self.rows[kept], self.parameters[kept]
        self.fresh, self.leaving, self.repeating = self.fresh[kept], self.leaving[kept], self.repeating[kept]
        if self.universals and len(self.bases):
            kept = ~sorted_sets.contains(np.sort(as_keys(guards)), as_keys(self.bases))
            self.bases, self.fresh_bases = self.bases[kept], self.fresh_bases[kept]

    def leave(self, guards: ParameterRows) -> None:
        """The rules of these rows go in the next pass."""
        self.leaving = self.leaving | self.find(guards)

    def guard_holds(self, row: int, guards: Table) -> bool:
        """Whether the guard fact of a row is in the table."""
        wanted = self.rows[row, : self.rows.shape[1] - len(self.universals)].astype(np.uint32)
        return bool(guards.contains(tuple(wanted[position : position + 1] for position in range(len(wanted))))[0])

    def is_waiting(self) -> bool:
        """Whether a row is fresh or leaving."""
        return bool(self.fresh.any() or self.leaving.any() or self.fresh_bases.any())

    def wait(self) -> None:
        """No row has been evaluated yet."""
        self.fresh = np.ones(len(self.fresh), dtype=np.bool_)
        self.fresh_bases = np.ones(len(self.fresh_bases), dtype=np.bool_)

    def settle(self) -> None:
        """All rows have been evaluated now; those that were leaving are gone."""
        if self.fresh.any():
            self.fresh = np.zeros(len(self.fresh), dtype=np.bool_)
        if self.fresh_bases.any():
            self.fresh_bases = np.zeros(len(self.fresh_bases), dtype=np.bool_)
        if self.leaving.any():
            kept = ~self.leaving
            self.rows, self.parameters = self.rows[kept], self.parameters[kept]
            self.fresh, self.leaving, self.repeating = self.fresh[kept], self.leaving[kept], self.repeating[kept]

    def snapshot(self) -> State:
        """The state, to be given to `restore`."""
        return self.bases, self.fresh_bases, self.rows, self.parameters, self.fresh, self.leaving, self.repeating

    def restore(self, state: State) -> None:
        """Go back to a snapshot."""
        self.bases, self.fresh_bases, self.rows, self.parameters, self.fresh, self.leaving, self.repeating = state

    def relation_columns(self) -> tuple[Kinds, Kinds]:
        """For each guard column the kinds of relations that its ids name, where the rule affirms and where it denies.

        The subject of a triple in the head counts as the name of a class: it is no literal either.
        """
        affirmed: Kinds = {}
        denied: Kinds = {}
        head = self.shape.head
        for atom in (*self.shape.body, *((head,) if head is not None else ())):
            self._note_kind(atom.relation, affirmed)
        for atom in self.shape.negated:
            self._note_kind(atom.relation, denied)
        if head is not None and head.arguments[0] < 0 and self._is_about_triples(head.relation):
            subject = self.sources[~head.arguments[0]]
            if isinstance(subject, Column):
                affirmed.setdefault(subject.position, set()).add(CLASS)
        return affirmed, denied

    def _note_kind(self, relation: int, found: Kinds) -> None:
        source = self.sources[relation]
        if isinstance(source, Column) and source.kind is not None:
            found.setdefault(source.position, set()).add(source.kind)

    def _is_about_triples(self, relation: int) -> bool:
        source = self.sources[relation]
        return isinstance(source, Column) or kind_of(source.value) != AUXILIARY

    def _append(self, rows: ParameterRows, fresh: Flags) -> None:
        parameters = self._parameters_of(rows)
        if len(self.rows):
            rows = np.concatenate((self.rows, rows))
            parameters = np.concatenate((self.parameters, parameters))
        self.rows, self.parameters = rows, parameters
        self.fresh = np.concatenate((self.fresh, fresh))
        none = np.zeros(len(fresh), dtype=np.bool_)
        self.leaving, self.repeating = np.concatenate((self.leaving, none)), np.concatenate((self.repeating, none))

    def _parameters_of(self, rows: ParameterRows) -> ParameterRows:
        if self.guard is None and not self.universals:
            return rows
        parameters = np.empty((len(rows), len(self.sources)), dtype=np.int64)
        for position, source in enumerate(self.sources):
            if isinstance(source, Constant):
                parameters[:, position] = source.value
            elif source.kind is None:
                parameters[:, position] = rows[:, source.position]
            else:
                parameters[:, position] = rows[:, source.position] << 2 | source.kind
        return parameters


def as_keys(rows: ParameterRows) -> sorted_sets.Column:
    """Rows of ids and codes as one sortable column."""
    if rows.shape[1] == 1:
        return rows[:, 0]
    return np.ascontiguousarray(rows.astype(">i8")).view(f"S{8 * rows.shape[1]}").reshape(-1)


@dataclass(frozen=True, slots=True)
class Use:
    """A rule that a relation concerns: the row of a family, and the position of the atom, -1 for none."""

    family: Family
    row: int
    position: int
    parameters: tuple[int, ...]

    @property
    def head(self) -> int:
        """The code of the relation that the rule derives."""
        assert self.family.shape.head is not None
        return self.parameters[self.family.shape.head.relation]


Entry: TypeAlias = tuple[Family, ParameterRows, int, NDArray[np.int64]]
"""A family, the numbers of some of its rows, the position of an atom, and the relations of these rows there."""


class Uses:
    """From a relation to the rules that use it in one role; sorted once, looked up lazily."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._families: list[Family] = []
        codes, families, rows, positions = [], [], [], []
        for family, numbers, position, relations in entries:
            codes.append(relations)
            rows.append(numbers)
            families.append(np.full(len(numbers), len(self._families)))
            positions.append(np.full(len(numbers), position))
            self._families.append(family)
        self._known: dict[int, list[Use]] = {}
        if not codes:
            self._codes = np.empty(0, dtype=np.int64)
            return
        all_codes = np.concatenate(codes)
        order = np.argsort(all_codes, kind="stable")
        self._codes = all_codes[order]
        self._entries = np.stack(
            (np.concatenate(families)[order], np.concatenate(rows)[order], np.concatenate(positions)[order]), axis=1
        )

    def of(self, code: int) -> Sequence[Use]:
        """The rules that use the relation, none of them leaving."""
        uses = self._known.get(code)
        if uses is None:
            begin = int(self._codes.searchsorted(code))
            end = int(self._codes.searchsorted(code, side="right"))
            uses = [self._use(*entry) for entry in self._entries[begin:end].tolist()] if end > begin else []
            self._known[code] = uses
        return uses

    def all(self) -> Iterator[Use]:
        """Every entry."""
        if len(self._codes):
            for entry in self._entries.tolist():
                yield self._use(*entry)

    def _use(self, number: int, row: int, position: int) -> Use:
        family = self._families[number]
        return Use(family, row, position, tuple(family.parameters[row].tolist()))
