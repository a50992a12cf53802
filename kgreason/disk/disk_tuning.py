"""Tuned constants of stores in a directory; `kgreason.tuning` says how constants are used."""

from __future__ import annotations

# -- commits -------------------------------------------------------------------------------------------------------

LONG_COLUMN = 2048
"""So many bytes of numbers are a column of their own."""

COMMIT_BATCH = 1 << 20
"""So many quads are a batch of a commit file."""

TERM_COLUMN_LEAST = 1 << 14
"""So many new terms of a commit, or more, are a column."""

LARGE_COMMIT = 1 << 16
"""So many terms or quads of a commit, or more, are a file of their own."""

# -- compaction and snapshots --------------------------------------------------------------------------------------

COMPACTION_LEAST = 4 << 20
"""Bytes of a log that is not worth the work."""

COMPACTION_SHARE = 3
"""How many times as much as a base the commits after it may take. So what is rewritten in all is less than what was
committed in all."""

COMPACTION_STEPS = 4096
"""So many steps of a log are put together at once: one of a single quad takes a kilobyte while it waits. A process grew
by 62 MB when it compacted 57,344 of them at once."""

CLOSING_COMMITS = 64
CLOSING_SHARE = 50
"""At the end a snapshot is worth it when it is so many commits behind, or by one quad in so many."""

RUNNING_COMMITS = 4096
RUNNING_SHARE = 4
RUNNING_LEAST = 10_000
"""While the store is in use so many commits, or one quad in so many if they are that many: the work is in proportion
to what was committed, and opening after a crash is quick all the same."""
