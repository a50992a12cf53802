"""Casts: the constructor functions of XML Schema's datatypes (SPARQL 1.1, section 17.5)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from kgreason.errors import FunctionError
from kgreason.rdf.literal_values import STRING_TYPES, Float, NoValueError, Value, datatype_of, value_of
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.moments import midnight_begun
from kgreason.rdf.numbers import boolean_literal, is_number, number_literal, plain_number, shortest
from kgreason.rdf.times import MOMENT_TYPES
from kgreason.rdf.vocabulary import XSD, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT, XSD_INTEGER, XSD_STRING

# What XPath writes without an exponent.
_SMALL, _LARGE = 1e-6, 1e6
_CLOCK: Final = re.compile(r"T\d\d:\d\d:\d\d(\.\d+)?")


def cast(term: Term, datatype: str) -> Literal:
    """The literal of a datatype that stands for the same as a term; FunctionError where there is none."""
    if datatype == XSD_STRING and isinstance(term, IRI):
        return Literal(term.value, XSD_STRING)
    if not isinstance(term, Literal) or term.language is not None:
        raise FunctionError(f"{term} cannot be cast")
    if datatype_of(term) in STRING_TYPES:
        text = term.lexical if datatype == XSD_STRING else term.lexical.strip(" \t\n\r")
        return _from_text(text, datatype)
    try:
        value = value_of(term)
    except NoValueError as error:
        if datatype == XSD_STRING:
            return Literal(term.lexical, XSD_STRING)  # nothing better is known of it
        raise FunctionError(str(error)) from error
    if datatype == XSD_STRING:
        return Literal(_canonical(term.lexical, value), XSD_STRING)
    if datatype in MOMENT_TYPES:
        return _moment(term, datatype)
    if not (isinstance(value, bool) or is_number(value)):
        raise FunctionError(f"{term} cannot be cast to {datatype}")
    return _number(value, datatype)


def _canonical(lexical: str, value: Value) -> str:
    """How XPath writes a boolean or a number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not is_number(value):
        return lexical
    if not isinstance(value, Float):
        return f"{value:f}" if isinstance(value, Decimal) else str(value)
    number = value.number
    if math.isfinite(number) and (number == 0 or _SMALL <= abs(number) < _LARGE):
        plain = format(Decimal(repr(shortest(value))), "f")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    return number_literal(number, XSD + value.datatype).lexical


def _from_text(text: str, datatype: str) -> Literal:
    made = Literal(text, datatype)
    try:
        value = value_of(made)
    except NoValueError as error:
        raise FunctionError(f"{text!r} cannot be cast to {datatype}") from error
    return boolean_literal(value) if isinstance(value, bool) else made


def _moment(term: Literal, datatype: str) -> Literal:
    """Between dates and times: a part of a dateTime, or a date at midnight."""
    source, wanted = datatype_of(term)[len(XSD) :], datatype[len(XSD) :]
    text = midnight_begun(term.lexical)
    if source == wanted:
        return term
    if source == "dateTime" and wanted == "date":
        return Literal(_CLOCK.sub("", text), datatype)
    if source == "dateTime" and wanted == "time":
        return Literal(text.partition("T")[2], datatype)
    if source == "date" and wanted == "dateTime":
        day = re.match(r"-?\d+-\d\d-\d\d", text)
        if day is not None:
            return Literal(f"{day.group()}T00:00:00{text[day.end() :]}", datatype)
    raise FunctionError(f"{term} cannot be cast to {datatype}")


def _number(value: Value, datatype: str) -> Literal:
    number = int(value) if isinstance(value, bool) else plain_number(value)
    if datatype == XSD_BOOLEAN:
        return boolean_literal(number != 0 and not (isinstance(number, float) and math.isnan(number)))
    if datatype in (XSD_INTEGER, XSD_DECIMAL) and isinstance(number, float) and not math.isfinite(number):
        raise FunctionError(f"{number} cannot be cast to {datatype}")
    match datatype:
        case _ if datatype == XSD_INTEGER:
            return number_literal(int(number), datatype)
        case _ if datatype == XSD_DECIMAL:
            return number_literal(Decimal(repr(number)) if isinstance(number, float) else number, datatype)
        case _ if datatype in (XSD_FLOAT, XSD_DOUBLE):
            return number_literal(number, datatype)
    return _from_text(str(number), datatype)


def _caster(datatype: str) -> Callable[[Term], Term]:
    return lambda term: cast(term, datatype)


CAST_TYPES: Final = tuple(
    XSD + name for name in ("string", "boolean", "integer", "decimal", "float", "double", "dateTime", "date", "time")
)
CASTS: Final[dict[str, Callable[[Term], Term]]] = {datatype: _caster(datatype) for datatype in CAST_TYPES}
"""The casts by their datatypes."""
