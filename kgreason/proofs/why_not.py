"""Why a triple does not hold: for each rule that could give it, how near it came and what is missing.

    ex:ada a ex:Manager  [does not hold; rules that could give it: 1]
      manager: missing ex:grace a ex:Employee
        given ex:ada ex:leads ex:grace

The counterpart of `proof`. The word is that of "why-not provenance": a rule that does not fire is a failed derivation.
Source: Lee, Ludäscher, Glavic: PUG, a framework and practical implementation for why and why-not provenance, 2019.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar

from kgreason.algebra.expressions.tree import Variable, with_leaves
from kgreason.program.rules import Rule
from kgreason.proofs.proof_texts import Names, condition_text
from kgreason.proofs.steps import TRIPLE, Condition, Fact
from kgreason.rdf.vocabulary import STANDARD_PREFIXES

T = TypeVar("T")
U = TypeVar("U")
Argument: TypeAlias = T | Variable


@dataclass(frozen=True, slots=True)
class OpenFact(Generic[T]):
    """A fact in which variables of the rule may have no value yet; the same variable is the same term in all of one
    derivation. `relation` is as in `Fact`; for a list atom it is its keyword, for an aggregate "aggregate".

    A fact that no one can assert, of an auxiliary relation or about a blank node, has the nearest `derivations` of its
    own, to some depth."""

    relation: str
    arguments: tuple[Argument[T], ...]
    derivations: tuple[FailedDerivation[T], ...] = ()

    def translated(self, convert: Callable[[T], U]) -> OpenFact[U]:
        """The same over other terms."""
        parts = (part if isinstance(part, Variable) else convert(part) for part in self.arguments)
        below = (derivation.translated(convert) for derivation in self.derivations)
        return OpenFact(self.relation, tuple(parts), tuple(below))


@dataclass(frozen=True, slots=True)
class FailedDerivation(Generic[T]):
    """A rule whose body matches but for some of its parts.

    `premises` are the facts that it matches. `missing` are the atoms that no fact matches, given the premises;
    `false` are the conditions that do not hold; `present` are facts that the rule denies.
    """

    rule: Rule
    missing: tuple[OpenFact[T], ...]
    premises: tuple[Fact[T], ...] = ()
    false: tuple[Condition[T], ...] = ()
    present: tuple[Fact[T], ...] = ()

    @property
    def distance(self) -> int:
        """How many parts of the body fail."""
        return len(self.missing) + len(self.false) + len(self.present)

    def translated(self, convert: Callable[[T], U]) -> FailedDerivation[U]:
        """The same over other terms."""
        return FailedDerivation(
            self.rule,
            tuple(fact.translated(convert) for fact in self.missing),
            tuple(fact.translated(convert) for fact in self.premises),
            tuple(with_leaves(condition, convert) for condition in self.false),
            tuple(fact.translated(convert) for fact in self.present),
        )


@dataclass(frozen=True, slots=True)
class WhyNot(Generic[T]):
    """Why no triple matches a pattern, in which None stands for any term.

    `derivations` are the nearest ones, those with the least distance first; a missing axiom counts threefold. `rules`
    counts the rules that could give such a triple; with none, only asserting one helps. `is_complete` says that no
    derivation as near as those of the same rule was left out. `show` gives a term in N-Triples, `namespaces` are the
    prefixes of the text.
    """

    pattern: tuple[T | None, T | None, T | None]
    derivations: tuple[FailedDerivation[T], ...]
    rules: int
    is_complete: bool
    namespaces: Mapping[str, str] = field(default_factory=lambda: STANDARD_PREFIXES, compare=False, repr=False)
    show: Callable[[T], str] = field(default=str, compare=False, repr=False)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def to_json(self) -> str:
        """The derivations with the names and the texts of their rules; terms in N-Triples, variables as ``?x``."""
        return json.dumps(self.as_data(), indent=2, ensure_ascii=False)

    def as_data(self) -> dict[str, Any]:
        """What `to_json` writes."""
        return {
            "pattern": [None if part is None else self.show(part) for part in self.pattern],
            "rules": self.rules,
            "complete": self.is_complete,
            "derivations": [self._derivation_data(derivation) for derivation in self.derivations],
        }

    def with_prefixes(self, namespaces: Mapping[str, str]) -> WhyNot[T]:
        """The same with other prefixes in the text."""
        return replace(self, namespaces=namespaces)

    def translated(self, convert: Callable[[T], U], show: Callable[[U], str]) -> WhyNot[U]:
        """The same over other terms."""
        subject, predicate, object = (None if part is None else convert(part) for part in self.pattern)
        derivations = tuple(derivation.translated(convert) for derivation in self.derivations)
        return WhyNot((subject, predicate, object), derivations, self.rules, self.is_complete, self.namespaces, show)

    def _lines(self) -> Iterator[str]:
        names = Names(self.namespaces)
        goal = names.triple(["?" if part is None else self.show(part) for part in self.pattern])
        yield f"{goal}  [does not hold; rules that could give it: {self.rules}]"
        for derivation in self.derivations:
            yield from self._derivation_lines(derivation, names, "  ")
        if not self.is_complete:
            yield "  ..."

    def _derivation_lines(self, derivation: FailedDerivation[T], names: Names, indent: str) -> Iterator[str]:
        failing = [
            *(f"missing {self._text(fact, names)}" for fact in derivation.missing),
            *(f"false {condition_text(each, lambda t: names.shorten(self.show(t)))}" for each in derivation.false),
            *(f"denied {self._text(fact, names)}" for fact in derivation.present),
        ]
        name = derivation.rule.name or names.shorten_all(str(derivation.rule))
        yield f"{indent}{name}: {'; '.join(failing)}"
        for premise in derivation.premises:
            yield f"{indent}  given {self._text(premise, names)}"
        for fact in derivation.missing:
            for below in fact.derivations:
                yield from self._derivation_lines(below, names, indent + "  ")

    def _text(self, fact: Fact[T] | OpenFact[T], names: Names) -> str:
        parts = [self._part(part) for part in fact.arguments]
        if fact.relation == TRIPLE:
            return names.triple(parts)
        return f"{fact.relation}({', '.join(map(names.shorten, parts))})"

    def _part(self, part: Argument[T]) -> str:
        return str(part) if isinstance(part, Variable) else self.show(part)

    def _derivation_data(self, derivation: FailedDerivation[T]) -> dict[str, Any]:
        found: dict[str, Any] = {
            "rule": derivation.rule.name,
            "text": str(derivation.rule),
            "missing": [self._fact_data(fact) for fact in derivation.missing],
            "premises": [self._fact_data(fact) for fact in derivation.premises],
        }
        if derivation.false:
            found["false"] = [condition_text(condition, self.show) for condition in derivation.false]
        if derivation.present:
            found["present"] = [self._fact_data(fact) for fact in derivation.present]
        return found

    def _fact_data(self, fact: Fact[T] | OpenFact[T]) -> dict[str, Any]:
        parts = [self._part(part) for part in fact.arguments]
        found: dict[str, Any] = {"triple": parts}
        if fact.relation != TRIPLE:
            found = {"relation": fact.relation, "arguments": parts}
        if isinstance(fact, OpenFact) and fact.derivations:
            found["derivations"] = [self._derivation_data(derivation) for derivation in fact.derivations]
        return found
