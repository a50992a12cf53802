"""What came and what went since an earlier run: two directories of encoded triples, for one change of a store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from kgreason.comparison.quad_difference import quads_without
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError
from kgreason.io.encoded.encoded_reader import read_encoded
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.parts import Part, encoded
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.rdf.keys import BLANK_KIND

ADDED: Final = "added"
REMOVED: Final = "removed"


@dataclass(frozen=True, slots=True)
class ChangeCounts:
    """How many quads came and went."""

    added: int
    removed: int


def write_changes(folder: Path, dictionary: Dictionary, quads: Quads, since: Path) -> ChangeCounts:
    """Write the quads that those of an earlier run lack to the folder ADDED, and those that they alone have to REMOVED.

    Args:
        dictionary: of the quads; it learns the terms of the earlier ones.
        since: the directory of encoded triples that the earlier run wrote.

    Raises:
        LoadError: the directory cannot be used, or a quad with a blank node came or went: a blank node of a file is
            none of the store's.

    Cost: reading the earlier triples, and a sort of both.
    """
    read = read_encoded(since)
    before, _ = encoded([Part(read.terms, Quads(read.graph, read.subject, read.predicate, read.object))], dictionary)
    added, removed = quads_without(quads, before), quads_without(before, quads)
    for some in (added, removed):
        _check_no_blank_nodes(some, dictionary, since)
    for name, some in ((ADDED, added), (REMOVED, removed)):
        write_encoded(
            folder / name, dictionary, some.subject, some.predicate, some.object, some.graph, DEFAULT_GRAPH
        )
    return ChangeCounts(len(added), len(removed))


def _check_no_blank_nodes(quads: Quads, dictionary: Dictionary, since: Path) -> None:
    for column in (quads.subject, quads.object, quads.graph[quads.graph != DEFAULT_GRAPH]):
        blank = np.flatnonzero(dictionary.kinds(column) == BLANK_KIND)
        if len(blank):
            reason = f"a triple with a blank node has changed since ({dictionary.key(int(column[blank[0]]))})"
            raise LoadError(reason, path=since, expected="a mapping that makes IRIs, which a store can take away again")
