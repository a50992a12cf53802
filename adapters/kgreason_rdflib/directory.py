"""A directory that a store is open in: opened, committed to, gone back to, and closed.

Prefixes and named graphs are rdflib's, and kept as settings of the durable knowledge base.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from rdflib.term import BNode, IdentifiedNode, URIRef

from kgreason.durable.catalogue import FILE
from kgreason.durable.directory import Directory
from kgreason.durable.documents import expect, parse_document
from kgreason.errors import LoadError
from kgreason.knowledge.durability import DurableKnowledge, Wishes
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graphs import Scopes
from kgreason_rdflib.prefixes import Prefixes
from kgreason_rdflib.state import pack, unpack

_NAMED: Final = "graphs"
_PREFIXES: Final = "prefixes"
_NAMES_OF_GRAPHS: Final = "the names of graphs"


class OpenDirectory:
    """The place of one opened store, until `close`."""

    def __init__(self, path: Path, wishes: Wishes, *, create: bool, read_only: bool) -> None:
        """Open a directory; errors as of `DurableKnowledge`."""
        self.path = path
        self.read_only = read_only
        self._durable = DurableKnowledge(path, wishes, create=create, read_only=read_only)
        # What a rollback goes back to when none were ever committed: those that rdflib has bound, say.
        self._start_prefixes: list[tuple[str, URIRef]] = []

    def show(self, contents: Contents, scopes: Scopes, prefixes: Prefixes) -> None:
        """Let a store show what was committed, and what it had already as changes that are not."""
        try:
            keys, quads = pack(contents.knowledge)
            named, bound = self._committed()
        except BaseException as error:
            self._durable.directory.close()
            if isinstance(error, LoadError) and str(self.path) not in str(error):
                raise LoadError(f"{self.path}: {error}") from error
            raise
        contents.become(self._durable.knowledge)
        contents.add_quads(unpack(contents.knowledge.dictionary, keys, quads))
        for name in named:
            scopes.register(name)
        for prefix, namespace in bound:
            prefixes.bind(prefix, namespace)
        self._start_prefixes = list(prefixes)

    def commit(self, scopes: Scopes, prefixes: Prefixes) -> None:
        """Put what changed on disk."""
        named = [f"_:{name}" if isinstance(name, BNode) else str(name) for name in scopes]
        bound = [[str(prefix), str(namespace)] for prefix, namespace in prefixes]
        self._durable.commit({_NAMED: json.dumps(named), _PREFIXES: json.dumps(bound)})

    def roll_back(self, scopes: Scopes, prefixes: Prefixes) -> None:
        """Go back to what was committed last."""
        self._durable.roll_back()
        named, bound = self._committed()
        for name in set(scopes).difference(named):
            scopes.forget(name)
        for name in named:
            scopes.register(name)
        prefixes.replace(bound if _PREFIXES in self._durable.settings else self._start_prefixes)

    def write_snapshot(self) -> None:
        """Let the next opening map what is committed, as it is now."""
        self._durable.write_snapshot()

    def compact(self) -> None:
        """Put what remains in the place of all commits."""
        self._durable.compact()

    def close(self) -> None:
        """Give the directory back."""
        self._durable.close()

    def _committed(self) -> tuple[list[IdentifiedNode], list[tuple[str, URIRef]]]:
        settings = self._durable.settings
        names = _texts(parse_document(settings.get(_NAMED, "[]"), _NAMES_OF_GRAPHS), _NAMES_OF_GRAPHS)
        named: list[IdentifiedNode] = [BNode(key[2:]) if key.startswith("_:") else URIRef(key) for key in names]
        bound: list[tuple[str, URIRef]] = []
        for pair in expect(parse_document(settings.get(_PREFIXES, "[]"), _PREFIXES), list, _PREFIXES):
            texts = _texts(pair, "a prefix and its namespace")
            if len(texts) != 2:
                raise LoadError(f"damaged: a prefix with {len(texts) - 1} namespaces (one was expected)")
            bound.append((texts[0], URIRef(texts[1])))
        return named, bound


def _texts(value: Any, what: str) -> list[str]:
    """A list of texts; LoadError otherwise."""
    return [expect(each, str, what) for each in expect(value, list, what)]


def destroy(path: Path) -> None:
    """Delete what was committed to a directory, if anything was; KGReasonError if a writer has it open."""
    if (path / FILE).is_file():
        Directory(path).destroy()
