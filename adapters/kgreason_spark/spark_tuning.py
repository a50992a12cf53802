"""Tuned constants of work on Spark; `kgreason.tuning` says how constants are used. What may come to the driver at all
is in `materialisation.driver_limits`."""

from __future__ import annotations

# -- what the driver does alone ------------------------------------------------------------------------------------

DRIVER_DERIVED = 2_000_000
DRIVER_DERIVED_BYTES = 256 << 20
"""At most so many explicit triples, and so many facts that follow, are the driver's; so many bytes of compressed files
come to it. LUBM(10,0) under OWL 2 RL, 1.3 million triples, takes the driver 2.2 s and 160 MB, and the cluster 70 s on
two cores."""

DRIVER_ENCODED_BYTES = 256 << 20
"""At most so many bytes of terms, each once in a piece, come to the driver to be encoded."""

COMPARED_TRIPLES = 300_000
COMPARED_BYTES = 32 << 20
"""The terms of so many triples, explicit, inferred and new ones, are compared on the driver with those before; so many
bytes of compressed terms are a few hundred MB at the most there."""

SMALL_TABLE_BYTES = 4 << 20
"""Files with more bytes together stay with the cluster."""

ROUND_FACTS = 200_000
"""The driver has the facts of rounds at hand while they are no more together."""

PARENT_ROWS = 500_000
"""Of the parent of a join so many rows go to every worker: at 100 bytes for the compared text and the subject of a row,
50 MB on the driver and in each worker."""

# -- plans ---------------------------------------------------------------------------------------------------------

UNCOMPILED_TRIPLES = 300_000
"""So many triples, explicit and inferred, are worked on without compiling the plans of Spark: for LUBM(1,0), 100,000
triples, under OWL 2 RL that takes half the time. To write a million is twice as fast with compiled plans."""

NEW_PART = 8
"""Where the last round brought less than such a part of all facts, those that its facts give are looked for in the
relations that they are of; otherwise all facts are shuffled to tell what is new."""

LISTED_RELATIONS = 256
"""So many relations at most are listed in a filter."""

INLINE_NUMBERS = 64
"""So many numbers at most are written into an expression, where a relation is looked for one by one."""

CSV_COLUMNS = 500
"""A wider row is one column, an array: 5,000 columns of Spark take a minute before the first row."""

STREAMED_FILES = 1_000
"""Each streamed file is a task; so many start within seconds."""

# -- maintenance ---------------------------------------------------------------------------------------------------

LOST_FACTS = 200_000
"""When the driver's relations lose more facts, all is derived again: of a closure that has broken up, that is
sooner."""

DRIVER_SHARE = 0.5
"""Where the driver derives more than such a share of what followed by itself, all is derived again when it loses a
fact: 960,489 facts of which it derived all took 72 processor seconds to maintain, and 42 from the beginning."""

# -- batches -------------------------------------------------------------------------------------------------------

SCAN_BYTES = 1 << 21
"""Bytes of rows that are mapped at once (`csv_pieces.BLOCK`)."""

PIECE_QUADS = 1 << 17
"""Quads of a piece that comes from rows: 2 MB of numbers, and perhaps 20 of terms."""

PIECE_BYTES = 1 << 26
"""Where the terms are long, a piece ends at so many bytes of them: a column of Arrow has room for 2 GB."""

SENT_KEYS = 512
SENT_PAIRS = 1 << 20
"""At most so many keys are looked up at once in a table that was sent, and fewer where they lead to more pairs."""

LABEL_BYTES = 32 << 20
"""So many bytes of rows of labels are handed to Spark at once."""

LABEL_SETS = 4096
LABEL_NODES = 1 << 20
"""So many sets of labels, or so many nodes, become rows at once."""

SHUFFLED_SETS = 256
SHUFFLED_LABELS = 1 << 20
"""Of so many sets, and about so many labels, pairs are made at once."""

INSTANCE_ROWS = 1 << 20
"""About so many nodes of rule instances are made at once."""
