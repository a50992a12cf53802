"""Texts that are made of texts, over whole columns: STR, LCASE, UCASE, SUBSTR, CONCAT and REPLACE.

Functions within functions, as in ``CONCAT(UCASE(STR(?x)), "!")``, hand keys to each other: only what the outermost one
makes becomes a term of the query, and nothing where it is compared with a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias, TypeGuard

import numpy as np

from kgreason.algebra.expressions.lexical_functions import (
    Accepted,
    are_texts,
    have_text,
    integer_of,
    lower,
    plain,
    slicing,
    upper,
)
from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator, where
from kgreason.algebra.expressions.term_functions import encoded_keys
from kgreason.algebra.expressions.text_replacements import replaced_texts
from kgreason.algebra.expressions.text_tests import plain_constants
from kgreason.algebra.expressions.tree import Call, Expression, FallbackCall
from kgreason.algebra.expressions.truth import Truth
from kgreason.algebra.row_keys import Ids, Index, distinct_ids, keys_of, numbered
from kgreason.checkpoints import passes
from kgreason.rdf.keys import folded_suffix
from kgreason.rdf.model import Literal
from kgreason.rdf.text_lengths import check_length
from kgreason.rdf.value_comparison import OPERATORS

Keys: TypeAlias = tuple[list[str | None], Index]
"""Keys, None for errors, and the number of the one in each row. Some may be the same."""

Step: TypeAlias = Callable[[str], str]
"""From the key of a text to that of another one."""

_STEPS: Final[dict[str, tuple[Step, Accepted]]] = {
    "str": (plain, have_text),
    "lcase": (lower, are_texts),
    "ucase": (upper, are_texts),
}


def text_ids(function: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids | None:
    """The ids of the values, UNBOUND for errors: a microsecond for each distinct one. None for SUBSTR with positions
    that are no constant integers, for CONCAT of nothing, and for REPLACE where others are no constant strings."""
    found = _of_call(function, evaluator, arguments, batch)
    return None if found is None else np.asarray(encoded_keys(found[0], evaluator.terms)[found[1]])


def compared_texts(symbol: str, evaluator: Evaluator, left: Any, right: Any, batch: Batch) -> Truth | None:
    """A comparison of what these functions make with a constant plain string: a part of a microsecond for each distinct
    text. None for other operands, and where one of the texts has a language or a datatype."""
    if symbol == "!=":
        equal = compared_texts("=", evaluator, left, right, batch)
        return None if equal is None else ~equal
    test = OPERATORS[symbol]
    for call, other in ((left, right), (right, left)):
        constant = evaluator.constant(other, batch)
        if not (_makes_text(call) and isinstance(constant, Literal) and constant.language is constant.datatype is None):
            continue
        found = _of_call(call.function, evaluator, call.arguments, batch)
        if found is None or not all(key is None or key[-1] == '"' for key in found[0]):
            return None
        text, errors = constant.lexical, np.array([key is None for key in found[0]], dtype=np.bool_)
        texts = ("" if key is None else key[1:-1] for key in passes(found[0], 4096))
        results = (test(one, text) for one in texts) if call is left else (test(text, one) for one in texts)
        true = np.fromiter(results, np.bool_, len(errors)) & ~errors
        return Truth(true, errors).take(found[1])
    return None


def _of_call(function: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Keys | None:
    if function == "concat":
        return _concatenated(evaluator, arguments, batch) if arguments else None
    if function == "replace":
        return _replaced(evaluator, arguments, batch)
    step, accepted = _STEPS[function] if function in _STEPS else (_slice(evaluator, arguments[1:], batch), are_texts)
    if step is None:
        return None
    keys, numbers = _keys_of(arguments[0], accepted, evaluator, batch)
    return [None if key is None else step(key) for key in passes(keys, 4096)], numbers


def _keys_of(expression: Expression[Any], accepted: Accepted, evaluator: Evaluator, batch: Batch) -> Keys:
    """The keys of the values of an argument that a function accepts. Those of the functions here are texts."""
    if _makes_text(expression):
        found = _of_call(expression.function, evaluator, expression.arguments, batch)
        if found is not None:
            return found
    ids, numbers = distinct_ids(evaluator.ids_of(expression, batch))
    rows = where(accepted(evaluator.terms, ids))
    keys: list[str | None] = [None] * len(ids)
    for row, key in zip(rows.tolist(), evaluator.terms.keys(ids[rows]), strict=True):
        keys[row] = key
    return keys, numbers


def _makes_text(expression: Expression[Any]) -> TypeGuard[Call[Any]]:
    is_call = isinstance(expression, Call) and not isinstance(expression, FallbackCall)
    return is_call and expression.function in TEXTS


def _slice(evaluator: Evaluator, positions: Arguments, batch: Batch) -> Step | None:
    """SUBSTR with constant positions; None where they are not plain integers."""
    numbers = [integer_of(evaluator.constant(position, batch)) for position in positions]
    known = [number for number in numbers if number is not None]
    return slicing(*known) if len(known) == len(numbers) else None


def _concatenated(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Keys:
    columns = [_keys_of(argument, are_texts, evaluator, batch) for argument in passes(arguments, 8)]
    first, numbers = numbered(keys_of([each.astype(np.uint32) for _, each in columns], len(batch)))
    parts = [map(_parts(keys).__getitem__, each[first].tolist()) for keys, each in passes(columns, 8)]
    every = max(1, 4096 // len(parts))
    return [_joined(row) for row in passes(zip(*parts, strict=True), every)], numbers


def _replaced(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Keys | None:
    constants = plain_constants(evaluator, arguments[1:], batch)
    if constants is None:
        return None
    keys, numbers = _keys_of(arguments[0], are_texts, evaluator, batch)
    parts = [*_parts(passes(keys, 4096))]
    texts = iter(replaced_texts([part[0] for part in parts if part is not None], *constants, tick=evaluator.tick))
    return [None if part is None else _with_suffix(next(texts), part[1]) for part in passes(parts, 4096)], numbers


def _with_suffix(text: str | None, suffix: str) -> str | None:
    return None if text is None else f'"{text}"{suffix}'


def _parts(keys: Iterable[str | None]) -> list[tuple[str, str] | None]:
    """The text and the suffix of each key."""
    ends = ((key, key.rindex('"')) if key is not None else None for key in keys)
    return [None if each is None else (each[0][1 : each[1]], each[0][each[1] + 1 :]) for each in ends]


def _joined(parts: tuple[tuple[str, str] | None, ...]) -> str | None:
    """The key of a concatenation: with the language or datatype that all parts share."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    check_length(sum([len(text) for text, _ in known]))
    text = "".join([text for text, _ in known])
    suffixes = {suffix for _, suffix in known}
    is_shared = len(suffixes) == 1 or len({*map(folded_suffix, suffixes)}) == 1
    return f'"{text}"{known[0][1] if is_shared else ""}'


TEXTS: Final = ("str", "lcase", "ucase", "substr", "concat", "replace")
"""The functions here."""
