"""Functions of mappings over columns of texts: what is none in an argument is none in the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from kgreason_mapping import text_functions as texts
from kgreason_mapping.quarantine_reasons import FUNCTION_INPUT

Columns: TypeAlias = Sequence[pa.Array]
Outcome: TypeAlias = tuple[pa.Array, pa.Array | None]
"""Results, and why there is none; results are lists for a function that has several."""


def applied(function: str, arguments: Columns, length: int) -> Outcome:
    """What a function makes of columns of texts."""
    whole = _WHOLE.get(function)
    if whole is not None:
        return whole(*arguments), None
    if not arguments:
        return pa.repeat(pa.scalar("ABC"), length), None
    return _row_by_row(_BY_ROW[function], arguments)


def _row_by_row(make: Callable[..., str | None], arguments: Columns) -> Outcome:
    """A function of Python on each row: a microsecond or two. The first argument stands for a result that is none."""
    made: list[str | None] = []
    bad: list[int] = []
    for row in zip(*(column.to_pylist() for column in arguments), strict=True):
        result = None
        if None not in row:
            try:
                result = make(*row)
            except ValueError:
                bad.append(len(made))
                result = row[0]
        made.append(result)
    if not bad:
        return pa.array(made, pa.string()), None
    reasons: list[str | None] = [None] * len(made)
    for at in bad:
        reasons[at] = FUNCTION_INPUT
    return pa.array(made, pa.string()), pa.array(reasons, pa.string())


def _is_true(column: pa.Array) -> pa.Array:
    return pc.equal(pc.utf8_lower(column), "true")


def _truth(column: pa.Array) -> pa.Array:
    return column.cast(pa.string())


def _joined(one: pa.Array, other: pa.Array, between: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(one, between, other, "")


def _all(*columns: pa.Array) -> pa.Array:
    found = _is_true(columns[0])
    for column in columns[1:]:
        found = pc.and_(found, _is_true(column))
    return _truth(found)


def _any(*columns: pa.Array) -> pa.Array:
    found = _is_true(columns[0])
    for column in columns[1:]:
        found = pc.or_(found, _is_true(column))
    return _truth(found)


def _split(text: pa.Array, separator: pa.Array) -> pa.Array:
    """The parts of each text, as a list; the whole text where the separator is empty."""
    rows = zip(text.to_pylist(), separator.to_pylist(), strict=True)
    return pa.array(
        [None if None in row else row[0].split(row[1]) if row[1] else [row[0]] for row in rows], pa.list_(pa.string())
    )


_WHOLE: Final[dict[str, Callable[..., pa.Array]]] = {
    "upper": pc.utf8_upper,
    "lower": pc.utf8_lower,
    "trim": lambda text: pc.utf8_trim(text, texts.CONTROLS),
    "reverse": pc.utf8_reverse,
    "text": lambda text: text,
    "split": _split,
    "length": lambda text: pc.utf8_length(text).cast(pa.string()),
    "concat": _joined,
    "equal": lambda one, other: _truth(pc.equal(one, other)),
    "unequal": lambda one, other: _truth(pc.not_equal(one, other)),
    "not": lambda one: _truth(pc.invert(_is_true(one))),
    "and": _all,
    "or": _any,
    "if": lambda test, one, other: pc.if_else(_is_true(test), one, other),
    "when": lambda test, one: pc.if_else(_is_true(test), one, pa.scalar(None, pa.string())),
    "decide": lambda one, expected, result: pc.if_else(pc.equal(one, expected), result, pa.scalar(None, pa.string())),
}
"""Functions of Arrow."""

_BY_ROW: Final[dict[str, Callable[..., str | None]]] = {
    "title": texts.title,
    "md5": texts.digest("md5"),
    "sha1": texts.digest("sha1"),
    "replace": texts.replaced,
    "substring": texts.substring,
    "chomp": texts.chomp,
    "contains": lambda text, part: str(part in text).lower(),
    "starts": lambda text, part: str(text.startswith(part)).lower(),
    "ends": lambda text, part: str(text.endswith(part)).lower(),
    "index": lambda text, part: str(text.find(part)),
    "escape": texts.escaped,
    "upper_url": texts.upper_url,
    "date": texts.date,
    "date_time": texts.date_time,
}
