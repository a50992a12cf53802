"""Constants that were tuned, of all rooms. Other values change times and bytes, and never what is found.

Code takes them as `tuning.NAME` when it needs them, never by value. Tests give others for a while
(`replaced_constants` of `tests/thresholds.py`).

`tests/benchmarks/closures.py` measures those of closures, ``python -m tests.benchmarks`` all together.
"""

from __future__ import annotations

# -- reading in pieces ---------------------------------------------------------------------------------------------

CHUNK = 1 << 20
"""Rows at a time: so many bound the memory of a scan to some 12 MB, and hide the cost of each call of numpy."""

SUBJECTS = 8
"""How many subjects a scan of a virtual table reads first, so that the first pairs come soon, and how many a default
estimate looks at."""

KEPT = 1 << 16
"""A difference of virtual tables keeps no more pairs than this: half a megabyte."""

FEW_MEMBERS = 1 << 4
"""Two classes of equal things with so many pairs between them are looked through pair by pair, to see whether one of
these is a fact; for others all facts of the members of one are looked at. A link of a chain of 2,000 with three facts
for each member: 0.09 s with 2 ** 10."""

SMALL_PARTS = 8
SMALL_PART = 1 << 10
"""So many parts of a union with no more pairs than this are kept as one. 100 equal properties with a fact each: 0.2 s,
without 1.7 s; 200: 11 s."""

# -- plain tables of pairs -----------------------------------------------------------------------------------------

PAIRS_MERGE_LEAST = 64
PAIRS_MERGE_FRACTION = 64
"""Small blocks are merged into the large one when they have more pairs than the former, and than the large one divided
by the latter: so merging costs each changed pair about that many pairs copied, and a read looks at few small ones."""

SOUGHT_MEMBERS = 4
"""So few ids are looked for in the parts of a union of sets, one by one; for more the parts are put together: a look
takes 0.3 microseconds, a part 1 to 2."""

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

SAMPLED_SEARCHES = 8
BACKWARD_SEARCHES = 32
"""So many objects of a closure are searched for along its edges before labels of the inverse edges are made: a search
takes some ten microseconds, and in a hierarchy of 20,000 classes the labels 20 milliseconds. A plan searches for
SAMPLED_SEARCHES of the objects in its rows."""

SCANS = 32
"""A table is scanned for so many single objects before its mirror is made, which takes as long as a hundred scans: 0.6
nanoseconds a pair beside 60 to 100."""

MANY_OBJECTS_SCANS = 8
SCANNED_PAIRS = 1 << 16
"""Of a table of SCANNED_PAIRS or more without a mirror the pairs of many objects are found by a scan, which counts as
MANY_OBJECTS_SCANS for single ones: 4 nanoseconds a pair, where a mirror takes 40. Of 4.1 million pairs those of 851
objects: 12 ms in place of 160, and 33 MB less."""

NOTED_SCANS = 4
"""A block of pairs is scanned for so many single objects before it is noted which objects it has, which takes as long
as three to eight scans."""

SEARCHES = 8
"""So many terms are searched for in all relations before their index is built. A million triples of 525 relations
(BSBM): 27 ms for the index, 2 ms for a search."""

SEARCHED_FACTS = 1 << 16
SEARCHED_SHARE = 1 << 6
"""Stores with fewer facts, or fewer for each relation, have the index built at once: that takes as long as a search."""

# -- graphs --------------------------------------------------------------------------------------------------------

CONTRACTED_LEAST = 1 << 13
"""Graphs with so many nodes and edges are contracted before the search for components: about where a search node by
node takes as long as a round of contractions does at least, two milliseconds."""

GIANT_STEPS = 64
"""How deep a giant component is looked for: random graphs of any size take some 20 steps, and each looks at all edges
that are left.

`tests/benchmarks/components.py` measures both."""

# -- closures ------------------------------------------------------------------------------------------------------

