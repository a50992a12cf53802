"""From commits back to terms under their ids and steps, and from terms to what a commit says of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kgreason.dictionary.dictionary import Dictionary
from kgreason.disk import disk_tuning
from kgreason.disk.commit_records import Commit, Keys
from kgreason.errors import DamageError
from kgreason.io.quad_steps import Step, coalesced
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.rdf.hashing import narrowed
from kgreason.rdf.keys import STRING_SUFFIX, normal_key


def take_in(
    dictionary: Dictionary, commits: Iterable[Commit], settings: dict[str, str]
) -> tuple[list[Step], int]:
    """Follow commits in a dictionary and in settings; the steps that remain to be maintained, and how many commits."""
    steps: list[Step] = []
    terms = _Terms(dictionary)
    count = 0
    for commit in commits:
        count += 1
        terms.take_in(commit.first, commit.keys)
        settings.update(commit.settings)
        _check_terms(commit.steps, len(dictionary))
        steps += [(terms.renamed(added), terms.renamed(removed)) for added, removed in commit.steps]
    return coalesced(steps), count


def check_commits(commits: Iterable[Commit]) -> None:
    """Raise LoadError unless there are all terms that commits name; their keys are not looked at.

    Takes memory for one commit at a time.
    """
    count = 0
    for commit in commits:
        if commit.first > count:
            raise DamageError("terms are missing")
        count = max(count, commit.first + len(commit.keys))
        _check_terms(commit.steps, count)


def _check_terms(steps: Iterable[Step], count: int) -> None:
    """Raise LoadError unless there are the terms that steps name."""
    for quads in (quads for step in steps for quads in step):
        named = quads.graph[quads.graph != DEFAULT_GRAPH]
        if any(len(ids) and int(ids.max()) >= count for ids in (named, quads.subject, quads.predicate, quads.object)):
            raise DamageError("a quad of terms that are missing")


def size_of(steps: Iterable[Step]) -> int:
    """How many quads come or go."""
    return sum(len(added) + len(removed) for added, removed in steps)


class _Terms:
    """Terms of commits on their way into a dictionary.

    Version 0.1 kept a string with its datatype and one without as two terms. They are one now; the id of the second one
    stays taken, by a blank node that nothing uses, since the commits that follow count on it.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._typed: set[int] = set()
        self._same: dict[int, int] = {}

    def take_in(self, first: int, keys: Keys) -> None:
        """Give terms the ids from `first` on; some of the first may be known.

        Raises:
            LoadError: an id would have another term.
        """
        dictionary = self._dictionary
        known = min(len(dictionary) - first, len(keys))
        if known < 0:
            raise DamageError("terms are missing")
        before = dictionary.keys(np.arange(first, first + known, dtype=np.uint32)) if known else []
        if before != [*map(normal_key, _listed(keys[:known]))]:
            raise DamageError("terms have other ids")
        fresh = keys[known:]
        begin = len(dictionary)
        column = _as_text(fresh) if isinstance(fresh, pa.Array) else None
        if self._typed or _has_typed_strings(fresh if column is None else column):
            self._take_in_one_by_one(_listed(fresh))
            return
        # The parts of triple terms are among the keys.
        if column is None:
            found = dictionary.encode_keys(_listed(fresh), with_parts=False)
        else:
            found = dictionary.encode_in_order(column)
        if not np.array_equal(found, np.arange(begin, begin + len(fresh))):
            raise DamageError("a term stands twice")

    def _take_in_one_by_one(self, keys: list[str]) -> None:
        merged = {*self._same.values()}
        for key in keys:
            place = len(self._dictionary)
            identifier = self._dictionary.encode_key(key, with_parts=False)
            is_typed = normal_key(key) != key
            if identifier == place and is_typed:
                self._typed.add(identifier)
            elif identifier != place:
                if identifier in merged or is_typed == (identifier in self._typed):
                    raise DamageError("a term stands twice")
                self._same[place] = identifier
                merged.add(identifier)
                self._dictionary.encode_key(f"_:kgreason{place}same{identifier}")

    def renamed(self, quads: Quads) -> Quads:
        """Quads in which each term has one id."""
        if not self._same:
            return quads
        others = np.array([*self._same], dtype=np.uint32)
        at = np.minimum(np.searchsorted(others, quads.object), len(others) - 1)
        ids = np.array([*self._same.values()], dtype=np.uint32)[at]
        objects = np.where(others[at] == quads.object, ids, quads.object)
        return Quads(quads.graph, quads.subject, quads.predicate, objects)


def _has_typed_strings(keys: Keys) -> bool:
    """Whether there is a string with its datatype."""
    if isinstance(keys, pa.Array) and not pa.types.is_large_binary(keys.type):
        return bool(pc.any(pc.ends_with(keys, STRING_SUFFIX)).as_py())
    return any(key.endswith(STRING_SUFFIX) for key in _listed(keys))


def _as_text(keys: pa.Array) -> pa.Array | None:
    """A column of keys as strings, None where one is not Unicode."""
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
        raise DamageError("a term that is not text") from error


def keys_between(dictionary: Dictionary, first: int, end: int) -> Keys:
    """The keys of some ids, as a column where they are many."""
    identifiers = np.arange(first, end, dtype=np.uint32)
    if len(identifiers) < disk_tuning.TERM_COLUMN_LEAST:
        return dictionary.keys(identifiers)
    try:
        return dictionary.key_column(identifiers)
    except UnicodeEncodeError:
        return dictionary.keys(identifiers)
