"""Lines compressed with Zstandard, which Spark reads but does not write (4.1).

Each batch of lines becomes one frame, a Zstandard file is any number of frames (RFC 8878, section 3), and what Spark's
writer of text puts after each row is an empty frame that readers skip (section 3.1.2); its bytes happen to be ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SKIPPED_FRAME: Final = "P*M\x18\x00\x00\x00\x00"

_COLUMN: Final = "value"


def compressed(lines: DataFrame) -> DataFrame:
    """Frames, to be written as text with SKIPPED_FRAME for the end of a line.

    The lines are in a string column, each with its own end.
    """
    return lines.mapInArrow(_frames, f"{_COLUMN} binary").selectExpr(f"cast({_COLUMN} as string) as {_COLUMN}")


def _frames(batches: Iterator[Any]) -> Iterator[Any]:
    codec = pa.Codec("zstd")
    for batch in batches:
        text = pa.concat_arrays([batch.column(0).cast(pa.large_binary())])
        first, last = text.buffers()[1][:8], text.buffers()[1][8 * len(text) : 8 * len(text) + 8]
        begin, end = (int.from_bytes(bytes(edge), "little") for edge in (first, last))
        frame = codec.compress(text.buffers()[2][begin:end], asbytes=True)
        yield pa.record_batch([pa.array([frame], pa.binary())], names=[_COLUMN])
