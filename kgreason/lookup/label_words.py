"""Labels as words: which labels have words that begin as those of a text, by binary search over all words.

Case and accents do not count, and a word is a run of letters and digits. Everything is built and searched by columns:
a million labels take some seconds to index and 100 bytes each.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa, pc
from kgreason.columns import sorted_sets
from kgreason.dictionary.arrow_columns import mask_of, numbers_of, row_column, text_column, text_scalar

_LAST: Final = "\U0010ffff"
SAME, BEGINS, HAS_WORDS = range(3)
"""How well a label fits a text: it is the same, begins with it, or has its words."""


@dataclass(frozen=True, slots=True)
class LabelWords:
    """An index of a column of texts.

    `words` are all words in ascending order. Those of number i are in the rows
    ``postings[starts[i]:starts[i + 1]]``. `folded` are the texts as they are compared, and `lengths` how long they are.
    """

    words: list[str]
    starts: NDArray[np.int64]
    postings: NDArray[np.int64]
    folded: pa.Array
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, texts: pa.Array) -> LabelWords:
        """The index of a string column: O(n log n)."""
        folded = fold(texts)
        split = pc.split_pattern(folded, " ")
        rows, words = pc.list_parent_indices(split), pc.list_flatten(split)
        named = pc.not_equal(words, text_scalar(""))
        encoded = words.filter(named).dictionary_encode()
        order = pc.array_sort_indices(encoded.dictionary)
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[numbers_of(order)] = np.arange(len(order))
        numbers = ranks[numbers_of(encoded.indices)]
        by_word = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[by_word], np.arange(len(order) + 1))
        postings = numbers_of(rows.filter(named))[by_word].astype(np.int64)
        lengths = numbers_of(pc.utf8_length(folded)).astype(np.int64)
        return cls(encoded.dictionary.take(order).to_pylist(), starts, postings, folded, lengths)

    def rows(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of the texts that have, for each word of a text, a word that begins so, and how well each fits; the
        best first, and of those that fit as well the shortest."""
        folded = fold(text_column([text]))[0].as_py()
        found = [self._beginning(word) for word in folded.split()]
        if not found:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        rows = reduce(np.intersect1d, sorted(found, key=len))
        texts = self.folded.take(row_column(rows))
        begins = mask_of(pc.starts_with(texts, folded))
        lengths = self.lengths[rows]
        fits = np.where(begins, np.where(lengths == len(folded), SAME, BEGINS), HAS_WORDS)
        order = np.lexsort((rows, lengths, fits))
        return rows[order], fits[order]

    def _beginning(self, word: str) -> NDArray[np.int64]:
        """The rows with a word that begins so, ascending."""
        begin, end = bisect_left(self.words, word), bisect_left(self.words, word + _LAST)
        return sorted_sets.unique(self.postings[self.starts[begin] : self.starts[end]])


def fold(texts: pa.Array) -> pa.Array:
    """Texts in lower case, without accents, one space in the place of all that is no letter or digit."""
    plain = pc.replace_substring_regex(pc.utf8_normalize(texts, form="NFKD"), r"\p{M}+", "")
    return pc.utf8_trim_whitespace(pc.replace_substring_regex(pc.utf8_lower(plain), r"[^\p{L}\p{N}]+", " "))
