"""Texts over whole columns: CONTAINS, STRSTARTS, STRENDS and REGEX with a constant, and STRLEN as a number.

What is between a variable and the test, as in ``CONTAINS(LCASE(STR(?x)), "a")``, is done on the texts themselves, so
that no term is made of any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra import algebra_tuning
from kgreason.algebra.expressions.lexical_functions import are_texts, have_text
from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator, where
from kgreason.algebra.expressions.tree import Call
from kgreason.algebra.expressions.truth import Mask, Truth
from kgreason.algebra.local_terms import LocalTerms
from kgreason.algebra.row_keys import Ids, Index, distinct_ids
from kgreason.arrow import pa, pc
from kgreason.columns.pairs import runs_within
from kgreason.dictionary.arrow_columns import mask_column, mask_of, numbers_of, row_column, text_column, texts_of
from kgreason.dictionary.literal_suffixes import Suffixes, literal_texts, suffix_lengths
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.errors import FunctionError
from kgreason.rdf.hashing import text_buffers
from kgreason.rdf.keys import IRI_KIND, LITERAL_KIND
from kgreason.rdf.model import Literal
from kgreason.rdf.pattern_syntax import rewritten
from kgreason.rdf.regular_expressions import compiled
from kgreason.rdf.value_classes import ValueClass

_DATATYPE: Final = ord("^")
_LAST_ASCII: Final = 0x7F
# What Arrow may look for: categories, and what is the same in upper and lower case, are those of its own Unicode.
_ASCII_PATTERN: Final = re.compile(r"(?:[^\\]|\\[^pP])*", re.ASCII | re.DOTALL)

Texts: TypeAlias = Callable[[Sequence[str]], Iterable[bool]]
Column: TypeAlias = "Callable[[pa.Array], pa.Array]"

_STEPS: Final[dict[str, tuple[Callable[[str], str], str]]] = {
    "lcase": (str.lower, "ascii_lower"),
    "ucase": (str.upper, "ascii_upper"),
}
"""What a function makes of a text, and the name of Arrow's function for texts of ASCII."""


@dataclass(frozen=True, slots=True)
class Test:
    """Which of some texts pass, and the same of a column of Arrow, None where Arrow has no such test."""

    texts: Texts
    column: Column | None


