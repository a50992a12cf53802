"""Facts, and sets of them in which those with a known argument are found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.rules import Argument, FactAtom, TripleAtom
from kgreason.rdf.model import IRI, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import RDF_TYPE

TRIPLE: Final = ""
"""The name of the relation of all triples."""

TYPE: Final = IRI(RDF_TYPE)
_FEW: Final = 8
"""Where a part of a pattern leaves so many facts, they are looked at one by one, and not by its other parts."""


class Fact(NamedTuple):
    """A triple (`relation` is TRIPLE), or a fact of an auxiliary relation."""

    relation: str
    arguments: tuple[Term, ...]

    def __str__(self) -> str:
        if self.relation == TRIPLE:
            return " ".join(map(str, self.arguments))
        return f"{self.relation}({', '.join(map(str, self.arguments))})"


Binding = Mapping[Variable, Term]


class FactIndex:
    """A set of facts. The first search by an argument of a relation sorts the relation by that argument."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._facts = set(facts)
        self._relations: dict[object, list[Fact]] = {}
        self._by_argument: dict[tuple[object, int], dict[Term, list[Fact]]] = {}
        for fact in self._facts:
            self._relations.setdefault(_relation(fact), []).append(fact)
            if fact.relation == TRIPLE:
                self._relations.setdefault((TRIPLE, 3), []).append(fact)

    def __contains__(self, fact: Fact) -> bool:
        return fact in self._facts

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def candidates(self, atom: TripleAtom | FactAtom, binding: Binding) -> list[Fact]:
        """Facts among which are all that match an atom."""
        relation: object = (TRIPLE, 3)
        if isinstance(atom, FactAtom):
            relation = (atom.name, len(atom.arguments))
        else:
            predicate = value_of(atom.predicate, binding)
            relation = relation if predicate is None else predicate
        found = self._relations.get(relation, [])
        for position, argument in enumerate(atom.arguments):
            if len(found) <= _FEW:
                break
            value = value_of(argument, binding)
            if value is not None and not (isinstance(atom, TripleAtom) and position == 1):
                near = self._sorted(relation, position).get(value, [])
                found = near if len(near) < len(found) else found
        return found

    def _sorted(self, relation: object, position: int) -> dict[Term, list[Fact]]:
        known = self._by_argument.get((relation, position))
        if known is None:
            known = self._by_argument[relation, position] = {}
            for fact in self._relations[relation]:
                known.setdefault(fact.arguments[position], []).append(fact)
        return known


def value_of(argument: Argument, binding: Binding) -> Term | None:
    """A constant, or the value of a variable, None where it has none."""
    return binding.get(argument) if isinstance(argument, Variable) else argument


def unified(
    arguments: tuple[Argument, ...], values: tuple[Term, ...], binding: Binding
) -> dict[Variable, Term] | None:
    """The binding extended so that arguments have values; None where they cannot."""
    if len(arguments) != len(values):
        return None
    extended = dict(binding)
    for argument, value in zip(arguments, values, strict=True):
        known = extended.setdefault(argument, value) if isinstance(argument, Variable) else argument
        if known != value:
            return None
    return extended


def is_hidden(atom: TripleAtom | FactAtom, fact: Fact) -> bool:
    """Whether a triple is no fact for an atom: a literal or triple term is no class, so that no variable sees one as
    such."""
    if not isinstance(atom, TripleAtom) or fact.arguments[1] != TYPE:
        return False
    if not isinstance(fact.arguments[2], Literal | TripleTerm):
        return False
    return isinstance(atom.predicate, Variable) or isinstance(atom.object, Variable)


def _relation(fact: Fact) -> object:
    return fact.arguments[1] if fact.relation == TRIPLE else (fact.relation, len(fact.arguments))
