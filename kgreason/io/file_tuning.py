"""Tuned constants of files in and out; `kgreason.tuning` says how constants are used."""

from __future__ import annotations

# -- text ----------------------------------------------------------------------------------------------------------

READ_BYTES = 1 << 20
"""So many bytes are read at once where a stream is gone through to its end."""

SMALL_FILE = 1 << 16
"""Of a text of fewer bytes pyoxigraph has read all before the first column is made."""

BLOCK_BYTES = 4 << 20
"""N-Triples are parsed in blocks of so many bytes, several at a time."""

SINGLE_LINES = 1 << 14
"""So many lines are read one by one between checkpoints: some 20 ms."""

PARSED_FIRST = 2048
"""Of what pyoxigraph parses so many quads are taken apart before columns pay."""

PARSED_BYTES = 4 << 20
"""About so many bytes of lines of it are read together."""

PARSED_LOOK = 4096
PARSED_REPORT = 65536
"""After so many quads that pyoxigraph parses the clock is looked at, or the count is reported."""

TAGS_AHEAD = 64
"""So many tags of the document are looked through for the one of a literal."""

# -- Parquet -------------------------------------------------------------------------------------------------------

TABLE_ROWS = 1 << 17
"""Rows of a table of terms that are read at a time."""

PARQUET_ROWS = 1 << 15
"""Rows of encoded triples that are read at a time."""

INDEX_ROWS = 1 << 12
"""So many rows of indexes into a dictionary are read at once, to add up the texts that they stand for."""

# -- encoded triples -----------------------------------------------------------------------------------------------

ENCODED_THREADS = 8
"""At most so many threads read, or write, files of encoded triples."""

TERMS_IN_A_FILE = 1 << 20
"""Terms in one file of encoded triples."""

ROW_GROUP = 1 << 20
"""Triples of a row group."""

COPIED_TERMS = 1 << 17
"""Terms that are copied at once to be checked or written."""

# -- quads ---------------------------------------------------------------------------------------------------------

PART_ROWS = 1 << 18
"""So many quads, or more, of parts get the ids of a dictionary in threads, so many at a time."""

LARGE_STEP = 1 << 20
"""A step of so many quads stands alone: to sort it takes longer (0.3 s) than to maintain it as a step of its own."""

FEW_RUNS = 4
"""So many runs of quads that come, or go, cost less than to sort their quads."""
