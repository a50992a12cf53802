"""Files of columns in which single bytes are forged: an error or the columns, never the end of the process.

Would catch a message that is handed to Arrow as a schema or a batch though it says that it is something else: Arrow
checks no part of a message of an unknown kind, and follows its offsets out of the memory.
"""

from __future__ import annotations

import numpy as np
import pytest

from kgreason import LoadError
from kgreason.disk import commit_columns
from kgreason.io.quads import Quads

FILE = bytes(commit_columns.steps_file([(Quads(*np.ones((4, 5), dtype=np.uint32)), Quads.empty())]))


def test_each_byte_of_the_messages() -> None:
    refused = 0
    for place in range(len(FILE)):
        for value in {0, 1, 4, 0x7F, 0xFF} - {FILE[place]}:
            forged = bytearray(FILE)
            forged[place] = value
            try:
                commit_columns.steps_of_file(memoryview(bytes(forged)), 5)
            except LoadError:
                refused += 1

    assert refused > len(FILE)


def test_schema_that_says_it_is_something_else() -> None:
    # The kind of a message, and its version.
    place = FILE.index(b"\x01\x04\x00", 8)
    forged = bytearray(FILE)
    forged[place] = 0

    with pytest.raises(LoadError, match="expected a schema"):
        commit_columns.steps_of_file(memoryview(bytes(forged)))
