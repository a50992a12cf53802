"""The variables of rules: where they stand, and arguments in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from kgreason.algebra.expressions.tree import Variable, with_leaves
from kgreason.program.rules import Argument, Assignment, Atom, Every, FactAtom, Member, Path, Rule, TripleAtom
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE

TYPE: Final = IRI(RDF_TYPE)


def plain_body(rule: Rule) -> tuple[Atom, ...]:
    """The body of a rule without list atoms."""
    atoms = tuple(atom for atom in rule.body if isinstance(atom, TripleAtom | FactAtom))
    assert len(atoms) == len(rule.body), "list atoms are written out before"
    return atoms


def property_variable(atom: object) -> Variable | None:
    """The variable in the place of the predicate."""
    if isinstance(atom, TripleAtom) and isinstance(atom.predicate, Variable):
        return atom.predicate
    return None


def class_variable(atom: object) -> Variable | None:
    """The variable in the place of a class."""
    if isinstance(atom, TripleAtom) and atom.predicate == TYPE and isinstance(atom.object, Variable):
        return atom.object
    return None


def relation_variables(atom: object) -> list[Variable]:
    """The variables of an atom that stand for a relation: its predicate, or the class of a type triple."""
    if not isinstance(atom, TripleAtom):
        return []
    named = atom.object if atom.predicate == TYPE else atom.predicate
    return [named] if isinstance(named, Variable) else []


def atoms_of(rule: Rule) -> Iterator[Atom]:
    """The atoms of a rule without list atoms: of its heads, its body, and under negation."""
    yield from rule.heads
    yield from plain_body(rule)
    yield from rule.negated


def variables_of(atom: Atom) -> list[Variable]:
    """The variables of an atom, from left to right."""
    return [argument for argument in atom.arguments if isinstance(argument, Variable)]


def any_variables(atom: object) -> Iterator[Variable]:
    """The variables of any kind of body atom, from left to right."""
    match atom:
        case TripleAtom() | FactAtom():
            yield from variables_of(atom)
        case Member(list_, index, member):
            yield from (v for v in (list_, index, member) if isinstance(v, Variable))
        case Every(member, list_, atoms):
            yield from (member, list_, *(v for inner in atoms for v in variables_of(inner)))
        case Path(start, list_, end):
            yield from (v for v in (start, list_, end) if isinstance(v, Variable))


def substitute(rule: Rule, values: Mapping[Variable, Argument]) -> Rule:
    """The rule with arguments in the place of variables; it has no list atoms."""
    put = putting(values)
    return replace(
        rule,
        heads=tuple(substitute_atom(atom, put) for atom in rule.heads),
        body=tuple(substitute_atom(atom, put) for atom in plain_body(rule)),
        negated=tuple(substitute_atom(atom, put) for atom in rule.negated),
        filters=tuple(with_leaves(part, put) for part in rule.filters),
        assignments=tuple(
            Assignment(part.variable, with_leaves(part.expression, put)) for part in rule.assignments
        ),
    )


def putting(values: Mapping[Variable, Argument]) -> Callable[[Argument], Argument]:
    """A function that puts arguments in the place of variables."""
    return lambda argument: values.get(argument, argument) if isinstance(argument, Variable) else argument


def substitute_atom(atom: Atom, put: Callable[[Argument], Argument]) -> Atom:
    """The atom with what a function makes of its arguments."""
    if isinstance(atom, TripleAtom):
        return TripleAtom(put(atom.subject), put(atom.predicate), put(atom.object))
    return FactAtom(atom.name, tuple(map(put, atom.arguments)))
