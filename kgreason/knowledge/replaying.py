"""From commits back to terms under their ids and steps, and from terms to what a commit says of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from kgreason.durable.coalescing import coalesced
from kgreason.durable.records import Commit, Keys
from kgreason.errors import LoadError
from kgreason.knowledge.explicit import Step
from kgreason.loading.quads import DEFAULT_GRAPH
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.hashing import narrowed

COLUMN_LEAST = 1 << 14
"""So many new terms of a commit, or more, are a column."""


def take_in(
    dictionary: Dictionary, commits: Iterable[Commit], settings: dict[str, str]
) -> tuple[list[Step], int]:
    """Follow commits in a dictionary and in settings; the steps that remain to be maintained, and how many commits."""
    steps: list[Step] = []
    count = 0
    for commit in commits:
        count += 1
        _take_in_terms(dictionary, commit.first, commit.keys)
        settings.update(commit.settings)
        _check_terms(commit.steps, len(dictionary))
        steps += commit.steps
    return coalesced(steps), count


def _check_terms(steps: Iterable[Step], count: int) -> None:
    """Raise LoadError unless there are the terms that steps name."""
    for quads in (quads for step in steps for quads in step):
        named = quads.graph[quads.graph != DEFAULT_GRAPH]
        if any(len(ids) and int(ids.max()) >= count for ids in (named, quads.subject, quads.predicate, quads.object)):
            raise LoadError("damaged: a quad of terms that are missing")


def size_of(steps: Iterable[Step]) -> int:
    """How many quads come or go."""
    return sum(len(added) + len(removed) for added, removed in steps)


def _take_in_terms(dictionary: Dictionary, first: int, keys: Keys) -> None:
    """Give terms the ids from `first` on; some of the first may be known.

    Raises:
        LoadError: an id would have another term.
    """
    known = min(len(dictionary) - first, len(keys))
    if known < 0:
        raise LoadError("damaged: terms are missing")
    if known and dictionary.keys(np.arange(first, first + known, dtype=np.uint32)) != _listed(keys[:known]):
        raise LoadError("damaged: terms have other ids")
    fresh = keys[known:]
    begin = len(dictionary)
    column = _as_text(fresh) if isinstance(fresh, pa.Array) else None
    found = dictionary.encode_keys(_listed(fresh)) if column is None else dictionary.encode_column(column)
    if not np.array_equal(found, np.arange(begin, begin + len(fresh))):
        raise LoadError("damaged: a term stands twice")


def _as_text(keys: pa.Array) -> pa.Array | None:
    """A column of keys as strings, None where one is no Unicode."""
    if not pa.types.is_large_binary(keys.type):
        return keys
    try:
        return narrowed(keys.cast(pa.large_string()))
    except pa.ArrowInvalid:
        return None


def _listed(keys: Keys) -> list[str]:
    if not isinstance(keys, pa.Array):
        return list(keys)
    texts = keys.to_pylist()
    try:
        return [text if isinstance(text, str) else text.decode("utf-8", "surrogatepass") for text in texts]
    except UnicodeDecodeError as error:
        raise LoadError("damaged: a term that is no text") from error


def keys_between(dictionary: Dictionary, first: int, end: int) -> Keys:
    """The keys of some ids, as a column where they are many."""
    identifiers = np.arange(first, end, dtype=np.uint32)
    if len(identifiers) < COLUMN_LEAST:
        return dictionary.keys(identifiers)
    try:
        return dictionary.key_column(identifiers)
    except UnicodeEncodeError:
        return dictionary.keys(identifiers)
