"""What follows from encoded triples, as a job wrote it, with the ids of a dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kgreason.io.encoded.manifest import DerivedFrom
from kgreason.io.quads import Ids, Quads

if TYPE_CHECKING:
    from kgreason.io.encoded.inferred_directory import InferredTriples
    from kgreason.io.encoded.label_tables import WrittenDefinition, WrittenLabels


@dataclass(frozen=True, slots=True)
class Inferred:
    """Inferred triples and labels, whose nodes are ids, too; `is_distinct` says that no two of the terms have one id.

    Attributes:
        directory: where they were read.
        quads: in the default graph; of a relation in `definitions` only what is not a closure or copy.
        is_alone: whether the explicit triples are all that was read beside them.
    """

    directory: Path
    derived_from: DerivedFrom
    quads: Quads
    labels: Mapping[int, WrittenLabels]
    definitions: Sequence[WrittenDefinition]
    is_alone: bool
    is_distinct: bool

    @classmethod
    def of(cls, read: InferredTriples, explicit: Ids, own: Ids, is_alone: bool) -> Inferred:
        """Give triples the ids of the terms of the explicit ones, and of their own terms, in place of positions."""
        identifiers = np.concatenate((explicit, own))
        _, graph, subject, predicate, object = read.triples
        quads = Quads(graph, identifiers[subject], identifiers[predicate], identifiers[object])
        labels = {relation: _translated(labels, identifiers) for relation, labels in read.labels.items()}
        seen = np.zeros(int(identifiers.max()) + 1 if len(identifiers) else 0, dtype=np.bool_)
        seen[identifiers] = True
        is_distinct = int(np.count_nonzero(seen)) == len(identifiers)
        return cls(read.directory, read.derived_from, quads, labels, read.definitions, is_alone, is_distinct)


def _translated(labels: WrittenLabels, identifiers: Ids) -> WrittenLabels:
    subject, object, node = (
        identifiers[column].astype(np.int64) for column in (labels.subject, labels.object, labels.node)
    )
    return labels._replace(subject=subject, object=object, node=node)
