"""Triples read from relations: one immutable snapshot, every triple pattern, a chunk of columns at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Protocol, TypeAlias

import numpy as np

from kgreason.columns.id_columns import repeated
from kgreason.relations.codes import AUXILIARY, CLASS, PROPERTY, class_code, identifier_of, kind_of, property_code
from kgreason.relations.table import Ids, Table
from kgreason.store import store_tuning
from kgreason.store.indexes import Indexes
from kgreason.store.relation_sets import Relations

Chunk: TypeAlias = tuple[Ids, Ids, Ids]
"""Columns of subjects, predicates and objects of one length."""

Run: TypeAlias = tuple[int | Ids, int | Ids, int | Ids]
"""Triples that have something in common: in each place the id that all have there, or a column; one column at least,
all of one length that is not 0, perhaps views of larger ones."""

Few: TypeAlias = list[tuple[int, list[int]]]
"""Triples with a subject or an object in common, by their predicates: the ids at the other end; of triples that have
both in common, their object."""


class View(Protocol):
    """An immutable set of triples of ids; None stands for a wildcard."""

    def runs(self, s: int | None, p: int | None, o: int | None) -> Iterator[Run]: ...

    def few(self, s: int | None, p: int | None, o: int | None, most: int) -> Few | None: ...

    def match(self, s: int | None, p: int | None, o: int | None) -> Iterator[Chunk]: ...

    def contains(self, s: int, p: int, o: int) -> bool: ...

    def count(self, s: int | None = None, p: int | None = None, o: int | None = None) -> int: ...


class TripleView:
    """A snapshot of triples; ids stand for terms, None for a wildcard."""

    def __init__(self, relations: Relations, type_id: int, indexes: Indexes | None = None) -> None:
        """`indexes`, of these triples and perhaps others, speed up patterns without a predicate; without them these ask
        every relation."""
        self._relations = relations
        self.type_id = type_id
        self._indexes = indexes
        self._length: int | None = None
        self._estimate: int | None = None
        self._class_estimates: tuple[int, int] | None = None
        self._listed: dict[int, list[int]] | None = None
        self._with_facts: dict[int, list[tuple[int, Table]]] = {}
        self._class_tables: dict[tuple[int, ...] | None, list[tuple[int, Table]]] = {}

    def __len__(self) -> int:
        if self._length is None:
            self._length = self._relations.total(_triples_of)
        return self._length

    @property
    def estimate(self) -> int:
        """About how many triples there are, without counting those of a closure."""
        if self._estimate is None:
            self._estimate = sum(table.estimate for kind in (CLASS, PROPERTY) for _, table in self._filled(kind))
        return self._estimate

    def contains(self, subject: int, predicate: int, object: int) -> bool:
        """Whether one triple is there: O(log n)."""
        get = self._relations.get
        if predicate == self.type_id:
            members = get(class_code(object))
            if members is not None and members.has((subject,)):
                return True
        table = get(property_code(predicate))
        return table is not None and table.has((subject, object))

    def count(self, subject: int | None = None, predicate: int | None = None, object: int | None = None) -> int:
        """How many triples match a pattern, without making those of a whole relation."""
        if subject is None and object is None:
            if predicate is None:
                return len(self)
            tables = [self._relations.get(property_code(predicate))]
            if predicate == self.type_id:
                tables += [self._relations.get(code) for code in self._codes(CLASS)]
            return sum(len(table) for table in tables if table)
        if subject is None and predicate == self.type_id and object is not None:
            members = self._relations.get(class_code(object))
            if members:
                return len(members)
        return sum(map(run_length, self.runs(subject, predicate, object)))

    def match(self, subject: int | None, predicate: int | None, object: int | None) -> Iterator[Chunk]:
        """All triples that match a pattern, each once, a chunk or more per relation."""
        return map(chunk_of, self.runs(subject, predicate, object))

    def runs(self, subject: int | None, predicate: int | None, object: int | None) -> Iterator[Run]:
        """All triples that match a pattern, each once, a run or more per relation: a microsecond or two for each that
        has an end of the pattern and few triples."""
        if predicate is None:
            return self._runs_of_any(subject, object)
        if subject is None and object is None:
            return self._whole(predicate)
        run = self._property_run(subject, predicate, object)
        found = () if run is None else (run,)
        return iter(found) if predicate != self.type_id else chain(found, self._type_runs(subject, object))

    def few(self, subject: int | None, predicate: int | None, object: int | None, most: int) -> Few | None:
        """All triples that match a pattern with a subject or an object, each once; None where a predicate has more than
        `most` of them, or a class may have. What `runs` gives, without columns: half a microsecond for each
        predicate."""
        if predicate is not None and predicate != self.type_id:
            ends = self._few_ends(subject, predicate, object, most)
            return None if ends is None else [(predicate, ends)] if ends else []
        found: Few = []
        for each in self._properties(subject, object) if predicate is None else (predicate,):
            ends = self._few_ends(subject, each, object, most)
            if ends is None:
                return None
            if ends:
                found.append((each, ends))
        types = self._few_types(subject, object, most)
        if types:
            found.append((self.type_id, types))
        return None if types is None else found

    def table(self, code: int) -> Table | None:
        """The facts of a class or a property, None without any."""
        return self._relations.get(code)

    def codes(self, kind: int) -> list[int]:
        """The codes of the classes (CLASS) or properties (PROPERTY) that have facts."""
        return [code for code, _ in self._filled(kind)]

    def _filled(self, kind: int) -> list[tuple[int, Table]]:
        """The relations of a kind that have facts: a look at each, once."""
        known = self._with_facts.get(kind)
        if known is None:
            found = ((code, self._relations.get(code)) for code in self._codes(kind))
            known = self._with_facts[kind] = [(code, table) for code, table in found if table]
        return known

    @property
    def class_estimates(self) -> tuple[int, int]:
        """About how many facts all classes have together, and about how many the largest has: a look at each class the
        first time."""
        if self._class_estimates is None:
            sizes = [table.estimate for _, table in self._filled(CLASS)]
            self._class_estimates = sum(sizes), max(sizes, default=0)
        return self._class_estimates

    def survey(self) -> None:
        """Have the estimates at hand: a look at each relation."""
        self._estimate, self._class_estimates = self.estimate, self.class_estimates

    def relations(self) -> Iterator[tuple[int, Table]]:
        """The visible relations with their tables."""
        return self._tables()

    def _runs_of_any(self, subject: int | None, object: int | None) -> Iterator[Run]:
        if subject is None and object is None:
            for code in self._codes():
                yield from self._whole_relation(code)
            return
        for predicate in self._properties(subject, object):
            run = self._property_run(subject, predicate, object)
            if run is not None:
                yield run
        yield from self._type_runs(subject, object)

    def _whole(self, predicate: int) -> Iterator[Run]:
        """All triples with a predicate."""
        yield from self._whole_relation(property_code(predicate))
        if predicate == self.type_id:
            for code in self._codes(CLASS):
                yield from self._whole_relation(code)

    def _whole_relation(self, code: int) -> Iterator[Run]:
        table, name, is_class = self._relations.get(code), identifier_of(code), kind_of(code) == CLASS
        for columns in () if table is None else table.chunks():
            if len(columns[0]):
                yield (columns[0], self.type_id, name) if is_class else (columns[0], name, columns[1])

    def _properties(self, subject: int | None, object: int | None) -> Iterable[int]:
        """The properties for which there may be triples with some ends; no other one has any."""
        indexes = self._indexes
        if indexes is None:
            return [identifier_of(code) for code in self._codes(PROPERTY)]
        if object is None:
            return indexes.of(subject or 0).as_subject
        possible = indexes.of(object, is_object=True).as_object
        if subject is None:
            return sorted(possible)
        return [predicate for predicate in indexes.of(subject).as_subject if predicate in possible]

    def _property_run(self, subject: int | None, predicate: int, object: int | None) -> Run | None:
        """The triples of a property with one end or both."""
        table = self._relations.get(property_code(predicate))
        if table is None:
            return None
        if subject is None:
            subjects = table.image_of(1, object or 0)
            return (subjects, predicate, object or 0) if len(subjects) else None
        if object is None:
            objects = table.image_of(0, subject)
            return (subject, predicate, objects) if len(objects) else None
        return (np.array([subject], dtype=np.uint32), predicate, object) if table.has((subject, object)) else None

    def _few_ends(self, subject: int | None, predicate: int, object: int | None, most: int) -> list[int] | None:
        """The triples of a property with one end or both, as `few` gives them."""
        table = self._relations.get(property_code(predicate))
        if table is None:
            return []
        if subject is None:
            return table.few_of(1, object or 0, most)
        if object is None:
            return table.few_of(0, subject, most)
        return [object] if table.has((subject, object)) else []

    def _few_types(self, subject: int | None, object: int | None, most: int) -> list[int] | None:
        """The triples that say in which class something is, as `few` gives them."""
        if object is None:
            classes = self._classes_of(subject or 0)
            return classes if len(classes) <= most else None
        table = self._relations.get(class_code(object))
        if table is None:
            return []
        if subject is not None:
            return [object] if table.has((subject,)) else []
        if table.estimate > most:
            return None
        members: list[int] = table.distinct(0).tolist()
        return members if len(members) <= most else None

    def _type_runs(self, subject: int | None, object: int | None) -> Iterator[Run]:
        """The triples that say in which classes a term is, or what is in a class: the first ones of many soon."""
        if object is None:
            classes = self._classes_of(subject or 0)
            if classes:
                yield subject or 0, self.type_id, np.array(classes, dtype=np.uint32)
            return
        table = self._relations.get(class_code(object))
        if table is None:
            return
        if subject is None:
            for (members,) in table.chunks():
                if len(members):
                    yield members, self.type_id, object
        elif table.has((subject,)):
            yield np.array([subject], dtype=np.uint32), self.type_id, object

    def _classes_of(self, subject: int) -> list[int]:
        """The classes that a term is in: those tables are asked that may have it, which many terms have in common."""
        indexes, fact = self._indexes, (subject,)
        possible = None if indexes is None else indexes.of(subject).classes
        tables = self._class_tables.get(possible)
        if tables is None:
            if len(self._class_tables) >= store_tuning.CHARACTERISTIC_SETS:
                self._class_tables = {}
            codes = self._codes(CLASS) if possible is None else possible
            found = ((identifier_of(code), self._relations.get(code)) for code in codes)
            tables = self._class_tables[possible] = [(name, table) for name, table in found if table is not None]
        return [identifier for identifier, table in tables if table.has(fact)]

    def _codes(self, kind: int | None = None) -> Iterable[int]:
        """The codes of the classes, of the properties, or of both."""
        if kind is None:
            return [code for code in self._relations if kind_of(code) != AUXILIARY]
        if self._listed is None:
            listed: dict[int, list[int]] = {CLASS: [], PROPERTY: [], AUXILIARY: []}
            for code in self._relations:
                listed[kind_of(code)].append(code)
            self._listed = listed
        return self._listed[kind]

    def _tables(self) -> Iterator[tuple[int, Table]]:
        for code in self._codes():
            table = self._relations.get(code)
            if table:
                yield code, table

    def _check(self) -> None:
        counted = sum(len(table) for _, table in self._tables())
        assert self._length in (None, counted), "a view has another length than its relations"


def _triples_of(code: int, table: Table) -> int:
    return 0 if kind_of(code) == AUXILIARY else len(table)


def run_length(run: Run) -> int:
    """How many triples a run has."""
    for part in run:
        if not isinstance(part, int):
            return len(part)
    raise AssertionError("a run without a column")


def chunk_of(run: Run) -> Chunk:
    """A run as three columns."""
    length = run_length(run)
    subjects, predicates, objects = (
        repeated(part, length) if isinstance(part, int) else np.ascontiguousarray(part) for part in run
    )
    return subjects, predicates, objects
