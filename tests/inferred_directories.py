"""Directories as ``kgreason spark materialise`` writes them, made without Spark from what a knowledge base derived."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kgreason.io.encoded.label_tables import CLOSURES, DEFINITIONS, EDGES, NODES, REACHED, checksum, definitions_text
from kgreason.io.encoded.manifest import (
    DICTIONARY,
    MANIFEST,
    PREDICATE,
    TRIPLES,
    DerivedFrom,
    EncodedFile,
    Manifest,
    TermCounts,
    current_version,
    manifest_checksum,
    read_manifest,
)
from kgreason.rdf.keys import kind_of as kind_of_key
from kgreason.relations.catalogue import EQUALITY, EQUIVALENCE, REPRESENTED, STEPS, TRANSITIVE
from kgreason.relations.codes import AUXILIARY, CLASS, identifier_of, kind_of
from kgreason.relations.table import Table
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_spark.materialisation.closure_tables import labels_of, written_definition
from tests.spark.distributed import encode_base


@dataclass
class Names:
    """What a reasoner calls relations."""

    base: KnowledgeBase

    def name(self, code: int) -> str:
        if kind_of(code) != AUXILIARY:
            return self.base.dictionary.key(identifier_of(code))
        return next(name for (name, _), known in self._auxiliaries() if known == code)

    def arity(self, code: int) -> int:
        if kind_of(code) != AUXILIARY:
            return 1 if kind_of(code) == CLASS else 2
        return next(arity for (_, arity), known in self._auxiliaries() if known == code)

    def _auxiliaries(self):
        return self.base.state.program.auxiliaries.items()


def write_pair(folder: Path, base: KnowledgeBase, *, pairs: bool = False) -> tuple[Path, Path]:
    """Two new directories, ``encoded`` and ``inferred``; with `pairs`, closures are written out."""
    base.flush()
    return encode_base(folder / "encoded", base), _write_inferred(folder, base, pairs)


def _write_inferred(folder: Path, base: KnowledgeBase, pairs: bool) -> Path:
    encoded, target = folder / "encoded", folder / "inferred"
    engine, dictionary = base.state.engine, base.dictionary
    # Spark keeps nothing over representatives: it writes such relations out.
    own = {code: d for code, d in engine.definitions.items() if d.closure not in (EQUALITY, REPRESENTED, STEPS)}
    definitions = {} if pairs else {d: None for code, d in own.items() if engine.facts.get(code)}
    kept = {member.code for definition in definitions for member in definition.members}
    found = []
    for code, table in engine.facts.items():
        if kind_of(code) != AUXILIARY:
            found.append(_triples(base, code, engine.external.get(code) if code in kept else table))
    triples = np.concatenate([np.empty((0, 3), dtype=np.uint32), *found])
    tables: dict[int, Table] = {}
    written = []
    for definition in definitions:
        first = definition.members[0].code
        if definition.closure not in (TRANSITIVE, EQUIVALENCE):
            written.append((definition, None, None))
            continue
        tables[first] = engine.facts.get(first)
        inverse = next((m.code for m in definition.members if m.inverse and definition.closure == TRANSITIVE), None)
        if inverse is not None:
            tables[inverse] = tables[first].inverse()
        written.append((definition, first, inverse))
    named = [identifier_of(code) for code in kept if kind_of(code) != AUXILIARY]
    nodes = [np.concatenate(table.edges.columns()) for table in tables.values()]
    used = np.unique(np.concatenate([triples.reshape(-1), np.array(named, dtype=np.uint32), *nodes]))
    numbers, counts, terms = _numbers(encoded, [dictionary.key(int(term)) for term in used])
    identify = np.zeros(int(used.max()) + 1 if len(used) else 1, dtype=np.int64)
    identify[used] = numbers

    def number(code: int | None) -> int | None:
        if code is None:
            return None
        return ~identifier_of(code) if kind_of(code) == AUXILIARY else int(identify[identifier_of(code)])

    files = [_write(target, f"{DICTIONARY}/part-0.parquet", terms)]
    final = identify[triples]
    for predicate in np.unique(final[:, 1]).tolist():
        rows = final[final[:, 1] == predicate]
        graph = pa.nulls(len(rows), pa.int64())
        table = pa.table({"subject": rows[:, 0], "object": rows[:, 2], "graph": graph})
        files.append(_write(target, f"{TRIPLES}/{PREDICATE}{predicate}/part-0.parquet", table))
    text = None
    if not pairs:
        labels = labels_of({number(code): table for code, table in tables.items()}, lambda ids: identify[ids])
        for name, table in ((EDGES, labels.edges), (NODES, labels.nodes), (REACHED, labels.reached)):
            files.append(_write(target, f"{CLOSURES}/{name}/part-0.parquet", table))
        names = Names(base)
        text = definitions_text([written_definition(d, number(a), number(b), names) for d, a, b in written])
        (target / DEFINITIONS).write_text(text)
    origin = DerivedFrom(
        str(encoded),
        manifest_checksum(encoded),
        base.program.digest,
        current_version(),
        None if text is None else checksum(text),
    )
    manifest = Manifest(counts, len(triples), tuple(files), origin)
    (target / MANIFEST).write_text(manifest.to_json())
    return target


def _triples(base: KnowledgeBase, code: int, table: Table | None) -> np.ndarray:
    """Facts that are not explicit, as rows of ids."""
    explicit = base.state.engine.explicit.get(code)
    rest = table.materialised().difference(explicit) if table and explicit else table
    columns = rest.columns() if rest else (np.empty(0, dtype=np.uint32),) * 2
    subject, named = columns[0], np.full(len(columns[0]), identifier_of(code), dtype=np.uint32)
    if kind_of(code) == CLASS:
        type_id = np.full(len(subject), base._current.configuration.type_id, dtype=np.uint32)
        return np.stack([subject, type_id, named], axis=1)
    return np.stack([subject, named, columns[1]], axis=1)


def _numbers(encoded: Path, keys: list[str]) -> tuple[np.ndarray, TermCounts, pa.Table]:
    """The ids of terms, which follow those of encoded triples where they are not among these; and the new terms."""
    manifest = read_manifest(encoded)
    known: dict[str, int] = {}
    for file in manifest.section(DICTIONARY):
        table = pq.read_table(encoded / file.path, partitioning=None)
        known |= dict(zip(table["term"].to_pylist(), table["id"].to_pylist(), strict=True))
    new = sorted({*keys} - known.keys(), key=lambda key: (kind_of_key(key), key.encode()))
    first = manifest.terms.first + len(manifest.terms)
    known |= {key: first + at for at, key in enumerate(new)}
    sizes = [sum(kind_of_key(key) == kind for key in new) for kind in range(3)]
    terms = pa.table({"id": pa.array(range(first, first + len(new)), pa.int64()), "term": pa.array(new, pa.string())})
    return np.array([known[key] for key in keys], dtype=np.int64), TermCounts(*sizes, first=first), terms


def _write(folder: Path, path: str, table: pa.Table) -> EncodedFile:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, target)
    return _described(folder, path, len(table))


def _described(folder: Path, path: str, rows: int) -> EncodedFile:
    content = (folder / path).read_bytes()
    return EncodedFile(path, rows, len(content), sha256(content).hexdigest())


def forge(folder: Path, section: str, change: Callable[[pa.Table], pa.Table]) -> Path:
    """Change the first file below a section, and the manifest so that all checksums are right."""
    manifest = read_manifest(folder)
    files = list(manifest.files)
    at = next(at for at, file in enumerate(files) if file.path.startswith(f"{section}/"))
    table = change(pq.read_table(folder / files[at].path, partitioning=None))
    pq.write_table(table, folder / files[at].path)
    files[at] = _described(folder, files[at].path, len(table))
    triples = sum(file.rows for file in files if file.path.startswith(f"{TRIPLES}/"))
    text = Manifest(manifest.terms, triples, tuple(files), manifest.derived_from).to_json()
    (folder / MANIFEST).write_text(text)
    return folder / files[at].path


def change_origin(folder: Path, **changes: str) -> None:
    """Let the manifest say that the triples follow from something else."""
    manifest = read_manifest(folder)
    origin = DerivedFrom(**{**asdict(manifest.derived_from), **changes})
    (folder / MANIFEST).write_text(Manifest(manifest.terms, manifest.triples, manifest.files, origin).to_json())


def change_definitions(folder: Path, change: Callable[[list], object]) -> None:
    """Change ``definitions.json``, and its checksum."""
    text = json.dumps(change(json.loads((folder / DEFINITIONS).read_text())))
    (folder / DEFINITIONS).write_text(text)
    change_origin(folder, definitions=checksum(text))
