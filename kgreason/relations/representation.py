"""The scheme of relations that hold of a thing under all its names: another scheme, over representatives.

What a relation follows from, its inputs, is mapped to representatives; the scheme that would keep the relation without
equality keeps it there (`within`); and the table shows members again (`relations.represented`). Sets are not mapped:
they are completed by the classes of their members, which takes no more room than the members.

A change of classes maps anew what has an end in a class that changed, and so costs what it touches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.masks import any_of
from kgreason.relations import table_tuning
from kgreason.relations.alike import classes_of
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.catalogue import CHAIN, EQUALITY, Input, Scheme, present
from kgreason.relations.equality import EqualityTable
from kgreason.relations.net_changes import union_change
from kgreason.relations.pair_blocks import NO_KEYS
from kgreason.relations.plain import empty_table, union_of
from kgreason.relations.represented import NOTHING_EQUAL, RepresentedTable, has_any, inner_of
from kgreason.relations.represented_sets import RepresentedSet, is_closed
from kgreason.relations.table import NO_IDS, Columns, Mask, Table
from kgreason.relations.unary import UnaryTable, as_unary
from kgreason.relations.union import simplest
from kgreason.relations.unions_of_sets import UnaryUnion


@dataclass(frozen=True, slots=True)
class RepresentedScheme:
    """A scheme over representatives, perhaps one that `is_union`, or a union `both_ways`, of its inputs and these the
    other way round. With `is_written` its pairs are written out there, since rules join them; that is for unions."""

    within: Scheme
    is_written: bool
    is_union: bool = False
    both_ways: bool = False

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        """The facts that follow from the inputs, one of which has the role EQUALITY and says which things are equal."""
        (equal,) = (each for each in inputs if each.role == EQUALITY)
        said = equal.after
        own = [each for each in inputs if each.role != EQUALITY]
        are_sets = any(table.arity == 1 for table in present(each.after for each in own))
        if not said and (are_sets or not isinstance(before, RepresentedTable)):
            return self._of_different(before, own)
        equality = classes_of(said)
        if are_sets:
            is_same = before and all(each.added is None and each.removed is None for each in own)
            same = unmoved(before, classes_of(equal.before), equality) if before and is_same else None
            return self._set(own, equality) if same is None else same
        found = self._pairs(_version_before(before, own), own, equality)
        return found if equality else found.inner

    def _of_different(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        """Nothing is equal to anything else, and was not before."""
        found = simplest(self.within.derive(before, inputs))
        return found.materialised() if self.is_written else found

    def _set(self, inputs: Sequence[Input], equality: EqualityTable) -> Table:
        parts = [_completed(table, equality) for table in present(each.after for each in inputs)]
        if self.is_written or len(parts) == 1:
            return union_of(parts)
        return RepresentedSet(parts, equality)

    def _pairs(
        self, before: RepresentedTable | None, inputs: Sequence[Input], equality: EqualityTable
    ) -> RepresentedTable:
        gains = any(each.added is not None for each in inputs)
        loses = any(each.removed is not None for each in inputs)
        is_same = not gains and not loses and all(map(_is_kept_alike, inputs))
        if before is not None and is_same and not _continue_what_moved(inputs, equality.moved(before.equality)):
            same = before.with_classes(equality)
            if same is not None:
                return same
        normal: list[Table | None] = []
        mapped: list[Input] = []
        for number, each in enumerate(inputs):
            # Under another definition the version before is itself an input, which goes, behind the others.
            is_own = before is not None and each.before is not before and number < len(before.normal)
            known = before.normal[number] if before is not None and is_own else None
            was = None
            if before is not None and each.before is not None:
                was = known if known is not None else inner_of(each.before, before.equality)
                if was is None and each.before:  # it was kept over representatives for the version before
                    was = _mapped(each.before, before.equality)
            inner = inner_of(each.after, equality)
            own = None if inner is not None or not each.after else _normal(each, known, before, equality)
            normal.append(own)
            mapped.append(_input(was, inner if own is None else own, each.role))
        table = RepresentedTable(self._inner(before, mapped), equality, normal)
        if before is not None:
            table.follow(before, gains, loses)
            if self.is_union:
                _compare_inside(before, table, mapped, self.both_ways)
        return table

    def _inner(self, before: RepresentedTable | None, inputs: Sequence[Input]) -> Table:
        """The facts over representatives."""
        known = before.inner if before is not None else None
        found = simplest(self.within.derive(known, inputs))
        if not self.is_written or not found.is_virtual:
            return found
        come, gone = (present(getattr(each, which) for each in inputs) for which in ("added", "removed"))
        if known is None or known.is_virtual or any(table.is_virtual for table in (*come, *gone)):
            return found.materialised()
        if self.both_ways:
            come, gone = ([*tables, *(table.inverse() for table in tables)] for tables in (come, gone))
        lost = union_of(gone).difference(found) if gone else None
        if lost:
            known = known.difference(lost)
        return known.union(union_of(come)) if come else known


def unmoved(before: Table, known: EqualityTable, equality: EqualityTable) -> Table | None:
    """A version over other classes than those that are `known`, where it holds of nothing that moved, else None."""
    if isinstance(before, RepresentedTable):
        return before.with_classes(equality)
    over = before.equality if isinstance(before, RepresentedSet) else NOTHING_EQUAL
    if before.arity != 1 or (isinstance(before, UnaryUnion) and over is not known):
        return None
    if has_any(before, equality.moved(known)):
        return None
    return RepresentedSet(before.parts, equality) if isinstance(before, UnaryUnion) else before


def _compare_inside(
    before: RepresentedTable, after: RepresentedTable, inputs: Sequence[Input], both_ways: bool
) -> None:
    """Let two versions of a union know which inner pairs came and went, from what changed in its inputs, if that is
    little: a look at the subjects of that in all parts of both would take longer."""
    if before.inner is after.inner or not before.inner or not after.inner:
        return
    changes = present(getattr(each, which) for each in inputs for which in ("added", "removed"))
    is_little = not any(table.is_virtual for table in changes) and sum(map(len, changes)) <= table_tuning.KEPT
    if is_little:
        came, went = union_change(both_ways, inputs, before.inner, after.inner)
        after.have_fresh_inside(before, came or empty_table(2))
        before.have_fresh_inside(after, went or empty_table(2))


def _version_before(before: Table | None, inputs: Sequence[Input]) -> RepresentedTable | None:
    """The version before as one over representatives, None where it does not follow from what the inputs were."""
    if isinstance(before, RepresentedTable):
        return before
    if before is None or before.arity != 2 or not any(each.before for each in inputs):
        return None
    plain = [each.before if each.before and not each.before.is_virtual else None for each in inputs]
    return RepresentedTable.of_different(before, plain)


def _continue_what_moved(inputs: Sequence[Input], moved: pairs.Ids) -> bool:
    """Whether inputs that continue the pairs of others, and so need not be among the inner pairs, have any of what
    moved."""
    return any(each.after is not None and each.role != CHAIN and has_any(each.after, moved) for each in inputs)


def _is_kept_alike(each: Input) -> bool:
    """Whether both versions of an input are written out, or none of them."""
    return not each.before or not each.after or each.before.is_virtual == each.after.is_virtual


def _input(before: Table | None, after: Table | None, role: str) -> Input:
    """An input over representatives."""
    if before is after:
        return Input(before, after, None, None, role)
    if not before or not after:
        return Input(before, after, after or None, before or None, role)
    return Input(before, after, after.difference(before), before.difference(after), role)


def _completed(table: Table, equality: EqualityTable) -> Table:
    """A set with all members of the classes that it has a member of: O(its members that have a class)."""
    if is_closed(table, equality):
        return table
    members = as_unary(table).members
    touched = members & equality.members
    if not touched:
        return table
    representatives = sorted_sets.unique(equality.representatives(bitmaps.to_ids(touched)))
    whole = bitmaps.from_ids(equality.spread(representatives)[1])
    return table if len(whole) == len(touched) else UnaryTable(members | whole)


# -- pairs over representatives ---------------------------------------------------------------------------------------


def _normal(
    each: Input, known: Table | None, before: RepresentedTable | None, equality: EqualityTable
) -> Table:
    """The pairs of an input over representatives; `known` are those of the version before, with its classes."""
    assert each.after is not None
    if before is None or known is None or each.before is None or each.after.is_virtual or each.before.is_virtual:
        return _mapped(each.after, equality)
    if sum(len(table) for table in (each.added, each.removed) if table) > len(each.after):
        return _mapped(each.after, equality)  # fewer than those that changed
    moved = equality.moved(before.equality)
    was = _about(each.before, moved)
    now = was if each.after is each.before else _about(each.after, moved)
    gone = _keys(was, each.removed, before.equality)
    come = _keys(now, each.added, equality)
    gone = sorted_sets.difference(gone, come)
    # What is gone and has an end that moved is not among what is there about what moved.
    if each.removed:
        gone = gone[~_holds(gone, each.after, equality)]
    return as_binary(known).exchanged(gone, come) if len(gone) or len(come) else known


def _mapped(table: Table, equality: EqualityTable) -> Table:
    """All pairs of a table over representatives: itself where no end has a class."""
    columns = table.columns()
    if not any(any_of(bitmaps.contains(equality.members, column)) for column in columns):
        return table.materialised()
    return BinaryTable.of(equality.represented(columns))


def _about(table: Table, moved: pairs.Ids) -> Columns:
    """The pairs of a table that have an end among some things; those that have both may be there twice."""
    if not len(moved):
        return NO_IDS, NO_IDS
    (_, out), (_, back) = table.lookup({0: moved}), table.lookup({1: moved})
    return np.concatenate((out[0], back[0])), np.concatenate((out[1], back[1]))


def _keys(about: Columns, changed: Table | None, equality: EqualityTable) -> pairs.Keys:
    """The pairs of representatives of what changed, and of what is about things whose class changed, as sorted keys."""
    if changed:
        about = tuple(map(np.concatenate, zip(about, changed.columns(), strict=True)))
    return pairs.distinct(*equality.represented(about)) if len(about[0]) else NO_KEYS


def _holds(keys: pairs.Keys, table: Table, equality: EqualityTable) -> Mask:
    """For each pair of representatives, as sorted keys, whether a pair of the table has these: a look at the pairs of
    both classes, or at all that the members of one have, where these are fewer."""
    # A pair whose ends represent nothing any more is none.
    stays = pairs.pack(*equality.represented((pairs.subjects(keys), pairs.objects(keys)))) == keys
    found = np.zeros(len(keys), dtype=np.bool_)
    found[stays] = _are_held(keys[stays], table, equality)
    return found


def _are_held(keys: pairs.Keys, table: Table, equality: EqualityTable) -> Mask:
    """The same for pairs of things that are representatives."""
    found = np.zeros(len(keys), dtype=np.bool_)
    subjects, objects = pairs.subjects(keys), pairs.objects(keys)
    weights = equality.pair_sizes((subjects, objects))
    few = np.flatnonzero(weights <= table_tuning.FEW_MEMBERS)
    for begin, end in pairs.runs_within(weights[few], table_tuning.CHUNK):
        some = few[begin:end]
        rows, left = equality.spread(subjects[some])
        again, right = equality.spread(objects[some][rows])
        there = table.contains((left[again], right))
        found[some[rows[again[there]]]] = True
    many = np.flatnonzero(weights > table_tuning.FEW_MEMBERS)
    if len(many):
        _, members = equality.spread(sorted_sets.unique(subjects[many]))
        shown = table.lookup({0: members})[1]
        known = pairs.pack(*equality.represented(shown))
        found[many] = sorted_sets.contains(sorted_sets.unique(known), keys[many])
    return found
