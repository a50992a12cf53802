"""A directory that a store is opened from and saved to: one file with all that is explicit, replaced atomically.

Terms are in it as they are in memory, so that blank nodes keep their labels and literals their spelling, and it
is read without parsing. Whatever cannot be read back, or was never whole, is refused.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

import numpy as np
from rdflib.term import BNode, URIRef

from kgreason.errors import KGReasonError, LoadError
from kgreason.loading.quads import Quads
from kgreason_rdflib.state import State

FILE: Final = "explicit.npz"
_COLUMNS: Final = ("graph", "subject", "predicate", "object")


class Directory:
    """The place of one opened store."""

    def __init__(self, path: Path, create: bool) -> None:
        """Open a directory that is there, or with `create` make it; KGReasonError where neither is possible."""
        self.path = path
        if not path.is_dir() and not create:
            raise KGReasonError(f"there is no store in {path}: open it with create=True to make one")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise KGReasonError(f"cannot make the directory {path}: {error.strerror}") from error

    def read(self) -> State | None:
        """What was saved last, None when nothing was; LoadError for a file that is damaged."""
        file = self.path / FILE
        if not file.is_file():
            return None
        try:
            with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
                # Lone surrogates are no Unicode, but Python and so rdflib have them in strings.
                texts = json.loads(arrays["texts"].tobytes().decode("utf-8", "surrogatepass"))
                quads = Quads(*(arrays[name] for name in _COLUMNS))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise LoadError(f"cannot read {file}: {' '.join(str(error).split())}") from error
        named = tuple(BNode(key[2:]) if key.startswith("_:") else URIRef(key) for key in texts["named"])
        return State(texts["keys"], quads, named, tuple((p, URIRef(n)) for p, n in texts["prefixes"]))

    def save(self, state: State) -> None:
        """Replace what was saved; KGReasonError leaves it as it was."""
        texts = {
            "keys": list(state.keys),
            "named": [f"_:{name}" if isinstance(name, BNode) else str(name) for name in state.named],
            "prefixes": [list(map(str, pair)) for pair in state.prefixes],
        }
        text = json.dumps(texts, ensure_ascii=False).encode("utf-8", "surrogatepass")
        encoded = np.frombuffer(text, dtype=np.uint8)
        graph, subject, predicate, object = (getattr(state.quads, name) for name in _COLUMNS)
        work = self.path / f".{FILE}.new"
        try:
            with work.open("wb") as stream:
                np.savez(stream, texts=encoded, graph=graph, subject=subject, predicate=predicate, object=object)
                stream.flush()
                os.fsync(stream.fileno())
            work.replace(self.path / FILE)
        except OSError as error:
            work.unlink(missing_ok=True)
            raise KGReasonError(f"cannot save to {self.path}: {error.strerror}") from error

    def destroy(self) -> None:
        """Delete what was saved."""
        (self.path / FILE).unlink(missing_ok=True)