CLOSE_FRACTION = 4
CLOSE_BATCH = 64
CLOSE_BATCH_FRACTION = 128
"""Edges are closed from scratch where a change is at least 1/CLOSE_FRACTION of them; or, of CLOSE_BATCH edges and more,
at least 1/CLOSE_BATCH_FRACTION, since most sets then have to be made anew. Measured on random graphs and categories
(`tests/benchmarks/closures.py`)."""

REMADE_SETS_LEAST = 256
REMADE_SETS_SHARE = 8
"""A change of a closure with cycles that has made more sets anew than these, and than one of so many, is dropped and
the edges are closed from scratch. Measured with 200,000 categories (closed in 1.7 s): the worst of 200 edges took 3.2 s
to go and 4.4 s to come without, 2.0 and 2.1 s with."""

SHIFT_SAMPLE = 64
SHIFT_EDGES = 8
"""Whether a change of so many edges or fewer shifts most sets of a closure without cycles is told by a look at so many
sets, once the change is deep or has made one of SHIFT_SAMPLE anew, and REMADE_SETS_LEAST."""

HUB_LEAST = 512
HUB_SHARE = 4
"""A component of so many nodes and more that at least one of HUB_SHARE nodes reaches is the hub of a closure: what it
reaches is kept once for all above it. Of 200,000 categories, 199,000 of them above a hub of 22,600, an edge that takes
the hub apart took 1.1 s, as long as to close all."""

RELABEL_LEAST = 4096
"""Sets that take twice the bytes that they took when they were written, and so many more, get new labels."""

PENDING_FRACTION = 16
"""The inverse of a closure is closed anew where the edges that it has not followed are more than 1/PENDING_FRACTION."""

DETOUR_EDGES = 16
DETOUR_SHARE = 16
DETOUR_STEPS = 16
"""After edges within components go, up to DETOUR_EDGES of them are searched for another way, each search through at
most 1/DETOUR_SHARE of the nodes, of which a step counts as LAYER_SETS from DETOUR_STEPS on; then the component is
condensed again. A link of a row of 2,000: 0.2 ms, in place of 1.0 while steps took nothing."""

COUNTED_PAIRS = 16
"""The subjects of objects of a closure are counted from its pairs, 0.05 microseconds each, where it has at most so many
for each edge: labels of the inverse edges take a microsecond for each."""

LAYERS = 64
LAYER_SETS = 10
"""How deep a search along the edges of a closure goes, before the labels of the closure take over; where that means a
look at all sets, not before so many layers have taken as long: a layer takes as long as so many sets."""

DENSE_LABELS = 4
"""A table over all ids up to the highest one is kept where these are at most so many times the nodes: four bytes for
each id, where two sorted columns take eight for each node, and one look in place of a binary search."""

CHECKED_SETS = 1 << 11
"""Of sets of labels that were written elsewhere, so many are compared with their successors: for all of them that takes
as long as closing."""

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

EDGES_FIRST = 256
"""Of so many pairs and more, if a sample has many edges, those that are edges are told first: a look at one takes 0.1
microseconds, at a set one to two. All edges of a path of 2,000 are found in 0.2 ms so, in 3.5 without."""

# -- columns -------------------------------------------------------------------------------------------------------

FEW_IDS = 32
"""Up to so many ids are looked up in a bitmap one by one."""

FILTERED_IDS = 16
"""A column has a bit for each id between its lowest and its highest where these are fewer than so many times its rows:
two bytes for a pair of eight at most, and 0.6 ms for 929,000 pairs of 39 relations (BSBM), when they are loaded."""

MANY_IDS = 4096
"""So many ids are sorted before a bitmap is filled with them, since Roaring is slow to fill from unsorted ids."""

MANY_KEYS = 2048
DENSE_KEYS = 16
"""From so many wanted subjects on, a table over all subjects replaces binary searches, if it takes no more than so many
steps for each wanted one."""

FEW_KEYS = 8
"""A sorted set that is so many times larger is searched for each element of the smaller one, not merged with it."""

MERGED_LEAST = 1 << 12
"""Of sorted sets with so many elements or more, and of like size, a merge tells what is in both: 5 ns for each element
where a search takes 20 to 40."""

