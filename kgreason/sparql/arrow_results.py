"""Solutions as an Arrow table, for people who go on in Arrow, pandas or Polars.

A column whose terms are all of one kind is a column of their values: IRIs and blank nodes as strings, numbers, truth
values, dates and times in Arrow's types, other literals as strings; the field's metadata says what they are (``kind``,
``datatype``, ``language``). Any other column is one of structs that say it for each term. Unbound is null.

A column with more than two gigabytes of text comes in chunks; where its distinct terms have as much, as large strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kgreason import memory
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.checkpoints import checkpoint, passes
from kgreason.columns import bitmaps, pairs
from kgreason.dictionary.arrow_columns import mask_column, mask_of, numbers_of, optional_texts, row_column, text_column
from kgreason.dictionary.literal_suffixes import Suffixes
from kgreason.dictionary.value_forms import values_of_keys
from kgreason.rdf.hashing import TEXT_LIMIT, joined_texts, text_buffers
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, TRIPLE_KIND, kinds_of
from kgreason.rdf.literal_values import INTEGER_TYPES
from kgreason.rdf.value_classes import ValueClass
from kgreason.rdf.vocabulary import XSD
from kgreason.sparql import query_tuning
from kgreason.sparql.put_query import Answer
from kgreason.sparql.solutions import Ids, Solutions

KINDS: Final = {IRI_KIND: "iri", BLANK_KIND: "blank", LITERAL_KIND: "literal", TRIPLE_KIND: "triple"}
MIXED: Final = pa.struct([(name, pa.string()) for name in ("value", "kind", "datatype", "language")])

_TYPES: Final[dict[str, pa.DataType]] = {
    XSD + "double": pa.float64(),
    XSD + "float": pa.float32(),
    XSD + "boolean": pa.bool_(),
    XSD + "date": pa.date32(),
}
_FLOATS: Final = (XSD + "double", XSD + "float")
_FIRST_MOMENT: Final = -62_135_596_800_000_000
_LAST_MOMENT: Final = 253_402_300_799_999_999
"""From the first microsecond of the year 1 to the last one of 9999, since 1970: those of Python's datetime."""


@dataclass(frozen=True, slots=True)
class Column:
    """The terms of distinct ids: a value for each, and what they all are, or nothing where they differ."""

    values: pa.Array
    metadata: dict[str, str]


def table_of(answer: Answer) -> pa.Table:
    """All solutions of an answer as a table: a fraction of a microsecond for each distinct term."""
    solutions = answer.whole()
    memory.check(64 * solutions.length, "a column of answers")
    columns, fields = [], []
    for name in answer.variables:
        values, metadata = _column(solutions, name, answer.terms)
        columns.append(values)
        fields.append(pa.field(name, values.type, metadata=metadata))
    if not columns:
        return pa.table({}).select([])
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


@dataclass(frozen=True)
class RowBatches:
    """All solutions of an answer as record batches of one schema, for tables that are written while they are made.

    The types are those of `table_of`. To know them, each distinct term is looked at once before the first batch; memory
    holds the ids of all solutions, and the terms of one batch.
    """

    solutions: Solutions
    terms: LocalTerms
    schema: pa.Schema

    @classmethod
    def of(cls, answer: Answer) -> RowBatches:
        """Those of an answer, which is evaluated."""
        solutions = answer.whole()
        fields = [_field(solutions.column(name), name, answer.terms) for name in answer.variables]
        return cls(solutions, answer.terms, pa.schema(fields))

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for begin in range(0, self.solutions.length, query_tuning.ARROW_ROWS):
            checkpoint()
            rows = self.solutions.slice(begin, begin + query_tuning.ARROW_ROWS)
            columns = [_column(rows, field.name, self.terms, field.type)[0] for field in self.schema]
            yield pa.RecordBatch.from_arrays(columns, schema=self.schema)


