"""Inferred triples beside the explicit ones that they follow from: two directories that are read together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kgreason.errors import LoadError
from kgreason.io.encoded.encoded_reader import EncodedTriples, check_ids, read_triples
from kgreason.io.encoded.label_tables import (
    CLOSURES,
    Numbers,
    WrittenDefinition,
    WrittenLabels,
    read_definitions,
    read_labels,
)
from kgreason.io.encoded.manifest import DerivedFrom, Manifest, manifest_checksum, read_manifest


class InferredTriples(NamedTuple):
    """What a directory of inferred triples holds: positions go over the terms of the explicit triples, then `terms`."""

    directory: Path
    derived_from: DerivedFrom
    triples: EncodedTriples
    labels: dict[int, WrittenLabels]
    definitions: list[WrittenDefinition]


def is_inferred(directory: Path) -> bool:
    """Whether a local directory of encoded triples holds inferred ones, which are of no use by themselves."""
    return read_manifest(directory).derived_from is not None


def explicit_of(directory: Path, others: Sequence[Path]) -> Path:
    """Which of other directories has the explicit triples that those of a directory follow from.

    Raises:
        LoadError: none of them has.
    """
    origin = read_manifest(directory).derived_from
    if origin is None:
        raise LoadError("does not say what it follows from", path=directory)
    for other in others:
        if manifest_checksum(other) == origin.manifest:
            return other
    what = f"what follows from the triples of {origin.place} (whose manifest has the SHA-256 {origin.manifest[:16]}...)"
    if others:
        names = ", ".join(map(str, others))
        raise LoadError(f"holds {what}", path=directory, expected=f"those of {names}")
    raise LoadError(f"holds {what}; load that directory with it", path=directory)


def read_inferred(directory: Path, explicit: Manifest) -> InferredTriples:
    """Read what follows from explicit triples, given the manifest of these.

    Raises:
        LoadError: it cannot be used, as by `read_encoded`; labels or definitions that are damaged.
    """
    manifest = read_manifest(directory)
    origin = manifest.derived_from
    if origin is None or manifest.terms.first != explicit.terms.first + len(explicit.terms):
        raise LoadError("its terms do not follow those of the explicit triples", path=directory)
    triples = read_triples(directory, manifest, (explicit.terms, manifest.terms))
    definitions = read_definitions(directory, origin.definitions)
    labels = {
        relation: _positions(directory, found, explicit.terms.first, manifest.terms.first + len(manifest.terms))
        for relation, found in read_labels(directory, manifest).items()
    }
    for definition in definitions:
        for number in (definition.labels, definition.inverse_labels):
            if number is not None and number not in labels:
                raise LoadError(f"there are no labels of relation {number}", path=directory / CLOSURES)
    return InferredTriples(directory, origin, triples, labels, definitions)


def _positions(directory: Path, labels: WrittenLabels, first: int, end: int) -> WrittenLabels:
    """Labels of positions in place of those of ids, from `first` on, before `end`."""

    def position(ids: Numbers) -> Numbers:
        check_ids(ids, [(first, end)], directory / CLOSURES)
        return ids - first

    subject, object = position(labels.subject), position(labels.object)
    return labels._replace(subject=subject, object=object, node=position(labels.node))
