"""GROUP_CONCAT of SPARQL 1.1, section 18.5.1.7: the texts of groups of terms, joined."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.algebra.expressions.lexical_functions import have_text
from kgreason.algebra.expressions.text_tests import shown_texts
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.row_keys import Counts, Ids, Index, distinct_ids
from kgreason.algebra.term_order import wide_texts
from kgreason.arrow import pa, pc
from kgreason.checkpoints import checkpoint
from kgreason.columns.id_columns import repeated
from kgreason.columns.pairs import runs_within
from kgreason.dictionary.arrow_columns import joined_runs, numbers_of, row_column, text_scalar
from kgreason.rdf.hashing import joined_texts, narrowed
from kgreason.rdf.keys import IRI_KIND, LITERAL_KIND
from kgreason.rdf.text_lengths import check_length
from kgreason.sorting import argsort


def concatenated(
    terms: LocalTerms, ids: Ids, groups: Index, counts: Counts, broken: NDArray[np.bool_], separator: str
) -> Ids:
    """The texts of each group that is not broken, in the order of the rows, each as often as it counts.

    Raises:
        QueryLimitError: a text would be too long.
    """
    distinct, numbers = distinct_ids(ids)
    errors = ~have_text(terms, distinct)
    column = _text_column(terms, distinct, separator)
    texts = shown_texts(terms, distinct)[0] if column is None else []
    broken = broken.copy()
    broken[groups[errors[numbers]]] = True
    known = np.flatnonzero(~broken)
    checkpoint()
    lengths = np.fromiter(map(len, texts), np.int64) if column is None else numbers_of(pc.utf8_length(column))
    sizes = lengths + len(separator)
    totals = np.bincount(groups, weights=sizes[numbers] * counts, minlength=len(broken))
    check_length(int(totals[known].max(initial=0)))
    checkpoint()
    order = argsort(groups)
    checkpoint()
    # What adds no character may come any number of times.
    order = order[(sizes[numbers[order]] > 0) & ~broken[groups[order]]]
    ends = np.searchsorted(groups[order], np.arange(len(broken) + 1))
    found = repeated(UNBOUND, len(broken))
    if column is not None:
        joined = _joined_columns(column, numbers[order], counts[order], ends, separator)
        quote, nothing = (text_scalar(text).cast(joined.type) for text in ('"', ""))
        keys = pc.binary_join_element_wise(quote, joined.take(row_column(known)), quote, nothing)
        found[known] = terms.encode_column(narrowed(keys))
    else:
        listed = _joined_groups(texts, numbers[order], counts[order], ends, separator)
        found[known] = terms.encode_keys([f'"{listed[group]}"' for group in known.tolist()])
    return found


def _text_column(terms: LocalTerms, ascending: Ids, separator: str) -> pa.Array | None:
    """The texts of many literals, or of many IRIs, as a column; None for few, for other terms, and where one or the
    separator has a lone surrogate, which only Python joins."""
    if len(ascending) <= tuning.FEW_TEXTS:
        return None
    kinds = terms.kinds(ascending)
    if kinds[0] not in (LITERAL_KIND, IRI_KIND) or not (kinds == kinds[0]).all():
        return None
    try:
        separator.encode()
    except UnicodeEncodeError:
        return None
    return wide_texts(ascending, kinds[0] == LITERAL_KIND, terms)


def _joined_columns(texts: pa.Array, numbers: Index, counts: Counts, ends: Index, separator: str) -> pa.Array:
    """The text of each group, whose rows are between two of `ends`, as a column: many small groups at once."""
    joined = []
    before = np.concatenate(([0], counts.cumsum()))[ends]
    for begin, end in runs_within(np.diff(before), tuning.TEXT_ROWS):
        checkpoint()
        rows, bounds = slice(ends[begin], ends[end]), before[begin : end + 1] - before[begin]
        if end == begin + 1:
            joined.append(_joined_column(texts, numbers[rows], counts[rows], separator))
        else:
            joined.append(_runs(texts, numbers[rows], counts[rows], bounds, separator))
    return joined_texts(joined)


def _joined_column(texts: pa.Array, numbers: Index, counts: Counts, separator: str) -> pa.Array:
    """Texts by their numbers, each as often as it counts, in pieces."""
    found = [texts[:0]]
    for begin, end in runs_within(counts, tuning.TEXT_ROWS):
        checkpoint()
        bounds = np.array([0, counts[begin:end].sum()])
        found.append(_runs(texts, numbers[begin:end], counts[begin:end], bounds, separator))
    return joined_runs(joined_texts(found), np.array([0, len(found) - 1]), separator)


def _runs(texts: pa.Array, numbers: Index, counts: Counts, bounds: Index, separator: str) -> pa.Array:
    return joined_runs(texts.take(row_column(numbers.repeat(counts))), bounds, separator)


def _joined_groups(texts: Sequence[str], numbers: Index, counts: Counts, ends: Index, separator: str) -> list[str]:
    """The text of each group, whose rows are between two of `ends`: many small groups at once."""
    joined: list[str] = []
    before = np.concatenate(([0], counts.cumsum()))[ends]
    for begin, end in runs_within(np.diff(before), tuning.TEXT_ROWS):
        checkpoint()
        rows = slice(ends[begin], ends[end])
        if end == begin + 1:
            joined.append(_joined(texts, numbers[rows], counts[rows], separator))
        else:
            each = [texts[number] for number in numbers[rows].repeat(counts[rows]).tolist()]
            bounds = (before[begin : end + 1] - before[begin]).tolist()
            joined += [separator.join(each[first:last]) for first, last in pairwise(bounds)]
    return joined


def _joined(texts: Sequence[str], numbers: Index, counts: Counts, separator: str) -> str:
    """Texts by their numbers, each as often as it counts, in pieces."""
    found: list[str] = []
    for begin, end in runs_within(counts, tuning.TEXT_ROWS):
        checkpoint()
        each = np.repeat(numbers[begin:end], counts[begin:end]).tolist()
        found.append(separator.join(map(texts.__getitem__, each)))
    return separator.join(found)