def text_test(function: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Truth | None:
    """The rows for which a test of texts holds; None where its other arguments are not plain constants."""
    subject, *others = arguments
    constants = plain_constants(evaluator, others, batch)
    if constants is None:
        return None
    try:
        test = _test(function, constants)
    except FunctionError:
        return Truth(np.zeros(len(batch), np.bool_), np.ones(len(batch), np.bool_))
    steps: list[str] = []
    any_term = False
    while isinstance(subject, Call) and len(subject.arguments) == 1 and subject.function in ("str", *_STEPS):
        # Inside of STR everything is a text already, or an error.
        if subject.function == "str":
            any_term = not (isinstance(subject.arguments[0], Call) and subject.arguments[0].function in _STEPS)
        else:
            steps.append(subject.function)
        subject = subject.arguments[0]
    ids, numbers = distinct_ids(evaluator.ids_of(subject, batch))
    return _tested(evaluator, ids, any_term, steps[::-1], test).take(numbers)


def plain_constants(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> list[str] | None:
    """The texts of arguments that are constant plain strings; None where others are among them."""
    constants = [evaluator.constant(argument, batch) for argument in arguments]
    found = [c.lexical for c in constants if isinstance(c, Literal) and c.language is None and c.datatype is None]
    return found if len(found) == len(constants) else None


def _tested(evaluator: Evaluator, ids: Ids, any_term: bool, steps: Sequence[str], test: Test) -> Truth:
    kinds = evaluator.terms.kinds(ids)
    resources = where(kinds == IRI_KIND) if any_term else np.empty(0, dtype=np.int64)
    literals = where(kinds == LITERAL_KIND if any_term else are_texts(evaluator.terms, ids))
    true = np.zeros(len(ids), dtype=np.bool_)
    error = np.ones(len(ids), dtype=np.bool_)
    for rows, are_literals in ((resources, False), (literals, True)):
        error[rows] = False
        true[rows] = _passing(evaluator, ids[rows], are_literals, steps, test)
    return Truth(true, error)


def _passing(evaluator: Evaluator, ascending: Ids, are_literals: bool, steps: Sequence[str], test: Test) -> Mask:
    """Which literals, or IRIs, have a text that passes."""
    terms, passing = evaluator.terms, np.zeros(len(ascending), dtype=np.bool_)
    for rows in terms.text_passes(ascending):
        passing[rows] = _passing_at_once(evaluator, ascending[rows], are_literals, steps, test)
    return passing


def _passing_at_once(
    evaluator: Evaluator, ascending: Ids, are_literals: bool, steps: Sequence[str], test: Test
) -> Mask:
    terms = evaluator.terms
    if len(ascending) > algebra_tuning.FEW_LEXICAL and test.column is not None:
        try:
            keys = terms.key_column(ascending)
            return _passing_columns(evaluator, literal_texts(keys) if are_literals else keys, steps, test)
        except UnicodeEncodeError:
            pass  # a lone surrogate
    texts = terms.literals(ascending)[0] if are_literals else terms.keys(ascending)
    return _passing_texts(evaluator, texts, steps, test)


def _passing_columns(evaluator: Evaluator, texts: pa.Array, steps: Sequence[str], test: Test) -> Mask:
    """Which texts of a column pass: nanoseconds for each byte. What is upper or lower case is Python's to say where
    there is more than ASCII."""
    assert test.column is not None
    passing = np.zeros(len(texts), dtype=np.bool_)
    offsets, _ = text_buffers(texts)
    sizes = np.diff(offsets).astype(np.int64)
    for begin, end in runs_within(sizes + algebra_tuning.TEXT_EACH, algebra_tuning.COLUMN_PIECE):
        evaluator.tick()
        some = texts.slice(begin, end - begin)
        by_column = _are_ascii(some) if steps else np.ones(end - begin, dtype=np.bool_)
        column = some if by_column.all() else some.filter(mask_column(by_column))
        for step in steps:
            column = getattr(pc, _STEPS[step][1])(column)
        passing[begin:end][by_column] = mask_of(test.column(column))
        if len(column) < len(some):
            others = texts_of(some.filter(mask_column(~by_column)))
            passing[begin:end][~by_column] = _passing_texts(evaluator, others, steps, test)
    return passing


def _are_ascii(texts: pa.Array) -> Mask:
    """Which texts are ASCII; Arrow's own function makes tables of Unicode first, 2 milliseconds."""
    offsets, data = text_buffers(texts)
    others = np.flatnonzero(data[int(offsets[0]) : int(offsets[-1])] > _LAST_ASCII) + int(offsets[0])
    found = np.ones(len(texts), dtype=np.bool_)
    found[np.searchsorted(offsets, others, side="right") - 1] = False
    return found


def _passing_texts(evaluator: Evaluator, texts: Sequence[str], steps: Sequence[str], test: Test) -> Mask:
    """The same of texts of Python."""
    passing = np.zeros(len(texts), dtype=np.bool_)
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    for begin, end in runs_within(sizes + algebra_tuning.TEXT_EACH, algebra_tuning.TEXT_PIECE):
        evaluator.tick()
        some: Sequence[str] = texts[begin:end]
        for step in steps:
            some = [*map(_STEPS[step][0], some)]
        passing[begin:end] = np.fromiter(test.texts(some), np.bool_, len(some))
    return passing


def shown_texts(terms: LocalTerms, ids: Ids) -> tuple[list[str], Index]:
    """What STR gives for ids, and the rows where that is an error."""
    errors = where(~have_text(terms, ids))
    if (terms.kinds(ids) == LITERAL_KIND).all():
        return terms.literals(ids)[0], errors
    return [key[1 : key.rindex('"')] if key[:1] == '"' else key for key in terms.keys(ids)], errors


def _test(function: str, constants: Sequence[str]) -> Test:
    wanted = constants[0]
    match function:
        case "contains":
            has = partial(pc.match_substring, pattern=wanted)
            return Test(lambda texts: [wanted in text for text in texts], has)
        case "strstarts":
            begins = partial(pc.starts_with, pattern=wanted)
            return Test(lambda texts: [text.startswith(wanted) for text in texts], begins)
        case "strends":
            ends = partial(pc.ends_with, pattern=wanted)
            return Test(lambda texts: [text.endswith(wanted) for text in texts], ends)
    return _matching(*constants)


def _matching(pattern: str, flags: str = "") -> Test:
    """Which texts a pattern matches somewhere: by Arrow, which has RE2 as well, where it takes the pattern.

    Raises:
        FunctionError: the pattern or a flag is wrong.
    """
    found = arrow_pattern(pattern, flags)
    if found is None:
        return Test(partial(map, compiled(pattern, flags).search), None)
    column = partial(pc.match_substring_regex, pattern=found)

    def texts(some: Sequence[str]) -> Iterable[bool]:
        try:
            return mask_of(column(text_column(some)))
        except UnicodeEncodeError:  # a lone surrogate, which no Arrow column holds
            return map(compiled(pattern, flags).search, some)

    return Test(texts, column)


def arrow_pattern(pattern: str, flags: str = "") -> str | None:
    """The pattern for Arrow's RE2; None where it means something else there, or is wrong."""
    found = rewritten(pattern, flags)
    if found.backtracks or not found.text.isascii() or not _ASCII_PATTERN.fullmatch(found.text):
        return None
    try:
        pc.match_substring_regex(text_column([""]), pattern=found.text)
    except pa.ArrowInvalid:  # it is wrong, or too large for RE2
        return None
    return found.text


def lengths(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> ValueColumn:
    """STRLEN as numbers, which become terms only where terms are asked for. The text of ``STR(?x)`` is that of
    ``?x`` itself."""
    accepted, argument = are_texts, arguments[0]
    while isinstance(argument, Call) and argument.function == "str" and len(argument.arguments) == 1:
        accepted = have_text
        argument = argument.arguments[0]
    ids, numbers = distinct_ids(evaluator.ids_of(argument, batch))
    rows = where(accepted(evaluator.terms, ids))
    found = ValueColumn(
        np.full(len(ids), ValueClass.NOTHING, dtype=np.uint8), np.zeros(len(ids)), np.zeros(len(ids), dtype=np.bool_)
    )
    found.numbers[rows] = _of_ids(evaluator.terms, ids[rows])
    found.classes[rows] = ValueClass.INTEGER
    found.exact[rows] = True
    return found.take(numbers)


def _of_ids(terms: LocalTerms, ascending: Ids) -> NDArray[Any]:
    """The lengths of IRIs and of the texts of literals."""
    found = [_of_some(terms, ascending[rows]) for rows in terms.text_passes(ascending)]
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


def _of_some(terms: LocalTerms, ascending: Ids) -> NDArray[Any]:
    if len(ascending) > algebra_tuning.FEW_LEXICAL:
        try:
            return _of_column(terms.key_column(ascending), terms.kinds(ascending) == LITERAL_KIND)
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
