"""Tests of texts over whole columns: CONTAINS, STRSTARTS, STRENDS and REGEX with a constant.

What is between a variable and the test, as in ``CONTAINS(LCASE(STR(?x)), "a")``, is done on the texts themselves, so
that no term is made of any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.errors import FunctionError
from kgreason.sparql.algebra import Call, Expression
from kgreason.sparql.expressions.distinct import distinct_ids
from kgreason.sparql.expressions.operands import Evaluator, Part, where
from kgreason.sparql.solutions import Ids, Index, Mask
from kgreason.terms.model import Literal
from kgreason.terms.patterns import compiled
from kgreason.terms.truth import Truth
from kgreason.terms.value_classes import ValueClass

# So many texts are looked at between two looks at the clock.
_PIECE: Final = 256

_STEPS: Final[dict[str, Callable[[str], str]]] = {"lcase": str.lower, "ucase": str.upper}


def text_test(evaluator: Evaluator, function: str, arguments: Sequence[Expression], part: Part) -> Truth | None:
    """The rows for which a test of texts holds; None where its other arguments are no plain constants."""
    subject, *constants = arguments
    if not all(isinstance(c, Literal) and c.language is None and c.datatype is None for c in constants):
        return None
    try:
        test = _test(function, [c.lexical for c in constants if isinstance(c, Literal)])
    except FunctionError:
        return Truth(np.zeros(len(part), np.bool_), np.ones(len(part), np.bool_))
    steps: list[Callable[[str], str]] = []
    any_term = False
    while isinstance(subject, Call) and len(subject.arguments) == 1 and subject.function in ("str", *_STEPS):
        # Inside of STR everything is a text already, or an error.
        if subject.function == "str":
            any_term = not (isinstance(subject.arguments[0], Call) and subject.arguments[0].function in _STEPS)
        else:
            steps.append(_STEPS[subject.function])
        subject = subject.arguments[0]
    ids, numbers = distinct_ids(evaluator.ids_of(subject, part))
    return _tested(evaluator, ids, any_term, steps[::-1], test).take(numbers)


def _tested(
    evaluator: Evaluator,
    ids: np.ndarray,
    any_term: bool,
    steps: Sequence[Callable[[str], str]],
    test: Callable[[str], bool],
) -> Truth:
    classes = evaluator.values_of(ids).classes
    resources = where(classes == ValueClass.IRI) if any_term else np.empty(0, dtype=np.int64)
    literals = where(classes >= ValueClass.INTEGER if any_term else are_texts(classes))
    true = np.zeros(len(ids), dtype=np.bool_)
    error = np.ones(len(ids), dtype=np.bool_)
    iris = evaluator.terms.keys(ids[resources])
    texts = [key[1 : key.rindex('"')] for key in evaluator.terms.keys(ids[literals])]
    for rows, found in ((resources, iris), (literals, texts)):
        changed: Iterable[str] = found
        for step in steps:
            changed = map(step, changed)
        error[rows] = False
        tests = iter(map(test, changed))
        for begin in range(0, len(rows), _PIECE):
            evaluator.limits.check()
            some = rows[begin : begin + _PIECE]
            true[some] = np.fromiter(islice(tests, len(some)), np.bool_, len(some))
    return Truth(true, error)


def are_texts(classes: NDArray[np.uint8]) -> Mask:
    """The rows that string functions take."""
    strings = (classes >= ValueClass.STRING) & (classes <= ValueClass.TAGGED)
    return np.asarray(strings | (classes == ValueClass.ILL_TEXT))


def literal_texts(evaluator: Evaluator, ids: Ids) -> tuple[list[str], Index]:
    """What STR gives for ids, and the rows where that is an error."""
    distinct, numbers = distinct_ids(ids)
    classes = evaluator.values_of(distinct).classes
    keys = evaluator.terms.keys(distinct)
    texts = [key[1 : key.rindex('"')] if key[:1] == '"' else key for key in keys]
    errors = (classes == ValueClass.BLANK) | (classes == ValueClass.NOTHING)
    return [texts[number] for number in numbers.tolist()], where(errors[numbers])


def _test(function: str, constants: Sequence[str]) -> Callable[[str], bool]:
    wanted = constants[0]
    match function:
        case "contains":
            return lambda text: wanted in text
        case "strstarts":
            return lambda text: text.startswith(wanted)
        case "strends":
            return lambda text: text.endswith(wanted)
    return compiled(*constants).search
