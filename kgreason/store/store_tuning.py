"""Tuned constants of knowledge bases in memory; `kgreason.tuning` says how constants are used."""

from __future__ import annotations

# -- changes -------------------------------------------------------------------------------------------------------

FEW_QUADS = 16
"""Up to so many quads are put into tables one by one."""

MANY_QUADS = 4096
"""From so many quads on, one sort by relation replaces a mask for each relation."""

SORTED_QUADS = 1 << 18
SORTED_EACH = 1 << 4
"""So many quads are sorted by relation at a time, or so many for each relation: LUBM(10,0) takes 14 MB so, and 24 all
at once, and as long."""

OVERLAID_CHANGES = 512
"""Up to so many changes that no rule concerns wait while programs read: a triple added and asked for takes 15
microseconds with 512 or 1024, 18 with 128, and 160 where each is maintained."""

OVERLAID_READS = 32
"""After so many reads without a change what waits is maintained, which takes as long as some 30 reads save by it."""

GIVEN_BACK = 1 << 16
"""After a change of so many quads, or when so many roles of terms were put into an index, free memory is given back to
the system, and before it what Arrow keeps. Such a change takes more than 50 ms, giving back 1 to 3 ms. GALEN (245,662
quads) took 405 MB at its largest without, 342 with it. To give all back before it, too, saves 1 % of that, and 5 % of
deriving LUBM(10,0) is lost to fresh pages."""

# -- indexes -------------------------------------------------------------------------------------------------------

SEARCHES = 8
"""So many terms are searched for in all relations before their index is built. A million triples of 525 relations
(BSBM): 27 ms for the index, 2 ms for a search."""

SEARCHED_FACTS = 1 << 16
SEARCHED_SHARE = 1 << 6
"""Stores with fewer facts, or fewer for each relation, have the index built at once: that takes as long as a search."""

LARGE_CHANGE = 4096
INDEX_SHARE = 64
STALE_CHANGES = 16
"""A relation that gets more facts at once than LARGE_CHANGE, and than 1/INDEX_SHARE of an index, is left out of the
index and asked itself; an index with more such roles than STALE_CHANGES is made anew."""

WAITING_CHANGES = 32
"""So many changes wait at most until something asks for an index: what they brought is put into it at once."""

CHARACTERISTIC_SETS = 1 << 12
"""Of so many sets of roles, which terms have together, it is known what they lead to: LUBM has some 100 of them, in
about a thousand bytes each."""

# -- rules and conditions ------------------------------------------------------------------------------------------

GUARD_ROWS = 1 << 14
"""Of so many schema facts or more, only those that may become rules are looked at, by the relations that have facts."""

GATHERED_LEAST = 1000
"""For more choices of the relations that an integrity condition leaves open, it is joined over the facts of all of them
together: one choice takes some 150 microseconds, what is gathered 20 nanoseconds a fact."""
