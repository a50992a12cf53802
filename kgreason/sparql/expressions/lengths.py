"""STRLEN as a number for each distinct text, which becomes a term only where somebody asks for one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kgreason.sparql.algebra import Call, Expression
from kgreason.sparql.expressions.by_key import have_text
from kgreason.sparql.expressions.distinct import distinct_ids
from kgreason.sparql.expressions.operands import Evaluator, Part, where
from kgreason.sparql.expressions.texts import are_texts
from kgreason.sparql.solutions import Ids, Mask
from kgreason.sparql.terms import QueryTerms
from kgreason.terms.arrow import mask_column, numbers_of, row_column
from kgreason.terms.hashing import text_buffers
from kgreason.terms.suffixes import Suffixes, suffix_lengths
from kgreason.terms.value_classes import ValueClass
from kgreason.terms.value_columns import ValueColumn

_FEW: Final = 64
_DATATYPE: Final = ord("^")


def lengths(evaluator: Evaluator, argument: Expression, part: Part) -> ValueColumn:
    """How many characters the texts of an expression have; the text of ``STR(?x)`` is that of ``?x`` itself."""
    accepted = are_texts
    while isinstance(argument, Call) and argument.function == "str" and len(argument.arguments) == 1:
        accepted = have_text
        argument = argument.arguments[0]
    ids, numbers = distinct_ids(evaluator.ids_of(argument, part))
    classes = evaluator.values_of(ids).classes
    rows = where(accepted(classes))
    found = ValueColumn(
        np.full(len(ids), ValueClass.NOTHING, dtype=np.uint8), np.zeros(len(ids)), np.zeros(len(ids), dtype=np.bool_)
    )
    found.numbers[rows] = _of_ids(evaluator.terms, ids[rows], classes[rows] != ValueClass.IRI)
    found.classes[rows] = ValueClass.INTEGER
    found.exact[rows] = True
    return found.take(numbers)


def _of_ids(terms: QueryTerms, ascending: Ids, literals: Mask) -> NDArray[Any]:
    """The lengths of IRIs and of the texts of literals."""
    if len(ascending) > _FEW:
        try:
            return _of_column(terms.key_column(ascending), literals)
        except UnicodeEncodeError:
            pass  # a lone surrogate, which no Arrow column holds
    keys = terms.keys(ascending)
    return np.array([key.rindex('"') - 1 if key[:1] == '"' else len(key) for key in keys], dtype=np.int64)


def _of_column(keys: pa.Array, literals: Mask) -> NDArray[Any]:
    found = numbers_of(pc.utf8_length(keys)).copy()
    found[literals] -= _suffix_characters(keys if literals.all() else keys.filter(mask_column(literals))) + 2
    return found


def _suffix_characters(keys: pa.Array) -> NDArray[Any]:
    """How many characters the suffix of each literal has. Those of languages are bytes."""
    found = suffix_lengths(keys)
    offsets, data = text_buffers(keys)
    typed = np.flatnonzero(data[offsets[1:] - np.maximum(found, 1)] == _DATATYPE)
    if len(typed):
        suffixes = Suffixes.of(keys.take(row_column(typed)))
        found[typed] = np.array([*map(len, suffixes.texts)])[suffixes.codes]
    return found
