"""Tuned constants of tables; those of closures are in `transitive.closure_tuning`, and `kgreason.tuning` says how
constants are used."""

from __future__ import annotations

# -- reading in pieces ---------------------------------------------------------------------------------------------

CHUNK = 1 << 20
"""Rows at a time: so many bound the memory of a scan to some 12 MB, and hide the cost of each call of numpy."""

PLAIN_CHUNK = 1 << 15
"""Rows of a plain table at a time, which are at hand: half as many as a join makes at once, in the cache. Triangles
take 14 MB so, and 17 with twice as many, and as long."""

FIRST_ROWS = 1 << 12
"""So many wider rows are looked at first for keys of which it is asked whether there are any."""

SUBJECTS = 8
"""How many subjects a scan of a virtual table reads first, so that the first pairs come soon, and how many a default
estimate looks at."""

KEPT = 1 << 16
"""A difference of virtual tables keeps no more pairs than this: half a megabyte."""

UNCOMPARED = 1 << 12
"""So many pairs along edges are taken for what two versions differ by, as each is looked up in the other version
anyway: 0.5 ms. To compare the sets of 300 things below a university takes 1 ms."""

WRITTEN_FEW = 1 << 7
"""So many facts of a virtual table are written out for rules, which look them up in a third of the time then."""

# -- plain tables of pairs and wider rows --------------------------------------------------------------------------

KEPT_COLUMNS = 1 << 6
"""A table of so many pairs keeps their columns once they were asked for, half a kilobyte: 2 microseconds for each rule
that reads a small change."""


SUBJECTS_ONE_BY_ONE = 8
PAIRS_ONE_BY_ONE = 8
"""The pairs of SUBJECTS_ONE_BY_ONE subjects that have PAIRS_ONE_BY_ONE each are looked up one by one: 4 to 7
microseconds, and 10 for columns."""

BLOCKS_MERGE_LEAST = 64
BLOCKS_MERGE_FRACTION = 64
"""Small blocks are merged into the large one when they have more keys than the former, and than the large one divided
by the latter: so merging costs each changed fact about that many facts copied, and a read looks at few small ones."""

SCANS = 32
"""A table is scanned for so many single objects before its mirror is made, which takes as long as a hundred scans: 0.6
nanoseconds a pair beside 60 to 100."""

MANY_OBJECTS_SCANS = 2
SCANNED_PAIRS = 1 << 16
"""Of a table of SCANNED_PAIRS or more without a mirror the pairs of many objects are found by a scan, which counts as
MANY_OBJECTS_SCANS for single ones: 4 nanoseconds a pair, where a mirror takes 40, and as much memory as the pairs. Of
4.1 million pairs those of 851 objects: 12 ms in place of 160, and 33 MB less. An analysis of pointers with 239,000
facts, whose last ten rounds look for objects, takes 7.5 MB with 2, and 9 to 11 with 8, and as long."""

WIDE_SCANS = 32
SOUGHT_ROWS = 4
WIDE_SHARE = 16
"""Of wider rows so many times their number are looked at for keys that are not their first arguments before they are
sorted by these, which takes as long as 20 scans or more: 1.3 million rows 0.3 s, a scan 2 to 18 ms. Where the first
arguments of the keys leave one row in WIDE_SHARE or fewer, these alone are looked at; to sort them counts as
SOUGHT_ROWS looks."""

WIDE_ORDERS = 3
"""Wider rows are kept in so many orders beside their own, those that were asked for last: each takes as much as the
rows, 8 bytes where their ids fit into as many."""

NOTED_SCANS = 4
"""A block of pairs is scanned for so many single objects before it is noted which objects it has, which takes as long
as three to eight scans."""

SAMPLED_KEYS = 1 << 16
"""So many pairs of a table that has no mirror are looked at for a plan: the mirror of 4 million pairs takes 0.45 s, and
the plan may not need it."""

