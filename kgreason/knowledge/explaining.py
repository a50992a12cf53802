"""What the search for proofs reads of a knowledge base, and its proofs over terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgreason.engine.engine import Engine
from kgreason.errors import UnknownTripleError
from kgreason.explanation.proof import Proof
from kgreason.explanation.search import Explainer
from kgreason.explanation.steps import TRIPLE, Fact, IdFact
from kgreason.knowledge.specialiser import Specialiser
from kgreason.knowledge.view import TripleView
from kgreason.schemes.catalogue import EQUIVALENCE, TRANSITIVE
from kgreason.schemes.closures import generators
from kgreason.schemes.relations import class_code, property_code
from kgreason.schemes.scheme import Columns, Table
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.model import Term

_SLICE = 256
_FREE_PREDICATE = {2: 100, 1: 1_000, 0: 1_000_000_000}
"""What it costs to look at all properties, by how many ends are known."""


def explain(
    engine: Engine, specialiser: Specialiser, dictionary: Dictionary, view: TripleView, fact: IdFact
) -> Proof[Term]:
    """A proof of a triple; `view` shows all triples.

    Raises:
        UnknownTripleError: it neither is asserted nor follows.
    """
    if not view.contains(*fact.arguments):
        raise UnknownTripleError(" ".join(str(dictionary.decode(part)) for part in fact.arguments))
    facts = EngineFacts(engine, specialiser, view)
    steps = Explainer(facts, specialiser.rules, dictionary).proof(fact)
    return Proof(tuple(step.translated(dictionary.decode) for step in steps))


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """The facts of an engine, as the search for proofs reads them."""

    engine: Engine
    specialiser: Specialiser
    view: TripleView

    def is_asserted(self, fact: IdFact) -> bool:
        """Whether a triple is explicit."""
        if fact.relation != TRIPLE:
            return False
        subject, predicate, object = fact.arguments
        explicit = self.engine.explicit
        members = explicit.get(class_code(object)) if predicate == self.specialiser.type_id else None
        pairs = explicit.get(property_code(predicate))
        return bool(members and members.has((subject,))) or bool(pairs and pairs.has((subject, object)))

    def matches(self, relation: str, pattern: tuple[int | None, ...]) -> Iterator[tuple[int, ...]]:
        """The facts that match a pattern, each once: a selection at a time, turned into rows as they are taken."""
        if relation == TRIPLE:
            subject, predicate, object = pattern
            if subject is not None and predicate is not None and object is not None:
                if self.view.contains(subject, predicate, object):
                    yield subject, predicate, object
                return
            for chunk in self.view.match(subject, predicate, object):
                yield from _rows(chunk)
            return
        table = self._auxiliary(relation, len(pattern))
        if table:
            yield from _rows(table.select(_bound(pattern)))

    def cost(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """About how many facts match, or what finding them costs; 0 only where none does."""
        if relation != TRIPLE:
            return _cost(self._auxiliary(relation, len(pattern)), pattern)
        subject, predicate, object = pattern
        if predicate is None:
            return _FREE_PREDICATE[(subject is not None) + (object is not None)]
        found = _cost(self.engine.facts.get(property_code(predicate)), (subject, object))
        if predicate != self.specialiser.type_id:
            return found
        if object is not None:
            return found + _cost(self.engine.facts.get(class_code(object)), (subject,))
        if subject is None:
            return _FREE_PREDICATE[0]
        return found + sum(len(chunk[0]) for chunk in self.view.match(subject, predicate, None))

    def pairs(self, fact: IdFact) -> Table | None:
        """All pairs of the relation or property of a fact."""
        return self.engine.facts.get(self._code(fact))

    def asserted_pairs(self, fact: IdFact) -> Table | None:
        """The explicit pairs of the relation or property of a fact."""
        return self.engine.explicit.get(self._code(fact))

    def edges(self, fact: IdFact) -> Sequence[Table]:
        """Pairs of which a scheme keeps the transitive closure, none where it keeps none."""
        code = self._code(fact)
        definition = self.engine.definitions.get(code)
        table = self.engine.facts.get(code)
        if table is None or definition is None or definition.closure not in (TRANSITIVE, EQUIVALENCE):
            return ()
        return tuple(generators(table))

    def _code(self, fact: IdFact) -> int:
        if fact.relation == TRIPLE:
            return property_code(fact.arguments[1])
        return self.specialiser.relations.auxiliary(fact.relation, len(fact.arguments))

    def _auxiliary(self, relation: str, arity: int) -> Table | None:
        return self.engine.facts.get(self.specialiser.relations.auxiliary(relation, arity))


def _bound(pattern: tuple[int | None, ...]) -> dict[int, int]:
    return {position: value for position, value in enumerate(pattern) if value is not None}


def _cost(table: Table | None, pattern: tuple[int | None, ...]) -> int:
    """How many facts match, by the size of the table where nothing is bound, and for members of a class."""
    bound = _bound(pattern)
    if not table:
        return 0
    if not bound:
        return max(1, table.estimate)
    if len(bound) == len(pattern):
        return int(table.has(tuple(value for value in pattern if value is not None)))
    return len(table.select(bound)[0])


def _rows(columns: Columns) -> Iterator[tuple[int, ...]]:
    for begin in range(0, len(columns[0]), _SLICE):
        yield from zip(*(column[begin : begin + _SLICE].tolist() for column in columns), strict=True)
