"""The schemes of the catalogue: union, closures, chain, steps, mutual, and representation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kgreason.columns.masks import all_of
from kgreason.errors import SchemeError
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.catalogue import (
    AUTO,
    CHAIN,
    EQUALITY,
    EQUIVALENCE,
    LEFT,
    MUTUAL,
    MUTUAL_OTHERS,
    PLAIN,
    RIGHT,
    STEPS,
    SYMMETRIC,
    TRANSITIVE,
    UNION,
    Catalogue,
    Feed,
    Input,
    Oriented,
    Restriction,
    Scheme,
    present,
)
from kgreason.relations.inverse import InverseTable, inverse_view
from kgreason.relations.plain import empty_table, union_of
from kgreason.relations.steps import StepsScheme
from kgreason.relations.table import Mask, Table
from kgreason.relations.union import UnionTable
from kgreason.relations.unions_of_sets import UnaryUnion

# Tables of closures are imported when a relation first has one: twenty modules, which many processes never use.
if TYPE_CHECKING:
    from kgreason.relations.chain import ChainTable


_DIFFERENT: Final = Restriction(irreflexive=True)
"""What an equality leaves out: pairs of a thing with itself."""


class UnionScheme:
    """Copies and inverse copies: the parts are the inputs themselves."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        parts = present(each.after for each in inputs)
        return UnaryUnion(parts) if parts and parts[0].arity == 1 else UnionTable(parts)


class SymmetricScheme:
    """Inputs, and the inputs the other way round."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        parts = present(each.after for each in inputs)
        return UnionTable([*parts, *(oriented(part, True) for part in parts)])


class TransitiveScheme:
    """The transitive closure of the inputs."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        from kgreason.relations.transitive.closure_table import TransitiveTable

        before = _own(before)
        if not isinstance(before, TransitiveTable):
            return TransitiveTable.of(_edges(inputs))
        return before.changed(*_edge_changes(before.edges, inputs), _only_table(inputs))


@dataclass(frozen=True, slots=True)
class RestrictedScheme:
    """The transitive closure of the inputs, but for the pairs that a restriction leaves out."""

    restriction: Restriction

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        from kgreason.relations.transitive.restricted_closure import RestrictedClosure

        before = _own(before)
        if not isinstance(before, RestrictedClosure) or before.restriction != self.restriction:
            return RestrictedClosure.of(_edges(inputs, self.restriction), self.restriction)
        return before.changed(*_edge_changes(before.edges, inputs, self.restriction))


class EquivalenceScheme:
    """The symmetric and transitive closure of the inputs."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        from kgreason.relations.equivalence import EquivalenceTable

        if not isinstance(before, EquivalenceTable):
            return EquivalenceTable.of(_edges(inputs))
        return before.changed(*_edge_changes(before.edges, inputs))


class EqualityScheme:
    """The symmetric and transitive closure of the inputs, without pairs of a thing with itself but those given."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        from kgreason.relations.equality import EqualityTable

        if not isinstance(before, EqualityTable):
            return EqualityTable.of(_edges(inputs, _DIFFERENT))
        return before.changed(*_edge_changes(before.edges, inputs, _DIFFERENT))


@dataclass(frozen=True, slots=True)
class MutualScheme:
    """What a closure has both ways; of different things alone unless it `has_loops`."""

    has_loops: bool

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        from kgreason.relations.mutual import mutual_pairs

        return mutual_pairs(before, inputs, self.has_loops)


class RepresentedFacts:
    """Facts over the representatives of things that are equal."""

    def over(self, within: Scheme, is_written: bool) -> Scheme:
        from kgreason.relations.representation import RepresentedScheme

        both_ways = isinstance(within, SymmetricScheme)
        return RepresentedScheme(within, is_written, both_ways or isinstance(within, UnionScheme), both_ways)

    def unmoved(self, before: Table, known: Table | None, said: Table | None) -> Table | None:
        from kgreason.relations import representation
        from kgreason.relations.alike import classes_of

        return representation.unmoved(before, classes_of(known), classes_of(said)) if said else None


