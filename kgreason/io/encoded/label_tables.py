"""Closures as labels: what a relation of billions of pairs looks like on disk, beside encoded triples.

The folder ``closures/`` has three tables. Nodes and relations are ids; a relation that is not a property has
a negative number instead.

* ``edges``: `relation`, `subject`, `object`: the pairs whose closure the relation is.
* ``nodes``: `relation`, `node`, `label`, `component`: each end of an edge, its label, and the number of its component.
  Two nodes of an equivalence are related when they have the same component; the components of a transitive relation are
  the strongly connected ones of the edges, each numbered by its least label.
* ``reached``: `relation`, `component`, `labels`: the labels that the component of a transitive relation reaches, as a
  Roaring bitmap in the portable format, which every Roaring library reads. x is related to y when the label of y is
  among the labels that the component of x reaches.

``definitions.json`` says for each of these relations, and those that are made of them, how they follow: the kind of
closure; its number in the tables if it has labels, and that of the relation the other way round if that has some, too;
the relations that copy each other, those that are copied into them, and those that continue a chain. A relation is a
class or a property, by the key of its term, or an auxiliary relation, by what rules call it and its arity.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason.errors import LoadError, one_line
from kgreason.io.encoded.manifest import Manifest
from kgreason.io.encoded.parquet_files import batches_of, numbers_in

Numbers = NDArray[np.int64]

CLOSURES: Final = "closures"
EDGES: Final = "edges"
NODES: Final = "nodes"
REACHED: Final = "reached"
DEFINITIONS: Final = "definitions.json"

EDGES_SCHEMA: Final = pa.schema([(name, pa.int64()) for name in ("relation", "subject", "object")])
NODES_SCHEMA: Final = pa.schema([(name, pa.int64()) for name in ("relation", "node", "label", "component")])
REACHED_SCHEMA: Final = pa.schema([("relation", pa.int64()), ("component", pa.int64()), ("labels", pa.binary())])

KINDS: Final = ("class", "property", "auxiliary")


@dataclass(frozen=True, slots=True)
class WrittenRelation:
    """A relation of a definition: its kind, the key of its term or the name of an auxiliary one, its arity, and whether
    its arguments are the other way round."""

    relation: str
    kind: str
    arity: int
    inverse: bool

    def __post_init__(self) -> None:
        is_text = isinstance(self.relation, str) and isinstance(self.inverse, bool)
        if not is_text or self.kind not in KINDS or not isinstance(self.arity, int) or self.arity < 1:
            raise ValueError(f"{self} is not a relation")


@dataclass(frozen=True, slots=True)
class WrittenDefinition:
    """How relations follow: `closure` is a kind of `kgreason.relations.catalogue`, `labels` and `inverse_labels` are
    numbers in the tables."""

    closure: str
    labels: int | None
    inverse_labels: int | None
    members: tuple[WrittenRelation, ...]
    sources: tuple[WrittenRelation, ...] = ()
    left: tuple[WrittenRelation, ...] = ()
    right: tuple[WrittenRelation, ...] = ()

    def __post_init__(self) -> None:
        numbers = (self.labels, self.inverse_labels)
        if not isinstance(self.closure, str) or not all(n is None or isinstance(n, int) for n in numbers):
            raise ValueError(f"{self.closure!r} with the labels {self.labels!r} is not a definition")
        if not self.members or len({member.arity for member in self.members}) > 1 or self.members[0].inverse:
            raise ValueError("a definition has no members, or such as do not fit together")

    @property
    def reads(self) -> tuple[WrittenRelation, ...]:
        """The relations that the members follow from."""
        return self.sources + self.left + self.right

    def as_json(self) -> dict[str, object]:
        """What is written of it."""
        written: dict[str, object] = {}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, tuple):
                value = [{part.name: getattr(each, part.name) for part in fields(each)} for each in value]
            written[entry.name] = value
        return written

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> WrittenDefinition:
        """Read what `as_json` gave; ValueError or another error of a wrong type for anything else."""
        relations = {
            entry.name: tuple(WrittenRelation(**each) for each in content[entry.name])
            for entry in fields(cls)
            if entry.name not in ("closure", "labels", "inverse_labels")
        }
        return cls(content["closure"], content["labels"], content["inverse_labels"], **relations)


def definitions_text(definitions: list[WrittenDefinition]) -> str:
    """The text of ``definitions.json``."""
    return json.dumps([each.as_json() for each in definitions], indent=1, ensure_ascii=False) + "\n"


def checksum(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_definitions(directory: Path, expected: str | None) -> list[WrittenDefinition]:
    """The definitions of a local directory, which have the checksum `expected`; none where that is None.

    Raises:
        LoadError: there are none that can be used.
    """
    if expected is None:
        return []
    path = directory / DEFINITIONS
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(f"cannot be read: {one_line(error)}", path=path) from error
    if checksum(text) != expected:
        raise LoadError("its SHA-256 is not the one in the manifest", path=path)
    try:
        return [WrittenDefinition.of_json(each) for each in json.loads(text)]
    except RecursionError:
        raise LoadError("no definitions of relations: nested too deep", path=path) from None
    except (KeyError, TypeError, ValueError) as error:
        raise LoadError(f"no definitions of relations: {error}", path=path) from None


class WrittenLabels(NamedTuple):
    """The labels of one relation: edges and nodes as ids, what components reach as one bitmap after the other."""

    subject: Numbers
    object: Numbers
    node: Numbers
    component: Numbers
    number: Numbers
    data: NDArray[np.uint8]
    ends: Numbers


def read_labels(directory: Path, manifest: Manifest) -> dict[int, WrittenLabels]:
    """The labels by the numbers of their relations.

    Raises:
        LoadError: a file is missing or damaged, or a table has no such columns; labels that are not 0, 1, 2, ...
    """
    edges = _numbers_by_relation(directory, manifest, EDGES, EDGES_SCHEMA)
    nodes = _numbers_by_relation(directory, manifest, NODES, NODES_SCHEMA)
    reached = _reached_by_relation(directory, manifest)
    none, no_sets = np.empty((3, 0), dtype=np.int64), (np.empty(0, dtype=np.int64), *_joined([]))
    found: dict[int, WrittenLabels] = {}
    for relation in sorted({*edges, *nodes, *reached}):
        subject, object = edges.get(relation, none[:2])
        node, label, component = nodes.get(relation, none)
        order = np.argsort(label, kind="stable")
        if not np.array_equal(label[order], np.arange(len(label))):
            raise LoadError(
                f"the labels of relation {relation} are not 0, 1, 2, ...", path=directory / CLOSURES / NODES
            )
        sets = reached.get(relation, no_sets)
        found[relation] = WrittenLabels(subject, object, node[order], component[order], *sets)
    return found


def _numbers_by_relation(directory: Path, manifest: Manifest, name: str, schema: pa.Schema) -> dict[int, Numbers]:
    """The columns behind the first one, of each relation: a row for each column."""
    parts = [np.empty((len(schema), 0), dtype=np.int64)]
    for path, batch in _batches(directory, manifest, name, schema):
        parts.append(np.stack([numbers_in(column, path) for column in batch.columns]))
    columns = np.concatenate(parts, axis=1)
    order = np.argsort(columns[0], kind="stable")
    values, starts = np.unique(columns[0][order], return_index=True)
    spans = zip(values.tolist(), np.split(order, starts[1:]), strict=True) if len(values) else ()
    return {relation: columns[1:, rows] for relation, rows in spans}


def _reached_by_relation(directory: Path, manifest: Manifest) -> dict[int, tuple[Numbers, NDArray[np.uint8], Numbers]]:
    """The components of each relation and their bitmaps; the rows of a relation follow each other in every file."""
    components: dict[int, list[Numbers]] = {}
    bitmaps: dict[int, list[pa.Array]] = {}
    for path, batch in _batches(directory, manifest, REACHED, REACHED_SCHEMA):
        relations = numbers_in(batch.column(0), path)
        if batch.column(2).null_count:
            raise LoadError("a component has no labels", path=path)
        borders = [0, *(np.flatnonzero(np.diff(relations)) + 1).tolist(), len(batch)]
        for begin, end in pairwise(borders):
            relation = int(relations[begin])
            components.setdefault(relation, []).append(numbers_in(batch.column(1)[begin:end], path))
            bitmaps.setdefault(relation, []).append(batch.column(2)[begin:end])
    return {relation: (np.concatenate(components[relation]), *_joined(bitmaps[relation])) for relation in components}


def _batches(
    directory: Path, manifest: Manifest, name: str, schema: pa.Schema
) -> Iterator[tuple[Path, pa.RecordBatch]]:
    for file in manifest.section(f"{CLOSURES}/{name}"):
        path = directory / file.path
        for read in batches_of(directory, file, schema.names):
            batch = read.select(schema.names)
            if batch.schema.types != schema.types:
                expected = ", ".join(f"{field.name} {field.type}" for field in schema)
                raise LoadError(f"the columns are not {expected}", path=path)
            if len(batch):
                yield path, batch


def _joined(columns: list[pa.Array]) -> tuple[NDArray[np.uint8], Numbers]:
    """The bytes of all rows, and where each row begins, and the last one ends."""
    data, ends, length = [np.empty(0, dtype=np.uint8)], [np.zeros(1, dtype=np.int64)], 0
    for column in columns:
        _, offsets, content = column.buffers()
        own = np.frombuffer(offsets, dtype=np.int32)[column.offset : column.offset + len(column) + 1].astype(np.int64)
        if content is not None:
            data.append(np.frombuffer(content, dtype=np.uint8)[own[0] : own[-1]])
        ends.append(own[1:] - own[0] + length)
        length += int(own[-1] - own[0])
    return np.concatenate(data), np.concatenate(ends)
