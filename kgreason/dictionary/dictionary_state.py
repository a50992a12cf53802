"""The state of a dictionary as a value, as snapshots keep it and as states of a store hold it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kgreason.dictionary.folded_keys import FoldedKeys
from kgreason.dictionary.hash_index import HashIndex
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.dictionary.key_runs import Run
from kgreason.dictionary.number_segments import NumberSegment
from kgreason.dictionary.ordered_keys import OrderedKeys
from kgreason.dictionary.segments import Segment


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DictionaryState:
    """What a dictionary holds, as immutable columns: runs of keys, the ways to them, the kinds that are known."""

    runs: tuple[Run, ...]
    index: HashIndex
    ordered: tuple[int, OrderedKeys] | None
    kinds: NDArray[np.uint8]

    def as_texts(self) -> DictionaryState:
        """The same with texts of numbers, too: some hundred nanoseconds for each of these."""
        runs, index, start = list[Run](), self.index, 0
        for run in self.runs:
            if isinstance(run, NumberSegment):
                column = KeyColumn.of_folded(FoldedKeys(run.keys_at(np.arange(len(run)))))
                order = np.argsort(column.hashes)
                index = index.added(column.hashes[order], (order + start).astype(np.uint32))
                runs.append(Segment(start, column.keys))
            else:
                runs.append(run)
            start += len(run)
        return replace(self, runs=tuple(runs), index=index)
