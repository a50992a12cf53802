"""The narrow protocol that queries read through: the tables of one graph, of one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Final, Protocol

from kgreason.relations.table import Ids, Table


class Source(Protocol):
    """An immutable set of triples over ids."""

    @property
    def type_id(self) -> int:
        """The id of rdf:type."""

    def table(self, code: int) -> Table | None:
        """The facts of a class or a property by its code (`kgreason.relations.codes`), None without any.

        The property rdf:type has what is not a fact of a class."""

    def codes(self, kind: int) -> list[int]:
        """The codes of the classes (CLASS) or properties (PROPERTY) that have facts."""

    @property
    def class_estimates(self) -> tuple[int, int]:
        """About how many facts all classes have together, and about how many the largest has."""

    def match(self, subject: int | None, predicate: int | None, object: int | None) -> Iterator[tuple[Ids, Ids, Ids]]:
        """The triples that match a pattern, a chunk at a time."""

    def count(self, subject: int | None = None, predicate: int | None = None, object: int | None = None) -> int:
        """How many triples match a pattern."""

    @property
    def estimate(self) -> int:
        """About how many triples there are, for the price of a look."""


class GraphTables(Protocol):
    """The facts of many graphs together, with a column for the graph."""

    @property
    def type_id(self) -> int:
        """The id of rdf:type."""

    def size(self, of: int) -> int:
        """How many facts a table has."""

    def table(self, of: int) -> Table:
        """The members of a class and their graphs, or the subjects, graphs and objects of a property, by its code; the
        members, graphs and classes of the triples of rdf:type, for `TYPES`; the subjects, graphs, predicates and
        objects of all triples, for `QUADS`."""


TYPES: Final = -1
QUADS: Final = -2


@dataclass(frozen=True, slots=True)
class Together:
    """Graphs whose facts are in tables.

    Args:
        tables: their facts.
        graphs: the ids of their names.
        is_limited: whether the tables have facts of other graphs, too.
    """

    tables: GraphTables
    graphs: Set[int]
    is_limited: bool


@dataclass(frozen=True, slots=True)
class Graphs:
    """The data of a query: the default graph, and the named ones by the ids of their names; of most of these perhaps
    also all together."""

    default: Source
    named: Mapping[int, Source]
    together: Together | None = None