def _field(ids: Ids, name: str, terms: LocalTerms) -> pa.Field:
    """The type of a column: the one that its parts have in common, strings for values of one kind, or structs."""
    found: Column | None = None
    known = bitmaps.distinct(ids[ids != UNBOUND])
    for begin in range(0, len(known), query_tuning.ARROW_ROWS):
        checkpoint()
        part = _values(terms.key_column(known[begin : begin + query_tuning.ARROW_ROWS]))
        if found is not None and found.metadata != part.metadata:
            return pa.field(name, MIXED)
        if found is not None and found.values.type != part.values.type:
            part = Column(pa.nulls(0, pa.string()), part.metadata)
        found = part
    if found is None:
        found = _values(terms.key_column(known))
    return pa.field(name, found.values.type, metadata=found.metadata)


def _column(
    solutions: Solutions, name: str, terms: LocalTerms, wanted: pa.DataType | None = None
) -> tuple[pa.Array | pa.ChunkedArray, dict[str, str]]:
    ids = solutions.column(name)
    bound = ids != UNBOUND
    known = ids if bound.all() else ids[bound]
    is_distinct = len(known) < 2 or bool((known[1:] > known[:-1]).all())
    distinct = known if is_distinct else bitmaps.distinct(known)
    column = _values(terms.key_column(distinct), wanted)
    if is_distinct and len(known) == len(ids):
        return column.values, column.metadata
    rows = np.zeros(len(ids), dtype=np.int64)
    rows[bound] = np.arange(len(known)) if is_distinct else np.searchsorted(distinct, known)
    return _taken(column.values, rows, bound), column.metadata


def _taken(values: pa.Array, rows: NDArray[np.int64], bound: NDArray[np.bool_]) -> pa.Array | pa.ChunkedArray:
    """The values at some rows, null where none is bound; in chunks where a column of strings cannot have all their
    texts."""
    if not len(values):
        return pa.nulls(len(rows), values.type)
    lengths = _text_lengths(values)
    if len(rows) * int(lengths.max()) <= TEXT_LIMIT:
        return values.take(_optional_rows(rows, bound))
    runs = pairs.runs_within(np.where(bound, lengths[rows], 0), TEXT_LIMIT)
    pieces = [values.take(_optional_rows(rows[begin:end], bound[begin:end])) for begin, end in passes(runs, 1)]
    return pa.chunked_array(pieces)


def _optional_rows(rows: NDArray[np.int64], bound: NDArray[np.bool_]) -> pa.Array:
    """Numbers of rows, null where none is bound."""
    column = row_column(rows)
    return column if bound.all() else pc.if_else(mask_column(bound), column, pa.nulls(len(rows), column.type))


def _text_lengths(values: pa.Array) -> NDArray[np.int64]:
    """For each value the bytes of its longest text that has offsets of 32 bits, 0 where it has none."""
    if pa.types.is_struct(values.type):
        longest: NDArray[np.int64] = np.maximum.reduce([_text_lengths(part) for part in values.flatten()])
        return longest
    if not pa.types.is_string(values.type):
        return np.zeros(len(values), dtype=np.int64)
    return np.diff(text_buffers(values)[0]).astype(np.int64)


def _values(keys: pa.Array, wanted: pa.DataType | None = None) -> Column:
    """The values of keys of terms, in the type that the column has which they are a part of."""
    kinds = kinds_of(keys)
    if wanted is not None and not len(kinds):
        return Column(pa.nulls(0, wanted), {})
    if wanted == MIXED:
        return _mixed(keys, kinds)
    kind = int(kinds[0]) if len(kinds) and bool((kinds == kinds[0]).all()) else -1
    if not len(kinds) or kind == IRI_KIND:
        return Column(keys, {"kind": "iri"} if len(kinds) else {})
    if kind == BLANK_KIND:
        return Column(keys, {"kind": "blank"})
    if kind == TRIPLE_KIND:
        return Column(keys, {"kind": "triple"})
    if kind == LITERAL_KIND:
        suffixes = Suffixes.of(keys)
        if len(suffixes.texts) == 1:
            return _uniform(keys, suffixes, wanted)
    return _mixed(keys, kinds)


def _uniform(keys: pa.Array, suffixes: Suffixes, wanted: pa.DataType | None) -> Column:
    """Literals of one language or datatype: their values where all have one that Arrow has a type for."""
    values, suffix = suffixes.values(keys), suffixes.texts[0]
    if suffix[:1] == "@":
        return Column(values, {"kind": "literal", "language": suffix[1:]})
    if not suffix:
        return Column(values, {"kind": "literal"})
    metadata = {"kind": "literal", "datatype": suffix[2:]}
    if wanted == values.type or not _are_well_formed(keys, values, suffix[2:]):
        return Column(values, metadata)
    return Column(_typed(values, suffix[2:]), metadata)


