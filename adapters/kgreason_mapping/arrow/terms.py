"""Rules for terms, translated to columns of terms: each rule once for a batch of rows."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND
from kgreason_mapping.arrow.columns import (
    Mask,
    Rows,
    ValueColumn,
    combinations,
    first_reason,
    joined,
    mask_of,
    reason_where,
    taken,
)
from kgreason_mapping.arrow.escapes import blank_labels, escaped_for_iri, mask_of_empty
from kgreason_mapping.arrow.function_columns import applied
from kgreason_mapping.arrow.natural import canonical_texts
from kgreason_mapping.arrow.row_batches import RowBatch
from kgreason_mapping.arrow.term_columns import TermColumn
from kgreason_mapping.arrow.text_checks import checked_iris, datatype_reason, language_reason
from kgreason_mapping.documents.functions import datatype_of
from kgreason_mapping.documents.mapping_model import Call, Reference, Text
from kgreason_mapping.plan.tree import (
    BlankNodeTerm,
    CheckedIri,
    ConstantTerm,
    FreshBlankNode,
    Guarded,
    LiteralTerm,
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


class BatchTerms:
    """The terms of a batch, made when they are first asked for; `label` tells its rows from those of other batches."""

    def __init__(self, rows: RowBatch, label: str) -> None:
        self.rows = rows
        self._label = label
        self._values: dict[Reference | Call, ValueColumn] = {}
        self._terms: dict[TermRule, TermColumn] = {}

    def terms(self, rule: TermRule) -> TermColumn:
        """The terms that a rule makes of the rows."""
        known = self._terms.get(rule)
        if known is None:
            known = self._terms[rule] = self._made(rule)
        return known

    def texts(self, value: TextValue) -> ValueColumn:
        """The values of a text."""
        parts = value.parts
        if len(parts) == 1 and not isinstance(parts[0], str):
            return self.value(parts[0])
        rows, own = self._combined(parts)
        length = self.rows.length if rows is None else len(rows)
        return ValueColumn(_filled(parts, own, length), rows, None, _problem(own))

    def value(self, asked: Reference | Call) -> ValueColumn:
        """The values of a reference, or the results of a call."""
        known = self._values.get(asked)
        if known is None:
            known = self.rows.values(asked.text) if isinstance(asked, Reference) else self._result(asked)
            self._values[asked] = known
        return known

    def rows_with(self, rule: TermRule, *, bad_too: bool = False) -> Mask:
        """In which rows a rule makes a good term, with `bad_too` also a bad one."""
        column = self.terms(rule)
        if bad_too:
            mask = mask_of(pc.is_valid(column.keys))
        else:
            mask = np.ones(column.length, dtype=np.bool_) if column.good is None else column.good
        if column.rows is None:
            return mask
        found = np.zeros(self.rows.length, dtype=np.bool_)
        found[column.rows[mask]] = True
        return found

    def _made(self, rule: TermRule) -> TermColumn:
        match rule:
            case ConstantTerm(key):
                return TermColumn.constant(key, self.rows.length)
            case FreshBlankNode(number):
                numbers = pa.array(np.arange(self.rows.length)).cast(pa.string())
                return TermColumn(BLANK_KIND, (f"row_x{number}_{self._label}_", numbers), self.rows.length)
            case LiteralTerm():
                return self._literal(rule)
            case Guarded():
                return self._guarded(rule)
            case TemplateIri() | CheckedIri():
                rows, own = self._combined(rule.parts)
                return _iri(rule, own, rows, self.rows.length)
            case BlankNodeTerm(parts):
                rows, own = self._combined(parts)
                length = self.rows.length if rows is None else len(rows)
                labels = blank_labels(_filled(parts, own, length))
                reason = first_reason(_problem(own), _empty(own))
                return TermColumn(BLANK_KIND, (labels,), length, rows, reason=reason)

    def _result(self, call: Call) -> ValueColumn:
        """What a function makes of all combinations of its arguments."""
        arguments = [self.texts(TextValue(one)) for one in call.arguments]
        rows, positions = combinations([one.rows for one in arguments])
        length = self.rows.length if rows is None else len(rows)
        own = [one.at(at) for one, at in zip(arguments, positions, strict=True)]
        made, reason = applied(call.function, [one.texts for one in own], length)
        reason = first_reason(_problem(own), reason)
        if isinstance(made, pa.ListArray):
            parents = pc.list_parent_indices(made).to_numpy().astype(np.int64)
            rows = parents if rows is None else rows[parents]
            reason = None if reason is None else taken(reason, parents)
            made = pc.list_flatten(made)
        return ValueColumn(made, rows, datatype_of(call.function), reason)

    def _guarded(self, rule: Guarded) -> TermColumn:
        """The terms of rows in which a text of the condition is true."""
        texts = self.texts(TextValue(rule.condition))
        is_true = mask_of(pc.equal(texts.texts, "true"))
        holds = is_true
        if texts.rows is not None:
            holds = np.zeros(self.rows.length, dtype=np.bool_)
            holds[texts.rows[is_true]] = True
        made = self.terms(rule.rule)
        positions = np.flatnonzero(holds if made.rows is None else holds[made.rows])
        return replace(made.at(positions), rows=positions if made.rows is None else made.rows[positions])

    def _combined(self, *several: Text) -> tuple[Rows | None, list[ValueColumn]]:
        """All combinations of the values of texts."""
        readings = [self.value(one) for parts in several for one in values_in(parts)]
        rows, positions = combinations([one.rows for one in readings])
        return rows, [one.at(at) for one, at in zip(readings, positions, strict=True)]

    def _literal(self, rule: LiteralTerm) -> TermColumn:
        own = len(values_in(rule.parts))
        others: Text = ()
        match rule.type:
            case Tagged(tag):
                others = tag
            case TypedByRow(declared):
                others = declared.parts
        rows, found = self._combined(rule.parts, others)
        length = self.rows.length if rows is None else len(rows)
        texts = _filled(rule.parts, found[:own], length)
        natural = found[0].datatype if len(rule.parts) == own == 1 else None
        problem = _problem(found[:own])
        match rule.type:
            case Tagged(tag, is_checked):
                return _tagged(texts, tag, found[own:], problem, is_checked, rows)
            case Typed(datatype):
                checked = None if natural == datatype else datatype_reason(texts, datatype)
                reason = first_reason(problem, checked)
                return TermColumn(LITERAL_KIND, (texts,), length, rows, datatype=datatype, reason=reason)
            case TypedByRow(declared):
                return _typed_by_row(texts, _iri(declared, found[own:], rows, length), problem, rows)
            case Untyped.NATURAL:
                texts = canonical_texts(texts, natural)
                return TermColumn(LITERAL_KIND, (texts,), length, rows, datatype=natural, reason=problem)
            case _:
                return TermColumn(LITERAL_KIND, (texts,), length, rows, reason=problem)


def _iri(rule: TemplateIri | CheckedIri, own: list[ValueColumn], rows: Rows | None, batch: int) -> TermColumn:
    length = batch if rows is None else len(rows)
    reason = first_reason(_problem(own), _empty(own))
    if isinstance(rule, TemplateIri):
        escaped = iter([escaped_for_iri(one.texts, rule.escape) for one in own])
        pieces = tuple(part if isinstance(part, str) else next(escaped) for part in rule.parts)
        return TermColumn(IRI_KIND, pieces, length, rows, reason=reason)
    iris, wrong = checked_iris(_filled(rule.parts, own, length), rule.base)
    return TermColumn(IRI_KIND, (iris,), length, rows, reason=first_reason(reason, wrong))


def _tagged(
    texts: pa.Array, tag: Text, others: list[ValueColumn], problem: Any, is_checked: bool, rows: Rows | None
) -> TermColumn:
    if not is_checked:
        return TermColumn(LITERAL_KIND, (texts,), len(texts), rows, tag="".join(map(str, tag)), reason=problem)
    tags = _filled(tag, others, len(texts))
    reason = first_reason(problem, _problem(others), language_reason(tags))
    return TermColumn(LITERAL_KIND, (texts,), len(texts), rows, tag=tags, reason=reason)


def _typed_by_row(texts: pa.Array, declared: TermColumn, problem: Any, rows: Rows | None) -> TermColumn:
    names = declared.keys
    invalid = None
    if declared.reason is not None:
        invalid = reason_where(pc.is_valid(declared.reason), INVALID_DATATYPE)
    reason = first_reason(problem, invalid, datatype_reason(texts, names))
    # There is no literal without its datatype.
    known = pc.if_else(pc.is_valid(names), texts, pa.scalar(None, pa.string())) if names.null_count else texts
    return TermColumn(LITERAL_KIND, (known,), len(texts), rows, datatype=names, reason=reason)


def _filled(parts: Text, own: list[ValueColumn], length: int) -> pa.Array:
    """A text filled with the values of its references, in their order."""
    values = iter(own)
    return joined([part if isinstance(part, str) else next(values).texts for part in parts], length)


def _problem(own: list[ValueColumn]) -> pa.Array | None:
    return first_reason(*(one.problem for one in own))


def _empty(own: list[ValueColumn]) -> pa.Array | None:
    if not own:
        return None
    return reason_where(reduce(pc.or_kleene, [mask_of_empty(one.texts) for one in own]), EMPTY_VALUE)
