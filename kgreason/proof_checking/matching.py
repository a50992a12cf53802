"""Atoms of bodies against facts, list atoms cell by cell; each match comes with the facts that it took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.list_rules import local_variables
from kgreason.program.rules import Argument, Atom, BodyAtom, Every, FactAtom, Member, Path, Rule, TripleAtom
from kgreason.proof_checking.fact_index import Binding, Fact, FactIndex, is_hidden, unified, value_of
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST, XSD_INTEGER

Match: TypeAlias = tuple[Binding, frozenset[Fact]]

_FIRST, _REST, _NIL = IRI(RDF_FIRST), IRI(RDF_REST), IRI(RDF_NIL)
_NONE: Final[frozenset[Fact]] = frozenset()


def matches(rule: Rule, facts: FactIndex, binding: Binding) -> Iterator[Match]:
    """The ways to match the positive atoms of a rule, from a binding of some variables."""
    return _all(tuple(rule.body), rule, facts, (binding, _NONE))


def matches_of(atom: Atom, facts: FactIndex, binding: Binding) -> Iterator[Match]:
    """The facts that match an atom, with the bindings that they give."""
    for fact in facts.candidates(atom, binding):
        if isinstance(atom, FactAtom) != (fact.relation != "") or is_hidden(atom, fact):
            continue
        extended = unified(atom.arguments, fact.arguments, binding)
        if extended is not None:
            yield extended, frozenset((fact,))


def _all(atoms: tuple[BodyAtom, ...], rule: Rule, facts: FactIndex, known: Match) -> Iterator[Match]:
    if not atoms:
        yield known
        return
    binding, used = known
    chosen = max(atoms, key=lambda atom: _readiness(atom, binding))
    following = tuple(atom for atom in atoms if atom is not chosen)
    for extended, taken in _matches(chosen, rule, facts, binding):
        yield from _all(following, rule, facts, (extended, used | taken))


def _readiness(atom: BodyAtom, binding: Binding) -> tuple[bool, float]:
    """Known lists first, then the atoms of which most is known, unknown lists last."""
    if isinstance(atom, Member | Every | Path):
        is_known = atom.list in binding
        return is_known, -1.0
    known = sum(value_of(argument, binding) is not None for argument in atom.arguments)
    return known == len(atom.arguments), known / len(atom.arguments)


def _matches(atom: BodyAtom, rule: Rule, facts: FactIndex, binding: Binding) -> Iterator[Match]:
    match atom:
        case TripleAtom() | FactAtom():
            yield from matches_of(atom, facts, binding)
        case Member(list, index, member):
            for cells, used in _lists(facts, binding[list]):
                for position, value in enumerate(cells):
                    place = Literal(str(position), XSD_INTEGER)
                    placed = unified((index, member), (place, value), binding)
                    if placed is not None:
                        yield placed, used
        case Path(start, list, end):
            for cells, used in _lists(facts, binding[list]):
                for extended, taken in _along(cells, start, end, facts, binding):
                    yield extended, used | taken
        case Every(_, list, _):
            local = local_variables(rule, atom)
            for cells, used in _lists(facts, binding[list]):
                for extended, taken in _each(cells, atom, local, facts, binding):
                    yield extended, used | taken


def _lists(facts: FactIndex, head: Term) -> Iterator[tuple[tuple[Term, ...], frozenset[Fact]]]:
    """The members along every way from a cell to rdf:nil that passes no cell twice, with the triples of the way."""
    waiting: list[tuple[Term, tuple[Term, ...], frozenset[Fact], frozenset[Term]]] = [(head, (), _NONE, frozenset())]
    while waiting:
        cell, members, used, passed = waiting.pop()
        if cell == _NIL:
            yield members, used
        elif cell not in passed:
            for first, fact in _objects(facts, cell, _FIRST):
                for rest, link in _objects(facts, cell, _REST):
                    waiting.append((rest, (*members, first), used | {fact, link}, passed | {cell}))


def _objects(facts: FactIndex, subject: Term, predicate: IRI) -> list[tuple[Term, Fact]]:
    atom = TripleAtom(subject, predicate, Variable("o"))
    return [(fact.arguments[2], fact) for fact in facts.candidates(atom, {}) if fact.arguments[0] == subject]


def _along(
    properties: Sequence[Term], start: Argument, end: Argument, facts: FactIndex, binding: Binding
) -> Iterator[Match]:
    """The ways along a chain of properties."""
    reached: list[tuple[Argument, Binding, frozenset[Fact]]] = [(start, binding, _NONE)] if properties else []
    for number, property in enumerate(properties):
        is_last = number == len(properties) - 1
        step = Variable(f"\x00{number}")
        following: list[tuple[Argument, Binding, frozenset[Fact]]] = []
        for at, known, used in reached:
            for extended, taken in matches_of(TripleAtom(at, property, end if is_last else step), facts, known):
                kept = {variable: value for variable, value in extended.items() if variable != step}
                following.append((extended.get(step, at), kept, used | taken))
        reached = following
    for _, known, used in reached:
        yield known, used


def _each(
    members: Sequence[Term], every: Every, local: set[Variable], facts: FactIndex, binding: Binding
) -> Iterator[Match]:
    """The ways in which all members satisfy the atoms."""
    found: list[Match] = [(binding, _NONE)] if members else []
    inner = Rule((), every.atoms)
    for member in members:
        following: list[Match] = []
        for known, used in found:
            start = {variable: value for variable, value in known.items() if variable not in local}
            for extended, taken in matches(inner, facts, start | {every.member: member}):
                kept = {v: value for v, value in extended.items() if v not in local and v != every.member}
                following.append((kept, used | taken))
        found = following
    yield from found
