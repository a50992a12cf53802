"""Rules that pair the members of groups which a relation of pairs leads to, by the pairs between the ends of groups
that share the rest of their names.

``R(x, u), P(x, p), E(u, v), R(y, v), P(y, p) -> S(x, y)``, as that of restrictions by one property on a class and on
one above it, needs the pairs of E between classes of one property alone. Where E is virtual, these are few of all, and
few of those between any classes of restrictions: each property asks for the pairs between its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgreason import tuning
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.row_keys import keys_of, numbered
from kgreason.checkpoints import passes
from kgreason.columns import pairs, sorted_sets
from kgreason.engine import rule_tuning
from kgreason.engine.rules.rings import Bridge
from kgreason.relations.plain import table_of
from kgreason.relations.table import NO_IDS, Columns, Ids, Table


def between_groups(bridge: Bridge, rows: Bindings[int], table: Table) -> Table | None:
    """The facts of a table of pairs that lead from a group to one with the same name but for the end of the bridge.

    None where they are more than `rule_tuning.NARROWED`. Cost: a sort of the rows, and for each name what
    `Table.between` asks for the ends of its groups.

    Args:
        rows: the members of the groups, with these.
    """
    found: list[Columns] = [(NO_IDS, NO_IDS)]
    count = 0
    for columns in _pieces(_ends_by_name(bridge, rows), table):
        count += len(columns[0])
        if count > rule_tuning.NARROWED:
            return None
        found.append(columns)
    subjects, objects = map(np.concatenate, zip(*found, strict=True))
    return table_of((subjects, objects))


def _ends_by_name(bridge: Bridge, rows: Bindings[int]) -> pairs.Keys:
    """The distinct ends of the groups by what else names them: sorted keys of the number of a name and an end."""
    others = [rows.columns[name] for name in bridge.clique.group if name != bridge.end]
    _, names = numbered(keys_of(others, rows.length))
    return sorted_sets.unique(pairs.pack(names.astype(np.uint32), rows.columns[bridge.end]))


def _pieces(keys: pairs.Keys, table: Table) -> Iterator[Columns]:
    """The pairs between ends of one name: of names with few ends those of several at once."""
    ends, begin = pairs.objects(keys), pairs.run_begins(keys)
    end = np.append(begin[1:], len(keys))
    lengths = end - begin
    is_few = lengths <= rule_tuning.GROUPED_FEW
    few = np.flatnonzero(is_few)
    for first, last in pairs.runs_within(np.square(lengths[few]), tuning.JOIN_ROWS):
        yield _among_few(begin[few[first:last]], lengths[few[first:last]], ends, table)
    for number in passes(np.flatnonzero(~is_few).tolist(), 64):
        some = ends[begin[number] : end[number]]
        yield table.between(some, some)


def _among_few(begin: pairs.Positions, lengths: pairs.Positions, ends: Ids, table: Table) -> Columns:
    """The pairs within some runs of ends: each pair is looked for."""
    subjects = pairs.positions_of(begin, begin + lengths)
    of = np.arange(len(begin)).repeat(lengths)
    rows, objects = pairs.spread(begin[of], (begin + lengths)[of])
    columns = ends[subjects[rows]], ends[objects]
    there = table.contains(columns)
    return columns[0][there], columns[1][there]
