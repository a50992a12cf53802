"""Tuned constants of rdflib's terms, triples and answers; `kgreason.tuning` says how constants are used."""

from __future__ import annotations

# -- terms ---------------------------------------------------------------------------------------------------------

KEPT_TERMS = 1 << 20
"""So many objects of terms are kept for the next reader, in some 150 bytes each; then all are let go."""

FEW_DECODED = 32
"""Up to so many ids become terms one by one."""

TERMS_ALONE = 1024
PLACES_BESIDE = 64
"""So many terms at most are kept by themselves, beside those that have places by their ids: places for PLACES_BESIDE
terms are made in the time that it takes to look one up without them."""

# -- triples -------------------------------------------------------------------------------------------------------

ADDED_TRIPLES = 1 << 12
"""So many triples of an iterable are encoded at once."""

REMOVED_SINGLY = 64
"""Up to so many triples, of a predicate where they have an end in common, are removed one by one."""

FIRST_ROWS_READ = 32
LAST_ROWS_READ = 8192
"""So many rows become terms at first, since only the first ones may be wanted, and so many at once in the end."""

# -- what is remembered --------------------------------------------------------------------------------------------

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

KEPT_SCOPES = 1024
"""Of so many graphs, and names, it is remembered what they show."""

KEPT_TRANSLATIONS = 512
"""So many texts of queries are remembered with what they were translated to."""

# -- answers of SPARQL ---------------------------------------------------------------------------------------------

UNCOLLECTED_ROWS = 1024
"""For so many rows it takes less to collect other young objects, 0.05 ms, than to have the rows among them."""

FILLED_ROWS = 1 << 16
"""For so many solutions the template of a CONSTRUCT is filled in at once, as columns."""

FILLED_TERM_ROWS = 8192
"""For so many it is, where its blank nodes make terms."""

FILLED_QUAD_ROWS = 1 << 18
"""For so many solutions the templates of an update are."""

ORDERED_TRIPLES = 1 << 18
ORDERED_STRIDE = 1 << 8
"""So many triples are put in order together, between checkpoints: some 30 ms. Where such a part begins is told by each
triple of so many."""

DESCRIBED_TERMS = 4096
"""So many ids of resources to describe become numbers of Python at once."""
