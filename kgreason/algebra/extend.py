"""One step of a join: rows of bindings, extended by the facts of a relation that agree with them.

    wanted = Atom.of(("x", "y"))
    rows = extend(Bindings({"x": ids}, len(ids)), wanted, table, frozenset({"y"}), Multiplicity.ANY)

`extend` takes the step at once, `kgreason.algebra.pieces` a bounded number of rows at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from kgreason import memory
from kgreason.algebra import algebra_tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, Mask, Multiplicity, V
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.relation import Columns, Relation
from kgreason.algebra.row_keys import Counts, Ids, Index, is_member
from kgreason.checkpoints import checkpoint
from kgreason.columns.id_columns import repeated
from kgreason.columns.masks import all_of, any_of


def extend(
    rows: Bindings[V],
    atom: Atom[V],
    relation: Relation,
    kept: Set[V] | None = None,
    multiplicity: Multiplicity = Multiplicity.EACH,
) -> Bindings[V]:
    """Every row with every fact that agrees with it.

    Args:
        kept: the variables whose columns come out, all if None. What goes with others is counted by weights, or, if
            `multiplicity` is ANY, not at all: a fact that only has to be there is not looked up.

    Cost: the look-up in the relation, and one gather for each column.
    """
    bound, free = told_apart(rows, atom)
    if not free:
        return trimmed(rows.where(_agreeing(rows, atom, relation, bound)), kept, multiplicity)
    if kept is not None and not any(atom.arguments[position] in kept for position in free):
        counted = _counted(rows, atom, relation, bound, multiplicity)
        if counted is not None:
            return trimmed(counted, kept, multiplicity)
    if not bound:
        found, weights = facts_of(atom, relation, kept, multiplicity)
        if not rows.columns and rows.length == 1 and rows.weights is None:
            return found if weights is None else Bindings(found.columns, found.length, weights)
        return beside(rows if kept is None else rows.narrowed(kept), found, weights)
    if multiplicity is Multiplicity.ANY and is_image(rows, atom, kept):
        others = relation.image(1 - free[0], bound[1 - free[0]])
        return Bindings({variable_at(atom, free[0]): others}, len(others))
    index, facts = relation.lookup(with_constants(rows, atom, bound))
    return extended(rows, atom, index, facts, free, kept)


def outer_extend(rows: Bindings[V], atom: Atom[V], relation: Relation, most: int) -> Bindings[V]:
    """Every row with every fact that agrees with it, and by itself, after these, where none does: a left outer join.

    Args:
        atom: no variable is in it twice, and one or more are in the rows, bound in all of them.
        most: so many facts are looked up at once, or those of one row.

    Cost: the look-ups, and one gather for each column where a row has more facts than one, or none.
    """
    bound, free = told_apart(rows, atom)
    if not free:
        return rows
    nothing = np.empty(0, dtype=np.int64), (np.empty(0, dtype=np.uint32),) * len(atom.arguments)
    pieces: list[tuple[Index, Columns]] = []
    total = 0
    for piece in relation.lookups(with_constants(rows, atom, bound), most):
        total += len(piece[0])
        checkpoint(total)
        pieces.append(piece)
    index, facts = pieces[0] if pieces else nothing
    if len(pieces) > 1:
        memory.check((8 + 4 * len(facts)) * total, "a join")
        index = np.concatenate([numbers for numbers, _ in pieces])
        facts = tuple(np.concatenate(columns) for columns in zip(*(found for _, found in pieces), strict=True))
    alone = np.ones(rows.length, dtype=np.bool_)
    alone[index] = False
    fresh = {variable_at(atom, position): facts[position] for position in free}
    if any_of(alone):
        index = np.concatenate((index, alone.nonzero()[0]))
        unbound = repeated(UNBOUND, len(index) - len(facts[0]))
        fresh = {variable: np.concatenate((column, unbound)) for variable, column in fresh.items()}
    elif len(index) == rows.length and all_of(index[1:] > index[:-1]):
        return rows.with_columns(fresh)
    return rows.take(index).with_columns(fresh)


def told_apart(rows: Bindings[V], atom: Atom[V]) -> tuple[dict[int, Ids], list[int]]:
    """The positions of an atom whose variables rows bind, with their columns; and those whose variables they do not."""
    bound: dict[int, Ids] = {}
    free: list[int] = []
    for position, variable in enumerate(atom.arguments):
        if variable is not None:
            column = rows.columns.get(variable)
            if column is not None:
                bound[position] = column
            else:
                free.append(position)
    return bound, free


def with_constants(rows: Bindings[V], atom: Atom[V], bound: dict[int, Ids]) -> dict[int, Ids]:
    """The columns of what is bound at the positions of an atom, constants spread out."""
    for position, constant in atom.constants.items():
        bound[position] = repeated(constant, rows.length)
    return bound


def extended(
    rows: Bindings[V], atom: Atom[V], index: Index, facts: Columns, free: Sequence[int], kept: Set[V] | None
) -> Bindings[V]:
    """The rows of an index beside facts that agree with them in what is bound; `free` are the other positions."""
    columns = rows.columns
    taken = {variable: column[index] for variable, column in columns.items() if kept is None or variable in kept}
    weights = None if rows.weights is None else rows.weights[index]
    if atom.is_repeating:
        return _compared(Bindings(taken, len(index), weights), atom, facts, free, kept)
    for position in free:
        variable = atom.arguments[position]
        if variable is not None and (kept is None or variable in kept):
            taken[variable] = facts[position]
    return Bindings(taken, len(index), weights)


def is_image(rows: Bindings[V], atom: Atom[V], kept: Set[V] | None) -> bool:
    """Whether nothing but the other ends of pairs is needed of many rows."""
    if rows.length <= algebra_tuning.FEW_JOINED or len(atom.arguments) != 2:
        return False
    return kept is not None and kept.isdisjoint(rows.columns)


def variable_at(atom: Atom[V], position: int) -> V:
    """The variable at a position that has one."""
    variable = atom.arguments[position]
    assert variable is not None
    return variable


def trimmed(rows: Bindings[V], kept: Set[V] | None, multiplicity: Multiplicity) -> Bindings[V]:
    """Without the columns that are not needed; of rows without columns one is enough where they are not counted."""
    if kept is None:
        return rows
    rows = rows.narrowed(kept)
    if multiplicity is Multiplicity.ANY and not rows.columns and rows.length > 1:
        return Bindings({}, 1)
    return rows


# -- nothing is free ---------------------------------------------------------------------------------------------------


def _agreeing(rows: Bindings[V], atom: Atom[V], relation: Relation, bound: Mapping[int, Ids]) -> Mask:
    """The rows for which the atom is a fact."""
    if not atom.constants:
        return relation.contains(tuple(bound[position] for position in range(len(bound))))
    if not bound:
        there = relation.contains(tuple(np.array([atom.constants[p]], dtype=np.uint32) for p in range(relation.arity)))
        return np.full(rows.length, there[0])
    if len(atom.arguments) == 2 and rows.length > algebra_tuning.FEW_JOINED:
        ((position, constant),) = atom.constants.items()
        count = relation.fanout_of(position, constant)
        if count <= algebra_tuning.FAR_FACTS * rows.length:
            return is_member(bound[1 - position], relation.select({position: constant})[1 - position])
    return relation.contains(atom.columns(rows))


# -- nothing that is free is needed ------------------------------------------------------------------------------------


def _counted(
    rows: Bindings[V],
    atom: Atom[V],
    relation: Relation,
    bound: Mapping[int, Ids],
    multiplicity: Multiplicity,
) -> Bindings[V] | None:
    """Each row as often as a fact agrees with it; None where the facts have to be looked at."""
    if atom.is_repeating:
        return _counted_loops(rows, atom, relation, multiplicity) if not bound else None
    if len(bound) + len(atom.constants) > 1:
        return None
    if bound:
        ((position, column),) = bound.items()
        if multiplicity is Multiplicity.ANY:
            return rows.where(relation.has_key(position, column))
        return rows.weighted(relation.fanout(position, column))
    if atom.constants:
        ((position, constant),) = atom.constants.items()
        count = relation.fanout_of(position, constant)
    else:
        count = int(bool(relation)) if multiplicity is Multiplicity.ANY else len(relation)
    return _times(rows, count, multiplicity)


def _counted_loops(
    rows: Bindings[V], atom: Atom[V], relation: Relation, multiplicity: Multiplicity
) -> Bindings[V] | None:
    if len(atom.arguments) != 2:
        return None
    return _times(rows, len(relation.loops()), multiplicity)


def _times(rows: Bindings[V], count: int, multiplicity: Multiplicity) -> Bindings[V]:
    if not count:
        return rows.slice(0, 0) if rows.length else rows
    if multiplicity is Multiplicity.ANY or count == 1:
        return rows
    return rows.weighted(np.full(rows.length, count, dtype=np.int64))


# -- nothing is bound --------------------------------------------------------------------------------------------------


def facts_of(
    atom: Atom[V], relation: Relation, kept: Set[V] | None, multiplicity: Multiplicity
) -> tuple[Bindings[V], Counts | None]:
    """The facts of an atom of which nothing is bound but constants, by those of its variables that are kept; and how
    often each row counts, None for once."""
    if len(atom.arguments) == 2 and not atom.constants:
        if atom.is_repeating:
            ends = relation.loops()
            return Bindings({variable_at(atom, 0): ends}, len(ends)), None
        if kept is not None and not atom.variables <= kept:
            position = int(atom.arguments[0] not in kept)
            ends = relation.distinct(position)
            weights = None if multiplicity is Multiplicity.ANY else relation.fanout(position, ends)
            return Bindings({variable_at(atom, position): ends}, len(ends)), weights
    return named(atom, relation.select({**atom.constants}), kept), None


def named(atom: Atom[V], facts: Columns, kept: Set[V] | None) -> Bindings[V]:
    """Facts that have the constants of an atom, by its variables."""
    if atom.is_repeating:
        free = [position for position, variable in enumerate(atom.arguments) if variable is not None]
        return _compared(Bindings({}, len(facts[0])), atom, facts, free, kept)
    columns = {
        variable: column
        for variable, column in zip(atom.arguments, facts, strict=True)
        if variable is not None and (kept is None or variable in kept)
    }
    return Bindings(columns, len(facts[0]))


def _compared(
    rows: Bindings[V], atom: Atom[V], facts: Columns, free: Sequence[int], kept: Set[V] | None
) -> Bindings[V]:
    """Rows beside the facts that were found for them, a fact for each, where a repeated variable has one value."""
    columns = dict(rows.columns)
    same = np.ones(rows.length, dtype=np.bool_)
    for position in free:
        variable = variable_at(atom, position)
        if variable in columns:
            same &= columns[variable] == facts[position]
        else:
            columns[variable] = facts[position]
    found = Bindings(columns, rows.length, rows.weights).where(same)
    return found if kept is None else found.narrowed(kept)


def beside(rows: Bindings[V], found: Bindings[V], weights: Counts | None) -> Bindings[V]:
    """Each row with each of the facts found."""
    memory.check((16 + 4 * (len(rows.columns) + len(found.columns))) * rows.length * found.length, "a cross product")
    if rows.length == 1:
        crossed = rows.take(np.zeros(found.length, dtype=np.int64)).with_columns(found.columns)
        return crossed if weights is None else crossed.weighted(weights)
    index = np.repeat(np.arange(rows.length), found.length)
    columns = {variable: np.tile(column, rows.length) for variable, column in found.columns.items()}
    crossed = rows.take(index).with_columns(columns)
    return crossed if weights is None else crossed.weighted(np.tile(weights, rows.length))
