"""Proofs as RDF: a resource for each step, which reifies what the step concludes.

    <urn:x-kgreason:step:5f1c...> rdf:reifies <<( ex:sam rdf:type ex:Animal )>> ;
        sh:sourceRule <urn:x-kgreason:rule:90ab...> ;
        prov:wasDerivedFrom <urn:x-kgreason:step:77e0...>, <urn:x-kgreason:step:c3d1...> .
    <urn:x-kgreason:step:77e0...> rdf:reifies <<( ex:sam rdf:type ex:Dog )>> ; rdf:type proof:Asserted .
    <urn:x-kgreason:rule:90ab...> rdf:type prov:Plan ; rdfs:label "rdfs9" ; proof:text "[?x, ...] :- ... ." .

A fact of an auxiliary relation is no triple: its step has ``proof:relation`` and ``proof:arguments``, an RDF list. The
names of steps and rules are digests of what they are about, so that proofs in one document share them. A document has
one step for each fact, and never more than the facts it has written in memory. A path of a transitive rule is written
as the applications of the rule that it stands for.

Sources: SHACL 1.2 Inference Rules (sh:sourceRule, W3C working draft of 2026), PROV-O, RDF 1.2 (rdf:reifies).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Final, Generic, Protocol, TypeVar

from pyroaring import BitMap64

from kgreason.errors import WriteError
from kgreason.program.rules import Rule
from kgreason.proofs.steps import TRIPLE, Fact, IdFact, Step
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import (
    ASSERTED,
    DERIVED_FROM,
    PLAN,
    PROVED_ARGUMENTS,
    PROVED_RELATION,
    RDF_FIRST,
    RDF_NIL,
    RDF_OBJECT,
    RDF_PREDICATE,
    RDF_REIFIES,
    RDF_REST,
    RDF_STATEMENT,
    RDF_SUBJECT,
    RDF_TYPE,
    RDFS_LABEL,
    RULE_TEXT,
    SOURCE_RULE,
)

T = TypeVar("T")

TRIPLE_TERMS: Final = "triple-terms"
STATEMENTS: Final = "statements"
REIFICATIONS: Final = (TRIPLE_TERMS, STATEMENTS)
"""How a step says which triple it concludes: by rdf:reifies and a triple term of RDF 1.2, or as an rdf:Statement."""

_TRIPLE_PARTS: Final = (RDF_SUBJECT, RDF_PREDICATE, RDF_OBJECT)


class WrittenFacts(Protocol[T]):
    """The facts that have a step already."""

    def add(self, fact: Fact[T], /) -> None:
        """Take note of a fact."""

    def __contains__(self, fact: object, /) -> bool: ...


class CompactFacts:
    """Facts over ids: a compressed bitmap of pairs for each property, so that a closure of millions fits."""

    def __init__(self) -> None:
        self._pairs: dict[int, BitMap64] = {}
        self._others: set[IdFact] = set()

    def add(self, fact: IdFact) -> None:
        """Take note of a fact."""
        if fact.relation == TRIPLE:
            subject, predicate, object = fact.arguments
            self._pairs.setdefault(predicate, BitMap64()).add(subject << 32 | object)
        else:
            self._others.add(fact)

    def __contains__(self, fact: object) -> bool:
        if not isinstance(fact, Fact) or fact.relation != TRIPLE:
            return fact in self._others
        subject, predicate, object = fact.arguments
        pairs = self._pairs.get(predicate)
        return pairs is not None and subject << 32 | object in pairs


class Provenance(Generic[T]):
    """Steps of proofs as lines of N-Triples, each fact once however many proofs rest on it."""

    def __init__(
        self, show: Callable[[T], str], written: WrittenFacts[T], reification: str = TRIPLE_TERMS
    ) -> None:
        """`show` gives a term in N-Triples; `written` are the facts that have a step."""
        self._show = show
        self._written = written
        self._has_triple_terms = reification == TRIPLE_TERMS
        self._rules: dict[tuple[str, str], str] = {}

    def lines(self, steps: Iterable[Step[T]]) -> Iterator[str]:
        """The lines of steps, each of which comes after those of its premises; steps to known facts are left out.

        Raises:
            WriteError: a triple term inside of a triple, without triple terms.
        """
        for step in steps:
            for single in _applications(step):
                if single.conclusion not in self._written:
                    yield from self._step(single)
                    self._written.add(single.conclusion)

    def _step(self, step: Step[T]) -> Iterator[str]:
        name = self._name(step.conclusion)
        if step.rule is None:
            yield from self._conclusion(name, step.conclusion)
            yield f"{name} <{RDF_TYPE}> <{ASSERTED}> .\n"
            return
        key = (step.rule.name, str(step.rule))
        rule = self._rules.get(key)
        if rule is None:
            rule = self._rules[key] = _digest("rule", "\n".join(key))
            yield from _rule(rule, step.rule)
        yield from self._conclusion(name, step.conclusion)
        yield f"{name} <{SOURCE_RULE}> {rule} .\n"
        for premise in dict.fromkeys(step.premises):
            yield f"{name} <{DERIVED_FROM}> {self._name(premise)} .\n"

    def _conclusion(self, name: str, fact: Fact[T]) -> Iterator[str]:
        terms = [self._show(argument) for argument in fact.arguments]
        if fact.relation != TRIPLE:
            yield f"{name} <{PROVED_RELATION}> {Literal(fact.relation)} .\n"
            yield from self._arguments(name, terms)
        elif self._has_triple_terms:
            yield f"{name} <{RDF_REIFIES}> <<( {' '.join(terms)} )>> .\n"
        else:
            yield f"{name} <{RDF_TYPE}> <{RDF_STATEMENT}> .\n"
            for part, term in zip(_TRIPLE_PARTS, terms, strict=True):
                yield f"{name} <{part}> {self._plain(term)} .\n"

    def _arguments(self, name: str, terms: list[str]) -> Iterator[str]:
        digest = name.rpartition(":")[2][:-1]
        cells = [f"_:c{digest}n{number}" for number in range(len(terms))]
        yield f"{name} <{PROVED_ARGUMENTS}> {cells[0]} .\n"
        for cell, term, rest in zip(cells, terms, [*cells[1:], f"<{RDF_NIL}>"], strict=True):
            yield f"{cell} <{RDF_FIRST}> {self._plain(term)} .\n"
            yield f"{cell} <{RDF_REST}> {rest} .\n"

    def _plain(self, term: str) -> str:
        """A term in the place of an object."""
        if not self._has_triple_terms and term.startswith("<<("):
            raise WriteError(f"the proof is about the triple term {term} (expected triple terms, not statements)")
        return term

    def _name(self, fact: Fact[T]) -> str:
        return _digest("step", "\n".join((fact.relation, *map(self._show, fact.arguments))))


def _rule(name: str, rule: Rule) -> Iterator[str]:
    yield f"{name} <{RDF_TYPE}> <{PLAN}> .\n"
    if rule.name:
        yield f"{name} <{RDFS_LABEL}> {Literal(rule.name)} .\n"
    yield f"{name} <{RULE_TEXT}> {Literal(str(rule))} .\n"


def _digest(kind: str, text: str) -> str:
    return str(IRI(f"urn:x-kgreason:{kind}:{blake2b(text.encode(), digest_size=16).hexdigest()}"))


def _applications(step: Step[T]) -> Iterator[Step[T]]:
    """A step as single applications of its rule: along a path, each edge is one more."""
    if not step.path:
        yield step
        return
    count = len(step.path) - 1
    beside, edges = step.premises[:-count], step.premises[-count:]
    reached = edges[0]
    for edge in edges[1:]:
        following = Fact(edge.relation, (step.path[0], *edge.arguments[1:]))
        yield Step(following, step.rule, (*beside, reached, edge))
        reached = following
