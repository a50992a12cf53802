"""How tables are read back from files, by the name under which they are written (`Table.stored_as`)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from kgreason.relations.binary import BinaryTable
from kgreason.relations.chain import ChainTable
from kgreason.relations.equality import EqualityTable
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.inverse import InverseTable
from kgreason.relations.mutual import MutualPairs
from kgreason.relations.represented import RepresentedTable
from kgreason.relations.represented_sets import RepresentedSet
from kgreason.relations.stored import ReadTable
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.restricted_closure import RestrictedClosure
from kgreason.relations.unary import UnaryTable
from kgreason.relations.union import UnionTable
from kgreason.relations.unions_of_sets import UnaryUnion
from kgreason.relations.wide import WideTable

TABLE_READERS: Final[Mapping[str, ReadTable]] = MappingProxyType(
    {
        UnaryTable.stored_as: ReadTable(1, UnaryTable.read),
        BinaryTable.stored_as: ReadTable(3, BinaryTable.read),
        WideTable.stored_as: ReadTable(2, WideTable.read),
        EquivalenceTable.stored_as: ReadTable(3, EquivalenceTable.read),
        EqualityTable.stored_as: ReadTable(2, EqualityTable.read),
        RepresentedTable.stored_as: ReadTable(3, RepresentedTable.read),
        RepresentedSet.stored_as: ReadTable(2, RepresentedSet.read),
        TransitiveTable.stored_as: ReadTable(4, TransitiveTable.read),
        RestrictedClosure.stored_as: ReadTable(4, RestrictedClosure.read),
        InverseTable.stored_as: ReadTable(1, InverseTable.read),
        UnionTable.stored_as: ReadTable(1, UnionTable.read),
        UnaryUnion.stored_as: ReadTable(1, UnaryUnion.read),
        ChainTable.stored_as: ReadTable(4, ChainTable.read),
        MutualPairs.stored_as: ReadTable(3, MutualPairs.read),
    }
)
