"""Tuned constants of transitive closures; `kgreason.tuning` says how constants are used.

`tests/benchmarks/closures.py` measures them.
"""

from __future__ import annotations

# -- changes -------------------------------------------------------------------------------------------------------

CLOSE_FRACTION = 4
CLOSE_BATCH = 64
CLOSE_BATCH_FRACTION = 128
"""Edges are closed from scratch where a change is at least 1/CLOSE_FRACTION of them; or, of CLOSE_BATCH edges and more,
at least 1/CLOSE_BATCH_FRACTION, since most sets then have to be made anew. Measured on random graphs and categories
(`tests/benchmarks/closures.py`)."""

SAMPLED_NODES = 16
"""The new edges of so many nodes tell mostly whether labels are out of order: to write out 1.2 million edges, and to
find their labels, takes 50 MB."""

REMADE_SETS_LEAST = 512
REMADE_SETS_SHARE = 8
"""A change of a closure with cycles that has made more sets anew than these, and than one of so many, is dropped and
the edges are closed from scratch. Measured with 200,000 categories (closed in 1.7 s): the worst of 200 edges took 3.2 s
to go and 4.4 s to come without, 2.0 and 2.1 s with. Of 380 sets among 3,000 each takes 4 microseconds, and to close all
8 milliseconds; of random graphs of 600 to 3,000 nodes the worst edge takes no longer with 512 than with 256."""

SHIFT_SAMPLE = 64
SHIFT_EDGES = 8
"""Whether a change of so many edges or fewer shifts most sets of a closure without cycles is told by a look at so many
sets, once the change is deep or has made one of SHIFT_SAMPLE anew, and REMADE_SETS_LEAST."""

SHRUNK_PERCENT = 35
GROWN_PERCENT = 20
"""Where more of the sets lose, or gain, something, to close from scratch costs less: in a path of 20,000 a set that is
made anew takes 1.7 or 2 times as long as then, and to find it as long again."""

HUB_LEAST = 512
HUB_SHARE = 4
"""A component of so many nodes and more that at least one of HUB_SHARE nodes reaches is the hub of a closure: what it
reaches is kept once for all above it. Of 200,000 categories, 199,000 of them above a hub of 22,600, an edge that takes
the hub apart took 1.1 s, as long as to close all."""

RELABEL_LEAST = 4096
"""Sets that take twice the bytes that they took when they were written, and so many more, get new labels."""

DETOUR_EDGES = 16
DETOUR_SHARE = 16
DETOUR_STEPS = 16
"""After edges within components go, up to DETOUR_EDGES of them are searched for another way, each search through at
most 1/DETOUR_SHARE of the nodes, of which a step counts as LAYER_SETS from DETOUR_STEPS on; then the component is
condensed again. A link of a row of 2,000: 0.2 ms, in place of 1.0 while steps took nothing."""

FEW_ENDS = 4
"""What so many ids lead to in one version of a closure and not in another is searched for in both where most sets
differ: in a circle of 2,000 classes that closes, 0.5 ms in the place of 70."""

FEW_BETWEEN = 1 << 16
"""So many pairs of ends are sought in both versions before all sets are compared: below 10 milliseconds."""

COMPARED_SETS = 512
"""So many sets of two versions of a closure, of which most differ, are not compared only to see whether these lack few
pairs: that takes 20 microseconds for each. At LUBM(10,0), where all universities are one thing no longer, the 3,000
sets of `subOrganizationOf` took 100 ms."""

LABELLED_ONCE = 64
"""A component of so many members gets the labels of another version once, and not for each set that has it. Of 8,000
definitions by two fillers of one property, in two circles of restrictions, two versions with 2,002 sets that differ are
compared in 19 ms so, and took 72."""

# -- reads ---------------------------------------------------------------------------------------------------------

LAYERS = 64
LAYER_SETS = 10
"""How deep a search along the edges of a closure goes, before the labels of the closure take over; where that means a
look at all sets, not before so many layers have taken as long: a layer takes as long as so many sets."""
SEARCHED_EACH = 4
"""So many nodes of a layer take as long as one set, beside what the layer takes. What leads to 11,000 edges of GALEN,
42,000 nodes, is found in 22 milliseconds so, and by a look at all sets in 63."""


SAMPLED_SEARCHES = 8
BACKWARD_SEARCHES = 32
"""So many objects of a closure, each once, are searched for along its edges before labels of the inverse edges are
made: a search takes some ten microseconds, and in a hierarchy of 20,000 classes the labels 20 milliseconds. A plan
searches for SAMPLED_SEARCHES of the objects in its rows."""

FEW_SUBJECTS = 1 << 11
"""Where a version before has an inverse, a search gives up at so many subjects: those of a department take 60
microseconds, those of two universities 0.2 milliseconds, and the inverse 0.5 to be kept up."""

ASKED_PAIRS = 1 << 16
"""For so many pairs at once it is asked whether a closure has them, so that what is computed on the way stays in the
cache: of 1.2 million edges that came, all at once took 75 MB, and as long."""

PENDING_FRACTION = 16
"""The inverse of a closure is closed anew where the edges that it has not followed are more than 1/PENDING_FRACTION."""

COUNTED_PAIRS = 16
"""The subjects of objects of a closure are counted from its pairs, 0.05 microseconds each, where it has at most so many
for each edge: labels of the inverse edges take a microsecond for each."""

EDGES_FIRST = 256
"""Of so many pairs and more, if a sample has many edges, those that are edges are told first: a look at one takes 0.1
microseconds, at a set one to two. All edges of a path of 2,000 are found in 0.2 ms so, in 3.5 without."""

DENSE_LABELS = 4
"""A table over all ids up to the highest one is kept where these are at most so many times the nodes: four bytes for
each id, where two sorted columns take eight for each node, and one look in place of a binary search."""

# -- labels from elsewhere -----------------------------------------------------------------------------------------

CHECKED_SETS = 1 << 11
"""Of sets of labels that were written elsewhere, so many are compared with their successors: for all of them that takes
as long as closing."""
