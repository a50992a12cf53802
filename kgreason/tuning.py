"""Constants that were tuned, of columns and joins; other values change times and bytes, and never what is found.
Rooms with many have a file of their own: `algebra.algebra_tuning`, `dictionary.term_tuning`,
`relations.table_tuning`, `relations.transitive.closure_tuning`, `engine.rule_tuning`, `io.file_tuning`,
`sparql.query_tuning`, `store.store_tuning` and `disk.disk_tuning`; and adapters, `kgreason_rdflib.rdflib_tuning` and
`kgreason_spark.spark_tuning`.

Code takes them as `tuning.NAME` when it needs them, never by value. Tests give others for a while
(`replaced_constants` of `tests/thresholds.py`), and no two files have one of the same name.

``python -m tests.benchmarks`` measures all together, `tests/benchmarks/components.py` those of graphs.
"""

from __future__ import annotations

# -- columns -------------------------------------------------------------------------------------------------------

FEW_IDS = 32
"""Up to so many ids are looked up in a bitmap one by one."""

FILTERED_IDS = 16
"""A column has a bit for each id between its lowest and its highest where these are fewer than so many times its rows:
two bytes for a pair of eight at most, and 0.6 ms for 929,000 pairs of 39 relations (BSBM), when they are loaded."""

MANY_IDS = 4096
"""So many ids are sorted before a bitmap is filled with them, since Roaring is slow to fill from unsorted ids."""

SORTED_PREFIX = 1 << 8
"""So many values are looked at first, to see whether a column is sorted: most that are not fall among these, and to
sort as many takes no longer."""

MANY_KEYS = 2048
DENSE_KEYS = 16
"""From so many wanted subjects on, a table over all subjects replaces binary searches, if it takes no more than so many
steps for each wanted one."""

FEW_KEYS = 8
"""A sorted set that is so many times larger is searched for each element of the smaller one, not merged with it."""

INSERTED_KEYS = 1 << 8
"""Into a sorted set that is so many times larger new elements are inserted by position. Measured with 100,000 and a
million keys: inserting one takes a third of a merge, a hundredth as many take as long, a tenth four times as long."""

MERGED_LEAST = 1 << 12
"""Of sorted sets with so many elements or more, and of like size, a merge tells what is in both: 5 ns for each element
where a search takes 20 to 40."""

INSERTED_APART = 1 << 19
"""Sets with so many elements in all are merged a block after the other, so that no more than they and their union is
held; the union of fewer is made at once, in memory that the C library keeps free anyway. 500,000 pairs that come to
1.2 million took 31 MB at once, and take 25, and as long."""

MOVED_ROWS = 1 << 16
"""So many values are merged into one column at once: four million and as many take 40 ms with 2^12 to 2^16, 48 with
2^20."""

CACHED_ROWS = 1 << 14
"""So many rows at a time stay in the cache with what is worked out about them: of eight million pairs duplicates go in
45 ms, in 91 with 2^10, and in 60 all at once."""

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

PAIR_BITS_LEAST = 1 << 19
PAIR_BITS_BYTES = 2
"""Pairs that rules derive have a bit for each pair that their ids could make, where these take so many bytes at most,
or so many for each derived pair, known ones among them: a look at a bit takes 4 ns, a pair itself 8 bytes."""

NUMBERED_SPAN = 8
"""Numbers below so many times their count are numbered by a table, others by sorts: the 20,000 relations of 56,000
rules in 3 ms, and 14 by sorts."""

# -- graphs --------------------------------------------------------------------------------------------------------

CONTRACTED_LEAST = 1 << 13
"""Graphs with so many nodes and edges are contracted before the search for components: about where a search node by
node takes as long as a round of contractions does at least, two milliseconds."""

GIANT_STEPS = 64
"""How deep a giant component is looked for: random graphs of any size take some 20 steps, and each looks at all edges
that are left.

`tests/benchmarks/components.py` measures both."""

GIANT_EDGES = 32
GRAPH_EDGES = 1 << 16
"""Of more edges than so many for each node a sample tells first what is a giant component; so many edges get other
numbers at once, which keeps what is computed on the way in the cache. 1.2 million edges between 1,500 nodes take half
the time, and a third of the memory."""

# -- sorting -------------------------------------------------------------------------------------------------------

SORT_ROWS = 1 << 21
"""Longer columns are sorted in parts of about so many rows: each takes some tenths of a second."""

