"""Rules for terms, translated to columns of terms: each rule once for a batch of rows."""

from __future__ import annotations

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
)
from kgreason_mapping.arrow.escapes import blank_labels, escaped_for_iri, mask_of_empty
from kgreason_mapping.arrow.natural import canonical_texts
from kgreason_mapping.arrow.row_batches import RowBatch
from kgreason_mapping.arrow.term_columns import TermColumn
from kgreason_mapping.arrow.text_checks import checked_iris, datatype_reason, language_reason
from kgreason_mapping.documents.mapping_model import Reference
from kgreason_mapping.plan.tree import (
    BlankNodeTerm,
    CheckedIri,
    ConstantTerm,
    FreshBlankNode,
    LiteralTerm,
    Parts,
    Tagged,
    TemplateIri,
    TermRule,
    TextValue,
    Typed,
    TypedByRow,
    Untyped,
    references_in,
)
from kgreason_mapping.quarantine_reasons import EMPTY_VALUE, INVALID_DATATYPE


class BatchTerms:
    """The terms of a batch, made when they are first asked for; `label` tells its rows from those of other batches."""

    def __init__(self, rows: RowBatch, label: str) -> None:
        self.rows = rows
        self._label = label
        self._values: dict[str, ValueColumn] = {}
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
        if len(parts) == 1 and isinstance(parts[0], Reference):
            return self.value(parts[0].text)
        rows, own = self._combined(parts)
        length = self.rows.length if rows is None else len(rows)
        return ValueColumn(_filled(parts, own, length), rows, None, _problem(own))

    def value(self, reference: str) -> ValueColumn:
        """The values of a reference."""
        known = self._values.get(reference)
        if known is None:
            known = self._values[reference] = self.rows.values(reference)
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
            case TemplateIri() | CheckedIri():
                rows, own = self._combined(rule.parts)
                return _iri(rule, own, rows, self.rows.length)
            case BlankNodeTerm(parts):
                rows, own = self._combined(parts)
                length = self.rows.length if rows is None else len(rows)
                labels = blank_labels(_filled(parts, own, length))
                reason = first_reason(_problem(own), _empty(own))
                return TermColumn(BLANK_KIND, (labels,), length, rows, reason=reason)

    def _combined(self, *several: Parts) -> tuple[Rows | None, list[ValueColumn]]:
        """All combinations of the values of texts."""
        readings = [self.value(one.text) for parts in several for one in references_in(parts)]
        rows, positions = combinations([one.rows for one in readings])
        return rows, [one.at(at) for one, at in zip(readings, positions, strict=True)]

    def _literal(self, rule: LiteralTerm) -> TermColumn:
        own = len(references_in(rule.parts))
        others: Parts = ()
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
    texts: pa.Array, tag: Parts, others: list[ValueColumn], problem: Any, is_checked: bool, rows: Rows | None
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


def _filled(parts: Parts, own: list[ValueColumn], length: int) -> pa.Array:
    """A text filled with the values of its references, in their order."""
    values = iter(own)
    return joined([part if isinstance(part, str) else next(values).texts for part in parts], length)


def _problem(own: list[ValueColumn]) -> pa.Array | None:
    return first_reason(*(one.problem for one in own))


def _empty(own: list[ValueColumn]) -> pa.Array | None:
    if not own:
        return None
    return reason_where(reduce(pc.or_kleene, [mask_of_empty(one.texts) for one in own]), EMPTY_VALUE)