# -- unions --------------------------------------------------------------------------------------------------------

SMALL_PARTS = 8
SMALL_PART = 1 << 10
"""So many parts of a union with no more pairs than this are kept as one. 100 equal properties with a fact each: 0.2 s,
without 1.7 s; 200: 11 s."""

PARTS_ASKED = 32
"""A union of more sets keeps its members, and is a part of the unions above it as it is."""

SOUGHT_MEMBERS = 4
"""So few ids are looked for one by one: in the parts of a union of sets, which are put together for more (a look takes
0.3 microseconds, a part 1 to 2), and at the ends of pairs."""

UNITED_LOOKUPS = 4
"""Where rows times parts of a union are more than so many times its pairs, these are put together once to be looked up:
a pair is sorted in the time of so many look-ups in a small part."""

MERGED_UNION = 1 << 18
"""A union of so many pairs or fewer is read by merging its parts: of 19 parts with 84,000 pairs in 7 ms, where looking
for each pair in the parts before takes 37 ms. One of more pairs is never written out."""

MERGED_PAIRS = 4
ROWS_A_CALL = 64
"""Such a union is kept merged once as much was looked for in its parts: a row in one part, a microsecond, is taken for
MERGED_PAIRS pairs that are merged, and a call for ROWS_A_CALL rows."""

# -- equal things, and changes of virtual tables -------------------------------------------------------------------

FEW_MEMBERS = 1 << 4
"""Two classes of equal things with so many pairs between them are looked through pair by pair, to see whether one of
these is a fact; for others all facts of the members of one are looked at. A link of a chain of 2,000 with three facts
for each member: 0.09 s with 2 ** 10."""

LINKS_LOOKED_AT = 1 << 6
"""When no more edges than this go from components, each is looked at: where two others lead from one end to the other,
the component stays. A link of a clique of 2,000 takes 190 ms without."""

FIRST_SOUGHT = 16
"""So many ids are asked first which ends they have, before all are."""

SAMPLED_SIZES = 1024
"""By so many pairs of representatives it is guessed how many pairs of members there are: some 20 microseconds."""

WRITTEN_CHANGES = 4096
"""What came or went in a virtual relation with so many pairs at most is written out: a look at all its pairs takes
some 50 microseconds, and rules read a change many times."""

WRITTEN_DIFFERENCE = 1 << 22
"""A difference of virtual tables is written out for one that looks for all its subjects, if it is expected to have no
more pairs than this: 32 megabytes."""

UNREAD_LOSS = 1 << 16
"""What a relation of so many pairs has lost is found when something reads it, if no rule does: of 4.2 million pairs
over a tree (anew 180 ms) that takes 30 to 60 ms, and fewer pairs take less than a millisecond."""

WRITTEN_GAIN = 1 << 16
"""What came to a relation that a scheme keeps as a part of its stratum is written out if it is expected to have no more
pairs. In FIBO subClassOf is closed anew in each of a few rounds, and 20 rules read 300 to 25,000 pairs that came; for
those that begin with the other end all was closed once more the other way round, 13 milliseconds each."""

# -- sets of labels ------------------------------------------------------------------------------------------------

SMALL_SET = 16
"""Sets of so many labels or fewer are columns: a serialised bitmap of 16 takes 48 bytes, a column 64, and a column is
read with others at nanoseconds for each label."""

SETS_MERGE_LEAST = 64
SETS_MERGE_FRACTION = 8
"""Changed sets are written into new buffers when there are more than the former, and than all divided by the latter."""

LIVE_SETS = 2048
"""So many sets are kept as bitmaps while others are made of them."""

READ_LABELS = 1 << 17
"""So many labels of sets that were read are kept as columns, half a megabyte: joins of 17,000 rows along a hierarchy
of an archive read 360 sets 28 times, which took two thirds of their time."""

LABELS_EACH = 16
"""From so many labels for each set on, a set is asked in bulk, and not label by label."""
