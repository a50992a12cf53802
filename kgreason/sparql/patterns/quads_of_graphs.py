"""Triples in many graphs: atoms that read the facts of all these graphs together."""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.local_terms import LocalTerms
from kgreason.relations.codes import class_code, property_code
from kgreason.sparql.algebra import Operand, QuadPattern
from kgreason.sparql.patterns.atoms import End, RelationAtom
from kgreason.sparql.source import QUADS, TYPES


def quad_atom(atom: QuadPattern, terms: LocalTerms) -> RelationAtom | None:
    """The atom over ids; None where it has a constant that nothing is known of."""
    ends, of = ends_of(atom.operands, terms), table_of_quads(atom, terms)
    if ends is None or of is None:
        return None
    graph, subject, predicate, object = ends
    places: tuple[End, ...]
    if of == QUADS:
        places = (subject, graph, predicate, object)
    elif of == TYPES or predicate != atom.tables.type_id:
        places = (subject, graph, object)
    else:
        places = (subject, graph)
    table = atom.tables.table(of)
    return RelationAtom.of(table, places, atom, table)


def table_of_quads(atom: QuadPattern, terms: LocalTerms) -> int | None:
    """Which table has the triples of a pattern; None where it has a constant that nothing is known of."""
    if isinstance(atom.predicate, Variable):
        return QUADS
    predicate, type_id = terms.lookup(atom.predicate), atom.tables.type_id
    if predicate is None or predicate != type_id:
        return None if predicate is None else property_code(predicate)
    if isinstance(atom.object, Variable) or atom.tables.size(property_code(type_id)):
        return TYPES
    object = terms.lookup(atom.object)
    return None if object is None else class_code(object)


def ends_of(operands: Sequence[Operand], terms: LocalTerms) -> tuple[End, ...] | None:
    """The names of variables and the ids of terms, None where a term has none."""
    ends: list[End] = []
    for operand in operands:
        end = operand.name if isinstance(operand, Variable) else terms.lookup(operand)
        if end is None:
            return None
        ends.append(end)
    return tuple(ends)
