"""What literals are worth to the operators of SPARQL: the class that an operator looks at, and the exact value.

The classes are the rows and columns of the operator table (SPARQL 1.1, section 17.3): numbers come in the order of
their promotion, and moments apart by whether they have a time zone.
"""

from __future__ import annotations

import math
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any, Final, TypeAlias

from kgreason.rdf.literal_values import INTEGER_TYPES, KNOWN_TYPES, STRING_TYPES, Float, NoValueError, value_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.moments import Moment
from kgreason.rdf.numbers import double
from kgreason.rdf.vocabulary import RDF, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT


class ValueClass(IntEnum):
    """The class of a term for operators."""

    UNSEEN = 0
    """Not computed yet."""
    NOTHING = 1
    """Unbound, or an error."""
    IRI = 2
    BLANK = 3
    INTEGER = 4
    DECIMAL = 5
    FLOAT = 6
    DOUBLE = 7
    BOOLEAN = 8
    STRING = 9
    """A string without a language, which is an xsd:string."""
    DERIVED = 10
    """A string of a derived type, such as xsd:token."""
    TAGGED = 11
    """A string in a language."""
    DATETIME = 12
    DATETIME_ZONED = 13
    DATE = 14
    DATE_ZONED = 15
    TIME = 16
    TIME_ZONED = 17
    OTHER = 18
    """A value of another known datatype: binary data, XML, a duration, a year, ..."""
    ILL_NUMBER = 19
    """A number or boolean that its datatype does not allow."""
    ILL_TEXT = 20
    """A string of a derived type that does not allow it."""
    ILL = 21
    """Any other literal that its known datatype does not allow."""
    OPAQUE = 22
    """A literal of an unknown datatype."""
    TRIPLE = 23
    """A triple term."""


Exact: TypeAlias = Any
"""int, Decimal, float, bool or str, microseconds for a dateTime, date or time, the term itself for a triple term,
otherwise what `value_of` gives; None without a value."""

NUMBERS: Final = (ValueClass.INTEGER, ValueClass.DECIMAL, ValueClass.FLOAT, ValueClass.DOUBLE)
STRINGS: Final = (ValueClass.STRING, ValueClass.DERIVED, ValueClass.TAGGED)
_TRUTH_TYPES: Final = INTEGER_TYPES | {XSD_BOOLEAN, XSD_DECIMAL, XSD_FLOAT, XSD_DOUBLE}
_MOMENTS: Final = {
    "dateTime": (ValueClass.DATETIME, ValueClass.DATETIME_ZONED),
    "date": (ValueClass.DATE, ValueClass.DATE_ZONED),
    "time": (ValueClass.TIME, ValueClass.TIME_ZONED),
}
"""Without and with a time zone."""
# Not a datatype of RDF 1.1 any more: its lexical form is not the text.
_PLAIN_LITERAL: Final = RDF + "PlainLiteral"
_SHORT_DIGITS: Final = 15
_TINY: Final = 5e-324


def classified(term: Term) -> tuple[ValueClass, Exact]:
    """The class of a term and its exact value."""
    if isinstance(term, IRI):
        return ValueClass.IRI, None
    if isinstance(term, BlankNode):
        return ValueClass.BLANK, None
    if isinstance(term, TripleTerm):
        return ValueClass.TRIPLE, term
    if term.language is not None:
        return ValueClass.TAGGED, term.lexical
    if term.datatype is None:
        return ValueClass.STRING, term.lexical
    if term.datatype not in KNOWN_TYPES or term.datatype == _PLAIN_LITERAL:
        return ValueClass.OPAQUE, None
    return _classified_value(term)


def _classified_value(term: Literal) -> tuple[ValueClass, Exact]:
    """The class of a literal of a known datatype, and its exact value."""
    try:
        value = value_of(term)
    except NoValueError:
        ill_text = ValueClass.ILL_TEXT if term.datatype in STRING_TYPES else ValueClass.ILL
        return ValueClass.ILL_NUMBER if term.datatype in _TRUTH_TYPES else ill_text, None
    match value:
        case Moment(kind, microseconds, zone) if kind in _MOMENTS:
            return _MOMENTS[kind][zone is not None], microseconds
        case bool():
            return ValueClass.BOOLEAN, value
        case int() | Decimal():
            return ValueClass.DECIMAL if term.datatype == XSD_DECIMAL else ValueClass.INTEGER, value
        case Float(number, name):
            return ValueClass.FLOAT if name == "float" else ValueClass.DOUBLE, number
        case str():
            return ValueClass.DERIVED, value
    return ValueClass.OTHER, value


def approximated(value_class: ValueClass, value: Exact) -> tuple[float, bool]:
    """A float for the value, and whether the float, with the class, determines it.

    Numbers and moments in their order; 1.0 and 0.0 for a boolean, or for a string that is or is not empty. A decimal
    of up to 15 significant digits is determined by its float, since no two of them have the same.
    """
    if value_class in STRINGS:
        return float(bool(value)), False
    if not isinstance(value, int | Decimal | float | Fraction):
        return 0.0, False
    number = double(value)
    if math.isinf(number) and not isinstance(value, float):
        return number, False
    if number == 0 and value != 0:
        return math.copysign(_TINY, value), False
    if isinstance(value, Decimal):
        return number, len(value.as_tuple().digits) <= _SHORT_DIGITS and abs(number) < 10**_SHORT_DIGITS
    return number, isinstance(value, float) or number == value