COMPARED_BLOCK = 1 << 12
"""Two sorted sets are compared in blocks of so many members before they are merged: 1 to 2 ns for each member of the
blocks that are the same, where a merge takes 10 to 25."""

SOUGHT_BLOCK = 1 << 12
"""Sorted values are looked for so many at a time, in the part of a set that they are in: 33 ns for each of 700,000 in a
set of six million, 45 at once."""

FLAGS_PER_KEY = 16
"""Sorted sets of pairs are compared by a flag for each pair that their ids could make, where these are at most so many
for each key: 8 to 14 ns for each key, where a merge takes 30 and 24 bytes."""

PAIR_CELLS = 8
"""Pairs are made distinct by a table of flags when it has at most so many bytes for each: as large as their keys.
Measured: ten million in a table of 16 million take 50 ms, a sort 650."""

NEAR_CELLS = 1 << 7
NEAR_MEMBERS = 4
"""Pairs are looked for in a table of bits over the ids between the least and the greatest, where it has at most so many
for each, a megabyte for 65,536 pairs, and so many members are there for each."""

# -- dictionary ------------------------------------------------------------------------------------------------------

SEGMENT_LEAST = 1 << 14
"""Keys that come together, so many or more, are a segment of their own: for fewer a Python dictionary is quicker."""

KEY_LOOK_UP = 64
"""Looking a known key up in ordered ones takes so many times as long as hashing and sorting one of these."""

CHARACTERISTIC_SETS = 1 << 12
"""Of so many sets of roles, which terms have together, it is known what they lead to: LUBM has some 100 of them, in
about a thousand bytes each."""

RECENT_KEYS = 1 << 16
"""So many keys are kept with their ids, in some 200 bytes each: those are found in a tenth of the time."""

KEPT_ANSWERS = 1 << 16
"""So many answers to patterns are remembered, with their rows, `KEPT_ROWS` of one at most: some ten megabytes. pySHACL
asks 46,000 times for 12,000 patterns: it takes 0.42 s so, 0.53 where 4096 are remembered, 0.48 on the memory store."""

KEPT_FOR_A_TERM = 4
"""So many are remembered for each term of a store where that is more, in some hundred bytes each: of LUBM(10,0) pySHACL
asks for 590,000 answers and rows, and asked again takes 6.5 s so, 9.5 where 65,536 are remembered, 7.6 on the memory
store, which takes 1.3 gigabytes."""

KEPT_MOST = 1 << 20
"""No more than so many are remembered, some hundred megabytes, however many terms a store has."""

KEPT_ROWS = 32

KEPT_TERMS = 1 << 20
"""So many objects of terms are kept for the next reader, in some 150 bytes each; then all are let go."""

FEW_NEW_KEYS = 32
"""Up to so many keys are looked up one by one."""

FEW_VALUES = 64
"""Up to so many terms are classified one by one."""

FEW_USUAL_VALUES = 256
"""Of texts, IRIs and short integers so many: 0.5 microseconds each, beside 600 for any column."""

# -- sorting ---------------------------------------------------------------------------------------------------------

SORT_ROWS = 1 << 21
"""Longer columns are sorted in parts of about so many rows: each takes some tenths of a second."""

FEW_TEXTS = 256
"""Up to so many texts are ranked by Python: 0.3 microseconds each, beside 80 for any column, and 400 for the first one
of a process."""

TEXT_ROWS = 1 << 17
"""So many texts are ranked, or terms classified, at once: some tenths of a second."""

SEARCH_ROWS = 1 << 19
"""So many values are looked for at once in a sorted column: a tenth of a second at most."""

HASHED_VALUES = 1 << 13
HASHED_MEMBERS = 2
HASH_ROWS = 1 << 16
"""So many values in no order or more are looked for by hashes, if there are at most so many times as many members, and
otherwise sorted first; so many at once, which keeps what is computed on the way in the cache."""

# -- joins -----------------------------------------------------------------------------------------------------------

WRITTEN_CHANGES = 4096
"""What came or went in a virtual relation with so many pairs at most is written out: a look at all its pairs takes
some 50 microseconds, and rules read a change many times."""

