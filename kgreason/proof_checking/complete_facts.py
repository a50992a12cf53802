"""All facts of the relations that a rule denies or aggregates: what a proof cannot show, and a checker has to derive.

The rules that these relations depend on are evaluated naively, all of them again in each round, over the data: slow and
plain. What follows while negation sees too little is too much, and the other way round; both ends meet in the model of
a stratified program (the alternating fixpoint of Van Gelder 1993), so that no stratification is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import StratificationError
from kgreason.program.rules import Argument, Atom, Every, FactAtom, Member, Path, Rule, TripleAtom
from kgreason.proof_checking.fact_index import FactIndex
from kgreason.proof_checking.instances import conclusions
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_REST

_OPEN = TripleAtom(Variable("s"), Variable("p"), Variable("o"))
_CELLS = [TripleAtom(Variable("s"), IRI(iri), Variable("o")) for iri in (RDF_FIRST, RDF_REST)]


class CompleteFacts:
    """The data, and what follows from it by rules, derived as far as it is asked for."""

    def __init__(self, rules: Iterable[Rule], data: FactIndex) -> None:
        self._rules = [rule for rule in rules if rule.heads]
        self._data = data
        self._known: dict[tuple[int, ...], FactIndex] = {}

    def seen_by(self, rule: Rule) -> FactIndex:
        """Facts among which are all that the rule denies or aggregates.

        Raises:
            StratificationError: one of them depends on its own negation.
        """
        relevant = self._relevant([*_denied(rule)])
        if relevant not in self._known:
            self._known[relevant] = self._closure([self._rules[number] for number in relevant])
        return self._known[relevant]

    def _relevant(self, atoms: list[Atom]) -> tuple[int, ...]:
        """The numbers of the rules that facts of some atoms may depend on."""
        found: set[int] = set()
        while atoms:
            atom = atoms.pop()
            for number, rule in enumerate(self._rules):
                if number not in found and any(_overlap(head, atom) for head in rule.heads):
                    found.add(number)
                    atoms += [*_positive(rule), *_denied(rule)]
        return tuple(sorted(found))

    def _closure(self, rules: list[Rule]) -> FactIndex:
        if not rules:
            return self._data
        certain = self._data
        while True:
            possible = self._least(rules, certain)
            if not any(rule.negated or rule.aggregates for rule in rules):
                return possible
            follows = self._least(rules, possible)
            if len(follows) == len(possible):
                return possible
            if len(follows) == len(certain):
                raise StratificationError("a fact that a rule denies depends on its own negation")
            certain = follows

    def _least(self, rules: list[Rule], denied: FactIndex) -> FactIndex:
        """What follows where a negated atom is true when nothing in `denied` matches it."""
        known = self._data
        while True:
            more = {fact for rule in rules for fact in conclusions(rule, known, denied) if fact not in known}
            if not more:
                return known
            known = FactIndex([*known, *more])


def _denied(rule: Rule) -> Iterator[Atom]:
    yield from rule.negated
    for aggregate in rule.aggregates:
        inner = aggregate.deriving()
        yield from _positive(inner)
        yield from _denied(inner)


def _positive(rule: Rule) -> Iterator[Atom]:
    for atom in rule.body:
        match atom:
            case TripleAtom() | FactAtom():
                yield atom
            case Every():
                yield from (*_CELLS, *atom.atoms)
            case Path():
                yield from (*_CELLS, _OPEN)
            case Member():
                yield from _CELLS


def _overlap(head: Atom, atom: Atom) -> bool:
    """Whether a fact may match both."""
    if isinstance(head, FactAtom) and isinstance(atom, FactAtom):
        return head.name == atom.name and len(head.arguments) == len(atom.arguments)
    return type(head) is type(atom) and all(map(_may_agree, head.arguments, atom.arguments))


def _may_agree(first: Argument, second: Argument) -> bool:
    return isinstance(first, Variable) or isinstance(second, Variable) or first == second


