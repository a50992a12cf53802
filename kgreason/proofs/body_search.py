"""Partial matches of the body of one rule, with a given number of parts that fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from kgreason import tuning
from kgreason.algebra.expressions.tree import Variable, expression_variables
from kgreason.proofs.fact_reader import Premises, Reader, premises_of
from kgreason.proofs.list_expansion import expanded
from kgreason.proofs.matching import Matcher
from kgreason.proofs.rule_patterns import (
    AggregatePattern,
    Check,
    EveryPattern,
    IdRule,
    MemberPattern,
    Part,
    PathPattern,
    Pattern,
    Vocabulary,
)
from kgreason.proofs.schema_atoms import SchemaAtoms
from kgreason.proofs.steps import TRIPLE, IdFact
from kgreason.proofs.why_not import FailedDerivation, OpenFact
from kgreason.rdf.model import IRI, Literal

PER_RULE: Final = 3
"""So many derivations of one rule are shown, those first that lack no axiom: others lack the same of other facts."""

OpenGoal: TypeAlias = tuple[str, tuple[int | None, ...]]
"""A relation, and arguments with None for any."""


@dataclass(frozen=True, slots=True)
class _Partial:
    """A partial match: values, what is still to be looked at, and what was matched or fails so far."""

    binding: dict[Variable, int]
    parts: tuple[Part, ...]
    checks: tuple[Check, ...]
    premises: Premises = None
    skipped: tuple[Part, ...] = ()
    false: tuple[Check, ...] = ()

    @property
    def distance(self) -> int:
        return len(self.skipped) + len(self.false)


@dataclass(frozen=True, slots=True)
class Near:
    """What there is at one distance; `goes_on` says whether there may be something at a larger one."""

    derivations: list[FailedDerivation[int]]
    is_complete: bool
    goes_on: bool


@dataclass(slots=True)
class BodySearch:
    """The search through the body of one rule, whose head has the values of `known`."""

    matcher: Matcher
    facts: Reader
    vocabulary: Vocabulary
    rule: IdRule
    known: dict[Variable, int]
    goals: frozenset[OpenGoal]
    schema: SchemaAtoms
    _allowed: int = 0
    _visits: int = 0
    _was_cut: bool = False
    _bound: frozenset[Variable] = field(default=frozenset())

    def __post_init__(self) -> None:
        self._bound = frozenset(_variables(self.rule))

    def at(self, distance: int) -> Near:
        """The derivations of exactly this distance."""
        self._allowed, self._visits, self._was_cut = distance, tuning.NEAR_MISS_VISITS, False
        of_data, of_schema = dict[FailedDerivation[int], None](), dict[FailedDerivation[int], None]()
        is_complete = True
        for leaf in self._leaves(_Partial(self.known, self.rule.body, self.rule.checks)):
            derivation = self._derivation(leaf)
            if derivation is None or derivation.distance < distance:
                continue
            if derivation.distance > distance:
                self._was_cut = True
                continue
            found = of_schema if self.schema.missing(derivation) else of_data
            if len(found) < PER_RULE:
                found[derivation] = None
            elif derivation not in found:
                is_complete = False
                if found is of_data:
                    break
        nearest = [*of_data, *of_schema]
        is_complete = is_complete and len(nearest) <= PER_RULE and self._visits > 0
        return Near(nearest[:PER_RULE], is_complete, self._was_cut or self._visits <= 0)

    # -- the search --------------------------------------------------------------------------------------------------

    def _leaves(self, partial: _Partial) -> Iterator[_Partial]:
        """The partial matches in which nothing is left to look at, with at most as many failing parts as allowed."""
        self._visits -= 1
        if self._visits < 0:
            return
        partial = self._checked(partial)
        if partial.distance > self._allowed:
            self._was_cut = True
            return
        if not partial.parts:
            yield partial
            return
        position, has_matches = self._next(partial)
        part = partial.parts[position]
        others = partial.parts[:position] + partial.parts[position + 1 :]
        members = None if isinstance(part, Pattern | AggregatePattern) else self._expanded(part, partial)
        if members is not None:
            patterns, premises = members
            yield from self._leaves(replace(partial, parts=(*others, *patterns), premises=premises))
            return
        if has_matches:
            for binding, premises in self.matcher.matches(part, partial.binding, partial.premises):
                yield from self._leaves(replace(partial, binding=dict(binding), parts=others, premises=premises))
                if self._visits < 0:
                    return
        if not (isinstance(part, Pattern) and has_matches and self._holds(part, partial)):
            yield from self._leaves(replace(partial, parts=others, skipped=(*partial.skipped, part)))

    def _next(self, partial: _Partial) -> tuple[int, bool]:
        """The part to look at next, and whether it may have matches: an atom without any first, then by the number of
        matches; lists when nothing else is left that could bind them."""
        best, least = -1, 0
        for position, part in enumerate(partial.parts):
            if isinstance(part, Pattern | AggregatePattern):
                pattern = part if isinstance(part, Pattern) else part.result
                cost = self.facts.cost(pattern.relation, pattern.put(partial.binding))
                if not cost:
                    return position, False
                if best < 0 or cost < least:
                    best, least = position, cost
        if best >= 0:
            return best, True
        for position, part in enumerate(partial.parts):
            if _list_of(part) in partial.binding:
                return position, True
        return 0, False

    def _expanded(self, part: Part, partial: _Partial) -> tuple[tuple[Pattern, ...], Premises] | None:
        """Atoms in the place of one about all members of a list, where the list is known and whole."""
        if not isinstance(part, EveryPattern | PathPattern) or part.list not in partial.binding:
            return None
        return expanded(part, partial.binding[part.list], self.facts, self.vocabulary, partial.premises)

    def _checked(self, partial: _Partial) -> _Partial:
        """With every condition evaluated that has its values."""
        binding, waiting, false = dict(partial.binding), list(partial.checks), list(partial.false)
        progress = True
        while progress:
            progress = False
            for check in [check for check in waiting if check.inputs <= binding.keys()]:
                waiting.remove(check)
                if not self.matcher.passes(check, binding):
                    false.append(check)
                progress = True
        return replace(partial, binding=binding, checks=tuple(waiting), false=tuple(false))

    def _holds(self, pattern: Pattern, partial: _Partial) -> bool:
        """Whether an atom without open variables has a match: it cannot be missing."""
        return all(value is not None for value in pattern.put(partial.binding)) and self._matches(pattern, partial)

    def _matches(self, pattern: Pattern, partial: _Partial) -> bool:
        return any(True for _ in self.matcher.match(pattern, partial.binding, None))

    # -- what a leaf says --------------------------------------------------------------------------------------------

    def _derivation(self, leaf: _Partial) -> FailedDerivation[int] | None:
        """The derivation of a leaf; None where it has a nearer one, needs its goal, or what is no triple."""
        if any(isinstance(part, Pattern) and self._matches(part, leaf) for part in leaf.skipped):
            return None
        missing = tuple(self._open_fact(part, leaf.binding) for part in leaf.skipped)
        if any(self._is_impossible(fact) for fact in missing):
            return None
        present = tuple(fact for pattern in self.rule.negated for fact in self._first_match(pattern, leaf))
        false = tuple(self.matcher.condition(check, leaf.binding) for check in leaf.false)
        return FailedDerivation(self.rule.rule, missing, premises_of(leaf.premises), false, present)

    def _first_match(self, denied: Pattern, leaf: _Partial) -> Iterator[IdFact]:
        """A fact that a denied atom matches, where all is bound that the body binds."""
        needed = {part for part in denied.arguments if isinstance(part, Variable) and part in self._bound}
        if needed <= leaf.binding.keys():
            for _, premises in self.matcher.match(denied, leaf.binding, None):
                yield from premises_of(premises)
                return

    def _is_impossible(self, fact: OpenFact[int]) -> bool:
        """Whether it is the goal itself, or a triple whose subject is a literal or whose predicate is no IRI."""
        if (fact.relation, fact.arguments) in self.goals:
            return True
        if fact.relation != TRIPLE:
            return False
        subject, predicate, _ = fact.arguments
        decode = self.vocabulary.terms.decode
        if isinstance(subject, int) and isinstance(decode(subject), Literal):
            return True
        return isinstance(predicate, int) and not isinstance(decode(predicate), IRI)

    @staticmethod
    def _open_fact(part: Part, binding: dict[Variable, int]) -> OpenFact[int]:
        def values(arguments: Sequence[int | Variable]) -> tuple[int | Variable, ...]:
            return tuple(binding.get(each, each) if isinstance(each, Variable) else each for each in arguments)

        match part:
            case Pattern():
                return OpenFact(part.relation, values(part.arguments))
            case AggregatePattern():
                return OpenFact("aggregate", values(part.result.arguments))
            case MemberPattern():
                return OpenFact("member", values((part.list, *part.entry.arguments)))
            case EveryPattern():
                return OpenFact("every", values((part.member, part.list)))
            case PathPattern():
                return OpenFact("path", values((part.start, part.list, part.end)))


def _list_of(part: Part) -> Variable | None:
    return None if isinstance(part, Pattern | AggregatePattern) else part.list


def _variables(rule: IdRule) -> Iterator[Variable]:
    """The variables that the head and the body of a rule bind."""
    for part in (*rule.heads, *rule.body):
        match part:
            case Pattern():
                arguments: Sequence[int | Variable] = part.arguments
            case AggregatePattern():
                arguments = part.result.arguments
            case MemberPattern():
                arguments = (part.list, *part.entry.arguments)
            case EveryPattern():
                arguments = (part.list, *(each for atom in part.atoms for each in atom.arguments))
            case PathPattern():
                arguments = (part.start, part.list, part.end)
        yield from (each for each in arguments if isinstance(each, Variable))
    for check in rule.checks:
        yield from expression_variables(check.expression)
        if check.variable is not None:
            yield check.variable