DOUBTFUL_LEAST = 64
PASSING_EACH = 256
"""When an edge goes of a closure that rules feed, the pairs with a path along it are looked at, unless there are fewer
edges than this that are not asserted, or this many pairs for each of these. Measured with the ontology below at a tenth
of its size: of 45,000 edges that rules derive, doing without them took 280 ms, and the pairs of one axiom 15."""

FEW_ROWS = 64
"""So few new facts of an atom are looked up in the other atoms of a rule before its filters are evaluated. One more
owl:sameAs at LUBM(10,0): 12 ms, without 14 ms."""

LONG_BODY = 16
"""Few new facts of a rule with so many atoms are asked first whether all that they can derive is known. An instance of
an intersection of 400 classes: 0.15 s, without 5.8 s; of 3,000: 1.5 s, without several minutes."""

NARROWED = 8_000_000
NARROWED_SHARE = 0.25
"""What a closure gained is written out between the ends that the rest of a rule asks for if that makes so many pairs at
most, and no greater share of all. Measured with an ontology of 23,000 classes and 29,600 restrictions, whose rule
scm-svf1 took 51 of 58 s over all pairs of restrictions of a property, and 3 s over pairs of their fillers."""


JOIN_ROWS = 1 << 16
"""A step of a join makes so many rows at once at most: what it makes stays in the cache. Triangles and same generation
take two thirds of the memory that they take with four times as many, and as long; with half as many, a tenth longer."""

GATHERED_ROWS = 1 << 20
"""So many rows of two variables, 8 MB, wait at most for all that a part of a body has, before the rest is joined."""

SAMPLED_KEYS = 1 << 16
"""So many pairs of a table that has no mirror are looked at for a plan: the mirror of 4 million pairs takes 0.45 s, and
the plan may not need it."""

SAMPLED_ROWS = 1 << 7
"""Of so many rows or more some are looked up to choose the next step of a join: some ten microseconds for each atom."""

MULTIPLIED = 8
"""A step of a query that makes so many times as many rows as there are is put off where a sample shows another one that
makes so many times fewer."""

GUARD_ROWS = 1 << 14
"""Of so many schema facts or more, only those that may become rules are looked at, by the relations that have facts."""

RIVAL_ROWS = 1 << 12
RIVAL_FACTS = 8
"""So many rows or more are parted by which of several atoms has the fewest facts for each; the first one is taken where
it has no more than RIVAL_FACTS."""

CONDENSED_ROWS = 1 << 15
CONDENSED_SAMPLE = 1 << 10
CONDENSED_GAIN = 4
"""Of so many rows or more, between two steps of a join, those that are repeated are left out where a sample of
CONDENSED_SAMPLE says that there are so many times as many as distinct ones."""

WITNESS_ROWS = 1 << 12
WITNESS_STEP = 1 << 15
WITNESS_GAIN = 8
"""Of so many rows or more whose ends a body only tests, or of fewer that the next step makes WITNESS_STEP of, a share
is tried first, where there are WITNESS_GAIN times as many as ends: which nodes of 40,000 edges lie on a four-cycle in
0.1 s, without in 2.7."""

CONJUNCTION_WORK = 1 << 14
"""A pattern of which a query asks only which solutions there are goes without a plan, a step at a time by the rows that
come, where a plan expects to look at so many rows; or from WITNESS_ROWS on, where so many come of a step."""

FEW_PAIRED = 1 << 10
"""Patterns of a group that share no variable are paired before another part connects them, where they make so many
pairs at most: to look up each pair takes a microsecond or less, and what one of its ends is connected with may be much
more."""

OWN_ENDS_GAIN = 2
"""Of WITNESS_ROWS rows or more of which the rest of a body asks only for some variables, the distinct ones are asked
for alone where a sample says that there are so many times as many rows."""

FORGETTING = 4
"""A step after which a variable is not needed any more goes first where it makes at most so many times as many rows."""

CLASS_GAIN = 4
"""A step along pairs within classes that forgets what it joins on goes class by class where a join would make more than
so many times as many rows: it sorts what there is twice, and a join what it makes."""

