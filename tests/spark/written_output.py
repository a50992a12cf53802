"""What Spark has written, read back without Spark."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq
import pyoxigraph

from kgreason.io.encoded.manifest import DICTIONARY, PREDICATE, TRIPLES, Manifest, read_manifest
from kgreason.rdf.vocabulary import XSD_STRING

Key = str | None
Quad = tuple[Key, Key, Key, Key]


def read_encoded(directory: Path) -> tuple[Manifest, list[str], list[tuple[int, int, int, int | None]]]:
    """Manifest, terms by id, and triples as subject, predicate, object, graph, sorted; all files are checked."""
    manifest = read_manifest(directory)
    terms: list[str] = []
    triples: list[tuple[int, int, int, int | None]] = []
    for file in manifest.files:
        content = (directory / file.path).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file.bytes, file.sha256)
        table = pq.ParquetFile(directory / file.path).read()
        assert table.num_rows == file.rows
        columns = table.to_pydict()
        if file.path.startswith(f"{DICTIONARY}/"):
            assert columns["id"] == list(range(len(terms), len(terms) + len(table)))
            terms += columns["term"]
        else:
            predicate = int(file.path.split("/")[1].removeprefix(PREDICATE))
            assert [str(field.type) for field in table.schema] == ["int64"] * 3
            pairs = list(zip(columns["subject"], columns["object"], strict=True))
            assert pairs == sorted(pairs)
            triples += [(s, predicate, o, g) for (s, o), g in zip(pairs, columns["graph"], strict=True)]
    assert {file.path.split("/")[0] for file in manifest.files} <= {DICTIONARY, TRIPLES}
    assert len(triples) == len(set(triples)) == manifest.triples
    return manifest, terms, sorted(triples, key=lambda quad: (*quad[:3], -1 if quad[3] is None else quad[3]))


def quads_of(terms: list[str], triples: Iterable[tuple[int, int, int, int | None]]) -> set[Quad]:
    """The triples with keys for ids."""
    return {(terms[s], terms[p], terms[o], None if g is None else terms[g]) for s, p, o, g in triples}


def parsed(line: bytes, scope: str = "") -> Quad | None:
    """The quad on a line, as pyoxigraph reads it; None where it finds none. `scope` goes before labels.

    RDF 1.2 counts as nothing: kgreason has no terms for it.
    """
    try:
        quads = list(pyoxigraph.parse(input=line, format=pyoxigraph.RdfFormat.N_QUADS))
    except SyntaxError:
        return None
    keys = [_key(term, scope) for quad in quads for term in (*quad.triple, quad.graph_name)]
    return None if not keys or "" in keys else (keys[0], keys[1], keys[2], keys[3])


def _key(term: object, scope: str) -> Key:
    match term:
        case pyoxigraph.NamedNode():
            return term.value
        case pyoxigraph.BlankNode():
            return f"_:{scope}{term.value}"
        case pyoxigraph.DefaultGraph():
            return None
        case pyoxigraph.Literal() if term.direction is None:
            if term.language is not None:
                return f'"{term.value}"@{term.language}'
            suffix = "" if term.datatype.value == XSD_STRING else f"^^{term.datatype.value}"
            return f'"{term.value}"{suffix}'
    return ""
