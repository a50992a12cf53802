"""Which of many graphs a pattern can have solutions in at all: told from its constants, by some look-ups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.local_terms import LocalTerms
from kgreason.relations.codes import class_code, property_code
from kgreason.relations.table import Table
from kgreason.sparql.algebra import (
    Basic,
    Distinct,
    Join,
    Node,
    Order,
    Project,
    Slice,
    TriplePattern,
)
from kgreason.sparql.algebra_tree import chain_of
from kgreason.sparql.source import Source


@dataclass(frozen=True, slots=True)
class Need:
    """A triple that has to be there: the id of its predicate, and those of its ends where they are constants."""

    predicate: int
    subject: int | None
    object: int | None

    def is_met(self, source: Source) -> bool:
        """Whether a graph has such a triple."""
        # To count the facts of a virtual table may be to enumerate them; that it has some it says at once.
        return bool(self._table_of_such(source)) or source.count(self.subject, self.predicate, self.object) > 0

    def _table_of_such(self, source: Source) -> Table | None:
        """A table all of whose facts are such triples, if the pattern has one."""
        if self.subject is not None:
            return None
        if self.predicate == source.type_id:
            return None if self.object is None else source.table(class_code(self.object))
        return source.table(property_code(self.predicate)) if self.object is None else None


def needs_of(node: Node, terms: LocalTerms) -> list[Need] | None:
    """What a graph needs for a pattern to have a solution in it, some of it; None where no graph can have one."""
    needs: list[Need] = []
    for pattern in _required(node):
        ids = []
        for operand in (pattern.subject, pattern.predicate, pattern.object):
            found = None if isinstance(operand, Variable) else terms.lookup(operand)
            if found is None and not isinstance(operand, Variable):
                return None
            ids.append(found)
        subject, predicate, object = ids
        if predicate is not None:
            needs.append(Need(predicate, subject, object))
    return needs


def _required(node: Node) -> Iterator[TriplePattern]:
    """The triple patterns that every solution of a node matches in the active graph."""
    _, node = chain_of(node)
    match node:
        case Basic(atoms):
            yield from (atom for atom in atoms if isinstance(atom, TriplePattern))
        case Join(parts):
            for part in parts:
                yield from _required(part)
        case Distinct(inner) | Order(inner) | Slice(inner) | Project(inner):
            yield from _required(inner)
