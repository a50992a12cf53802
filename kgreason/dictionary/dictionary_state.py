"""The state of a dictionary as a value, as snapshots keep it and as states of a store hold it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason.dictionary.hash_index import HashIndex
from kgreason.dictionary.key_runs import Run
from kgreason.dictionary.ordered_keys import OrderedKeys


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DictionaryState:
    """What a dictionary holds, as immutable columns: runs of keys, the ways to them, the kinds that are known."""

    runs: tuple[Run, ...]
    index: HashIndex
    ordered: tuple[int, OrderedKeys] | None
    kinds: NDArray[np.uint8]
