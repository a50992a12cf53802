"""Closures made outside of a scheme: for a query, or from labels that were written elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from kgreason.columns.graphs import Numbers
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.given_labels import GivenLabels
from kgreason.relations.plain import empty_table, union_of
from kgreason.relations.table import Columns, Ids, Table
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.given_closure import closure_of


def transitive_closure(tables: Iterable[Table]) -> Table:
    """The transitive closure of the pairs of some tables, as labels: one sort of the edges, and closing them."""
    return TransitiveTable.of(as_binary(union_of([empty_table(2), *tables])))


def given_closure(edges: Columns, labels: GivenLabels, inverse_labels: GivenLabels | None) -> Table:
    """The transitive closure of edges by its labels, and by those of the inverse edges where they are there.

    Raises:
        LabelsError: they are not those of a closure, or of a closure of other edges.
    """
    pairs = BinaryTable.of(edges)
    mirror = None if inverse_labels is None else closure_of(pairs.inverse(), inverse_labels)
    return TransitiveTable.given(closure_of(pairs, labels), mirror)


def given_equivalence(edges: Columns, members: Ids, components: Numbers) -> Table:
    """The symmetric and transitive closure of edges by its components: each member with the number of its own.

    Raises:
        LabelsError: they are not those of the edges.
    """
    return EquivalenceTable.given(BinaryTable.of(edges), members, components)
