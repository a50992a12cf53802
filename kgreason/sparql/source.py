"""The narrow protocol that queries read through: the tables of one graph, of one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

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


@dataclass(frozen=True, slots=True)
class Graphs:
    """The data of a query: the default graph, and the named ones by the ids of their names."""

    default: Source
    named: Mapping[int, Source]
