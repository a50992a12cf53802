"""What Hadoop's codecs write as ``.snappy`` and ``.lz4``: blocks with their lengths before them, and no common header.

A block is the length of its content, and pieces until it has that: the length of each and its raw bytes. Lengths are
four bytes, the highest first. Source: ``org.apache.hadoop.io.compress.BlockCompressorStream``.
"""

from __future__ import annotations

from typing import Final

from kgreason import memory
from kgreason.arrow import pa
from kgreason.io import file_tuning
from kgreason.io.streams import Readable, first_bytes

LZ4_MAGIC: Final = b"\x04\x22\x4d\x18"
"""What a file of the program lz4 begins with, and none of Hadoop's: that would be a block of 69 MB."""
# Blocks that do not depend on each other, of at most 4 MB, and the checksum of these two bytes.
_LZ4_HEADER: Final = LZ4_MAGIC + b"\x60\x70\x73"
_LARGEST: Final = 1 << 30
"""No line of text, which a block may hold alone, is longer."""
_SNAPPY_RATIO: Final = 32
"""No piece decompresses to more: three bytes stand for 64 at most."""


class HadoopBlocks:
    """The content of a stream of such blocks.

    EOFError where it breaks off, OSError where it is damaged.
    """

    def __init__(self, stream: Readable, codec: str) -> None:
        """`codec` is "snappy" or "lz4"."""
        self._stream = stream
        self._codec = codec
        self._rest = b""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        pieces = [self._rest]
        length = len(self._rest)
        while (size < 0 or length < size) and (block := self._block()):
            pieces.append(block)
            length += len(block)
        whole = b"".join(pieces)
        end = len(whole) if size < 0 else size
        self._rest = whole[end:]
        return whole[:end]

    def _block(self) -> bytes:
        """The next block that is not empty, nothing at the end."""
        while beginning := first_bytes(self._stream, 4):
            missing = self._length(beginning)
            pieces: list[bytes] = []
            while missing > 0:
                piece = self._piece()
                pieces.append(piece)
                missing -= len(piece)
            if missing < 0:
                raise OSError("a block is longer than it says")
            if pieces:
                return b"".join(pieces)
        return b""

    def _piece(self) -> bytes:
        length = self._length(first_bytes(self._stream, 4))
        compressed = first_bytes(self._stream, length)
        if len(compressed) < length:
            raise EOFError("the compressed file breaks off")
        try:
            return _unsnapped(compressed) if self._codec == "snappy" else _unlz4ed(compressed)
        except (pa.ArrowException, IndexError) as error:
            raise OSError(f"a block is damaged: {error}") from None

    def _length(self, data: bytes) -> int:
        if len(data) < 4:
            raise EOFError("the compressed file breaks off")
        length = int.from_bytes(data, "big")
        if length > _LARGEST:
            raise OSError(f"a block of {length:,} bytes is not one of Hadoop's")
        return length


def _unsnapped(data: bytes) -> bytes:
    """A piece by snappy, which begins with its length: seven bits in each byte, the lowest first."""
    length = shift = 0
    for byte in data[:5]:
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    if length > _LARGEST or length > _SNAPPY_RATIO * len(data):
        raise pa.ArrowInvalid(f"a piece of {length:,} bytes")
    memory.check(2 * length, "a block of snappy")
    content = pa.decompress(data, length, codec="snappy", asbytes=True)
    if not content:
        raise pa.ArrowInvalid("an empty piece")
    return bytes(content)


def _unlz4ed(data: bytes) -> bytes:
    """A piece by LZ4, which says nowhere how long it is: in a frame, Arrow finds out."""
    frame = _LZ4_HEADER + len(data).to_bytes(4, "little") + data + bytes(4)
    with pa.CompressedInputStream(pa.BufferReader(frame), "lz4") as stream:
        pieces: list[bytes] = []
        while read := stream.read(file_tuning.READ_BYTES):
            pieces.append(read)
            memory.check(2 * file_tuning.READ_BYTES * len(pieces), "a block of LZ4")
            if file_tuning.READ_BYTES * len(pieces) > _LARGEST:
                raise pa.ArrowInvalid(f"a piece of more than {_LARGEST:,} bytes")
    content = b"".join(pieces)
    if not content:
        raise pa.ArrowInvalid("an empty piece")
    return content
