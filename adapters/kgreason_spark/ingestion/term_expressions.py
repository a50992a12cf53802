"""Term maps as column expressions: from values of references to dictionary keys, or to the reason why there is none.

What a template or a constant settles for every row is settled here, once, and not checked again for each row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as F

from kgreason.errors import MappingError
from kgreason.rdf.vocabulary import RDF_LANG_STRING, XSD_STRING
from kgreason_mapping.documents.mapping_model import Constant, Expression, Fresh, Reference, Template, TermMap, TermType
from kgreason_mapping.quarantine_reasons import EMPTY_VALUE, INVALID_DATATYPE
from kgreason_mapping.syntax import ABSOLUTE_IRI, REST_OF_IRI
from kgreason_spark.ingestion.checks import datatype_reason, iri_term, language_reason
from kgreason_spark.ingestion.natural import literal_key
from kgreason_spark.ingestion.percent_encoding import blank_label, iri_safe
from kgreason_spark.ingestion.reference_values import (
    Many,
    Term,
    Terms,
    Value,
    Values,
    alternatives,
    first_reason,
    many_terms,
    many_values,
    packed_value,
    products,
)

_ENCODED: Final = frozenset({TermType.IRI, TermType.URI})


Resolve: TypeAlias = Callable[[str], Values]
"""Gives the values of a reference in a row."""


@dataclass(frozen=True, slots=True)
class Row:
    """The columns that term maps are made over: the references of a source, its row number, and the base of relative
    IRIs."""

    resolve: Resolve
    number: Column
    base: str | None


def constant_term(key: str) -> Terms:
    """The same term for every row."""
    return (Term(F.lit(key)),)


def terms(term_map: TermMap, row: Row) -> Terms:
    """The terms that a term map makes of a row.

    Raises:
        MappingError: it can only make terms that RDF does not allow, or a reference of it does not exist.
    """
    expression = term_map.expression
    match expression:
        case Constant(key):
            return constant_term(key)
        case Fresh(number):
            return (Term(F.concat(F.lit(f"_:row_x{number}_"), row.number), blank=True),)
        case Reference() | Template():
            return _made(term_map, expression, row)


def texts(expression: Expression, row: Row) -> Values:
    """The values of an expression as text: for languages and for the conditions of joins."""
    match expression:
        case Constant(key):
            return (Value(F.lit(key[1 : key.rindex('"')] if key.startswith('"') else key)),)
        case Reference(text):
            return row.resolve(text)
        case Template(parts):
            readings = [row.resolve(one.text) for one in parts if isinstance(one, Reference)]
            made = products(readings, lambda chosen: _joined(parts, [one.text for one in chosen], chosen).packed())
            return tuple(many_values(one.column) if one.is_array else packed_value(one.column) for one in made)
        case Fresh():
            raise MappingError("a blank node is not text")


def _made(term_map: TermMap, expression: Reference | Template, row: Row) -> Terms:
    """The terms of all combinations of the values that the term map refers to."""
    references = [expression] if isinstance(expression, Reference) else _references(expression)
    readings: list[Values] = [row.resolve(one.text) for one in references]
    own = len(readings)
    if term_map.language is not None:
        readings.append(texts(term_map.language, row))
    datatypes: list[Reference] = []
    if term_map.datatype is not None:
        datatypes = _references(term_map.datatype.expression)
        readings += [row.resolve(one.text) for one in datatypes]
    make = _maker(term_map, expression, row)
    blank = term_map.term_type is TermType.BLANK_NODE

    def alternative(chosen: Sequence[Value | Many[Value]]) -> Term | Many[Term]:
        single = [one for one in chosen if isinstance(one, Value)]
        if len(single) == len(chosen):
            return make(single[:own], single[own:])
        (made,) = products([(one,) for one in chosen], lambda each: make(each[:own], each[own:]).packed())
        return many_terms(made.column, blank=blank)

    return tuple(alternative(chosen) for chosen in alternatives(readings))


def _maker(
    term_map: TermMap, expression: Reference | Template, row: Row
) -> Callable[[Sequence[Value], Sequence[Value]], Term]:
    """From the values of the expression, and those of its language or datatype, to a term."""
    match term_map.term_type:
        case TermType.LITERAL:
            return lambda own, others: _literal(term_map, expression, own, others, row)
        case TermType.BLANK_NODE:
            return lambda own, others: _blank(expression, own)
        case _:
            return lambda own, others: _iri(expression, own, term_map.term_type, row.base)


def _iri(expression: Reference | Template, values: Sequence[Value], kind: TermType, base: str | None) -> Term:
    reason = first_reason(*(one.reason for one in values), _empty(values))
    if isinstance(expression, Template) and kind in _ENCODED:
        prefix = _settled_base(expression, base)
        only_ascii = kind is TermType.URI
        encoded = [iri_safe(one.text, only_ascii=only_ascii) for one in values]
        return Term(_joined((prefix, *expression.parts), encoded, ()).text, reason)
    parts = expression.parts if isinstance(expression, Template) else (expression,)
    made = iri_term(_joined(parts, [one.text for one in values], ()).text, base)
    return Term(made.key, first_reason(reason, made.reason))


def _settled_base(template: Template, base: str | None) -> str:
    """The prefix of all IRIs of a template whose values are encoded: they are valid for all rows or for none."""
    shape = "".join(part if isinstance(part, str) else "x" for part in template.parts)
    starts_open = not isinstance(template.parts[0], str)
    if not starts_open and re.match(ABSOLUTE_IRI, shape):
        return ""
    if base is None and re.match(REST_OF_IRI, shape):
        raise MappingError(f"the template {_written(template)!r} makes relative IRIs, and there is no base IRI")
    if base is None or not re.match(ABSOLUTE_IRI, base + shape):
        raise MappingError(f"the template {_written(template)!r} makes no valid IRIs")
    return base


def _blank(expression: Reference | Template, values: Sequence[Value]) -> Term:
    parts = expression.parts if isinstance(expression, Template) else (expression,)
    reason = first_reason(*(one.reason for one in values), _empty(values))
    text = _joined(parts, [one.text for one in values], ()).text
    return Term(F.concat(F.lit("_:"), blank_label(text)), reason, blank=True)


def _literal(
    term_map: TermMap, expression: Expression, own: Sequence[Value], others: Sequence[Value], row: Row
) -> Term:
    value = _joined(expression.parts, [one.text for one in own], own) if isinstance(expression, Template) else own[0]
    if term_map.language is not None:
        return _tagged(value, others[0], checked=not isinstance(term_map.language, Constant))
    if term_map.datatype is None:
        return Term(literal_key(value.text, value.datatype), value.reason)
    if isinstance(term_map.datatype.expression, Constant):
        return _typed(value, term_map.datatype.expression.key)
    assert isinstance(term_map.datatype.expression, Reference | Template)
    declared = _iri(term_map.datatype.expression, others, term_map.datatype.term_type, row.base)
    reason = first_reason(
        value.reason,
        F.when(declared.reason.isNotNull(), INVALID_DATATYPE) if declared.reason is not None else None,
        datatype_reason(value.text, declared.key),
    )
    suffix = F.when(declared.key == XSD_STRING, F.lit('"')).otherwise(F.concat(F.lit('"^^'), declared.key))
    return Term(F.concat(F.lit('"'), value.text, suffix), reason)


def _typed(value: Value, datatype: str) -> Term:
    if datatype == RDF_LANG_STRING:
        raise MappingError("literals of rdf:langString need a language")
    key = F.concat(F.lit('"'), value.text, F.lit('"' if datatype == XSD_STRING else f'"^^{datatype}'))
    settled = isinstance(value.datatype, str) and value.datatype == datatype
    checked = None if settled else datatype_reason(value.text, datatype)
    return Term(key, first_reason(value.reason, checked))


def _tagged(value: Value, tag: Value, *, checked: bool) -> Term:
    key = F.concat(F.lit('"'), value.text, F.lit('"@'), tag.text)
    return Term(key, first_reason(value.reason, tag.reason, language_reason(tag.text) if checked else None))


def _joined(parts: Sequence[str | Reference], texts_of: Sequence[Column], values: Sequence[Value]) -> Value:
    """A template filled with texts, in the order of its references; none where one of them is none."""
    remaining = iter(texts_of)
    pieces = [next(remaining) if isinstance(part, Reference) else F.lit(part) for part in parts if part != ""]
    reason = first_reason(*(one.reason for one in values))
    return Value(pieces[0] if len(pieces) == 1 else F.concat(*pieces), None, reason)


def _empty(values: Sequence[Value]) -> Column | None:
    if not values:
        return None
    return F.when(reduce(Column.__or__, [one.text == "" for one in values]), EMPTY_VALUE)


def _references(expression: Expression) -> list[Reference]:
    match expression:
        case Reference():
            return [expression]
        case Template(parts):
            return [part for part in parts if isinstance(part, Reference)]
        case _:
            return []


def _written(template: Template) -> str:
    return "".join(part if isinstance(part, str) else f"{{{part.text}}}" for part in template.parts)
