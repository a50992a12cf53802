"""Whether a program is stratified, told from its text alone: a reference for when a program may be refused.

A variable in the place of a relation stands for every relation, so this says no more often than the engine, which looks
at the relations that have facts. What it calls stratified must never be refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.rules import Every, FactAtom, Member, Path, Program, Rule, TripleAtom
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_REST, RDF_TYPE

ANY = "any relation"


def is_stratified(program: Program) -> bool:
    """Whether the relations have levels such that rules deny, and have aggregates of, what is below their heads."""
    level: dict[Hashable, int] = {}
    rules = [rule for rule in program.rules if rule.heads]
    limit = sum(len(rule.heads) for rule in rules) + 1
    changed = True
    while changed:
        changed = False
        for rule in rules:
            lowest = max((_level(level, name) for name in _used(rule)), default=0)
            below = [*map(_name, rule.negated), *_aggregated(rule)]
            lowest = max([lowest, *(_level(level, name) + 1 for name in below)])
            for head in rule.heads:
                if level.get(_name(head), 0) < lowest:
                    level[_name(head)] = lowest
                    changed = True
        if level and max(level.values()) > limit:
            return False
    return True


def _level(level: dict[Hashable, int], name: Hashable) -> int:
    if name == ANY:
        return max(level.values(), default=0)
    return max(level.get(name, 0), level.get(ANY, 0))


def _used(rule: Rule) -> Iterator[Hashable]:
    for atom in rule.body:
        if isinstance(atom, TripleAtom | FactAtom):
            yield _name(atom)
        else:
            yield from ((False, IRI(RDF_FIRST)), (False, IRI(RDF_REST)))
            if isinstance(atom, Path):
                yield ANY
            elif isinstance(atom, Every):
                yield from map(_name, atom.atoms)
            else:
                assert isinstance(atom, Member)


def _aggregated(rule: Rule) -> Iterator[Hashable]:
    for aggregate in rule.aggregates:
        inner = aggregate.deriving()
        yield from (*_used(inner), *map(_name, inner.negated), *_aggregated(inner))


def _name(atom: object) -> Hashable:
    if isinstance(atom, FactAtom):
        return atom.name, len(atom.arguments)
    assert isinstance(atom, TripleAtom)
    is_class = atom.predicate == IRI(RDF_TYPE) and not isinstance(atom.object, Literal)
    named = atom.object if is_class else atom.predicate
    return ANY if isinstance(named, Variable) else (is_class, named)