SORT_SAMPLE = 64
"""So many values are sampled for each part."""

RUNS_PROBED = 1 << 10
"""By so many values it is told whether a column comes in runs."""

TEXT_ROWS = 1 << 17
"""So many texts are ranked, or terms classified, at once: some tenths of a second."""

TEXT_BYTES = 1 << 24
"""Texts of so many bytes are read, or learned, between two looks at the clock: a tenth of a second."""

WAITING_ROWS = 1 << 17
"""So many members of groups, or groups, wait until the literals of their aggregates are made, as a column: sums of
100,000 groups take 47 ms, and 470 where they are made 4,096 at a time. The column takes some 50 MB meanwhile."""

FEW_TEXTS = 256
"""Up to so many texts are ranked by Python: 0.3 microseconds each, beside 80 for any column, and 400 for the first one
of a process."""

SEARCH_ROWS = 1 << 19
"""So many values are looked for at once in a sorted column: a tenth of a second at most."""

HASHED_VALUES = 1 << 13
HASHED_MEMBERS = 2
HASH_ROWS = 1 << 16
"""So many values in no order or more are looked for by hashes, if there are at most so many times as many members, and
otherwise sorted first; so many at once, which keeps what is computed on the way in the cache."""

# -- joins, of rules and queries -----------------------------------------------------------------------------------

JOIN_ROWS = 1 << 16
"""A step of a join makes so many rows at once at most: what it makes stays in the cache. Triangles and same generation
take two thirds of the memory that they take with four times as many, and as long; with half as many, a tenth longer."""

DENSE_ROWS = 8
"""Ids whose range is at most so many times their rows are numbered by a table over the range."""

FLAGGED_ROWS = 64
"""Members are flagged in a table of a byte for each id where it has at most so many for each row."""

GATHERED_ROWS = 1 << 20
"""So many rows of two variables, 8 MB, wait at most for all that a part of a body has, before the rest is joined; with
each variable more half as many, since wider rows take more to sort: two paths of three edges between the same ends, of
2,000 nodes by a power law, took 236 MB, and take 62."""

LONG_BODY = 16
"""Few new facts of a rule with so many atoms are asked first whether all that they can derive is known. An instance of
an intersection of 400 classes: 0.15 s, without 5.8 s; of 3,000: 1.5 s, without several minutes."""

FEW_ATOMS = 16
"""So many connected atoms are all compared before each step."""

SAMPLED_ROWS = 1 << 7
"""Of so many rows or more some are looked up to choose the next step of a join: some ten microseconds for each atom."""

OUTDONE = 4
"""New facts of an atom, `SAMPLED_ROWS` or more, are not joined first where another atom has so many times fewer."""

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

SEARCH_GAIN = 2
SEARCH_ATOMS = 3
SEARCH_SAMPLE = 1 << 7
SEARCH_PASSING = 1 << 4
"""Of WITNESS_ROWS rows or more of which a body tests two ends, all that one of the ends leads to is searched for where
that is expected to cost so many times less than to follow each row. With more than so many atoms left, a search that
finds more pairs than there are rows waits for the next step, after which the two halves are more alike. Where one row
in so many is expected to pass, or does so of a sample, few rows are to be followed until there is one for each of the
values that are wanted: nodes on cycles of six in a graph by a power law take 14 ms, and 24 by a search; in a uniform
graph of 12,000 edges, where one row in fifty passes, 175 ms, and 25 by a search."""

TESTED_GAIN = 2
"""What shares no variable with the rows tests their distinct ends, where a sample says that there are so many times as
many rows. 10,000 rows with 4,300 ends whose sums with ten values are asked for take 4.5 ms so, and 8.9 row by row;
where a test is the cheapest there is, an inequality, 60,000 rows take a quarter longer so, 20 ms."""

OWN_ENDS_GAIN = 2
"""Of WITNESS_ROWS rows or more of which the rest of a body asks only for some variables, the distinct ones are asked
for alone where a sample says that there are so many times as many rows."""

ENDS_GAIN = 4
ENDS_ATOMS = 3
ENDS_SAMPLE = 1 << 4
"""Of WITNESS_ROWS rows or more that the next of ENDS_ATOMS atoms would multiply, the distinct ends are followed to the
end of a body, and what they lead to looked up by the rows, where these are so many times as many, a sample of the ends
makes no more rows than the next step, and the rows would not become fewer than the ends on the way. The classes that
have a restriction, in GALEN's EL calculus, take 0.3 s, and 2.5 row by row. With two atoms, Andersen's points-to takes a
third longer so: the first one forgets what it joins on."""