PRODUCT_ROWS = 1 << 10
PRODUCT_FACTS = 1 << 23
PRODUCT_GAIN = 8
PRODUCT_FANOUT = 4
PRODUCT_WORDS = 1 << 16
PRODUCT_CELLS = 1 << 22
PRODUCT_BYTES = 1 << 28
"""A step of a join that forgets what it joins on is a product of matrices of bits from so many rows on, with at most so
many facts, if it looks at fewer than so many words for each row that the join would make: a word takes some
nanoseconds, a row with its sort 80. Where a row makes fewer than PRODUCT_FANOUT rows, few of them come more than once:
same generation takes a sixth longer with products. So many words are looked at at once, so many bits set at once, and
the matrix takes so many bytes at most."""

JOIN_FIRST = 1 << 12
JOIN_GROWTH = 32
"""A step of a query makes about JOIN_FIRST rows first, since only the first ones may be wanted, and JOIN_GROWTH times
as many each time from then on."""

# -- rules -----------------------------------------------------------------------------------------------------------

DELTA_LEAST = 1 << 19
"""So many facts wait at least before they are united: what they take is little beside what a pass needs anyway. Before
fewer are united, free memory is not given back: what the joins took comes again with fresh pages, which took a sixth of
the time of negation and of CSPA, and a fifth of that of ternary rules, and no row of the rules benchmark takes less."""

RULE_WORK = 500
ANEW_LEAST = 1000 * RULE_WORK
ANEW_GROWTH = 4
"""To evaluate a rule, or to visit a stratum, takes as long as 500 facts that rules give: some 30 microseconds. Who
derives everything anew begins with the rules of the program: 30 to 50 ms for OWL 2 RL. A state that has grown by a
share is taken to need at most ANEW_GROWTH times that share more."""

MANY_RULES = 1 << 9
"""So many rules that use a relation are looked at, together, for those that can derive nothing any more: below 1 ms."""

PROPAGATED_ROUNDS = 8
PROPAGATED_PAIRS = 4096
"""A rule that passes a set on along pairs looks up those of so many steps, and of one more for each of so many pairs;
if there are more, it lays out all pairs as rows, which takes some 20 nanoseconds a pair, and a step then 10 to 27
microseconds in place of 100."""

SHORT_ROW = 1 << 3
"""Where no id leads to more others than these, such a search looks at rows of one length, with a third of the calls of
numpy: a step over roads takes 10 microseconds, and 27 otherwise."""

PROPAGATED_LOSS = 512
PROPAGATED_SHARE = 24
"""Where more of the facts of such a rule go than these, and than one of so many, all are derived anew: to find what
comes back takes twice as long as to find it in the first place, and the steps to a few facts that go as long as those
to many that are there. Of what is reached on roads (anew 13 ms) an eighth is lost after 5 ms, so much after 2."""

REMADE_LEAST = 1 << 15
REMADE_JOINED = 16
REMADE_SHARE = 16
REMADE_SHOWN = 2
REMADE_READ = 4
REMADE_GROWTH = 3
"""A stratum is remade when more than one fact of so many is overdeleted, and so many in all: fewer take some ten
milliseconds. Measured with same generation (13 million facts, anew 6 s): the worst of four edges removed took 21.6 s
without, 12.3 with a sixth, 9.8 with a twelfth. The next round is taken to grow as the last one did, at most by
REMADE_GROWTH: of 3 million facts (anew 0.70 s) a twelfth is gone after 102 ms, a sixteenth is foreseen after 44. Where
a rule joins facts of the stratum with each other, one in REMADE_JOINED of REMADE_LEAST are enough: to find which of
9,933 pairs follow by paths of three took 270 ms, and all 71,246 of them 50. A stratum is remade, too, where its rules
read more than one in REMADE_SHOWN of the pairs of a closure as lost: of Dyck's paths (anew 0.7 s) most edges take all,
1.1 s without; where a rule gives as large a share of what there is as lost at once; and where they read as many pairs
as gained, if these are REMADE_READ times the facts that the closures are made of: 9 million pairs that a value of a
functional property makes equal took 27 s, in place of 2, and half a million pairs of 500 equal classes, made of as many
facts, 0.78 s, in place of 0.95."""

