"""Texts that are made of texts, over whole columns: STR, LCASE, UCASE, SUBSTR, CONCAT and REPLACE, ENCODE_FOR_URI and
digests, STRLANG and STRDT.

Functions within functions, as in ``CONCAT(UCASE(STR(?x)), "!")``, hand keys to each other: only what the outermost one
makes becomes a term of the query, and nothing where it is compared with a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import repeat
from typing import Any, Final, TypeAlias, TypeGuard

import numpy as np

from kgreason.algebra.expressions.lexical_functions import (
    Accepted,
    are_texts,
    are_untagged,
    have_text,
    integer_of,
    lower,
    of_text,
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
from kgreason.checkpoints import passes, text_passes
from kgreason.dictionary.literal_suffixes import split_keys
from kgreason.errors import FunctionError
from kgreason.rdf.functions import evaluate
from kgreason.rdf.keys import folded_suffix, held_key
from kgreason.rdf.model import Literal, Term
from kgreason.rdf.strings import hex_digest, uri_encoded
from kgreason.rdf.text_lengths import check_length
from kgreason.rdf.value_comparison import OPERATORS

Keys: TypeAlias = tuple[list[str | None], Index]
"""Keys, None for errors, and the number of the one in each row. Some may be the same."""

Step: TypeAlias = Callable[[str], str]
"""From the key of a text to that of another one."""

_DIGESTS: Final = ("md5", "sha1", "sha256", "sha384", "sha512")
_STEPS: Final[dict[str, tuple[Step, Accepted]]] = {
    "str": (plain, have_text),
    "lcase": (lower, are_texts),
    "ucase": (upper, are_texts),
    "encode_for_uri": (of_text(uri_encoded), are_texts),
    **{name: (of_text(partial(hex_digest, name)), are_texts) for name in _DIGESTS},
}


def text_ids(function: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids | None:
    """The ids of the values, UNBOUND for errors: a microsecond for each distinct one. None for SUBSTR with positions
    that are no constant integers, for CONCAT of nothing, and for REPLACE, STRLANG and STRDT where others are no
    constants."""
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
        texts = ("" if key is None else key[1:-1] for key in text_passes(found[0]))
        results = (test(one, text) for one in texts) if call is left else (test(text, one) for one in texts)
        true = np.fromiter(results, np.bool_, len(errors)) & ~errors
        return Truth(true, errors).take(found[1])
    return None


def _of_call(function: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Keys | None:
    if function == "concat":
        return _concatenated(evaluator, arguments, batch) if arguments else None
    if function == "replace":
        return _replaced(evaluator, arguments, batch)
    step, accepted = _step(function, evaluator, arguments[1:], batch)
    if step is None:
        return None
    keys, numbers = _keys_of(arguments[0], accepted, evaluator, batch)
    if accepted is are_untagged:
        keys = [None if key is None or key[key.rindex('"') + 1 :][:1] == "@" else key for key in text_passes(keys)]
    return [None if key is None else step(key) for key in text_passes(keys)], numbers


def _keys_of(expression: Expression[Any], accepted: Accepted, evaluator: Evaluator, batch: Batch) -> Keys:
    """The keys of the values of an argument that a function accepts. Those of the functions here are texts."""
    if _makes_text(expression):
        found = _of_call(expression.function, evaluator, expression.arguments, batch)
        if found is not None:
            return found
    ids, numbers = distinct_ids(evaluator.ids_of(expression, batch))
    rows = where(accepted(evaluator.terms, ids))
    keys: list[str | None] = [None] * len(ids)
    for some in evaluator.terms.text_passes(ids[rows]):
        for row, key in zip(rows[some].tolist(), evaluator.terms.keys(ids[rows[some]]), strict=True):
            keys[row] = key
    return keys, numbers


def _makes_text(expression: Expression[Any]) -> TypeGuard[Call[Any]]:
    is_call = isinstance(expression, Call) and not isinstance(expression, FallbackCall)
    return is_call and expression.function in _MAKERS


def _step(function: str, evaluator: Evaluator, others: Arguments, batch: Batch) -> tuple[Step | None, Accepted]:
    """What a function of one text does, and of which terms; None where other arguments are not what they must be."""
    match function:
        case "substr":
            return _slice(evaluator, others, batch), are_texts
        case "strlang" | "strdt":
            return _suffixing(function, evaluator.constant(others[0], batch)), are_untagged
    return _STEPS[function]


def _suffixing(function: str, constant: Term | None) -> Step | None:
    """STRLANG or STRDT with a constant, None where this is none, or not valid: what is made of one text ends as what is
    made of any."""
    if constant is None:
        return None
    try:
        key = held_key(evaluate(function, (Literal(""), constant)))
    except FunctionError:
        return None
    suffix = key[key.rindex('"') :]
    return lambda text: text[: text.rindex('"')] + suffix


def _slice(evaluator: Evaluator, positions: Arguments, batch: Batch) -> Step | None:
    """SUBSTR with constant positions; None where they are not plain integers."""
    numbers = [integer_of(evaluator.constant(position, batch)) for position in positions]
    known = [number for number in numbers if number is not None]
    return slicing(*known) if len(known) == len(numbers) else None


def _concatenated(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Keys:
    columns = [_keys_of(argument, are_texts, evaluator, batch) for argument in passes(arguments, 8)]
    first, numbers = numbered(keys_of([each.astype(np.uint32) for _, each in columns], len(batch)))
    alike = _alike_joined(columns, first)
    if alike is not None:
        return alike, numbers
    parts = [map(_parts(keys).__getitem__, each[first].tolist()) for keys, each in passes(columns, 8)]
    every = max(1, 4096 // len(parts))
    return [*text_passes(map(_joined, zip(*parts, strict=True)), every)], numbers


def _alike_joined(columns: Sequence[Keys], rows: Index) -> list[str | None] | None:
    """The keys of the concatenations of some rows, where each column has texts of one language or datatype; None for
    others."""
    texts, suffixes, size = [], [], np.zeros(len(rows), dtype=np.int64)
    for keys, numbers in passes(columns, 8):
        known = [key for key in keys if key is not None]
        if len(known) < len(keys) or not known:
            return None
        some, ends = split_keys(known)
        if len({*ends}) > 1:
            return None
        size += np.fromiter(map(len, some), np.int64, len(some))[numbers[rows]]
        texts.append(map(some.__getitem__, numbers[rows].tolist()))
        suffixes.append(ends[0])
    check_length(int(size.max(initial=0)))
    end = f'"{suffixes[0]}' if len({*map(folded_suffix, suffixes)}) == 1 else '"'
    every = max(1, 4096 // len(texts))
    return [*text_passes(map("".join, zip(repeat('"'), *texts, repeat(end))), every)]


def _replaced(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Keys | None:
    constants = plain_constants(evaluator, arguments[1:], batch)
    if constants is None:
        return None
    keys, numbers = _keys_of(arguments[0], are_texts, evaluator, batch)
    parts = [*_parts(text_passes(keys))]
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


_MAKERS: Final = (*_STEPS, "substr", "concat", "replace")
"""Those of the functions here that make strings alone."""
TEXTS: Final = (*_MAKERS, "strlang", "strdt")
"""The functions here."""
