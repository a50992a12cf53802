"""Quads of an Oxigraph database into a knowledge base, and graphs of a knowledge base into a new Oxigraph database.

Both go through N-Quads in a temporary file, which either side reads at its full speed. Oxigraph keeps some literals by
their value and language tags in lower case: ``"007"^^xsd:integer`` comes back as ``"7"^^xsd:integer``.
"""

from __future__ import annotations

import os
import shutil
from io import BytesIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final

import pyoxigraph

from kgreason.errors import LoadError, WriteError, one_line, printable
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from kgreason.store.triple_writer import token_of, write_triples

_MARK: Final = "CURRENT"
"""A file that every database of RocksDB has."""
_SHOWN: Final = 200


def import_database(path: Path, knowledge: KnowledgeBase) -> int:
    """Queue the quads of a database, each in its graph; how many there are.

    Raises:
        LoadError: it is not a database of Oxigraph, or holds something outside of RDF 1.1; nothing is queued then.

    Cost: some 7 microseconds a quad, and a temporary file of N-Quads.
    """
    if not (path / _MARK).is_file():
        raise LoadError("no database of Oxigraph", path=path)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "quads.nq"
        try:
            pyoxigraph.Store.read_only(str(path)).dump(str(file), pyoxigraph.RdfFormat.N_QUADS)
        except (OSError, ValueError, RuntimeError) as error:
            raise LoadError(f"cannot be read: {one_line(error)}", path=path) from error
        try:
            return knowledge.bulk_load(file).triples
        except LoadError as error:
            if error.line is None:
                raise
            # The user knows the database, and not the file that has gone when the error is read.
            raise LoadError(error.reason, path=path, part=f"the quad {_line(file, error.line)}") from error


def _line(file: Path, number: int) -> str:
    """A line, cut off where it is long."""
    with file.open("rb") as stream:
        line = next(islice(stream, number - 1, None), b"")
    return printable(line.decode(errors="replace").strip(), _SHOWN)


def export_database(knowledge: KnowledgeBase, path: Path, *, inferred: bool = True) -> int:
    """Make a database of the explicit triples of all graphs, and in the default graph of what only follows, unless
    `inferred` is false; how many quads it has.

    Raises:
        WriteError: there is something at `path` already, or it cannot be written; there is no database then.

    Cost: some 10 microseconds a quad, and a temporary file of N-Quads.
    """
    path = path.absolute()
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise WriteError("there is something already; give a new directory", path=path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        count = _fill(part, knowledge, inferred)
        part.replace(path)
    except OSError as error:
        raise WriteError(f"cannot be written: {one_line(error)}", path=path) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return count


def _fill(path: Path, knowledge: KnowledgeBase, inferred: bool) -> int:
    with knowledge.paused():
        views = [(_name(knowledge, graph), knowledge.graph(graph)) for graph in knowledge.graphs()]
        if inferred:
            views.append(("", knowledge.inferred()))
    path.mkdir(parents=True)
    store = pyoxigraph.Store(str(path))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "quads.nq"
        with file.open("wb") as stream:
            for name, view in views:
                write_triples(view, knowledge.dictionary, _InGraph(stream, name), "nt")
        store.bulk_load(path=str(file), format=pyoxigraph.RdfFormat.N_QUADS)
    store.flush()
    return len(store)


class _InGraph(BytesIO):
    """Takes whole lines of N-Triples, and hands them on as N-Quads of one graph."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        super().__init__()
        self._stream = stream
        self._end = f" {name} .\n".encode()

    def write(self, lines: Any) -> int:
        # No literal has a line break in it that is not escaped.
        return self._stream.write(bytes(lines).replace(b" .\n", self._end) if self._end != b"  .\n" else lines)


def _name(knowledge: KnowledgeBase, graph: int) -> str:
    """A graph's name in N-Quads, nothing for the default graph."""
    return "" if graph == DEFAULT_GRAPH else token_of(knowledge.dictionary.decode(graph))
