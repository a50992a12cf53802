"""Relations as integers, so that rules and their parameters fit in columns.

A class is the unary relation of its members, a property the binary relation of its triples; both carry the id
of their IRI. Auxiliary relations, of any arity, are numbered by whoever makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from pyroaring import BitMap

from kgreason.schemes.binary import BinaryTable, as_binary
from kgreason.schemes.scheme import Columns, Table
from kgreason.schemes.unary import UnaryTable, as_unary
from kgreason.schemes.wide import WideTable, as_wide

AUXILIARY: Final = 0
CLASS: Final = 1
PROPERTY: Final = 2
_KIND_BITS = 2


def class_code(identifier: int) -> int:
    """The unary relation of the members of a class."""
    return identifier << _KIND_BITS | CLASS


def property_code(identifier: int) -> int:
    """The binary relation of the triples of a property."""
    return identifier << _KIND_BITS | PROPERTY


def auxiliary_code(number: int) -> int:
    """The auxiliary relation of a number."""
    return number << _KIND_BITS | AUXILIARY


def kind_of(code: int) -> int:
    """CLASS, PROPERTY or AUXILIARY."""
    return code & 3


def identifier_of(code: int) -> int:
    """The id of the class or property, or the number of the auxiliary relation."""
    return code >> _KIND_BITS


def empty_table(arity: int) -> Table:
    """A plain table without facts."""
    if arity == 1:
        return UnaryTable(BitMap())
    if arity == 2:
        return BinaryTable(np.empty(0, dtype=np.uint64))
    return WideTable(arity, np.empty(0, dtype=f"S{4 * arity}"))


def table_of(columns: Columns) -> Table:
    """A plain table of the rows of the columns, in any order and with duplicates."""
    if len(columns) == 1:
        return UnaryTable.of(columns)
    return BinaryTable.of(columns) if len(columns) == 2 else WideTable.of(columns)


def union_of(tables: Sequence[Table]) -> Table:
    """The union of one table or more of the same arity, plain."""
    if len(tables) == 1:
        return tables[0].plain()
    arity = tables[0].arity
    if arity == 1:
        return UnaryTable.union_all([as_unary(table) for table in tables])
    if arity == 2:
        return BinaryTable.union_all([as_binary(table) for table in tables])
    return WideTable.union_all([as_wide(table) for table in tables])
