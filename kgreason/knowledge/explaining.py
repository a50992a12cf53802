"""What the search for proofs reads of a knowledge base, and its proofs over terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgreason.engine.engine import Engine
from kgreason.engine.facts import Facts
from kgreason.errors import UnknownTripleError
from kgreason.explanation.patterns import RulesByHead, Vocabulary
from kgreason.explanation.proof import Proof
from kgreason.explanation.search import prove
from kgreason.explanation.steps import TRIPLE, Fact, IdFact
from kgreason.explanation.ways import Ways
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


class Explanations:
    """Finds proofs over what an engine has when it is asked; keeps only the rules, sorted by their heads."""

    def __init__(self, engine: Engine, specialiser: Specialiser, dictionary: Dictionary) -> None:
        self._engine = engine
        self._specialiser = specialiser
        self._dictionary = dictionary
        self._rules: RulesByHead | None = None

    def forget_rules(self) -> None:
        """Rules come or go."""
        self._rules = None

    def proof(self, triple: tuple[int, int, int], view: TripleView) -> Proof[Term]:
        """A proof of a triple; `view` shows all triples.

        Raises:
            UnknownTripleError: it neither is asserted nor follows.
        """
        engine, specialiser, decode = self._engine, self._specialiser, self._dictionary.decode
        if not view.contains(*triple):
            raise UnknownTripleError(" ".join(str(decode(term)) for term in triple))
        if self._rules is None:
            self._rules = RulesByHead(specialiser.rules, Vocabulary(self._dictionary))
        everything = StoredFacts(engine.facts, view, specialiser)
        explicit = StoredFacts(engine.explicit, TripleView(engine.explicit, specialiser.type_id), specialiser)
        asserted = AssertedFacts(explicit, everything)
        ways = Ways(EngineFacts(everything, asserted, engine), self._rules)
        steps = prove(Fact(TRIPLE, triple), asserted.has, ways.to)
        return Proof(tuple(step.translated(decode) for step in steps))


@dataclass(frozen=True, slots=True)
class StoredFacts:
    """Facts by relation, with a view of those that are triples."""

    facts: Facts
    view: TripleView
    specialiser: Specialiser

    def has(self, fact: IdFact) -> bool:
        """Whether a fact is there."""
        if fact.relation == TRIPLE:
            return self.view.contains(*fact.arguments)
        table = self._auxiliary(fact.relation, len(fact.arguments))
        return table is not None and table.has(fact.arguments)

    def matches(self, relation: str, pattern: tuple[int | None, ...]) -> Iterator[tuple[int, ...]]:
        """The facts that match a pattern, each once: a selection at a time, turned into rows as they are taken."""
        known = tuple(part for part in pattern if part is not None)
        if len(known) == len(pattern):
            if self.has(Fact(relation, known)):
                yield known
        elif relation == TRIPLE:
            for chunk in self.view.match(*pattern):
                yield from _rows(chunk)
        else:
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
        found = _cost(self.facts.get(property_code(predicate)), (subject, object))
        if predicate != self.specialiser.type_id:
            return found
        if object is not None:
            return found + _cost(self.facts.get(class_code(object)), (subject,))
        if subject is None:
            return _FREE_PREDICATE[0]
        return sum(len(chunk[0]) for chunk in self.view.match(subject, predicate, None))

    def pairs(self, fact: IdFact) -> Table | None:
        """All pairs of the property or relation of a fact."""
        if fact.relation == TRIPLE:
            return self.facts.get(property_code(fact.arguments[1]))
        return self._auxiliary(fact.relation, 2)

    def _auxiliary(self, relation: str, arity: int) -> Table | None:
        return self.facts.get(self.specialiser.relations.auxiliary(relation, arity))


@dataclass(frozen=True, slots=True)
class AssertedFacts:
    """The explicit triples. Only `everything` has indexes for patterns without a predicate and for the classes of
    a subject, so these are looked up there."""

    explicit: StoredFacts
    everything: StoredFacts

    def has(self, fact: IdFact) -> bool:
        """Whether a fact is a triple and explicit."""
        return fact.relation == TRIPLE and self.explicit.has(fact)

    def matches(self, relation: str, pattern: tuple[int | None, ...]) -> Iterator[tuple[int, ...]]:
        """The explicit triples that match a pattern, each once."""
        if relation != TRIPLE:
            return
        if self._needs_indexes(pattern):
            for found in self.everything.matches(relation, pattern):
                if self.has(Fact(relation, found)):
                    yield found
        else:
            yield from self.explicit.matches(relation, pattern)

    def cost(self, relation: str, pattern: tuple[int | None, ...]) -> int:
        """About how many explicit triples match, or what finding them costs; 0 only where none does."""
        if relation != TRIPLE:
            return 0
        return (self.everything if self._needs_indexes(pattern) else self.explicit).cost(relation, pattern)

    def pairs(self, fact: IdFact) -> Table | None:
        """The explicit pairs of a property."""
        return self.explicit.pairs(fact) if fact.relation == TRIPLE else None

    def _needs_indexes(self, pattern: tuple[int | None, ...]) -> bool:
        subject, predicate, object = pattern
        is_type = predicate == self.everything.specialiser.type_id
        return predicate is None or (is_type and subject is not None and object is None)


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """All facts of an engine, and the explicit ones."""

    all: StoredFacts
    asserted: AssertedFacts
    engine: Engine

    def edges(self, fact: IdFact) -> Sequence[Table]:
        """Pairs of which a scheme keeps the transitive closure, none where it keeps none."""
        table = self.all.pairs(fact)
        code = (
            property_code(fact.arguments[1])
            if fact.relation == TRIPLE
            else self.all.specialiser.relations.auxiliary(fact.relation, 2)
        )
        definition = self.engine.definitions.get(code)
        if table is None or definition is None or definition.closure not in (TRANSITIVE, EQUIVALENCE):
            return ()
        return tuple(generators(table))


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
