"""The facts that the search for proofs reads of a state: what it shows, and what of it is asserted.

Each class here is a `kgreason.proofs.fact_reader.Reader`, or has some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kgreason.checkpoints import checkpoint
from kgreason.engine.engine_state import EngineState
from kgreason.engine.facts import Facts
from kgreason.program.safety import ASSERTED
from kgreason.proofs.fact_reader import Reader
from kgreason.proofs.steps import TRIPLE, Fact, IdFact
from kgreason.relations.catalogue import EQUALITY, EQUIVALENCE, TRANSITIVE
from kgreason.relations.codes import CLASS, class_code, kind_of, property_code
from kgreason.relations.table import Columns, Table
from kgreason.store import store_tuning
from kgreason.store.specialised_program import SpecialisedProgram
from kgreason.store.triple_view import TripleView

_FREE_PREDICATE: Final = {2: 100, 1: 1_000, 0: 1_000_000_000}
"""The cost of a look at all properties, by how many ends are known."""


@dataclass(frozen=True, slots=True)
class ViewedFacts:
    """Facts by relation, with views of those that are triples, and of the triples that are asserted."""

    facts: Facts
    view: TripleView
    asserted: TripleView
    program: SpecialisedProgram
    type_id: int

    def has(self, fact: IdFact) -> bool:
        """Whether a fact is there."""
        view = self._view(fact.relation)
        if view is not None:
            return view.contains(*fact.arguments)
        table = self._auxiliary(fact.relation, len(fact.arguments))
        return table is not None and table.has(fact.arguments)

    def matches(self, relation: str, pattern: tuple[int | None, ...]) -> Iterator[tuple[int, ...]]:
        """The facts that match a pattern, each once: a selection at a time, turned into rows as they are taken."""
        known = tuple(part for part in pattern if part is not None)
        if len(known) == len(pattern):
            if self.has(Fact(relation, known)):
                yield known
        elif (view := self._view(relation)) is not None:
            for chunk in view.match(*pattern):
                yield from _rows(chunk)
        else:
            table = self._auxiliary(relation, len(pattern))
            if table:
                yield from _rows(table.select(_bound(pattern)))

    def cost(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """About how many facts match, or what finding them costs; 0 only where none does."""
        if self._view(relation) is None:
            return _cost(self._auxiliary(relation, len(pattern)), pattern)
        subject, predicate, object = pattern
        if predicate is None:
            return _FREE_PREDICATE[(subject is not None) + (object is not None)]
        found = _cost(self.facts.get(property_code(predicate)), (subject, object))
        if predicate != self.type_id:
            return found
        if object is not None:
            return found + _cost(self.facts.get(class_code(object)), (subject,))
        if subject is None:
            return _FREE_PREDICATE[0]
        return sum(len(chunk[0]) for chunk in self.view.match(subject, predicate, None))

    def count(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """How many facts of an auxiliary relation match: for those of one subject, no closure is enumerated."""
        table, bound = self._auxiliary(relation, len(pattern)), _bound(pattern)
        if not table or not bound:
            return len(table) if table else 0
        if bound.keys() == {0}:
            return table.fanout_of(0, bound[0])
        return len(table.select(bound)[0])

    def pairs(self, fact: IdFact) -> Table | None:
        """All pairs of the property or relation of a fact."""
        if fact.relation == TRIPLE:
            return self.facts.get(property_code(fact.arguments[1]))
        return self._auxiliary(fact.relation, 2)

    def _view(self, relation: str) -> TripleView | None:
        return self.view if relation == TRIPLE else self.asserted if relation == ASSERTED else None

    def _auxiliary(self, relation: str, arity: int) -> Table | None:
        code = self.program.auxiliary(relation, arity)
        return None if code is None else self.facts.get(code)


@dataclass(frozen=True, slots=True)
class AssertedFacts:
    """The explicit triples, which are the facts that are asserted."""

    explicit: ViewedFacts

    def has(self, fact: IdFact) -> bool:
        """Whether a fact is a triple and explicit."""
        return fact.relation in (TRIPLE, ASSERTED) and self.explicit.has(fact)

    def matches(self, relation: str, pattern: tuple[int | None, ...]) -> Iterator[tuple[int, ...]]:
        """The explicit triples that match a pattern, each once."""
        return self.explicit.matches(relation, pattern) if relation == TRIPLE else iter(())

    def cost(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """About how many explicit triples match, or what finding them costs; 0 only where none does."""
        return self.explicit.cost(relation, pattern) if relation == TRIPLE else 0

    def count(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """0: facts of auxiliary relations are not asserted."""
        return 0

    def pairs(self, fact: IdFact) -> Table | None:
        """The explicit pairs of a property."""
        return self.explicit.pairs(fact) if fact.relation == TRIPLE else None


@dataclass(frozen=True, slots=True)
class OwnFacts:
    """All facts, but of the relation of one fact only those of a table."""

    everything: ViewedFacts
    fact: IdFact
    own: Table | None
    is_class: bool

    def has(self, fact: IdFact) -> bool:
        """Whether a fact is there."""
        return any(True for _ in self.matches(fact.relation, fact.arguments))

    def matches(self, relation: str, pattern: tuple[int | None, ...]) -> Iterator[tuple[int, ...]]:
        """The facts that match a pattern, each once."""
        bound = self._bound(relation, pattern)
        if bound is None:
            yield from self.everything.matches(relation, pattern)
        elif self.own:
            for row in _rows(self.own.select(bound)):
                yield self._whole(row)

    def cost(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """About how many facts match, or what finding them costs; 0 only where none does."""
        bound = self._bound(relation, pattern)
        if bound is None:
            return self.everything.cost(relation, pattern)
        return len(self.own.select(bound)[0]) if self.own else 0

    def count(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """How many facts of an auxiliary relation match."""
        return self.everything.count(relation, pattern)

    def pairs(self, fact: IdFact) -> Table | None:
        """All pairs of the property or relation of a fact."""
        return self.everything.pairs(fact)

    def _bound(self, relation: str, pattern: tuple[int | None, ...]) -> dict[int, int] | None:
        """What a pattern of the relation binds in its table; None for a pattern of other relations."""
        if relation != self.fact.relation or len(pattern) != len(self.fact.arguments):
            return None
        if relation != TRIPLE:
            return _bound(pattern)
        subject, predicate, object = pattern
        if predicate != self.fact.arguments[1]:
            return None
        if not self.is_class:
            return _bound((subject, object))
        return _bound((subject,)) if object == self.fact.arguments[2] else None

    def _whole(self, row: tuple[int, ...]) -> tuple[int, ...]:
        if self.fact.relation != TRIPLE:
            return row
        _, predicate, object = self.fact.arguments
        return (row[0], predicate, object if self.is_class else row[1])


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """All facts of an engine, and the explicit ones."""

    all: ViewedFacts
    asserted: AssertedFacts
    engine: EngineState

    def without_equality(self, fact: IdFact) -> Reader | None:
        """All facts, but of the relation of a fact only those that it has not on account of what is equal; None where
        it is not kept over representatives."""
        code = self._code(fact)
        definition = None if code is None else self.engine.definitions.get(code)
        if code is None or definition is None or not definition.equality:
            return None
        return OwnFacts(self.all, fact, self.engine.external.get(code), kind_of(code) == CLASS)

    def _code(self, fact: IdFact) -> int | None:
        """The relation of a fact, None for one that no rule mentions."""
        if fact.relation != TRIPLE:
            return self.all.program.auxiliary(fact.relation, len(fact.arguments))
        _, predicate, object = fact.arguments
        is_class = predicate == self.all.type_id and class_code(object) in self.engine.facts
        return class_code(object) if is_class else property_code(predicate)

    def edges(self, fact: IdFact) -> Sequence[Table]:
        """Pairs of which a scheme keeps the transitive closure, none where it keeps none."""
        table, code = self.all.pairs(fact), self._code(fact)
        definition = None if code is None else self.engine.definitions.get(code)
        if table is None or definition is None or definition.closure not in (TRANSITIVE, EQUIVALENCE, EQUALITY):
            return ()
        return tuple(table.generators())


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
    for begin in range(0, len(columns[0]), store_tuning.PROOF_FACTS):
        checkpoint()
        yield from zip(*(column[begin : begin + store_tuning.PROOF_FACTS].tolist() for column in columns), strict=True)
