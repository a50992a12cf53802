"""What was made from some tables, kept over the versions of a store in which these are the same.

Tables never change, so a change leaves alone what is made from others: labels and trees of a large thesaurus are not
made again because other triples are added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, TypeVar

from kgreason.dictionary.dictionary import Dictionary
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.codes import class_code, property_code
from kgreason.relations.table import Table
from kgreason.store.triple_view import TripleView

Made = TypeVar("Made")

MOST: Final = 12
"""So many things are kept, the last ones asked for: clients name languages, of which there are any number."""


@dataclass(slots=True)
class TableMemory:
    """Things by their names, with the tables that they are made from; for several threads."""

    _known: dict[str, tuple[tuple[Table | None, ...], Any]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def of(self, name: str, tables: tuple[Table | None, ...], make: Callable[[], Made]) -> Made:
        """What was made under a name from the same tables, or is made now."""
        with self._lock:
            before, made = self._known.pop(name, ((), None))
            is_known = len(before) == len(tables) > 0 and all(map(_is, before, tables))
            if is_known:
                self._known[name] = before, made
        if is_known:
            found: Made = made
            return found
        fresh = make()
        with self._lock:
            self._known[name] = tables, fresh
            while len(self._known) > MOST:
                del self._known[next(iter(self._known))]
        return fresh


def tables_of(
    view: TripleView, dictionary: Dictionary, properties: Iterable[str], classes: Iterable[str] = ()
) -> tuple[Table | None, ...]:
    """The tables of properties and classes, those of rdf:type itself among them where there are classes."""
    names = [(property_code, name) for name in properties]
    names += [(class_code, name) for name in classes]
    if any(code is class_code for code, _ in names):
        names.append((property_code, RDF_TYPE))
    identifiers = ((code, dictionary.lookup(IRI(name))) for code, name in names)
    return tuple(None if identifier is None else view.table(code(identifier)) for code, identifier in identifiers)


def _is(one: object, other: object) -> bool:
    return one is other
