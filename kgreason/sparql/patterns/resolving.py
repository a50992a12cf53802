"""From atoms of terms to atoms of ids that read the tables of a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.local_terms import LocalTerms
from kgreason.algebra.relation import Relation
from kgreason.relations.codes import class_code, property_code
from kgreason.relations.plain import empty_table
from kgreason.sparql.algebra import Atom, PathPattern, QuadPattern, TriplePattern, TripleTermPattern
from kgreason.sparql.patterns.any_of import AnyOf
from kgreason.sparql.patterns.any_predicate import AnyPredicate
from kgreason.sparql.patterns.atoms import ReadyAtom, RelationAtom
from kgreason.sparql.patterns.pattern_relations import TypeRelation, pairs_of
from kgreason.sparql.patterns.quads_of_graphs import ends_of, quad_atom
from kgreason.sparql.patterns.triple_term_relation import TripleTermRelation
from kgreason.sparql.source import Source

Paths = Callable[[PathPattern, Source], Sequence[Relation]]
"""The pairs that a property path connects in a graph: those of each relation."""


def resolved(atoms: Sequence[Atom], source: Source, terms: LocalTerms, paths: Paths) -> list[ReadyAtom] | None:
    """The atoms over ids; None where one has a constant that nothing is known of, so that nothing matches."""
    ready: list[ReadyAtom] = []
    for atom in atoms:
        found: ReadyAtom | None
        match atom:
            case PathPattern():
                found = _path(atom, source, terms, paths)
            case TripleTermPattern():
                found = _triple_term(atom, terms)
            case TriplePattern():
                found = _triple(atom, source, terms)
            case QuadPattern():
                found = quad_atom(atom, terms)
        if found is None:
            return None
        ready.append(found)
    return ready


def _triple_term(atom: TripleTermPattern, terms: LocalTerms) -> ReadyAtom | None:
    ends = ends_of(atom.operands, terms)
    if ends is None:
        return None
    return RelationAtom.of(TripleTermRelation(terms.dictionary.triple_terms()), ends, atom)


def _triple(atom: TriplePattern, source: Source, terms: LocalTerms) -> ReadyAtom | None:
    ends = ends_of(atom.operands, terms)
    if ends is None:
        return None
    subject, predicate, object = ends
    if isinstance(predicate, str):
        return AnyPredicate(source, (subject, object), predicate, atom)
    if predicate == source.type_id and isinstance(object, int) and source.table(property_code(predicate)) is None:
        members = source.table(class_code(object)) or empty_table(1)
        return RelationAtom.of(members, (subject,), atom, members)
    if predicate == source.type_id:
        return RelationAtom.of(TypeRelation(source), (subject, object), atom)
    pairs = pairs_of(source, predicate)
    return RelationAtom.of(pairs, (subject, object), atom, pairs)


def _path(atom: PathPattern, source: Source, terms: LocalTerms, paths: Paths) -> ReadyAtom:
    # A path of no step connects a term with itself, also one that no triple has.
    subject, object = (
        end.name if isinstance(end, Variable) else terms.encode(end) for end in (atom.subject, atom.object)
    )
    relations = paths(atom, source)
    if len(relations) == 1:
        return RelationAtom.of(relations[0], (subject, object), atom)
    return AnyOf.of(relations, (subject, object), atom)