REDUCED_STEP = 4
REDUCED_SAMPLE = 1 << 8
REDUCED_GAIN = 4
"""Before a step that makes so many times as many rows as some atoms have facts, those facts are left out of which other
atoms do not have the ends, where a sample says that there are so many times as many as are left: a cycle of seven over
8,100 pairs with one object takes 7 ms, without it 5 s."""

PROJECTED_GAIN = 2
"""Facts of three variables or more that are needed are made distinct where a sample says that there are so many times
as many as distinct ones."""

INTERCHANGED_GAIN = 2
"""Rows that do as well as each other are reduced where a sample says that there are so many times as many as are
needed."""

SEMIJOIN = 4
"""For more rows than a part of so many of a table, a look at the whole table is cheaper than a look-up for each row."""

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
PRODUCT_CELLS = 1 << 19
PRODUCT_BYTES = 1 << 28
PRODUCT_APART = 1 << 19
PRODUCT_PART = 1 << 14
"""A step of a join that forgets what it joins on is a product of matrices of bits from so many rows on, with at most so
many facts, if it looks at fewer than so many words for each row that the join would make: a word takes some
nanoseconds, a row with its sort 80. Where a row makes fewer than PRODUCT_FANOUT rows, few of them come more than once:
same generation takes a sixth longer with products. So many words are looked at at once, so many bits set at once, and
the matrix takes so many bytes at most. Of more facts than PRODUCT_APART as many as PRODUCT_PART become bits at a time:
Dyck's paths, 5.9 million, take 54 MB so, and 90 at once; of 255,000 facts, 5 MB at once, bits take half as long again
in parts, since the ids that they lead to are looked up before."""

INTERSECTED_APART = 4
"""In an intersection a look at a word counts so many times where no rows are united: rows that are looked up are then
not sorted, either."""

PATH_WORDS = 1 << 4
"""Rows that a path of atoms only tests are tested by bits before all else, where these take so many words for each row
at most: as long as to look up and sort the row."""

INDEXED_GAIN = 2
"""A body begins with an atom of so many times as many facts where the others are then looked up by an index that they
have: of Dyck's paths, 1.5 million, the closure of the inverse edges takes two fifths of the time, and a sixth of the
memory."""

PLANNED_WORK = 1 << 15
PLANNED_GAIN = 2
"""An order that begins with a wide atom is looked for where the one at hand is expected to look at so many rows, some
milliseconds, and taken where it looks at so many times fewer: what is expected may be as far from what comes."""

JOIN_GROWTH = 32
"""A step whose first rows are wanted soon makes so many times as many each time."""

FEW_PAIRED = 1 << 10
"""Patterns of a group that share no variable are paired before another part connects them, where they make so many
pairs at most: to look up each pair takes a microsecond or less, and what one of its ends is connected with may be much
more."""

EQUAL_FACTS = 1 << 24
"""A relation of more facts is not written out to look for equal values in it: some 20 bytes and 0.3 microseconds for
each."""

# -- proofs and labels ---------------------------------------------------------------------------------------------

PATH_SEARCH = 10_000
"""How many nodes, and how many instances of rules, a search for a path of single steps looks at."""

LIST_COST = 8
"""To enumerate a list is taken to cost as much as so many facts."""

REMEMBERED_COSTS = 1 << 14
REMEMBERED_CHECKS = 1 << 14
"""Of so many facts it is remembered what a match costs, and of so many rows what a check comes to."""

SELDOM_NEEDED = 16
"""How many facts deep the search goes elsewhere before it takes steps that are seldom needed."""

DERIVATIONS_AT_ONCE = 32
"""How many steps that lead to one fact are collected before the next fact has its turn."""

NEAR_MISS_VISITS = 2_000
"""How many partial matches of the body of one rule are looked at for the nearest ones: some 20 milliseconds."""

LABELS_APART = 1_000
"""So many labels, or a tenth of all where that is more, are indexed apart before all are indexed anew: one search more
for each lookup, and less than 10 milliseconds to index them; 200,000 labels take 0.6 seconds."""

# -- files from elsewhere ------------------------------------------------------------------------------------------

DECOMPRESSED_RATIO = 1000
DECOMPRESSED_LEAST = 64 << 20
"""A file may decompress to so many times its bytes, or to so many bytes: terms and ids take 5 to 20 times."""
