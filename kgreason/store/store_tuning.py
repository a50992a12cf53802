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

KEPT_VIOLATIONS = 1000
"""Conditions with more violations do not have them kept: with so many, others are looked for first."""

KEPT_CONDITIONS = 10_000
KEPT_STATES = 2
"""So many conditions have their violations kept; conditions with open relations have one for each choice of these. Each
has those of so many states: of a store, and of a branch that is compared with it."""

# -- first reads ---------------------------------------------------------------------------------------------------

LOADED_FACTS = 1 << 14
LOADED_SHARE = 1 << 6
"""After a change that brings so many facts, and so many for each relation, each relation is looked at for what first
queries ask: 2 to 4 microseconds for one (Records in Contexts, Berlin's benchmark), a hundredth of the change."""

SURVEYED_PAIRS = 1 << 10
"""After such a change what planners ask is at hand of relations that got more pairs: some 0.1 milliseconds for one."""

COUNTED_FACTS = 1 << 18
"""After such a change the facts of relations that are not written out are counted, where they have so many or fewer:
254 relations of Records in Contexts in 19 milliseconds, a hundredth of the change, which the first question for the
number of all triples took, or for that of each predicate's."""

RECALLED_NAMES = 1 << 12
"""After such a change the names of so many relations are at hand: to find one among 300,000 terms for the first time
takes 10 to 20 microseconds, of which a query of Berlin's benchmark has a dozen."""

# -- views and graphs ----------------------------------------------------------------------------------------------

VIEW_FIRST_ROWS = 64
VIEW_MOST_ROWS = 1 << 16
"""A view with changes reads so many rows at once first, since only the first may be wanted, and then more, up to
VIEW_MOST_ROWS."""

FEW_GRAPHS = 4
"""So few graphs are always asked one by one, in half a microsecond each."""

ASKED_TRIPLES = 32
"""After so many triples of a relation, each of which all graphs were asked for, the relation is sorted: a few hundred
microseconds for a thousand graphs, as those triples took."""

CHANGED_GRAPHS = 64
"""Tables of all named graphs follow the changes of so many graphs; after more they are made anew."""

# -- documents and proofs ------------------------------------------------------------------------------------------

LONG_DOCUMENT = 1 << 13
"""A document of more triples is written a block at a time: half a megabyte or so."""

TURTLE_BLOCK = 1 << 12
"""Triples of a block of Turtle: 0.2 MB in 2 ms. Of 100,000 triples, blocks of 8,192 take 0.05 s together, of 4,096
0.055, of 1,024 0.1."""

TERMS_BLOCK = 1 << 10
"""Triples of a block of RDF/XML and JSON-LD, whose terms become objects of 1 KB each: 70 KB in 7 ms. Larger blocks are
not quicker."""

SORTED_TOGETHER = 1 << 18
"""About so many triples of a document are put in order together: 0.1 s."""

SORT_GIVEN_BACK = 1 << 16
"""For so many triples, what ordering them took is given back, which takes some ms."""

WRITTEN_TRIPLES = 1 << 16
"""So many triples of a graph are written between two looks at the clock."""

PROOF_FACTS = 256
"""So many facts are turned into rows at once for a proof: a search may want the first of them alone."""

PROOF_TEXTS = 1 << 16
"""So many terms of proofs are kept as texts."""

PROOF_TRIPLES = 1 << 12
"""So many triples are turned into rows between two looks at the progress of their proofs."""
