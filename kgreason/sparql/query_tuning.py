"""Tuned constants of queries; `kgreason.tuning` says how constants are used, and has those that rules and queries
share."""

from __future__ import annotations

# -- plans ---------------------------------------------------------------------------------------------------------

FILTER_SHARE = 0.5
"""The share of solutions that a filter is expected to pass: a guess, so that of two atoms alike the one that a filter
follows goes first."""

SPELLED_PARTS = 64
"""A filter of more parts does not get expressions in the place of variables."""

PLANNED_TABLES = 4
"""The smallest tables for which patterns are planned to see what these would save: with 200 tables of three rows, and
as many patterns, a plan for each took 2.6 seconds."""

COUNTED_IDS = 32
"""Of so many ids the pairs are counted for a plan: a search along `rdf:type*` from 128 nodes takes 50 ms."""

CONJUNCTION_WORK = 1 << 14
"""A pattern of which a query asks only which solutions there are goes without a plan, a step at a time by the rows that
come, where a plan expects to look at so many rows; or from WITNESS_ROWS on, where so many come of a step."""

CONJOINED_STEPS = 64
"""Of so many steps at most the rows say which is next."""

MULTIPLIED = 8
"""A step of a query that makes so many times as many rows as there are is put off where a sample shows another one that
makes so many times fewer."""

ASKED_GRAPHS = 4
"""Fewer graphs are asked one after the other; ten of four triples take 0.5 ms together in place of 2."""

GRAPH_FACTS = 256
"""Graphs are asked one after the other where a table that has the facts of all of them would have more than so many for
each: to ask a graph takes as long as to put so many facts into a table."""

# -- batches of solutions ------------------------------------------------------------------------------------------

JOIN_FIRST = 1 << 12
"""A step of a query makes about so many rows first, since only the first ones may be wanted; JOIN_GROWTH says how many
then."""

STREAMED_FIRST = 128
STREAMED_GROWTH = 8
"""Where the first solutions are wanted soon, STREAMED_FIRST rows go on first, then STREAMED_GROWTH times as many each
time, from all over what a step has made: ten reviewers of products that share a feature with one that a vendor of their
country offers (BSBM, 1,000 products) take 1.2 ms, and 21 in the order of the rows; ten countries with such a vendor
1.6, and 205."""

BATCH_ROWS = 1 << 16
"""Where all solutions are wanted batches are put together until they have so many rows."""

STAGE_GROWTH = 8
"""Batches that are joined with a table are put together, each time so many times the rows of the time before: the
first rows come soon, and the table is gone through for few batches."""

COMPRESSED_ROWS = 256
"""Of so many rows or more equal ones are put together when a variable is not needed any more."""

FALLBACK_FIRST = 64
FALLBACK_GROWTH = 8
FALLBACK_ROWS = 1 << 15
"""Solutions of a part that something else solves are taken FALLBACK_FIRST at first, then FALLBACK_GROWTH times as many
each time, FALLBACK_ROWS at most."""

PARTS_APART = 64
"""More parts of a group than these are not solved one by one: each goes deeper in Python's stack, and looks at all
others."""

FEW_BESIDE = 8
"""So few solutions are paired with others that a filter for an order connects them with: it takes 30 nanoseconds to
filter a pair, and to sort the others as long as some pairs of each."""

# -- triple patterns -----------------------------------------------------------------------------------------------

FEW_WITH_ENDS = 64
"""Up to so many rows with a known end are matched one by one, over all predicates, and more predicate by predicate."""

FEW_TYPED = 16
"""The classes of so few members are found member by member, those of more class by class."""

FEW_NODES = 16
TRIPLES_FOR_A_NODE = 1024
"""An id is looked for among the triples in 15 microseconds, as long as all nodes of so many triples are gathered."""

# -- property paths ------------------------------------------------------------------------------------------------

LAYER_WORK = 500
COPIED_KEYS = 32
"""What a layer of a search costs besides the pairs that it looks at, in such pairs; and so many pairs that were found
before are copied at the cost of one."""

SEARCHED_PIECE = 1 << 20
"""About so many pairs are looked up at once."""

CLOSING_EDGE = 32
CLOSING_LEAST = 20_000
"""What it costs to close an edge, and any closure besides, in pairs that a search looks at."""

CLOSURE_FANOUT = 8
"""A closure is expected to have so many times as many pairs as there are edges, until it is made."""

SEARCHED_WHOLE = 1 << 20
"""The most work for which all starts are searched from: what they reach is written out."""

SAMPLED_STARTS = 64
SAMPLED_LAYERS = 16
"""From so many starts a search tells what one from all of them would take, in not much more than so many layers."""

WALKED_FIRST = 2
WALKED_GROWTH = 2
WALKED_BLOCKS = 6
"""So many blocks of subjects, the first of WALKED_FIRST and each other one WALKED_GROWTH times as large, are walked
from before a scan makes the table: a reader of the first pairs has them."""

# -- answers -------------------------------------------------------------------------------------------------------

ARROW_ROWS = 1 << 16
"""Rows of a batch of Arrow, and of a row group of Parquet."""

DOCUMENT_ROWS = 1 << 14
DOCUMENT_FIRST = 1 << 8
"""Rows of a piece of a document, and of the first piece."""

FEW_DOCUMENT_TERMS = 200
"""Up to so many terms of a piece are written one by one, and more in columns: both take as long for some 300 terms."""

GIVEN_BACK_BYTES = 1 << 28
"""Before and after a query free memory is given back, if steps took so many bytes since that was last done: it takes
them a tenth of a second, and giving back 1 to 5 ms. Ten queries that ran into a limit of time left 6 GB without."""
