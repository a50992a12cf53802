"""The ids of terms on the cluster and on the driver.

The cluster's ids are those of the encoded triples; the driver, which knows just the terms of the schema and of
closures, has a dictionary of its own. Terms that only rules bring get cluster ids that tell their kind like all
others: literals go on after the last id, other terms are negative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from kgreason.dictionary.dictionary import Dictionary
from kgreason.rdf.keys import LITERAL_KIND, kind_of
from kgreason.relations.codes import AUXILIARY
from kgreason_spark.materialisation import driver_limits
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.driver_limits import too_many
from kgreason_spark.materialisation.fact_columns import Numbers

if TYPE_CHECKING:
    from kgreason.relations.table import Ids

_UNKNOWN: Final = np.iinfo(np.int64).min


class Terms:
    """From the driver's ids to the cluster's and back.

    `new` are the ids of terms that rules brought, by their keys: at first those that an earlier run of the job gave.
    There are at most `driver_limits.TERMS` of them, or SparkError is raised.
    """

    def __init__(self, dictionary: Dictionary, dataset: Dataset, new: dict[str, int]) -> None:
        self.dictionary = dictionary
        self.new = new
        self._dataset = dataset
        self.first_new = dataset.manifest.terms.first + len(dataset.manifest.terms)
        self._next_literal = max([self.first_new, *(identifier + 1 for identifier in new.values())])
        self._next_other = min([-1, *(identifier - 1 for identifier in new.values())])
        self._on_cluster: Numbers = np.empty(0, dtype=np.int64)
        self._sorted: Numbers = np.empty(0, dtype=np.int64)
        self._local: Ids = np.empty(0, dtype=np.uint32)
        self._is_complete = False

    def to_cluster(self, ids: Ids) -> Numbers:
        """The cluster's ids of the driver's: a look through the cluster's dictionary for those not seen before."""
        self._grow()
        distinct = np.unique(ids)
        unknown = distinct[self._on_cluster[distinct] == _UNKNOWN]
        if len(unknown):
            keys = [self.dictionary.key(int(identifier)) for identifier in unknown]
            self._learn(self.identify(keys), unknown)
        return self._on_cluster[ids]

    def to_driver(self, ids: Numbers) -> Ids:
        """The driver's ids of the cluster's: a look through the cluster's dictionary for those not seen before."""
        distinct = np.unique(ids)
        unknown = distinct[~np.isin(distinct, self._sorted)]
        if len(unknown):
            found, keys = self._keys(unknown)
            assert len(found) == len(unknown), "an id without a term"
            local = self.dictionary.encode_keys(keys)
            self._grow()
            self._learn(found, local)
        return self._local[self._sorted.searchsorted(ids)]

    def learn_all(self, local: Ids) -> None:
        """Take in the driver's ids of all terms of the cluster's dictionary, in the order of the cluster's: nothing is
        looked up there from now on."""
        self._grow()
        first = self._dataset.manifest.terms.first
        self._learn(np.arange(first, first + len(local), dtype=np.int64), local)
        self._is_complete = True

    def identify(self, keys: Sequence[str]) -> Numbers:
        """The cluster's ids of terms by their keys, new ones for terms that it does not have.

        Raises:
            SparkError: rules have computed more than `driver_limits.TERMS`.

        Cost: a job, where not all terms of the cluster are known.
        """
        asked = [key for key in keys if key not in self.new]
        known = self._known(asked) if asked else {}
        for key in asked:
            if key not in known:
                known[key] = self.new[key] = self._give(key)
        if len(self.new) > driver_limits.TERMS:
            raise too_many(driver_limits.COMPUTED, driver_limits.TERMS)
        return np.array([known[key] if key in known else self.new[key] for key in keys], dtype=np.int64)

    def _known(self, keys: Sequence[str]) -> dict[str, int]:
        """The ids of those of the terms that the cluster's dictionary has."""
        if not self._is_complete:
            return self._dataset.ids(keys)
        self._grow()
        found = self.dictionary.lookup_keys(keys)
        on_cluster = np.where(found >= 0, self._on_cluster[found.clip(0)], _UNKNOWN).tolist()
        return {key: identifier for key, identifier in zip(keys, on_cluster, strict=True) if identifier != _UNKNOWN}

    def mapping(self) -> tuple[Numbers, Ids, Numbers]:
        """The cluster's ids that the driver knows, sorted; the driver's id of each; the cluster's by the driver's."""
        self.to_cluster(np.arange(len(self.dictionary), dtype=np.uint32))
        return self._sorted, self._local, self._on_cluster

    def is_literal(self, identifier: int) -> bool:
        """Whether a cluster's id is that of a literal."""
        return identifier >= self._dataset.manifest.terms.first_literal

    def relations_to_cluster(self, codes: Numbers) -> Numbers:
        """The cluster's codes of relations; auxiliary ones have the same."""
        return self._translated(codes, lambda ids: self.to_cluster(ids.astype(np.uint32)))

    def relations_to_driver(self, codes: Numbers) -> Numbers:
        """The driver's codes of relations."""
        return self._translated(codes, lambda ids: self.to_driver(ids).astype(np.int64))

    @staticmethod
    def _translated(codes: Numbers, translate: Callable[[Numbers], Numbers]) -> Numbers:
        kinds = codes & 3
        named = kinds != AUXILIARY
        result = codes.copy()
        if named.any():
            result[named] = translate(codes[named] >> 2) << 2 | kinds[named]
        return result

    def _keys(self, ids: Numbers) -> tuple[Numbers, list[str]]:
        """The terms of ids, in any order, with the ids, wherever they came from."""
        is_new = (ids < 0) | (ids >= self.first_new)
        brought = {identifier: key for key, identifier in self.new.items()} if is_new.any() else {}
        found, keys = ids[is_new], [brought[identifier] for identifier in ids[is_new].tolist()]
        if is_new.all():
            return found, keys
        others, names = self._dataset.keys(ids[~is_new])
        return np.concatenate((found, others)), keys + names

    def _give(self, key: str) -> int:
        if kind_of(key) == LITERAL_KIND:
            self._next_literal += 1
            return self._next_literal - 1
        self._next_other -= 1
        return self._next_other + 1

    def _grow(self) -> None:
        missing = len(self.dictionary) - len(self._on_cluster)
        if missing:
            self._on_cluster = np.concatenate((self._on_cluster, np.full(missing, _UNKNOWN)))

    def _learn(self, on_cluster: Numbers, local: Ids) -> None:
        self._on_cluster[local] = on_cluster
        everything = np.concatenate((self._sorted, on_cluster))
        order = np.argsort(everything, kind="stable")
        self._sorted, self._local = everything[order], np.concatenate((self._local, local))[order]
