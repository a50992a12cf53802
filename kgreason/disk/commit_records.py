"""A commit as data, and its parts as bytes for a row of the log.

Keys are UTF-8 in which lone surrogates may stand, since Python's strings, and so rdflib's terms, may have them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason.errors import DamageError
from kgreason.io.quad_steps import Step
from kgreason.io.quads import Quads

Keys: TypeAlias = Sequence[str] | pa.Array
"""Keys of terms, as texts or as a column of strings or binary."""
Settings: TypeAlias = Mapping[str, str]
"""Texts by name: the last one that was committed counts."""

_NUMBER: Final = np.dtype("<u4")


@dataclass(frozen=True, slots=True)
class Commit:
    """The changes of one commit.

    `keys` are those of the terms with the ids `first`, `first` + 1, ...; every term that any column names is in this
    commit or in one before it.
    """

    first: int
    keys: Keys
    steps: Sequence[Step]
    settings: Settings = field(default_factory=dict)

    def __len__(self) -> int:
        """How many quads come or go."""
        return sum(len(added) + len(removed) for added, removed in self.steps)

    def __bool__(self) -> bool:
        return bool(self.steps or self.settings)


def keys_to_bytes(keys: Sequence[str]) -> bytes:
    """The number of keys, their lengths in bytes, and the bytes."""
    texts = [key.encode("utf-8", "surrogatepass") for key in keys]
    lengths = np.array([len(texts), *map(len, texts)], dtype=_NUMBER)
    return lengths.tobytes() + b"".join(texts)


def keys_from_bytes(data: bytes) -> list[str]:
    """The keys again; LoadError for what `keys_to_bytes` did not write."""
    count = _counts(data, 1)[0]
    lengths = _counts(data[4:], count)
    ends = 4 + 4 * count + np.cumsum(lengths, dtype=np.int64)
    if (int(ends[-1]) if count else 4) != len(data):
        raise DamageError("terms of another length")
    begins = ends - lengths
    try:
        return [
            data[begin:end].decode("utf-8", "surrogatepass")
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        ]
    except UnicodeDecodeError as error:
        raise DamageError("a term that is not text") from error


def steps_to_bytes(steps: Sequence[Step]) -> bytes:
    """The number of steps, how many quads each adds and removes, and the four columns of each of these."""
    sizes = [len(quads) for step in steps for quads in step]
    columns = [column for step in steps for quads in step for column in _columns(quads)]
    return b"".join(part.astype(_NUMBER).tobytes() for part in (np.array([len(steps), *sizes]), *columns))


def steps_from_bytes(data: bytes) -> list[Step]:
    """The steps again; LoadError for what `steps_to_bytes` did not write."""
    count = _counts(data, 1)[0]
    sizes = _counts(data[4:], 2 * count).tolist()
    if len(data) != 4 + 8 * count + 16 * sum(sizes):
        raise DamageError("quads of another length")
    numbers = np.frombuffer(data, dtype=_NUMBER, offset=4 + 8 * count).astype(np.uint32)
    ends = np.cumsum([size * 4 for size in sizes])
    found = [Quads(*numbers[end - 4 * size : end].reshape(4, size)) for size, end in zip(sizes, ends, strict=True)]
    return list(zip(found[::2], found[1::2], strict=True))


def _columns(quads: Quads) -> tuple[NDArray[np.uint32], ...]:
    return quads.graph, quads.subject, quads.predicate, quads.object


def _counts(data: bytes, count: int) -> NDArray[np.int64]:
    if len(data) < 4 * count:
        raise DamageError("cut off")
    return np.frombuffer(data, dtype=_NUMBER, count=count).astype(np.int64)
