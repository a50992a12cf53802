"""Checks of rules over single ids, each evaluated once for the same ids.

A search meets the same conditions again and again, such as ``?class != owl:Thing``; a look at a known one takes a
fiftieth of an evaluation over a column of one row.
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from kgreason import tuning
from kgreason.algebra.expressions.evaluator import ColumnEvaluator
from kgreason.algebra.expressions.operands import ColumnBatch
from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.proofs.rule_patterns import Check


class CheckValues:
    """What checks come to over the terms of a dictionary, which gets the terms that they compute."""

    def __init__(self, terms: Dictionary) -> None:
        self._evaluated = lru_cache(tuning.REMEMBERED_CHECKS)(partial(_evaluated, terms))

    def passes(self, check: Check, binding: dict[Variable, int]) -> bool:
        """Whether a check holds. What it assigns is noted in the binding, which has its inputs."""
        value = self._evaluated(check, tuple(binding[variable] for variable in check.inputs))
        if check.variable is None or value is None:
            return value is not None
        return binding.setdefault(check.variable, value) == value


def _evaluated(terms: Dictionary, check: Check, inputs: tuple[int, ...]) -> int | None:
    """The id that a check assigns, or 1 where one without a variable is true; None for an error or false."""
    local = LocalTerms(terms)
    values = zip(check.inputs, inputs, strict=True)
    batch = ColumnBatch({variable: np.array([value], dtype=np.uint32) for variable, value in values}, 1)
    evaluator = ColumnEvaluator(local)
    if check.variable is None:
        return 1 if evaluator.passes(check.expression, batch)[0] else None
    (found,) = local.stored(evaluator.values(check.expression, batch)).tolist()
    return None if found == UNBOUND else int(found)
