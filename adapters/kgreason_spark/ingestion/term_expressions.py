"""Rules for terms as column expressions: from values of references to dictionary keys, or to the reason why there is
none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as F

from kgreason.rdf.vocabulary import XSD_STRING
from kgreason_mapping.documents.mapping_model import Call, Reference, Text
from kgreason_mapping.plan.tree import (
    BlankNodeTerm,
    CheckedIri,
    ConstantTerm,
    Escape,
    FreshBlankNode,
    Guarded,
    LiteralTerm,
    RowRule,
    Tagged,
    TemplateIri,
    TermRule,
    TextValue,
    Typed,
    TypedByRow,
    Untyped,
    values_in,
)
from kgreason_mapping.quarantine_reasons import EMPTY_VALUE, INVALID_DATATYPE
from kgreason_spark.ingestion.checks import datatype_reason, iri_term, language_reason
from kgreason_spark.ingestion.function_expressions import SEVERAL, result, several_results
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

Resolve: TypeAlias = Callable[[str], Values]
"""Gives the values of a reference in a row."""


@dataclass(frozen=True, slots=True)
class Row:
    """The columns that terms are made over: the references of a source, and its row number."""

    resolve: Resolve
    number: Column


def terms(rule: TermRule, row: Row) -> Terms:
    """The terms that a rule makes of a row.

    Raises:
        MappingError: a reference of it does not exist.
    """
    match rule:
        case ConstantTerm(key):
            return (Term(F.lit(key)),)
        case FreshBlankNode(number):
            return (Term(F.concat(F.lit(f"_:row_x{number}_"), row.number), blank=True),)
        case Guarded():
            return _guarded(rule, row)
        case _:
            return _made(rule, row)


def texts(value: TextValue, row: Row) -> Values:
    """The values of a text."""
    parts = value.parts
    if len(parts) == 1:
        only = parts[0]
        return (Value(F.lit(only)),) if isinstance(only, str) else _value(only, row)
    readings = [_value(one, row) for one in values_in(parts)]
    made = products(readings, lambda chosen: _joined(parts, [one.text for one in chosen], chosen).packed())
    return tuple(many_values(one.column) if one.is_array else packed_value(one.column) for one in made)


def _value(asked: Reference | Call, row: Row) -> Values:
    """The values of a reference, or the results of a call for all combinations of its arguments."""
    if isinstance(asked, Reference):
        return row.resolve(asked.text)
    readings = [texts(TextValue(one), row) for one in asked.arguments]
    function = asked.function
    if function in SEVERAL:
        (single,) = products(readings, lambda chosen: several_results(function, chosen))
        return (many_values(F.flatten(single.column) if single.is_array else single.column),)
    if all(len(one) == 1 and isinstance(one[0], Value) for one in readings):
        return (result(function, [one[0] for one in readings if isinstance(one[0], Value)]),)
    made = products(readings, lambda chosen: result(function, chosen).packed())
    return tuple(many_values(one.column) if one.is_array else packed_value(one.column) for one in made)


def _guarded(rule: Guarded, row: Row) -> Terms:
    """The terms of a rule where one of the texts of the condition is true."""

    def is_true(one: Value | Many[Value]) -> Column:
        if isinstance(one, Value):
            return F.coalesce(one.text == "true", F.lit(False))
        return F.coalesce(F.exists(one.column, lambda each: each["text"] == "true"), F.lit(False))

    holds = reduce(Column.__or__, map(is_true, texts(TextValue(rule.condition), row)))
    return tuple(
        replace(one, key=F.when(holds, one.key), reason=None if one.reason is None else F.when(holds, one.reason))
        if isinstance(one, Term)
        else replace(one, column=F.when(holds, one.column))
        for one in terms(rule.rule, row)
    )


def _made(rule: RowRule, row: Row) -> Terms:
    """The terms of all combinations of the values that a rule refers to."""
    assert not isinstance(rule, FreshBlankNode)
    readings: list[Values] = [_value(one, row) for one in values_in(rule.parts)]
    own = len(readings)
    if isinstance(rule, LiteralTerm):
        match rule.type:
            case Tagged(tag):
                readings.append(texts(TextValue(tag), row))
            case TypedByRow(datatype):
                readings += [_value(one, row) for one in values_in(datatype.parts)]
    make = _maker(rule)
    blank = isinstance(rule, BlankNodeTerm)

    def alternative(chosen: Sequence[Value | Many[Value]]) -> Term | Many[Term]:
        single = [one for one in chosen if isinstance(one, Value)]
        if len(single) == len(chosen):
            return make(single[:own], single[own:])
        (made,) = products([(one,) for one in chosen], lambda each: make(each[:own], each[own:]).packed())
        return many_terms(made.column, blank=blank)

    return tuple(alternative(chosen) for chosen in alternatives(readings))


def _maker(rule: RowRule) -> Callable[[Sequence[Value], Sequence[Value]], Term]:
    """From the values of the text, and those of its language or datatype, to a term."""
    match rule:
        case LiteralTerm():
            return lambda own, others: _literal(rule, own, others)
        case BlankNodeTerm(parts):
            return lambda own, others: _blank(parts, own)
        case TemplateIri() | CheckedIri():
            return lambda own, others: _iri(rule, own)
        case FreshBlankNode():
            raise AssertionError("a fresh blank node has no values")


def _iri(rule: TemplateIri | CheckedIri, values: Sequence[Value]) -> Term:
    reason = first_reason(*(one.reason for one in values), _empty(values))
    if isinstance(rule, TemplateIri):
        encoded = [iri_safe(one.text, only_ascii=rule.escape is Escape.URI) for one in values]
        return Term(_joined(rule.parts, encoded, ()).text, reason)
    made = iri_term(_joined(rule.parts, [one.text for one in values], ()).text, rule.base)
    return Term(made.key, first_reason(reason, made.reason))


def _blank(parts: Text, values: Sequence[Value]) -> Term:
    reason = first_reason(*(one.reason for one in values), _empty(values))
    text = _joined(parts, [one.text for one in values], ()).text
    return Term(F.concat(F.lit("_:"), blank_label(text)), reason, blank=True)


def _literal(rule: LiteralTerm, own: Sequence[Value], others: Sequence[Value]) -> Term:
    is_value = rule.type is not Untyped.STRING and len(rule.parts) == len(own) == 1
    value = own[0] if is_value else _joined(rule.parts, [one.text for one in own], own)
    match rule.type:
        case Tagged(_, is_checked):
            return _tagged(value, others[0], checked=is_checked)
        case Typed(datatype):
            return _typed(value, datatype)
        case TypedByRow(datatype):
            return _typed_by_row(value, _iri(datatype, others))
        case _:
            return Term(literal_key(value.text, value.datatype), value.reason)


def _typed_by_row(value: Value, declared: Term) -> Term:
    reason = first_reason(
        value.reason,
        F.when(declared.reason.isNotNull(), INVALID_DATATYPE) if declared.reason is not None else None,
        datatype_reason(value.text, declared.key),
    )
    suffix = F.when(declared.key == XSD_STRING, F.lit('"')).otherwise(F.concat(F.lit('"^^'), declared.key))
    return Term(F.concat(F.lit('"'), value.text, suffix), reason)


def _typed(value: Value, datatype: str) -> Term:
    key = F.concat(F.lit('"'), value.text, F.lit('"' if datatype == XSD_STRING else f'"^^{datatype}'))
    settled = isinstance(value.datatype, str) and value.datatype == datatype
    checked = None if settled else datatype_reason(value.text, datatype)
    return Term(key, first_reason(value.reason, checked))


def _tagged(value: Value, tag: Value, *, checked: bool) -> Term:
    key = F.concat(F.lit('"'), value.text, F.lit('"@'), tag.text)
    return Term(key, first_reason(value.reason, tag.reason, language_reason(tag.text) if checked else None))


def _joined(parts: Text, texts_of: Sequence[Column], values: Sequence[Value]) -> Value:
    """A text filled with those of its references, in their order; none where one of them is none."""
    remaining = iter(texts_of)
    pieces = [F.lit(part) if isinstance(part, str) else next(remaining) for part in parts]
    reason = first_reason(*(one.reason for one in values))
    return Value(pieces[0] if len(pieces) == 1 else F.concat(*pieces), None, reason)


def _empty(values: Sequence[Value]) -> Column | None:
    if not values:
        return None
    return F.when(reduce(Column.__or__, [one.text == "" for one in values]), EMPTY_VALUE)
