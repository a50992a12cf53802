"""REPLACE over many texts: by Arrow, which has RE2 as well, and text by text where it does not take the pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from kgreason.algebra import algebra_tuning
from kgreason.algebra.expressions.operands import Tick
from kgreason.algebra.expressions.text_tests import arrow_pattern
from kgreason.arrow import pa, pc
from kgreason.checkpoints import text_passes
from kgreason.columns.pairs import runs_within
from kgreason.dictionary.arrow_columns import text_column, texts_of
from kgreason.errors import FunctionError
from kgreason.rdf.regular_expressions import Substitution, substitution

_LAST_GROUP: Final = 9
"""Arrow's replacements have a digit for a group."""
# The only pattern of RE2 that may match nothing, and yet not the empty text: Arrow passes over such a match after
# another one.
_BORDER: Final = re.compile(r"\\b")

Column: TypeAlias = "Callable[[pa.Array], pa.Array]"


def replaced_texts(texts: Sequence[str], pattern: str, new: str, flags: str = "", *, tick: Tick) -> list[str | None]:
    """What REPLACE makes of texts, None for errors: a part of a microsecond for each.

    Raises:
        QueryLimitError: what comes out would be too long.
    """
    try:
        found = substitution(pattern, new, flags)
    except FunctionError:
        return [None] * len(texts)
    column = _column(found, pattern, flags)
    if column is None:
        return [_replaced(found, text) for text in text_passes(texts, 256)]
    # A text that is longer than a piece is a piece of its own, and takes long: it is replaced match by match.
    most = algebra_tuning.COLUMN_PIECE // found.growth
    replaced: list[str | None] = []
    for begin, end in runs_within(np.fromiter(map(len, texts), np.int64, len(texts)) + algebra_tuning.TEXT_EACH, most):
        tick()
        some = texts[begin:end]
        is_long = len(some) == 1 and len(some[0]) > most
        replaced.extend([_replaced(found, some[0])] if is_long else _replaced_column(found, column, some))
    return replaced


def _replaced_column(found: Substitution, column: Column, texts: Sequence[str]) -> Sequence[str | None]:
    try:
        return texts_of(column(text_column(texts)))
    except UnicodeEncodeError:  # a lone surrogate, which no Arrow column holds
        return [_replaced(found, text) for text in texts]


def _replaced(found: Substitution, text: str) -> str | None:
    try:
        return found.applied(text)
    except FunctionError:
        return None


def _column(found: Substitution, pattern: str, flags: str) -> Column | None:
    """The same of a column of Arrow; None where Arrow does not take the pattern or the replacement."""
    written = arrow_pattern(pattern, flags)
    if written is None or _BORDER.search(written):
        return None
    if any(isinstance(piece, int) and piece > _LAST_GROUP for piece in found.pieces):
        return None
    new = "".join(piece.replace("\\", r"\\") if isinstance(piece, str) else f"\\{piece}" for piece in found.pieces)
    return partial(pc.replace_substring_regex, pattern=written, replacement=new)