LIST_ROWS = 1 << 16
"""Rows of lists and members are derived in blocks of so many, between which the budget is checked."""

# -- proofs ----------------------------------------------------------------------------------------------------------

DERIVATIONS_AT_ONCE = 32
"""How many steps that lead to one fact are collected before the next fact has its turn."""

NEAR_MISS_VISITS = 2_000
"""How many partial matches of the body of one rule are looked at for the nearest ones: some 20 milliseconds."""

# -- labels ----------------------------------------------------------------------------------------------------------

LABELS_APART = 1_000
"""So many labels, or a tenth of all where that is more, are indexed apart before all are indexed anew: one search more
for each lookup, and less than 10 milliseconds to index them; 200,000 labels take 0.6 seconds."""

# -- files in and out ------------------------------------------------------------------------------------------------

LARGE_STEP = 1 << 20
"""A step of so many quads stands alone: to sort it takes longer (0.3 s) than to maintain it as a step of its own."""

SMALL_FILE = 1 << 16
"""Of a text of fewer bytes pyoxigraph has read all before the first column is made."""

BLOCK_BYTES = 4 << 20
"""N-Triples are parsed in blocks of so many bytes, several at a time."""

TERMS_IN_A_FILE = 1 << 20
"""Terms in one file of encoded triples."""

PARQUET_ROWS = 1 << 15
"""Rows of Parquet that are read at a time."""

# -- stores ----------------------------------------------------------------------------------------------------------

OVERLAID_CHANGES = 512
"""Up to so many changes that no rule concerns wait while programs read: a triple added and asked for takes 15
microseconds with 512 or 1024, 18 with 128, and 160 where each is maintained."""

OVERLAID_READS = 32
"""After so many reads without a change what waits is maintained, which takes as long as some 30 reads save by it."""

FEW_QUADS = 16
"""Up to so many quads are put into tables one by one."""

MANY_QUADS = 4096
"""From so many quads on, one sort by relation replaces a mask for each relation."""

LARGE_CHANGE = 4096
INDEX_SHARE = 64
STALE_CHANGES = 16
"""A relation that gets more facts at once than LARGE_CHANGE, and than 1/INDEX_SHARE of an index, is left out of the
index and asked itself; an index with more such roles than STALE_CHANGES is made anew."""

GIVEN_BACK = 1 << 16
"""After a change of so many quads, or when so many roles of terms were put into an index, free memory is given back to
the system, and before it what Arrow keeps. Such a change takes more than 50 ms, giving back 1 to 3 ms. GALEN (245,662
quads) took 405 MB at its largest without, 342 with it. To give all back before it, too, saves 1 % of that, and 5 % of
deriving LUBM(10,0) is lost to fresh pages."""

GIVEN_BACK_BYTES = 1 << 28
"""Before and after a query free memory is given back, if steps took so many bytes since that was last done: it takes
them a tenth of a second, and giving back 1 to 5 ms. Ten queries that ran into a limit of time left 6 GB without."""

WAITING_CHANGES = 32
"""So many changes wait at most until something asks for an index: what they brought is put into it at once."""

# -- disk ------------------------------------------------------------------------------------------------------------

LONG_COLUMN = 2048
"""So many bytes of numbers are a column of their own."""

COMMIT_BATCH = 1 << 20
"""So many quads are a batch of a commit file."""

TERM_COLUMN_LEAST = 1 << 14
"""So many new terms of a commit, or more, are a column."""

LARGE_COMMIT = 1 << 16
"""So many terms or quads of a commit, or more, are a file of their own."""

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

GATHERED_LEAST = 1000
"""For more choices of the relations that an integrity condition leaves open, it is joined over the facts of all of them
together: one choice takes some 150 microseconds, what is gathered 20 nanoseconds a fact."""

DECOMPRESSED_RATIO = 1000
DECOMPRESSED_LEAST = 64 << 20
"""A file may decompress to so many times its bytes, or to so many bytes: terms and ids take 5 to 20 times."""
