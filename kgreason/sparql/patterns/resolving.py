"""From atoms of terms to atoms of ids that read the tables of a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgreason.sparql.algebra import Atom, Operand, PathPattern, Variable
from kgreason.sparql.path_unfolding import path_text
from kgreason.sparql.patterns.any_of import AnyOf
from kgreason.sparql.patterns.any_predicate import AnyPredicate
from kgreason.sparql.patterns.atoms import End, PairAtom, ReadyAtom
from kgreason.sparql.patterns.relations import Relation, relation_of
from kgreason.sparql.source import Source
from kgreason.sparql.terms import QueryTerms

Paths = Callable[[PathPattern, Source], Sequence[Relation]]
"""The pairs that a property path connects in a graph: those of each relation."""


def resolved(atoms: Sequence[Atom], source: Source, terms: QueryTerms, paths: Paths) -> list[ReadyAtom] | None:
    """The atoms over ids; None where one has a constant that nothing is known of, so that nothing matches."""
    ready: list[ReadyAtom] = []
    for atom in atoms:
        found = _path(atom, source, terms, paths) if isinstance(atom, PathPattern) else _triple(atom, source, terms)
        if found is None:
            return None
        ready.append(found)
    return ready


def _triple(atom: Atom, source: Source, terms: QueryTerms) -> ReadyAtom | None:
    assert not isinstance(atom, PathPattern)
    subject, predicate, object = (_end(part, terms) for part in (atom.subject, atom.predicate, atom.object))
    if subject is None or predicate is None or object is None:
        return None
    label = f"{atom.subject} {atom.predicate} {atom.object}"
    if isinstance(predicate, str):
        return AnyPredicate(source, (subject, object), predicate, label)
    return PairAtom(relation_of(source, predicate), (subject, object), label)


def _path(atom: PathPattern, source: Source, terms: QueryTerms, paths: Paths) -> ReadyAtom:
    # A path of no step connects a term with itself, also one that no triple has.
    subject, object = (
        end.name if isinstance(end, Variable) else terms.encode(end) for end in (atom.subject, atom.object)
    )
    relations, label = paths(atom, source), f"{atom.subject} {path_text(atom.path)} {atom.object}"
    if len(relations) == 1:
        return PairAtom(relations[0], (subject, object), label)
    return AnyOf(relations, (subject, object), label)


def _end(operand: Operand, terms: QueryTerms) -> End | None:
    return operand.name if isinstance(operand, Variable) else terms.lookup(operand)
