"""One call over a batch of one row, as proofs evaluate it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason.algebra.expressions.evaluator import ColumnEvaluator
from kgreason.algebra.expressions.operands import ColumnBatch
from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import FunctionError
from kgreason.rdf.functions import TERM_FUNCTIONS, evaluate
from kgreason.rdf.model import Term


def evaluated(function: str, arguments: Sequence[Term]) -> Term:
    """The value of a call, the same of constants, of variables, and on terms; FunctionError where it has none."""
    terms = LocalTerms(Dictionary())
    variables = tuple(Variable(f"a{number}") for number in range(len(arguments)))
    columns = {v: np.array([terms.encode(a)], dtype=np.uint32) for v, a in zip(variables, arguments, strict=True)}
    evaluator = ColumnEvaluator(terms)
    (constant,) = evaluator.values(Call(function, tuple(arguments)), ColumnBatch({}, 1)).tolist()
    (variable,) = evaluator.values(Call(function, variables), ColumnBatch(columns, 1)).tolist()
    assert constant == variable, f"{function} of constants and of variables"
    if constant == UNBOUND:
        raise FunctionError(f"{function} is in error")
    found = terms.decode(constant)
    if function in TERM_FUNCTIONS:
        assert terms.encode(evaluate(function, arguments)) == constant, f"{function} on terms"
    return found