class ChainScheme:
    """The inputs of the chain itself, continued by the closures of the others. Pairs that are continued by themselves
    alone are a closure: its pairs are counted, and those of a chain written out for that."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        from kgreason.relations.chain import ChainTable

        inner = present(each.after for each in inputs if each.role == CHAIN)
        if not inner:
            return empty_table(2)
        steps = present(each.after for each in inputs if each.role != CHAIN)
        if len(inner) == 1 and not inner[0].is_virtual and steps and all(each is inner[0] for each in steps):
            return self._closed_anew(before, as_binary(inner[0]))
        known = before if isinstance(before, ChainTable) else None
        left, right = (self._closed(known, inputs, role) for role in (LEFT, RIGHT))
        owned = [closure for closure, is_owned in (left, right) if closure is not None and is_owned]
        return ChainTable(joined(inner), left[0], right[0], owned)

    def _closed(self, before: ChainTable | None, inputs: Sequence[Input], role: str) -> tuple[Table | None, bool]:
        """The closure of what continues the chain on one side, and whether it is made for this chain."""
        from kgreason.relations.transitive.closure_table import TransitiveTable

        inputs = [each for each in inputs if each.role == role]
        tables = present(each.after for each in inputs)
        if len(tables) == 1 and tables[0].is_transitive:
            return tables[0], False
        if not tables:
            return None, False
        known = None if before is None else before.left if role == LEFT else before.right
        is_followed = before is not None and any(known is table for table in before.owned)
        if not is_followed or not isinstance(known, TransitiveTable) or any(each.before is None for each in inputs):
            return TransitiveTable.of(_edges(inputs)), True
        return known.changed(*_edge_changes(known.edges, inputs)), True

    def _closed_anew(self, before: Table | None, edges: BinaryTable) -> Table:
        """The closure of edges, from an earlier one if there is one."""
        from kgreason.relations.transitive.closure_table import TransitiveTable

        known = before if isinstance(before, TransitiveTable) else TransitiveTable.of(edges)
        return known.changed(edges.difference(known.edges), known.edges.difference(edges))


def _own(before: Table | None) -> Table | None:
    """A closure by itself where another one is turned round: a scheme goes on from its own kind of table."""
    return before.base.inverse() if isinstance(before, InverseTable) else before


def joined(tables: Sequence[Table]) -> Table:
    """Several tables as one, written out if all of them are."""
    return UnionTable(tables) if any(table.is_virtual for table in tables) else union_of(tables)


def standard_catalogue(schemes: str | Catalogue = AUTO) -> Catalogue:
    """The schemes of kgreason, chosen from the program (AUTO) or not used (PLAIN); a catalogue is itself."""
    if isinstance(schemes, Catalogue):
        return schemes
    known: dict[str, Scheme] = {
        UNION: UnionScheme(),
        SYMMETRIC: SymmetricScheme(),
        TRANSITIVE: TransitiveScheme(),
        EQUIVALENCE: EquivalenceScheme(),
        EQUALITY: EqualityScheme(),
        CHAIN: ChainScheme(),
        STEPS: StepsScheme(),
        MUTUAL: MutualScheme(has_loops=True),
        MUTUAL_OTHERS: MutualScheme(has_loops=False),
    }
    if schemes not in (AUTO, PLAIN):
        raise SchemeError(f"schemes must be {AUTO!r}, {PLAIN!r} or a Catalogue, not {schemes!r}", "schemes", schemes)
    return Catalogue(known, schemes, representation=RepresentedFacts(), restricted=RestrictedScheme)


def oriented(table: Table, inverse: bool) -> Table:
    """A table as it is, or the other way round without writing a virtual one out."""
    if not inverse or table.arity == 1:
        return table
    return inverse_view(table)


def turned(table: Table | None, which: Oriented) -> Table | None:
    """The table of a relation, if there is one, in the orientation of the first member of its definition."""
    return oriented(table, which.inverse) if table is not None else None


def fed(table: Table | None, feed: Feed, literals: Callable[[], Mask]) -> Table | None:
    """Those of the pairs of a plain table, in the orientation of the first member, that a feed lets through: O(pairs);
    `literals` says of each id whether it is one."""
    if not table or not (feed.apart or feed.not_first or feed.not_last or feed.resources):
        return table
    subjects, objects = table.columns()
    kept = ~(np.isin(subjects, feed.not_first) | np.isin(objects, feed.not_last))
    if feed.apart:
        kept &= subjects != objects
    if feed.resources:
        kept &= ~literals()[subjects]
    return table if all_of(kept) else table.filter(kept) or None


def _edges(inputs: Sequence[Input], restriction: Restriction | None = None) -> BinaryTable:
    tables = present(each.after for each in inputs)
    found = [edges for table in tables for edges in _generators(table, restriction)]
    return as_binary(union_of(found or [empty_table(2)]))


def _edge_changes(
    edges: BinaryTable, inputs: Sequence[Input], restriction: Restriction | None = None
) -> tuple[BinaryTable, BinaryTable]:
    """The edges that come and those that go, given those that there were."""
    changed = [each for each in inputs if each.before is not each.after]
    if any(table.is_virtual for each in changed for table in present([each.before, each.after])):
        # Its edges may have been others for some time, since nothing is derived while its pairs are the same.
        now = _edges(inputs, restriction)
        return now.difference(edges), edges.difference(now)
    came = [empty_table(2), *present(each.added for each in changed)]
    gone = [empty_table(2), *present(each.removed for each in changed)]
    added = as_binary(union_of(came)).difference(edges)
    removed = as_binary(union_of(gone)).intersection(edges)
    for table in present(each.after for each in inputs) if len(removed) else ():
        # By its pairs, since a closure may have had the edge when it was read, and others that lead there since then.
        removed = removed.filter(~table.contains(removed.columns()))
    return added, removed


def _only_table(inputs: Sequence[Input]) -> BinaryTable | None:
    """The edges after a change, where they are the pairs of one plain table, so that they are not held twice."""
    tables = present(each.after for each in inputs)
    return tables[0] if len(tables) == 1 and isinstance(tables[0], BinaryTable) else None


def _generators(table: Table | None, restriction: Restriction | None) -> Iterator[BinaryTable]:
    """Edges that close to the pairs of a table; with those of its pairs that a closure of a restriction has only where
    an edge gives them."""
    if not table:
        return
    generators = [*table.generators()]
    yield from map(as_binary, generators)
    if restriction is not None and not any(generator is table for generator in generators):
        from kgreason.relations.transitive.restricted_pairs import restricted_pairs

        yield restricted_pairs(table, restriction)
