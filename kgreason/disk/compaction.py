"""Compaction: one commit, the base, with what remains of many, in the place of these.

The log grows with every commit, also with those that take away what others brought. When it has become several times
as large as what is left of it, that is written anew, from the log itself and not from what is in memory, so that every
byte is checked once more. Ids stay as they are, since the store that is open and its snapshot go by them; so terms that
nothing uses any more stay, too. `drop_unused_terms` drops them, from a store that is not open.

The base is in two files that are not read before the transaction which names them. From that on the commits that it
stands for count no more, and are deleted a few at a time, so that no commit waits for long. A crash
before it leaves files, one after it such commits and their files: the next writer deletes either.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import pyarrow as pa

from kgreason.dictionary.arrow_columns import mask_column
from kgreason.disk import commit_columns as columns
from kgreason.disk import disk_tuning
from kgreason.disk.commit_records import Commit, Keys
from kgreason.disk.read_transaction import Position
from kgreason.disk.store_directory import StoreDirectory
from kgreason.errors import DamageError
from kgreason.io.quad_steps import Step, coalesced
from kgreason.io.quads import DEFAULT_GRAPH, Ids, Quads
from kgreason.rdf.hashing import joined_texts, narrowed

# What a quad takes in a base, compressed, where it takes much.
_QUAD_BYTES: Final = 8


def is_due(directory: StoreDirectory, quads: int) -> bool:
    """Whether the log of a store with about so many explicit quads is much larger than it has to be. O(commits), a few
    hundred nanoseconds each."""
    reader = StoreDirectory(directory.path, read_only=True)
    try:
        with reader.reading() as transaction:
            sizes = transaction.sizes()
    finally:
        reader.close()
    base = max(sizes.base, sizes.terms + _QUAD_BYTES * quads)
    return sizes.log >= disk_tuning.COMPACTION_LEAST and sizes.log - sizes.base > disk_tuning.COMPACTION_SHARE * base


def compact(directory: StoreDirectory, at: Position) -> None:
    """Put a base in the place of the commits up to a place in the log: that of the snapshot, or there is none then.

    What was committed after a snapshot is caught up from the log, which must still say how. Another thread may commit
    meanwhile: what comes after that place stays as it is.

    Raises:
        LoadError: what was committed is damaged.
        KGReasonError: the base cannot be written; the log is as it was.
    """
    reader = StoreDirectory(directory.path, read_only=True)
    try:
        with reader.reading() as transaction:
            whole = folded(transaction.commits(Position(), at))
    finally:
        reader.close()
    if at.number:
        directory.put_base(whole, at)


def drop_unused_terms(directory: StoreDirectory) -> None:
    """Put a base without terms that nothing uses in the place of all commits; there is no snapshot then.

    Terms have other ids afterwards, so the directory must be open for nothing else in this process.

    Raises:
        LoadError: what was committed is damaged.
        KGReasonError: the base cannot be written; the log is as it was.
    """
    with directory.reading() as transaction:
        end = transaction.last()
        whole = without_unused(folded(transaction.commits(Position())))
    if end.number:
        directory.forget_snapshot()
        directory.put_base(whole, end)


def folded(commits: Iterable[Commit]) -> Commit:
    """One commit with the effect of all commits of a log from its beginning. Some sorts of their quads, in memory in
    proportion to what is left of them."""
    parts: list[pa.Array] = []
    texts: list[str] = []
    settings: dict[str, str] = {}
    steps: list[Step] = []
    count = rows = kept = 0
    for commit in commits:
        if commit.first != count:
            raise DamageError("terms are missing")
        count += len(commit.keys)
        if isinstance(commit.keys, pa.Array):
            parts += [columns.key_column(texts), commit.keys]
            texts = []
        else:
            texts += commit.keys
        settings.update(commit.settings)
        steps += commit.steps
        rows += sum(len(quads) for step in commit.steps for quads in step)
        if len(steps) > disk_tuning.COMPACTION_STEPS and rows > 2 * kept:
            steps = _remaining(steps)
            rows = kept = sum(len(added) for added, _ in steps)
    parts.append(columns.key_column(texts))
    steps = _remaining(steps)
    if any(int(column.max()) >= count for added, _ in steps for column in _named(added)):
        raise DamageError("a quad of terms that are missing")
    return Commit(0, _joined(parts), steps, settings)


def _remaining(steps: list[Step]) -> list[Step]:
    """What steps from the beginning of a log leave: nothing is there yet that they could take away."""
    return [(added, Quads.empty()) for added, _ in coalesced(steps) if len(added)]


def _joined(parts: list[pa.Array]) -> Keys:
    """Columns as one: of strings, unless one has what is not Unicode."""
    try:
        return narrowed(joined_texts([part.cast(pa.large_string()) for part in parts]))
    except pa.ArrowInvalid:
        return pa.concat_arrays([part.cast(pa.large_binary()) for part in parts])


def without_unused(whole: Commit) -> Commit:
    """The same quads and settings over the terms that occur in the quads, in the same order, under new ids."""
    is_used = np.zeros(len(whole.keys), dtype=np.bool_)
    for added, _ in whole.steps:
        for column in _named(added):
            is_used[column] = True
    renamed = (np.cumsum(is_used, dtype=np.int64) - 1).astype(np.uint32)
    steps = [(_renamed(added, renamed), removed) for added, removed in whole.steps]
    return Commit(0, columns.key_column(whole.keys).filter(mask_column(is_used)), steps, whole.settings)


def _named(quads: Quads) -> list[Ids]:
    """The columns of quads without the default graph, which is not a term; those that are empty left out."""
    columns = (quads.graph[quads.graph != DEFAULT_GRAPH], quads.subject, quads.predicate, quads.object)
    return [column for column in columns if len(column)]


def _renamed(quads: Quads, names: Ids) -> Quads:
    is_named = quads.graph != DEFAULT_GRAPH
    graph = quads.graph.copy()
    graph[is_named] = names[quads.graph[is_named]]
    return Quads(graph, names[quads.subject], names[quads.predicate], names[quads.object])
