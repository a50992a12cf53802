"""STRLEN as a number for each distinct text, which becomes a term only where somebody asks for one."""

from __future__ import annotations

import numpy as np

from kgreason.sparql.algebra import Call, Expression
from kgreason.sparql.expressions.by_key import have_text
from kgreason.sparql.expressions.distinct import distinct_ids
from kgreason.sparql.expressions.operands import Evaluator, Part, where
from kgreason.sparql.expressions.texts import are_texts
from kgreason.terms.value_classes import ValueClass
from kgreason.terms.value_columns import ValueColumn


def lengths(evaluator: Evaluator, argument: Expression, part: Part) -> ValueColumn:
    """How many characters the texts of an expression have; the text of ``STR(?x)`` is that of ``?x`` itself."""
    accepted = are_texts
    while isinstance(argument, Call) and argument.function == "str" and len(argument.arguments) == 1:
        accepted = have_text
        argument = argument.arguments[0]
    ids, numbers = distinct_ids(evaluator.ids_of(argument, part))
    rows = where(accepted(evaluator.values_of(ids).classes))
    found = ValueColumn(
        np.full(len(ids), ValueClass.NOTHING, dtype=np.uint8), np.zeros(len(ids)), np.zeros(len(ids), dtype=np.bool_)
    )
    keys = evaluator.terms.keys(ids[rows])
    found.numbers[rows] = [key.rindex('"') - 1 if key[:1] == '"' else len(key) for key in keys]
    found.classes[rows] = ValueClass.INTEGER
    found.exact[rows] = True
    return found.take(numbers)
