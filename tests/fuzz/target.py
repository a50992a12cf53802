"""What is fuzzed, and how inputs are made from good ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError
from kgreason.io.quads import Quads
from kgreason.io.readers import load_stream


@dataclass(frozen=True, slots=True)
class Target:
    """A reader of bytes: `check` raises what should never come out of it. `words` are what its inputs consist of."""

    name: str
    seeds: Sequence[bytes]
    words: Sequence[bytes]
    check: Callable[[bytes], None]

    def mutated(self, chance: random.Random) -> bytes:
        """A seed after some edits."""
        data = bytearray(chance.choice(self.seeds))
        for _ in range(chance.choice([1, 1, 2, 3, 8])):
            begin = chance.randrange(len(data) + 1)
            end = min(len(data), begin + chance.choice([0, 1, 1, 2, 4, 16, 200]))
            data[begin:end] = self._piece(data, end - begin, chance)
        return bytes(data)

    def _piece(self, data: bytearray, size: int, chance: random.Random) -> bytes:
        match chance.randrange(6):
            case 0:
                return b""
            case 1:
                return chance.randbytes(size)
            case 2:
                return chance.choice([b"\0", b"\x7f", b"\x80", b"\xff"]) * size
            case 3:
                begin = chance.randrange(len(data) + 1)
                return bytes(data[begin : begin + chance.choice([1, 8, 100])])
            case 4:
                other = chance.choice(self.seeds)
                begin = chance.randrange(len(other) + 1)
                return other[begin : begin + chance.choice([4, 30, 300])]
        return chance.choice(self.words) * chance.choice([1, 1, 1, 2, 300])


def read_or_refused(data: bytes, format: str) -> tuple[Dictionary, Quads] | None:
    """What a document says; None where it is refused, in one line, with the dictionary as it was."""
    dictionary = Dictionary()
    before = len(dictionary)
    try:
        return dictionary, load_stream(data, dictionary, format=format, base="http://e/base").quads
    except LoadError as error:
        expect_one_line(error)
        assert len(dictionary) == before
        return None


def expect_one_line(error: Exception) -> None:
    """Demand that an error says something, in one line."""
    assert str(error)
    assert "\n" not in str(error)