def _are_well_formed(keys: pa.Array, values: pa.Array, datatype: str) -> bool:
    """Whether all literals of a datatype have a value. What is not a number counts, and what is infinite, also as
    Python writes them and rdflib therefore does."""
    is_ill = values_of_keys(keys).classes >= ValueClass.ILL_NUMBER
    if is_ill.any() and datatype in _FLOATS:
        is_ill &= ~mask_of(pc.match_substring_regex(values, "^(nan|-?inf)$"))
    return not is_ill.any()


def _mixed(keys: pa.Array, kinds: NDArray[np.uint8]) -> Column:
    """Structs: the suffixes of literals tell their languages and datatypes, once for each."""
    rows = np.flatnonzero(kinds == LITERAL_KIND)
    others = np.flatnonzero(kinds != LITERAL_KIND)
    literals = keys.take(row_column(rows))
    suffixes = Suffixes.of(literals)
    back = np.empty(len(keys), dtype=np.int64)
    back[np.concatenate((rows, others))] = np.arange(len(keys))
    values = joined_texts([suffixes.values(literals), keys.take(row_column(others))]).take(row_column(back))
    # Behind the suffixes comes what those have that are not literals.
    codes = np.full(len(keys), len(suffixes.texts), dtype=np.int64)
    codes[rows] = suffixes.codes
    languages = [text[1:] if text[:1] == "@" else None for text in suffixes.texts]
    datatypes = [text[2:] if text[:1] == "^" else None for text in suffixes.texts]
    arrays = [
        values,
        text_column([KINDS[kind] for kind in range(len(KINDS))]).take(row_column(kinds.astype(np.int64))),
        optional_texts([*datatypes, None]).take(row_column(codes)),
        optional_texts([*languages, None]).take(row_column(codes)),
    ]
    fields = [pa.field("value", values.type), *list(MIXED)[1:]]
    return Column(pa.StructArray.from_arrays(arrays, fields=fields), {})


def _typed(values: pa.Array, datatype: str) -> pa.Array:
    """Well-formed values of a datatype in Arrow's type for it; as they are where there is none, or one does not fit."""
    if datatype in INTEGER_TYPES:
        # Arrow reads neither a plus sign nor zeros before a number.
        return _tried(pc.replace_substring_regex(values, r"^\+?(-?)0*([0-9])", r"\1\2"), pa.int64(), values)
    if datatype == XSD + "decimal":
        # Arrow makes others of decimals with more digits before the point than its type has, without an error.
        is_long = pc.match_substring_regex(values, r"^[+-]?0*[1-9]\d{20}")
        return values if pc.any(is_long).as_py() else _tried(values, pa.decimal128(38, 18), values)
    if datatype == XSD + "dateTime":
        return _moments(values)
    wanted = _TYPES.get(datatype)
    return values if wanted is None else _tried(values, wanted, values)


def _moments(values: pa.Array) -> pa.Array:
    """Moments that all have a time zone, or none; as they are where some have one, or one is not in a year that Python
    has."""
    zoned = pc.match_substring_regex(values, r"(Z|[+-]\d\d:\d\d)$")
    if pc.any(zoned).as_py() != pc.all(zoned).as_py():
        return values
    found = _tried(values, pa.timestamp("us", tz="UTC") if pc.all(zoned).as_py() else pa.timestamp("us"), values)
    if found is values:
        return values
    microseconds = numbers_of(found.cast(pa.int64()))
    fits = (microseconds >= _FIRST_MOMENT) & (microseconds <= _LAST_MOMENT)
    return found if fits.all() else values


def _tried(values: pa.Array, type: pa.DataType, otherwise: pa.Array) -> pa.Array:
    try:
        found = pc.cast(values, type)
    except pa.ArrowInvalid:
        return otherwise
    if pa.types.is_floating(type):
        infinite = pc.and_(pc.is_inf(found), pc.invert(pc.match_substring(values, "inf", ignore_case=True)))
        return otherwise if pc.any(infinite).as_py() else found
    return found
