"""GROUP_CONCAT of SPARQL 1.1, section 18.5.1.7: the texts of groups of terms, joined."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.algebra.expressions.text_tests import shown_texts
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.row_keys import Counts, Ids, Index, distinct_ids
from kgreason.checkpoints import checkpoint
from kgreason.columns.id_columns import repeated
from kgreason.columns.pairs import runs_within
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
    texts, errors = shown_texts(terms, distinct)
    is_error = np.zeros(len(distinct), dtype=np.bool_)
    is_error[errors] = True
    broken = broken.copy()
    broken[groups[is_error[numbers]]] = True
    known = np.flatnonzero(~broken)
    checkpoint()
    sizes = np.fromiter(map(len, texts), np.int64, len(texts)) + len(separator)
    totals = np.bincount(groups, weights=sizes[numbers] * counts, minlength=len(broken))
    check_length(int(totals[known].max(initial=0)))
    checkpoint()
    order = argsort(groups)
    checkpoint()
    # What adds no character may come any number of times.
    order = order[(sizes[numbers[order]] > 0) & ~broken[groups[order]]]
    ends = np.searchsorted(groups[order], np.arange(len(broken) + 1))
    joined = _joined_groups(texts, numbers[order], counts[order], ends, separator)
    found = repeated(UNBOUND, len(broken))
    found[known] = terms.encode_keys([f'"{joined[group]}"' for group in known.tolist()])
    return found


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
