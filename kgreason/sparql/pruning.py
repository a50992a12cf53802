"""Which of many graphs a pattern can have solutions in at all: told from its constants, by some look-ups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kgreason.schemes.relations import class_code, property_code
from kgreason.sparql.algebra import (
    Basic,
    Distinct,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    Node,
    Order,
    Project,
    Slice,
    TriplePattern,
    Variable,
)
from kgreason.sparql.source import Source
from kgreason.sparql.terms import QueryTerms


@dataclass(frozen=True, slots=True)
class Need:
    """A triple that has to be there: the id of its predicate, and those of its ends where they are constants."""

    predicate: int
    subject: int | None
    object: int | None

    def is_met(self, source: Source) -> bool:
        """Whether a graph has such a triple."""
        bound = {at: end for at, end in enumerate((self.subject, self.object)) if end is not None}
        if self.predicate != source.type_id:
            table = source.table(property_code(self.predicate))
            return table is not None and (not bound or source.count(self.subject, self.predicate, self.object) > 0)
        if self.object is not None and source.table(class_code(self.object)):
            return self.subject is None or source.count(self.subject, self.predicate, self.object) > 0
        return source.count(self.subject, self.predicate, self.object) > 0


def needs_of(node: Node, terms: QueryTerms) -> list[Need] | None:
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
    match node:
        case Basic(atoms):
            yield from (atom for atom in atoms if isinstance(atom, TriplePattern))
        case Join(parts):
            for part in parts:
                yield from _required(part)
        case LeftJoin(left, _, _) | Minus(left, _):
            yield from _required(left)
        case Filter(_, inner) | Extend(inner) | Distinct(inner) | Order(inner) | Slice(inner) | Project(inner):
            yield from _required(inner)
        case Graph():
            return
