"""The names that the data has for the blank nodes of a proof: those of a file are new each time it is read.

The blank nodes of asserted steps are mapped to blank nodes of the data so that all these steps are in it. The proof is
then checked under the new names, so a mapping makes no proof right that is wrong. Blank nodes that triples connect are
mapped together, the triple with the fewest matches first; a search that takes too long is given up, and names stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.rules import Argument, TripleAtom
from kgreason.proof_checking.fact_index import Binding, Fact, FactIndex, unified
from kgreason.proof_checking.proof_steps import ReadStep
from kgreason.rdf.model import IRI, BlankNode, Term, TripleTerm

_MOST: Final = 100_000
"""How many candidates a search for the names of connected blank nodes looks at."""


def renamed(steps: Mapping[Term, ReadStep], data: FactIndex) -> Mapping[Term, ReadStep]:
    """The steps with the names of the data for blank nodes; the same steps where all of these are in the data."""
    asserted = [step.conclusion for step in steps.values() if step.rule is None]
    unknown = {term for fact in asserted if fact not in data for term in fact.arguments if isinstance(term, BlankNode)}
    if not unknown:
        return steps
    names: dict[Variable, Term] = {}
    for group in _connected(fact for fact in asserted if any(isinstance(t, BlankNode) for t in fact.arguments)):
        if any(fact not in data for fact in group):
            found = _Search(data).names([_pattern(fact) for fact in group])
            names |= found or {}
    put = {BlankNode(variable.name): term for variable, term in names.items()}
    return {name: _with_names(step, put) for name, step in steps.items()}


class _Search:
    """One search, backtracking without recursion."""

    def __init__(self, data: FactIndex) -> None:
        self._data = data
        self._left = _MOST

    def names(self, patterns: list[TripleAtom]) -> dict[Variable, Term] | None:
        """Values of variables under which all patterns are in the data, None if none are found."""
        waiting: list[tuple[Binding, list[TripleAtom]]] = [({}, patterns)]
        while waiting and self._left > 0:
            binding, left = waiting.pop()
            if not left:
                return dict(binding)
            chosen = min(left, key=lambda atom: len(self._data.candidates(atom, binding)))
            rest = [atom for atom in left if atom is not chosen]
            for fact in self._data.candidates(chosen, binding):
                self._left -= 1
                extended = unified(chosen.arguments, fact.arguments, binding)
                if extended is not None and _is_renaming(extended):
                    waiting.append((extended, rest))
        return None


def _is_renaming(binding: Binding) -> bool:
    return all(isinstance(term, BlankNode) for term in binding.values()) and len({*binding.values()}) == len(binding)


def _pattern(fact: Fact) -> TripleAtom:
    subject, predicate, object = (_argument(term) for term in fact.arguments)
    return TripleAtom(subject, predicate, object)


def _argument(term: Term) -> Argument:
    return Variable(term.label) if isinstance(term, BlankNode) else term


def _connected(facts: Iterable[Fact]) -> list[list[Fact]]:
    """Facts in groups that share blank nodes."""
    groups: dict[BlankNode, list[Fact]] = {}
    for fact in facts:
        merged = [fact]
        nodes = {term for term in fact.arguments if isinstance(term, BlankNode)}
        for group in {id(groups[node]): groups[node] for node in nodes if node in groups}.values():
            merged += group
            nodes |= {term for each in group for term in each.arguments if isinstance(term, BlankNode)}
        groups.update(dict.fromkeys(nodes, merged))
    return [*{id(group): group for group in groups.values()}.values()]


def _with_names(step: ReadStep, put: Mapping[BlankNode, Term]) -> ReadStep:
    arguments = tuple(_put(term, put) for term in step.conclusion.arguments)
    return ReadStep(step.name, Fact(step.conclusion.relation, arguments), step.rule, step.premises)


def _put(term: Term, put: Mapping[BlankNode, Term]) -> Term:
    match term:
        case BlankNode():
            return put.get(term, term)
        case TripleTerm(subject, predicate, object):
            named = _put(subject, put)
            assert isinstance(named, IRI | BlankNode), "a blank node is only mapped to what is a subject"
            return TripleTerm(named, predicate, _put(object, put))
    return term
