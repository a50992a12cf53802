"""Relations as integers, so that rules and their parameters fit in columns.

A class is the unary relation of its members, a property the binary relation of its triples; both carry the id
of their IRI. Auxiliary relations, of any arity, are numbered by the code that makes them.
"""

from __future__ import annotations

from typing import Final

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
